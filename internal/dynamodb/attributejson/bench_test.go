// SPDX-License-Identifier: Apache-2.0

package attributejson

import (
	"encoding/json"
	"testing"

	"github.com/weftdb/weft/internal/data/value"
)

// putItemBody is a request of 870 bytes as an SDK sends it: an order with strings, numbers, a map, a list, a set and a
// binary.
const putItemBody = `{"TableName":"orders","Item":{"customer_id":{"S":"c-7f3a9b52-0d7c-4c1e-9b61-2f0f5a0a9d11"},` +
	`"order_id":{"S":"2026-08-21T12:31:07.123Z#000187"},"status":{"S":"SHIPPED"},"total":{"N":"129.95"},"currency":{"S":"EUR"},` +
	`"items":{"L":[{"M":{"sku":{"S":"A-1001"},"quantity":{"N":"2"},"price":{"N":"24.99"}}},{"M":{"sku":{"S":"B-2040"},"quantity":{"N":"1"},` +
	`"price":{"N":"79.97"}}}]},"address":{"M":{"street":{"S":"Lange Strasse 12"},"city":{"S":"Stuttgart"},"zip":{"S":"70173"},` +
	`"country":{"S":"DE"}}},"tags":{"SS":["gift","priority"]},"paid":{"BOOL":true},"note":{"S":"leave with the neighbour, second floor"},` +
	`"version":{"N":"7"},"created_at":{"N":"1787315467123"},"signature":{"B":"3q2+796tvu/erb7v3q2+7w=="}},` +
	`"ConditionExpression":"attribute_not_exists(customer_id)","ReturnConsumedCapacity":"TOTAL"}`

// table is a dictionary over a map, as the catalog holds it.
type table struct {
	ids   map[string]uint32
	names []string
}

func newTable(names ...string) *table {
	t := &table{ids: map[string]uint32{}}
	for _, name := range names {
		t.names = append(t.names, name)
		t.ids[name] = uint32(len(t.names))
	}
	return t
}

func (t *table) ID(name []byte) (uint32, bool) {
	id, ok := t.ids[string(name)]
	return id, ok
}

func (t *table) Name(id uint32) (string, bool) {
	if id == 0 || int(id) > len(t.names) {
		return "", false
	}
	return t.names[id-1], true
}

func ordersTable() *table {
	return newTable("customer_id", "order_id", "status", "total", "currency", "items", "address", "tags", "paid",
		"note", "version",
		"created_at", "signature")
}

// decodePut reads a request as the server does, and returns the row appended to dst.
func decodePut(r *Reader, b *value.RowBuilder, names value.Names, body, dst []byte) (value.Row, error) {
	r.Reset(body)
	b.Reset(names)
	if err := r.BeginObject(); err != nil {
		return nil, err
	}
	for {
		name, ok, err := r.NextMember()
		if err != nil {
			return nil, err
		}
		if !ok {
			return b.AppendTo(dst), r.End()
		}
		switch string(name) {
		case "Item":
			err = r.Item(b)
		case "TableName", "ConditionExpression", "ReturnConsumedCapacity":
			_, err = r.String()
		default:
			err = r.Skip()
		}
		if err != nil {
			return nil, err
		}
	}
}

func BenchmarkDecodePutItem(b *testing.B) {
	body, names := []byte(putItemBody), ordersTable()
	var r Reader
	var builder value.RowBuilder
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := decodePut(&r, &builder, names, body, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeSkip(b *testing.B) {
	body := []byte(putItemBody)
	var r Reader
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		r.Reset(body)
		if err := r.Skip(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeEncodingJSON(b *testing.B) {
	body := []byte(putItemBody)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		var tree map[string]any
		if err := json.Unmarshal(body, &tree); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendItem(b *testing.B) {
	names := ordersTable()
	var r Reader
	var builder value.RowBuilder
	row, err := decodePut(&r, &builder, names, []byte(putItemBody), nil)
	if err != nil {
		b.Fatal(err)
	}
	dst := AppendItem(nil, row, names)
	b.SetBytes(int64(len(dst)))
	b.ReportAllocs()
	for b.Loop() {
		dst = AppendItem(dst[:0], row, names)
	}
}
