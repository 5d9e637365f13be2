// SPDX-License-Identifier: Apache-2.0

package value

import (
	"strconv"

	"github.com/weftdb/weft/order"
)

// Decimal returns a number of any kind as an exact decimal; ok is false for other values and for a Float outside a
// Decimal's range. A Float is the shortest decimal that reads back as the same float64, which is also how it is shown.
func (v Value) Decimal() (d order.Decimal, ok bool) {
	switch v.Kind() {
	case Number:
		d, rest, err := order.CutDecimal(v[1:])
		return d, err == nil && len(rest) == 0
	case Int, Timestamp:
		x, ok := v.Int()
		return order.DecimalFromInt(x), ok
	case Float:
		x, _ := v.Float()
		var text [32]byte
		d, err := order.ParseDecimal(strconv.AppendFloat(text[:0], x, 'e', -1, 64))
		return d, err == nil
	}
	return order.Decimal{}, false
}

// Int returns an Int or a Timestamp, and a Number that is an integer of 64 bits; ok is false for others.
func (v Value) Int() (x int64, ok bool) {
	if len(v) == 9 && v[0] == tagInt {
		x, _, err := order.CutInt(v[1:])
		return x, err == nil
	}
	return v.anyInt()
}

func (v Value) anyInt() (x int64, ok bool) {
	switch v.Kind() {
	case Int:
		x, rest, err := order.CutInt(v[1:])
		return x, err == nil && len(rest) == 0
	case Timestamp:
		x, rest, err := order.CutTimestamp(v[1:])
		return x, err == nil && len(rest) == 0
	case Number:
		d, ok := v.Decimal()
		if !ok {
			return 0, false
		}
		return d.Int()
	}
	return 0, false
}

// Float returns a number of any kind as the nearest float64; ok is false for other values.
func (v Value) Float() (x float64, ok bool) {
	if v.Kind() == Float {
		x, rest, err := order.CutFloat(v[1:])
		return x, err == nil && len(rest) == 0
	}
	d, ok := v.Decimal()
	return d.Float(), ok
}

// AppendFloatText appends a Float that no Decimal can hold, such as NaN or 1e300, as text.
func AppendFloatText(dst []byte, x float64) []byte { return strconv.AppendFloat(dst, x, 'g', -1, 64) }
