// SPDX-License-Identifier: Apache-2.0

package kv

import (
	"context"
	"io"
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
