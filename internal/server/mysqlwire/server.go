// SPDX-License-Identifier: Apache-2.0

package mysqlwire

import (
	"context"
	"fmt"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weftdb/weft/internal/resource/memory"
	"github.com/weftdb/weft/internal/server/accept"
	"github.com/weftdb/weft/internal/server/mysqlwire/packet"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/result"
)

// Server speaks MySQL's protocol on the listeners that it is given. Make one with New.
type Server struct {
	options   Options
	started   time.Time
	memory    *memory.Budget
	key       passwordKey
	questions atomic.Uint64
	base      context.Context // of all connections
	cut       context.CancelCauseFunc
	ended     chan struct{} // gets a token when no connection is left

	listeners   accept.Listeners
	mu          sync.Mutex
	last        uint32 // the number of the last connection
	connections map[uint32]*connection
	users       map[string]int // how many connections each user has, if users are authenticated
	watched     chan struct{}  // closed to end the watch; nil while nobody watches
	turns       *turns         // open while there is a watch
}

// New makes a Server that does not listen yet.
func New(o Options) *Server {
	o = o.withDefaults()
	s := &Server{options: o, started: time.Now(), ended: make(chan struct{}, 1), connections: map[uint32]*connection{},
		users: map[string]int{}}
	s.memory = o.Memory
	s.base, s.cut = context.WithCancelCause(context.Background())
	return s
}

// Serve answers clients on the listener, which it closes in the end, until Shutdown; then it returns nil.
func (s *Server) Serve(listener net.Listener) error {
	s.startWatch()
	return s.listeners.Serve(listener, s.options.Logger, s.accept)
}

// startWatch starts the watch with the first listener.
func (s *Server) startWatch() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.watched == nil && !s.listeners.Closed() {
		s.watched, s.turns = make(chan struct{}), openTurns()
		go s.watch(s.watched)
	}
}

// accept serves a connection in a goroutine of its own, if there is room for it.
func (s *Server) accept(conn net.Conn) {
	c, err := s.admit(conn)
	if err != nil {
		if m := s.options.Metrics; m != nil && err.Code == fault.TooManyConnections && !isExcess(conn) {
			m.Refused()
		}
		// Nothing was sent on this connection, so this does not wait for the client.
		_ = conn.SetWriteDeadline(time.Now().Add(time.Second))
		w := writer{conn: conn, set: conn.SetWriteDeadline, deadline: lapse{fixed: true}}
		_ = w.end(packet.AppendError(w.begin(), err, 0))
		_ = w.flush()
		_ = conn.Close()
		return
	}
	go func() {
		defer s.leave(c)
		c.serve()
	}()
}

// isExcess reports whether the listener has refused the connection, counted that, and leaves it to the server to say
// so.
func isExcess(conn net.Conn) bool {
	c, ok := conn.(interface{ Excess() bool })
	return ok && c.Excess()
}

// admit gives a connection its number.
func (s *Server) admit(conn net.Conn) (*connection, *fault.Error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listeners.Closed() {
		return nil, fault.New(fault.ShuttingDown)
	}
	if isExcess(conn) || len(s.connections) >= s.options.ConnectionsMax {
		return nil, fault.New(fault.TooManyConnections)
	}
	for {
		s.last++
		if s.last != 0 && s.connections[s.last] == nil {
			break
		}
	}
	c := newConnection(s, s.last, conn, time.Now())
	s.connections[s.last] = c
	if m := s.options.Metrics; m != nil {
		m.Connected()
	}
	return c, nil
}

