// SPDX-License-Identifier: Apache-2.0

package dynamohttp

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/dynamodb"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/resource/metric"
)

// fakeAPI answers by what the body says.
type fakeAPI struct {
	block   chan struct{} // "block" waits for it
	blocked chan struct{} // tells that a request waits
}

func (f *fakeAPI) Run(ctx context.Context, o *dynamodb.Operation, body, dst []byte) ([]byte, error) {
	word, argument, _ := strings.Cut(string(body), " ")
	switch word {
	case "refuse":
		return nil, &exception.Error{Kind: exception.KindConditionFailed, Message: argument, Extra: []byte(`"Item":{}`)}
	case "fail":
		return nil, &exception.Error{Message: "Internal server error", Cause: errors.New(argument)}
	case "strange":
		return nil, errors.New(argument)
	case "panic":
		panic(argument)
	case "length":
		n, _ := strconv.Atoi(argument)
		return append(dst, bytes.Repeat([]byte{'x'}, n)...), nil
	case "count":
		return fmt.Appendf(dst, `{"bytes":%d}`, len(body)), nil
	case "block":
		f.blocked <- struct{}{}
		select {
		case <-f.block:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return fmt.Appendf(dst, `{"did":%q}`, o.Name+" "+word), nil
}

func newFakeAPI() *fakeAPI { return &fakeAPI{block: make(chan struct{}), blocked: make(chan struct{})} }

// startServer serves until the test ends.
func startServer(t testing.TB, o Options) (*Server, net.Listener) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return serveOn(t, o, listener), listener
}

func serveOn(t testing.TB, o Options, listener net.Listener) *Server {
	s := New(o)
	s.operations["GetItem"] = newOperation(&dynamodb.Operation{Name: "GetItem", Service: "DynamoDB_20120810",
		ReadOnly: true}, o.Metrics)
	s.operations["PutItem"] = newOperation(&dynamodb.Operation{Name: "PutItem", Service: "DynamoDB_20120810"},
		o.Metrics)
	var serving sync.WaitGroup
	serving.Go(func() {
		if err := s.Serve(listener); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() {
		if err := s.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		serving.Wait()
		if s.memory.used != 0 {
			t.Errorf("%d bytes of memory were never given back", s.memory.used)
		}
	})
	return s
}

// guarded is a buffer that is safe for concurrent use.
type guarded struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (g *guarded) Write(b []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.b.Write(b)
}

func (g *guarded) take() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	defer g.b.Reset()
	return g.b.String()
}

var (
	idPattern    = regexp.MustCompile(`^[0-9A-Z]{52}$`)
	datePattern  = regexp.MustCompile(`^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$`)
	loosePattern = regexp.MustCompile(`(request=)[0-9A-Z]{52}|(stack=).*|(ms=)\S+|time=\S+ `)
)

// limits are the lengths of the longest bodies, by file.
var limits = map[string]int64{"framing.txt": 1000}

// origins are the pages that may ask, by file.
var origins = map[string]Origins{"origin.txt": AnyOrigin, "originlocal.txt": LocalOrigins}

// TestRequests sends requests as they stand in the files and prints the answers.
func TestRequests(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		var log guarded
		metrics := metric.New(metric.Build{})
		s, listener := startServer(t, Options{API: newFakeAPI(), Metrics: metrics.Protocol("dynamodb"),
			BodyBytesMax:       limits[filepath.Base(path)],
			CheckAuthorization: strings.HasSuffix(path, "authorization.txt"), Origins: origins[filepath.Base(path)],
			Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "log":
				for s.connections.Load() > 0 { // a request is logged after its answer is sent
					runtime.Gosched()
				}
				return loosePattern.ReplaceAllString(log.take(), "$1$2$3")
			case "raw":
				return exchangeRaw(t, listener.Addr().String(), rawRequest(d.Input))
			case "post":
				return exchangeRaw(t, listener.Addr().String(), post(t, d))
			}
			d.Fatalf(t, "no command %s", d.Cmd)
			return ""
		})
	})
}

// rawRequest makes a request of its text: lines end as HTTP wants it, and a body, after an empty line, ends where the
// text ends.
func rawRequest(text string) string {
	head, body, ok := strings.Cut(text, "\n\n")
	head = strings.ReplaceAll(head, "\n", "\r\n")
	if ok {
		head += fmt.Sprintf("\r\nContent-Length: %d", len(body))
	}
	return head + "\r\n\r\n" + body
}

