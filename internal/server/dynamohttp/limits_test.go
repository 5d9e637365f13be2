// SPDX-License-Identifier: Apache-2.0

package dynamohttp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// pipes is a listener whose connections are pipes without any buffer.
type pipes struct {
	incoming chan net.Conn
	closed   chan struct{}
	once     sync.Once
}

func newPipes() *pipes { return &pipes{incoming: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.incoming:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// signalled is a connection that tells when the server has closed it.
type signalled struct {
	net.Conn
	gone chan struct{}
	once sync.Once
}

func (c *signalled) Close() error {
	defer c.once.Do(func() { close(c.gone) })
	return c.Conn.Close()
}

// dial connects; gone is closed when the server has closed the connection.
func (p *pipes) dial() (client net.Conn, gone chan struct{}) {
	client, server := net.Pipe()
	gone = make(chan struct{})
	p.incoming <- &signalled{Conn: server, gone: gone}
	return client, gone
}

func header(operation string, length int) string {
	return fmt.Sprintf("POST / HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\nX-Amz-Target: %s%s\r\nContent-Length: %d\r\n\r\n", typeJSON, "DynamoDB_20120810.", operation, length)
}

// short are options under which slow clients are cut off at once.
func short() Options {
	return Options{API: newFakeAPI(), HeaderTimeout: 10 * time.Millisecond, TransferGrace: 10 * time.Millisecond,
		TransferBytesPerSecond: 1 << 30}
}

// TestSlowClients lets clients stop in the middle. Each waits for the server to give up, without which the test hangs.
func TestSlowClients(t *testing.T) {
	for name, sent := range map[string]string{
		"nothing":  "",
		"header":   "POST / HTTP/1.1\r\nHost:",
		"body":     header("GetItem", 10) + "12345",
		"big body": header("GetItem", 1<<20) + strings.Repeat("x", 100_000),
		"chunk": "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: " + typeJSON + "\r\nX-Amz-Target: " +
			"DynamoDB_20120810." + "GetItem\r\nTransfer-Encoding: chunked\r\n\r\n10\r\nabc",
	} {
		t.Run(name, func(t *testing.T) {
			listener := newPipes()
			serveOn(t, short(), listener)
			client, gone := listener.dial()
			defer client.Close()
			go func() { _, _ = io.Copy(io.Discard, client) }()
			// On a slow machine the server gives up before all of it is sent, which is as good.
			if _, err := io.WriteString(client, sent); err != nil && !errors.Is(err, io.ErrClosedPipe) {
				t.Fatal(err)
			}
			<-gone
		})
	}
}

// TestSlowReader asks for much and takes nothing.
func TestSlowReader(t *testing.T) {
	listener := newPipes()
	serveOn(t, short(), listener)
	client, gone := listener.dial()
	defer client.Close()
	body := "length 3000000"
	if _, err := io.WriteString(client, header("GetItem", len(body))+body); err != nil {
		t.Fatal(err)
	}
	<-gone
	if n, _ := io.Copy(io.Discard, client); n > 1000 {
		t.Errorf("%d bytes were sent to a client that did not read", n)
	}
}

// TestLongRequestIsNotCutOff carries out an operation for longer than any transfer may take.
func TestLongRequestIsNotCutOff(t *testing.T) {
	o := short()
	api := o.API.(*fakeAPI)
	listener := newPipes()
	serveOn(t, o, listener)
	client, _ := listener.dial()
	defer client.Close()
	if _, err := io.WriteString(client, header("GetItem", 5)+"block"); err != nil {
		t.Fatal(err)
	}
	<-api.blocked
	<-time.After(5 * o.TransferGrace)
	close(api.block)
	reply, err := http.ReadResponse(bufio.NewReader(client), nil)
	if err != nil || reply.StatusCode != http.StatusOK {
		t.Fatalf("%v, %v", reply, err)
	}
}

// TestHalfClosed closes the sending side after the request. net/http takes that for the client's end; a write goes on
// nevertheless.
func TestHalfClosed(t *testing.T) {
	api := newFakeAPI()
	_, listener := startServer(t, Options{API: api})
	for operation, want := range map[string]string{"PutItem": "HTTP/1.1 200", "GetItem": "HTTP/1.1 503"} {
		conn, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, header(operation, 5)+"block"); err != nil {
			t.Fatal(err)
		}
		<-api.blocked
		if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		if operation == "PutItem" {
			api.block <- struct{}{}
		}
		if got, err := io.ReadAll(conn); err != nil || !strings.HasPrefix(string(got), want) {
			t.Errorf("%s: %.100s, %v", operation, got, err)
		}
	}
}

// TestMemory fills the budget with requests at work and sends one more.
func TestMemory(t *testing.T) {
	api := newFakeAPI()
	_, listener := startServer(t, Options{API: api, MemoryBytes: 16 << 20, WaitMax: time.Millisecond})
	send := func(body string) (*http.Response, error) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+listener.Addr().String(),
			strings.NewReader(body))
		if err != nil {
			return nil, err
		}
		request.Header.Set("Content-Type", typeJSON)
		request.Header.Set("X-Amz-Target", "DynamoDB_20120810."+"PutItem")
		return http.DefaultClient.Do(request)
	}
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			reply, err := send("block " + strings.Repeat("x", 3<<20))
			if err != nil || reply.StatusCode != http.StatusOK {
				t.Errorf("%v, %v", reply, err)
			}
		})
	}
	for range 2 {
		<-api.blocked
	}
	reply, err := send(strings.Repeat("x", 5<<20))
	if err != nil || reply.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("a request beyond the budget: %v, %v", reply, err)
	}
	if reply, err = send("{}"); err != nil || reply.StatusCode != http.StatusOK {
		t.Errorf("a small request beside big ones: %v, %v", reply, err)
	}
	close(api.block)
	group.Wait()
	if reply, err = send("length 30000000"); err != nil || reply.StatusCode != http.StatusOK {
		t.Errorf("an answer that can't be dropped: %v, %v", reply, err)
	}
	http.DefaultClient.CloseIdleConnections()

}

