// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"net"
	"os"
	"os/signal"
	"sync"

	"github.com/spf13/cobra"

	"github.com/weftdb/weft/cmd/weft/sqlshell"
)

// sqlCommand is `weft sql`.
func (p *program) sqlCommand() *cobra.Command {
	host := &sqlshell.Host{Stdin: os.Stdin, Stdout: p.stdout, Stderr: p.stderr, Getenv: p.getenv,
		ReadFile: p.readFile, Folder: p.serveFolder,
		Interrupts: func() (<-chan os.Signal, func()) {
			interrupts := make(chan os.Signal, 1)
			signal.Notify(interrupts, os.Interrupt)
			return interrupts, func() { signal.Stop(interrupts) }
		}}
	return host.Command()
}

// serveFolder serves MySQL's protocol from a folder to this process alone. A user who can open a folder has all
// rights in it. Work in the background goes on as in a server: statements such as CREATE INDEX wait for it.
func (p *program) serveFolder(ctx context.Context, folder string,
	work func(context.Context, sqlshell.Dial) error) error {
	settle := func(c *config) { c.Auth, c.idle = "off", false }
	return p.openFolder(ctx, folder, settle, func(s *server) error {
		l := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
		wire := newWire(s, s.database.(*openedDatabase), s.metrics.Protocol("mysql"))
		s.sql.wire = wire
		served := make(chan error, 1)
		go func() { served <- wire.Serve(l) }()
		err := work(ctx, l.dial)
		over, cancel := context.WithCancel(context.Background())
		cancel()
		_ = wire.Shutdown(over) // it only says that it cut connections off
		return errors.Join(err, <-served)
	})
}

// pipes is a listener on no address: its connections come from within the process.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (l *pipes) dial(ctx context.Context) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case l.conns <- pipe{server}:
		return client, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Accept returns the next connection.
func (l *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close ends Accept.
func (l *pipes) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// Addr returns the address that all pipes have.
func (l *pipes) Addr() net.Addr { return local{} }

// pipe is the server's end of a connection.
type pipe struct{ net.Conn }

// RemoteAddr returns the address that all pipes have.
func (pipe) RemoteAddr() net.Addr { return local{} }

// local is the address of a server within the process.
type local struct{}

// Network returns "pipe".
func (local) Network() string { return "pipe" }

// String returns the name of the host.
func (local) String() string { return "localhost" }
