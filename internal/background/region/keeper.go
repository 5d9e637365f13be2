// SPDX-License-Identifier: Apache-2.0

package region

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/weftdb/weft/internal/advice/heat"
	"github.com/weftdb/weft/internal/data/catalog"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/index/indexkey"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/kv"
)

// Traffic is the interface of a Keeper to the counts of requests. Ranges and keys are of the whole key space.
type Traffic interface {
	// Rates returns the requests a second of late in each of the ranges, which ascend and do not overlap.
	Rates(ranges []kv.Range) []Rate
	// Requests returns a sample of the requests in r of late, oldest first: each for an entry that was really read or
	// written. The keys are the caller's.
	Requests(r kv.Range) []Request
}

const (
	sizesInterval = time.Minute // between two looks at how large regions are
	nodesKept     = 10 * time.Minute
)

// Options configures a Keeper. The first group is required.
type Options struct {
	Store   kv.Store
	Catalog *catalog.Catalog
	Logger  *slog.Logger
	Now     func() time.Time
	// Compile prepares a version of a table.
	Compile func(*catalog.Version) *record.Table

	Admin kv.Admin // nil: sizes are unknown
	// estimates the bytes of a range; nil, or giving nil: nobody can
	SizeOf func(ctx context.Context) func(kv.Range) int64
	// nil: requests are unknown, and no region is split for them
	Traffic  Traffic
	Settings Settings
	// TellSplit is called after a region of a table's own key was split, but not on a cluster; its error is logged.
	// nil: nobody wants to know.
	TellSplit func(ctx context.Context, table uint32) error
}

// Keeper maintains the regions of a database.
type Keeper struct {
	Options
	cluster bool // regions are the engine's own
	cancel  context.CancelFunc
	ended   chan struct{}

	turn     sync.Mutex // one look at a time
	patience Patience
	sizedAt  time.Time

	mu       sync.Mutex
	verdicts map[string]Verdict // of regions that could not be divided, by id
	sizes    []Size             // when they were last looked at
	nodes    int
	nodesAt  time.Time
}

