// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// Index says what index a definition asks for on a table; one without a name gets that of its first column. Errors:
// *fault.Error.
func (l Limits) Index(d *tree.IndexDefinition, t *Table) (database.IndexSpec, error) {
	l = l.withDefaults()
	spec := database.IndexSpec{Name: d.Name, PartitionParts: 1, KeepNulls: true, Unique: d.Unique,
		Projection: schema.ProjectKeys}
	if err := l.indexable(d, t); err != nil {
		return spec, err
	}
	if spec.Name == "" {
		spec.Name = t.makeIndexName(d)
	}
	if err := l.checkIndexName(spec.Name, t); err != nil {
		return spec, err
	}
	if isSearch(d) {
		return spec, l.search(&spec, d, t)
	}
	var err error
	if d.Unique {
		err = wholeKey(t, d.Key)
	}
	if err == nil {
		spec.Key, err = l.indexParts(t, d.Key)
	}
	if err != nil {
		return spec, err
	}
	stored, err := indexOptions(t, d.Options)
	if err != nil {
		return spec, err
	}
	if stored.Options[optionSparse] == wordTrue {
		spec.KeepNulls = false
		if spec.Key, err = dropNulls(t, d.Key, spec.Key); err != nil {
			return spec, err
		}
	}
	if spec.Regions, err = t.regionsOf(firstPart(spec.Key), stored.Options); err != nil {
		return spec, err
	}
	return spec, t.project(&spec, d, stored)
}

// indexable refuses what no index of a table can be.
func (l Limits) indexable(d *tree.IndexDefinition, t *Table) error {
	switch {
	case d.Kind == tree.IndexColumnar:
		return fault.Message(fault.Unsupported,
			"columnar indexes are not supported yet: omit USING COLUMNAR for an ordered index")
	case len(d.Key) == 0:
		return fault.Message(fault.Syntax, "an index needs a column")
	}
	if names, most := l.IndexesOf(t, isSearch(d)); len(names) >= most {
		return fault.New(fault.TooManyKeys, most)
	}
	return nil
}

// PrimaryName is MySQL's name of the primary key.
const PrimaryName = "PRIMARY"

func (l Limits) checkIndexName(name string, t *Table) error {
	if err := l.CheckIndexName(name); err != nil {
		return err
	}
	if name == PrimaryName {
		return fault.Message(codeIndexName, "Incorrect index name '%s': it is the name of the primary key", name)
	}
	if t.hasIndex(name) {
		return fault.New(fault.KeyNameTwice, name)
	}
	return nil
}

func (t *Table) hasIndex(name string) bool {
	return slices.ContainsFunc(t.Indexes, func(x Index) bool { return x.Name == name })
}

// makeIndexName is the name of the first column that the index holds, with a number if that name is taken.
func (t *Table) makeIndexName(d *tree.IndexDefinition) string {
	first := d.Key[0].Column
	if first == "" && len(d.Key[0].Arguments) > 0 {
		first = d.Key[0].Arguments[0]
	}
	if strings.HasPrefix(first, expressionPrefix) {
		of, _ := t.Column(first)
		if first, _, _ = of.Beginning(); first == "" {
			first = "functional_index"
		}
	}
	if t.Families != nil {
		first = strings.ReplaceAll(first, ":", "_")
	}
	name := first
	for i := 2; t.hasIndex(name) || name == PrimaryName; i++ {
		name = first + "_" + strconv.Itoa(i)
	}
	return name
}

// indexParts are the parts of an index's key. Only the last may be a curve, behind which nothing is in order.
func (l Limits) indexParts(t *Table, elements []tree.KeyElement) ([]schema.KeyPart, error) {
	for i := range elements {
		e := &elements[i]
		if e.Function == functionZOrder && i < len(elements)-1 {
			return nil, refusal("%s must come last in an index: what follows it is in no order", expression(e))
		}
		if e.Column != "" && isPattern(e.Column) {
			return nil, refusal("wildcard columns such as '%s' can't be indexed: declare the one column to index",
				e.Column)
		}
	}
	return l.parts(t, elements)
}

// dropNulls makes a curve leave out rows that lack one of its columns.
func dropNulls(t *Table, elements []tree.KeyElement, parts []schema.KeyPart) ([]schema.KeyPart, error) {
	last := &elements[len(elements)-1]
	if last.Function != functionZOrder {
		return parts, nil
	}
	part, err := curvePart(t, last.Arguments, false)
	parts[len(parts)-1] = part
	return parts, err
}

// project sets the columns that the index holds besides its keys.
func (t *Table) project(spec *database.IndexSpec, d *tree.IndexDefinition, stored storedIndex) (err error) {
	switch {
	case stored.Covers != "" && len(d.Include) > 0:
		return refusal("INCLUDE and %s exclude each other: the latter covers all columns", optionCovered)
	case stored.Covers != "":
		spec.Projection = schema.ProjectAll
	case len(d.Include) > 0:
		spec.Projection, spec.Include = schema.ProjectInclude, d.Include
		if err := t.checkInclude(spec); err != nil {
			return err
		}
	}
	raw, err := json.Marshal(stored)
	spec.Dialect = map[string]json.RawMessage{Dialect: raw}
	return err
}

func (t *Table) checkInclude(spec *database.IndexSpec) error {
	seen := map[string]bool{}
	for _, name := range spec.Include {
		c, ok := t.Column(name)
		switch {
		case !ok:
			return fault.New(fault.KeyColumnUnknown, name).Meant(name, t.Names())
		case seen[name]:
			return fault.New(fault.ColumnTwice, name)
		case c.KeyPart >= 0 && t.Key[c.KeyPart].Column >= 0:
			return refusal("INCLUDE(%s) is refused: columns of the primary key are in every index", name)
		case slices.ContainsFunc(spec.Key, func(p schema.KeyPart) bool { return p.Column() == name }):
			return refusal("INCLUDE(%s) is refused: the column is in the index's key", name)
		}
		seen[name] = true
	}
	return nil
}

// TypeOfPart is the SQL type of the values of a part of an index's or table's key: its column's, or that of its
// function's results.
func (t *Table) TypeOfPart(p *schema.KeyPart) datum.Type {
	if at, ok := t.byName[p.Column()]; ok {
		return t.Columns[at].Type
	}
	return typeOf(p.Type)
}
