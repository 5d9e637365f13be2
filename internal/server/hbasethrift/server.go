// SPDX-License-Identifier: Apache-2.0

package hbasethrift

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/weftdb/weft/internal/hbase"
	"github.com/weftdb/weft/internal/resource/metric"
	"github.com/weftdb/weft/internal/server/accept"
	"github.com/weftdb/weft/internal/server/thriftwire"
)

// Server answers one of HBase's Thrift APIs on the listeners that it is given. Make one with New.
type Server struct {
	options    Options
	functions  map[string]function          // immutable
	others     map[string]function          // of the other version; immutable
	operations map[string]*metric.Operation // immutable; "" counts calls that are none
	scanners   hbase.Scanners
	answers    sync.Pool // of *thriftwire.Writer, for answers that are not too long
	web        *http.Server
	handoff    *handoff        // of connections that speak HTTP
	base       context.Context // of all calls
	cut        context.CancelFunc
	serving    sync.WaitGroup // of connections, and of web
	native     sync.Once      // the operator was told of a client of HBase's native RPC

	listeners accept.Listeners
	mu        sync.Mutex
	conns     map[*conn]bool // those that don't speak HTTP, or have not spoken yet
}

// New makes a Server that does not listen yet.
func New(o Options) *Server {
	o = o.withDefaults()
	s := &Server{options: o, conns: map[*conn]bool{}, handoff: newHandoff()}
	c, isShared := calls{s}, func(name string) bool { _, ok := s.others[name]; return ok }
	s.functions, s.others = functionsOf(&two{c}, c, methodsTwo(), isShared), functionsOf(&one{c}, c, methodsOne(),
		isShared)
	if o.Version == One {
		s.functions, s.others = s.others, s.functions
	}
	s.answers.New = func() any { return new(thriftwire.Writer) }
	s.operations = operationsOf(o.Metrics, s.functions)
	s.base, s.cut = context.WithCancel(context.Background())
	s.web = s.newWeb()
	s.serving.Go(func() { _ = s.web.Serve(s.handoff) }) // it ends with the handoff
	return s
}

func operationsOf(m *metric.Protocol, functions map[string]function) map[string]*metric.Operation {
	if m == nil {
		return nil
	}
	operations := map[string]*metric.Operation{"": m.Operation("unknown")}
	for name := range functions {
		operations[name] = m.Operation(name)
	}
	return operations
}

// Serve answers clients on the listener, which it closes in the end, until Shutdown; then it returns nil.
func (s *Server) Serve(listener net.Listener) error {
	return s.listeners.Serve(listener, s.options.Logger, s.accept)
}

// accept serves a connection in a goroutine of its own.
func (s *Server) accept(raw net.Conn) {
	_, secure := raw.(*tls.Conn)
	c := &conn{Conn: raw, in: bufio.NewReaderSize(raw, 16<<10), secure: secure, ended: make(chan struct{})}
	s.mu.Lock()
	if s.listeners.Closed() {
		s.mu.Unlock()
		_ = raw.Close()
		return
	}
	s.conns[c] = true
	s.serving.Add(1)
	s.mu.Unlock()
	if m := s.options.Metrics; m != nil {
		m.Connected()
	}
	go func() {
		defer s.leave(c)
		s.serve(c)
	}()
}

func (s *Server) leave(c *conn) {
	_ = c.Close()
	s.forget(c)
	if m := s.options.Metrics; m != nil {
		m.Disconnected()
	}
	s.serving.Done()
}

func (s *Server) forget(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
}

// serve finds out whether a connection speaks HTTP.
func (s *Server) serve(c *conn) {
	_ = c.SetReadDeadline(time.Now().Add(s.options.HeaderTimeout))
	first, err := c.in.Peek(1)
	if err == nil && first[0] == nativeMark[0] { // or of HTTP's HEAD
		first, err = c.in.Peek(len(nativeMark))
	}
	if err != nil {
		return
	}
	if string(first) == nativeMark {
		s.turnAwayNative(c)
		return
	}
	if first[0] < 'A' || first[0] > 'Z' { // HTTP's methods begin with a letter, and no message does
		s.serveSocket(c)
		return
	}
	_ = c.SetReadDeadline(time.Time{})
	s.forget(c)
	if s.handoff.give(c) {
		<-c.ended
	}
}

// conn is a client's connection with what was read of it ahead.
type conn struct {
	net.Conn
	in     *bufio.Reader
	secure bool // over TLS
	busy   bool // a message is at work; under Server.mu
	once   sync.Once
	ended  chan struct{}
}

// Read implements net.Conn.
func (c *conn) Read(p []byte) (int, error) { return c.in.Read(p) }

// Close implements net.Conn.
func (c *conn) Close() error {
	c.once.Do(func() { close(c.ended) })
	return c.Conn.Close()
}

// host is the client's address without its port.
func (c *conn) host() string { return hostOf(c.RemoteAddr().String()) }

func hostOf(address string) string {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return address
	}
	return host
}

// handoff is the listener of the HTTP server: connections that turned out to speak HTTP.
type handoff struct {
	conns  chan net.Conn
	once   sync.Once
	closed chan struct{}
}

func newHandoff() *handoff { return &handoff{conns: make(chan net.Conn), closed: make(chan struct{})} }

func (h *handoff) give(c net.Conn) bool {
	select {
	case h.conns <- c:
		return true
	case <-h.closed:
		return false
	}
}

// Accept implements net.Listener.
func (h *handoff) Accept() (net.Conn, error) {
	select {
	case c := <-h.conns:
		return c, nil
	case <-h.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (h *handoff) Close() error {
	h.once.Do(func() { close(h.closed) })
	return nil
}

// Addr implements net.Listener.
func (h *handoff) Addr() net.Addr { return &net.TCPAddr{} }

// cutOffMax is the time calls that were cut off may take to notice.
const cutOffMax = 3 * time.Second

// Shutdown stops accepting, lets calls in flight finish until ctx ends, and cuts off what is left, which is the error.
// When it returns no call is at work. Calling it again does nothing.
func (s *Server) Shutdown(ctx context.Context) error {
	if !s.close() {
		return nil
	}
	err := s.web.Shutdown(ctx)
	_ = s.handoff.Close()
	ended := make(chan struct{})
	go func() { s.serving.Wait(); close(ended) }()
	select {
	case <-ended:
		s.cut()
		return err
	case <-ctx.Done():
	}
	s.cut()
	_ = s.web.Close()
	for _, c := range s.open(false) {
		_ = c.Close()
	}
	select {
	case <-ended:
		return ctx.Err()
	case <-time.After(cutOffMax):
		return fmt.Errorf("hbasethrift: connections are still at work after they were cut off: %w", ctx.Err())
	}
}

// close stops accepting, and ends connections that have nothing at work. It says false if that was done before.
func (s *Server) close() bool {
	first := s.listeners.Close()
	for _, c := range s.open(true) {
		_ = c.Close()
	}
	return first
}

// open returns the connections that don't speak HTTP.
func (s *Server) open(idle bool) (list []*conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		if !idle || !c.busy {
			list = append(list, c)
		}
	}
	return list
}

// setBusy notes whether a message is at work. It says false if the connection is to end first.
func (s *Server) setBusy(c *conn, busy bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.busy = busy
	return !s.listeners.Closed()
}
