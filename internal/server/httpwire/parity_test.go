// SPDX-License-Identifier: Apache-2.0

package httpwire

import (
	"context"
	"fmt"
	"io"
	"log"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// mirror answers with what it sees of a request, in the way that the header X-Mode says.
func mirror(w http.ResponseWriter, r *http.Request) {
	var text strings.Builder
	fmt.Fprintln(&text, r.Method, r.RequestURI, r.URL, r.Proto, r.Host, r.ContentLength, r.TransferEncoding, r.Close)
	for _, key := range slices.Sorted(maps.Keys(r.Header)) {
		fmt.Fprintf(&text, "%s: %q\n", key, r.Header[key])
	}
	mode, argument, _ := strings.Cut(r.Header.Get("X-Mode"), " ")
	if mode != "unread" {
		body, err := io.ReadAll(r.Body)
		fmt.Fprintf(&text, "%q %v\n", body, err)
	}
	switch mode {
	case "length":
		w.Header().Set("Content-Length", fmt.Sprint(text.Len()))
		w.Header()["x-own"] = []string{"a\r\nb", " c "}
	case "short":
		w.Header().Set("Content-Length", "100000")
	case "close":
		w.Header().Set("Connection", "close")
	case "untyped":
		w.Header()["Content-Type"] = nil
	case "long":
		text.WriteString(strings.Repeat("x", 3000))
	case "status":
		if status, err := strconv.Atoi(argument); err == nil && status >= 200 && status < 600 {
			w.WriteHeader(status)
		}
	case "flush":
		_, _ = io.WriteString(w, text.String())
		_ = http.NewResponseController(w).Flush()
	case "nothing":
		return
	case "panic":
		panic(http.ErrAbortHandler)
	}
	_, _ = w.Write([]byte(text.String())) // in one piece, so that chunks are the same
}

// settings are those of the servers that are compared.
var settings = Options{HeaderTimeout: time.Minute, ReadTimeout: time.Minute, WriteTimeout: time.Minute,
	IdleTimeout: time.Minute, HeaderBytesMax: 16 << 10, Handler: http.HandlerFunc(mirror)} // immutable

// listen opens a port.
func listen(t testing.TB) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return listener
}

// start serves until the test ends.
func start(t testing.TB, o Options) (*Server, string) {
	t.Helper()
	listener, s := listen(t), New(o)
	served := make(chan error, 1)
	go func() { served <- s.Serve(listener) }()
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if err := s.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return s, listener.Addr().String()
}

// startOther serves with net/http until the test ends.
func startOther(t testing.TB, o Options) string {
	t.Helper()
	listener := listen(t)
	other := &http.Server{Handler: o.Handler, ReadHeaderTimeout: o.HeaderTimeout, ReadTimeout: o.ReadTimeout,
		WriteTimeout: o.WriteTimeout, IdleTimeout: o.IdleTimeout, MaxHeaderBytes: o.HeaderBytesMax,
		DisableGeneralOptionsHandler: true, ErrorLog: log.New(io.Discard, "", 0)}
	go func() { _ = other.Serve(listener) }() // ends when it is closed
	t.Cleanup(func() { _ = other.Close() })
	return listener.Addr().String()
}

var datePattern = regexp.MustCompile(`Date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT`)

// converse sends the parts one after the other, closes the sending side and returns all that comes back.
func converse(t *testing.T, address string, parts ...string) string {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, part := range parts {
		if _, err := io.WriteString(conn, part); err != nil {
			break // the server has hung up, which the answer shows
		}
	}
	_ = conn.(*net.TCPConn).CloseWrite() // fails if the server has hung up
	answer, err := io.ReadAll(conn)
	if err != nil && !strings.Contains(err.Error(), "reset") {
		t.Fatal(err)
	}
	return datePattern.ReplaceAllString(string(answer), "Date: ok")
}

// request makes a request with a mode and a body.
func request(mode, body string, headers ...string) string {
	return "POST / HTTP/1.1\r\nHost: x\r\nX-Mode: " + mode + "\r\n" + strings.Join(append(headers, ""), "\r\n") +
		fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)
}

