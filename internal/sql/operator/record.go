// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"encoding/binary"
	"errors"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/order"
)

// Classes of data in sort keys, in the order of datum.Order.
const (
	sortNull byte = iota + 1
	sortNumber
	sortInstant
	sortTime
	sortMember // a text with a number, of ENUM or SET
	sortBytes
	sortJSON
)

// Whether a number is below, at or above the float that stands before it in a sort key.
const (
	belowFloat byte = 0x40
	atFloat    byte = 0x80
	aboveFloat byte = 0xC0
)

// AppendSortKey appends bytes that are ordered as datum.Order orders data. No key begins another one.
func AppendSortKey(dst []byte, d datum.Datum, descending bool) []byte {
	start := len(dst)
	switch d.Kind() {
	case datum.KindNull:
		dst = append(dst, sortNull)
	case datum.KindTimestamp, datum.KindDate:
		us, _ := d.Instant()
		dst = order.AppendInt(append(dst, sortInstant), us)
	case datum.KindTime:
		dst = order.AppendInt(append(dst, sortTime), d.Int())
	case datum.KindText, datum.KindBinary:
		if number, ok := d.Member(); ok {
			dst = binary.BigEndian.AppendUint64(append(dst, sortMember), number)
		} else {
			dst = append(dst, sortBytes)
		}
		dst = order.AppendBytes(dst, d.Bytes())
	case datum.KindJSON:
		rank, scalar := d.JSONScalar()
		if dst = append(dst, sortJSON, rank); scalar.IsNumber() {
			dst = appendNumberKey(dst, scalar)
		} else {
			dst = order.AppendBytes(dst, scalar.Bytes())
		}
	default:
		dst = appendNumberKey(append(dst, sortNumber), d)
	}
	if descending {
		order.Complement(dst[start:])
	}
	return dst
}

func appendNumberKey(dst []byte, d datum.Datum) []byte {
	f := d.NumberFloat()
	dst = order.AppendFloat(dst, f)
	if d.Kind() == datum.KindFloat {
		return append(dst, atFloat)
	}
	if n := d.Int(); d.Kind() != datum.KindDecimal && d.Kind() != datum.KindUint && n > -1<<53 && n < 1<<53 {
		return append(dst, atFloat)
	}
	side, _ := datum.Compare(d, datum.Float64(f))
	if side == 0 {
		return append(dst, atFloat)
	}
	x, _ := d.NumberDecimal()
	if side < 0 {
		return order.AppendDecimal(append(dst, belowFloat), x)
	}
	return order.AppendDecimal(append(dst, aboveFloat), x)
}

// appendDatum appends a datum so that cutDatum reads back the very same.
func appendDatum(dst []byte, d datum.Datum) []byte {
	if number, ok := d.Member(); ok {
		dst = binary.AppendUvarint(append(dst, recordMember), number)
	}
	dst = append(dst, byte(d.Kind()))
	switch d.Kind() {
	case datum.KindNull:
		return dst
	case datum.KindFloat:
		return order.AppendFloat(dst, d.Float())
	case datum.KindDecimal:
		return order.AppendDecimal(append(dst, byte(d.Scale())), d.Decimal())
	case datum.KindText, datum.KindBinary, datum.KindJSON:
		dst = binary.AppendUvarint(dst, uint64(d.Len()))
		return append(dst, d.Bytes()...)
	case datum.KindUint:
		return binary.AppendUvarint(dst, d.Uint())
	case datum.KindTimestamp, datum.KindTime:
		dst = append(dst, d.TimeShape())
	}
	return binary.AppendVarint(dst, d.Int())
}

// recordMember stands before a text with a number, of ENUM or SET.
const recordMember = 0xff

// ErrRecord says that a record in a temporary file is not what was written.
var ErrRecord = errors.New("operator: a record that was kept for sorting is damaged")

// cutDatum reads a datum, which aliases b.
func cutDatum(b []byte) (d datum.Datum, rest []byte, err error) {
	if len(b) == 0 {
		return d, nil, ErrRecord
	}
	if b[0] == recordMember {
		number, n := binary.Uvarint(b[1:])
		if n <= 0 {
			return d, nil, ErrRecord
		}
		d, rest, err = cutDatum(b[1+n:])
		return d.WithMember(number), rest, err
	}
	kind, b := datum.Kind(b[0]), b[1:]
	switch kind {
	case datum.KindNull:
		return datum.Null, b, nil
	case datum.KindFloat:
		f, rest, err := order.CutFloat(b)
		return datum.Float64(f), rest, err
	case datum.KindDecimal:
		if len(b) == 0 {
			return d, nil, ErrRecord
		}
		x, rest, err := order.CutDecimal(b[1:])
		return datum.DecimalShown(x, int(b[0])), rest, err
	case datum.KindText, datum.KindBinary, datum.KindJSON:
		size, n := binary.Uvarint(b)
		if n <= 0 || size > uint64(len(b)-n) {
			return d, nil, ErrRecord
		}
		return bytesOf(kind, b[n:n+int(size)]), b[n+int(size):], nil
	case datum.KindUint:
		x, n := binary.Uvarint(b)
		if n <= 0 {
			return d, nil, ErrRecord
		}
		return datum.Uint(x), b[n:], nil
	case datum.KindTimestamp, datum.KindTime:
		if len(b) == 0 {
			return d, nil, ErrRecord
		}
		x, n := binary.Varint(b[1:])
		if n <= 0 {
			return d, nil, ErrRecord
		}
		return integerOf(kind, x).WithTimeShape(b[0]), b[1+n:], nil
	}
	x, n := binary.Varint(b)
	if n <= 0 {
		return d, nil, ErrRecord
	}
	return integerOf(kind, x), b[n:], nil
}

func bytesOf(kind datum.Kind, b []byte) datum.Datum {
	switch kind {
	case datum.KindText:
		return datum.Text(b)
	case datum.KindBinary:
		return datum.Binary(b)
	}
	return datum.JSON(b)
}

func integerOf(kind datum.Kind, x int64) datum.Datum {
	switch kind {
	case datum.KindBool:
		return datum.Bool(x != 0)
	case datum.KindTimestamp:
		return datum.TimestampUS(x)
	case datum.KindDate:
		return datum.DateDays(x)
	case datum.KindTime:
		return datum.TimeUS(x)
	}
	return datum.Int(x)
}

// CutRow reads as many data as row holds.
func CutRow(b []byte, row []datum.Datum) (err error) {
	for i := range row {
		if row[i], b, err = cutDatum(b); err != nil {
			return err
		}
	}
	return nil
}

// AppendRow appends data so that CutRow reads back the very same.
func AppendRow(dst []byte, row []datum.Datum) []byte {
	for i := range row {
		dst = appendDatum(dst, row[i])
	}
	return dst
}
