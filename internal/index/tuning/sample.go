// SPDX-License-Identifier: Apache-2.0

package tuning

import (
	"context"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/index/indexkey"
	"github.com/weftdb/weft/internal/rows/query"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/zorder/codec"
)

// Codecs of Z-order indexes are learned from samples of rows, spread evenly over an index or the table.
const (
	learnRows  = 32_768   // what a codec is learned from; a sample has half to twice as many where there are enough
	checkRows  = 4_096    // what a codec is compared with
	sampleMost = 64 << 20 // bytes of values kept
	// A sampler walks through so many entries, or bytes, for each row wanted before it jumps from place to place.
	walkedPerRow = 8
	walkedBytes  = 256 << 20
	samplePlaces = 1_023
)

// Sample is the values of sampled rows in one Z-order part: one list for each row, of one value for each column.
type Sample [][]codec.Value

// column returns the values of one column.
func (s Sample) column(i int) []codec.Value {
	values := make([]codec.Value, len(s))
	for j := range s {
		values[j] = s[j][i]
	}
	return values
}

// halves parts a sample in two that are alike.
func (s Sample) halves() (even, odd Sample) {
	for i := range s {
		if i%2 == 0 {
			even = append(even, s[i])
		} else {
			odd = append(odd, s[i])
		}
	}
	return even, odd
}

// sampler gathers a Sample from the entries of one index.
type sampler struct {
	names  value.Names
	from   kv.Snapshot
	source *record.Index
	sizeOf func(kv.Range) int64
	part   *schema.KeyPart
	wanted int

	sample Sample
	bytes  int // of sample
	stride int
}

// TakeSample samples the rows that have a place on a Z-order part, from an index's entries or from the table. It
// returns about as many as are wanted, or twice that, if there are enough. sizeOf estimates the bytes of a range; nil
// if nobody can.
func TakeSample(ctx context.Context, from kv.Snapshot, table *record.Table, source *record.Index, part *schema.KeyPart,
	wanted int,
	sizeOf func(kv.Range) int64) (Sample, error) {
	s := sampler{names: table.Names, from: from, source: source, sizeOf: sizeOf, part: part, wanted: wanted, stride: 1}
	whole, err := s.walk(ctx)
	if err != nil || whole {
		return s.sample, err
	}
	return s.sample, s.jump(ctx)
}

// walk takes every row at first, then every second one, every fourth and so on. whole reports whether it got to the
// end.
func (s *sampler) walk(ctx context.Context) (whole bool, err error) {
	walk := s.from.Scan(ctx, s.source.Range(), false)
	defer walk.Close()
	for entries, bytes := 0, 0; walk.Next(); entries++ {
		if entries >= walkedPerRow*s.wanted || bytes >= walkedBytes {
			return false, walk.Close()
		}
		bytes += len(walk.Key()) + len(walk.Value())
		if entries%s.stride == 0 && s.take(walk) && len(s.sample) >= 2*s.wanted || s.bytes > sampleMost {
			s.thin()
		}
	}
	return true, walk.Close()
}

// take adds the row under the cursor, if it has a place on the curve.
func (s *sampler) take(walk kv.Cursor) bool {
	values, bytes, ok := indexkey.CurveSample(make([]codec.Value, 0, len(s.part.Args)), s.part, value.Row(walk.Value()),
		s.names)
	if ok {
		s.sample, s.bytes = append(s.sample, values), s.bytes+bytes
	}
	return ok
}

// thin drops every second row.
func (s *sampler) thin() {
	s.sample, _ = s.sample.halves()
	s.stride, s.bytes = 2*s.stride, s.bytes/2
}

// jump samples anew, a few rows at each of many places that are about equally far apart.
func (s *sampler) jump(ctx context.Context) error {
	places, err := query.Boundaries(ctx, s.from, s.source, min(samplePlaces, s.wanted), s.sizeOf)
	if err != nil {
		return err
	}
	s.sample, s.bytes = nil, 0
	run := max(s.wanted/(len(places)+1), 1)
	for _, start := range append([][]byte{nil}, places...) {
		walk := s.from.Scan(ctx, s.source.Span(start, nil), false)
		for i := 0; i < run && s.bytes <= sampleMost && walk.Next(); i++ {
			s.take(walk)
		}
		if err := walk.Close(); err != nil {
			return err
		}
	}
	return nil
}
