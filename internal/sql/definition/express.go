// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"slices"
	"strconv"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/tree"
)

// An index on an expression is one on a column that nobody sees, which is computed from the others whenever a row is
// written.

// expressionPrefix begins the names of such columns; no statement can declare one.
const expressionPrefix = "!expression!"

// IsExpression reports whether the column holds what an index on an expression is made of.
func (c *Column) IsExpression() bool { return c.Invisible && c.Generated != nil && !isRetyping(c.Name) }

// Express puts columns in the place of the expressions of an index. Those that the table doesn't have yet come back as
// actions that add them. d.Key is not changed but replaced.
func (l Limits) Express(t *Table, d *tree.IndexDefinition) (added []*tree.AddColumn, err error) {
	d.Key = slices.Clone(d.Key)
	for i := range d.Key {
		e := &d.Key[i]
		if e.Expression == nil && t.holdsBeginnings(d, e) {
			left := &tree.Call{Name: "left",
				Arguments: []tree.Expression{&tree.Column{Name: e.Column},
					&tree.Literal{Value: datum.Int(int64(e.Prefix))}}}
			e.Expression, e.Column, e.Prefix = left, "", 0
		}
		if e.Expression == nil {
			continue
		}
		if e.Column = t.expressionColumn(e.Expression); e.Column == "" {
			one, err := l.expression(t, e.Expression, len(added))
			if err != nil {
				return nil, err
			}
			e.Column, added = one.Column.Name, append(added, one)
		}
		e.Expression = nil
	}
	return added, nil
}

// holdsBeginnings reports whether an index holds the beginnings of a column's values: they may be too long, or what has
// to be unique is the beginning.
func (t *Table) holdsBeginnings(d *tree.IndexDefinition, e *tree.KeyElement) bool {
	at, ok := t.byName[e.Column]
	if !ok || e.Prefix == 0 || d.Kind != tree.IndexKV {
		return false
	}
	typed := t.Columns[at].Type
	return (typed.IsText() || typed.IsBinary()) &&
		(typed.Length == 0 || typed.Length > prefixedMax || d.Unique && e.Prefix < typed.Length)
}

// Beginning is the column of which the column of an index holds the first characters, as in KEY (name(10)), and how
// many; ok is false if it is another.
func (c *Column) Beginning() (column string, length int, ok bool) {
	call, isCall := c.Generated.(*tree.Call)
	if !c.IsExpression() || !isCall || call.Name != "left" || len(call.Arguments) != 2 {
		return "", 0, false
	}
	of, isColumn := call.Arguments[0].(*tree.Column)
	n, isNumber := call.Arguments[1].(*tree.Literal)
	if !isColumn || !isNumber {
		return "", 0, false
	}
	return of.Name, int(n.Value.NumberInt()), true
}

// expressionColumn is the column that holds an expression of an index; "" if there is none.
func (t *Table) expressionColumn(e tree.Expression) string {
	text := expressionText(e)
	for i := range t.Columns {
		if c := &t.Columns[i]; c.IsExpression() && expressionText(c.Generated) == text {
			return c.Name
		}
	}
	return ""
}

// expression adds a column for an expression. others are the columns that the statement adds before it.
func (l Limits) expression(t *Table, e tree.Expression, others int) (*tree.AddColumn, error) {
	if what := strange(e, true); what != "" {
		return nil, refusal("an index can't be on an expression with %s", what)
	}
	var typed datum.Type
	if l.Compiles != nil {
		var err error
		if typed, err = l.Compiles(t, e); err != nil {
			return nil, err
		}
	}
	if _, ok := KeyType(typed); !ok {
		return nil, refusal("an index can't hold %s, which is %s: write json_extract_string(column, '$.path'), json_extract_long(..), json_extract_double(..) or CAST(.. AS type)", expressionText(e), typeOr(typed, "of no known type"))
	}
	number, name := others, ""
	for taken := true; taken; number++ {
		name = expressionPrefix + strconv.Itoa(number)
		_, taken = t.byName[name]
		taken = taken || slices.Contains(t.Deleting, name)
	}
	return &tree.AddColumn{Column: tree.ColumnDefinition{Name: name, Type: typed, Generated: e, Virtual: true,
		Hidden: true}}, nil
}

// expressIndexes is Express for the indexes of a new table.
func (l Limits) expressIndexes(t *Table, indexes []tree.IndexDefinition) error {
	for i := range indexes {
		added, err := l.Express(t, &indexes[i])
		for k := 0; err == nil && k < len(added); k++ {
			err = l.declareOne(t, &added[k].Column)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ExpressionsOf are the columns of expressions that an index alone is made of: they go with it.
func (t *Table) ExpressionsOf(index string) (names []string) {
	for i := range t.Columns {
		c := &t.Columns[i]
		holds := func(x Index) bool {
			return slices.ContainsFunc(x.Key, func(p KeyPart) bool { return p.Name == c.Name })
		}
		if c.IsExpression() && slices.ContainsFunc(t.Indexes,
			func(x Index) bool { return x.Name == index && holds(x) }) &&
			!slices.ContainsFunc(t.Indexes, func(x Index) bool { return x.Name != index && holds(x) }) {
			names = append(names, c.Name)
		}
	}
	return names
}

// weighedBy is x and the name of the collation of an index of (x COLLATE name).
func weighedBy(e tree.Expression) (x tree.Expression, collation string, ok bool) {
	call, ok := e.(*tree.Call)
	if !ok {
		return nil, "", false
	}
	return call.Weighed()
}

// PartText writes a part of a key of the table as DDL does.
func (t *Table) PartText(p *schema.KeyPart) string {
	if at, ok := t.byName[p.Column()]; ok && t.Columns[at].IsExpression() {
		text := "(" + defaultText(t.Columns[at].Generated) + ")"
		if column, length, ok := t.Columns[at].Beginning(); ok {
			text = tree.Quote(column) + "(" + strconv.Itoa(length) + ")"
		} else if weighed, collation, ok := weighedBy(t.Columns[at].Generated); ok {
			text = "(" + defaultText(weighed) + " COLLATE " + collation + ")"
		}
		if p.Descending {
			text += " DESC"
		}
		return text
	}
	return PartText(p)
}
