// SPDX-License-Identifier: Apache-2.0

// Package itemkey judges the keys that clients hand over, by the schema of a table or an index, and words what is wrong
// with them. Items show a plain key part under its column's name and a computed one under its expression.
//
// Knows: DynamoDB's rules and texts about key attributes and key conditions, the key errors of package database.
// Never: requests, how keys are encoded.
package itemkey

import (
	"errors"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/exception"
)

// Lengths of key attributes in bytes.
const (
	hashKeyBytesMax  = 2048
	rangeKeyBytesMax = 1024
)

// Mismatch is DynamoDB's message about a key that is not the table's.
const Mismatch = "The provided key element does not match the schema"

// AttributeName is the attribute by which items and page keys show a key part: the column of a plain one, the
// expression of a computed one.
func AttributeName(part *schema.KeyPart) string {
	if column := part.Column(); column != "" {
		return column
	}
	return part.Name
}

// Means reports whether a client's name means the key part.
func Means(part *schema.KeyPart, name string) bool {
	return name == part.Name || name == AttributeName(part)
}

// Value returns what a key from a request holds for a part. A key has few attributes, so they are looked through.
func Value(row value.Row, dictionary value.Names, part *schema.KeyPart) (value.Value, bool) {
	shown := AttributeName(part)
	for a := row.Attributes(dictionary); a.Next(); {
		if name := a.Name(); string(name) == shown || string(name) == part.Name {
			return a.Value(), true
		}
	}
	return nil, false
}

// typeName is the DynamoDB type of a key part.
func typeName(t schema.Type) string {
	switch t {
	case schema.String:
		return "S"
	case schema.Binary:
		return "B"
	case schema.Bool:
		return "BOOL"
	}
	return "N"
}

// Takes reports whether a value has a key part's type.
func Takes(part *schema.KeyPart, v value.Value) bool { return takes(part.Type, v) }

func takes(t schema.Type, v value.Value) bool {
	if t == 0 { // any
		return v.Kind() == value.String || v.Kind() == value.Binary || v.Kind().IsNumeric()
	}
	return v.Kind().String() == typeName(t)
}

// CheckValue refuses a value of the right type that is empty or too long for a part of an index.
func CheckValue(x *schema.Index, part int, v value.Value) error {
	if v.Kind() != value.String && v.Kind() != value.Binary {
		return nil
	}
	switch n := len(v.Bytes()); {
	case n == 0:
		return emptyKey(nil, AttributeName(&x.Visible()[part]), v.Kind())
	case part < x.PartitionParts && n > hashKeyBytesMax:
		return exception.InvalidValue("Size of hashkey has exceeded the maximum size limit of%d bytes", hashKeyBytesMax)
	case part >= x.PartitionParts && n > rangeKeyBytesMax:
		return exception.InvalidValue("Aggregated size of all range keys has exceeded the size limit of %d bytes",
			rangeKeyBytesMax)
	}
	return nil
}

// emptyKey says that a key attribute is empty; x is nil, or the secondary index that the attribute is a key of.
func emptyKey(x *schema.Index, name string, kind value.Kind) error {
	sort := emptySort(kind)
	if x == nil {
		return exception.Validationf("One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty %s value. Key: %s", sort, name)
	}
	return exception.Validationf("One or more parameter values are not valid. A value specified for a secondary index key is not supported. "+
		"The AttributeValue for a key attribute cannot contain an empty %s value. IndexName: %s, IndexKey: %s", sort,
		x.Name, name)
}

func emptySort(kind value.Kind) string {
	if kind == value.Binary {
		return "binary"
	}
	return "string"
}

// emptyKind is the kind of an empty value that a key part was given.
func emptyKind(part *schema.KeyPart) value.Kind {
	if part.Type == schema.Binary {
		return value.Binary
	}
	return value.String
}

// Check refuses a row that is not a key of the table: exactly its key attributes, of their types, neither empty nor too
// long.
func Check(pin database.Pinned, row value.Row) error {
	if !Fits(pin, row) {
		return exception.Validation(Mismatch)
	}
	return CheckValues(pin, row)
}

// Fits reports whether a row has the attributes of the table's key, of their types, and no more. The attributes that a
// computed part is made of say what its value is; the value itself will do only where no two items of the table can
// share it.
func Fits(pin database.Pinned, row value.Row) bool {
	x := &pin.Descriptor().Primary
	parts := x.Visible()
	if row.Len() != len(parts) || x.IsIdentified() {
		return fitsColumns(parts, row, pin.Names())
	}
	for i := range parts {
		if v, ok := Value(row, pin.Names(), &parts[i]); !ok || !Takes(&parts[i], v) {
			return fitsColumns(parts, row, pin.Names())
		}
	}
	return true
}

// fitsColumns reports whether a row has the columns of all parts, of types that they take, and no more.
func fitsColumns(parts []schema.KeyPart, row value.Row, dictionary value.Names) bool {
	computed := false
	for i := range parts {
		computed = computed || parts[i].Computed()
	}
	if !computed {
		return false
	}
	for a := row.Attributes(dictionary); a.Next(); {
		if !isColumn(parts, a.Name()) {
			return false
		}
	}
	for i := range parts {
		for _, argument := range parts[i].Args {
			if argument.Column == "" {
				continue
			}
			v, ok := row.Get(dictionary, []byte(argument.Column))
			if !ok || !takes(argument.Type, v) {
				return false
			}
		}
	}
	return true
}

