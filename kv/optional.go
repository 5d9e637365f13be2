// SPDX-License-Identifier: Apache-2.0

package kv

import (
	"context"
	"errors"
	"io"
	"time"
)

// Shared is implemented by a Store whose data several processes may use at once, each through a Store of its own. Get
// it with SharedOf.
type Shared interface {
	// NowMS returns the cluster's clock, Unix time in milliseconds: the clock that commits are stamped by, one for all
	// processes, and never running backwards, whatever their own clocks do. A commit whose Begin or whose writes follow
	// a NowMS is stamped with that time or a later one.
	NowMS(ctx context.Context) (int64, error)
	// Fence lets no transaction of this Store commit from then on unless the cluster's clock, at the moment that the
	// commit is stamped with, is before until(): it fails with ErrFenced and writes nothing. until is asked during each
	// commit that has anything to write or to guard, by several goroutines at once, and must not block; an answer must
	// not become wrong later. nil removes the fence. Commits in progress may still use the fence before.
	Fence(until func() int64)
}

// Collector is implemented by a Store that drops old versions of its keys only on request. One process at a time should
// call it; several at once do no harm but cost time.
type Collector interface {
	// Collect drops versions that no snapshot within Limits.SnapshotLifetime can show any more, and rolls back
	// transactions that were abandoned before then. Call it about every tenth of that time. Errors: ErrClosed, ctx's
	// error, the engine's; the next call makes up for one that failed.
	Collect(ctx context.Context) error
}

// Unwrapper is a Store that passes calls on to another one.
type Unwrapper interface {
	// Unwrap returns the other store.
	Unwrap() Store
}

// SharedOf returns the Shared of s, or of the first store below that has one; ok is false if s belongs to one process
// alone.
func SharedOf(s Store) (shared Shared, ok bool) {
	return find[Shared](s)
}

// CollectorOf is SharedOf for Collector.
func CollectorOf(s Store) (collector Collector, ok bool) { return find[Collector](s) }

// AdminOf is SharedOf for Admin.
func AdminOf(s Store) (admin Admin, ok bool) { return find[Admin](s) }

// find returns the first of s and the stores below it that is a T.
func find[T any](s Store) (found T, ok bool) {
	for s != nil {
		if found, ok := s.(T); ok {
			return found, true
		}
		wrapper, ok := s.(Unwrapper)
		if !ok {
			break
		}
		s = wrapper.Unwrap()
	}
	return found, false
}

// Copier is implemented by a Store that is a folder of files, of which it can make a copy at any time for next to
// nothing. Get it with CopierOf.
type Copier interface {
	// Copy takes the files of the store as they are at this moment, with every commit that was acknowledged. Errors:
	// ErrClosed, the file system's.
	Copy(ctx context.Context) (Files, error)
}

// Files are the files of a store at one moment, until Close. They never change. A folder with all of them is a store.
type Files interface {
	// Names lists them; the last one is what makes a store of the others, so a copy writes it last.
	Names() []string
	// Open opens one, with its size in bytes. Several may be open at once.
	Open(name string) (file io.ReadCloser, size int64, err error)
	// Check reads one and reports whether it is unchanged since the engine wrote it, as far as its checksums can tell.
	// Errors: ErrDamaged.
	Check(ctx context.Context, name string) error
	// Close gives the space back. Closing twice is no error.
	Close() error
}

// CopierOf is SharedOf for Copier.
func CopierOf(s Store) (copier Copier, ok bool) { return find[Copier](s) }

// Loader is implemented by an Admin that takes many entries in one step into keys that are in use, for far less than
// commits of them.
type Loader interface {
	// MayLoad reports whether Load would go unnoticed by whoever depends on seeing each commit.
	MayLoad() bool
	// Load adds entries, whose keys ascend, all at once or none: those that are there keep their values unless an entry
	// has the same key. It is durable when it returns, and conflicts with no transaction. If alone is set, transactions
	// under way fail with ErrConflict once they commit writes or guards: those that don't fail have seen the entries.
	// next returns io.EOF at the end; its slices are not kept. Errors: next's, one that names the key if keys don't
	// ascend, ErrReadOnly.
	Load(ctx context.Context, alone bool, next func() (key, value []byte, err error)) error
	// Scratch is a folder of the operating system, on the store's disk, for temporary files, which Open removes; "":
	// there is none.
	Scratch() string
}

