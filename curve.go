// SPDX-License-Identifier: Apache-2.0

package weft

import (
	"context"
	"slices"
	"time"

	"github.com/weftdb/weft/internal/indexkey"
	"github.com/weftdb/weft/internal/job"
	"github.com/weftdb/weft/internal/record"
	"github.com/weftdb/weft/internal/schema"
	"github.com/weftdb/weft/zorder/codec"
)

// A Z-order index is rebuilt with codecs learned from its rows by the ordinary online build of another index, under a new id and an internal
// name. Once that is complete it takes the name, in one change of the table's descriptor. The one before stays complete under an internal
// name for walks whose page keys were made on it, and is dropped when those are too old.

// CurveAttribute says how one attribute of a Z-order index is coded.
type CurveAttribute struct {
	Name string
	// Codec is "raw" for codes made of the value alone, or "quantile" for those learned from a sample.
	Codec   string
	Bits    int
	Version uint32 // grows each time that the codec is learned
	// SampleRows and LearnedAt say from how many rows a quantile codec was learned, and when.
	SampleRows int64
	LearnedAt  time.Time
	// Skew is how evenly the codes spread the rows that the index has now, by a sample.
	Skew codec.Skew
}

// CurveOf returns how the attributes of a Z-order index are coded, in their order, and how well that suits its rows now, which it finds out by
// reading a sample of some thousands. The list is empty for other indexes. "" is the table's own key. Errors: KindNotFound, KindBusy.
func (p Pinned) CurveOf(ctx context.Context, index string) ([]CurveAttribute, error) {
	x, err := p.index(index)
	if err != nil {
		return nil, err
	}
	var list []CurveAttribute
	for i := range x.Key {
		if x.Key[i].Curve == nil {
			continue
		}
		sample, err := p.sampleCurve(ctx, x, &x.Key[i], checkRows)
		if err != nil {
			return nil, wrap(p.name(), err)
		}
		if list, err = appendCurve(list, x.Index, &x.Key[i], sample); err != nil {
			return nil, wrap(p.name(), err)
		}
	}
	return list, nil
}

