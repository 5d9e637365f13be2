// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"context"
	"fmt"
	"sync/atomic"
)

// turn lets one change of the schema through at a time. It is a lock whose wait ends with a context.
type turn struct {
	taken chan struct{} // has room for one
	work  atomic.Pointer[string]
}

func newTurn() turn { return turn{taken: make(chan struct{}, 1)} }

// begin waits until no other change of the schema in this process is under way, and returns the call that ends this
// one. work names it to those who wait for it in vain. Errors: ctx's, with what it waited for.
func (t *turn) begin(ctx context.Context, work string) (end func(), err error) {
	select {
	case t.taken <- struct{}{}:
	default:
		select {
		case t.taken <- struct{}{}:
		case <-ctx.Done():
			return nil, t.waited(ctx)
		}
	}
	t.work.Store(&work)
	return func() { <-t.taken }, nil
}

// waited is the error of a wait that ended with its context.
func (t *turn) waited(ctx context.Context) error {
	other := "another change of the schema"
	if work := t.work.Load(); work != nil {
		other = *work
	}
	return fmt.Errorf("catalog: waited for %s, which itself waits for cursors, transactions and requests that began before it: %w",
		other, ctx.Err())
}

// label names the change of a table.
func (c *Catalog) label(id uint32) string {
	if e, ok := c.entryOf(id); ok {
		return "a change of table " + e.current.Load().Table.Name
	}
	return fmt.Sprintf("a change of table %d", id)
}
