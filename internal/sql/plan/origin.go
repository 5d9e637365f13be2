// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"slices"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/sql/tree"
)

// Origin is the FROM of a SELECT, as the rest of the SELECT is compiled over it.
type Origin interface {
	// Column finds the slot of a column. where is the clause, for errors. Errors: 1054, 1052.
	Column(c *tree.Column, where string) (slot int, t datum.Type, err error)
	// Star lists the columns that `*` stands for, or, where table isn't "", `table.*`.
	Star(table string) ([]tree.SelectItem, error)
	// Describe returns the description of a column for clients; ok is false if it is no table's.
	Describe(c *tree.Column) (described result.Column, ok bool)
	// Declares says that GROUP BY means the column by a name that is an alias, too.
	Declares(c *tree.Column) bool
	// Depends reports whether a column has one value in all rows that are alike in keys.
	Depends(c *tree.Column, keys []tree.Expression) bool
	// Extend makes room for so many slots behind the row and returns the first.
	Extend(slots int) int
	// Subquery compiles a query in an expression; see evaluate.SubqueryScope.
	Subquery(q tree.Query, exists bool, slot func(e tree.Expression) (int, error)) (evaluate.SubqueryOf, error)
}

// originScope resolves the columns of one clause for package evaluate.
type originScope struct {
	Origin
	where string
}

// Resolve is evaluate.Scope's.
func (s originScope) Resolve(c *tree.Column) (slot int, t datum.Type, err error) {
	return s.Column(c, s.where)
}

// ParameterType is evaluate.ParameterScope's.
func (s originScope) ParameterType(index int) datum.Type {
	if types, ok := s.Origin.(interface{ ParameterType(index int) datum.Type }); ok {
		return types.ParameterType(index)
	}
	return datum.Type{}
}

// CompileOver compiles the part of a SELECT above its FROM and WHERE. The Select's Source has no table.
func CompileOver(statement *tree.Select, origin Origin) (*Select, error) {
	s := &Select{tree: statement, Distinct: statement.Distinct, Locking: lockingOf(statement), Source: &Source{}}
	return s, (&compiler{statement: statement, selected: s, origin: origin}).compileAll()
}

// noSubquery refuses queries in expressions of statements that are compiled without package algebra.
type noSubquery struct{}

// Subquery is Origin's.
func (noSubquery) Subquery(tree.Query, bool, func(tree.Expression) (int, error)) (evaluate.SubqueryOf, error) {
	return evaluate.SubqueryOf{}, fault.New(fault.NotSupported, "A subquery is not allowed in this expression.")
}

// nowhere is the origin of a SELECT without FROM.
type nowhere struct{ noSubquery }

// Column is Origin's.
func (nowhere) Column(c *tree.Column, where string) (slot int, t datum.Type, err error) {
	return 0, t, fault.New(fault.UnknownColumn, c.String(), where)
}

// Star is Origin's.
func (nowhere) Star(string) ([]tree.SelectItem, error) { return nil, fault.New(fault.NoTablesUsed) }

// Describe is Origin's.
func (nowhere) Describe(*tree.Column) (described result.Column, ok bool) { return described, false }

// Declares is Origin's.
func (nowhere) Declares(*tree.Column) bool { return false }

// Depends is Origin's.
func (nowhere) Depends(*tree.Column, []tree.Expression) bool { return false }

// Extend is Origin's.
func (nowhere) Extend(int) int { return 0 }

// tableOrigin is the origin of a SELECT over one table.
type tableOrigin struct {
	noSubquery
	*Source
	seen []string // attribute names
	star bool     // `*` was written
}

// Star is Origin's.
func (o *tableOrigin) Star(table string) (list []tree.SelectItem, err error) {
	if table != "" && table != o.Name() {
		return nil, fault.New(fault.NoSuchTable, o.Table.Database, table).Meant(table,
			slices.Values([]string{o.Name()}))
	}
	o.star = true
	for i := range o.Table.Columns {
		if !o.Table.Columns[i].Invisible {
			list = append(list, columnItem(o.Table.Columns[i].Name))
		}
	}
	for _, name := range definition.DynamicNames(o.Table, o.seen) {
		list = append(list, columnItem(name))
	}
	return list, nil
}

func columnItem(name string) tree.SelectItem {
	return tree.SelectItem{Expression: &tree.Column{Name: name}, Text: name}
}

// Describe is Origin's.
func (o *tableOrigin) Describe(c *tree.Column) (result.Column, bool) {
	return DescribeColumn(o.Table, o.Name(), c.Name), true
}

// DescribeColumn returns the description of a table's column for clients. alias is the table's name in the statement.
func DescribeColumn(t *definition.Table, alias, name string) result.Column {
	described := result.Column{Name: name, Database: t.Database, OriginalTable: t.Name, Table: alias,
		OriginalName: name}
	if t.IsTime(name) { // which a wildcard may match as well
		described.Type = datum.Type{Base: datum.BigInt}
	} else if declared, ok := t.Column(name); ok {
		described.Type = declared.Type
		described.NotNull, described.PrimaryKey = declared.NotNull, declared.KeyPart >= 0
	}
	return described
}

// Declares is Origin's.
func (o *tableOrigin) Declares(c *tree.Column) bool {
	column, declared := o.Table.Column(c.Name)
	return declared && !column.Dynamic
}

// Depends is Origin's: WHERE gives the column one value, or the whole key is grouped by.
func (o *tableOrigin) Depends(c *tree.Column, keys []tree.Expression) bool {
	if o.isEqual(c.Name) {
		return true
	}
	for i := range o.Table.Key {
		if at := o.Table.Key[i].Column; at >= 0 && !hasColumn(keys, o.Table.Columns[at].Name) &&
			!o.isEqual(o.Table.Columns[at].Name) {
			return false
		}
	}
	return len(keys) > 0
}

func hasColumn(list []tree.Expression, name string) bool {
	return slices.ContainsFunc(list, func(e tree.Expression) bool {
		c, ok := e.(*tree.Column)
		return ok && c.Name == name
	})
}

// Extend is Origin's. Nothing stands behind the row of a table.
func (o *tableOrigin) Extend(int) int { return len(o.Slots) }
