// SPDX-License-Identifier: Apache-2.0

package tuning

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/weftdb/weft/internal/advice/heat"
	"github.com/weftdb/weft/internal/background/job"
	"github.com/weftdb/weft/internal/data/catalog"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/kv"
)

// Errors of Rebuild.
var (
	ErrNoIndex = errors.New("curve: no such index")
	ErrBusy    = errors.New("curve: the index is being built, rebuilt or dropped, or was rebuilt too often of late")
	ErrRaw     = errors.New("curve: the index has no codecs that are learned from rows; only Z-order indexes without codec=raw are rebuilt")
)

const (
	intervalDefault    = time.Minute
	rowsMinDefault     = 4_096
	pageKeyLifeDefault = time.Hour
	// rebuildPause is the least time between two rebuilds of an index, but for those that somebody asks for.
	rebuildPause = 10 * time.Minute
	// replacedMost is the number of indexes that were replaced keep one from being rebuilt again unasked: each costs
	// every write one entry more. replacedLimit keeps it from being rebuilt at all.
	replacedMost  = 2
	replacedLimit = 8
	// An index that was compared with its rows is left alone for a while, unless its size has changed by this share.
	comparePause  = 10 * time.Minute
	compareGrowth = 0.05
)

// WorkRebuilds names the Keeper's work where one process at a time does it for all.
const WorkRebuilds = "rebuilds"

// Options configures a Keeper. The first group is required.
type Options struct {
	Store   kv.Store
	Catalog *catalog.Catalog
	Logger  *slog.Logger
	Now     func() time.Time
	// Change edits a table's descriptor and files jobs for the rest, in one transaction.
	Change func(ctx context.Context, table uint32, edit func(*schema.Table) ([]job.Job, error)) error
	// Compile prepares a version of a table.
	Compile func(*catalog.Version) *record.Table

	// Owned reports whether this process maintains the indexes now; nil: always.
	Owned func() bool

	// estimates the bytes of a range; nil, or giving nil: nobody can
	SizeOf   func(ctx context.Context) func(kv.Range) int64
	Interval time.Duration // between two looks; default 1 minute, negative: none
	RowsMin  int           // from which on raw codecs are replaced; default 4,096
	// how long an index stays that was replaced; default 1 hour
	PageKeyLife time.Duration
}

// Keeper maintains the Z-order indexes of a database.
type Keeper struct {
	Options
	Scans  Scans
	cancel context.CancelFunc
	ended  chan struct{}

	turn     sync.Mutex // one look at a time
	compared map[place]comparison
}

// comparison is when an index was last compared with its rows, and how many bytes it had.
type comparison struct {
	at    time.Time
	bytes int64
}

// Start begins to maintain indexes in the background.
func Start(o Options) *Keeper {
	o.Store = heat.Own(o.Store)
	o.Interval = cmp.Or(o.Interval, intervalDefault)
	o.RowsMin = cmp.Or(o.RowsMin, rowsMinDefault)
	o.PageKeyLife = cmp.Or(o.PageKeyLife, pageKeyLifeDefault)
	life, cancel := context.WithCancel(context.Background())
	k := &Keeper{Options: o, cancel: cancel, ended: make(chan struct{}), compared: map[place]comparison{}}
	if o.Interval < 0 {
		close(k.ended)
		return k
	}
	go k.run(life)
	return k
}

// Close stops the background work and returns when it has stopped.
func (k *Keeper) Close() {
	k.cancel()
	<-k.ended
}

func (k *Keeper) run(life context.Context) {
	defer close(k.ended)
	for {
		select {
		// not quite regular, so that processes don't look at the same moments
		case <-time.After(k.Interval + rand.N(k.Interval/4+1)):
		case <-life.Done():
			return
		}
		if k.Owned != nil && !k.Owned() {
			continue
		}
		if _, err := k.Look(life, false); err != nil && life.Err() == nil {
			k.Logger.Error("failed to maintain Z-order indexes; will retry", "error", err)
		}
	}
}

// Look begins the rebuilds that are due, and drops what was replaced long ago. whole compares every index with its
// rows, however lately that was done. A table with a fault does not keep it from the others; all faults are returned.
func (k *Keeper) Look(ctx context.Context, whole bool) (begun int, err error) {
	k.turn.Lock()
	defer k.turn.Unlock()
	var faults []error
	for _, id := range k.Catalog.IDs() {
		if ctx.Err() != nil {
			return begun, ctx.Err()
		}
		n, err := k.lookAt(ctx, id, whole)
		begun += n
		if err != nil && !errors.Is(err, catalog.ErrNotFound) && !errors.Is(err, ErrNoIndex) &&
			!errors.Is(err, ErrBusy) {
			faults = append(faults, fmt.Errorf("table %d: %w", id, err))
		}
	}
	return begun, errors.Join(faults...)
}

