// SPDX-License-Identifier: Apache-2.0

// Package kv is the interface between Weft and its storage engines: an ordered, transactional key space. Keys and
// values are byte strings; keys compare by bytes.Compare and nothing else.
//
// # Promises of every engine
//
//   - A snapshot (Reader, Txn) never changes: it shows what was committed before it began, whatever is committed later.
//   - Snapshot reads never block writers, and writers of different keys never wait for one another.
//   - First committer wins: a Txn that writes or guards a key which another transaction committed after this one's
//     snapshot was taken fails with ErrConflict at Commit. A Txn that neither reads nor guards (a blind write) may be
//     ordered after that commit instead.
//   - Guard puts a key that was read into the conflict set, so that write skew on guarded keys cannot happen. Two
//     transactions that guard the same key may conflict with each other, so a key shared by many transactions is never
//     guarded.
//   - Scans inside a Txn see the transaction's own writes merged in. Phantoms are possible: a range is protected by
//     guarding a key of it.
//   - Commit returns nil only once the writes are durable. No read returns a value whose commit is not durable yet: it
//     waits.
//   - Commits have one order for all reads, the order of time: Store.Get and a snapshot show each commit that was
//     acknowledged before they were called, and what the one misses no snapshot shows without all that was acknowledged
//     before it.
//   - A Txn that is also a Renewer may read later commits. Its later writes are checked for conflicts from that moment.
//   - A Commit that can't tell whether it took effect returns ErrUnknownOutcome; it is never retried by Update.
//
// # Powers that an engine may have
//
// Each is an interface of its own. Without it:
//
//   - Admin: no index is built or dropped (DeleteRange, Compact, sizes of ranges).
//   - Loader (of an Admin): indexes are built in small transactions, where they could be sorted and added in one step.
//   - Renewer (of a Txn): a write that waited for another one fails and starts again, where it could go on.
//   - Stamps, and Stamper of its Txn: no streams, recovery, asynchronous indexes or changes to Kinesis.
//   - Prefetcher (of a Txn): what is read one by one is asked for one by one.
//   - Walker: Walk reads through a cursor.
//   - Blocks (of a Cursor): ReadBlock reads entries one by one.
//   - Copier and Files: backups read all entries at one snapshot, where they could copy files.
//   - Followed: no shipping of changes as they are made.
//   - Marker: the database can't return to a state that it had, which is for tests.
//   - Shared: one process serves the store. Collector: the engine forgets old versions by itself.
//
// Knows: bytes, transactions, ranges, limits, conflicts.
// Never: tables, encodings of values, any engine.
package kv

import "context"

// Store is an open engine. All methods are safe for concurrent use.
type Store interface {
	// Get appends the latest committed value of key to dst and returns the extended slice. A missing key is ok ==
	// false; dst is then returned unchanged. key is not kept.
	Get(ctx context.Context, key, dst []byte) (value []byte, ok bool, err error)
	// Read opens a snapshot of the latest commits. The caller must Close it; an engine may end a snapshot that outlives
	// Limits.SnapshotLifetime, after which its methods return ErrSnapshotExpired.
	Read(ctx context.Context) (Reader, error)
	// Begin starts a transaction. Its snapshot is taken at Begin or as late as its first read. It must end in Commit or
	// Rollback.
	Begin(ctx context.Context) (Txn, error)
	// Limits returns the limits of this engine. The values never change while the store is open.
	Limits() Limits
	// Close releases the store. Use after Close returns ErrClosed. Closing twice is no error.
	Close() error
}

// Reader is one snapshot. It may be used by several goroutines at once; a Cursor may not.
type Reader interface {
	// Get is Store.Get at this snapshot.
	Get(ctx context.Context, key, dst []byte) (value []byte, ok bool, err error)
	// GetMany looks up all keys and calls found once for each, in any order, with the index of the key. value is valid
	// only during the call. The first error of found ends the look-up and is returned.
	GetMany(ctx context.Context, keys [][]byte, found func(i int, value []byte, ok bool) error) error
	// Scan returns a cursor over the keys of r in ascending order, or descending if reverse is set. It starts before
	// the first entry. A cancelled ctx ends it with ctx's error. The cursor must be closed, before the Reader is.
	Scan(ctx context.Context, r Range, reverse bool) Cursor
	// Close releases the snapshot. Closing twice is no error.
	Close() error
}

