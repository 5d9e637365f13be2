// SPDX-License-Identifier: Apache-2.0

package database

import "context"

// Counter names one of a table's counters, which dialects make keys from.
type Counter uint32

// The counters of a table.
const (
	CounterColumn Counter = iota // of a column that gets the next number
	CounterRow                   // of a key that nobody sees
)

// TakeNumbers takes count numbers, which follow one another, from one of the table's counters, and returns the first.
// Numbers begin with 1 and grow. They are taken in blocks, for this process alone and for ever: none is given out
// twice, whatever becomes of the transaction that uses it.
func (p Pinned) TakeNumbers(ctx context.Context, counter Counter, count uint64) (first uint64, err error) {
	first, err = p.db.catalog.TakeNumbers(ctx, p.Descriptor().ID, uint32(counter), count)
	return first, wrap(p.name(), err)
}

// PassNumber makes a counter of the table go on behind a number that was not taken from it. In other processes it does
// so with their next block.
func (p Pinned) PassNumber(ctx context.Context, counter Counter, number uint64) error {
	return wrap(p.name(), p.db.catalog.PassNumber(ctx, p.Descriptor().ID, uint32(counter), number))
}

// NextNumber is the number that a counter of the table gives out next in this process.
func (p Pinned) NextNumber(ctx context.Context, counter Counter) (uint64, error) {
	number, err := p.db.catalog.NextNumber(ctx, p.Descriptor().ID, uint32(counter))
	return number, wrap(p.name(), err)
}
