// SPDX-License-Identifier: Apache-2.0

package record

import (
	"context"

	"github.com/weftdb/weft/internal/history/journal"
	"github.com/weftdb/weft/kv"
)

// Undo remembers what a transaction's writes replaced since its savepoints, so that they can be taken back. A key that
// is taken back is written with what it had, and so stays in the transaction's conflict set: that what it had is still
// right is then the commit's to see. It is used by one goroutine. The zero value works and has no savepoint.
type Undo struct {
	marks    []int // how long replaced was at each savepoint; ascending
	replaced []savedValue
	latest   map[string]int // by key: the place of its last entry in replaced
	bytes    int
}

// savedValue is the value of a key before its first write after a savepoint.
type savedValue struct {
	key    string
	value  []byte
	there  bool
	before int // the key's entry before this one; -1 for none
}

// undoBytesMax bounds the values that are remembered, as transactions are bounded.
const undoBytesMax = 128 << 20

// Savepoints is the number of savepoints.
func (u *Undo) Savepoints() int { return len(u.marks) }

// Set makes a savepoint: the last one.
func (u *Undo) Set() { u.marks = append(u.marks, len(u.replaced)) }

// Release forgets savepoint n, counted from 0, and keeps what was written since; later ones take its number and those
// behind it.
func (u *Undo) Release(n int) {
	start, last := u.marks[n], n == len(u.marks)-1
	u.marks = append(u.marks[:n], u.marks[n+1:]...)
	switch {
	case len(u.marks) == 0:
		*u = Undo{}
	case last:
		u.merge(start)
	}
}

// merge drops entries from start on that the savepoint before doesn't need, having older ones of their keys.
func (u *Undo) merge(start int) {
	mark, later := u.marks[len(u.marks)-1], u.replaced[start:]
	for i := len(later) - 1; i >= 0; i-- {
		u.forget(later[i])
	}
	u.replaced = u.replaced[:start]
	for _, r := range later {
		if before := u.last(r.key); before < mark {
			r.before = before
			u.add(r)
		}
	}
	clear(later[len(u.replaced)-start:])
}

// last is the place of a key's last entry; -1 for none.
func (u *Undo) last(key string) int {
	if at, met := u.latest[key]; met {
		return at
	}
	return -1
}

// add remembers r as its key's last entry.
func (u *Undo) add(r savedValue) {
	if u.latest == nil {
		u.latest = map[string]int{}
	}
	u.latest[r.key] = len(u.replaced)
	u.bytes += len(r.key) + len(r.value)
	u.replaced = append(u.replaced, r)
}

// forget makes the entry before r its key's last one.
func (u *Undo) forget(r savedValue) {
	u.bytes -= len(r.key) + len(r.value)
	if r.before >= 0 {
		u.latest[r.key] = r.before
	} else {
		delete(u.latest, r.key)
	}
}

// Back takes back what was written since savepoint n, and forgets the later ones. After an error the transaction must
// be rolled back as a whole.
func (u *Undo) Back(txn kv.Txn, n int) (err error) {
	u.marks = u.marks[:n+1]
	for i := len(u.replaced) - 1; i >= u.marks[n] && err == nil; i-- {
		r := u.replaced[i]
		if u.forget(r); r.there {
			err = txn.Set([]byte(r.key), r.value)
		} else {
			err = txn.Delete([]byte(r.key))
		}
		u.replaced[i] = savedValue{}
		u.replaced = u.replaced[:i]
	}
	return err
}

// Writes is txn for writes that can be taken back; txn itself as long as there is no savepoint. ctx is the context of
// the writes.
func (u *Undo) Writes(ctx context.Context, txn kv.Txn) kv.Txn {
	if len(u.marks) == 0 {
		return txn
	}
	return undoable{txn, ctx, u}
}

// undoable is a transaction that notes what its writes replace.
type undoable struct {
	kv.Txn
	ctx  context.Context // of one write of a row
	undo *Undo
}

// Set is kv.Txn's.
func (t undoable) Set(key, value []byte) error {
	if err := t.note(key); err != nil {
		return err
	}
	return t.Txn.Set(key, value)
}

// Delete is kv.Txn's.
func (t undoable) Delete(key []byte) error {
	if err := t.note(key); err != nil {
		return err
	}
	return t.Txn.Delete(key)
}

// SetStamped is kv.Stamper's.
func (t undoable) SetStamped(key []byte, at int, value []byte) error {
	stamper, ok := kv.StamperOf(t.Txn)
	if !ok {
		return journal.ErrNoStamps
	}
	if err := t.note(key); err != nil {
		return err
	}
	return stamper.SetStamped(key, at, value)
}

// Stamped is kv.Stamper's.
func (t undoable) Stamped(key []byte) ([]byte, bool) {
	stamper, ok := kv.StamperOf(t.Txn)
	if !ok {
		return nil, false
	}
	return stamper.Stamped(key)
}

// StampsInOrder is kv.Stamper's.
func (t undoable) StampsInOrder() bool {
	stamper, ok := kv.StamperOf(t.Txn)
	return ok && stamper.StampsInOrder()
}

// note remembers what a key has, unless that is known since the last savepoint.
func (t undoable) note(key []byte) error {
	u := t.undo
	before := u.last(string(key))
	if before >= u.marks[len(u.marks)-1] {
		return nil
	}
	value, there, err := t.Get(t.ctx, key, nil)
	switch {
	case err != nil:
		return err
	case u.bytes+len(key)+len(value) > undoBytesMax:
		return &kv.SizeError{What: "transaction", Bytes: u.bytes + len(key) + len(value), BytesMax: undoBytesMax}
	}
	u.add(savedValue{string(key), value, there, before})
	return nil
}
