// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/tree"
)

// The names that clients see: programs expect transactions and foreign keys only of tables of InnoDB, and all texts
// compare by their bytes.
const (
	EngineName    = "InnoDB"
	CharsetName   = "utf8mb4"
	CollationName = "utf8mb4_bin"
)

// Statement is the CREATE TABLE that makes the table again, one column or key a line. A table made over DynamoDB is
// shown as SQL sees it: functions of keys that SQL has not are shown as they are written over there. next is the number
// that AUTO_INCREMENT gives next.
func Statement(t *Table, next uint64) string {
	var text strings.Builder
	text.WriteString("CREATE TABLE " + tree.Quote(t.Name) + " (\n")
	var lines []string
	for i := range t.Columns {
		if !t.Columns[i].Invisible {
			lines = append(lines, t.columnText(&t.Columns[i]))
		}
	}
	for _, w := range t.Wildcards {
		lines = append(lines, tree.Quote(w.Pattern)+" "+TypeText(w.Type))
	}
	if !t.HasRowID() {
		lines = append(lines, "PRIMARY KEY ("+t.KeyText(&t.Descriptor.Primary)+")")
	}
	for _, x := range t.IndexesInOrder() {
		lines = append(lines, t.indexText(x))
	}
	byName := func(a, b ForeignKey) int { return strings.Compare(a.Name, b.Name) }
	for _, f := range slices.SortedFunc(slices.Values(t.ForeignKeys), byName) {
		lines = append(lines, f.Text(t.Database))
	}
	for i := range t.Checks {
		lines = append(lines, t.Checks[i].text())
	}
	text.WriteString("  " + strings.Join(lines, ",\n  ") + "\n)" + t.behindColumns(next))
	return text.String()
}

// IndexesInOrder lists the indexes as MySQL does: unique ones first, those without NULLs before others, and FULLTEXT
// last. Tables that are not of MySQL's kind have them in the order in which they were made.
func (t *Table) IndexesInOrder() []*Index {
	list := make([]*Index, len(t.Indexes))
	for i := range t.Indexes {
		list[i] = &t.Indexes[i]
	}
	if t.InsertFails {
		slices.SortStableFunc(list, func(a, b *Index) int { return cmp.Compare(t.rank(a), t.rank(b)) })
	}
	return list
}

func (t *Table) rank(x *Index) int {
	hasNulls := func(p schema.KeyPart) bool {
		c, ok := t.Column(p.Column())
		return ok && !c.NotNull
	}
	switch {
	case x.Schema.Search:
		return 3
	case !x.Schema.Unique:
		return 2
	case slices.ContainsFunc(x.Schema.Visible(), hasNulls):
		return 1
	}
	return 0
}

// behindColumns is the rest of the statement after its columns and keys. For a table without options of Weft's own it
// is what MySQL shows.
func (t *Table) behindColumns(next uint64) string {
	options := t.visibleOptions()
	text, number := "", ""
	if t.Auto() >= 0 && next > 1 {
		number = " AUTO_INCREMENT=" + strconv.FormatUint(next, 10)
	}
	if _, comment := options[OptionComment]; t.InsertFails && (len(options) == 0 || comment && len(options) == 1) {
		text = " ENGINE=" + EngineName + number + " DEFAULT CHARSET=" + CharsetName + " COLLATE=" + CollationName
		number = ""
	}
	return text + withText(options, " COMMENT=") + number
}

// visibleOptions are all options that the statement needs, DYNAMIC_COLUMNS among them even if another protocol's table
// has it by nature.
func (t *Table) visibleOptions() map[string]string {
	options := maps.Clone(t.Options)
	if t.Stream != "" {
		options[optionStream] = t.Stream
	}
	if t.RecoveryDays > 0 {
		options[optionRecovery] = strconv.Itoa(t.RecoveryDays)
	}
	if t.Dynamic {
		options[optionDynamic] = wordTrue
	}
	plain := len(t.Wildcards) == 0
	for name := range options {
		plain = plain && (name == OptionComment || isJournalOption(name))
	}
	if t.InsertFails != plain {
		options[optionInsert] = insertMode(t.InsertFails)
	}
	if len(t.Wildcards) > 0 {
		patterns := make([]string, len(t.Wildcards))
		for i, w := range t.Wildcards {
			patterns[i] = w.Pattern
		}
		options[optionWildcard] = strings.Join(patterns, ",")
	}
	return options
}

// Literal writes a text in single quotes, as MySQL reads it.
func Literal(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", "''", "\x00", `\0`, "\n", `\n`, "\r", `\r`, "\x1a",
		`\Z`).Replace(text) + "'"
}

func (t *Table) columnText(c *Column) string {
	text := tree.Quote(c.Name)
	if name := t.TypeText(c.Type); name != "" {
		text += " " + name
	}
	if t.InsertFails && c.Type.IsText() {
		text += " COLLATE " + CollationName
	}
	if c.Generated != nil {
		text += " GENERATED ALWAYS AS (" + defaultText(c.Generated) + ") " + c.GeneratedKind()
	}
	text += t.nullText(c)
	if c.HasDefault() {
		text += " DEFAULT " + t.shownDefault(c)
	}
	if c.UpdateNow {
		text += " ON UPDATE " + NowText(c)
	}
	if c.AutoIncrement {
		text += " AUTO_INCREMENT"
	}
	if c.Comment != "" {
		text += " COMMENT " + Literal(c.Comment)
	}
	return text
}