// take counts a connection for the user who logged in, and no more for the one before.
func (s *Server) take(c *connection, user string) error {
	if s.options.Authenticate == nil || s.options.AuthenticateWarn {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.release(c)
	if s.users[user] >= s.options.UserConnectionsMax {
		return fault.New(fault.TooManyUserConnections, user)
	}
	s.users[user]++
	c.counted, c.owner = true, user
	return nil
}

// release undoes take.
func (s *Server) release(c *connection) {
	if !c.counted {
		return
	}
	c.counted = false
	if s.users[c.owner]--; s.users[c.owner] == 0 {
		delete(s.users, c.owner)
	}
}

// leave forgets a connection that ended.
func (s *Server) leave(c *connection) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.connections, c.id)
	s.release(c)
	if m := s.options.Metrics; m != nil {
		m.Disconnected()
	}
	if len(s.connections) == 0 {
		select {
		case s.ended <- struct{}{}:
		default: // Shutdown has been told already
		}
	}
}

// all returns the connections in the order of their numbers.
func (s *Server) all() []*connection {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]*connection, 0, len(s.connections))
	for _, c := range s.connections {
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b *connection) int { return int(int64(a.id) - int64(b.id)) })
	return list
}

// Processes returns the connections in the order of their numbers.
func (s *Server) Processes() []result.Process {
	now := time.Now()
	var list []result.Process
	for _, c := range s.all() {
		list = append(list, c.see(now))
	}
	return list
}

// Kill ends the statement that a connection carries out, which then answers fault.Interrupted; and the connection,
// unless queryOnly. An unknown number is fault.NoSuchThread.
func (s *Server) Kill(id uint32, queryOnly bool) error {
	s.mu.Lock()
	c := s.connections[id]
	s.mu.Unlock()
	if c == nil {
		return fault.New(fault.NoSuchThread, id)
	}
	c.stop(errKilled, queryOnly)
	return nil
}

// killAs kills a connection of the user's own.
func (s *Server) killAs(user string, id uint32) error {
	s.mu.Lock()
	c := s.connections[id]
	s.mu.Unlock()
	if c != nil && s.options.Authenticate != nil && c.see(time.Now()).User != user {
		return errNotOwner(id)
	}
	return s.Kill(id, false)
}

// How long statements that were cut off may take to notice and to answer so, and then how long they may take to end.
const (
	answerMax = 500 * time.Millisecond
	cutOffMax = 3 * time.Second
)

// Shutdown stops accepting, closes connections that carry out nothing, whose open transactions roll back, lets
// statements at work finish until ctx ends, and cuts off what is left, which is the error. When it returns nil, no
// session is in use. Calling it again does nothing.
func (s *Server) Shutdown(ctx context.Context) error {
	if !s.close() {
		return nil
	}
	for _, c := range s.all() {
		c.retire()
	}
	if s.wait(ctx.Done()) {
		s.cut(errShutdown)
		return nil
	}
	s.cut(errShutdown)
	if s.waitFor(answerMax) {
		return ctx.Err()
	}
	for _, c := range s.all() {
		_ = c.raw.Close() // it waits for its client, not for its session
	}
	if !s.waitFor(cutOffMax) {
		return fmt.Errorf("mysqlwire: %d connections are still at work after they were cut off", len(s.all()))
	}
	return ctx.Err()
}

// close stops accepting. It says false if that was done before.
func (s *Server) close() bool {
	if !s.listeners.Close() {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.watched != nil {
		close(s.watched)
		s.turns.close()
	}
	return true
}

// waitFor waits until no connection is left, but not longer than patience.
func (s *Server) waitFor(patience time.Duration) bool {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return s.wait(ctx.Done())
}

// wait waits until no connection is left, or until done.
func (s *Server) wait(done <-chan struct{}) bool {
	for {
		s.mu.Lock()
		left := len(s.connections)
		s.mu.Unlock()
		if left == 0 {
			return true
		}
		select {
		case <-s.ended:
		case <-done:
			return false
		}
	}
}

// retire ends the connection as soon as it carries out nothing. Logging in counts as nothing.
func (c *connection) retire() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.killed = true
	if !c.busy || c.process.command == packet.ComConnect {
		_ = c.raw.Close()
	}
}
