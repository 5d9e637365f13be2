// SPDX-License-Identifier: Apache-2.0

package region

import (
	"context"
	"slices"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/index/indexkey"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/kv"
)

// KeyValue is the value of one part of a key: of a hidden hash, too, as a binary.
type KeyValue struct {
	Name   string // the column's, or the part's if it is computed
	Hidden bool
	Value  value.Value // missing for a null
}

// Shown is a region as people see it.
type Shown struct {
	ID    string
	Index string // "" is the table's own key
	// Start and End are where it begins and ends, as far as the parts of the key tell; empty: with the index. The key
	// at End is the next region's.
	Start, End []KeyValue
	// Middle is the key that divides its recent requests best, or else the one in the middle of its entries, as far as
	// either is known without reading more.
	Middle []KeyValue
	// First and Last are the first and the last entry; nil if there is none, or too many regions to look.
	First, Last value.Row
	Amount
	Rate
	// Fault says why it was not split although it has many requests: "" if there is no such reason.
	Fault       string
	Preset      bool  // it was made before there were rows
	CreatedAtMS int64 // Unix milliseconds; 0 if that is not known
	Leader      string
	Peers       []string
}

// shownWhole is the number of regions of an index up to which their entries are looked at: each costs some requests.
const shownWhole = 4096

// Show describes the regions of an index, in order. sizeOf may be nil.
func (k *Keeper) Show(ctx context.Context, table uint32, x *record.Index, sizeOf func(kv.Range) int64) ([]Shown,
	error) {
	from, err := k.Store.Read(ctx)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	regions, err := k.Regions(ctx, from, Place{table, x.ID}, x)
	if err != nil {
		return nil, err
	}
	var measured []Amount
	if len(regions) <= shownWhole {
		measured, err = Measure(ctx, from, x, regions, sizeOf)
	} else {
		measured = slices.Repeat([]Amount{{Least: true}}, len(regions))
	}
	if err != nil {
		return nil, err
	}
	rates := k.Rates(x, regions)
	list := make([]Shown, len(regions))
	for i := range regions {
		r := &regions[i]
		list[i] = Shown{
			ID: r.ID, Index: x.Name, Start: keyValues(x, r.Start), End: keyValues(x, r.End), Amount: measured[i],
			Rate: rates[i], Preset: r.Preset,
			CreatedAtMS: r.CreatedAtMS, Leader: r.Leader, Peers: r.Peers,
		}
		list[i].Middle = keyValues(x, k.divider(x, r, &measured[i], rates[i]))
		if why, ok := k.Verdict(r.ID); ok {
			list[i].Fault = why.String()
		}
		if len(regions) > shownWhole {
			continue
		}
		if list[i].First, list[i].Last, err = edges(ctx, from, x.Span(r.Start, r.End)); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// edges returns the first and the last entry of a range.
func edges(ctx context.Context, from kv.Snapshot, within kv.Range) (first, last value.Row, err error) {
	for _, reverse := range []bool{false, true} {
		walk := from.Scan(ctx, within, reverse)
		if walk.Next() {
			first, last = last, slices.Clone(value.Row(walk.Value()))
		}
		if err := walk.Close(); err != nil {
			return nil, nil, err
		}
	}
	return first, last, nil
}

// keyValues takes a key that may end after any part apart.
func keyValues(x *record.Index, key []byte) (list []KeyValue) {
	indexkey.Leading(x.Index, key, nil, func(part *schema.KeyPart, v value.Value) {
		name := part.Name
		if column := part.Column(); column != "" {
			name = column
		}
		list = append(list, KeyValue{Name: name, Hidden: part.Hidden, Value: v})
	})
	return list
}

// SplitAs makes regions of an index begin where spec says. If it has entries and spec is only a number, they are cut
// into parts of about the same size. added is the number of new regions. Errors: those of Points.
func (k *Keeper) SplitAs(ctx context.Context, table uint32, x *record.Index, spec *Spec,
	sizeOf func(kv.Range) int64) (added int, err error) {
	keys, err := Points(x.Index, spec)
	if err != nil {
		return 0, err
	}
	if len(spec.Keys) == 0 && spec.From == nil {
		from, err := k.Store.Read(ctx)
		if err != nil {
			return 0, err
		}
		defer from.Close()
		even, err := evenly(ctx, from, x, spec.Count, sizeOf)
		if err != nil {
			return 0, err
		}
		if len(even) > 0 {
			keys = even
		}
	}
	at := Place{table, x.ID}
	if added, err = k.Split(ctx, at, x, keys, true); added > 0 {
		k.tellSplit(ctx, at)
	}
	return added, err
}
