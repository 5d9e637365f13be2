// SPDX-License-Identifier: Apache-2.0

package weft

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/weftdb/weft/internal/indexkey"
	"github.com/weftdb/weft/internal/job"
	"github.com/weftdb/weft/internal/record"
	"github.com/weftdb/weft/internal/schema"
	"github.com/weftdb/weft/zorder/codec"
)

const (
	rebuildInterval = time.Minute
	rebuildRowsMin  = 4_096
	pageKeyLife     = time.Hour
	// rebuildPause is the least time between two rebuilds of an index, but for those that somebody asks for.
	rebuildPause = 10 * time.Minute
	// replacedMost is how many indexes that were replaced keep one from being rebuilt again: each costs every write one entry more.
	replacedMost = 2
	// An index that has been compared with its rows is left alone for a while, unless their number has changed by this share.
	compareGrowth = 0.05
	comparePause  = 10 * time.Minute
	// skewGain is how much better a new codec must be than one whose skew is above its limits.
	skewGain = 1.5
)

// rebuilds is the background work on Z-order indexes.
type rebuilds struct {
	db     *DB
	cancel context.CancelFunc
	ended  chan struct{}

	turn     sync.Mutex // one look at a time
	compared map[indexID]comparison
}

// comparison is when an index was last compared with its rows, and how many there were.
type comparison struct {
	at   time.Time
	rows int64
}

func startRebuilds(db *DB) *rebuilds {
	o := &db.options
	o.RebuildInterval = cmp.Or(o.RebuildInterval, rebuildInterval)
	o.RebuildRowsMin = cmp.Or(o.RebuildRowsMin, rebuildRowsMin)
	o.PageKeyLife = cmp.Or(o.PageKeyLife, pageKeyLife)
	life, cancel := context.WithCancel(context.Background())
	r := &rebuilds{db: db, cancel: cancel, ended: make(chan struct{}), compared: map[indexID]comparison{}}
	if o.RebuildInterval < 0 {
		close(r.ended)
		return r
	}
	go r.run(life)
	return r
}

func (r *rebuilds) close() {
	r.cancel()
	<-r.ended
}

func (r *rebuilds) run(life context.Context) {
	defer close(r.ended)
	interval := r.db.options.RebuildInterval
	for {
		select {
		case <-time.After(interval + rand.N(interval/4+1)): // not quite regular, so that processes don't look at the same moments
		case <-life.Done():
			return
		}
		if _, err := r.look(life, false); err != nil && life.Err() == nil {
			r.db.options.Logger.Error("Z-order indexes could not be looked after; it will be tried again", "error", err)
		}
	}
}

// Rebuild looks at all Z-order indexes now, as background work does every Options.RebuildInterval: it begins to rebuild those with rows enough to
// learn codecs from, and those whose codecs no longer suit their rows, and drops those that were replaced longer than Options.PageKeyLife
// ago. begun is how many rebuilds it has begun. A table with a fault does not keep it from the others; all faults are returned.
func (db *DB) Rebuild(ctx context.Context) (begun int, err error) {
	begun, err = db.rebuilds.look(ctx, true)
	return begun, wrap("", err)
}

// look does what is due. whole compares every index with its rows, however lately that was done.
func (r *rebuilds) look(ctx context.Context, whole bool) (begun int, err error) {
	r.turn.Lock()
	defer r.turn.Unlock()
	var faults []error
	for _, id := range r.db.catalog.IDs() {
		if ctx.Err() != nil {
			return begun, ctx.Err()
		}
		n, err := r.lookAt(ctx, id, whole)
		begun += n
		if err != nil && KindOf(err) != KindNotFound && KindOf(err) != KindBusy {
			faults = append(faults, err)
		}
	}
	return begun, errors.Join(faults...)
}

// lookAt does what is due on one table.
func (r *rebuilds) lookAt(ctx context.Context, id uint32, whole bool) (begun int, err error) {
	version, err := r.db.catalog.AcquireID(id)
	if err != nil {
		return 0, nil // it is gone
	}
	p := Pinned{db: r.db, version: version, table: compiled(version)}
	old, next, err := r.due(ctx, p, whole)
	t := &Table{db: r.db, database: p.Descriptor().Database, name: p.name()}
	p.Release() // changes wait for it
	for _, x := range old {
		r.db.scans.forget(indexID{id, x})
		err = cmp.Or(err, r.db.retire(ctx, id, x))
	}
	for i := range next {
		failed := t.rebuild(ctx, id, next[i])
		if err = cmp.Or(err, failed); failed == nil {
			begun++
		}
	}
	return begun, err
}

