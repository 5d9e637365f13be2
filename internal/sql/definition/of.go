// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"fmt"
	"slices"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/sql/datum"
)

// Columns that an index may cover besides its keys.
const (
	// CoverSchema is all declared columns, later ones too.
	CoverSchema = "COVERED_ALL_COLUMNS_IN_SCHEMA"
	// CoverDynamic is all columns, dynamic ones too.
	CoverDynamic = "COVERED_DYNAMIC_COLUMNS"
)

// Of reads a table from its descriptor, which must not change after. A table that SQL has never touched, such as one
// made over DynamoDB, has its key columns, typed by the key, and dynamic ones. An error means that the descriptor is
// damaged.
func Of(d *schema.Table) (*Table, error) {
	stored, _, err := readTable(d)
	if err != nil {
		return nil, err
	}
	t := &Table{
		Descriptor: d, Database: d.Database, Name: d.Name, Dynamic: stored.Dynamic, Options: stored.Options,
		Deleting: stored.Deleting, InsertFails: stored.InsertFails, ForeignKeys: stored.ForeignKeys,
		Referrers: stored.Referrers, byName: map[string]int{},
	}
	for _, w := range stored.Wildcards {
		t.Wildcards = append(t.Wildcards, Wildcard{Pattern: w.Pattern, Type: datum.Type(w.Type)})
	}
	if t.Options == nil {
		t.Options = map[string]string{}
	}
	t.readJournal(d)
	if err := t.readFamilies(d); err != nil {
		return nil, err
	}
	if err := t.columns(d, &stored); err != nil {
		return nil, err
	}
	if t.Checks, err = checksOf(stored.Checks); err != nil {
		return nil, fmt.Errorf("definition: a check of table %s is damaged: %w", d.Name, err)
	}
	t.setKey(&d.Primary)
	for i := range d.Indexes {
		x := &d.Indexes[i]
		if x.Internal || IsLeaving(x) || isRetyping(x.Name) {
			continue
		}
		index, err := t.index(x)
		if err != nil {
			return nil, err
		}
		t.Indexes = append(t.Indexes, index)
	}
	return t, nil
}

// IsLeaving reports whether an index was dropped, and is there only until its space is free. No Table shows it.
func IsLeaving(x *schema.Index) bool { return x.State == schema.Retiring || x.State == schema.Dropping }

// setKey sets the key, and tells each column which part holds it: its own, or else the first that is computed from it.
func (t *Table) setKey(primary *schema.Index) {
	t.Key = t.parts(primary)
	for i, p := range primary.Visible() {
		for _, a := range p.Args {
			at, ok := t.byName[a.Column]
			if !ok {
				continue
			}
			if c := &t.Columns[at]; c.KeyPart < 0 || !p.Computed() {
				c.KeyPart, c.NotNull = i, true
			}
		}
	}
}

// keyColumns are the columns of a key, those of computed parts among them, as the key types them.
func keyColumns(primary *schema.Index) []Column {
	var columns []Column
	at := map[string]int{}
	for _, p := range primary.Visible() {
		for _, a := range p.Args {
			i, again := at[a.Column]
			if !again && a.Column != "" {
				i, at[a.Column] = len(columns), len(columns)
				columns = append(columns,
					Column{Name: a.Column, Type: typeOf(a.Type), KeyPart: -1, Dynamic: a.Type == schema.AnyType})
			}
			if again && !p.Computed() {
				columns[i].Type, columns[i].Dynamic = typeOf(p.Type), false
			}
		}
	}
	return columns
}

// columns lists the key columns that SQL did not type, then SQL's declared columns, then those that other protocols
// declared.
func (t *Table) columns(d *schema.Table, stored *storedTable) error {
	named := func(name string) bool {
		return slices.ContainsFunc(stored.Columns, func(c storedColumn) bool { return c.Name == name })
	}
	for _, c := range keyColumns(&d.Primary) {
		if !named(c.Name) {
			t.add(c)
		}
	}
	for i := range stored.Columns {
		c, err := stored.Columns[i].column()
		if err != nil {
			return fmt.Errorf("definition: column %s of table %s is damaged: %w", stored.Columns[i].Name, d.Name, err)
		}
		t.add(c)
	}
	for _, c := range d.Columns {
		if !named(c.Name) && !slices.Contains(stored.Deleting, c.Name) {
			t.add(Column{Name: c.Name, Type: typeOf(c.Type), KeyPart: -1})
		}
	}
	return nil
}

func (t *Table) add(c Column) {
	if _, twice := t.byName[c.Name]; twice {
		return
	}
	t.byName[c.Name] = len(t.Columns)
	t.Columns = append(t.Columns, c)
}

func (s *storedColumn) column() (Column, error) {
	if s.Zoned {
		s.Type.Variety = datum.Zoned
	}
	if s.Type.Base == datum.Timestamp && !s.Microseconds {
		s.Type.Scale = min(s.Type.Scale, 3)
	}
	c := Column{Name: s.Name, Type: datum.Type(s.Type), NotNull: s.NotNull, KeyPart: -1, DefaultNow: s.DefaultNow,
		Comment: s.Comment, Original: s.Original,
		AutoIncrement: s.Auto, Invisible: s.Invisible, UpdateNow: s.UpdateNow}
	c.Virtual = s.Virtual
	if s.Generated != "" {
		var err error
		if c.Generated, err = expressionOf(s.Generated); err != nil {
			return c, err
		}
	}
	if s.DefaultSQL != "" {
		var err error
		if c.DefaultExpression, err = expressionOf(s.DefaultSQL); err != nil {
			return c, err
		}
	}
	if s.Default != nil {
		constant, err := s.Default.datum()
		if err != nil {
			return c, err
		}
		if constant, err = datum.Store(constant, c.Type); err != nil {
			return c, err
		}
		c.Default = &constant
	}
	return c, nil
}

// parts are the visible parts of a key.
func (t *Table) parts(x *schema.Index) []KeyPart {
	visible := x.Visible()
	parts := make([]KeyPart, 0, len(visible))
	for i := range visible {
		p := &visible[i]
		part := KeyPart{Column: -1, Name: p.Name, Descending: p.Descending}
		if column := p.Column(); column != "" {
			part.Name = column
			if at, ok := t.byName[column]; ok {
				part.Column = at
			}
		}
		parts = append(parts, part)
	}
	return parts
}

func (t *Table) index(x *schema.Index) (Index, error) {
	stored, err := readIndex(x)
	if err != nil {
		return Index{}, err
	}
	if stored.Options == nil {
		stored.Options = map[string]string{}
	}
	return Index{Name: x.Name, Key: t.parts(x), Include: x.Include, Covers: stored.Covers, Options: stored.Options,
		Schema: x}, nil
}

// DynamicNames are the names of the dynamic columns among the names that a table has seen: sorted, without declared
// columns and those that were dropped, and none if the table has no dynamic or wildcard columns. Columns that a
// wildcard types are among them.
func DynamicNames(t *Table, names []string) []string {
	if !t.Dynamic && len(t.Wildcards) == 0 {
		return nil
	}
	var dynamic []string
	for _, name := range names {
		if _, declared := t.byName[name]; declared {
			continue
		}
		if _, ok := t.Column(name); ok {
			dynamic = append(dynamic, name)
		}
	}
	slices.Sort(dynamic)
	return slices.Compact(dynamic)
}
