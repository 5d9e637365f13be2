// SPDX-License-Identifier: Apache-2.0

package record

import (
	"bytes"
	"cmp"
	"context"
	"hash/maphash"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/index/indexkey"
)

// Waits adds up for how long one caller has waited for latches. Session names it to others that wait for it; 0 is
// nobody in particular.
type Waits struct {
	Session uint32
	waited  atomic.Int64 // nanoseconds
}

// Waited returns the sum.
func (w *Waits) Waited() time.Duration { return time.Duration(w.waited.Load()) }

// Reset begins anew.
func (w *Waits) Reset() { w.waited.Store(0) }

type waitsKey struct{}

// Context makes everything that is done in the context add its waiting.
func (w *Waits) Context(ctx context.Context) context.Context {
	return context.WithValue(ctx, waitsKey{}, w)
}

func waitsOf(ctx context.Context) *Waits {
	w, _ := ctx.Value(waitsKey{}).(*Waits)
	return w
}

func sessionOf(ctx context.Context) uint32 {
	if w := waitsOf(ctx); w != nil {
		return w.Session
	}
	return 0
}

// Wait is a row that is waited for: by one now, from Begun on, or by Count since the start, who waited for so long
// together. GaveUp counts those that did not get it.
type Wait struct {
	RowName
	Session, Holder uint32 // of one that waits now; 0 for those that are not sessions
	Begun           time.Time
	Count, GaveUp   int64
	Waited, Longest time.Duration
}

// RowName is a row as people see it: Values are its key's values, texts in the notation of package value. They are
// empty where the row is not known.
type RowName struct {
	Key                     []byte // nil if it is not known
	Database, Table, Values string
}

// read reads the key. find finds a table by its id; nil: it is no more.
func (n *RowName) read(find func(id uint32) *schema.Table) {
	id, _, size, ok := keyspace.CutRow(n.Key)
	if !ok {
		return
	}
	d := find(id)
	if d == nil {
		return
	}
	n.Database, n.Table = d.Database, d.Name
	var parts []string
	indexkey.Leading(&d.Primary, n.Key[size:], nil, func(part *schema.KeyPart, v value.Value) {
		switch number, ok := v.Decimal(); {
		case part.Hidden:
		case ok:
			parts = append(parts, string(number.AppendText(nil)))
		default:
			parts = append(parts, v.String())
		}
	})
	n.Values = strings.Join(parts, ", ")
}

// rowsMax is for how many rows the waits are added up.
const rowsMax = 256

// watch sees those that wait. Who need not wait does not come here.
type watch struct {
	mu   sync.Mutex
	now  map[*Wait]struct{}
	rows map[uint64]*Wait
}

// begin notes that somebody begins to wait.
func (w *watch) begin(ctx context.Context, key []byte, holder uint32) *Wait {
	one := &Wait{RowName: RowName{Key: bytes.Clone(key)}, Session: sessionOf(ctx), Holder: holder, Begun: time.Now()}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.now == nil {
		w.now, w.rows = map[*Wait]struct{}{}, map[uint64]*Wait{}
	}
	w.now[one] = struct{}{}
	return one
}

// end notes that the waiting is over.
func (w *watch) end(ctx context.Context, one *Wait, hash uint64, got bool) {
	took := time.Since(one.Begun)
	if of := waitsOf(ctx); of != nil {
		of.waited.Add(int64(took))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.now, one)
	row := w.rows[hash]
	if row == nil {
		if len(w.rows) >= rowsMax {
			w.evict()
		}
		row = &Wait{}
		w.rows[hash] = row
	}
	if row.Key == nil {
		row.Key = one.Key
	}
	row.Count++
	if !got {
		row.GaveUp++
	}
	row.Waited += took
	row.Longest = max(row.Longest, took)
}

// evict forgets the row that was waited for least of some.
func (w *watch) evict() {
	var least uint64
	looked := 0
	for hash, row := range w.rows { // in no order, which is what is wanted
		if looked == 0 || row.Waited < w.rows[least].Waited {
			least = hash
		}
		if looked++; looked == 8 {
			break
		}
	}
	delete(w.rows, least)
}

// Waits returns the present waits, the longest first, and the rows that were waited for since the
// start, as far as they are kept, those that took longest together first. find finds a table by its id; nil: it is no
// more.
func (l *Latches) Waits(find func(id uint32) *schema.Table) (now, since []Wait) {
	l.watch.mu.Lock()
	for one := range l.watch.now {
		now = append(now, *one)
	}
	for _, row := range l.watch.rows {
		since = append(since, *row)
	}
	l.watch.mu.Unlock()
	for _, list := range [][]Wait{now, since} {
		for i := range list {
			list[i].read(find)
		}
	}
	slices.SortFunc(now, func(a, b Wait) int { return a.Begun.Compare(b.Begun) })
	slices.SortFunc(since, func(a, b Wait) int { return cmp.Compare(b.Waited, a.Waited) })
	return now, since
}

// Note lets the caller be seen among those that wait for the latch of key, until it calls the result and says whether
// it got what it waited for.
func (l *Latches) Note(ctx context.Context, key []byte) (end func(got bool)) {
	seen, hash := l.watch.begin(ctx, key, 0), maphash.Bytes(l.seed, key)
	return func(got bool) { l.watch.end(ctx, seen, hash, got) }
}

// keyOf finds the key of a hash.
func (l *Latches) keyOf(hash uint64, keys [][]byte) []byte {
	for _, key := range keys {
		if maphash.Bytes(l.seed, key) == hash {
			return key
		}
	}
	return nil
}

// session is the session of the latch's holder, if it has one.
func (h *latch) session() uint32 {
	switch {
	case h.exclusive && h.holder != nil:
		return h.holder.session
	case !h.exclusive && len(h.sharers) > 0 && h.sharers[0] != nil:
		return h.sharers[0].session
	}
	return 0
}