// due lists the indexes of a table to drop, and those to rebuild.
func (r *rebuilds) due(ctx context.Context, p Pinned, whole bool) (old []uint32, next []rebuilt, err error) {
	table := p.Descriptor()
	if table.State == schema.Dropping {
		return nil, nil, nil
	}
	now := r.db.options.Now()
	for i := range table.Indexes {
		x := &table.Indexes[i]
		if x.IsReplaced() && x.State == schema.Active && now.Sub(time.UnixMilli(x.Rebuild.ReplacedAtMS)) >= r.db.options.PageKeyLife {
			old = append(old, x.ID)
		}
	}
	for _, x := range p.table.Indexes {
		if x.Internal || x.State != schema.Active || !learnable(x.Key) || !r.mayRebuild(table, x.Index, now) {
			continue
		}
		is, err := r.isDue(ctx, p, x, whole)
		if err != nil {
			return old, next, err
		}
		if is {
			one := rebuilt{name: x.Name, before: x.ID}
			if one.key, one.sample, err = p.learn(ctx, x.Key, x); err != nil {
				return old, next, err
			}
			next = append(next, one)
		}
	}
	return old, next, nil
}

// mayRebuild says whether an index may be rebuilt unasked now.
func (r *rebuilds) mayRebuild(table *schema.Table, x *Index, now time.Time) bool {
	replaced := 0
	for other := range table.Rebuilds(x.Name) {
		if replaced++; !other.IsReplaced() || replaced >= replacedMost || now.Sub(time.UnixMilli(other.Rebuild.ReplacedAtMS)) < rebuildPause {
			return false
		}
	}
	return x.Sample == nil || now.Sub(time.UnixMilli(x.Sample.AtMS)) >= rebuildPause
}

// isDue says whether the codecs of an index should be learned anew.
func (r *rebuilds) isDue(ctx context.Context, p Pinned, x *record.Index, whole bool) (bool, error) {
	enough, err := p.hasEntries(ctx, x, r.db.options.RebuildRowsMin)
	if err != nil || !enough {
		return false, err
	}
	rows, err := p.Estimate(ctx, x.Name)
	if err != nil {
		return false, err
	}
	id, now := indexID{p.Descriptor().ID, x.ID}, r.db.options.Now()
	before, known := r.compared[id]
	if known && !whole && now.Sub(before.at) < comparePause && !hasGrown(before.rows, rows.Rows) {
		return false, nil
	}
	r.compared[id] = comparison{now, rows.Rows}
	for i := range x.Key {
		if x.Key[i].Curve == nil {
			continue
		}
		sample, err := p.sampleCurve(ctx, x, &x.Key[i], checkRows)
		if err != nil {
			return false, err
		}
		if due, err := curveDue(&x.Key[i], sample); err != nil || due {
			return due, err
		}
	}
	return false, nil
}

func hasGrown(before, now int64) bool {
	return float64(max(now-before, before-now)) > compareGrowth*float64(before)
}

// hasEntries says whether an index has at least so many entries.
func (p Pinned) hasEntries(ctx context.Context, x *record.Index, least int) (bool, error) {
	reader, err := p.db.store.Read(ctx)
	if err != nil {
		return false, err
	}
	defer reader.Close()
	walk := reader.Scan(ctx, x.Range(), false)
	n := 0
	for n < least && walk.Next() {
		n++
	}
	return n >= least, walk.Close()
}

// curveDue says whether a codec of a Z-order part should be learned, or be learned anew, for rows such as the sample's.
func curveDue(part *KeyPart, sample curveSample) (bool, error) {
	attributes, err := indexkey.CurveAttributes(part)
	if err != nil {
		return false, err
	}
	even, odd := sample.halves()
	for i, a := range attributes {
		current := part.Curve.Codecs[i]
		values := sample.column(i)
		if !isLearnable(a) || countValues(values) < learnedValues {
			continue
		}
		if !isQuantile(current) {
			return true, nil
		}
		if due, err := codecDue(a, current, values, even.column(i), odd.column(i)); err != nil || due {
			return due, err
		}
	}
	return false, nil
}

// codecDue says whether a learned codec has more skew than it should, and another, learned from one half of the rows, would suit the other half better.
func codecDue(a codec.Attribute, current *codec.Codec, values, even, odd []codec.Value) (bool, error) {
	skew, err := current.Skew(values, codec.SkewOptions{})
	if err != nil || !skew.Due || countValues(even) == 0 {
		return false, err
	}
	fresh, err := codec.Learn(a, current.Version()+1, even, codec.LearnOptions{})
	if err != nil {
		return false, err
	}
	better, err := fresh.Skew(odd, codec.SkewOptions{})
	return !better.Due || better.Ratio*skewGain < skew.Ratio, err
}

// retire drops an internal index that a rebuild left behind, or was to bring; one that is on its way out already is no error.
func (db *DB) retire(ctx context.Context, table, id uint32) error {
	delete(db.rebuilds.compared, indexID{table, id})
	err := db.change(ctx, table, job.Job{Kind: job.DropIndex, Table: table, Index: id}, func(table *schema.Table, _ *job.Job) error {
		at := slices.IndexFunc(table.Indexes, func(x schema.Index) bool { return x.ID == id })
		if at < 0 || table.Indexes[at].Rebuild == nil || table.Indexes[at].State >= schema.Retiring {
			return errUnchanged
		}
		table.Indexes[at].State = schema.Retiring
		return nil
	})
	if errors.Is(err, errUnchanged) {
		return nil
	}
	return err
}
