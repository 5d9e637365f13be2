// SPDX-License-Identifier: Apache-2.0

package tuning

import (
	"context"
	"errors"
	"slices"

	"github.com/weftdb/weft/internal/background/job"
	"github.com/weftdb/weft/internal/data/keytext"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/index/indexkey"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/zorder/codec"
)

const (
	learnedValues = 256       // of an attribute with fewer nothing is learned
	storedMost    = 256 << 10 // bytes of a learned codec; it is part of the table's descriptor
	// skewGain is the factor by which a new codec must be better than one whose skew is above its limits.
	skewGain = 1.5
)

// Learn returns the key of an index with its codecs learned from source's rows, where their declarations let it and
// there are enough values. The index need not exist yet. sample is nil if nothing was learned; its time is the caller's
// to set.
func Learn(ctx context.Context, from kv.Snapshot, table *record.Table, key []schema.KeyPart, source *record.Index,
	sizeOf func(kv.Range) int64) (learned []schema.KeyPart, sample *schema.Sample, err error) {
	learned = slices.Clone(key)
	for i := range key {
		if key[i].Curve == nil {
			continue
		}
		rows, err := TakeSample(ctx, from, table, source, &key[i], learnRows, sizeOf)
		if err != nil {
			return nil, nil, err
		}
		if learned[i], err = learnPart(&key[i], rows); err != nil {
			return nil, nil, err
		}
		if learned[i].Curve.IsLearned() {
			sample = &schema.Sample{Rows: int64(len(rows))}
		}
	}
	return learned, sample, nil
}

// LearnFrom is Learn from rows that are not stored yet.
func LearnFrom(key []schema.KeyPart, rows []value.Row, names value.Names) (learned []schema.KeyPart,
	sample *schema.Sample, err error) {
	learned = slices.Clone(key)
	for i := range key {
		if key[i].Curve == nil {
			continue
		}
		var values Sample
		for _, row := range rows {
			if one, _, ok := indexkey.CurveSample(make([]codec.Value, 0, len(key[i].Args)), &key[i], row, names); ok {
				values = append(values, one)
			}
		}
		if len(values) == 0 {
			continue
		}
		if learned[i], err = learnPart(&key[i], values); err != nil {
			return nil, nil, err
		}
		if learned[i].Curve.IsLearned() {
			sample = &schema.Sample{Rows: int64(len(values))}
		}
	}
	return learned, sample, nil
}

// CanLearn reports whether any codec of a key may be learned from rows.
func CanLearn(key []schema.KeyPart) bool {
	for i := range key {
		if key[i].Curve == nil {
			continue
		}
		attributes, _, err := keytext.Attributes(&key[i])
		if err == nil && slices.ContainsFunc(attributes, isLearnable) {
			return true
		}
	}
	return false
}

// learnPart returns a Z-order part with codecs learned from a sample, where the declaration lets it and there are
// enough values.
func learnPart(part *schema.KeyPart, sample Sample) (schema.KeyPart, error) {
	attributes, _, err := keytext.Attributes(part)
	if err != nil {
		return schema.KeyPart{}, err
	}
	learned := make([]*codec.Codec, len(attributes))
	for i, a := range attributes {
		current := part.Curve.Codecs[i]
		if !isLearnable(a) {
			continue
		}
		if isQuantile(current) {
			learned[i] = current // as long as there is nothing better
		}
		values := sample.column(i)
		if countValues(values) < learnedValues {
			continue
		}
		if learned[i], err = learnCodec(a, current.Version()+1, values); err != nil {
			return schema.KeyPart{}, err
		}
	}
	next, err := keytext.Curve(part.Name, attributes, learned)
	for i := range next.Args {
		next.Args[i].Codec = part.Args[i].Codec
	}
	return next, err
}

// learnCodec learns a codec, with fewer buckets where their separators would be long.
func learnCodec(a codec.Attribute, version uint32, values []codec.Value) (*codec.Codec, error) {
	for buckets := 0; ; buckets = max(buckets, 4096) / 4 {
		c, err := codec.Learn(a, version, values, codec.LearnOptions{Buckets: buckets})
		if err != nil || buckets == 1 {
			return c, err
		}
		stored, err := c.MarshalText()
		if err != nil || len(stored) <= storedMost {
			return c, err
		}
	}
}