// lookAt does what is due on one table.
func (k *Keeper) lookAt(ctx context.Context, id uint32, whole bool) (begun int, err error) {
	old, due, err := k.due(ctx, id, whole)
	for _, x := range old {
		k.Scans.forget(place{id, x})
		delete(k.compared, place{id, x})
		err = cmp.Or(err, k.retire(ctx, id, x))
	}
	for _, name := range due {
		failed := k.Rebuild(ctx, id, name)
		if err = cmp.Or(err, failed); failed == nil {
			begun++
		}
	}
	return begun, err
}

// due lists the indexes of a table to drop, and those to rebuild.
func (k *Keeper) due(ctx context.Context, id uint32, whole bool) (old []uint32, due []string, err error) {
	version, err := k.Catalog.AcquireID(id)
	if err != nil {
		return nil, nil, err
	}
	defer version.Release()
	if version.Table.State == schema.Dropping {
		return nil, nil, nil
	}
	table, now := k.Compile(version), k.Now()
	for _, x := range table.Indexes {
		switch {
		case x.State != schema.Active:
		case x.IsReplaced():
			// no page key names a search index
			if x.Search || now.Sub(time.UnixMilli(x.Rebuild.ReplacedAtMS)) >= k.PageKeyLife {
				old = append(old, x.ID)
			}
		case !x.Internal && CanLearn(x.Key) && mayRebuild(table.Schema, x.Index, now):
			is, err := k.isDue(ctx, table, x, whole)
			if err != nil {
				return old, due, err
			}
			if is {
				due = append(due, x.Name)
			}
		}
	}
	return old, due, nil
}

// mayRebuild reports whether an index may be rebuilt unasked now.
func mayRebuild(table *schema.Table, x *schema.Index, now time.Time) bool {
	replaced := 0
	for other := range table.Rebuilds(x.Name) {
		if replaced++; !other.IsReplaced() || replaced >= replacedMost ||
			now.Sub(time.UnixMilli(other.Rebuild.ReplacedAtMS)) < rebuildPause {
			return false
		}
	}
	return x.Sample == nil || now.Sub(time.UnixMilli(x.Sample.AtMS)) >= rebuildPause
}

// isDue reports whether the codecs of an index should be learned anew.
func (k *Keeper) isDue(ctx context.Context, table *record.Table, x *record.Index, whole bool) (bool, error) {
	from, err := k.Store.Read(ctx)
	if err != nil {
		return false, err
	}
	defer from.Close()
	if enough, err := hasEntries(ctx, from, x, k.RowsMin); err != nil || !enough {
		return false, err
	}
	if !k.compareNow(ctx, place{table.Schema.ID, x.ID}, x) && !whole {
		return false, nil
	}
	for i := range x.Key {
		if x.Key[i].Curve == nil {
			continue
		}
		rows, err := TakeSample(ctx, from, table, x, &x.Key[i], checkRows, k.sizer(ctx))
		if err != nil {
			return false, err
		}
		if due, err := partDue(&x.Key[i], rows); err != nil || due {
			return due, err
		}
	}
	return false, nil
}

// compareNow reports whether it is time to compare an index with its rows, and notes that this is done.
func (k *Keeper) compareNow(ctx context.Context, at place, x *record.Index) bool {
	now, before := k.Now(), k.compared[at]
	bytes := before.bytes
	if sizeOf := k.sizer(ctx); sizeOf != nil {
		bytes = sizeOf(x.Range())
	}
	hasGrown := float64(max(bytes-before.bytes, before.bytes-bytes)) > compareGrowth*float64(before.bytes)
	if now.Sub(before.at) < comparePause && !hasGrown {
		return false
	}
	k.compared[at] = comparison{now, bytes}
	return true
}

func (k *Keeper) sizer(ctx context.Context) func(kv.Range) int64 {
	if k.SizeOf == nil {
		return nil
	}
	return k.SizeOf(ctx)
}

// hasEntries reports whether an index has at least so many entries.
func hasEntries(ctx context.Context, from kv.Snapshot, x *record.Index, least int) (bool, error) {
	walk := from.Scan(ctx, x.Range(), false)
	n := 0
	for n < least && walk.Next() {
		n++
	}
	return n >= least, walk.Close()
}