// Prefetcher is implemented by a Txn whose reads take a way over the network each.
type Prefetcher interface {
	// Prefetch reads keys together at the transaction's snapshot and keeps what it finds, so that Get and GetMany have
	// it at hand. It changes nothing of what they return. It may keep less than all. Errors: as GetMany's.
	Prefetch(ctx context.Context, keys [][]byte) error
}

// Prefetch reads keys together that t is about to read one by one, where that saves time. Elsewhere it does nothing.
func Prefetch(ctx context.Context, t Txn, keys [][]byte) error {
	if len(keys) < 2 {
		return nil
	}
	if p, ok := findTxn[Prefetcher](t); ok {
		return p.Prefetch(ctx, keys)
	}
	return nil
}

type replicaKey struct{}

// FromReplicas says of a context that what is read in it may come from any replica of the data. It shows the same as
// what the first of them has, where an engine has several at all; only who does the work differs.
func FromReplicas(ctx context.Context) context.Context {
	return context.WithValue(ctx, replicaKey{}, true)
}

// Replicated is implemented by a Store that may have replicas which are read in contexts of FromReplicas.
type Replicated interface {
	// ReadsReplicas reports whether it has, and they are.
	ReadsReplicas() bool
}

// ReadsReplicas reports whether s, or a store below it, reads replicas in contexts of FromReplicas.
func ReadsReplicas(s Store) bool {
	replicated, ok := find[Replicated](s)
	return ok && replicated.ReadsReplicas()
}

// MayAskReplicas reports whether FromReplicas was said of a context.
func MayAskReplicas(ctx context.Context) bool { return ctx.Value(replicaKey{}) != nil }

// Followed is implemented by a Store that can hand out what is committed to it, for a copy elsewhere to follow. Get it
// with FollowedOf.
type Followed interface {
	// Follow gathers the changes of all commits that are made from when it returns, until Close. One Follower at a time
	// may be there. A Copy that is made after Follow has all changes before it. Errors: ErrClosed, and one that says so
	// if there is a Follower.
	Follow(bytesMax int64) (Follower, error)
	// Redo makes changes of another store of this engine again, in the order in which they are given. A change that was
	// made already may be made again if all that came after it are, too. Errors: those of a commit.
	Redo(ctx context.Context, changes []Change) error
}

// Change is some commits that became durable together, in the engine's own form.
type Change struct {
	// when they became durable: Unix milliseconds by the machine's clock, never lower than the change's before. They
	// are acknowledged then, not before.
	MS    int64
	Bytes []byte
}

// Follower gathers changes. Its methods are safe for concurrent use.
type Follower interface {
	// Counts is the number of changes since Follow: those that may be visible, and those that are durable. The latter
	// are at most the former.
	Counts() (begun, durable int64)
	// Next hands out durable changes in their order, each once, until they have about so many bytes. What it has handed
	// out by now is all that was durable by untilMS, Unix milliseconds. more says that others wait. With ErrGap comes
	// the last such moment before changes that are missing.
	Next(bytes int) (changes []Change, untilMS int64, more bool, err error)
	// Close ends the gathering.
	Close()
}

// ErrGap says that a Follower has handed out all that it has, and that changes after it are missing: more than its
// bytes waited to be handed out, or something was no commit, such as an Ingest.
var ErrGap = errors.New("kv: changes are missing; copy the store, and follow it anew")

// FollowedOf is SharedOf for Followed.
func FollowedOf(s Store) (followed Followed, ok bool) { return find[Followed](s) }

