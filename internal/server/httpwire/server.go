// SPDX-License-Identifier: Apache-2.0

package httpwire

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weftdb/weft/internal/server/accept"
)

// Options are the settings of a Server. Handler must be set; for the rest the zero value works, and a time of 0 is no
// limit.
type Options struct {
	// Handler answers requests, as a handler of net/http does. It must not use a request, its header or the answer's
	// header after it has returned, nor change the request's header or URL; it sends neither trailers nor answers of
	// status 1xx, and sets no Transfer-Encoding.
	Handler http.Handler
	// HeaderTimeout is the time a client may take to send a request's head, from its first byte on, or from the
	// connection's beginning; and again from when a connection goes to net/http.
	HeaderTimeout time.Duration
	// ReadTimeout is the time a client may take to send a whole request.
	ReadTimeout time.Duration
	// WriteTimeout is the time from the end of a request's head until its answer must have been taken, and up to an
	// eighth more. The handler may set others for a body and an answer, through an http.ResponseController.
	WriteTimeout time.Duration
	// IdleTimeout is the time a connection stays open between requests, and up to an eighth more.
	IdleTimeout time.Duration
	// HeaderBytesMax is the length of the longest head. Default: http.DefaultMaxHeaderBytes.
	HeaderBytesMax int
	// Context is the parent context of all requests. Default: context.Background.
	Context context.Context
	// Logger takes panics of the handler and failures to accept at level error, and what net/http has to say of broken
	// connections at level debug. Default: nothing is logged.
	Logger *slog.Logger
	// Begin is called with each connection before it is read, and may close it. Default: none.
	Begin func(net.Conn)
	// End is called when the work for a connection has ended. Default: none.
	End func()
}

// Server serves HTTP on the listeners that it is given. Make one with New.
type Server struct {
	options   Options
	listeners accept.Listeners
	rest      *http.Server // serves what is foreign
	handed    *handover    // the listener of rest
	once      sync.Once    // starts rest
	resting   sync.WaitGroup
	silent    sync.Map // of net.Conn: those of rest that have not sent a request there yet
	outs      sync.Pool
	date      atomic.Pointer[date]

	mu      sync.Mutex
	open    map[*connection]struct{} // all that are served here
	live    int                      // connections that Begin was told of, and End was not
	closing atomic.Bool
	left    chan struct{} // gets a token when none is live
}

// New makes a Server that does not listen yet.
func New(o Options) *Server {
	if o.Context == nil {
		o.Context = context.Background()
	}
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	if o.Begin == nil {
		o.Begin = func(net.Conn) {}
	}
	if o.End == nil {
		o.End = func() {}
	}
	s := &Server{options: o, handed: newHandover(), open: map[*connection]struct{}{},
		left: make(chan struct{}, 1)}
	s.outs.New = func() any { b := make([]byte, 0, outBytes); return &b }
	s.rest = &http.Server{
		Handler: o.Handler, ReadHeaderTimeout: o.HeaderTimeout, ReadTimeout: o.ReadTimeout,
		WriteTimeout: o.WriteTimeout, IdleTimeout: o.IdleTimeout, MaxHeaderBytes: o.HeaderBytesMax,
		ErrorLog:    slog.NewLogLogger(o.Logger.Handler(), slog.LevelDebug),
		BaseContext: func(net.Listener) context.Context { return o.Context }, ConnState: s.follow,
		DisableGeneralOptionsHandler: true,
	}
	return s
}

// Serve answers requests on the listener, which it closes in the end, until Shutdown or Close; then it returns nil.
func (s *Server) Serve(listener net.Listener) error {
	s.once.Do(func() {
		s.resting.Go(func() { _ = s.rest.Serve(s.handed) }) // ends when it is shut
	})
	return s.listeners.Serve(listener, s.options.Logger, s.take)
}

// take serves a connection.
func (s *Server) take(conn net.Conn) {
	if _, encrypted := conn.(*tls.Conn); encrypted {
		s.hand(conn)
		return
	}
	s.begin(conn)
	go newConnection(s, conn).serve()
}