// conversations are what clients send over a connection.
func conversations() []string {
	list := heads()
	for _, mode := range []string{"", "length", "short", "close", "untyped", "long", "flush", "nothing", "panic", "unread",
		"status 204", "status 304", "status 400", "status 599"} {
		list = append(list, request(mode, "some text")+request("length", ""), request(mode, "", "Connection: close"))
	}
	const chunked = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
	return append(list,
		"", "\r\n\r\n", "nonsense\r\n\r\n", "\x16\x03\x01\x00\x05", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n",
		request("", "1")+request("length", "2")+request("", "3", "Connection: close")+request("", "4"),
		request("", "1")+"\r\n"+request("", "2")+"\r\n\r\n"+request("", "3")+"\r\n\r\n\r\n"+request("", "4"),
		request("", "1")+"\r\n\r\n\r\n\r\n", request("", "1")+"000", request("", "1")+"\n\r"+"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
		request("", "1")+chunked+request("", "2")+"GET /x HTTP/1.0\r\n\r\n",
		chunked+request("", "2"),
		request("", "1")+"POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n2"+request("", "3"),
		"POST / HTTP/1.1\r\nHost: x\r\nExpect: much\r\nContent-Length: 1\r\n\r\n2",
		"POST / HTTP/1.1\r\nHost: x\r\nX: y\r\nContent-Length: 10\r\n\r\n12345",
		"POST / HTTP/1.1\r\nHost: x\r\nX: y", "POST / HTTP/1.1\r\nHost", "PO",
		"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n",
		"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding:\x0bchunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
		"POST / HTTP/1.1\r\nHost: x y\r\nContent-Length: 0\r\n\r\n",
		"POST http://y/ HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n",
		"POST /?a HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n",
		"POST /%00 HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")
}

// TestParity: whatever is sent, the bytes of the answers are those of net/http, wherever what is sent is cut in two.
func TestParity(t *testing.T) {
	o := settings
	_, own := start(t, o)
	other := startOther(t, o)
	for _, sent := range conversations() {
		want := converse(t, other, sent)
		if got := converse(t, own, sent); got != want {
			t.Errorf("to %q:\n%s\nnet/http:\n%s", sent, got, want)
			continue
		}
		for at := range len(sent) {
			if got := converse(t, own, sent[:at], sent[at:]); got != want {
				t.Errorf("to %q, %q:\n%s\nnet/http:\n%s", sent[:at], sent[at:], got, want)
			}
		}
	}
}

// FuzzParity is TestParity of any bytes.
func FuzzParity(f *testing.F) {
	_, own := start(f, settings)
	other := startOther(f, settings)
	for i, sent := range conversations() {
		f.Add([]byte(sent), uint16(i*5))
	}
	f.Fuzz(func(t *testing.T, sent []byte, at uint16) {
		cut := min(int(at), len(sent))
		want := converse(t, other, string(sent))
		if got := converse(t, own, string(sent[:cut]), string(sent[cut:])); got != want {
			t.Errorf("to %q, %q:\n%q\nnet/http:\n%q", sent[:cut], sent[cut:], got, want)
		}
	})
}

// TestParityOfLong does the same with what is sent in many parts and fills buffers.
func TestParityOfLong(t *testing.T) {
	_, own := start(t, settings)
	other := startOther(t, settings)
	x := func(n int) string { return strings.Repeat("x", n) }
	for name, parts := range map[string][]string{
		"bytes":     strings.Split(request("", "1")+request("long", "2")+request("length", "3"), ""),
		"body":      {request("length", x(1<<20)), request("length", x(100_000)) + request("", "1")},
		"head":      {request("", "1", "X: "+x(7000)), request("", "2")},
		"long head": {request("", "1", "X: "+x(9000)), request("", "2")},
		"longest":   {request("", "1", "X: "+x(30_000)), request("", "2")},
		"headers":   {request("", "1", strings.Split(strings.TrimSpace(strings.Repeat("X: y ", 100)), " ")...)},
		"pipeline":  {strings.Repeat(request("", "1"), 500)},
		"unread":    {request("unread", x(200_000)), request("", "2")},
	} {
		t.Run(name, func(t *testing.T) {
			want := converse(t, other, parts...)
			if got := converse(t, own, parts...); got != want {
				t.Errorf("%d bytes, %.300q; net/http: %d, %.300q", len(got), got, len(want), want)
			}
		})
	}
}

// TestLog: what net/http logs of a handler's panic is logged here, too.
func TestLog(t *testing.T) {
	var text strings.Builder
	s, address := start(t, Options{Logger: slog.New(slog.NewTextHandler(&text, nil)),
		Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("a bug") })})
	if got := converse(t, address, request("", "")); got != "" {
		t.Errorf("answered %q", got)
	}
	if err := s.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if !strings.Contains(text.String(), `panic="a bug"`) || !strings.Contains(text.String(), "TestLog") {
		t.Error(text.String())
	}
}
