// SPDX-License-Identifier: Apache-2.0

package accept_test

import (
	"errors"
	"log/slog"
	"net"
	"syscall"
	"testing"

	"github.com/weftdb/weft/internal/server/accept"
)

// scripted is a listener that fails as it is told, and then gives one end of a pipe after the other.
type scripted struct {
	net.Listener
	errs   []error
	closed chan struct{}
	given  chan net.Conn
}

func (s *scripted) Accept() (net.Conn, error) {
	if len(s.errs) > 0 {
		err := s.errs[0]
		s.errs = s.errs[1:]
		return nil, err
	}
	select {
	case c := <-s.given:
		return c, nil
	case <-s.closed:
		return nil, net.ErrClosed
	}
}

func (s *scripted) Close() error {
	select {
	case <-s.closed:
	default:
		close(s.closed)
	}
	return nil
}

// TestServe: accepting goes on after errors that pass, ends with Close, and fails for other errors.
func TestServe(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	full := &net.OpError{Op: "accept", Err: syscall.EMFILE}
	s := &scripted{errs: []error{full, full}, closed: make(chan struct{}), given: make(chan net.Conn, 1)}
	one, other := net.Pipe()
	defer other.Close()
	s.given <- one
	var l accept.Listeners
	taken, ended := make(chan net.Conn), make(chan error)
	go func() { ended <- l.Serve(s, log, func(c net.Conn) { taken <- c }) }()
	if c := <-taken; c != one {
		t.Error("another connection was taken")
	}
	if l.Closed() || !l.Close() || l.Close() || !l.Closed() {
		t.Error("listeners close once")
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	late := &scripted{closed: make(chan struct{})}
	if err := l.Serve(late, log, nil); err != nil {
		t.Error(err)
	}
	<-late.closed
	broken := errors.New("broken")
	var fresh accept.Listeners
	if err := fresh.Serve(&scripted{errs: []error{broken}, closed: make(chan struct{})}, log, nil); !errors.Is(err,
		broken) {
		t.Error(err)
	}
}
