// SPDX-License-Identifier: Apache-2.0

package endpoint

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/resource/metric"
)

func withID(ctx context.Context, _ string) context.Context { return ctx }

// serve opens an HTTP server that the test closes in the end.
func serve(t *testing.T, o Options) *HTTP {
	t.Helper()
	o.Name, o.Addr, o.BodyBytesMax, o.WithID, o.Metrics = "test", "127.0.0.1:0", 1<<20, withID,
		metric.New(metric.Build{})
	o.Log = slog.New(slog.DiscardHandler)
	if o.Bound == nil {
		o.Bound = NewBound(100, o.Log)
	}
	d, err := ListenHTTP(o)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- d.Serve() }()
	t.Cleanup(func() {
		over, cancel := context.WithCancel(context.Background())
		cancel()
		if err := d.Shutdown(over); err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return d
}

func dial(t *testing.T, address net.Addr) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// TestShareOut: whatever the limit, connections leave room for the store.
func TestShareOut(t *testing.T) {
	for _, one := range []struct {
		files int
		want  Shares
	}{
		{0, Shares{0, 1000, 64, 1 << 20}},
		{64, Shares{64, 64, 4, 4}},
		{256, Shares{256, 64, 16, 96}},
		{1024, Shares{1024, 256, 64, 576}},
		{20_000, Shares{20_000, 1000, 64, 17_912}},
		{1 << 20, Shares{1 << 20, 1000, 64, 1<<20 - 1000 - 64 - 1024}},
	} {
		if got := shareOut(one.files); got != one.want {
			t.Errorf("of %d files: %+v, want %+v", one.files, got, one.want)
		}
	}
}

// TestBound: two protocols share a bound. Connections beyond it are refused and counted, and a connection that ends
// makes room for another.
func TestBound(t *testing.T) {
	var log bytes.Buffer
	bound := NewBound(2, slog.New(slog.NewTextHandler(&log, nil)))
	set := metric.New(metric.Build{})
	silent, err := bound.Listen("127.0.0.1:0", Protocol{Name: "silent", Metrics: set.Protocol("silent")})
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	telling, err := bound.Listen("127.0.0.1:0",
		Protocol{Name: "telling", Metrics: set.Protocol("telling"), Tells: true})
	if err != nil {
		t.Fatal(err)
	}
	defer telling.Close()
	accept := func(l net.Listener) (client, server net.Conn) {
		client = dial(t, l.Addr())
		if server, err = l.Accept(); err != nil {
			t.Fatal(err)
		}
		return client, server
	}
	_, first := accept(silent)
	_, second := accept(telling)
	_, third := accept(telling)
	if e, ok := third.(interface{ Excess() bool }); !ok || !e.Excess() {
		t.Error("the third connection is within the bound")
	}
	refused := dial(t, silent.Addr())
	accepted := make(chan net.Conn)
	go func() {
		conn, _ := silent.Accept()
		accepted <- conn
	}()
	if _, err := refused.Read(make([]byte, 1)); err == nil || errors.Is(err, net.ErrClosed) {
		t.Errorf("the fourth connection was not cut: %v", err)
	}
	_, _ = second.Close(), second.Close() // counts once
	dial(t, silent.Addr())
	last := <-accepted
	if n := counted(bound); n != 2 {
		t.Errorf("%d connections are counted", n)
	}
	_, _, _ = first.Close(), third.Close(), last.Close()
	if n := counted(bound); n != 0 || len(bound.addresses) != 0 {
		t.Errorf("%d connections are counted in the end, of %v", n, bound.addresses)
	}
	if n := strings.Count(log.String(), "connections are refused"); n != 1 {
		t.Errorf("it is said %d times:\n%s", n, &log)
	}
}

func counted(b *Bound) int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.open
}

