// SPDX-License-Identifier: Apache-2.0

package mysqlwire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime/debug"
	"sync"
	"time"

	"github.com/weftdb/weft/internal/resource/memory"
	"github.com/weftdb/weft/internal/server/mysqlwire/packet"
	"github.com/weftdb/weft/internal/sql"
	"github.com/weftdb/weft/internal/sql/result"
)

// connection is one client. Its goroutine owns all fields but those below mu.
type connection struct {
	server       *Server
	id           uint32
	host         string
	credential   string   // of the password that was proved last
	raw          net.Conn // below TLS
	secure       bool     // in TLS
	unread       bool     // the client may be sending what nobody will read
	in           reader
	out          writer
	capabilities uint32
	base         context.Context // of all that the connection does
	cut          context.CancelCauseFunc
	session      Session
	idler        idler        // the session, if it is one
	state        result.State // as it was when the session was last at rest
	tracked      string       // the database that the client knows to be the current one
	answer       answer
	statements   statements
	turn         turn
	cursor       *cursor // whose goroutine may use the session

	owner   string // whose connection it counts as; both are guarded by Server.mu
	counted bool

	mu      sync.Mutex
	ctx     context.Context // of the command at work; used again until it is cancelled
	cancel  context.CancelCauseFunc
	busy    bool // a command is at work
	killed  bool // the connection ends as soon as nothing is at work
	process struct {
		user, address, database string
		command                 byte
		since                   time.Time
		info                    []byte // the beginning of the statement
	}
}

// infoBytesMax is the number of bytes of a statement that SHOW PROCESSLIST shows.
const infoBytesMax = 1024

func newConnection(s *Server, id uint32, conn net.Conn, now time.Time) *connection {
	c := &connection{server: s, id: id, raw: conn}
	c.in = reader{conn: conn, memory: memory.Share{Of: s.memory}, deadline: lapse{span: s.options.IdleTimeout},
		timeout: s.options.ReadTimeout}
	c.out.memory.Of, c.statements.memory.Of = s.memory, s.memory
	c.out.deadline.span = s.options.WriteTimeout
	c.out.use(conn)
	c.base, c.cut = context.WithCancelCause(s.base)
	c.ctx, c.cancel = context.WithCancelCause(c.base)
	c.answer.c = c
	c.turn.own = make(chan struct{}, 1)
	c.host = conn.RemoteAddr().String()
	c.process.address = c.host
	if host, _, err := net.SplitHostPort(c.host); err == nil {
		c.host = host
	}
	c.process.command, c.process.since, c.process.user = packet.ComConnect, now, "unauthenticated user"
	c.busy = true
	return c
}

// serve speaks with the client until either ends it.
func (c *connection) serve() {
	defer c.end()
	if !c.logIn() || !c.rest() {
		return
	}
	for c.next() {
	}
}

// end leaves nothing behind. A panic, of a session too, ends here.
func (c *connection) end() {
	if p := recover(); p != nil {
		c.reportPanic(p)
	}
	c.cut(errGone)
	if c.unread {
		c.linger()
	}
	_ = c.raw.Close()
	defer func() {
		if p := recover(); p != nil {
			c.reportPanic(p)
		}
	}()
	c.in.memory.Release()
	c.out.memory.Release()
	c.closeSession()
}

// How long, and up to how many bytes, a client that was refused may go on sending.
const (
	lingerMax      = 2 * time.Second
	lingerBytesMax = 64 << 20
)

// linger reads and drops what the client is sending: closing at once would make its system drop the error that it has
// not read yet.
func (c *connection) linger() {
	if half, ok := c.raw.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil {
		_ = c.raw.SetReadDeadline(time.Now().Add(lingerMax))
		_, _ = io.CopyN(io.Discard, c.raw, lingerBytesMax)
	}
}

func (c *connection) reportPanic(p any) {
	if m := c.server.options.Metrics; m != nil {
		m.Panicked()
	}
	c.server.options.Logger.Error("a connection panicked and is closed", "connection", c.id, "panic", fmt.Sprint(p),
		"stack", string(debug.Stack()))
}

// closeSession closes the session with all that belongs to it.
func (c *connection) closeSession() {
	session := c.session
	if session == nil {
		return
	}
	c.session, c.idler = nil, nil
	defer session.Close() // even if a statement panics
	c.statements.closeAll(c)
	c.settle(0)
}