func appendCurve(list []CurveAttribute, x *Index, part *KeyPart, sample curveSample) ([]CurveAttribute, error) {
	for i, c := range part.Curve.Codecs {
		a := CurveAttribute{Name: part.Args[i].Column, Codec: "raw", Bits: c.Bits(), Version: c.Version()}
		if isQuantile(c) {
			a.Codec = "quantile"
			if x.Sample != nil {
				a.SampleRows, a.LearnedAt = x.Sample.Rows, time.UnixMilli(x.Sample.AtMS)
			}
		}
		var err error
		if a.Skew, err = c.Skew(sample.column(i), codec.SkewOptions{}); err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	return list, nil
}

// learn returns the key of an index with its codecs learned from source's rows, and from how many. x need not exist yet.
func (p Pinned) learn(ctx context.Context, key []KeyPart, source *record.Index) ([]KeyPart, *schema.Sample, error) {
	learned := slices.Clone(key)
	var from *schema.Sample
	for i := range key {
		if key[i].Curve == nil {
			continue
		}
		sample, err := p.sampleCurve(ctx, source, &key[i], learnRows)
		if err != nil {
			return nil, nil, err
		}
		if learned[i], err = learnCurve(&key[i], sample); err != nil {
			return nil, nil, err
		}
		if learned[i].Curve.IsLearned() {
			from = &schema.Sample{AtMS: p.db.options.Now().UnixMilli(), Rows: int64(len(sample))}
		}
	}
	return learned, from, nil
}

// learnable says whether any codec of a key may be learned from rows.
func learnable(key []KeyPart) bool {
	for i := range key {
		if key[i].Curve == nil {
			continue
		}
		attributes, err := indexkey.CurveAttributes(&key[i])
		if err == nil && slices.ContainsFunc(attributes, isLearnable) {
			return true
		}
	}
	return false
}

// learnFor learns the codecs of an index to be added to the table.
func (t *Table) learnFor(ctx context.Context, spec *IndexSpec) (*schema.Sample, error) {
	if !learnable(spec.Key) {
		return nil, nil
	}
	p, err := t.Pin()
	if err != nil {
		return nil, err
	}
	defer p.Release()
	key, from, err := p.learn(ctx, spec.Key, p.table.Primary)
	if err == nil {
		spec.Key = key
	}
	return from, wrap(t.name, err)
}

// rebuildsMost is how many indexes that were replaced a table keeps of one name, at the most.
const rebuildsMost = 8

// RebuildIndex begins to build a Z-order index of a table in the default database anew, with codecs learned from its rows as they are now. The index
// answers queries all the while. Background work does the same where it pays; see Options.RebuildInterval. It returns as soon
// as the build has begun; WaitJobs waits for its end. Errors: KindNotFound; KindBusy while the index is being built; KindInvalid for an
// index none of whose codecs is learned from rows.
func (db *DB) RebuildIndex(ctx context.Context, table, index string) error {
	t, err := db.Table(table)
	if err != nil {
		return err
	}
	return t.RebuildIndex(ctx, index)
}

// RebuildIndex is DB.RebuildIndex for this table.
func (t *Table) RebuildIndex(ctx context.Context, index string) error {
	next, id, err := t.learnAnew(ctx, index)
	if err != nil {
		return err
	}
	return t.rebuild(ctx, id, next)
}

// rebuilt is the key of an index to be, and from what it was learned.
type rebuilt struct {
	name   string
	before uint32
	key    []KeyPart
	sample *schema.Sample
}

// learnAnew learns the codecs of an index from its own entries. It returns the table's id, too.
func (t *Table) learnAnew(ctx context.Context, index string) (next rebuilt, table uint32, err error) {
	p, err := t.Pin()
	if err != nil {
		return next, 0, err
	}
	defer p.Release()
	x, err := p.index(index)
	if err != nil {
		return next, 0, err
	}
	if x.IsPrimary() || !learnable(x.Key) {
		return next, 0, invalid(t.name, "index %q has no codecs that are learned from rows; only Z-order indexes without codec=raw are rebuilt", index)
	}
	next = rebuilt{name: index, before: x.ID}
	next.key, next.sample, err = p.learn(ctx, x.Key, x)
	return next, p.Descriptor().ID, wrap(t.name, err)
}

// rebuild begins to build an index that is to take another's name.
func (t *Table) rebuild(ctx context.Context, id uint32, next rebuilt) error {
	return wrap(t.name, t.db.change(ctx, id, job.Job{Kind: job.BuildIndex, Table: id}, func(table *schema.Table, work *job.Job) error {
		before, ok := table.Index(next.name)
		if !ok || before.ID != next.before || before.State != schema.Active || table.State == schema.Dropping {
			return &Error{Kind: KindBusy, Table: t.name, Detail: "index " + next.name + " is being built, replaced or dropped"}
		}
		kept := 0
		for other := range table.Rebuilds(next.name) {
			if kept++; !other.IsReplaced() || kept >= rebuildsMost {
				return &Error{Kind: KindBusy, Table: t.name, Detail: "index " + next.name + " is being rebuilt, or was too often of late"}
			}
		}
		x := *before
		x.ID, x.State, x.Internal, x.Rebuild, x.Partial = table.NextIndexID, schema.DeleteOnly, true, &schema.Rebuild{Of: next.name}, false
		x.Name, x.Key, x.Sample = schema.RebuildName(x.ID), next.key, next.sample
		table.NextIndexID++
		table.Indexes = append(table.Indexes, x)
		work.Index = x.ID
		if err := table.Validate(); err != nil {
			return &Error{Kind: KindInvalid, Table: t.name, Err: err}
		}
		return nil
	}))
}