// TestBoundPerAddress: one address, or network of IPv6, has at most so many connections; if no number is given, half of
// all, and this machine's own all.
func TestBoundPerAddress(t *testing.T) {
	address := func(text string) netip.Addr { return netip.MustParseAddr(text) }
	one, two, here := address("192.0.2.1"), address("192.0.2.2"), address("127.0.0.1")
	for _, c := range []struct {
		most int
		from []netip.Addr
		want int // of them
	}{
		{0, []netip.Addr{one, one, one, one}, 2}, {0, []netip.Addr{one, one, two, two, two}, 4},
		{0, []netip.Addr{here, here, here, here, here}, 4},
		{1, []netip.Addr{here, here, one, one}, 2}, {3, []netip.Addr{one, one, one, one}, 3},
		{9, []netip.Addr{one, one, one, one, one}, 4},
	} {
		bound, got := NewBound(4, slog.New(slog.DiscardHandler)).PerAddress(c.most), 0
		for _, from := range c.from {
			if bound.take(from) == "" {
				got++
			}
		}
		if got != c.want {
			t.Errorf("%d at most, %v: %d connections", c.most, c.from, got)
		}
	}
}

// TestUnfinishedRequest: a body that does not come is given up, and the handler never runs.
func TestUnfinishedRequest(t *testing.T) {
	d := serve(t, Options{ReadTimeout: 50 * time.Millisecond,
		Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the handler runs") })})
	conn := dial(t, d.Addr())
	if _, err := io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nfive5"); err != nil {
		t.Fatal(err)
	}
	reply, _ := io.ReadAll(conn) // ends when the server closes
	if !strings.HasPrefix(string(reply), "HTTP/1.1 408") {
		t.Errorf("answered %q", reply)
	}
}

// TestSlowHandler: the limit for requests to arrive does not end a handler that takes longer.
func TestSlowHandler(t *testing.T) {
	limit := 50 * time.Millisecond
	d := serve(t, Options{ReadTimeout: limit, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		select {
		case <-r.Context().Done():
			err = r.Context().Err()
		case <-time.After(4 * limit):
		}
		if _, writeErr := w.Write(body); err != nil || writeErr != nil {
			t.Errorf("%v, %v", err, writeErr)
		}
	})})
	reply, err := http.Post("http://"+d.Addr().String(), "text/plain", strings.NewReader("text"))
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	if body, err := io.ReadAll(reply.Body); err != nil || string(body) != "text" {
		t.Errorf("answered %q, %v", body, err)
	}
}

// TestReplacing: a request is answered though strangers have taken all connections, but not by cutting off kept
// requests.
func TestReplacing(t *testing.T) {
	const most = 4
	running, end := make(chan struct{}), make(chan struct{})
	d := serve(t, Options{Bound: NewBound(most, slog.New(slog.DiscardHandler)).Replacing(),
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/kept" {
				Keep(r.Context())
			}
			if r.URL.Path != "/healthz" {
				running <- struct{}{}
				select {
				case <-end:
				case <-r.Context().Done():
				}
			}
			_, _ = io.WriteString(w, "ok")
		})})
	client := func() *http.Client { return &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} }
	ask := func(path string) error {
		reply, err := client().Get("http://" + d.Addr().String() + path)
		if err != nil {
			return err
		}
		defer reply.Body.Close()
		if body, err := io.ReadAll(reply.Body); err != nil || string(body) != "ok" {
			return errors.Join(err, errors.New("answered "+string(body)))
		}
		return nil
	}
	answers := make(chan error, most)
	for range most - 1 {
		go func() { answers <- ask("/kept") }()
		<-running
	}
	dial(t, d.Addr()) // idle
	go func() { _ = ask("/stream") }()
	<-running
	for range 3 * most {
		dial(t, d.Addr())
		if err := ask("/healthz"); err != nil {
			t.Fatalf("a crowd shuts the port: %v", err)
		}
	}
	go func() { answers <- ask("/kept") }()
	<-running
	if err := ask("/healthz"); err == nil {
		t.Error("a kept request was cut off")
	}
	close(end)
	for range most {
		if err := <-answers; err != nil {
			t.Errorf("a kept request: %v", err)
		}
	}
}
