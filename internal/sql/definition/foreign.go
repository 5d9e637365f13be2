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

// ForeignKey says that the values of a row's columns, if none is NULL, are those of a row of another table, or the same
// one. It is stored as it is.
type ForeignKey struct {
	Name       string   `json:"name"`
	Columns    []string `json:"columns"`
	Database   string   `json:"database"`
	Table      string   `json:"table"`
	References []string `json:"references"` // columns of that table: its whole primary key, or those of a unique index
	// Next is the name that the table gets; it may have that already. nil: it keeps its name.
	Next *schema.Referrer `json:"next,omitempty"`
	// OnDelete and OnUpdate are CASCADE, SET NULL, NO ACTION, or "" for RESTRICT.
	OnDelete string `json:"onDelete,omitempty"`
	OnUpdate string `json:"onUpdate,omitempty"`
	unnamed  bool   // the statement gave it no name
}

// Referrer is a foreign key of a table that refers to this one. The table, or its key, may be gone.
type Referrer struct {
	Database string `json:"database"`
	Table    string `json:"table"`
	Name     string `json:"name"`
}

// RefersTo reports whether f refers to the table that has a name, or gets it.
func (f *ForeignKey) RefersTo(database, table string) bool {
	return f.Database == database && f.Table == table ||
		f.Next != nil && *f.Next == schema.Referrer{Database: database, Table: table}
}

// Rule is an action as information_schema tells it.
func Rule(action string) string {
	if action == "" {
		return "RESTRICT"
	}
	return action
}

// Text is the constraint as SHOW CREATE TABLE has it. database is its own table's.
func (f *ForeignKey) Text(database string) string {
	table := tree.Quote(f.Table)
	if f.Database != database {
		table = tree.Quote(f.Database) + "." + table
	}
	text := "CONSTRAINT " + tree.Quote(f.Name) + " FOREIGN KEY (" + quoteList(f.Columns) + ") REFERENCES " + table +
		" (" + quoteList(f.References) + ")"
	if f.OnDelete != "" {
		text += " ON DELETE " + f.OnDelete
	}
	if f.OnUpdate != "" {
		text += " ON UPDATE " + f.OnUpdate
	}
	return text
}

func quoteList(names []string) string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = tree.Quote(name)
	}
	return strings.Join(list, ",")
}

// ForeignKey finds one by its name.
func (t *Table) ForeignKey(name string) (*ForeignKey, bool) {
	i := slices.IndexFunc(t.ForeignKeys, func(f ForeignKey) bool { return f.Name == name })
	if i < 0 {
		return nil, false
	}
	return &t.ForeignKeys[i], true
}

// AddForeignKey declares one on a table. The table that it refers to is not looked at. Errors: *fault.Error.
func (l Limits) AddForeignKey(t *Table, d *tree.ForeignKey) (ForeignKey, error) {
	f := ForeignKey{Name: d.Name, Columns: d.Columns, Database: d.Table.Database, Table: d.Table.Name,
		References: d.References, OnDelete: d.OnDelete, OnUpdate: d.OnUpdate}
	if f.Database == "" {
		f.Database = t.Database
	}
	if f.Name == "" {
		f.Name, f.unnamed = t.freeName("_ibfk_"), true
	}
	if err := l.CheckIndexName(f.Name); err != nil {
		return f, err
	}
	if t.hasConstraint(f.Name) {
		return f, fault.Message(codeForeignTwice, "Duplicate foreign key constraint name '%s'", f.Name)
	}
	if len(f.References) > 0 && len(f.References) != len(f.Columns) {
		return f, fault.Message(codeForeignKey,
			"Incorrect foreign key definition for '%s': Key reference and table reference don't match", f.Name)
	}
	for i, name := range f.Columns {
		at, ok := t.byName[name]
		switch {
		case !ok:
			return f, fault.New(fault.KeyColumnUnknown, name)
		case slices.Contains(f.Columns[:i], name):
			return f, fault.New(fault.ColumnTwice, name)
		case (f.OnDelete == "SET NULL" || f.OnUpdate == "SET NULL") && t.Columns[at].NotNull:
			return f, fault.Message(codeForeignNull,
				"Column '%s' cannot be NOT NULL: needed in a foreign key constraint '%s' SET NULL", name, f.Name)
		}
	}
	t.ForeignKeys = append(slices.Clone(t.ForeignKeys), f)
	return f, nil
}

