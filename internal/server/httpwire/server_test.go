// SPDX-License-Identifier: Apache-2.0

package httpwire

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// dial connects until the test ends.
func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func send(t *testing.T, conn net.Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
}

// receive reads one answer.
func receive(t *testing.T, from *bufio.Reader) (*http.Response, string) {
	t.Helper()
	reply, err := http.ReadResponse(from, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply, string(text)
}

// blocker is a handler that waits until it is told, or until its request's context ends.
type blocker struct {
	begun chan struct{}
	end   chan struct{}
	ended chan error // of the context
}

func newBlocker() *blocker {
	return &blocker{make(chan struct{}), make(chan struct{}), make(chan error, 1)}
}

// ServeHTTP implements http.Handler.
func (b *blocker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	b.begun <- struct{}{}
	select {
	case <-b.end:
	case <-r.Context().Done():
		b.ended <- r.Context().Err()
	}
	_, _ = w.Write(body)
}

// TestClientGone: the context of a request ends when its client goes away, here and after the connection was handed to
// net/http.
func TestClientGone(t *testing.T) {
	for name, before := range map[string]string{"own": "", "net/http": "GET / HTTP/1.1\r\nHost: x\r\n\r\n"} {
		t.Run(name, func(t *testing.T) {
			b := newBlocker()
			_, address := start(t, Options{Handler: b})
			conn := dial(t, address)
			if before != "" {
				send(t, conn, before)
				<-b.begun
				b.end <- struct{}{}
			}
			send(t, conn, request("", "some text"))
			<-b.begun
			_ = conn.Close()
			if err := <-b.ended; err != context.Canceled {
				t.Error(err)
			}
		})
	}
}

// TestPolling: a handler that only asks for the error of its context learns that the client is gone, too.
func TestPolling(t *testing.T) {
	begun, ended := make(chan struct{}), make(chan struct{})
	_, address := start(t, Options{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		begun <- struct{}{}
		for r.Context().Err() == nil {
			runtime.Gosched()
		}
		close(ended)
	})})
	conn := dial(t, address)
	send(t, conn, request("", ""))
	<-begun
	_ = conn.Close()
	<-ended
}

// waitWatched returns when a client is watched.
func waitWatched(s *Server) {
	for reading := false; !reading; runtime.Gosched() {
		s.mu.Lock()
		for c := range s.open {
			c.watch.mu.Lock()
			reading = reading || c.watch.reading
			c.watch.mu.Unlock()
		}
		s.mu.Unlock()
	}
}

// TestNextDuringWatch: the request that comes while the client is watched is answered, whether it is served here or by
// net/http.
func TestNextDuringWatch(t *testing.T) {
	b := newBlocker()
	s, address := start(t, Options{Handler: b, IdleTimeout: time.Minute})
	conn := dial(t, address)
	from := bufio.NewReader(conn)
	for _, next := range []string{request("", "second"), request("", "second"),
		"POST /second HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\nsecond"} {
		send(t, conn, request("", "first"))
		<-b.begun
		waitWatched(s)
		send(t, conn, next)
		b.end <- struct{}{}
		<-b.begun
		b.end <- struct{}{}
		for _, want := range []string{"first", "second"} {
			if _, got := receive(t, from); got != want {
				t.Errorf("%q instead of %q", got, want)
			}
		}
	}
}

// TestContextAfterRequest: the context of a request ends with it, whoever asks, and has the values of the server's.
func TestContextAfterRequest(t *testing.T) {
	type key struct{}
	contexts := make(chan context.Context, 4)
	_, address := start(t, Options{Context: context.WithValue(t.Context(), key{}, "value"),
		Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			ctx := r.Context()
			contexts <- ctx
			contexts <- context.WithValue(ctx, key{}, "other")
			child, cancel := context.WithTimeout(ctx, time.Hour)
			context.AfterFunc(child, cancel)
			contexts <- child
			if ctx.Err() != nil || child.Err() != nil {
				t.Errorf("%v, %v", ctx.Err(), child.Err())
			}
		})})
	converse(t, address, request("", ""))
	for _, want := range []string{"value", "other", "value"} {
		ctx := <-contexts
		<-ctx.Done()
		if ctx.Err() != context.Canceled || ctx.Value(key{}) != want || ctx.Value(http.ServerContextKey) == nil ||
			ctx.Value(http.LocalAddrContextKey) == nil {
			t.Errorf("%v, %v", ctx.Err(), ctx.Value(key{}))
		}
	}
}