// hand hands a connection to net/http.
func (s *Server) hand(conn net.Conn) {
	if s.handed.give(conn) {
		return
	}
	_ = conn.Close()
	if _, begun := conn.(*replay); begun {
		s.end()
	}
}

// follow follows the connections that net/http has.
func (s *Server) follow(conn net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		s.silent.Store(conn, nil)
		if _, begun := conn.(*replay); !begun {
			s.begin(conn)
		}
		if s.closing.Load() {
			_ = conn.Close()
		}
	case http.StateActive:
		s.silent.Delete(conn)
	case http.StateClosed, http.StateHijacked:
		s.silent.Delete(conn)
		s.end()
	}
}

// Shutdown stops accepting, closes the connections that wait for a request, and returns when all requests in flight
// have been answered and their connections closed, or with ctx's error.
func (s *Server) Shutdown(ctx context.Context) error {
	s.close(func(c *connection) bool { return c.phase.CompareAndSwap(waiting, ended) })
	s.silent.Range(func(conn, _ any) bool {
		_ = conn.(net.Conn).Close() // net/http would wait 5 s for it to speak
		return true
	})
	return errors.Join(s.rest.Shutdown(ctx), s.drain(ctx))
}

// Close closes all connections at once. Requests in flight notice when they read or write.
func (s *Server) Close() error {
	s.close(func(*connection) bool { return true })
	return s.rest.Close()
}

// close stops accepting and closes connections.
func (s *Server) close(which func(*connection) bool) {
	s.closing.Store(true)
	s.listeners.Close()
	s.handed.close()
	s.resting.Wait() // then net/http knows all that it was handed
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.open {
		if which(c) {
			_ = c.conn.Close()
		}
	}
}

// drain returns when no connection is live any more.
func (s *Server) drain(ctx context.Context) error {
	for {
		s.mu.Lock()
		n := s.live
		s.mu.Unlock()
		if n == 0 {
			return nil
		}
		select {
		case <-s.left:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// begin counts a connection in.
func (s *Server) begin(conn net.Conn) {
	s.mu.Lock()
	s.live++
	s.mu.Unlock()
	s.options.Begin(conn)
}

// end counts a connection out.
func (s *Server) end() {
	s.options.End()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live--; s.live == 0 && s.closing.Load() {
		select {
		case s.left <- struct{}{}:
		default: // drain has been told already
		}
	}
}

// enter makes a connection known to close.
func (s *Server) enter(c *connection) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[c] = struct{}{}
	if s.closing.Load() { // close has passed already
		_ = c.conn.Close()
	}
}

func (s *Server) leave(c *connection) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, c)
}

// handover is the listener through which net/http gets connections.
type handover struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newHandover() *handover {
	return &handover{conns: make(chan net.Conn), closed: make(chan struct{})}
}

// give reports whether net/http has taken the connection.
func (h *handover) give(conn net.Conn) bool {
	select {
	case h.conns <- conn:
		return true
	case <-h.closed:
		return false
	}
}

func (h *handover) close() { h.once.Do(func() { close(h.closed) }) }

// Accept implements net.Listener.
func (h *handover) Accept() (net.Conn, error) {
	select {
	case conn := <-h.conns:
		return conn, nil
	case <-h.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (h *handover) Close() error {
	h.close()
	return nil
}

// Addr implements net.Listener.
func (h *handover) Addr() net.Addr { return &net.TCPAddr{} }

// replay is a connection of which some bytes were read already: they come again.
type replay struct {
	net.Conn
	bytes []byte
}

// Read implements net.Conn.
func (r *replay) Read(b []byte) (int, error) {
	if len(r.bytes) == 0 {
		return r.Conn.Read(b)
	}
	n := copy(b, r.bytes)
	if r.bytes = r.bytes[n:]; len(r.bytes) == 0 {
		r.bytes = nil
	}
	return n, nil
}

// CloseWrite closes the sending side, if the connection has two. net/http does so before it closes a connection whose
// client may still be sending, or the client might not see the answer.
func (r *replay) CloseWrite() error {
	if half, ok := r.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
