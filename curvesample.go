// SPDX-License-Identifier: Apache-2.0

package weft

import (
	"context"

	"github.com/weftdb/weft/internal/indexkey"
	"github.com/weftdb/weft/internal/query"
	"github.com/weftdb/weft/internal/record"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/zorder/codec"
)

// Codecs of Z-order indexes are learned from samples of rows, spread evenly over an index or the table.
const (
	learnRows  = 32_768   // what a codec is learned from; a sample has half to twice as many where there are enough
	checkRows  = 4_096    // what a codec is compared with
	sampleMost = 64 << 20 // bytes of values kept
	// A sampler walks through so many entries, or bytes, for each row wanted before it jumps from place to place.
	walkedPerRow  = 8
	walkedBytes   = 256 << 20
	samplePlaces  = 1_023
	learnedValues = 256       // of an attribute with fewer nothing is learned
	storedMost    = 256 << 10 // bytes of a learned codec; it is part of the table's descriptor
)

// curveSample is the values of sampled rows in one Z-order part: one list for each row, of one value for each column.
type curveSample [][]codec.Value

// column returns the values of one column.
func (s curveSample) column(i int) []codec.Value {
	values := make([]codec.Value, len(s))
	for j := range s {
		values[j] = s[j][i]
	}
	return values
}

// halves parts a sample in two that are alike.
func (s curveSample) halves() (even, odd curveSample) {
	for i := range s {
		if i%2 == 0 {
			even = append(even, s[i])
		} else {
			odd = append(odd, s[i])
		}
	}
	return even, odd
}

// sampler gathers a curveSample from the entries of one index.
type sampler struct {
	pin    Pinned
	from   kv.Snapshot
	source *record.Index
	part   *KeyPart
	wanted int

	sample curveSample
	bytes  int // of sample
	stride int
}

// sampleCurve samples the rows of an index, or of the table, that have a place on a Z-order part.
func (p Pinned) sampleCurve(ctx context.Context, source *record.Index, part *KeyPart, wanted int) (curveSample, error) {
	reader, err := p.db.store.Read(ctx)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	s := sampler{pin: p, from: reader, source: source, part: part, wanted: wanted, stride: 1}
	whole, err := s.walk(ctx)
	if err != nil || whole {
		return s.sample, err
	}
	return s.sample, s.jump(ctx)
}

// walk takes every row at first, then every second one, every fourth and so on. whole says whether it got to the end.
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
	values, bytes, ok := indexkey.CurveSample(make([]codec.Value, 0, len(s.part.Args)), s.part, Row(walk.Value()), s.pin.Names())
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
	places, err := query.Boundaries(ctx, s.from, s.source, min(samplePlaces, s.wanted), s.pin.sizer(ctx))
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

// learnCurve returns a Z-order part with codecs learned from a sample, where the declaration lets it and there are enough values.
func learnCurve(part *KeyPart, sample curveSample) (KeyPart, error) {
	attributes, err := indexkey.CurveAttributes(part)
	if err != nil {
		return KeyPart{}, err
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
			return KeyPart{}, err
		}
	}
	return indexkey.CurvePart(part.Name, attributes, learned)
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

// isLearnable says whether an attribute's codec is to be learned. That of truth values has nothing to learn.
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
