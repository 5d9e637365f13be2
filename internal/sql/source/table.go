// SPDX-License-Identifier: Apache-2.0

package source

import (
	"context"
	"slices"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/schema"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/modify"
	"github.com/weftdb/weft/internal/sql/relational"
	"github.com/weftdb/weft/internal/sql/tree"
)

// table is one table of a statement, in the version that the statement works with.
type table struct {
	source     *Source
	pinned     weft.Pinned
	definition *definition.Table
	columns    []relational.Column
	indexes    []relational.Index
	lookups    []*lookup
	written    map[string]*written // by key
	statements map[string]modify.Statement
}

// Name is the table's.
func (t *table) Name() string { return t.definition.Name }

// Comment is none: tables have none.
func (t *table) Comment() string { return "" }

// Columns are the declared columns, and the names of others that rows have.
func (t *table) Columns() []relational.Column {
	if t.columns == nil {
		t.columns = make([]relational.Column, 0, len(t.definition.Columns))
		for i := range t.definition.Columns {
			t.columns = append(t.columns, columnOf(&t.definition.Columns[i]))
		}
		for _, name := range definition.DynamicNames(t.definition, t.pinned.AttributeNames()) {
			if c, ok := t.Dynamic(name); ok {
				c.Dynamic = true
				t.columns = append(t.columns, c)
			}
		}
	}
	return slices.Clip(t.columns)
}

// Dynamic finds a column that is not declared.
func (t *table) Dynamic(name string) (relational.Column, bool) {
	c, ok := t.definition.Column(name)
	if !ok || slices.ContainsFunc(t.definition.Columns, func(declared definition.Column) bool { return declared.Name == name }) {
		return relational.Column{}, false
	}
	return columnOf(&c), true
}

func columnOf(c *definition.Column) relational.Column {
	column := relational.Column{Name: c.Name, Type: c.Type, NotNull: c.NotNull || c.KeyPart >= 0, Comment: c.Comment, Dynamic: c.Dynamic}
	switch {
	case c.DefaultNow:
		column.Default = "CURRENT_TIMESTAMP"
	case c.Default != nil:
		column.Default = string(tree.AppendLiteral(nil, *c.Default))
	}
	return column
}

// PrimaryKey names the columns that the key is made of: the parts in their order, then those that computed parts alone use.
func (t *table) PrimaryKey() (names []string) {
	for i := range t.definition.Key {
		if at := t.definition.Key[i].Column; at >= 0 {
			names = append(names, t.definition.Columns[at].Name)
		}
	}
	for i := range t.definition.Columns {
		if c := &t.definition.Columns[i]; c.KeyPart >= 0 && !slices.Contains(names, c.Name) {
			names = append(names, c.Name)
		}
	}
	return names
}

// Indexes are the key and the active indexes. Those with parts that are computed, or that lack rows, serve lookups but no order.
func (t *table) Indexes() []relational.Index {
	if t.indexes != nil {
		return t.indexes
	}
	primary := relational.Index{Name: relational.PrimaryName, Unique: true}
	for _, name := range t.PrimaryKey() {
		primary.Columns = append(primary.Columns, relational.IndexColumn{Name: name})
	}
	for i := range t.definition.Key {
		part := &t.definition.Key[i]
		if part.Column < 0 {
			primary.Unordered = true
		} else if !primary.Unordered {
			primary.Columns[i].Descending = part.Descending
		}
	}
	primary.Unordered = primary.Unordered || t.hides(&t.definition.Descriptor.Primary)
	t.indexes = append(t.indexes, primary)
	for i := range t.definition.Indexes {
		if index, ok := t.secondary(&t.definition.Indexes[i]); ok {
			t.indexes = append(t.indexes, index)
		}
	}
	return t.indexes
}

// hides says whether an index begins with a part that is not the user's, such as a hash that spreads rows.
func (t *table) hides(x *weft.Index) bool { return len(x.Key) > 0 && x.Key[0].Hidden }

func (t *table) secondary(x *definition.Index) (index relational.Index, ok bool) {
	if x.Schema.State != schema.Active {
		return index, false
	}
	index = relational.Index{Name: x.Name, Unordered: t.hides(x.Schema) || !x.Schema.KeepNulls || x.Schema.Partial || x.Schema.Lenient}
	add := func(name string, descending bool) {
		if name != "" && !slices.ContainsFunc(index.Columns, func(c relational.IndexColumn) bool { return c.Name == name }) {
			index.Columns = append(index.Columns, relational.IndexColumn{Name: name, Descending: descending})
		}
	}
	visible := x.Schema.Visible()
	for i := range visible {
		if part := &visible[i]; !part.Computed() {
			add(part.Column(), part.Descending)
			continue
		}
		index.Unordered, index.Comment = true, visible[i].Name
		for k := range visible[i].Args {
			add(visible[i].Args[k].Column, false)
		}
	}
	return index, len(index.Columns) > 0
}

// Rows estimates how many rows there are.
func (t *table) Rows() uint64 {
	estimate, err := t.pinned.Estimate(context.Background(), "")
	if err != nil || estimate.Rows < 0 {
		return 0
	}
	return uint64(estimate.Rows)
}