// TestContextUnasked: a context that nobody has waited for has ended, too.
func TestContextUnasked(t *testing.T) {
	contexts := make(chan context.Context, 1)
	_, address := start(t, Options{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		contexts <- r.Context()
	})})
	converse(t, address, request("", ""))
	ctx := <-contexts
	if ctx.Err() != context.Canceled {
		t.Error(ctx.Err())
	}
	<-ctx.Done()
}

// TestTimeouts: who sends nothing, or only a part, is cut off; each limit ends another wait.
func TestTimeouts(t *testing.T) {
	const limit = 20 * time.Millisecond
	for name, c := range map[string]struct {
		options Options
		sent    string
	}{
		"nothing": {Options{HeaderTimeout: limit}, ""},
		"head":    {Options{HeaderTimeout: limit}, "POST / HTTP/1.1\r\nHo"},
		"next head": {Options{HeaderTimeout: limit, IdleTimeout: time.Minute},
			request("", "") + "POST / HTTP/1.1\r\nHo"},
		"idle":     {Options{IdleTimeout: limit, HeaderTimeout: time.Minute}, request("", "some")},
		"body":     {Options{ReadTimeout: limit}, strings.TrimSuffix(request("", "some text"), "text")},
		"net/http": {Options{HeaderTimeout: limit}, "GET / HTTP/1.1\r\nHo"},
	} {
		t.Run(name, func(t *testing.T) {
			c.options.Handler = http.HandlerFunc(mirror)
			_, address := start(t, c.options)
			conn := dial(t, address)
			send(t, conn, c.sent)
			if _, err := io.ReadAll(conn); err != nil { // ends when the server hangs up
				t.Error(err)
			}
		})
	}
}

// TestSlowReader: who does not take an answer is cut off, by the server's limit or the handler's.
func TestSlowReader(t *testing.T) {
	for name, own := range map[string]bool{"server": false, "handler": true} {
		t.Run(name, func(t *testing.T) {
			failures := make(chan error, 1)
			o := Options{WriteTimeout: 20 * time.Millisecond}
			if own {
				o.WriteTimeout = 0
			}
			o.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if own {
					limit := time.Now().Add(20 * time.Millisecond)
					if err := http.NewResponseController(w).SetWriteDeadline(limit); err != nil {
						t.Error(err)
					}
				}
				_, err := w.Write(make([]byte, 64<<20))
				failures <- err
			})
			_, address := start(t, o)
			send(t, dial(t, address), request("", ""))
			if err := <-failures; !isTimeout(err) {
				t.Error(err)
			}
		})
	}
}

// TestReadDeadlines: a handler sets deadlines for its body and takes them away.
func TestReadDeadlines(t *testing.T) {
	bodies := make(chan error)
	b := newBlocker()
	_, address := start(t, Options{ReadTimeout: time.Minute,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			control := http.NewResponseController(w)
			if err := control.SetReadDeadline(time.Now().Add(-time.Second)); err != nil {
				t.Error(err)
			}
			_, err := io.ReadAll(r.Body)
			bodies <- err
			if err := control.SetReadDeadline(time.Time{}); err != nil {
				t.Error(err)
			}
			b.ServeHTTP(w, r)
		})})
	conn := dial(t, address)
	text := request("", "some text")
	send(t, conn, text[:len(text)-4])
	if err := <-bodies; !isTimeout(err) {
		t.Errorf("the deadline ended nothing: %v", err)
	}
	send(t, conn, text[len(text)-4:])
	<-b.begun
	b.end <- struct{}{}
	if _, got := receive(t, bufio.NewReader(conn)); got != "text" {
		t.Errorf("got %q", got)
	}
}