// nullText is a column's part about NULL. In a table of MySQL's kind that is NULL for a TIMESTAMP, which MySQL would
// otherwise take for one without, and the default that a column has by nature.
func (t *Table) nullText(c *Column) (text string) {
	switch {
	case c.NotNull:
		return " NOT NULL"
	case !t.InsertFails || c.Generated != nil:
		return ""
	case c.Type.Base == datum.Timestamp && c.Type.Variety != datum.DateTime:
		text = " NULL"
	}
	if !c.HasDefault() && !isLong(c.Type) {
		text += " DEFAULT NULL"
	}
	return text
}

// shownDefault is DefaultText; in a table of MySQL's kind numbers are in quotes, as in MySQL.
func (t *Table) shownDefault(c *Column) string {
	if !t.InsertFails || c.Default == nil || c.DefaultNow || c.DefaultExpression != nil {
		return DefaultText(c)
	}
	switch c.Default.Kind() {
	case datum.KindBool:
		return Literal(strconv.Itoa(int(c.Default.Int())))
	case datum.KindInt, datum.KindUint, datum.KindFloat, datum.KindDecimal:
		if c.Type.Variety == datum.Bit {
			return BitText(c)
		}
		return Literal(string(c.Default.AppendText(nil)))
	}
	return DefaultText(c)
}

// BitText is the default of a BIT column as MySQL has it.
func BitText(c *Column) string { return "b'" + strconv.FormatUint(c.Default.Uint(), 2) + "'" }

// isLong reports whether a type is one of MySQL's whose columns have no constant default.
func isLong(t datum.Type) bool { return t.Variety >= datum.TinyText && t.Variety <= datum.LongBlob }

// GeneratedKind is VIRTUAL or STORED.
func (c *Column) GeneratedKind() string {
	if c.Virtual {
		return "VIRTUAL"
	}
	return "STORED"
}

// GeneratedText is the expression of a generated column; "" for others.
func (c *Column) GeneratedText() string { return defaultText(c.Generated) }

// NowText is CURRENT_TIMESTAMP with the digits of a second that the column keeps.
func NowText(c *Column) string {
	if c.Type.Scale > 0 {
		return "CURRENT_TIMESTAMP(" + strconv.Itoa(c.Type.Scale) + ")"
	}
	return "CURRENT_TIMESTAMP"
}

// DefaultText writes a column's default as DDL does; "" if it has none.
func DefaultText(c *Column) string {
	switch {
	case c.DefaultNow:
		return NowText(c)
	case c.DefaultExpression != nil:
		return "(" + expressionText(c.DefaultExpression) + ")"
	}
	if c.Default == nil {
		return ""
	}
	text := string(c.Default.AppendText(nil))
	switch c.Default.Kind() {
	case datum.KindNull, datum.KindBool, datum.KindInt, datum.KindUint, datum.KindFloat, datum.KindDecimal:
		return text
	case datum.KindBinary:
		const digits = "0123456789abcdef"
		hex := make([]byte, 0, 2*c.Default.Len())
		for _, b := range c.Default.Bytes() {
			hex = append(hex, digits[b>>4], digits[b&15])
		}
		return "x'" + string(hex) + "'"
	}
	return Literal(text)
}

// KeyText writes the parts of a key as DDL does.
func (t *Table) KeyText(x *schema.Index) string {
	visible := x.Stated()
	parts := make([]string, len(visible))
	for i := range visible {
		parts[i] = t.PartText(&visible[i])
	}
	return strings.Join(parts, ",")
}

// PartText writes a part of a key as DDL does.
func PartText(p *schema.KeyPart) string {
	if column := p.Column(); column != "" {
		if p.Descending {
			return tree.Quote(column) + " DESC"
		}
		return tree.Quote(column)
	}
	if p.Function == schema.Concat {
		return p.Name
	}
	arguments := make([]string, len(p.Args))
	for i, a := range p.Args {
		arguments[i] = tree.Quote(a.Column)
	}
	return p.Function.String() + "(" + strings.Join(arguments, ",") + ")"
}

func (t *Table) indexText(x *Index) string {
	if x.Schema.Search {
		return t.searchText(x)
	}
	text := "KEY " + tree.Quote(x.Name) + " (" + t.KeyText(x.Schema) + ")"
	if x.Schema.Unique {
		text = "UNIQUE " + text
	}
	if len(x.Include) > 0 {
		names := make([]string, len(x.Include))
		for i, name := range x.Include {
			names[i] = tree.Quote(name)
		}
		text += " INCLUDE (" + strings.Join(names, ",") + ")"
	}
	options := maps.Clone(x.Options)
	if x.Covers != "" {
		options[optionCovered] = x.Covers
	}
	if !x.Schema.KeepNulls {
		options[optionSparse] = wordTrue
	}
	return text + withText(options, " COMMENT ")
}

// withText writes options. A comment alone is written as MySQL writes it, so that MySQL reads a dump of a table that
// has nothing of its own.
func withText(options map[string]string, comment string) string {
	if len(options) == 0 {
		return ""
	}
	if text, has := options[OptionComment]; has && len(options) == 1 {
		return comment + Literal(text)
	}
	var list []string
	for _, name := range slices.Sorted(maps.Keys(options)) {
		list = append(list, name+"="+Literal(options[name]))
	}
	return " WITH (" + strings.Join(list, ", ") + ")"
}

// OptionsOf lists the options of a table by their names, DYNAMIC_COLUMNS and WILDCARD_COLUMN among them where they
// apply.
func OptionsOf(t *Table) []tree.Option {
	options := t.visibleOptions()
	list := make([]tree.Option, 0, len(options))
	for _, name := range slices.Sorted(maps.Keys(options)) {
		list = append(list, tree.Option{Name: name, Value: options[name]})
	}
	return list
}
