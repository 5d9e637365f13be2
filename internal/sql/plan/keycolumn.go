// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/definition"
)

// column is a column that keys are made of, as bounds need to know it.
type column struct {
	name string
	// key is the type of its values in rows: what its declaration says. An index may hold them as another one, such as
	// the numbers of a curve.
	key schema.Type
	sql datum.Type
	// sure says that no row has a value of another type: the column was declared with its table, or an index refuses
	// such rows.
	sure, original bool
	// searched says that a search index holds its values, infix that one holds their parts.
	searched, infix bool
}

// path is the place of the column in rows.
func (c *column) path() expr.Path { return expr.Path{Name: c.name, Codec: c.sql.Codec()} }

// attribute is path as an operand of its own.
func (c *column) attribute() *expr.Path { path := c.path(); return &path }

// keyColumns are the columns that keys of a table and of its indexes are made of.
func keyColumns(t *definition.Table) map[string]*column {
	columns := map[string]*column{}
	collectKeyColumns(t, &t.Descriptor.Primary, columns)
	for x := range t.Descriptor.Declared() {
		if x.State == schema.Active {
			collectKeyColumns(t, x, columns)
		}
	}
	searchColumns(t, columns)
	for name, c := range columns {
		if c.sql.Base == datum.Untyped && !c.sure {
			delete(columns, name) // values of several types may be equal to one literal
		}
	}
	return columns
}

func collectKeyColumns(t *definition.Table, x *schema.Index, columns map[string]*column) {
	strict := !x.Partial && !x.Lenient
	for i := range x.Key {
		p := &x.Key[i]
		for j := range p.Args {
			typed := p.Args[j].Type
			if !p.Computed() {
				typed = p.Type
			}
			c := columns[p.Args[j].Column]
			if c == nil {
				if c = newColumn(t, p.Args[j].Column, typed); c == nil {
					continue
				}
				columns[c.name] = c
			}
			c.sure = c.sure || strict && typed == c.key
		}
	}
}

// newColumn returns nil for an expression that is no column whose values have an order.
func newColumn(t *definition.Table, name string, typed schema.Type) *column {
	declared, ok := t.Column(name)
	if name == "" || !ok {
		return nil
	}
	if declared.Type.Base == datum.Untyped {
		return &column{name: name, key: typed, sql: declared.Type}
	}
	key, ok := definition.KeyType(declared.Type)
	if !ok {
		return nil
	}
	return &column{name: name, key: key, sql: declared.Type, sure: declared.Original, original: declared.Original}
}
