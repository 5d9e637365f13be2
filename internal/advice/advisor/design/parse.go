// SPDX-License-Identifier: Apache-2.0

package design

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// Limits of a document.
const (
	DocumentBytesMax = 64 << 20
	PatternsMax      = 10_000
	SampleMax        = 65_536
	AttributesMax    = 1_000
	IndexesMax       = 100
	HeatMax          = 100_000
	nameBytesMax     = 1024

	attributeBytesMax = 65_535
)

// ErrDocument is wrapped by every error of Parse; the text says where the fault is and what to write instead.
var ErrDocument = errors.New("design document")

func fault(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDocument, fmt.Sprintf(format, args...))
}

// document is the JSON that Parse reads. Unknown members are errors, except in Table, which may be what DescribeTable
// answers.
type document struct {
	Table           json.RawMessage
	WritesPerSecond float64
	Patterns        []pattern
	Complete        bool
	Attributes      map[string]Attribute
	Sample          []json.RawMessage
	Written         bool
	Heat            []Heat
	ItemSizes       Sizes
}

// pattern is one line of the file of access patterns.
type pattern struct {
	Name       string
	PerSecond  float64
	Where, Any map[string]json.RawMessage
	Index      string
	Returns    float64
	Reads      float64
	OrderBy    string
	Descending bool
	Limit      float64
	Wanted     []string
}

// Parse reads a design from a JSON document. Only Table is required; it may be the answer of DescribeTable, of which
// the rest is passed over.
//
//	{
//	  "Table": {
//	    "TableName": "orders", "ItemCount": 2000000, "TableSizeBytes": 1200000000,
//	    "AttributeDefinitions": [{"AttributeName": "CustomerId", "AttributeType": "S"}, {"AttributeName": "OrderId", "AttributeType": "N"}],
//	    "KeySchema": [{"AttributeName": "CustomerId", "KeyType": "HASH"}, {"AttributeName": "OrderId", "KeyType": "RANGE"}],
//	    "GlobalSecondaryIndexes": [], "LocalSecondaryIndexes": [], "Distribution": "ordered"
//	  },
//	  "WritesPerSecond": 50,
//	  "Patterns": [
//	    {"Name": "open orders", "PerSecond": 20, "Where": {"CustomerId": "=", "OrderOpenDate": "exists"}, "OrderBy": "OrderOpenDate", "Returns": 3},
//	    {"Name": "large orders", "PerSecond": 1, "Where": {"Total": {"From": 1000}, "Country": {"=": "FR", "Keeps": 0.04}}}
//	  ],
//	  "Attributes": {"CustomerId": {"Type": "S", "Distinct": 100000}, "OrderOpenDate": {"Type": "S", "Present": 0.01}},
//	  "Sample": [{"CustomerId": "c1", "OrderId": 17, "Total": {"N": "99.5"}}],
//	  "Heat": [{"Key": "c1", "Rate": 900, "Total": 2000}],
//	  "ItemSizes": {"Mean": 600, "Max": 30000},
//	  "Complete": true
//	}
//
// A bound in Where is "=", "range", "prefix", "contains" or "exists", or an object: {"=": value}, {"Prefix": text},
// {"From": value, "To": value} or {"Is": "range"}, each with "Keeps", the share of the items that pass, if it is known.
// Any is written as Where is: an item passes at least one of its bounds. Items of the sample are plain JSON or
// DynamoDB's. Rates are per second, shares 0 to 1. Distribution is "ordered" or "hash". Written says that the sample is
// in the order of writing, and Complete that no query is missing. Errors wrap ErrDocument.
func Parse(text []byte) (*Design, error) {
	if len(text) > DocumentBytesMax {
		return nil, fault("%d bytes, at most %d; send a smaller sample", len(text), DocumentBytesMax)
	}
	var d document
	if err := strict(text, &d); err != nil {
		return nil, err
	}
	out := &Design{Writes: d.WritesPerSecond, Attributes: d.Attributes, Written: d.Written, Heat: d.Heat,
		Sizes: d.ItemSizes, Complete: d.Complete}
	switch {
	case len(d.Patterns) > PatternsMax:
		return nil, fault("%d patterns, at most %d", len(d.Patterns), PatternsMax)
	case len(d.Sample) > SampleMax:
		return nil, fault("%d items in the sample, at most %d", len(d.Sample), SampleMax)
	case len(d.Attributes) > AttributesMax:
		return nil, fault("%d attributes, at most %d", len(d.Attributes), AttributesMax)
	case len(d.Heat) > HeatMax:
		return nil, fault("%d lines of heat, at most %d", len(d.Heat), HeatMax)
	}
	var err error
	if out.Table, err = parseTable(d.Table); err != nil {
		return nil, err
	}
	for i, p := range d.Patterns {
		shape, err := parsePattern(p)
		if err != nil {
			return nil, fmt.Errorf("%w, in pattern %d (%s)", err, i+1, p.Name)
		}
		out.Shapes = append(out.Shapes, shape)
	}
	for i, item := range d.Sample {
		row, err := parseRow(item)
		if err != nil {
			return nil, fmt.Errorf("%w, in item %d of the sample", err, i+1)
		}
		out.Sample = append(out.Sample, row)
	}
	return out, out.check()
}

