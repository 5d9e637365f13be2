// SPDX-License-Identifier: Apache-2.0

package indexkey

import (
	"encoding/binary"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/order"
)

// Append appends the key of row in index x. ok is false, and nothing is appended, if the row lacks an attribute of the
// key and the index keeps no nulls: the row then has no entry there (for the primary index, no key). A value that
// cannot stand in the key is a *TypeError, *EmptyError or *SizeError, whether or not another attribute is missing; in a
// lenient index it counts as missing. An index that keeps nulls takes empty strings and binaries; others refuse them,
// as DynamoDB does.
func Append(dst []byte, x *schema.Index, row value.Row, names value.Names) (key []byte, ok bool, err error) {
	s := source{row: row, names: names}
	return appendKey(dst, x, &s)
}

// AppendColumns is Append with the columns' values from a look-up, which returns nil for a missing one.
func AppendColumns(dst []byte, x *schema.Index, column func(name string) value.Value) (key []byte, ok bool, err error) {
	s := source{column: column}
	return appendKey(dst, x, &s)
}

// AppendValues is Append with the values of the visible parts themselves, such as Values returned: the column's value
// for a plain part, the function's result for a computed one. The hidden part is computed from them.
func AppendValues(dst []byte, x *schema.Index, part func(p *schema.KeyPart) value.Value) (key []byte, ok bool,
	err error) {
	s := source{part: part}
	return appendKey(dst, x, &s)
}

func appendKey(dst []byte, x *schema.Index, s *source) (key []byte, ok bool, err error) {
	n := len(dst)
	s.nulls = x.KeepNulls
	complete := true
	for i := range x.Key {
		var ok bool
		if dst, ok, err = appendPart(dst, x, i, s); err != nil {
			if x.Lenient {
				err = nil
			}
			return dst[:n], false, err
		}
		complete = complete && ok
	}
	if !complete {
		return dst[:n], false, nil
	}
	return dst, true, nil
}

// appendPart appends part i of the key. ok is false if it has no value and the index keeps no nulls.
func appendPart(dst []byte, x *schema.Index, i int, s *source) (key []byte, ok bool, err error) {
	p := &x.Key[i]
	n := len(dst)
	marked := x.KeepNulls && !p.Hidden
	if marked {
		dst = append(dst, markValue^maskOf(p.Descending))
	}
	m := len(dst)
	switch {
	case s.part != nil && !p.Hidden:
		dst, ok, err = appendChecked(dst, x, i, s.part(p))
	case !p.Computed():
		dst, ok, err = appendChecked(dst, x, i, s.get(&p.Args[0]))
	case hashWidth(p.Function) > 0:
		dst, ok, err = appendHash(dst, x, p, s)
	default:
		if dst, ok, err = appendComputed(dst, x, p, s); ok && err == nil {
			valueEnd := len(dst)
			dst, ok, err = appendChecked(dst, x, i, value.Value(dst[m:valueEnd]))
			dst = dropMiddle(dst, m, valueEnd)
		}
	}
	switch {
	case err != nil:
		return dst[:n], false, err
	case !ok && marked:
		return append(dst[:n], markNull^maskOf(p.Descending)), true, nil
	}
	return dst, ok, nil
}

func appendHash(dst []byte, x *schema.Index, p *schema.KeyPart, s *source) (key []byte, ok bool, err error) {
	dst, sum, ok, err := computeHash(dst, x, p, s)
	if !ok || err != nil {
		return dst, false, err
	}
	n := len(dst)
	width := hashWidth(p.Function)
	dst = binary.BigEndian.AppendUint64(dst, sum)[:n+width]
	if p.Descending {
		order.Complement(dst[n:])
	}
	return dst, true, nil
}

// appendChecked appends the encoding of v as part i after checking its type and size. ok is false if v is missing, or
// null in an index that keeps nulls.
func appendChecked(dst []byte, x *schema.Index, i int, v value.Value) (key []byte, ok bool, err error) {
	p := &x.Key[i]
	if v.IsMissing() || x.KeepNulls && v.Kind() == value.Null {
		return dst, false, nil
	}
	switch kind := v.Kind(); {
	case kind == value.String && p.Type == schema.String: // by far the most common: no detours
		text := v.Bytes()
		if err := checkSize(x, i, len(text)); err != nil {
			return dst, false, err
		}
		n := len(dst)
		dst = order.AppendBytes(dst, text)
		if p.Descending {
			order.Complement(dst[n:])
		}
		return dst, true, nil
	case kind == value.String || kind == value.Binary:
		if err := checkSize(x, i, len(v.Bytes())); err != nil && Accepts(p.Type, kind) {
			return dst, false, err
		}
	}
	dst, ok = appendValue(dst, p, v)
	if !ok {
		return dst, false, misfit(p, argumentOf(p), p.Type, v)
	}
	return dst, true, nil
}

// argumentOf is the column of a plain part; of a computed one it is none.
func argumentOf(p *schema.KeyPart) *schema.Argument {
	if p.Computed() {
		return &schema.Argument{}
	}
	return &p.Args[0]
}

func checkSize(x *schema.Index, i, bytes int) error {
	p := &x.Key[i]
	if width := fixedWidth(p); width > 0 && bytes != width {
		return &SizeError{Part: p, Bytes: bytes, BytesMax: width}
	}
	if bytes > 0 && bytes <= sortBytesMax {
		return nil
	}
	if bytes == 0 && !x.KeepNulls {
		return &EmptyError{Part: p}
	}
	if bytesMax := BytesMax(x, i-hiddenParts(x)); bytes > bytesMax {
		return &SizeError{Part: p, Bytes: bytes, BytesMax: bytesMax}
	}
	return nil
}

func hiddenParts(x *schema.Index) int { return len(x.Key) - len(x.Visible()) }

// BytesMax returns the largest length of a string or binary in a visible part of x. The parts behind a hash that tell
// items apart may be as long as a partition key.
func BytesMax(x *schema.Index, part int) int {
	if part < x.PartitionParts || x.Visible()[part].Identity {
		return partitionBytesMax
	}
	return sortBytesMax
}

// Takes reports whether v can stand in a visible part of x: whether it has the type and a good size, and no number is
// rounded.
func Takes(x *schema.Index, part int, v value.Value) bool {
	_, ok, err := appendChecked(nil, x, part+hiddenParts(x), v)
	return ok && err == nil
}
