// SPDX-License-Identifier: Apache-2.0

package database_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/testdb"
	"github.com/weftdb/weft/internal/testing/testdoc"
)

// TestColumns: a value that a declared column does not take is refused wherever it is written, and nothing is written.
func TestColumns(t *testing.T) {
	number := func(text string) json.Number { return json.Number(text) }
	timestamp, wide := value.Value(value.AppendTimestamp(nil, 5)), value.Value(value.AppendFloat(nil, 1e300))
	for _, one := range []struct {
		column string
		x      any
		ok     bool
	}{
		{"s", "text", true}, {"s", 1, false}, {"s", []byte("x"), false}, {"s", nil, true}, {"s", []any{"x"}, false},
		{"i", 7, true}, {"i", number("7.0"), true}, {"i", number("7.5"), false},
		{"i", number("9223372036854775807"), true},
		{"i", number("9223372036854775808"), false}, {"i", value.Value(value.AppendFloat(nil, 2)), true},
		{"i", value.Value(value.AppendFloat(nil, 2.5)), false},
		{"i", timestamp, true}, {"i", "7", false}, {"i", true, false},
		{"n", number("1e100"), true}, {"n", wide, false}, {"n", 1, true}, {"f", wide, true}, {"f", number("0.1"), true},
		{"f", "0.1", false},
		{"b", []byte("x"), true}, {"b", "x", false}, {"o", true, true}, {"o", 1, false}, {"t", 5, true},
		{"t", timestamp, true}, {"t", "2024-01-01", false},
		{"any", map[string]any{"x": 1}, true}, {"undeclared", []any{1}, true},
	} {
		t.Run(one.column, func(t *testing.T) {
			db := testdb.Open(t)
			table := mustTable(t, db, database.TableSpec{Name: "t", Key: database.Columns("k", schema.String),
				Columns: []schema.Column{
					{Name: "s", Type: schema.String}, {Name: "i", Type: schema.Int}, {Name: "n", Type: schema.Number},
					{Name: "f", Type: schema.Float}, {Name: "b", Type: schema.Binary},
					{Name: "o", Type: schema.Bool}, {Name: "t", Type: schema.Timestamp}, {Name: "any"},
				}})
			check := func(protocol string, err error) {
				t.Helper()
				refusal, refused := errors.AsType[*database.ColumnTypeError](err)
				if refused == one.ok || (err == nil) != one.ok ||
					refused && (database.KindOf(err) != database.KindInvalid || refusal.Column != one.column) {
					t.Errorf("%s of %v by %s: %v", one.column, one.x, protocol, err)
				}
			}
			key, item := testdoc.Document{"k": "1"}, testdoc.Document{"k": "1", one.column: one.x}
			check("put", testdoc.Put(t.Context(), table, item))
			_, err := testdoc.Update(t.Context(), table, testdoc.Document{"k": "2"}, govalue.Attribute(one.column).Set(one.x))
			check("update", err)
			check("a transaction", db.Update(t.Context(),
				func(tx *database.Tx) error { return testdoc.PutIn(t.Context(), tx, "t", item) }))
			check("a conditional put", testdoc.Put(t.Context(), table, item, govalue.Attribute("k").NotEqual("x")))
			p := pin(t, table)
			_, err = db.WriteAll(t.Context(),
				[]database.TableWrite{{Table: p, Write: database.Write{Row: row(t, p, item)}}})
			check("several writes", err)
			_, ok, err := testdoc.Get(t.Context(), table, key)
			if ok != one.ok || err != nil {
				t.Errorf("%v, %v", ok, err)
			}
		})
	}
}

// TestEditColumns: a type that is declared later governs what is written from then on, not what stands there and is
// left
// as it is.
func TestEditColumns(t *testing.T) {
	db := testdb.Open(t)
	table := mustTable(t, db, database.TableSpec{Name: "t", Key: database.Columns("k", schema.String)})
	ctx := t.Context()
	if err := testdoc.Put(ctx, table, testdoc.Document{"k": "1", "a": "text"}); err != nil {
		t.Fatal(err)
	}
	declare := func(columns ...schema.Column) error {
		return table.Edit(ctx, func(d *schema.Table) error { d.Columns = columns; return nil })
	}
	if err := declare(schema.Column{Name: "k", Type: schema.String}); database.KindOf(err) != database.KindInvalid {
		t.Errorf("a column of the key: %v", err)
	}
	if err := declare(schema.Column{Name: "a", Type: schema.Int}); err != nil {
		t.Fatal(err)
	}
	if _, err := testdoc.Update(ctx, table, testdoc.Document{"k": "1"}, govalue.Attribute("b").Set(1)); err != nil {
		t.Errorf("another attribute: %v", err)
	}
	if _, err := testdoc.Update(ctx, table, testdoc.Document{"k": "1"},
		govalue.Attribute("a").Set("other")); database.KindOf(err) != database.KindInvalid {
		t.Errorf("the attribute itself: %v", err)
	}
	if err := testdoc.Put(ctx, table, testdoc.Document{"k": "1", "a": "text", "b": 2}); err != nil {
		t.Errorf("a whole item that keeps it: %v", err)
	}
	if err := testdoc.Put(ctx, table, testdoc.Document{"k": "1", "a": "other"}); database.KindOf(err) != database.KindInvalid {
		t.Errorf("a whole item: %v", err)
	}
	if err := testdoc.Put(ctx, table, testdoc.Document{"k": "2", "a": "text"}); database.KindOf(err) != database.KindInvalid {
		t.Errorf("another item: %v", err)
	}
	if _, err := testdoc.Update(ctx, table, testdoc.Document{"k": "1"}, govalue.Attribute("a").Set(2)); err != nil {
		t.Error(err)
	}
	if err := declare(); err != nil {
		t.Fatal(err)
	}
	if err := testdoc.Put(ctx, table, testdoc.Document{"k": "1", "a": "text"}); err != nil {
		t.Errorf("no longer declared: %v", err)
	}
}
