// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/rows/statistics"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

func tooManyKeys(keys, most int) error {
	return fault.New(fault.Refused, fmt.Sprintf(
		"Multi Get Plan query too many rows in one select: the IN lists name %d keys; the limit is %d; "+
			"split the lists over several statements, omit the last key column from the condition to read ranges, or raise multi_get_keys_max", keys, most))
}

// judge refuses, or marks, a query that nothing bounds.
func (c *chooser) judge(access *Access) error {
	if access.Class != Filtering || c.source.hints.allowFiltering {
		return nil
	}
	switch c.settings.Inefficient.For(c.source.Table) {
	case AllowInefficient:
		return nil
	case WarnInefficient:
		access.Warning = c.inefficient()
		return nil
	}
	return fault.New(fault.Refused, c.inefficient())
}

// inefficient says what is wrong with the query, what it would cost, and what helps.
func (c *chooser) inefficient() string {
	table := c.source.Table
	var cures []string
	if cure := c.misspelt(); cure != "" {
		cures = append(cures, cure)
	}
	first := &table.Descriptor.Primary.Visible()[0]
	if text := c.comparedNumber(first.Column()); text != "" {
		cures = append(cures, fmt.Sprintf("%s holds texts: write %s = '%s', with quotes", first.Column(),
			tree.QuoteIfNeeded(first.Column()), text))
	} else if column := first.Column(); column != "" {
		cures = append(cures, fmt.Sprintf("bind the first key column, %s, by =, IN or a range", column))
	} else {
		cures = append(cures, fmt.Sprintf("bind %s, with which the key begins, by = or IN", argumentNames(first)))
	}
	if cure := c.indexCure(); cure != "" {
		cures = append(cures, cure)
	}
	cures = append(cures, "or allow it with the hint /*+ _l_allow_filtering_ */ directly after the first word")
	return fmt.Sprintf("Detect inefficient query: %s This query may be a full table scan and thus may have unpredictable performance. "+
		"It would read every row of %s%s. To fix it, %s", c.source.text(), table.Name, c.about(), strings.Join(cures,
		"; "))
}

// misspelt names a column of WHERE that no row has, if another one has nearly that name; "" if there is none.
func (c *chooser) misspelt() string {
	names := c.pinned.AttributeNames()
	for _, column := range c.source.whereColumns {
		if known, ok := c.source.Table.Column(column); !ok || !known.Dynamic || slices.Contains(names, column) {
			continue
		}
		text := "mend the name of a column, since no row has " + column
		if meant := fault.New(fault.Refused, text).Meant(column, slices.Values(names)).Message; meant != text {
			return meant
		}
	}
	return ""
}

// indexCure says which index would help, in statements that run; "" if none would.
func (c *chooser) indexCure() string {
	table := c.source.Table
	name := tree.QuoteIfNeeded(table.Name)
	if index := c.building(); index != "" {
		return fmt.Sprintf("wait until the index %s is built, which SHOW INDEX tells", tree.QuoteIfNeeded(index))
	}
	if fields := c.searchable(); len(fields) > 0 {
		return c.withRoom(true, "create a search index",
			fmt.Sprintf("CREATE INDEX %s USING SEARCH ON %s(%s)", c.freeName("find_"+plain(table.Name)), name,
				strings.Join(fields, ", ")))
	}
	column := c.indexable()
	if column == "" {
		return ""
	}
	create := fmt.Sprintf("CREATE INDEX %s ON %s(%s)", c.freeName("idx_"+plain(table.Name)+"_"+plain(column)), name,
		tree.QuoteIfNeeded(column))
	if known, ok := table.Column(column); ok && known.Dynamic {
		create = fmt.Sprintf("ALTER TABLE %s ADD COLUMN %s %s, then %s", name, tree.QuoteIfNeeded(column),
			c.typeFor(column), create)
	}
	return c.withRoom(false, "create an index", create)
}

// typeFor is the type with which a column can be declared that has values and no type: that under which an index holds
// it, or else probably that of what the condition compares it with.
func (c *chooser) typeFor(column string) string {
	if held := c.source.Table.HeldAs(column); held != "" {
		return held
	}
	compared := datum.KindNull
	for _, e := range c.source.trees {
		if !binds(e, column) {
			continue
		}
		tree.Walk(e, func(e tree.Expression) bool {
			if d := c.literal(e); compared == datum.KindNull {
				compared = d.Kind()
			}
			return true
		})
	}
	likely := "VARCHAR"
	switch compared {
	case datum.KindInt, datum.KindUint, datum.KindDecimal, datum.KindFloat:
		likely = "DECIMAL"
	}
	return likely + " (or the type of its values)"
}

// indexesNamed is the number of indexes a message names at most.
const indexesNamed = 8

// withRoom says how an index is made: in place of another one where the table may have no more.
func (c *chooser) withRoom(search bool, cure, create string) string {
	table := c.source.Table
	names, most := definition.Limits{}.IndexesOf(table, search)
	if len(names) < most {
		return cure + ": " + create
	}
	name := tree.QuoteIfNeeded(table.Name)
	from := "those that SHOW INDEX lists"
	if len(names) <= indexesNamed {
		for i := range names {
			names[i] = tree.QuoteIfNeeded(names[i])
		}
		from = strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s in place of one of %s, since %s may have %d: DROP INDEX x ON %s, then %s", cure, from, name,
		most, name, create)
}

