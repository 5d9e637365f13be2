// SPDX-License-Identifier: Apache-2.0

package tuning

import (
	"context"
	"time"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/zorder/codec"
)

// Attribute says how one attribute of a Z-order index is coded.
type Attribute struct {
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

// Describe returns how the attributes of an index's Z-order parts are coded, in their order, and how well that suits a
// sample of its rows.
func Describe(ctx context.Context, from kv.Snapshot, table *record.Table, x *record.Index,
	sizeOf func(kv.Range) int64) (list []Attribute, err error) {
	for i := range x.Key {
		part := &x.Key[i]
		if part.Curve == nil {
			continue
		}
		rows, err := TakeSample(ctx, from, table, x, part, checkRows, sizeOf)
		if err != nil {
			return nil, err
		}
		for j := range part.Curve.Codecs {
			one, err := describe(x.Index, part, j, rows)
			if err != nil {
				return nil, err
			}
			list = append(list, one)
		}
	}
	return list, nil
}

func describe(x *schema.Index, part *schema.KeyPart, i int, rows Sample) (a Attribute, err error) {
	c := part.Curve.Codecs[i]
	a = Attribute{Name: part.Args[i].Column, Codec: "raw", Bits: c.Bits(), Version: c.Version()}
	if isQuantile(c) {
		a.Codec = "quantile"
		if x.Sample != nil {
			a.SampleRows, a.LearnedAt = x.Sample.Rows, time.UnixMilli(x.Sample.AtMS)
		}
	}
	a.Skew, err = c.Skew(rows.column(i), codec.SkewOptions{})
	return a, err
}
