// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/weftdb/weft/internal/metric"
)

// door is one protocol on one port. It listens from the moment it is made.
type door interface {
	Name() string
	Addr() net.Addr
	// Serve answers until Shutdown, and returns nil then.
	Serve() error
	// Shutdown stops accepting, lets requests in flight finish until ctx ends, and cuts off what is left. Calling it again does nothing.
	Shutdown(ctx context.Context) error
}

// Limits of HTTP doors. A peer that is slow or sends too much costs no more than these.
const (
	headerTimeout  = 5 * time.Second
	idleTimeout    = 60 * time.Second
	headerBytesMax = 64 << 10
)

// requestIDHeader carries the request's id to the handler, whatever the client sent under that name.
const requestIDHeader = "X-Request-Id"

// httpDoor is a door that speaks HTTP.
type httpDoor struct {
	name     string
	listener net.Listener
	server   *http.Server
	cut      context.CancelFunc // ends the contexts of requests in flight
}

// httpOptions is what an HTTP door is made of.
type httpOptions struct {
	Name         string // metrics label
	Addr         string // host:port
	Handler      http.Handler
	BodyBytesMax int64 // longer requests fail while being read
	Log          *slog.Logger
	Metrics      *metric.Set
}

// listenHTTP opens the port. The handler finds its request's id in the request header X-Request-Id, and log lines with the
// request's context show it.
func listenHTTP(o httpOptions) (*httpDoor, error) {
	listener, err := net.Listen("tcp", o.Addr)
	if err != nil {
		return nil, fmt.Errorf("the %s door can't listen on %s: %w", o.Name, o.Addr, err)
	}
	base, cut := context.WithCancel(context.Background())
	counts := o.Metrics.Door(o.Name)
	handler := http.MaxBytesHandler(o.Handler, o.BodyBytesMax)
	return &httpDoor{name: o.Name, listener: listener, cut: cut, server: &http.Server{
		Handler:           identified(contained(handler, o.Log, counts)),
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    headerBytesMax,
		ErrorLog:          slog.NewLogLogger(o.Log.With("door", o.Name).Handler(), slog.LevelDebug),
		BaseContext:       func(net.Listener) context.Context { return base },
		ConnState:         countConnections(counts),
	}}, nil
}

// countConnections follows each connection from its first state to its last.
func countConnections(counts *metric.Door) func(net.Conn, http.ConnState) {
	return func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			counts.Connected()
		case http.StateClosed, http.StateHijacked:
			counts.Disconnected()
		}
	}
}

// identified gives each request an id.
func identified(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := rand.Text()
		r.Header.Set(requestIDHeader, id)
		next.ServeHTTP(w, r.WithContext(withRequestID(r.Context(), id)))
	})
}

// contained keeps a bug in one request from ending the others: it is logged and counted, and the connection is cut, for a reply that
// was begun can't be taken back.
func contained(next http.Handler, log *slog.Logger, counts *metric.Door) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			cause := recover()
			if cause == nil {
				return
			}
			if cause != http.ErrAbortHandler {
				counts.Panicked()
				log.ErrorContext(r.Context(), "a bug ended a request", "panic", fmt.Sprint(cause), "stack", string(debug.Stack()))
			}
			// lint:invariant net/http's own way to cut a connection; it recovers this value
			panic(http.ErrAbortHandler)
		}()
		next.ServeHTTP(w, r)
	})
}

// Name returns the metrics label.
func (d *httpDoor) Name() string { return d.name }

// Addr returns the address with the port that was chosen.
func (d *httpDoor) Addr() net.Addr { return d.listener.Addr() }

// Serve answers until Shutdown.
func (d *httpDoor) Serve() error {
	if err := d.server.Serve(d.listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Shutdown ends the door. Requests still running when ctx ends have their contexts cancelled and their connections closed.
func (d *httpDoor) Shutdown(ctx context.Context) error {
	err := d.server.Shutdown(ctx)
	d.cut()
	if closeErr := d.server.Close(); err == nil {
		err = closeErr
	}
	_ = d.listener.Close() // when Serve was never called, the server does not know its listener
	return err
}