// freeName is a name for a constraint that was given none.
func (t *Table) freeName(infix string) string {
	for i := 1; ; i++ {
		if name := t.Name + infix + strconv.Itoa(i); !t.hasConstraint(name) {
			return name
		}
	}
}

func (t *Table) hasConstraint(name string) bool {
	_, foreign := t.ForeignKey(name)
	return foreign || slices.ContainsFunc(t.Checks, func(c Check) bool { return c.Name == name })
}

// Leads reports whether the columns begin the key of an index, or the primary key: rows are found by them.
func (t *Table) Leads(columns []string) bool {
	if begins(&t.Descriptor.Primary, columns) {
		return true
	}
	return slices.ContainsFunc(t.Indexes, func(x Index) bool { return begins(x.Schema, columns) })
}

func begins(x *schema.Index, columns []string) bool {
	visible := x.Visible()
	if x.Search || len(visible) < len(columns) {
		return false
	}
	for i, column := range columns {
		if visible[i].Column() != column {
			return false
		}
	}
	return true
}

// indexFor is the index by which the rows of a foreign key are found. As in MySQL it has the name of the constraint, or
// that of its first column if the statement names none.
func indexFor(f *ForeignKey) tree.IndexDefinition {
	d := tree.IndexDefinition{}
	if !f.unnamed {
		d.Name = f.Name
	}
	for _, column := range f.Columns {
		d.Key = append(d.Key, tree.KeyElement{Column: column})
	}
	return d
}

// IndexFor is the CREATE INDEX that a foreign key of the table needs; nil if there is such an index.
func (t *Table) IndexFor(d *tree.ForeignKey, name string) *tree.CreateIndex {
	if t.Leads(d.Columns) {
		return nil
	}
	return &tree.CreateIndex{Table: tree.Name{Database: t.Database, Name: t.Name},
		Index: indexFor(&ForeignKey{Name: name, Columns: d.Columns, unnamed: d.Name == ""})}
}

// UniqueOf is how the row with values of columns is found: by the primary key, whose index has no name, or by a unique
// index.
func (t *Table) UniqueOf(columns []string) (index string, ok bool) {
	if sameNames(identity(t), columns) {
		return "", true
	}
	for i := range t.Indexes {
		x := t.Indexes[i].Schema
		var names []string
		for _, part := range x.Visible() {
			names = append(names, part.Column())
		}
		if x.Unique && sameNames(names, columns) {
			return x.Name, true
		}
	}
	return "", false
}

// identity are the columns by which the primary key tells rows apart.
func identity(t *Table) (names []string) {
	for i := range t.Columns {
		if t.Columns[i].KeyPart >= 0 {
			names = append(names, t.Columns[i].Name)
		}
	}
	return names
}

func sameNames(a, b []string) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(name string) bool { return !slices.Contains(b, name) })
}