// Txn is a transaction: a snapshot plus buffered writes. It is used by one goroutine at a time. Reads see its own
// writes.
type Txn interface {
	// Get, GetMany and Scan read this transaction's snapshot with its own writes on top. Writing while one of its
	// cursors is open leaves undefined whether that cursor shows the write.
	Get(ctx context.Context, key, dst []byte) (value []byte, ok bool, err error)
	GetMany(ctx context.Context, keys [][]byte, found func(i int, value []byte, ok bool) error) error
	Scan(ctx context.Context, r Range, reverse bool) Cursor
	// Set buffers a write. key and value are copied. An empty value is a value. Errors: ErrTooLarge, ErrReadOnly.
	Set(key, value []byte) error
	// Delete buffers a deletion. Deleting an absent key is no error, and is a write as far as conflicts go.
	Delete(key []byte) error
	// Guard puts key, present or absent, into the conflict set without writing it.
	Guard(key []byte) error
	// Commit makes all writes visible at once, or none. It returns nil only when they are durable. After any error but
	// ErrUnknownOutcome nothing was written. The transaction is over in every case.
	Commit(ctx context.Context) error
	// Rollback drops the transaction. After Commit or a previous Rollback it does nothing, so that it can be deferred.
	Rollback()
}

// Snapshot is the common part of Reader and Txn, for code that only reads.
type Snapshot interface {
	Get(ctx context.Context, key, dst []byte) (value []byte, ok bool, err error)
	GetMany(ctx context.Context, keys [][]byte, found func(i int, value []byte, ok bool) error) error
	Scan(ctx context.Context, r Range, reverse bool) Cursor
}

// Cursor walks the entries of a Range. It is used by one goroutine.
type Cursor interface {
	// Next moves to the next entry in the cursor's direction and reports whether there is one. After false, look at
	// Close's error.
	Next() bool
	// Key returns the current key, valid until the next Next, Seek or Close. The caller must not change it.
	Key() []byte
	// Value returns the current value, with the same life time as Key.
	Value() []byte
	// Seek moves so that the following Next yields the first entry at or after key in the cursor's direction (at or
	// before it when reverse), never leaving the range. Seeking backwards is allowed.
	Seek(key []byte)
	// Move takes the cursor to another range of the same view, before its first entry in the same direction: as a new
	// Scan would, for less. After an error it does nothing.
	Move(r Range)
	// Close releases the cursor and returns the error that ended the walk early, if any. Closing twice is no error.
	Close() error
}

// Range is the keys k with Start <= k < End. A nil Start is the first key; a nil End has no upper bound.
type Range struct {
	Start, End []byte
}

// Limits are an engine's limits on sizes and times. A zero field means no limit.
type Limits struct {
	KeyBytesMax      int   // longest key, bytes
	ValueBytesMax    int   // longest value, bytes
	TxnBytesMax      int   // keys and values written by one transaction, bytes
	TxnLifetimeMS    int64 // a transaction older than this may be refused with ErrConflict at Commit, milliseconds
	SnapshotLifetime int64 // milliseconds a snapshot stays readable
}

// Admin has an engine's operations besides reads and transactions. An engine returns ErrUnsupported for an operation
// that it lacks. Of an operation that has returned, even because ctx has ended, no change is still to come, unless its
// error is ErrUnknownOutcome: so it can be tried again.
type Admin interface {
	// DeleteRange drops all keys of r, not transactionally. It is only for ranges that nothing reads or writes any
	// more.
	DeleteRange(ctx context.Context, r Range) error
	// Checkpoint writes a consistent copy of the whole store into the new folder dir.
	Checkpoint(ctx context.Context, dir string) error
	// Ingest adds sorted entries which lie in a range that holds no key yet, faster than transactions. next returns
	// io.EOF at the end; its slices are not kept.
	Ingest(ctx context.Context, next func() (key, value []byte, err error)) error
	// Regions lists the engine's own physical shards that overlap r, in key order.
	Regions(ctx context.Context, r Range) ([]Region, error)
	// Split asks the engine to split its shards at the given keys.
	Split(ctx context.Context, keys [][]byte) error
	// Compact rewrites r so that deleted entries give their space back.
	Compact(ctx context.Context, r Range) error
	// ApproximateSize estimates the bytes on disk of r.
	ApproximateSize(ctx context.Context, r Range) (bytes int64, err error)
}

// Region is one physical shard of an engine.
type Region struct {
	ID     uint64
	Range  Range
	Leader string   // address of the store that serves it; empty when embedded
	Peers  []string // addresses of all replicas
}
