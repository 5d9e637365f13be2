// SPDX-License-Identifier: Apache-2.0

package httpwire

import (
	"io"
	"sync/atomic"
)

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