// CheckReference says why a foreign key of t can't refer to parent. References are filled in where they were left out.
func (t *Table) CheckReference(f *ForeignKey, parent *Table) error {
	if len(f.References) == 0 {
		f.References = identity(parent)
	}
	wrong := func(why string) error {
		return fault.New(fault.CannotCreateTable, t.Database+"."+t.Name,
			`errno: 150 "Foreign key constraint is incorrectly formed": `+f.Name+": "+why)
	}
	if len(f.References) != len(f.Columns) {
		return wrong("it has other columns than the primary key of " + parent.Name)
	}
	for i, name := range f.References {
		name = parent.Spelled(name)
		f.References[i] = name
		at, ok := parent.byName[name]
		if !ok {
			return wrong("table " + parent.Name + " has no column " + name)
		}
		if own := t.Columns[t.byName[f.Columns[i]]]; !comparable(own.Type, parent.Columns[at].Type) {
			return wrong("column " + own.Name + " is " + TypeText(own.Type) + ", and " + parent.Name + "." + name +
				" is " + TypeText(parent.Columns[at].Type) + ": they must be of one type")
		}
	}
	if _, ok := parent.UniqueOf(f.References); !ok {
		return wrong("the referenced columns must be the whole primary key of " + parent.Name +
			", or those of a UNIQUE key")
	}
	if parent.Descriptor != nil {
		if _, expires := parent.Descriptor.Expiry(); expires || parent.Descriptor.Cells != nil {
			return wrong("rows of " + parent.Name + " expire by themselves")
		}
	}
	return nil
}

// comparable reports whether equal values of two types are stored alike.
func comparable(a, b datum.Type) bool {
	text := func(t datum.Type) bool { return t.Base == datum.Varchar || t.Base == datum.Char }
	if a.Base == datum.DecimalBase {
		return b.Base == a.Base && a.Scale == b.Scale
	}
	if a.Base == datum.Timestamp || a.Base == datum.Time {
		return a.Base == b.Base && a.TimeUnit() == b.TimeUnit() &&
			(a.Variety == datum.Zoned) == (b.Variety == datum.Zoned)
	}
	return a.Base == b.Base || text(a) && text(b)
}

// ForeignKeysOf returns the foreign keys in a descriptor, read without the rest.
func ForeignKeysOf(dialect map[string]json.RawMessage) ([]ForeignKey, error) {
	var stored struct {
		ForeignKeys []ForeignKey `json:"foreignKeys"`
	}
	raw, ok := dialect[Dialect]
	if !ok {
		return nil, nil
	}
	return stored.ForeignKeys, json.Unmarshal(raw, &stored)
}

// Prepare completes the foreign keys of a table that is about to be made: refer fills in what they refer to, and
// referrers are the foreign keys of others that refer to it.
func Prepare(spec *database.TableSpec, referrers []Referrer, refer func(*Table, []ForeignKey) error) ([]ForeignKey,
	error) {
	keys, err := ForeignKeysOf(spec.Dialect)
	if err != nil || len(keys) == 0 && len(referrers) == 0 {
		return nil, err
	}
	d := &schema.Table{Database: spec.Database, Name: spec.Name, Primary: schema.Index{Key: spec.Key},
		Columns: spec.Columns, Dialect: spec.Dialect}
	for i := range spec.Indexes {
		x := &spec.Indexes[i]
		d.Indexes = append(d.Indexes, schema.Index{ID: uint32(i + 1), Name: x.Name, Key: x.Key, Unique: x.Unique,
			Search: x.Search})
	}
	t, err := Of(d)
	if err != nil {
		return nil, err
	}
	if err := refer(t, t.ForeignKeys); err != nil {
		return nil, err
	}
	stored := t.toStored()
	stored.Referrers = referrers
	spec.Rules = stored.rules(t.Database, t.Name)
	return t.ForeignKeys, stored.write(d)
}

// SetReferrers notes in a copy of a descriptor which foreign keys refer to the table: one more, or without those that
// gone names.
func SetReferrers(d *schema.Table, more *Referrer, gone func(Referrer) bool) error {
	stored, known, err := readTable(d)
	if err != nil {
		return err
	}
	if !known && more == nil {
		return nil
	}
	stored.Referrers = slices.DeleteFunc(stored.Referrers,
		func(r Referrer) bool { return gone != nil && gone(r) || more != nil && r == *more })
	if more != nil {
		stored.Referrers = append(stored.Referrers, *more)
	}
	d.Rules = stored.rules(d.Database, d.Name)
	return stored.write(d)
}

