// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/weftdb/weft/internal/data/schema"
)

// entry is one table through all its versions.
type entry struct {
	names   *Names // of the current version; guarded by Catalog.change or mu
	current atomic.Pointer[Version]
	before  *Version // the version before current; guarded by Catalog.change
}

// Version is one published version of a table, pinned by Acquire. Table and Names must not be changed; Names grows by
// itself.
type Version struct {
	Table *schema.Table
	Names *Names
	// Generation is the generation from which on this version was in use; 0 for a version found at Open.
	Generation uint64

	// compiled holds the data that the layer above derived from Table, made once per version by Derive.
	compiled atomic.Value

	users   atomic.Int64
	stale   atomic.Bool
	drained chan struct{} // closed when the version is stale and unused
	once    sync.Once
}

func newEntry(table *schema.Table, names *Names, generation uint64) *entry {
	e := &entry{names: names}
	e.current.Store(newVersion(table, names, generation))
	return e
}

func newVersion(table *schema.Table, names *Names, generation uint64) *Version {
	return &Version{Table: table, Names: names, Generation: generation, drained: make(chan struct{})}
}

// acquire counts itself in before it looks again whether the version is still current: a change swaps the pointer first
// and looks at the count afterwards, so one of the two sees the other.
func (e *entry) acquire() *Version {
	for {
		v := e.current.Load()
		v.users.Add(1)
		if v == e.current.Load() {
			return v
		}
		v.Release()
	}
}

// Release gives the version back. Each Acquire is released exactly once.
func (v *Version) Release() {
	if v.users.Add(-1) == 0 && v.stale.Load() {
		v.finish()
	}
}

func (v *Version) finish() { v.once.Do(func() { close(v.drained) }) }

// Derive returns what the layer above compiled from this version, compiling it at first use. compile may run more than
// once and must give the same result; the type is the same for all calls.
func (v *Version) Derive(compile func(*Version) any) any {
	if made := v.compiled.Load(); made != nil {
		return made
	}
	v.compiled.CompareAndSwap(nil, compile(v))
	return v.compiled.Load()
}

// publish makes a new version current and waits until nobody uses the one before. A cancelled ctx ends the wait, not
// the change.
func (e *entry) publish(ctx context.Context, table *schema.Table, generation uint64) error {
	e.replace(table, generation)
	return e.settle(ctx)
}

// replace is publish without the wait.
func (e *entry) replace(table *schema.Table, generation uint64) {
	e.before = e.current.Load()
	e.current.Store(newVersion(table, e.names, generation))
}

// settle waits until nobody uses a version before the current one.
func (e *entry) settle(ctx context.Context) error {
	if e.before == nil {
		return nil
	}
	return e.before.drain(ctx)
}

// retire says that the version is not the current one any more.
func (v *Version) retire() {
	v.stale.Store(true)
	if v.users.Load() == 0 {
		v.finish()
	}
}

// isDrained reports whether nobody uses a retired version any more.
func (v *Version) isDrained() bool {
	select {
	case <-v.drained:
		return true
	default:
		return false
	}
}

func (v *Version) drain(ctx context.Context) error {
	v.retire()
	select {
	case <-v.drained:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
