// SPDX-License-Identifier: Apache-2.0

package digest

import (
	"bytes"
	"hash/maphash"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Bounds of the table.
const (
	TextMax     = 1024 // bytes of a text without literals
	SlowTextMax = 8192 // bytes of a slow statement

	entriesMax = 1000
	knownMax   = 4096 // fingerprints of them; a power of two
	knownNear  = 4    // places in which a fingerprint can be
	slowMax    = 100
	looksMax   = 8 // entries that are compared when one must go
)

// API is the language that a statement is in.
type API uint8

// The languages.
const (
	SQL API = iota
	DynamoDB
	HBase
)

// String is the language's name.
func (a API) String() string { return [...]string{"SQL", "DynamoDB", "HBase"}[a] }

// Cost is the cost of one statement. Waited is the part of Took in which it waited for rows that others held.
type Cost struct {
	Took, Waited                       time.Duration
	Examined, Returned, Written, Seeks int64
	Failed                             bool
	Whole                              bool // nothing bounded what it read of a table or an index
}

// Digest is the cost of all statements of one text without literals since First.
type Digest struct {
	API               API
	Database, Text    string
	First, Last       time.Time
	Count, Failed     int64
	Took, Waited, Max time.Duration // Max is the longest one's
	Examined          int64
	Returned          int64
	Written           int64
	Seeks             int64
	Whole             int64 // statements that nothing bounded
}

// Entry adds up one Digest. It is safe for concurrent use.
type Entry struct {
	gone atomic.Bool // it made room for another
	mu   sync.Mutex
	sum  Digest
}

// Add adds a statement that has ended now.
func (e *Entry) Add(c *Cost, now time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := &e.sum
	s.Last = now
	s.Count++
	if c.Failed {
		s.Failed++
	}
	if c.Whole {
		s.Whole++
	}
	s.Took += c.Took
	s.Waited += c.Waited
	s.Max = max(s.Max, c.Took)
	s.Examined += c.Examined
	s.Returned += c.Returned
	s.Written += c.Written
	s.Seeks += c.Seeks
}

func (e *Entry) digest() Digest {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.sum
}

// Table keeps digests and slow statements. It is safe for concurrent use; see New.
type Table struct {
	seed  maphash.Seed
	known [knownMax]atomic.Pointer[entry] // by fingerprints, so that one is found without a lock

	mu      sync.Mutex
	entries map[textOf]*Entry

	slowMu sync.Mutex
	slow   []Statement // a ring
	next   int
}

// entry is the entry of a fingerprint. Several have one text.
type entry struct {
	id    uint64
	entry *Entry
}

type textOf struct {
	api            API
	database, text string
}

// New makes an empty table.
func New() *Table {
	return &Table{seed: maphash.MakeSeed(), entries: map[textOf]*Entry{}}
}

// goldenRatio spreads small numbers over 64 bits.
const goldenRatio = 0x9e3779b97f4a7c15

// ID names a fingerprint: what tells statements apart that differ in more than their literals.
func (t *Table) ID(api API, database string, fingerprint []byte) uint64 {
	of := bits.RotateLeft64(maphash.String(t.seed, database), 1) + uint64(api)*goldenRatio
	return of ^ maphash.Bytes(t.seed, fingerprint)
}

// Find returns the entry of a fingerprint; nil if it is new, which Note changes.
func (t *Table) Find(id uint64) *Entry {
	for i := range uint64(knownNear) {
		k := t.known[(id+i)%knownMax].Load()
		if k == nil {
			return nil
		}
		if k.id == id && !k.entry.gone.Load() {
			return k.entry
		}
	}
	return nil
}

// Note makes an entry known by a fingerprint: the one of the text, which is new if need be. Of too many, one that cost
// little goes.
func (t *Table) Note(id uint64, api API, database string, text []byte, now time.Time) *Entry {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := textOf{api, database, shorten(text)}
	e := t.entries[at]
	if e == nil {
		if len(t.entries) >= entriesMax {
			t.evict()
		}
		e = &Entry{sum: Digest{API: api, Database: database, Text: at.text, First: now}}
		t.entries[at] = e
	}
	t.keep(&entry{id, e})
	return e
}

// keep keeps a fingerprint in the first of its places that is free, or instead of one that is there.
func (t *Table) keep(one *entry) {
	for i := range uint64(knownNear) {
		place := &t.known[(one.id+i)%knownMax]
		if k := place.Load(); k == nil || k.id == one.id || k.entry.gone.Load() {
			place.Store(one)
			return
		}
	}
	t.known[(one.id+(one.id>>32)%knownNear)%knownMax].Store(one)
}

// Add adds a statement that has ended now, and whose text is at hand: its first TextMax bytes count. The text may be
// changed afterwards.
func (t *Table) Add(api API, database string, text []byte, c *Cost, now time.Time) {
	id := t.ID(api, database, text)
	e := t.Find(id)
	if e == nil {
		e = t.Note(id, api, database, text, now)
	}
	e.Add(c, now)
}

// shorten cuts a text at TextMax bytes.
func shorten(text []byte) string {
	if len(text) <= TextMax {
		return string(text)
	}
	return string(bytes.ToValidUTF8(text[:TextMax], nil)) + "…"
}

// evict drops the cheapest of some entries.
func (t *Table) evict() {
	var cheapest textOf
	least, looked := time.Duration(-1), 0
	for at, e := range t.entries { // in no order, which is what is wanted
		if took := e.digest().Took; least < 0 || took < least {
			cheapest, least = at, took
		}
		if looked++; looked == looksMax {
			break
		}
	}
	t.entries[cheapest].gone.Store(true)
	delete(t.entries, cheapest)
}

// Digests returns all, those that took longest together first.
func (t *Table) Digests() []Digest {
	t.mu.Lock()
	list := make([]Digest, 0, len(t.entries))
	for _, e := range t.entries {
		list = append(list, e.digest())
	}
	t.mu.Unlock()
	list = slices.DeleteFunc(list, func(d Digest) bool { return d.Count == 0 })
	slices.SortFunc(list, func(a, b Digest) int { return int(min(1, max(-1, int64(b.Took-a.Took)))) })
	return list
}

// Statement is a statement that has ended.
type Statement struct {
	API                  API
	Session              uint32
	User, Host, Database string
	Text                 string // its first SlowTextMax bytes
	Begun                time.Time
	Cost
}

// KeepSlow keeps a statement, for as long as it is one of the last slowMax.
func (t *Table) KeepSlow(s *Statement) {
	t.slowMu.Lock()
	defer t.slowMu.Unlock()
	if len(t.slow) < slowMax {
		t.slow = append(t.slow, *s)
		return
	}
	t.slow[t.next] = *s
	t.next = (t.next + 1) % slowMax
}

// Slow returns the slow statements, the last one first.
func (t *Table) Slow() []Statement {
	t.slowMu.Lock()
	defer t.slowMu.Unlock()
	list := append(slices.Clone(t.slow[t.next:]), t.slow[:t.next]...)
	slices.Reverse(list)
	return list
}