// freeName is a name for a new index: the one given, with a number if another index has it.
func (c *chooser) freeName(wanted string) string {
	name := wanted
	taken := func(x definition.Index) bool { return x.Name == name }
	for i := 2; slices.ContainsFunc(c.source.Table.Indexes, taken); i++ {
		name = fmt.Sprintf("%s_%d", wanted, i)
	}
	return name
}

// comparedNumber is the number that a condition compares with a column of texts, which binds no key; "" if there is
// none.
func (c *chooser) comparedNumber(column string) string {
	k := c.source.keyColumns[column]
	if k == nil || k.key != schema.String {
		return ""
	}
	for _, e := range c.source.trees {
		b, ok := e.(*tree.Binary)
		if !ok || b.Operator != tree.Equal {
			continue
		}
		for _, sides := range [...][2]tree.Expression{{b.Left, b.Right}, {b.Right, b.Left}} {
			named, ok := sides[0].(*tree.Column)
			if d := c.literal(sides[1]); ok && named.Name == column && d.Kind() == datum.KindInt {
				return string(d.AppendText(nil))
			}
		}
	}
	return ""
}

// literal is the value of a literal or a parameter; NULL for other expressions.
func (c *chooser) literal(e tree.Expression) datum.Datum {
	switch e := e.(type) {
	case *tree.Literal:
		return e.Value
	case *tree.Parameter:
		if e.Index < len(c.parameters) {
			return c.parameters[e.Index]
		}
	}
	return datum.Null
}

// argumentNames lists the columns that a computed part is made of.
func argumentNames(p *schema.KeyPart) string {
	var names []string
	for i := range p.Args {
		if p.Args[i].Column != "" {
			names = append(names, p.Args[i].Column)
		}
	}
	return strings.Join(names, " and ")
}

// indexable is the first column of WHERE that no key begins with; "" where there is none.
func (c *chooser) indexable() string {
	for _, name := range c.source.whereColumns {
		begins := c.source.Table.Descriptor.Primary.Visible()[0].Column() == name
		for x := range c.source.Table.Descriptor.Declared() {
			begins = begins || x.Visible()[0].Column() == name && !definition.IsLeaving(x)
		}
		if !begins && slices.ContainsFunc(c.source.trees, func(e tree.Expression) bool { return binds(e, name) }) {
			return name
		}
	}
	return ""
}

// binds reports whether an index on a column might serve a condition: one that has the column, and is no OR over others
// too.
func binds(e tree.Expression, column string) bool {
	var names []string
	tree.Walk(e, func(e tree.Expression) bool {
		if c, ok := e.(*tree.Column); ok && !slices.Contains(names, c.Name) {
			names = append(names, c.Name)
		}
		return true
	})
	either, ok := e.(*tree.Binary)
	return slices.Contains(names, column) && !(ok && either.Operator == tree.Or && len(names) > 1)
}

// building is an index with a column of WHERE that is not complete yet; "" if there is none.
func (c *chooser) building() string {
	for i := range c.source.Table.Descriptor.Indexes {
		x := &c.source.Table.Descriptor.Indexes[i]
		if !x.State.Building() || x.Internal {
			continue
		}
		for j := range x.Key {
			if slices.ContainsFunc(x.Key[j].Args,
				func(a schema.Argument) bool { return slices.Contains(c.source.whereColumns, a.Column) }) ||
				slices.ContainsFunc(c.source.whereColumns, x.Key[j].Covers) {
				return x.Name
			}
		}
	}
	return ""
}

// searchable lists the fields of a search index that would serve a condition with OR over columns, or one on a part of
// a text, as no other index does.
func (c *chooser) searchable() (fields []string) {
	for _, condition := range expr.Conjuncts(c.judged) {
		if list := appendFields(nil, condition); len(list) > 1 ||
			len(list) == 1 && strings.HasSuffix(list[0], infixField) {
			fields = append(fields, list...)
		}
	}
	slices.Sort(fields)
	return slices.Compact(fields)
}

// infixField is the option of a field that holds the parts of texts.
const infixField = "(infix=true)"

func appendFields(fields []string, c expr.Condition) []string {
	switch c := c.(type) {
	case *expr.Or:
		for _, one := range c.List {
			fields = appendFields(fields, one)
		}
		return fields
	case *expr.And:
		for _, one := range c.List {
			fields = appendFields(fields, one)
		}
		return fields
	}
	option := ""
	if _, ok := c.(*expr.Contains); ok {
		option = infixField
	}
	for path := range expr.Paths(c) {
		if field := tree.QuoteIfNeeded(path.Name) + option; !slices.Contains(fields, field) {
			fields = append(fields, field)
		}
	}
	return fields
}

// aboutMax is the time counting rows for a message may take.
const aboutMax = 100 * time.Millisecond

// about says how many rows that is, unless counting them takes long.
func (c *chooser) about() string {
	ctx, cancel := context.WithTimeout(context.Background(), aboutMax)
	defer cancel()
	estimate, err := c.pinned.Estimate(ctx, "")
	if err != nil || estimate.Rows == 0 { // it is not known yet
		return ""
	}
	return fmt.Sprintf(", about %d of them", statistics.Rounded(estimate.Rows))
}

// plain is a name with what may stand in a name without quotes.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
}