// SetNext notes in a copy of a descriptor the name that the table of a foreign key gets. The key may be gone.
func SetNext(d *schema.Table, key string, next *schema.Referrer) error {
	return changeForeignKey(d, key, func(f *ForeignKey) { f.Next = next })
}

// SettleNext ends what SetNext has begun: the table of the foreign key has a name now, be it the next one or that from
// before.
func SettleNext(d *schema.Table, key string, now schema.Referrer) error {
	return changeForeignKey(d, key, func(f *ForeignKey) {
		if f.RefersTo(now.Database, now.Table) {
			f.Database, f.Table = now.Database, now.Table
		}
		f.Next = nil
	})
}

func changeForeignKey(d *schema.Table, key string, change func(*ForeignKey)) error {
	stored, _, err := readTable(d)
	if err != nil {
		return err
	}
	for i := range stored.ForeignKeys {
		if stored.ForeignKeys[i].Name == key {
			change(&stored.ForeignKeys[i])
		}
	}
	d.Rules = stored.rules(d.Database, d.Name)
	return stored.write(d)
}

// rules are the writes that SQL has to judge.
func (s *storedTable) rules(database, name string) schema.Rules {
	own := func(f ForeignKey) bool { return f.Database == database && f.Table == name }
	r := schema.Rules{Puts: len(s.ForeignKeys) > 0, Deletes: len(s.Referrers) > 0 ||
		slices.ContainsFunc(s.ForeignKeys, own)}
	// what is referred to may not change
	r.Puts = r.Puts || r.Deletes || slices.ContainsFunc(s.Checks, func(c storedCheck) bool { return !c.NotEnforced })
	r.Puts = r.Puts || slices.ContainsFunc(s.Columns, func(c storedColumn) bool { return c.Generated != "" })
	for _, f := range s.Referrers {
		r.Referrers = append(r.Referrers, schema.Referrer{Database: f.Database, Table: f.Table})
	}
	if r.Puts {
		r.Dialect = "SQL"
	}
	r.Features = s.features()
	return r
}

// features are the features of columns that a program must know to write rows.
func (s *storedTable) features() (names []string) {
	for _, one := range []struct {
		name string
		used func(storedColumn) bool
	}{
		{schema.FeatureAuto, func(c storedColumn) bool { return c.Auto }},
		{schema.FeatureDefault, func(c storedColumn) bool { return c.DefaultSQL != "" }},
		{schema.FeatureOnUpdate, func(c storedColumn) bool { return c.UpdateNow }},
		{schema.FeatureZoned, func(c storedColumn) bool { return c.Zoned }},
		{schema.FeatureMicros, func(c storedColumn) bool { return c.Microseconds }},
	} {
		if slices.ContainsFunc(s.Columns, one.used) {
			names = append(names, one.name)
		}
	}
	return names
}

// foreignKeyUsing names a foreign key that needs a column; "" if none does.
func (t *Table) foreignKeyUsing(column string) string {
	for i := range t.ForeignKeys {
		if slices.Contains(t.ForeignKeys[i].Columns, column) {
			return t.ForeignKeys[i].Name
		}
	}
	return ""
}

// needs reports whether rows of a foreign key can't be found by any key: of the table's own, or of others' that refer
// to columns.
func (t *Table) needs(referred [][]string) bool {
	return slices.ContainsFunc(t.ForeignKeys, func(f ForeignKey) bool { return !t.Leads(f.Columns) }) ||
		slices.ContainsFunc(referred, func(columns []string) bool { _, ok := t.UniqueOf(columns); return !ok })
}

// CheckDropIndex refuses to drop an index by which a foreign key finds rows. referred are the columns of this table
// that others' keys refer to.
func (t *Table) CheckDropIndex(name string, referred [][]string) error {
	rest := *t
	rest.Indexes = slices.DeleteFunc(slices.Clone(t.Indexes), func(x Index) bool { return x.Name == name })
	if rest.needs(referred) {
		return fault.Message(codeIndexNeeded, "Cannot drop index '%s': needed in a foreign key constraint", name)
	}
	return nil
}
