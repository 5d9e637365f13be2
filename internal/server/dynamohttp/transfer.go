// SPDX-License-Identifier: Apache-2.0

package dynamohttp

import (
	"context"
	"errors"
	"sync"
	"time"
)

// largeBytes is the memory from which on a request counts as large. All large ones together may take largeShare of the
// memory, so that the others, which are most, never wait for clients that are slow to send or to take much.
const (
	largeBytes = 2 << 20
	largeShare = 0.8
)

// stallAfter is the time without another 64 KiB after which a transfer gives its memory to a request that finds none.
const stallAfter = 250 * time.Millisecond

// errStalled says that a body came too slowly while others waited for its memory.
var errStalled = errors.New("dynamohttp: the client was slow while others waited for its memory")

// transfers are the requests with memory of their own whose bodies are coming and whose answers are going.
type transfers struct {
	mu    sync.Mutex
	under map[*exchange]struct{}
}

func (t *transfers) begin(x *exchange) {
	x.moved.Store(time.Now().UnixNano())
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.under == nil {
		t.under = map[*exchange]struct{}{}
	}
	t.under[x] = struct{}{}
}

// end reports whether the transfer was cut.
func (t *transfers) end(x *exchange) (cut bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.under, x)
	return x.stalled.Swap(false)
}

// cut ends transfers that have stalled, the longest first, until they give back so many bytes.
func (t *transfers) cut(bytes int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for bytes > 0 {
		var slowest *exchange
		least := time.Now().Add(-stallAfter).UnixNano()
		for x := range t.under {
			if moved := x.moved.Load(); moved < least {
				slowest, least = x, moved
			}
		}
		if slowest == nil {
			return
		}
		delete(t.under, slowest)
		slowest.stalled.Store(true)
		slowest.interrupt()
		bytes -= slowest.reserved.Load()
	}
}

// interrupt ends what waits for the client.
func (x *exchange) interrupt() {
	over := time.Unix(1, 0)
	if x.sending {
		_ = x.conn.SetWriteDeadline(over) // fails only on a closed connection, as below
	} else {
		_ = x.conn.SetReadDeadline(over)
	}
}

// reserve counts more memory as this request's. One request alone may have all there is for its like. Errors:
// errNoMemory, ctx's.
func (x *exchange) reserve(ctx context.Context, bytes int64) error {
	s := x.server
	held, most := x.reserved.Load(), s.memory.limit
	if held+bytes > largeBytes {
		most = s.large.limit
		if more := min(held+bytes, most) - x.large; more > 0 {
			if err := s.large.take(ctx, more, s.options.WaitMax); err != nil {
				return err
			}
			x.large += more
		}
	}
	if bytes = min(bytes, most-held); bytes <= 0 {
		return nil
	}
	if err := s.memory.take(ctx, bytes, s.options.WaitMax); err != nil {
		return err
	}
	x.reserved.Add(bytes)
	return nil
}

// release gives back all memory of the request.
func (x *exchange) release() {
	x.server.memory.release(x.reserved.Swap(0))
	x.server.large.release(x.large)
	x.large = 0
}