// strict decodes one JSON value and refuses members that it doesn't know, and text behind it.
func strict(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return fault("%s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if decoder.More() {
		return fault("text behind the document's end")
	}
	return nil
}

// check refuses numbers that mean nothing.
func (d *Design) check() error {
	if err := d.checkIndexes(); err != nil {
		return err
	}
	numbers := []float64{d.Writes, d.Table.Items, d.Table.Bytes, d.Sizes.Mean, d.Sizes.Max}
	for _, h := range d.Heat {
		numbers = append(numbers, h.Rate, h.Total)
	}
	for _, x := range d.Table.Indexes {
		numbers = append(numbers, x.Items, x.Bytes)
	}
	for _, s := range d.Shapes {
		numbers = append(numbers, s.Rate, s.Returned, s.Read, s.Limit)
		for _, b := range slices.Concat(s.Bounds, s.Any) {
			if !isShare(b.Keeps) {
				return fault("Keeps of %s is %v; write a share, 0 to 1", b.Attribute, b.Keeps)
			}
		}
	}
	for name, a := range d.Attributes {
		if err := checkName(name); err != nil {
			return err
		}
		numbers = append(numbers, a.Distinct)
		if !isShare(a.Present) {
			return fault("Present of %s is %v; write a share, 0 to 1", name, a.Present)
		}
		if !isModest(a.Low) || !isModest(a.High) || a.High < a.Low {
			return fault("Low and High of %s are %v and %v; write the smallest and the largest number", name, a.Low,
				a.High)
		}
	}
	if slices.ContainsFunc(numbers, func(n float64) bool { return n < 0 || !isModest(n) }) {
		return fault("rates, counts and sizes are 0 to 1e18")
	}
	return nil
}

// checkName bounds an attribute's name as DynamoDB does.
func checkName(name string) error {
	if name == "" || len(name) > attributeBytesMax {
		return fault("an attribute's name has %d bytes; write 1 to %d", len(name), attributeBytesMax)
	}
	return nil
}

func isShare(n float64) bool  { return n >= 0 && n <= 1 }
func isModest(n float64) bool { return math.Abs(n) <= 1e18 }

// checkIndexes wants every index that a pattern names to exist.
func (d *Design) checkIndexes() error {
	for _, s := range d.Shapes {
		if s.Index != "" && !slices.ContainsFunc(d.Table.Indexes, func(x Index) bool { return x.Name == s.Index }) {
			return fault("pattern %q names the index %q, which the table doesn't have", s.Name, s.Index)
		}
	}
	return nil
}

// The parts of DescribeTable's answer that matter.
type (
	describedTable struct {
		TableName              string
		ItemCount              float64
		TableSizeBytes         float64
		AttributeDefinitions   []struct{ AttributeName, AttributeType string }
		KeySchema              []describedKey
		GlobalSecondaryIndexes []describedIndex
		LocalSecondaryIndexes  []describedIndex
		Distribution           string
	}
	describedKey   struct{ AttributeName, KeyType string }
	describedIndex struct {
		IndexName      string
		KeySchema      []describedKey
		Projection     struct{ ProjectionType string }
		ItemCount      float64
		IndexSizeBytes float64
	}
)

