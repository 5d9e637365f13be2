// SPDX-License-Identifier: Apache-2.0

// Package structs compares what it costs to store and to read a Go struct as an item: with Weft's tags, with the SDK's
// attributevalue, and as JSON.
package structs

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"

	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/data/value"
)

type order struct {
	Customer string    `weft:"customer" dynamodbav:"customer" json:"customer"`
	ID       int64     `weft:"id" dynamodbav:"id" json:"id"`
	At       time.Time `weft:"at" dynamodbav:"at" json:"at"`
	Paid     bool      `weft:"paid" dynamodbav:"paid" json:"paid"`
	Total    float64   `weft:"total" dynamodbav:"total" json:"total"`
	Tags     []string  `weft:"tags,set" dynamodbav:"tags,stringset" json:"tags"`
	Lines    []line    `weft:"lines" dynamodbav:"lines" json:"lines"`
}

type line struct {
	SKU   string `weft:"sku" dynamodbav:"sku" json:"sku"`
	Count int    `weft:"count" dynamodbav:"count" json:"count"`
	Cents int    `weft:"cents" dynamodbav:"cents" json:"cents"`
}

// names is the dictionary of a table's attributes, as a database has one.
type names []string

func (n names) ID(name []byte) (uint32, bool) {
	for i := range n {
		if n[i] == string(name) {
			return uint32(i + 1), true
		}
	}
	return 0, false
}

func (n names) Name(id uint32) (string, bool) { return n[id-1], true }

func example() (order, value.Names) {
	at := time.UnixMilli(1_700_000_000_000).UTC()
	o := order{"ann", 4711, at, true, 12.5, []string{"gift", "new"}, []line{{"pen", 2, 150}, {"ink", 1, 950}}}
	return o, names{"customer", "id", "at", "paid", "total", "tags", "lines"}
}

// TestSame: all three give the struct back.
func TestSame(t *testing.T) {
	want, dictionary := example()
	row, err := govalue.AppendRow(nil, dictionary, want)
	if err != nil {
		t.Fatal(err)
	}
	item, err := attributevalue.MarshalMap(want)
	if err != nil {
		t.Fatal(err)
	}
	var ours, theirs order
	if err := govalue.DecodeRow(row, dictionary, &ours); err != nil || !reflect.DeepEqual(ours, want) {
		t.Errorf("%+v, %v", ours, err)
	}
	if err := attributevalue.UnmarshalMap(item, &theirs); err != nil || !reflect.DeepEqual(theirs, want) {
		t.Errorf("%+v, %v", theirs, err)
	}
}

// BenchmarkStore measures the way from a struct to what is sent or stored. The SDK's item is not JSON yet.
func BenchmarkStore(b *testing.B) {
	o, dictionary := example()
	buf := make([]byte, 0, 1024)
	for name, store := range map[string]func() error{
		"weft":           func() error { _, err := govalue.AppendRow(buf, dictionary, &o); return err },
		"attributevalue": func() error { _, err := attributevalue.MarshalMap(&o); return err },
		"json":           func() error { _, err := json.Marshal(&o); return err },
	} {
		b.Run(name, func(b *testing.B) { measure(b, store) })
	}
}

// BenchmarkRead measures the way back.
func BenchmarkRead(b *testing.B) {
	o, dictionary := example()
	row, _ := govalue.AppendRow(nil, dictionary, &o)
	item, _ := attributevalue.MarshalMap(&o)
	text, _ := json.Marshal(&o)
	for name, read := range map[string]func(into *order) error{
		"weft":           func(into *order) error { return govalue.DecodeRow(row, dictionary, into) },
		"attributevalue": func(into *order) error { return attributevalue.UnmarshalMap(item, into) },
		"json":           func(into *order) error { return json.Unmarshal(text, into) },
	} {
		b.Run(name, func(b *testing.B) { measure(b, func() error { return read(new(order)) }) })
	}
}

func measure(b *testing.B, run func() error) {
	b.ReportAllocs()
	for b.Loop() {
		if err := run(); err != nil {
			b.Fatal(err)
		}
	}
}