// Start begins to maintain regions in the background, if they are not a cluster's.
func Start(ctx context.Context, o Options) *Keeper {
	o.Settings = o.Settings.filled()
	o.Store = heat.Own(o.Store) // what regions hold is not what was asked for
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	k := &Keeper{Options: o, cancel: cancel, ended: make(chan struct{}), verdicts: map[string]Verdict{}}
	if o.Admin != nil {
		nothing := kv.Range{Start: []byte{0}, End: []byte{0}}
		_, err := o.Admin.Regions(ctx, nothing)
		k.cluster = !errors.Is(err, kv.ErrUnsupported)
	}
	if o.Settings.Interval < 0 || k.cluster {
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

// IsCluster reports whether the engine has regions of its own.
func (k *Keeper) IsCluster() bool { return k.cluster }

func (k *Keeper) run(life context.Context) {
	defer close(k.ended)
	for {
		select {
		// not quite regular, so that processes don't look at the same moments
		case <-time.After(k.Settings.Interval + rand.N(k.Settings.Interval/4+1)):
		case <-life.Done():
			return
		}
		if _, err := k.Look(life, false); err != nil && life.Err() == nil {
			k.Logger.Error("failed to maintain regions; will retry", "error", err)
		}
	}
}

// Look splits and merges regions as is due. whole looks at their sizes, however lately that was done. A table with a
// fault does not keep it from the others; all faults are returned. steps is the number of splits and merges that were
// made.
func (k *Keeper) Look(ctx context.Context, whole bool) (steps int, err error) {
	if k.cluster {
		return 0, nil
	}
	k.turn.Lock()
	defer k.turn.Unlock()
	now := k.Now()
	sized := whole || now.Sub(k.sizedAt) >= sizesInterval
	if !sized && k.Traffic == nil {
		return 0, nil
	}
	if sized {
		k.sizedAt = now
	}
	var faults []error
	var sizes []Size
	for _, id := range k.Catalog.IDs() {
		if ctx.Err() != nil {
			return steps, ctx.Err()
		}
		n, some, err := k.lookAt(ctx, id, sized)
		steps += n
		sizes = append(sizes, some...)
		if err != nil && !errors.Is(err, catalog.ErrNotFound) {
			faults = append(faults, fmt.Errorf("table %d: %w", id, err))
		}
	}
	if sized {
		k.mu.Lock()
		k.sizes = sizes
		k.mu.Unlock()
	}
	return steps, errors.Join(faults...)
}

// Size is how large a region was when that was last looked at.
type Size struct {
	Table *schema.Table
	Index string // "" is the table's own key
	ID    string
	Bytes int64 // of the engine's files, about
}

// Sizes returns the sizes of regions, which are looked at every minute; none of a cluster's.
func (k *Keeper) Sizes() []Size {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.sizes)
}

// lookAt does the work that is due on one table. sizes are the sizes of its regions before that, if they were looked
// at.
func (k *Keeper) lookAt(ctx context.Context, id uint32, sized bool) (steps int, sizes []Size, err error) {
	version, err := k.Catalog.AcquireID(id)
	if err != nil {
		return 0, nil, err
	}
	defer version.Release()
	if version.Table.State == schema.Dropping {
		return 0, nil, nil
	}
	from, err := k.Store.Read(ctx)
	if err != nil {
		return 0, nil, err
	}
	defer from.Close()
	table := k.Compile(version)
	for _, x := range append([]*record.Index{table.Primary}, table.Indexes...) {
		if !x.State.Readable() || x.Internal {
			continue
		}
		work := look{Keeper: k, ctx: ctx, from: from, at: Place{id, x.ID}, table: version.Table, index: x, now: k.Now()}
		n, err := work.do(sized)
		sizes = append(sizes, work.sizes...)
		if steps += n; err != nil {
			return steps, sizes, err
		}
	}
	return steps, sizes, nil
}

// Regions lists the regions of an index, in order; there is one at least.
func (k *Keeper) Regions(ctx context.Context, from kv.Snapshot, at Place, x *record.Index) ([]Region, error) {
	if k.cluster {
		return physical(ctx, k.Admin, x, x.Range())
	}
	return list(ctx, from, at)
}

// Starts returns the keys at which all regions of an index but the first begin.
func (k *Keeper) Starts(ctx context.Context, from kv.Snapshot, table uint32, x *record.Index) ([][]byte, error) {
	return k.StartsWithin(ctx, from, table, x, indexkey.Span{})
}

// StartsWithin is Starts for a part of an index; keys outside may be returned as well.
func (k *Keeper) StartsWithin(ctx context.Context, from kv.Snapshot, table uint32, x *record.Index,
	span indexkey.Span) ([][]byte, error) {
	var regions []Region
	var err error
	if k.cluster {
		regions, err = physical(ctx, k.Admin, x, x.Span(span.Start, span.End))
	} else {
		regions, err = list(ctx, from, Place{table, x.ID})
	}
	if err != nil {
		return nil, err
	}
	keys := make([][]byte, 0, len(regions)-1)
	for i := range regions[1:] {
		keys = append(keys, regions[i+1].Start)
	}
	return keys, nil
}

// Borders returns the keys of the store at which all regions of an index but the first begin, and how many of these
// were made before there were rows.
func (k *Keeper) Borders(ctx context.Context, table *record.Table, index uint32) (borders [][]byte, preset int,
	err error) {
	x, ok := table.IndexByID(index)
	if !ok {
		return nil, 0, catalog.ErrNotFound
	}
	from, err := k.Store.Read(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer from.Close()
	regions, err := k.Regions(ctx, from, Place{table.Schema.ID, index}, x)
	for i := range regions {
		if len(regions[i].Start) == 0 {
			continue
		}
		borders = append(borders, x.Span(regions[i].Start, nil).Start)
		if regions[i].Preset {
			preset++
		}
	}
	return borders, preset, err
}

// Rates returns the requests a second of each region; zeros if nobody counts.
func (k *Keeper) Rates(x *record.Index, regions []Region) []Rate {
	if k.Traffic == nil {
		return make([]Rate, len(regions))
	}
	ranges := make([]kv.Range, len(regions))
	for i := range regions {
		ranges[i] = x.Span(regions[i].Start, regions[i].End)
	}
	return k.Traffic.Rates(ranges)
}

// Requests returns a sample of the requests for an index, oldest first, with relative keys; none if nobody counts.
func (k *Keeper) Requests(x *record.Index, start, end []byte) []Request {
	if k.Traffic == nil {
		return nil
	}
	requests := k.Traffic.Requests(x.Span(start, end))
	inside := requests[:0]
	for _, r := range requests {
		if key, ok := bytes.CutPrefix(r.Key, x.Prefix); ok {
			inside = append(inside, Request{key, r.Write})
		}
	}
	return inside
}

// Verdict says why a region that has many requests was not split for them, if it was not.
func (k *Keeper) Verdict(id string) (v Verdict, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	v, ok = k.verdicts[id]
	return v, ok
}

func (k *Keeper) note(id string, v Verdict) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if v == Divides {
		delete(k.verdicts, id)
		return
	}
	k.verdicts[id] = v
}

// tellSplit tells of a split, which stands whatever follows it.
func (k *Keeper) tellSplit(ctx context.Context, at Place) {
	if k.TellSplit == nil || at.Index != 0 || k.cluster {
		return
	}
	if err := k.TellSplit(ctx, at.Table); err != nil {
		k.Logger.Error("region: what should follow a split has failed", "table", at.Table, "error", err.Error())
	}
}

// Split makes regions of an index begin at keys. On a cluster the placement driver splits its regions there and spreads
// them. added is the number of new ones there are more, as far as that is known.
func (k *Keeper) Split(ctx context.Context, at Place, x *record.Index, keys [][]byte, preset bool) (added int,
	err error) {
	if len(keys) == 0 {
		return 0, nil
	}
	if k.cluster {
		whole := make([][]byte, len(keys))
		for i, key := range keys {
			whole[i] = x.Span(key, nil).Start
		}
		return len(keys), k.Admin.Split(ctx, whole)
	}
	err = kv.Update(ctx, k.Store, func(txn kv.Txn) (err error) {
		added, err = add(ctx, txn, at, keys, preset, k.Now().UnixMilli())
		return err
	})
	return added, err
}
