// SPDX-License-Identifier: Apache-2.0

// Package journal keeps the changes of rows in the order of their commits, for tables with readers of their
// changes. A change is one entry of the key space, written in the commit that it tells of: table, bucket, the
// commit's stamp, the row's key; its value says what was before and after. So a reader that goes forwards from a stamp
// misses nothing and meets nothing twice. A row has one change in a commit, however often the transaction wrote it, and
// none if it is in the end what it was.
//
// An embedded store has one bucket for each table. On a cluster, where stamps are no order of commits yet, changes go
// to an outbox first, in buckets by row, and a Sequencer moves them to the journal.
//
// Knows: the entries of the journal and the outbox, positions in them, borders between shards.
// Never: tables' descriptors, readers.
package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"hash/fnv"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/kv"
)

// ClusterBuckets is the number of buckets the journal of a table has where several processes write.
const ClusterBuckets = 4

// ErrNoStamps is returned by engines that can't tell the order of commits.
var ErrNoStamps = errors.New("journal: the storage engine gives no stamps, so no changes can be kept; use the embedded engine or TiKV")

// ErrEntry is returned for bytes that are no entry.
var ErrEntry = errors.New("journal: damaged entry")

// Flags of an entry, its first byte.
const (
	wasThere = 1 << iota
	isThere
	byExpiry
	hasOld  // the row before
	hasNew  // the row after
	hasSum  // a sum of the row before, where that is not kept
	hasKeys // the attributes of the key, where no row is kept
	hasOrigin
)

// Entry is one change of a row. The rows are valid as long as the bytes that they were parsed from.
type Entry struct {
	WasThere, IsThere bool
	ByExpiry          bool // the row's time had come
	// Old, New and Keys select the parts that are kept: the row before, the row after, or the attributes of the key
	// alone.
	Old, New, Keys value.Row
	// Origin is the stamp of the commit's transaction, on a cluster, where the one in the key came later; 0: that in
	// the key.
	Origin uint64

	sum uint64
}

// Any returns a row of the entry that has the attributes of the key.
func (e *Entry) Any() value.Row {
	switch {
	case e.New != nil:
		return e.New
	case e.Old != nil:
		return e.Old
	}
	return e.Keys
}

// Append appends the entry's stored form.
func (e *Entry) Append(dst []byte) []byte {
	at := len(dst)
	dst = append(dst, 0)
	set := func(flag byte, is bool) {
		if is {
			dst[at] |= flag
		}
	}
	set(wasThere, e.WasThere)
	set(isThere, e.IsThere)
	set(byExpiry, e.ByExpiry)
	if e.Origin != 0 {
		set(hasOrigin, true)
		dst = binary.BigEndian.AppendUint64(dst, e.Origin)
	}
	if e.WasThere && e.Old == nil && e.sum != 0 {
		set(hasSum, true)
		dst = binary.BigEndian.AppendUint64(dst, e.sum)
	}
	for _, part := range [...]struct {
		flag byte
		row  value.Row
	}{{hasOld, e.Old}, {hasNew, e.New}, {hasKeys, e.Keys}} {
		if part.row != nil {
			set(part.flag, true)
			dst = binary.AppendUvarint(dst, uint64(len(part.row)))
			dst = append(dst, part.row...)
		}
	}
	return dst
}

// Parse reads what Append wrote. The rows alias b. Errors: ErrEntry.
func Parse(b []byte) (e Entry, err error) {
	if len(b) == 0 {
		return e, ErrEntry
	}
	flags, rest := b[0], b[1:]
	e.WasThere, e.IsThere, e.ByExpiry = flags&wasThere != 0, flags&isThere != 0, flags&byExpiry != 0
	for _, part := range [...]struct {
		flag byte
		to   *uint64
	}{{hasOrigin, &e.Origin}, {hasSum, &e.sum}} {
		if flags&part.flag == 0 {
			continue
		}
		if len(rest) < 8 {
			return e, ErrEntry
		}
		*part.to, rest = binary.BigEndian.Uint64(rest), rest[8:]
	}
	for _, part := range [...]struct {
		flag byte
		to   *value.Row
	}{{hasOld, &e.Old}, {hasNew, &e.New}, {hasKeys, &e.Keys}} {
		if flags&part.flag == 0 {
			continue
		}
		size, n := binary.Uvarint(rest)
		if n <= 0 || size > uint64(len(rest)-n) {
			return e, ErrEntry
		}
		*part.to, rest = value.Row(rest[n:n+int(size)]), rest[n+int(size):]
	}
	if len(rest) > 0 {
		return e, fmt.Errorf("%w: %d bytes too many", ErrEntry, len(rest))
	}
	return e, nil
}

// Book takes the changes of a table.
type Book struct {
	Table  uint32
	Images schema.Images
}

// Change is a change of a row, as it is written.
type Change struct {
	Key      []byte    // of the row, without what stands before the keys of the table's rows
	Old, New value.Row // nil: the row was, or is, not there. They differ.
	Keys     value.Row // the attributes of the key
	ByExpiry bool
}

// Write writes a change within txn. If the same transaction changed the row before, one change is left of both, or
// none. Errors: ErrNoStamps, those of the transaction.
func (b *Book) Write(txn kv.Txn, c *Change) error {
	stamper, ok := kv.StamperOf(txn)
	if !ok {
		return ErrNoStamps
	}
	key, at := b.appendKey(nil, stamper.StampsInOrder(), c.Key)
	e := b.entry(c)
	if before, ok := stamper.Stamped(key); ok {
		first, err := Parse(before)
		if err != nil {
			return err
		}
		if first.isUndoneBy(c.New) {
			return txn.Delete(key)
		}
		e.WasThere, e.Old, e.sum = first.WasThere, first.Old, first.sum
	}
	return stamper.SetStamped(key, at, e.Append(nil))
}

func (b *Book) entry(c *Change) Entry {
	e := Entry{WasThere: c.Old != nil, IsThere: c.New != nil, ByExpiry: c.ByExpiry}
	if b.Images&schema.NewImage != 0 {
		e.New = c.New
	}
	if b.Images&schema.OldImage != 0 {
		e.Old = c.Old
	} else if c.Old != nil {
		e.sum = sumOf(c.Old)
	}
	if e.Any() == nil {
		e.Keys = c.Keys
	}
	return e
}

// isUndoneBy reports whether the row is again as it was before the change.
func (e *Entry) isUndoneBy(now value.Row) bool {
	switch {
	case !e.WasThere || now == nil:
		return !e.WasThere && now == nil
	case e.Old != nil:
		return string(e.Old) == string(now)
	}
	return e.sum == sumOf(now)
}

// sumOf tells rows apart; it is never 0.
func sumOf(row value.Row) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(row) // it never fails
	return h.Sum64() | 1
}

// appendKey appends the key of a change without its stamp, whose place is at.
func (b *Book) appendKey(dst []byte, ordered bool, row []byte) (key []byte, at int) {
	if ordered {
		dst = keyspace.AppendJournalBucket(dst, b.Table, 0)
	} else {
		dst = keyspace.AppendOutbox(dst, b.Table, BucketOf(row))
	}
	at = len(dst)
	return append(append(dst, make([]byte, kv.StampBytes)...), row...), at
}

// BucketOf is the bucket of a row on a cluster.
func BucketOf(row []byte) uint8 {
	return uint8(crc32.ChecksumIEEE(row) % ClusterBuckets)
}
