// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"errors"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/value"
)

// Lengths of key attributes in bytes.
const (
	hashKeyBytesMax  = 2048
	rangeKeyBytesMax = 1024
)

const keyMismatch = "The provided key element does not match the schema"

// shownName is the attribute by which items and page keys show a key part: the column of a plain one, the expression of a computed one.
func shownName(part *weft.KeyPart) string {
	if column := part.Column(); column != "" {
		return column
	}
	return part.Name
}

// names says whether a client's name means the key part.
func names(part *weft.KeyPart, name string) bool { return name == part.Name || name == shownName(part) }

// partValue returns what a key from a request holds for a part. A key has few attributes, so they are looked through.
func partValue(row weft.Row, dictionary weft.Names, part *weft.KeyPart) (value.Value, bool) {
	shown := shownName(part)
	for a := row.Attributes(dictionary); a.Next(); {
		if name := a.Name(); string(name) == shown || string(name) == part.Name {
			return a.Value(), true
		}
	}
	return nil, false
}

// typeName is the DynamoDB type of a key part.
func typeName(t weft.Type) string {
	switch t {
	case weft.String:
		return "S"
	case weft.Binary:
		return "B"
	case weft.Bool:
		return "BOOL"
	}
	return "N"
}

// takes says whether a value has a key part's type.
func takes(part *weft.KeyPart, v value.Value) bool {
	if part.Type == 0 { // any
		return v.Kind() == value.String || v.Kind() == value.Binary || v.Kind().IsNumeric()
	}
	return v.Kind().String() == typeName(part.Type)
}

// checkKeyValue refuses a value of the right type that is empty or too long for a part of an index.
func checkKeyValue(x *weft.Index, part int, v value.Value) error {
	if v.Kind() != value.String && v.Kind() != value.Binary {
		return nil
	}
	switch n := len(v.Bytes()); {
	case n == 0:
		return emptyKey(nil, shownName(&x.Visible()[part]), v.Kind())
	case part < x.PartitionParts && n > hashKeyBytesMax:
		return exception.InvalidValue("Size of hashkey has exceeded the maximum size limit of%d bytes", hashKeyBytesMax)
	case part >= x.PartitionParts && n > rangeKeyBytesMax:
		return exception.InvalidValue("Aggregated size of all range keys has exceeded the size limit of %d bytes", rangeKeyBytesMax)
	}
	return nil
}

// emptyKey says that a key attribute is empty; x is nil, or the secondary index that the attribute is a key of.
func emptyKey(x *weft.Index, name string, kind value.Kind) error {
	sort := "string"
	if kind == value.Binary {
		sort = "binary"
	}
	if x == nil {
		return exception.Validationf("One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty %s value. Key: %s", sort, name)
	}
	return exception.Validationf("One or more parameter values are not valid. A value specified for a secondary index key is not supported. "+
		"The AttributeValue for a key attribute cannot contain an empty %s value. IndexName: %s, IndexKey: %s", sort, x.Name, name)
}

// keyRow reads a Key: the attributes of the table's key and nothing else. The row is appended to dst.
func (r *request) keyRow(pin weft.Pinned, raw, dst []byte) (weft.Row, error) {
	row, err := r.parseItem(pin, raw, dst)
	if err != nil {
		return nil, err
	}
	return row, checkKey(pin, row)
}

// parseItem reads a JSON item into a row appended to dst.
func (r *request) parseItem(pin weft.Pinned, raw, dst []byte) (weft.Row, error) {
	r.reader.Reset(raw)
	r.builder.Reset(pin.Names())
	if err := r.reader.Item(&r.builder); err != nil {
		return nil, err
	}
	return r.builder.AppendTo(dst)[len(dst):], nil
}

func checkKey(pin weft.Pinned, row weft.Row) error {
	if !fitsKey(pin, row) {
		return exception.Validation(keyMismatch)
	}
	return checkKeyValues(pin, row)
}

// fitsKey says whether a row has the attributes of the table's key, of their types, and no more.
func fitsKey(pin weft.Pinned, row weft.Row) bool {
	parts := pin.Descriptor().Primary.Visible()
	if row.Len() != len(parts) {
		return false
	}
	for i := range parts {
		if v, ok := partValue(row, pin.Names(), &parts[i]); !ok || !takes(&parts[i], v) {
			return false
		}
	}
	return true
}

// checkKeyValues refuses empty and over-long values of a key that fits.
func checkKeyValues(pin weft.Pinned, row weft.Row) error {
	x := &pin.Descriptor().Primary
	parts := x.Visible()
	for i := range parts {
		v, _ := partValue(row, pin.Names(), &parts[i])
		if err := checkKeyValue(x, i, v); err != nil {
			return err
		}
	}
	return nil
}

// writeError words an error of a write. item is what was put, nil for other writes.
func writeError(pin weft.Pinned, item weft.Row, err error) error {
	if errors.Is(err, weft.ErrNoKey) {
		return missingKey(pin, item)
	}
	if e, ok := errors.AsType[*weft.KeyTypeError](err); ok {
		name := e.Column
		if name == "" {
			name = shownName(e.Part)
		}
		if e.Got.String() == typeName(e.Want) {
			return exception.InvalidValue("The number in key %s does not fit its column, which is of type %s", name, e.Want)
		}
		if x := indexOfPart(pin.Descriptor(), e.Part); x != nil {
			return exception.InvalidValue("Type mismatch for Index Key %s Expected: %s Actual: %s IndexName: %s", name, typeName(e.Want), e.Got, x.Name)
		}
		return exception.InvalidValue("Type mismatch for key %s expected: %s actual: %s", name, typeName(e.Want), e.Got)
	}
	if e, ok := errors.AsType[*weft.KeyEmptyError](err); ok {
		kind := value.String
		if e.Part.Type == weft.Binary {
			kind = value.Binary
		}
		return emptyKey(indexOfPart(pin.Descriptor(), e.Part), shownName(e.Part), kind)
	}
	if e, ok := errors.AsType[*weft.KeySizeError](err); ok {
		if isPartition(pin.Descriptor(), e.Part) {
			return exception.InvalidValue("Size of hashkey has exceeded the maximum size limit of%d bytes", hashKeyBytesMax)
		}
		return exception.InvalidValue("Aggregated size of all range keys has exceeded the size limit of %d bytes", rangeKeyBytesMax)
	}
	return err
}

// missingKey names the first attribute that an item's key needs and the item lacks.
func missingKey(pin weft.Pinned, item weft.Row) error {
	parts := pin.Descriptor().Primary.Visible()
	for i := range parts {
		for _, argument := range parts[i].Args {
			if argument.Column == "" {
				continue
			}
			if _, ok := item.Get(pin.Names(), []byte(argument.Column)); !ok {
				return exception.InvalidValue("Missing the key %s in the item", argument.Column)
			}
		}
	}
	return exception.Validation(keyMismatch)
}

// indexOfPart returns the secondary index that a key part belongs to, nil for the table's own key.
func indexOfPart(table *weft.Descriptor, part *weft.KeyPart) *weft.Index {
	for i := range table.Indexes {
		for j := range table.Indexes[i].Key {
			if &table.Indexes[i].Key[j] == part {
				return &table.Indexes[i]
			}
		}
	}
	return nil
}

func isPartition(table *weft.Descriptor, part *weft.KeyPart) bool {
	x := indexOfPart(table, part)
	if x == nil {
		x = &table.Primary
	}
	partition := x.Partition()
	for i := range partition {
		if &partition[i] == part {
			return true
		}
	}
	return false
}