// Renewer is implemented by a Txn that can also read commits after its snapshot. So writers that wait for one another
// continue from the value that the one before them left, while their other reads stay at one snapshot.
type Renewer interface {
	// Renew makes reads show the latest commits, with the transaction's own writes on top, until Return. A key that is
	// written or guarded for the first time meanwhile is judged from this moment: Commit fails if another transaction
	// committed it later. All cursors must be closed. Renew again moves the moment.
	Renew(ctx context.Context) error
	// Return makes reads show the transaction's own snapshot again, which is taken at the next read if there was none.
	// All cursors must be closed.
	Return()
	// Changed reports whether another transaction committed key after the last Renew, or may have; without one, after
	// the transaction's snapshot.
	Changed(key []byte) bool
	// Hides reports whether the transaction's own snapshot was taken and another transaction committed key since, or
	// may have.
	Hides(key []byte) bool
	// Touch makes the commit count as a write of key, without a value: a later commit of a transaction with an earlier
	// snapshot that writes or guards the key fails. Commits that touch the same key don't conflict, and they don't
	// check whether others have written it: the caller must. It must not be undone.
	Touch(key []byte) error
	// Before appends the value that key has in the transaction's own snapshot, own writes aside, to dst. Call it where
	// Hides is true.
	Before(ctx context.Context, key, dst []byte) (value []byte, ok bool, err error)
}

// TxnUnwrapper is a Txn that passes calls on to another one.
type TxnUnwrapper interface {
	// UnwrapTxn returns the other transaction.
	UnwrapTxn() Txn
}

// RenewerOf returns the Renewer of t, or of the first transaction below that is one; ok is false if t reads one
// snapshot to its end.
func RenewerOf(t Txn) (renewer Renewer, ok bool) { return findTxn[Renewer](t) }

// findTxn returns the first of t and the transactions below it that is a T.
func findTxn[T any](t Txn) (found T, ok bool) {
	for t != nil {
		if found, ok := t.(T); ok {
			return found, true
		}
		wrapper, ok := t.(TxnUnwrapper)
		if !ok {
			break
		}
		t = wrapper.UnwrapTxn()
	}
	return found, false
}

// StampBytes is the length of a stamp within a key: 8 bytes, big-endian, so that keys stand in the order of their
// stamps.
const StampBytes = 8

// stampCounterBits is the number of a stamp's low bits count within a millisecond. TiKV's timestamps are made alike.
const stampCounterBits = 18

// StampOf returns the lowest stamp of a moment, Unix time in milliseconds.
func StampOf(ms int64) uint64 { return uint64(max(ms, 0)) << stampCounterBits }

// StampMS returns the moment of a stamp, Unix time in milliseconds.
func StampMS(stamp uint64) int64 { return int64(stamp >> stampCounterBits) }

// NextStamp returns the stamp after last, or that of now if it is later: a clock that runs backwards never takes stamps
// with it.
func NextStamp(last uint64, now time.Time) uint64 { return max(last+1, StampOf(now.UnixMilli())) }

// Stamper is implemented by a Txn that can write keys which tell the order of commits.
type Stamper interface {
	// SetStamped buffers a write of key in which the commit's stamp takes the place of StampBytes bytes from at. No
	// other commit has that stamp. Of two commits that write the same unstamped key and have read it, the later one has
	// the higher stamp. Until Commit the write stands under key as it was given, so that Get shows it, Set changes its
	// value and Delete drops it; it belongs to no conflict set, and cursors of the transaction may or may not show it.
	SetStamped(key []byte, at int, value []byte) error
	// Stamped returns what the transaction would write under a key that was given to SetStamped, valid until its next
	// write. ok is false for other keys and for one that was dropped.
	Stamped(key []byte) (value []byte, ok bool)
	// StampsInOrder is the store's own; see Stamps.
	StampsInOrder() bool
}

// StamperOf returns the Stamper of t, or of the first transaction below that is one.
func StamperOf(t Txn) (stamper Stamper, ok bool) { return findTxn[Stamper](t) }

// Stamps is implemented by a Store whose transactions are Stampers.
type Stamps interface {
	// StampsInOrder reports whether commits become visible in the order of their stamps: a reader that sees a stamp
	// sees all lower ones that there will ever be. Otherwise a stamp is the moment of the transaction's snapshot, and
	// lower ones may come later.
	StampsInOrder() bool
	// StampAfter makes all later stamps greater than stamp. An engine remembers stamps only as long as it is open.
	StampAfter(stamp uint64)
}

// StampsOf is SharedOf for Stamps.
func StampsOf(s Store) (stamps Stamps, ok bool) { return find[Stamps](s) }