// next carries out one command. False ends the connection.
func (c *connection) next() bool {
	c.in.sequence = 0
	payload, err := c.receive(c.server.options.PacketBytesMax)
	switch {
	case errors.Is(err, errSequence):
		return c.refuse(errOrder())
	case errors.Is(err, errNoRoom):
		return c.refuse(errNoMemory("a packet of this length"))
	case err != nil:
		return false
	case len(payload) == 0:
		return c.refuse(errMalformed())
	}
	if !c.begin(payload) {
		return false
	}
	alive := c.carryOut(payload[0], payload[1:])
	c.adoptIdleTimeout()
	flushed := c.out.flush() == nil
	c.out.shrink()
	return flushed && c.rest() && alive
}

// adoptIdleTimeout asks the session how long it may wait, unless a cursor uses it.
func (c *connection) adoptIdleTimeout() {
	if c.idler == nil || c.cursor != nil {
		return
	}
	if span := c.idler.IdleTimeout(); span > 0 && span != c.in.deadline.span {
		c.in.deadline.span = span
		c.in.deadline.reset()
	}
}

// begin notes that a command is at work.
func (c *connection) begin(payload []byte) bool {
	now := time.Now()
	if c.turn.over(c.process.since, now) {
		c.server.turns.pass(c.turn.own)
		now = time.Now()
		c.turn.began = now
	}
	c.server.questions.Add(1)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.killed {
		return false
	}
	if c.ctx.Err() != nil {
		c.ctx, c.cancel = context.WithCancelCause(c.base)
	}
	c.busy = true
	c.process.command, c.process.since = payload[0], now
	if payload[0] == packet.ComQuery {
		c.process.info = append(c.process.info[:0], payload[1:min(len(payload), infoBytesMax)]...)
	}
	return true
}

// describe notes the text of the statement at work.
func (c *connection) describe(text string) {
	c.mu.Lock()
	c.process.info = append(c.process.info[:0], text...)
	c.mu.Unlock()
}

// rest notes that no command is at work.
func (c *connection) rest() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy = false
	c.process.command, c.process.since, c.process.info = packet.ComSleep, time.Now(), c.process.info[:0]
	c.process.database = c.state.Database
	return !c.killed
}

// identify notes the user that logged in.
func (c *connection) identify(user, database string) {
	c.mu.Lock()
	c.process.user, c.process.database = user, database
	c.mu.Unlock()
}

// context is the context of the running command. It is the goroutine's own, since only the goroutine replaces it.
func (c *connection) context() context.Context { return c.ctx }

// stop makes the command at work end, and the connection too unless queryOnly.
func (c *connection) stop(cause error, queryOnly bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !queryOnly {
		c.killed = true
	}
	switch {
	case c.busy && c.process.command != packet.ComConnect:
		c.cancel(cause)
		c.unblock(c.process.since)
	case !queryOnly:
		_ = c.raw.Close()
	}
}

// unblockAfter is the time a client may take to accept what a statement that has ended was sending.
const unblockAfter = time.Second

// unblock breaks the connection if it is still sending the answer to the command that began at a time, whose statement
// has ended: a client that reads nothing would hold it, its memory and its snapshot for as long as the write timeout.
func (c *connection) unblock(began time.Time) {
	time.AfterFunc(unblockAfter, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		switch {
		case !c.busy || !c.process.since.Equal(began):
		case c.out.writing.Load():
			c.out.late.Store(true)
			_ = c.raw.SetWriteDeadline(time.Now())
		default:
			c.unblock(began)
		}
	})
}

// sessionState is the session's state, or its last one while a cursor uses the session.
func (c *connection) sessionState() result.State {
	if c.session != nil && c.cursor == nil {
		c.state = c.session.State()
	}
	return c.state
}

// see is the connection as others see it.
func (c *connection) see(now time.Time) result.Process {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := result.Process{
		ID: c.id, User: c.process.user, Host: c.process.address, Database: c.process.database,
		Command: packet.CommandName(c.process.command),
		Seconds: int64(now.Sub(c.process.since) / time.Second), Info: sql.Show(string(c.process.info)),
	}
	if c.busy {
		p.State = "executing"
	}
	if c.killed {
		p.Command = "Killed"
	}
	return p
}