func isColumn(parts []schema.KeyPart, name []byte) bool {
	for i := range parts {
		for _, argument := range parts[i].Args {
			if argument.Column == string(name) && argument.Column != "" {
				return true
			}
		}
	}
	return false
}

// CheckValues refuses empty and over-long values of a key that fits.
func CheckValues(pin database.Pinned, row value.Row) error {
	x := &pin.Descriptor().Primary
	parts := x.Visible()
	for i := range parts {
		v, ok := Value(row, pin.Names(), &parts[i])
		if !ok {
			continue // computed from others
		}
		if err := CheckValue(x, i, v); err != nil {
			return err
		}
	}
	return nil
}

// Fault words an error of a write. item is the item of a put, nil for other writes.
func Fault(pin database.Pinned, item value.Row, err error) error {
	if errors.Is(err, database.ErrNoKey) {
		return missingKey(pin, item)
	}
	if e, ok := errors.AsType[*database.KeyTypeError](err); ok {
		name := e.Column
		if name == "" {
			name = AttributeName(e.Part)
		}
		if e.Got == value.String && e.Want == schema.String { // only iso8601(..) takes some texts and not others
			return exception.InvalidValue(
				"The text of %s must be a time in UTC with all digits of its unit, such as 2026-05-06T07:08:09Z for iso8601(s)", name)
		}
		if e.Got.String() == typeName(e.Want) {
			return exception.InvalidValue("The number in key %s does not fit its column, which is of type %s", name,
				e.Want)
		}
		if x := reportedIndex(pin.Descriptor(), e.Part); x != nil {
			return exception.InvalidValue("Type mismatch for Index Key %s Expected: %s Actual: %s IndexName: %s", name,
				typeName(e.Want), e.Got, x.Name)
		}
		return exception.InvalidValue("Type mismatch for key %s expected: %s actual: %s", name, typeName(e.Want), e.Got)
	}
	if e, ok := errors.AsType[*database.ColumnTypeError](err); ok { // declared through SQL or the Go API
		if e.Got.String() == typeName(e.Want) {
			return exception.InvalidValue("The number in attribute %s does not fit its column, which is of type %s",
				e.Column, e.Want)
		}
		return exception.InvalidValue("Type mismatch for attribute %s expected: %s actual: %s", e.Column,
			typeName(e.Want), e.Got)
	}
	if e, ok := errors.AsType[*database.KeyEmptyError](err); ok {
		return emptyKey(reportedIndex(pin.Descriptor(), e.Part), AttributeName(e.Part), emptyKind(e.Part))
	}
	if e, ok := errors.AsType[*database.KeySizeError](err); ok {
		if isPartition(pin.Descriptor(), e.Part) {
			return exception.InvalidValue("Size of hashkey has exceeded the maximum size limit of%d bytes",
				hashKeyBytesMax)
		}
		return exception.InvalidValue("Aggregated size of all range keys has exceeded the size limit of %d bytes",
			rangeKeyBytesMax)
	}
	return err
}

// BatchFault is Fault for the table's key of an item in a batch, of which DynamoDB does not say what is missing or of
// another type.
func BatchFault(pin database.Pinned, item value.Row, err error) error {
	e, ok := errors.AsType[*database.KeyTypeError](err)
	if errors.Is(err, database.ErrNoKey) || ok && e.Got.String() != typeName(e.Want) {
		return exception.Validation(Mismatch)
	}
	return Fault(pin, item, err)
}

// missingKey names the first attribute that an item's key needs and the item lacks.
func missingKey(pin database.Pinned, item value.Row) error {
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
	return exception.Validation(Mismatch)
}

// SortOf says whose key an attribute belongs to, as messages put it: "Key" for the table's, "IndexKey" for an index's,
// "" for none.
func SortOf(table *schema.Table, name string) string {
	if Has(table.Primary.Visible(), name) {
		return "Key"
	}
	for i := range table.Indexes {
		if !table.Indexes[i].Internal && !table.Indexes[i].Search && Has(table.Indexes[i].Visible(), name) {
			return "IndexKey"
		}
	}
	return ""
}

// Has reports whether an attribute's name means one of the parts of a key.
func Has(parts []schema.KeyPart, name string) bool {
	for i := range parts {
		if Means(&parts[i], name) {
			return true
		}
	}
	return false
}

// indexOfPart returns the secondary index that a key part belongs to, nil for the table's own key.
func indexOfPart(table *schema.Table, part *schema.KeyPart) *schema.Index {
	for i := range table.Indexes {
		for j := range table.Indexes[i].Key {
			if &table.Indexes[i].Key[j] == part {
				return &table.Indexes[i]
			}
		}
	}
	return nil
}

// reportedIndex is the index that is named for a faulty key part, nil for the table's own key: of all indexes that have
// it, the first by name.
func reportedIndex(table *schema.Table, part *schema.KeyPart) *schema.Index {
	first := indexOfPart(table, part)
	for i := range table.Indexes {
		x := &table.Indexes[i]
		going := x.Internal || x.Search || x.State == schema.Retiring || x.State == schema.Dropping
		if first != nil && !going && x.Name < first.Name && Has(x.Visible(), AttributeName(part)) {
			first = x
		}
	}
	return first
}

func isPartition(table *schema.Table, part *schema.KeyPart) bool {
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