// post makes a request of an operation whose body is the input.
func post(t *testing.T, d *datadriven.TestData) string {
	target, contentType, encoding, body := "DynamoDB_20120810."+"GetItem", typeJSON, "", d.Input
	d.MaybeScanArgs(t, "target", &target)
	d.MaybeScanArgs(t, "type", &contentType)
	repeat := 1
	d.MaybeScanArgs(t, "repeat", &repeat)
	body = strings.Repeat(body, repeat)
	if d.HasArg("gzip") {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_, _ = io.WriteString(w, body)
		_ = w.Close()
		body, encoding = packed.String(), "Content-Encoding: gzip\r\n"
	}
	if d.HasArg("deflate") {
		var packed bytes.Buffer
		w := zlib.NewWriter(&packed)
		_, _ = io.WriteString(w, body)
		_ = w.Close()
		body, encoding = packed.String(), "Content-Encoding: deflate\r\n"
	}
	if d.HasArg("tail") {
		body += "tail"
	}
	if d.HasArg("cut") {
		body = body[:len(body)-4]
	}
	if d.HasArg("encoding") {
		var name string
		d.ScanArgs(t, "encoding", &name)
		encoding = "Content-Encoding: " + name + "\r\n"
	}
	if d.HasArg("accept") {
		var accepted string
		d.ScanArgs(t, "accept", &accepted)
		encoding += "Accept-Encoding: " + accepted + "\r\n"
	}
	length := fmt.Sprintf("Content-Length: %d\r\n\r\n", len(body))
	if d.HasArg("chunked") {
		length, body = "Transfer-Encoding: chunked\r\n\r\n", fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(body), body)
	}
	return "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: " + contentType + "\r\nX-Amz-Target: " + target + "\r\n" +
		encoding + length + body
}

// exchangeRaw sends bytes and prints the answer, checked and without what varies.
func exchangeRaw(t *testing.T, address, request string) string {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	method, _, _ := strings.Cut(request, " ")
	reply, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		return "no answer: " + err.Error() + "\n"
	}
	defer reply.Body.Close()
	body, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	return printReply(reply, body)
}

func printReply(reply *http.Response, body []byte) string {
	var out strings.Builder
	fmt.Fprintln(&out, reply.StatusCode)
	for _, name := range slices.Sorted(maps.Keys(reply.Header)) {
		v := reply.Header.Get(name)
		switch {
		case name == "X-Amzn-Requestid" && idPattern.MatchString(v):
			v = "ok"
		case name == "Date" && datePattern.MatchString(v):
			v = "ok"
		case name == "X-Amz-Crc32" && v == strconv.FormatUint(uint64(crc32.ChecksumIEEE(body)), 10):
			v = "ok"
		}
		fmt.Fprintf(&out, "%s: %s\n", name, v)
	}
	if reply.Close {
		fmt.Fprintln(&out, "(closed)")
	}
	if reply.Header.Get("Content-Encoding") == "gzip" {
		plain, err := gzip.NewReader(bytes.NewReader(body))
		if err == nil {
			body, err = io.ReadAll(plain)
		}
		fmt.Fprintf(&out, "(unpacked: %d bytes, %v)\n", len(body), err)
	}
	fmt.Fprintf(&out, "%s\n", bytes.TrimSuffix(body, []byte("\n")))
	return out.String()
}

// TestOrigins: which pages may ask.
func TestOrigins(t *testing.T) {
	for _, one := range []struct {
		origins Origins
		origin  string
		allowed bool
	}{
		{AnyOrigin, "https://example.com", true}, {AnyOrigin, "null", true}, {"", "https://example.com", false},
		{"", "http://localhost", false},
		{LocalOrigins, "http://localhost:3000", true}, {LocalOrigins, "http://127.0.0.1", true},
		{LocalOrigins, "http://[::1]:8080", true},
		{LocalOrigins, "https://example.com", false}, {LocalOrigins, "http://localhost.example.com", false},
		{LocalOrigins, "null", false}, {LocalOrigins, "http://%", false},
		{NoOrigin, "http://localhost", false},
	} {
		if got := one.origins.allows(one.origin); got != one.allowed {
			t.Errorf("%q allows %s: %t", one.origins, one.origin, got)
		}
	}
}

// TestHosts: a request by a name that is not the server's is refused before anything is looked up, whoever signed it.
func TestHosts(t *testing.T) {
	s := New(Options{Hosts: func(host string) bool { return host == "localhost:8000" }})
	for host, want := range map[string]int{"localhost:8000": http.StatusBadRequest,
		"attacker.example": http.StatusForbidden} {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader("{}"))
		r.Host = host
		r.Header.Set("Content-Type", typeJSON)
		r.Header.Set("X-Amz-Target", "DynamoDB_20120810.Unknown")
		recorder := httptest.NewRecorder()
		s.ServeHTTP(recorder, r)
		if recorder.Code != want {
			t.Errorf("Host %s: %d %s", host, recorder.Code, recorder.Body)
		}
	}
}
