// SPDX-License-Identifier: Apache-2.0

package httpwire

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"runtime/debug"
	"sync/atomic"
	"time"
)

// headBytesMax is the length of the longest head that is served here, and so the size of the read buffer.
const headBytesMax = 8 << 10

// What a connection is doing.
const (
	waiting int32 = iota // for a request
	working              // on a request
	ended                // closed by Shutdown while it waited
)

// connection is a connection and its request.
type connection struct {
	server *Server
	conn   net.Conn
	base   context.Context // of all requests
	phase  atomic.Int32

	buffer   [headBytesMax]byte
	from, to int // of what has come and is not used up
	head     head
	url      url.URL
	blank    http.Request // what all requests have in common
	body     body
	answer   answer
	limits   deadlines
	watch    watch
}

func newConnection(s *Server, conn net.Conn) *connection {
	c := &connection{server: s, conn: conn}
	c.base = context.WithValue(context.WithValue(s.options.Context, http.ServerContextKey, s.rest),
		http.LocalAddrContextKey, conn.LocalAddr())
	c.url.Path = "/"
	c.blank = http.Request{Method: http.MethodPost, URL: &c.url, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		RequestURI: "/"}
	if address := conn.RemoteAddr(); address != nil {
		c.blank.RemoteAddr = address.String()
	}
	c.limits.conn, c.body.connection, c.answer.connection = conn, c, c
	c.watch.init(c)
	return c
}

// serve answers requests until the connection ends or is net/http's.
func (c *connection) serve() {
	s := c.server
	s.enter(c)
	end := partial
	defer func() {
		if cause := recover(); cause != nil && cause != http.ErrAbortHandler {
			s.options.Logger.LogAttrs(c.base, slog.LevelError, "a handler panicked",
				slog.String("client", c.blank.RemoteAddr), slog.String("panic", fmt.Sprint(cause)),
				slog.String("stack", string(debug.Stack())))
		}
		c.watch.stop()
		s.leave(c)
		if end == foreign {
			s.hand(&replay{Conn: c.conn, bytes: c.pending()})
			return
		}
		_ = c.conn.Close()
		s.end()
	}()
	for first := true; ; first = false {
		if end = c.readHead(first); end != whole || !c.serveRequest() {
			return
		}
	}
}

// peekBytes is the number of bytes that net/http waits for after the first request, before it looks at them: the line
// ends among them, which old clients send, are passed over, and if fewer come the connection just ends.
const peekBytes = 4

// readHead waits for a request and reads its head. The verdict partial means that none comes.
func (c *connection) readHead(first bool) verdict {
	o := &c.server.options
	if !first {
		if v := c.await(); v != whole {
			return v
		}
	}
	for begun := false; ; begun = true {
		if c.from < c.to {
			size, v := c.head.read(c.buffer[c.from:c.to])
			if c.from += size; v != partial {
				return v
			}
		}
		if !begun {
			c.limits.read(time.Now(), o.HeaderTimeout, 0)
		}
		if v := c.fill(); v != whole {
			return v
		}
	}
}

// await waits for the beginning of the next request. The verdict whole means that it has come.
func (c *connection) await() verdict {
	if c.to-c.from < peekBytes {
		c.limits.read(time.Now(), c.server.options.IdleTimeout, c.server.options.IdleTimeout/8)
	}
	for c.to-c.from < peekBytes {
		if c.fill() != whole {
			return partial
		}
	}
	for range peekBytes {
		if b := c.buffer[c.from]; b != '\r' && b != '\n' {
			break
		}
		c.from++
	}
	return whole
}

// fill reads what comes next. The verdict whole means that there is more now.
func (c *connection) fill() verdict {
	switch {
	case c.from == c.to:
		c.from, c.to = 0, 0
	case c.to == len(c.buffer) && c.from == 0:
		return foreign // the head is too long
	case c.to == len(c.buffer):
		c.to = copy(c.buffer[:], c.buffer[c.from:c.to])
		c.from = 0
	}
	n, err := c.watch.read(c.buffer[c.to:])
	c.to += n
	switch {
	case n > 0:
		return whole
	case err == io.EOF && c.from < c.to:
		return foreign // net/http may have something to say
	}
	return partial
}

// pending returns what has come and is not used up.
func (c *connection) pending() []byte {
	return c.watch.appendSpare(bytes.Clone(c.buffer[c.from:c.to]))
}

// serveRequest answers the request whose head was read; again is false if the connection ends with it.
func (c *connection) serveRequest() (again bool) {
	s := c.server
	if !c.phase.CompareAndSwap(waiting, working) {
		return false
	}
	now := time.Now()
	c.limits.begin(now)
	r := c.blank.WithContext(c.watch.begin(now))
	r.Header, r.Host, r.ContentLength, r.Close = c.head.header, c.head.host, c.head.length, c.head.closing
	c.body.left.Store(r.ContentLength)
	if r.Body = &c.body; r.ContentLength == 0 {
		r.Body = http.NoBody
	}
	c.answer.begin(r.Close)
	s.options.Handler.ServeHTTP(&c.answer, r)
	c.watch.end()
	again = c.answer.finish()
	if !again && c.body.left.Load() > 0 {
		c.linger()
	}
	c.phase.Store(waiting)
	return again && !s.closing.Load()
}

// lingerMax is the time for a client that is still sending to take an answer.
const lingerMax = 500 * time.Millisecond

// linger lets the client take the answer before the connection is closed: if bytes that nobody has read were left, the
// client would be told that the connection broke, and might not see the answer.
func (c *connection) linger() {
	if half, ok := c.conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
	c.limits.read(time.Now(), lingerMax, 0)
	for {
		if _, err := c.conn.Read(c.buffer[:]); err != nil {
			return
		}
	}
}

// drainMax is the number of bytes read of a body that the handler left unread, so that the connection can go on.
const drainMax = 256 << 10

// body is the body of a request.
type body struct {
	connection *connection
	left       atomic.Int64 // to be read
}

// Read implements io.Reader. It returns io.EOF with the last bytes.
func (b *body) Read(p []byte) (n int, err error) {
	left := b.left.Load()
	if left == 0 {
		return 0, io.EOF
	}
	if int64(len(p)) > left {
		p = p[:left]
	}
	if c := b.connection; c.from < c.to {
		n = copy(p, c.buffer[c.from:c.to])
		c.from += n
	} else if len(p) > 0 {
		c.limits.readBody(c.server.options.ReadTimeout)
		if n, err = c.conn.Read(p); err == io.EOF && n == 0 {
			b.left.Store(0) // no more comes
			return 0, io.ErrUnexpectedEOF
		}
	}
	if left = b.left.Add(-int64(n)); left == 0 {
		err = io.EOF
	}
	return n, err
}

// Close implements io.Closer.
func (b *body) Close() error { return nil }

// drain reads the rest; ok is false if there is too much of it or it does not come.
func (b *body) drain() (ok bool) {
	if b.left.Load() == 0 {
		return true
	}
	if b.left.Load() >= drainMax {
		return false
	}
	_, err := io.Copy(io.Discard, b)
	return err == nil
}
