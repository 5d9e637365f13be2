// SPDX-License-Identifier: Apache-2.0

package schemas

import (
	"fmt"
	"strings"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// privileges are the rights on a column that every user has.
const privileges = "select,insert,update,references"

func (c *call) describe(st *tree.Describe) error {
	a, err := c.showColumns(st.Table, "", false)
	if err != nil {
		return err
	}
	var like *string
	if st.Column != "" {
		like = &st.Column
	}
	return c.send(a, like, nil)
}

// showColumns lists the columns of a table: the declared ones, then the dynamic ones that rows have had so far, as
// SELECT * has them.
func (c *call) showColumns(table tree.Name, dbName string, full bool) (*answer, error) {
	table = inDatabase(table, dbName)
	if database := c.databaseOf(table.Database); IsVirtual(database) {
		v, err := FindVirtual(database, table.Name)
		if err != nil {
			return nil, err
		}
		return describeColumns(v.Columns, full), nil
	}
	if c.ViewColumns != nil && c.isView(table) {
		columns, err := c.ViewColumns(c.ctx, c.session, table)
		if err != nil {
			return nil, err
		}
		return describeColumns(columns, full), nil
	}
	p, err := c.pin(table)
	if err != nil {
		return nil, err
	}
	defer p.Release()
	a := &answer{columns: long(texts("Field", "Type", "Null", "Key", "Default", "Extra"), 4)}
	if full {
		a.columns = long(texts("Field", "Type", "Collation", "Null", "Key", "Default", "Extra", "Privileges",
			"Comment"), 5, 8)
	}
	add := func(column *definition.Column, extra string) {
		null, key, otherwise := nullWord(column), keyWord(p.Table, column.Name), defaultOf(column)
		if full {
			a.add(column.Name, typeText(p.Table, column.Type), collationOf(column.Type), null, key, otherwise, extra,
				privileges, column.Comment)
		} else {
			a.add(column.Name, typeText(p.Table, column.Type), null, key, otherwise, extra)
		}
	}
	for i := range p.Columns {
		extra := ""
		switch c := &p.Columns[i]; {
		case c.Invisible:
			continue
		case c.DefaultNow, c.DefaultExpression != nil:
			extra = "DEFAULT_GENERATED"
		case c.Generated != nil:
			extra = c.GeneratedKind() + " GENERATED"
		case c.AutoIncrement:
			extra = "auto_increment"
		case c.IsMapped():
			extra = c.Type.String()
		}
		if p.Columns[i].UpdateNow {
			extra = strings.TrimSpace(extra + " on update " + definition.NowText(&p.Columns[i]))
		}
		add(&p.Columns[i], extra)
	}
	for i := range p.Families {
		w := &p.Wildcards[i]
		add(&definition.Column{Name: w.Pattern, Type: w.Type}, "FAMILY")
	}
	if !c.seesRows(p) {
		return a, nil
	}
	if p.at.AttributeCount() >= database.AttributeNamesMax && p.Dynamic {
		c.session.Warn(fault.Refused, "the table has seen more column names than are listed")
	}
	for _, name := range definition.DynamicNames(p.Table, p.at.AttributeNames()) {
		column, _ := p.Column(name)
		add(&column, "DYNAMIC")
	}
	return a, nil
}

// TypeText is a type as SHOW COLUMNS and information_schema have it: in lower case. Columns whose values each have
// their own type are "dynamic".
func TypeText(t datum.Type) string {
	if t.Base == datum.Untyped {
		return "dynamic"
	}
	return definition.TypeText(t)
}

// typeText is TypeText of a table's column.
func typeText(of *definition.Table, t datum.Type) string {
	if t.Base == datum.Boolean {
		return of.TypeText(t)
	}
	return TypeText(t)
}

func collationOf(t datum.Type) any {
	if t.IsText() {
		return definition.CollationName
	}
	return nil
}

func nullWord(c *definition.Column) string {
	if c.NotNull {
		return "NO"
	}
	return "YES"
}

// keyWord is PRI for a column of the primary key, UNI for one that alone is a unique index, MUL for the first one of
// another index, else empty.
func keyWord(t *definition.Table, column string) string {
	if known, ok := t.Column(column); ok && known.KeyPart >= 0 {
		return "PRI"
	}
	word := ""
	for i := range t.Indexes {
		visible := t.Indexes[i].Schema.Visible()
		for _, a := range visible[0].Args {
			if a.Column == column && t.Indexes[i].Schema.Unique && len(visible) == 1 {
				return "UNI"
			}
			if a.Column == column {
				word = "MUL"
			}
		}
	}
	return word
}

func defaultOf(c *definition.Column) any {
	switch {
	case c.DefaultNow:
		return definition.NowText(c)
	case c.DefaultExpression != nil:
		text := definition.DefaultText(c)
		return text[1 : len(text)-1] // without its brackets
	case c.Default == nil || c.Default.IsNull():
		return nil
	case c.Type.Variety == datum.Bit:
		return definition.BitText(c)
	case c.Default.Kind() == datum.KindBinary:
		return fmt.Sprintf("0x%X", c.Default.Bytes())
	}
	return string(c.Default.AppendText(nil))
}

// showKeys answers SHOW KEYS as MySQL does, a line for each column of the primary key and of the indexes.
func (c *call) showKeys(st *tree.Show) (*answer, error) {
	a := &answer{columns: number(texts("Table", "Non_unique", "Key_name", "Seq_in_index", "Column_name", "Collation",
		"Cardinality", "Sub_part", "Packed", "Null",
		"Index_type", "Comment", "Index_comment", "Visible", "Expression"), 1, 3, 6, 7), by: 2}
	if name := tableOf(st); IsVirtual(c.databaseOf(name.Database)) || c.isView(name) {
		return a, nil
	}
	p, err := c.pin(tableOf(st))
	if err != nil {
		return nil, err
	}
	defer p.Release()
	lag, err := c.lagOf(p.at)
	if err != nil {
		return nil, err
	}
	if !p.HasRowID() {
		addKeys(a, p.Table, definition.PrimaryName, &p.Descriptor.Primary, "")
	}
	for _, x := range p.IndexesInOrder() {
		state, progress, err := c.stateOf(p.at, x.Schema)
		if err != nil {
			return nil, err
		}
		if state += " " + progress; x.Schema.State.Readable() {
			state = lag(x.Schema)
		}
		addKeys(a, p.Table, x.Name, x.Schema, state)
	}
	return a, nil
}

// addKeys adds the columns of an index. state is the note about a build in progress.
func addKeys(a *answer, t *definition.Table, name string, x *schema.Index, state string) {
	unique, null := 1, "YES"
	if x.IsPrimary() {
		null = ""
	}
	if x.IsPrimary() || x.Unique {
		unique = 0
	}
	if x.Search {
		addFields(a, t, name, x, state)
		return
	}
	visible := x.Visible() // columns of ZORDER(..) in a primary key stand behind its parts
	for i := range visible {
		part := &visible[i]
		var column, expression, beginning any = part.Column(), nil, nil
		held, ok := t.Column(part.Column())
		if of, length, begins := held.Beginning(); begins {
			column, beginning = of, length
			held, ok = t.Column(of)
		} else if part.Computed() || ok && held.IsExpression() {
			column, expression = nil, strings.TrimSuffix(plain(t.PartText(part)), " DESC")
		}
		direction := "A"
		if part.Descending {
			direction = "D"
		}
		nulls := null
		if ok && held.NotNull {
			nulls = ""
		}
		a.add(t.Name, unique, name, i+1, column, direction, nil, beginning, nil, nulls, "BTREE", state,
			comment(t, name), "YES", expression)
	}
}

// addFields adds the columns of a search index.
func addFields(a *answer, t *definition.Table, name string, x *schema.Index, state string) {
	seq := 0
	seen := map[string]bool{}
	for i := range x.Key {
		kind := "SEARCH"
		if x.Key[i].Function == schema.Words {
			kind = "FULLTEXT"
		}
		for _, argument := range x.Key[i].Args {
			if seen[argument.Column] {
				continue
			}
			seen[argument.Column] = true
			nulls := "YES"
			if declared, ok := t.Column(argument.Column); ok && declared.NotNull {
				nulls = ""
			}
			seq++
			a.add(t.Name, 1, name, seq, argument.Column, nil, nil, nil, nil, nulls, kind, state, comment(t, name),
				"YES", nil)
		}
	}
}

// comment is the comment of an index.
func comment(t *definition.Table, name string) string {
	for i := range t.Indexes {
		if t.Indexes[i].Name == name {
			return t.Indexes[i].Options[definition.OptionComment]
		}
	}
	return ""
}

// plain drops the quotes of names.
func plain(text string) string { return strings.ReplaceAll(text, "`", "") }