func parseTable(text []byte) (t Table, err error) {
	var d describedTable
	if len(text) == 0 {
		return t, fault("Table is missing; write TableName, AttributeDefinitions and KeySchema, as DescribeTable does")
	}
	if err := json.Unmarshal(text, &d); err != nil {
		return t, fault("Table: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	t = Table{Name: d.TableName, Items: d.ItemCount, Bytes: d.TableSizeBytes, Hashed: d.Distribution == "hash",
		Types: map[string]string{}}
	if d.Distribution != "" && d.Distribution != "ordered" && !t.Hashed {
		return t, fault("Distribution is %q; write ordered or hash", d.Distribution)
	}
	if len(d.GlobalSecondaryIndexes)+len(d.LocalSecondaryIndexes) > IndexesMax {
		return t, fault("%d indexes, at most %d", len(d.GlobalSecondaryIndexes)+len(d.LocalSecondaryIndexes),
			IndexesMax)
	}
	for _, a := range d.AttributeDefinitions {
		t.Types[a.AttributeName] = a.AttributeType
	}
	if t.Key, err = t.parseKey("the table", d.KeySchema); err != nil {
		return t, err
	}
	for i, x := range append(d.GlobalSecondaryIndexes, d.LocalSecondaryIndexes...) {
		key, err := t.parseKey("index "+x.IndexName, x.KeySchema)
		if err != nil {
			return t, err
		}
		t.Indexes = append(t.Indexes, Index{Name: x.IndexName, Key: key, Local: i >= len(d.GlobalSecondaryIndexes),
			Projection: x.Projection.ProjectionType, Items: x.ItemCount, Bytes: x.IndexSizeBytes})
	}
	return t, nil
}

// parseKey wants one HASH attribute first and then RANGE attributes, all defined.
func (t *Table) parseKey(what string, schema []describedKey) (key Key, err error) {
	const partsMax = 32
	if len(schema) == 0 || len(schema) > partsMax {
		return nil, fault("the KeySchema of %s has %d attributes; write a HASH and perhaps a RANGE", what, len(schema))
	}
	for i, k := range schema {
		switch {
		case (i == 0) != (k.KeyType == "HASH") || i > 0 && k.KeyType != "RANGE":
			return nil, fault("the KeySchema of %s has %s as %s; the first attribute is HASH, the next is RANGE", what,
				k.AttributeName, k.KeyType)
		case k.AttributeName == "" || len(k.AttributeName) > nameBytesMax:
			return nil, fault("the KeySchema of %s has a name of %d bytes; write 1 to %d", what, len(k.AttributeName),
				nameBytesMax)
		case t.Types[k.AttributeName] == "":
			return nil, fault("the key attribute %s of %s is not in AttributeDefinitions", k.AttributeName, what)
		}
		key = append(key, k.AttributeName)
	}
	return key, nil
}

func parsePattern(p pattern) (s Shape, err error) {
	s = Shape{Name: p.Name, Index: p.Index, Rate: p.PerSecond, Returned: p.Returns, Read: p.Reads, OrderBy: p.OrderBy,
		Descending: p.Descending, Limit: p.Limit, Wanted: p.Wanted}
	if len(p.Where) > AttributesMax || len(p.Wanted) > AttributesMax {
		return s, fault("%d bounds and %d wanted attributes, at most %d of each", len(p.Where), len(p.Wanted),
			AttributesMax)
	}
	if s.Bounds, err = parseBounds(p.Where); err != nil {
		return s, err
	}
	if len(p.Any) == 1 || len(p.Any) > AttributesMax {
		return s, fault("write 2 to %d bounds in Any, not %d: an item passes at least one of them", AttributesMax,
			len(p.Any))
	}
	s.Any, err = parseBounds(p.Any)
	return s, err
}

// parseBounds returns the bounds in the order of their attributes.
func parseBounds(where map[string]json.RawMessage) (bounds []Bound, err error) {
	for _, name := range slices.Sorted(maps.Keys(where)) {
		b, err := parseBound(where[name])
		if err != nil {
			return nil, err
		}
		if err := checkName(name); err != nil {
			return nil, err
		}
		b.Attribute = name
		bounds = append(bounds, b)
	}
	return bounds, nil
}

// boundObject is the object form of a bound.
type boundObject struct {
	Is     Operator
	Equal  json.RawMessage `json:"="`
	Prefix json.RawMessage
	From   json.RawMessage
	To     json.RawMessage
	Keeps  float64
}

func parseBound(text []byte) (b Bound, err error) {
	if len(text) > 0 && text[0] == '"' {
		err = json.Unmarshal(text, &b.Operator)
		if err == nil && !b.Operator.known() {
			err = fault(`a bound is %q; write "=", "range", "prefix", "exists" or an object`, b.Operator)
		}
		return b, err
	}
	var x boundObject
	if err := strict(text, &x); err != nil {
		return b, err
	}
	b.Operator, b.Keeps = x.Is, x.Keeps
	forms := 0
	set := func(operator Operator, text json.RawMessage, into *Value) {
		if text == nil {
			return
		}
		if b.Operator != operator {
			forms++
		}
		b.Operator = operator
		var problem error
		if *into, problem = parseValue(text); problem != nil {
			err = problem
		}
	}
	set(Equal, x.Equal, &b.Low)
	set(Prefix, x.Prefix, &b.Low)
	set(Range, x.From, &b.Low)
	set(Range, x.To, &b.High)
	switch {
	case err != nil:
		return b, err
	case forms > 1 || forms == 1 && x.Is != "":
		return b, fault(`a bound is of one form: {"=": v}, {"Prefix": text}, {"From": v, "To": v} or {"Is": word}`)
	case !b.Operator.known():
		return b, fault(`a bound says nothing; write {"=": v}, {"Prefix": text}, {"From": v, "To": v} or {"Is": "range"}`)
	}
	return b, nil
}

func (o Operator) known() bool {
	return o == Equal || o == Range || o == Prefix || o == Exists || o == Contains
}
