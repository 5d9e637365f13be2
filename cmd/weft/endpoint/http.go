// SPDX-License-Identifier: Apache-2.0

package endpoint

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/weftdb/weft/internal/resource/metric"
)

// Limits of HTTP servers. A peer that is slow or sends too much costs no more than these.
const (
	headerTimeout  = 5 * time.Second
	readTimeout    = 10 * time.Second // of a whole request
	writeTimeout   = 90 * time.Second // from the end of a request's header; a handler may set a shorter one
	idleTimeout    = 60 * time.Second
	headerBytesMax = 64 << 10
)

// RequestIDHeader carries the request's id to the handler, whatever the client sent under that name.
const RequestIDHeader = "X-Request-Id"

// HTTP serves a protocol over HTTP.
type HTTP struct {
	name     string
	listener net.Listener
	server   *http.Server
	cut      context.CancelFunc // ends the contexts of requests in flight
}

// Options configures an HTTP server.
type Options struct {
	Name         string      // metrics label
	Addr         string      // host:port
	Bound        *Bound      // of its connections
	TLS          *tls.Config // nil: plain text
	Handler      http.Handler
	BodyBytesMax int64 // longer requests fail while being read
	Log          *slog.Logger
	Metrics      *metric.Set
	// WithID returns a context whose log lines carry the request's id.
	WithID func(ctx context.Context, id string) context.Context
	// ReadTimeout is the time a whole request may take to arrive. Default 10 s.
	ReadTimeout time.Duration
}

// ListenHTTP opens the port. The handler finds its request's id in the request header X-Request-Id, and log lines with
// the request's context show it.
func ListenHTTP(o Options) (*HTTP, error) {
	counts := o.Metrics.Protocol(o.Name)
	listener, err := o.Bound.Listen(o.Addr, Protocol{Name: o.Name, Metrics: counts, TLS: o.TLS})
	if err != nil {
		return nil, err
	}
	o.ReadTimeout = cmp.Or(o.ReadTimeout, readTimeout)
	base, cut := context.WithCancel(context.Background())
	return &HTTP{name: o.Name, listener: listener, cut: cut, server: &http.Server{
		Handler: withRequestID(withRecovery(http.MaxBytesHandler(withWholeBody(o.Handler), o.BodyBytesMax),
			o.Log, counts), o.WithID),
		ReadHeaderTimeout: min(headerTimeout, o.ReadTimeout),
		ReadTimeout:       o.ReadTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    headerBytesMax,
		ErrorLog:          slog.NewLogLogger(o.Log.With("protocol", o.Name).Handler(), slog.LevelDebug),
		BaseContext:       func(net.Listener) context.Context { return base },
		ConnContext:       withConnection,
		ConnState:         countConnections(counts),
	}}, nil
}

// countConnections follows each connection from its first state to its last.
func countConnections(counts *metric.Protocol) func(net.Conn, http.ConnState) {
	return func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			counts.Connected()
		case http.StateClosed, http.StateHijacked:
			counts.Disconnected()
		}
	}
}

// withRequestID gives each request an id.
func withRequestID(next http.Handler, withID func(context.Context, string) context.Context) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := rand.Text()
		r.Header.Set(RequestIDHeader, id)
		next.ServeHTTP(w, r.WithContext(withID(r.Context(), id)))
	})
}

// withWholeBody reads the whole body before the handler runs, within ReadTimeout, and then takes that limit away:
// net/http would take its end for the client's going away.
func withWholeBody(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if tooLong := (*http.MaxBytesError)(nil); errors.As(err, &tooLong) {
			http.Error(w, fmt.Sprintf("the request is longer than %d bytes", tooLong.Limit),
				http.StatusRequestEntityTooLarge)
			return
		} else if err != nil {
			w.Header().Set("Connection", "close")
			http.Error(w, "the request did not arrive in time", http.StatusRequestTimeout)
			return
		}
		_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // fails only on a closed connection
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}

// withRecovery keeps a bug in one request from ending the others: it is logged and counted, and the connection is cut,
// for a reply that was begun can't be taken back.
func withRecovery(next http.Handler, log *slog.Logger, counts *metric.Protocol) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			cause := recover()
			if cause == nil {
				return
			}
			if cause != http.ErrAbortHandler {
				counts.Panicked()
				log.ErrorContext(r.Context(), "a bug ended a request", "panic", fmt.Sprint(cause), "stack",
					string(debug.Stack()))
			}
			// lint:invariant net/http's own way to cut a connection; it recovers this value
			panic(http.ErrAbortHandler)
		}()
		next.ServeHTTP(w, r)
	})
}

// Name returns the metrics label.
func (d *HTTP) Name() string { return d.name }

// Addr returns the address with the port that was chosen.
func (d *HTTP) Addr() net.Addr { return d.listener.Addr() }

// Serve answers until Shutdown.
func (d *HTTP) Serve() error {
	if err := d.server.Serve(d.listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Shutdown ends the server. Requests still running when ctx ends have their contexts cancelled and their connections
// closed.
func (d *HTTP) Shutdown(ctx context.Context) error {
	err := d.server.Shutdown(ctx)
	d.cut()
	if closeErr := d.server.Close(); err == nil {
		err = closeErr
	}
	_ = d.listener.Close() // when Serve was never called, the server does not know its listener
	return err
}

// Hosts says by which names clients may call an HTTP port. A web page can reach a port through a name that an attacker
// lets resolve to the port's address, and the browser then sends that name.
type Hosts struct {
	// Own says that the port listens on an address of this machine alone, so that only its own names make sense.
	Own   bool
	Names []string // in lower case
}

// awsName is AWS's name for DynamoDB's endpoints. Clients that are sent here by a hosts file or a proxy use these
// names, and no attacker can give them an address.
var awsName = regexp.MustCompile(`^(dynamodb|\d{12}\.ddb)\.[a-z0-9-]+\.amazonaws\.com(\.cn)?$`)

// Allows reports whether a request may have the header Host: an IP address, localhost, one of Names, or AWS's name of a
// DynamoDB endpoint. If the port is reached from other machines and there are no Names, any will do.
func (h Hosts) Allows(host string) bool {
	if !h.Own && len(h.Names) == 0 {
		return true
	}
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.ToLower(strings.Trim(host, "[]")), ".")
	if host == "" || host == "localhost" || strings.HasSuffix(host, ".localhost") || awsName.MatchString(host) ||
		slices.Contains(h.Names, host) {
		return true
	}
	_, err := netip.ParseAddr(host)
	return err == nil
}