// isLearnable reports whether an attribute's codec is to be learned. That of truth values has nothing to learn.
func isLearnable(a codec.Attribute) bool {
	return a.Codec == codec.ChoiceQuantile || a.Codec != codec.ChoiceRaw && a.Type.Kind != codec.Boolean
}

func isQuantile(c *codec.Codec) bool { return c.Attribute().Codec == codec.ChoiceQuantile }

func countValues(values []codec.Value) (n int) {
	for i := range values {
		if !values[i].IsNull() {
			n++
		}
	}
	return n
}

// partDue reports whether a codec of a Z-order part should be learned, or be learned anew, for rows such as the
// sample's.
func partDue(part *schema.KeyPart, sample Sample) (bool, error) {
	attributes, _, err := keytext.Attributes(part)
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

// codecDue reports whether a learned codec has more skew than it should, and another, learned from one half of the
// rows, would suit the other half better.
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

// Learn learns the codecs of an index to be added to a table from the table's rows; sample is nil if there is nothing
// to learn.
func (k *Keeper) Learn(ctx context.Context, table *record.Table, key []schema.KeyPart) (learned []schema.KeyPart,
	sample *schema.Sample, err error) {
	if !CanLearn(key) {
		return key, nil, nil
	}
	from, err := k.Store.Read(ctx)
	if err != nil {
		return key, nil, err
	}
	defer from.Close()
	learned, sample, err = Learn(ctx, from, table, key, table.Primary, k.sizer(ctx))
	if sample != nil {
		sample.AtMS = k.Now().UnixMilli()
	}
	return learned, sample, err
}

// Rebuild learns the codecs of an index from its own entries and begins to build an index with them that is to take its
// name. Errors: ErrBusy, ErrRaw, ErrNoIndex, catalog.ErrNotFound for the table.
func (k *Keeper) Rebuild(ctx context.Context, table uint32, name string) error {
	next, err := k.learnAnew(ctx, table, name)
	if err != nil {
		return err
	}
	return k.Change(ctx, table, func(table *schema.Table) ([]job.Job, error) {
		before, ok := table.Index(name)
		if !ok || before.ID != next.before || before.State != schema.Active || table.State == schema.Dropping {
			return nil, ErrBusy
		}
		kept := 0
		for other := range table.Rebuilds(name) {
			if kept++; !other.IsReplaced() || kept >= replacedLimit {
				return nil, ErrBusy
			}
		}
		x := table.AddRebuild(before, next.key, next.sample)
		return []job.Job{{Kind: job.BuildIndex, Table: table.ID, Index: x.ID}}, table.Validate()
	})
}

// learnedIndex is the key of an index to be, and the sample from which it was learned.
type learnedIndex struct {
	before uint32
	key    []schema.KeyPart
	sample *schema.Sample
}

func (k *Keeper) learnAnew(ctx context.Context, table uint32, name string) (next learnedIndex, err error) {
	version, err := k.Catalog.AcquireID(table)
	if err != nil {
		return next, err
	}
	defer version.Release() // before the change, which waits for it
	compiled := k.Compile(version)
	x, ok := compiled.Index(name)
	switch {
	case !ok:
		return next, ErrNoIndex
	case x.State != schema.Active:
		return next, ErrBusy
	case x.IsPrimary() || !CanLearn(x.Key):
		return next, ErrRaw
	}
	from, err := k.Store.Read(ctx)
	if err != nil {
		return next, err
	}
	defer from.Close()
	next.before = x.ID
	next.key, next.sample, err = Learn(ctx, from, compiled, x.Key, x, k.sizer(ctx))
	if next.sample != nil {
		next.sample.AtMS = k.Now().UnixMilli()
	}
	return next, err
}

// errRetired ends a change that has nothing to do.
var errRetired = errors.New("curve: the index is on its way out already")

// retire drops an index that was replaced.
func (k *Keeper) retire(ctx context.Context, table, id uint32) error {
	err := k.Change(ctx, table, func(table *schema.Table) ([]job.Job, error) {
		x, ok := table.IndexByID(id)
		if !ok || !x.IsReplaced() || x.State != schema.Active {
			return nil, errRetired
		}
		x.State = schema.Retiring
		return []job.Job{{Kind: job.DropIndex, Table: table.ID, Index: id}}, nil
	})
	if errors.Is(err, errRetired) {
		return nil
	}
	return err
}