// TestAnswerBeyondBudget lets a read find more than there is room for.
func TestAnswerBeyondBudget(t *testing.T) {
	s, listener := startServer(t, Options{API: newFakeAPI(), MemoryBytes: 16 << 20, WaitMax: time.Millisecond})
	body := "length 30000000"
	got := exchangeRaw(t, listener.Addr().String(), header("GetItem", len(body))+body)
	if !strings.HasPrefix(got, "503\n") {
		t.Errorf("%.100s", got)
	}
	if s.operations["GetItem"].answerBytes.Load() != 30_000_000 {
		t.Error("the length was not learnt")
	}
	body = "{}"
	if got = exchangeRaw(t, listener.Addr().String(), header("GetItem", len(body))+body); !strings.HasPrefix(got,
		"200\n") {
		t.Errorf("%.100s", got)
	}
}

// TestAnswersStayApart lets many clients ask for long and short answers at once: each gets its own, whatever buffers
// are used again.
func TestAnswersStayApart(t *testing.T) {
	_, listener := startServer(t, Options{API: echo{}})
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			conn, err := net.Dial("tcp", listener.Addr().String())
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			from := bufio.NewReader(conn)
			for i := range 200 {
				size := []int{10, 50_000, 100, 300_000, 20, 70_000, 200_000, 1000}[(worker+i)%8]
				want := strings.Repeat(string(rune('a'+(worker+i)%26)), size)
				go func() { _, _ = io.WriteString(conn, header("GetItem", size)+want) }()
				reply, err := http.ReadResponse(from, nil)
				if err != nil {
					t.Error(err)
					return
				}
				if got, err := io.ReadAll(reply.Body); err != nil || string(got) != want {
					t.Errorf("worker %d got %d bytes for %d, %v", worker, len(got), size, err)
					return
				}
			}
		})
	}
	group.Wait()
}

// TestConnectionLimit opens one connection too many.
func TestConnectionLimit(t *testing.T) {
	listener := newPipes()
	serveOn(t, Options{API: newFakeAPI(), ConnectionsMax: 2}, listener)
	var open []net.Conn
	for range 2 {
		client, _ := listener.dial()
		defer client.Close()
		open = append(open, client)
	}
	third, gone := listener.dial()
	defer third.Close()
	<-gone
	if _, err := io.WriteString(open[0], header("GetItem", 2)+"{}"); err != nil {
		t.Fatal(err)
	}
	if reply, err := http.ReadResponse(bufio.NewReader(open[0]), nil); err != nil || reply.StatusCode != http.StatusOK {
		t.Fatalf("%v, %v", reply, err)
	}
}

// TestShutdown lets a request in flight finish, and cuts another off when patience ends.
func TestShutdown(t *testing.T) {
	api := newFakeAPI()
	s, listener := startServer(t, Options{API: api})
	silent, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	replies := make(chan string)
	go func() { replies <- exchangeRaw(t, listener.Addr().String(), header("GetItem", 5)+"block") }()
	<-api.blocked
	done := make(chan error)
	go func() { done <- s.Shutdown(context.Background()) }()
	for _, err := net.Dial("tcp", listener.Addr().String()); err == nil; _, err = net.Dial("tcp",
		listener.Addr().String()) {
		continue // the port is still open
	}
	if _, err := io.Copy(io.Discard, silent); err != nil { // returns when the server has hung up
		t.Error(err)
	}
	close(api.block)
	if got := <-replies; !strings.HasPrefix(got, "200\n") {
		t.Error(got)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestShutdownCutsOff(t *testing.T) {
	api := newFakeAPI()
	s, listener := startServer(t, Options{API: api})
	replies := make(chan string)
	go func() { replies <- exchangeRaw(t, listener.Addr().String(), header("GetItem", 5)+"block") }()
	<-api.blocked
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Shutdown(over); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	<-replies
}

// TestBudget takes and gives back.
func TestBudget(t *testing.T) {
	b := budget{limit: 10}
	ctx := t.Context()
	if err := b.take(ctx, 8, time.Minute); err != nil {
		t.Fatal(err)
	}
	if err := b.take(ctx, 3, time.Millisecond); err != errNoMemory {
		t.Error(err)
	}
	if err := b.take(ctx, 11, time.Hour); err != errNoMemory {
		t.Error(err)
	}
	over, cancel := context.WithCancel(ctx)
	cancel()
	if err := b.take(over, 3, time.Hour); err != context.Canceled {
		t.Error(err)
	}
	first := b.enqueue(5)
	second := b.enqueue(1)
	if b.tryTake(1) {
		t.Error("the line was jumped")
	}
	b.release(3)
	<-first.granted
	select {
	case <-second.granted:
		t.Error("more was granted than there is")
	default:
	}
	b.leave(first)
	<-second.granted
	b.leave(second)
	b.release(5)
	if b.used != 0 || len(b.line) != 0 {
		t.Errorf("%d used, %d in line", b.used, len(b.line))
	}
	if !b.squeeze(12) || b.squeeze(1) {
		t.Error("a quarter more can be squeezed in, no more")
	}
}
