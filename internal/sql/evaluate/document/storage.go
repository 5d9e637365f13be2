// SPDX-License-Identifier: Apache-2.0

package document

import (
	"math"
	"strconv"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/datum/jsontext"
	"github.com/weftdb/weft/internal/sql/evaluate/function"
)

// storages are the functions of MySQL's binary form of JSON, and MEMBER OF. // immutable
var storages = map[string]function.Function{
	"json_storage_size": {Min: 1, Max: 1, Result: isInteger, Apply: jsonStorageSize},
	"json_storage_free": {Min: 1, Max: 1, Result: isInteger, Apply: jsonStorageFree},
	"member_of":         {Min: 2, Max: 2, Result: isInteger, Apply: memberOf},
}

// memberOf is x MEMBER OF (array): whether an element, or what is no array itself, equals x.
func memberOf(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
	v, err := documentOf(e, "member of", a, 1)
	if err != nil {
		return datum.Null, err
	}
	x, err := partFrom(e, a[0])
	if err != nil {
		return datum.Null, err
	}
	if v.Kind() == value.List {
		for elements := v.Elements(); elements.Next(); {
			if jsontext.Compare(elements.Value(), x) == 0 {
				return datum.Int(1), nil
			}
		}
		return datum.Int(0), nil
	}
	return function.Bit(jsontext.Compare(v, x) == 0), nil
}

// jsonStorageSize is the number of bytes MySQL keeps a document in: a byte of its type, and it.
func jsonStorageSize(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
	v, err := documentOf(e, "json_storage_size", a, 0)
	if err != nil {
		return datum.Null, err
	}
	return datum.Int(int64(1 + storageSize(v))), nil
}

// jsonStorageFree is the space left by partial updates: none.
func jsonStorageFree(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
	_, err := documentOf(e, "json_storage_free", a, 0)
	return datum.Int(0), err
}

func storageSize(v value.Value) int {
	switch kind := v.Kind(); kind {
	case value.Map, value.List:
		size := containerSize(v, 2)
		if size > math.MaxUint16 {
			size = containerSize(v, 4)
		}
		return size
	case value.String:
		return lengthSize(len(v.Bytes())) + len(v.Bytes())
	case value.Number:
		return numberSize(v.String())
	}
	return 1
}

// containerSize is the size of an object or array whose offsets take so many bytes.
func containerSize(v value.Value, offset int) int {
	size := 2 * offset // how many elements, and how many bytes
	for elements := v.Elements(); elements.Next(); {
		if v.Kind() == value.Map {
			size += offset + 2 + len(elements.Name())
		}
		size += 1 + offset
		element := elements.Value()
		if own := storageSize(element); !isInlined(element, own, offset) {
			size += own
		}
	}
	return size
}

// isInlined reports whether a value takes the place of its offset.
func isInlined(v value.Value, size, offset int) bool {
	switch v.Kind() {
	case value.Map, value.List, value.String:
		return false
	}
	return size <= offset
}

// lengthSize is the size of a length: seven bits to a byte.
func lengthSize(n int) int {
	size := 1
	for ; n > 0x7f; n >>= 7 {
		size++
	}
	return size
}

func numberSize(text string) int {
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil:
		return 8
	case n >= math.MinInt16 && n <= math.MaxUint16:
		return 2
	case n >= math.MinInt32 && n <= math.MaxUint32:
		return 4
	}
	return 8
}
