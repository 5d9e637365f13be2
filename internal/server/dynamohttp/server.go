// SPDX-License-Identifier: Apache-2.0

package dynamohttp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weftdb/weft/internal/resource/metric"
	"github.com/weftdb/weft/internal/server/httpwire"
)

// Server answers DynamoDB's HTTP API on the listeners that it is given. Make one with New.
type Server struct {
	options     Options
	http        *httpwire.Server
	operations  map[string]*operation
	unknown     *operation
	memory      budget
	large       budget // the part of memory that large requests have
	transfers   transfers
	warnings    warnings
	exchanges   sync.Pool    // of *exchange
	answers     sync.Pool    // of *[]byte: buffers of long answers
	inflaters   sync.Pool    // of *inflater
	packers     chan *packer // those that nobody uses now
	connections atomic.Int64 // open now
	closing     atomic.Bool
	closed      chan struct{}   // gets a token when no connection is left
	base        context.Context // of all requests
	cut         context.CancelFunc
}

// New makes a Server that does not listen yet.
func New(o Options) *Server {
	o = o.withDefaults()
	s := &Server{options: o, closed: make(chan struct{}, 1)}
	s.operations, s.unknown = newOperations(o.Metrics)
	s.exchanges.New = func() any { return new(exchange) }
	s.memory = budget{limit: o.MemoryBytes, short: s.transfers.cut}
	s.large = budget{limit: int64(largeShare * float64(o.MemoryBytes)), short: s.transfers.cut}
	s.answers.New = func() any { return new([]byte) }
	s.inflaters.New = func() any { return &inflater{packed: bufio.NewReader(nil)} }
	s.packers = make(chan *packer, runtime.GOMAXPROCS(0))
	for range cap(s.packers) {
		s.packers <- new(packer)
	}
	s.base, s.cut = context.WithCancel(context.Background())
	s.http = httpwire.New(httpwire.Options{
		Handler:        s,
		HeaderTimeout:  o.HeaderTimeout,
		ReadTimeout:    max(o.HeaderTimeout, o.TransferGrace), // readBody moves it on
		WriteTimeout:   2 * o.TransferGrace,                   // send moves it on
		IdleTimeout:    o.IdleTimeout,
		HeaderBytesMax: headerBytesMax,
		Logger:         o.Logger,
		Context:        s.base,
		Begin:          s.beginConnection,
		End:            s.endConnection,
	})
	return s
}

// Serve answers requests on the listener, which it closes in the end, until Shutdown; then it returns nil.
func (s *Server) Serve(listener net.Listener) error { return s.http.Serve(listener) }

// cutOffMax is the time requests that were cut off may take to notice.
const cutOffMax = 3 * time.Second

// Shutdown stops accepting, lets requests in flight finish until ctx ends, and cuts off what is left, which is the
// error. When it returns no operation is running any more. Calling it again does nothing.
func (s *Server) Shutdown(ctx context.Context) error {
	s.closing.Store(true)
	err := s.http.Shutdown(ctx)
	s.cut()
	return errors.Join(err, s.http.Close(), s.wait())
}

// wait returns when the last connection's goroutine, and so the last operation, has ended. All are cut off by then and
// should end at once.
func (s *Server) wait() error {
	patience := time.NewTimer(cutOffMax)
	defer patience.Stop()
	for s.connections.Load() > 0 {
		select {
		case <-s.closed:
		case <-patience.C:
			return fmt.Errorf("dynamohttp: %d connections are still at work after they were cut off",
				s.connections.Load())
		}
	}
	return nil
}

// beginConnection counts a connection in, and closes it if it is beyond the limit.
func (s *Server) beginConnection(conn net.Conn) {
	if s.options.Metrics != nil {
		s.options.Metrics.Connected()
	}
	if s.connections.Add(1) > int64(s.options.ConnectionsMax) || s.closing.Load() {
		if s.options.Metrics != nil && !s.closing.Load() {
			s.options.Metrics.Refused()
		}
		_ = conn.Close() // which is noticed when it is read
	}
}

// endConnection counts a connection out.
func (s *Server) endConnection() {
	if s.connections.Add(-1) == 0 {
		select {
		case s.closed <- struct{}{}:
		default: // wait has been told already
		}
	}
	if s.options.Metrics != nil {
		s.options.Metrics.Disconnected()
	}
}

// observe counts and logs a request that was answered, or, with status 0, cut off.
func (s *Server) observe(ctx context.Context, x *exchange, outcome metric.Outcome, seconds float64) {
	if m := x.operation.metrics; m != nil {
		m.End(metric.Request{
			Outcome: outcome, Seconds: seconds, BytesIn: x.pacer.read, BytesOut: x.sent,
			ConditionFailed: x.conditionFailed,
		})
	}
	if log := s.options.Logger; log.Enabled(ctx, slog.LevelDebug) {
		log.LogAttrs(ctx, slog.LevelDebug, "request", slog.String("request", string(x.id())),
			slog.String("operation", x.operation.Name),
			slog.Int("status", x.status), slog.Float64("ms", seconds*1000), slog.Int64("bytes_in", x.pacer.read),
			slog.Int64("bytes_out", x.sent))
	}
}
