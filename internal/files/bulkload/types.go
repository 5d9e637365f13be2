// SPDX-License-Identifier: Apache-2.0

package bulkload

import (
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/order"
)

// Type is the type as which the text of a field is read.
type Type uint8

// The types of fields.
const (
	asText       Type = iota + 1
	asNumber          // a decimal of up to 38 digits
	asBinary          // base64
	asBoolean         // true, false, 1, 0
	asInteger         // of 64 bits, as SQL's integer columns store it
	asFloat           // of 64 bits
	asTimestamp       // RFC 3339, 2006-01-02 15:04:05 in UTC, or milliseconds since 1970
	asTimestamp6      // the same with microseconds, as SQL's DATETIME(6) columns store it
	asDate            // 2006-01-02, as SQL's DATE columns store it
	asDocument        // JSON
	asAttribute       // an attribute value of DynamoDB's JSON, such as {"SS":["a"]}
	asStored          // base64 of a value as it is stored
)

// typeWords are the names of the types in the command line. // immutable
var typeWords = map[string]Type{"string": asText, "number": asNumber, "binary": asBinary, "bool": asBoolean,
	"int": asInteger, "float": asFloat,
	"timestamp": asTimestamp, "timestamp6": asTimestamp6, "date": asDate, "json": asDocument,
	"attribute": asAttribute, "stored": asStored}

// TypeOf returns the type that a word names.
func TypeOf(word string) (Type, error) {
	if t, ok := typeWords[word]; ok {
		return t, nil
	}
	return 0, fmt.Errorf("there is no type %q, only %s", word, strings.Join(slices.Sorted(maps.Keys(typeWords)), ", "))
}

// schemaTypes are the types of columns that are declared. // immutable
var schemaTypes = map[schema.Type]Type{schema.String: asText, schema.Number: asNumber, schema.Binary: asBinary,
	schema.Bool: asBoolean, schema.Int: asInteger,
	schema.Float: asFloat, schema.Timestamp: asTimestamp}

// columnTypes returns the known types of a table's columns: given, else declared, else needed by the key or an
// index.
func columnTypes(table *schema.Table, given map[string]Type) map[string]Type {
	types := maps.Clone(given)
	if types == nil {
		types = map[string]Type{}
	}
	learn := func(column string, t schema.Type) {
		known, ok := schemaTypes[t]
		if _, taken := types[column]; ok && !taken && column != "" {
			types[column] = known
		}
	}
	for _, c := range table.Columns {
		learn(c.Name, c.Type)
	}
	for x := range indexesOf(table) {
		for i := range x.Key {
			part := &x.Key[i]
			learn(part.Column(), part.Type)
			for _, argument := range part.Args {
				learn(argument.Column, argument.Type)
			}
		}
	}
	return types
}

// indexesOf yields the primary key and all declared indexes.
func indexesOf(table *schema.Table) func(yield func(*schema.Index) bool) {
	return func(yield func(*schema.Index) bool) {
		if !yield(&table.Primary) {
			return
		}
		for x := range table.Declared() {
			if !yield(x) {
				return
			}
		}
	}
}

// appendTyped appends the value that a text has as a type.
func appendTyped(dst []byte, t Type, s []byte) ([]byte, error) {
	switch t {
	case asNumber:
		d, err := order.ParseDecimal(s)
		if err != nil {
			return dst, fmt.Errorf("%.40q is not a valid number: %w", s, err)
		}
		return value.AppendNumber(dst, d), nil
	case asBinary:
		data, err := base64.StdEncoding.AppendDecode(nil, s)
		if err != nil {
			return dst, fmt.Errorf("%.40q is not base64: %w", s, err)
		}
		return value.AppendBinary(dst, data), nil
	case asBoolean:
		b, err := strconv.ParseBool(strings.ToLower(string(s)))
		if err != nil {
			return dst, fmt.Errorf("%.40q is neither true nor false", s)
		}
		return value.AppendBool(dst, b), nil
	case asInteger:
		n, err := strconv.ParseInt(string(s), 10, 64)
		if err != nil {
			return dst, fmt.Errorf("%.40q is not a 64-bit integer", s)
		}
		return value.AppendInt(dst, n), nil
	case asFloat:
		x, err := strconv.ParseFloat(string(s), 64)
		if err != nil {
			return dst, fmt.Errorf("%.40q is not a 64-bit float", s)
		}
		return value.AppendFloat(dst, x), nil
	case asTimestamp:
		ms, err := parseTime(string(s), time.Time.UnixMilli)
		return value.AppendTimestamp(dst, ms), err
	case asTimestamp6:
		us, err := parseTime(string(s), time.Time.UnixMicro)
		return value.AppendTimestamp(dst, us), err
	case asDate:
		at, err := time.Parse(time.DateOnly, string(s))
		if err != nil {
			return dst, fmt.Errorf("%.40q is not a date such as 2006-01-02", s)
		}
		const day = 24 * 60 * 60
		return value.AppendInt(dst, at.Unix()/day), nil
	case asDocument:
		r := attributejson.NewReader(s)
		dst, err := r.Plain(dst)
		if err == nil {
			err = r.End()
		}
		return dst, err
	case asAttribute:
		return appendAttribute(dst, s)
	case asStored:
		data, err := base64.StdEncoding.AppendDecode(nil, s)
		if err != nil {
			return dst, fmt.Errorf("%.40q is not base64: %w", s, err)
		}
		return appendStored(dst, data)
	}
	return appendText(dst, s)
}

// parseTime reads a time in the unit of a column, in which plain numbers are as well.
func parseTime(s string, unit func(time.Time) int64) (units int64, err error) {
	for _, layout := range [...]string{time.RFC3339Nano, time.DateTime, time.DateOnly} {
		if at, err := time.Parse(layout, s); err == nil {
			return unit(at), nil
		}
	}
	if units, err = strconv.ParseInt(s, 10, 64); err != nil {
		return 0, fmt.Errorf("%.40q is not a time: write 2006-01-02T15:04:05Z, 2006-01-02 15:04:05 (UTC), or a number since 1970", s)
	}
	return units, nil
}