// TestShutdown: requests in flight are answered, and all other connections closed, whoever has them.
func TestShutdown(t *testing.T) {
	b := newBlocker()
	var open atomic.Int64
	s, address := start(t, Options{Handler: b, Begin: func(net.Conn) { open.Add(1) }, End: func() { open.Add(-1) }})
	var idle []net.Conn
	for _, sent := range []string{"", "POST / HT", "GET / HT", request("", ""), "GET / HTTP/1.1\r\nHost: x\r\n\r\n"} {
		conn := dial(t, address)
		send(t, conn, sent)
		if strings.HasSuffix(sent, "\n") {
			<-b.begun
			b.end <- struct{}{}
			receive(t, bufio.NewReader(conn))
		}
		idle = append(idle, conn)
	}
	busy := []net.Conn{dial(t, address), dial(t, address)}
	for i, sent := range []string{request("", "own"), "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nother"} {
		send(t, busy[i], sent)
		<-b.begun
	}
	done := make(chan error)
	go func() { done <- s.Shutdown(context.Background()) }()
	for _, conn := range idle {
		_, _ = io.ReadAll(conn) // ends when the server hangs up
	}
	for range busy {
		b.end <- struct{}{}
	}
	for i, want := range []string{"own", "other"} {
		reply, got := receive(t, bufio.NewReader(busy[i]))
		if got != want || !reply.Close {
			t.Errorf("%q, %t", got, reply.Close)
		}
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if n := open.Load(); n != 0 {
		t.Errorf("%d connections are open", n)
	}
}

// TestShutdownGivesUp: a request in flight goes on when patience ends, until Close.
func TestShutdownGivesUp(t *testing.T) {
	b := newBlocker()
	s, address := start(t, Options{Handler: b})
	conn := dial(t, address)
	send(t, conn, request("", ""))
	<-b.begun
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Shutdown(over); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := <-b.ended; err != context.Canceled {
		t.Error(err)
	}
}

// TestTLS: encrypted connections are net/http's.
func TestTLS(t *testing.T) {
	donor := httptest.NewTLSServer(nil) // has a certificate
	defer donor.Close()
	listener, s := listen(t), New(Options{Handler: http.HandlerFunc(mirror)})
	var serving sync.WaitGroup
	serving.Go(func() {
		if err := s.Serve(tls.NewListener(listener, donor.TLS)); err != nil {
			t.Error(err)
		}
	})
	client := donor.Client()
	reply, err := client.Post("https://"+listener.Addr().String()+"/", "text/plain", strings.NewReader("text"))
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	if body, err := io.ReadAll(reply.Body); err != nil || !strings.Contains(string(body), `"text" <nil>`) {
		t.Errorf("%q, %v", body, err)
	}
	client.CloseIdleConnections()
	if err := s.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	serving.Wait()
}

// TestHijack: an upgrade is net/http's, which lets the handler have the connection.
func TestHijack(t *testing.T) {
	_, address := start(t, Options{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, "taken")
	})})
	got := converse(t, address, "POST / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: y\r\nContent-Length: 0\r\n\r\n")
	if got != "taken" {
		t.Errorf("got %q", got)
	}
}

// TestStrangers: many clients at once, who mix requests of both kinds, get each their own answers.
func TestStrangers(t *testing.T) {
	_, address := start(t, settings)
	var group sync.WaitGroup
	for worker := range 16 {
		group.Go(func() {
			text := strings.Repeat(string(rune('a'+worker)), 100+1000*worker)
			for i := range 20 {
				sent := strings.Repeat(request("length", text), 3)
				if i%4 == 3 {
					sent += "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + request("", text)
				}
				want := strings.Count(sent, text)
				if got := converse(t, address, sent); strings.Count(got, text) != want {
					t.Errorf("worker %d: %.200q", worker, got)
				}
			}
		})
	}
	group.Wait()
}

// TestAccidents closes connections at any time: they are counted out, and nothing is left behind.
func TestAccidents(t *testing.T) {
	var open atomic.Int64
	s, address := start(t, Options{Handler: http.HandlerFunc(mirror), Begin: func(net.Conn) { open.Add(1) },
		End: func() { open.Add(-1) }})
	for _, sent := range conversations() {
		conn := dial(t, address)
		_, _ = io.WriteString(conn, sent)
		_ = conn.(*net.TCPConn).SetLinger(0)
		_ = conn.Close()
	}
	if err := s.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if n := open.Load(); n != 0 {
		t.Errorf("%d connections are open", n)
	}
}
