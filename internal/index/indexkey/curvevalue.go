// SPDX-License-Identifier: Apache-2.0

package indexkey

import (
	"bytes"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/zorder/codec"
)

// sampleBytesMax is the number of bytes of a text in a sample: codecs do not look further.
const sampleBytesMax = 1024

// CurveSample appends what a Z-order part takes from a row, one value for each of its columns, for codecs to be learned
// from. The values alias nothing. size is about the number of bytes they take. ok is false for a row that has no place
// in the index.
func CurveSample(dst []codec.Value, p *schema.KeyPart, row value.Row, names value.Names) (values []codec.Value,
	size int, ok bool) {
	for i := range p.Args {
		v, _ := row.Get(names, []byte(p.Args[i].Column))
		v = decoded(&p.Args[i], v)
		if v.IsMissing() {
			if p.Curve.Codecs[i].Attribute().Nulls != codec.NullsFirst {
				return dst, 0, false
			}
			dst = append(dst, codec.Null())
			continue
		}
		one, fits := codecValue(v, p.Args[i].Type)
		if !fits || !isStandard(p.Curve.Codecs[i], v) {
			return dst, 0, false
		}
		switch v.Kind() {
		case value.String:
			one = codec.Text(cutSample(v.Bytes()))
		case value.Binary:
			one = codec.Binary(cutSample(v.Bytes()))
		}
		dst, size = append(dst, one), size+min(len(v), sampleBytesMax)
	}
	return dst, size, true
}

func cutSample(b []byte) []byte { return bytes.Clone(b[:min(len(b), sampleBytesMax)]) }
