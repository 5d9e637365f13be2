// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"context"
	"errors"
	"math"
	"sync"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/order"
)

// ErrNumbers is returned where a counter has no number left.
var ErrNumbers = errors.New("catalog: the counter has no number left")

// Numbers are given out from blocks, each of which one process alone has: what stands in the store is the first number
// beyond all blocks. The rest of a block when its process ends is never used.
const (
	blockFirst = 32 // numbers of the first block that a process takes; each next one is twice as long
	blockMost  = 4096
)

type counterID struct{ table, counter uint32 }

// counter is a process's block of one counter.
type counter struct {
	mu sync.Mutex
	block
}

type block struct {
	next, end uint64 // the numbers that are left
	size      uint64 // of the last block
}

func (c *Catalog) counter(table, which uint32) *counter {
	known, ok := c.counters.Load(counterID{table, which})
	if !ok {
		known, _ = c.counters.LoadOrStore(counterID{table, which}, &counter{block: block{next: 1, end: 1}})
	}
	return known.(*counter)
}

// TakeNumbers takes count numbers, which follow one another, from one of a table's counters, and returns the first.
// They are larger than all that this process took before; no process ever gets one of them again. Errors: ErrNumbers.
func (c *Catalog) TakeNumbers(ctx context.Context, table, which uint32, count uint64) (first uint64, err error) {
	n := c.counter(table, which)
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.end-n.next < count {
		if err := c.grow(ctx, counterID{table, which}, n, count, 0); err != nil {
			return 0, err
		}
	}
	first = n.next
	n.next += count
	return first, nil
}

// PassNumber makes a counter go on behind a number that was not taken from it, if it is not there yet.
func (c *Catalog) PassNumber(ctx context.Context, table, which uint32, number uint64) error {
	n := c.counter(table, which)
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case number < n.next:
		return nil
	case number < n.end:
		n.next = number + 1
		return nil
	}
	return c.grow(ctx, counterID{table, which}, n, 0, number)
}

// NextNumber is the number that this process would give out next.
func (c *Catalog) NextNumber(ctx context.Context, table, which uint32) (uint64, error) {
	n := c.counter(table, which)
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.next < n.end {
		return n.next, nil
	}
	stored, err := c.storedNumber(ctx, c.store, counterID{table, which})
	return max(stored, n.next), err
}

// getter reads a counter.
type getter interface {
	Get(ctx context.Context, key, dst []byte) (value []byte, ok bool, err error)
}

func (c *Catalog) storedNumber(ctx context.Context, from getter, id counterID) (uint64, error) {
	stored, ok, err := from.Get(ctx, keyspace.AppendCounter(nil, id.table, id.counter), nil)
	if err != nil || !ok {
		return 1, err
	}
	number, _, err := order.CutUvarint(stored)
	return number, err
}

// grow takes a block that holds count numbers behind the one passed. The rest of the block before is part of it if no
// other block was taken in between.
func (c *Catalog) grow(ctx context.Context, id counterID, n *counter, count, passed uint64) error {
	size := max(min(2*n.size, blockMost), blockFirst)
	var next, end uint64
	err := kv.Update(ctx, c.store, func(txn kv.Txn) error {
		stored, err := c.storedNumber(ctx, txn, id)
		if err != nil {
			return err
		}
		if next = stored; stored == n.end {
			next = n.next
		}
		if passed >= next {
			if next = passed; passed < math.MaxUint64 {
				next++
			}
		}
		if count > math.MaxUint64-next {
			return ErrNumbers
		}
		least := max(next+count, stored)
		if end = least + size; end < least {
			end = math.MaxUint64
		}
		return txn.Set(keyspace.AppendCounter(nil, id.table, id.counter), order.AppendUvarint(nil, end))
	})
	if err == nil {
		n.next, n.end, n.size = next, end, size
	}
	return err
}
