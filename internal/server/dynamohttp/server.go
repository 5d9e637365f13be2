// SPDX-License-Identifier: Apache-2.0

package dynamohttp

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/weftdb/weft/internal/metric"
)

// Server answers DynamoDB's HTTP API on the listeners that it is given. Make one with New.
type Server struct {
	options     Options
	http        *http.Server
	operations  map[string]*operation
	unknown     *operation
	memory      budget
	exchanges   sync.Pool       // of *exchange
	large       sync.Pool       // of *[]byte: buffers of long answers
	connections atomic.Int64    // open now
	base        context.Context // of all requests
	cut         context.CancelFunc
}

// New makes a Server that does not listen yet.
func New(o Options) *Server {
	o = o.withDefaults()
	s := &Server{options: o, memory: budget{limit: o.MemoryBytes}}
	s.operations, s.unknown = newOperations(o.Metrics)
	s.exchanges.New = func() any { return new(exchange) }
	s.large.New = func() any { return new([]byte) }
	s.base, s.cut = context.WithCancel(context.Background())
	s.http = &http.Server{
		Handler:           s,
		ReadHeaderTimeout: o.HeaderTimeout,
		ReadTimeout:       max(o.HeaderTimeout, o.TransferGrace), // readBody moves it on
		WriteTimeout:      2 * o.TransferGrace,                   // send moves it on
		IdleTimeout:       o.IdleTimeout,
		MaxHeaderBytes:    headerBytesMax,
		ErrorLog:          slog.NewLogLogger(o.Logger.Handler(), slog.LevelDebug),
		BaseContext:       func(net.Listener) context.Context { return s.base },
		ConnState:         s.count,

		DisableGeneralOptionsHandler: true,
	}
	return s
}

// Serve answers requests on the listener, which it closes in the end, until Shutdown; then it returns nil.
func (s *Server) Serve(listener net.Listener) error {
	if err := s.http.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Shutdown stops accepting, lets requests in flight finish until ctx ends, and cuts off what is left, which is the error. Calling it again does nothing.
func (s *Server) Shutdown(ctx context.Context) error {
	err := s.http.Shutdown(ctx)
	s.cut()
	return errors.Join(err, s.http.Close())
}

// count counts connections and closes those beyond the limit as they come.
func (s *Server) count(conn net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		if s.options.Metrics != nil {
			s.options.Metrics.Connected()
		}
		if s.connections.Add(1) > int64(s.options.ConnectionsMax) {
			_ = conn.Close() // net/http will find it closed and report StateClosed
		}
	case http.StateClosed, http.StateHijacked:
		s.connections.Add(-1)
		if s.options.Metrics != nil {
			s.options.Metrics.Disconnected()
		}
	}
}

// observe counts and logs a request that was answered, or, with status 0, cut off.
func (s *Server) observe(ctx context.Context, x *exchange, outcome metric.Outcome, seconds float64) {
	if m := x.operation.metrics; m != nil {
		m.End(metric.Request{Outcome: outcome, Seconds: seconds, BytesIn: x.pacer.read, BytesOut: int64(len(x.answer))})
	}
	if log := s.options.Logger; log.Enabled(ctx, slog.LevelDebug) {
		log.LogAttrs(ctx, slog.LevelDebug, "request", slog.String("request", string(x.id())), slog.String("operation", x.operation.name),
			slog.Int("status", x.status), slog.Float64("ms", seconds*1000), slog.Int64("bytes_in", x.pacer.read), slog.Int("bytes_out", len(x.answer)))
	}
}
