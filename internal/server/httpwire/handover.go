// SPDX-License-Identifier: Apache-2.0

package httpwire

import (
	"net"
	"sync"
)

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
