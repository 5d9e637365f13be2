// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// Create says what table a CREATE TABLE asks for, in a database. It knows nothing of tables that are there. Errors:
// *fault.Error.
func (l Limits) Create(statement *tree.CreateTable, dbName string) (database.TableSpec, error) {
	l = l.withDefaults()
	if err := l.CheckTableName(statement.Table.Name); err != nil {
		return database.TableSpec{}, err
	}
	t := &Table{Database: dbName, Name: statement.Table.Name, Options: map[string]string{}, byName: map[string]int{}}
	if err := l.declare(t, statement.Columns); err != nil {
		return database.TableSpec{}, err
	}
	indexes := indexesOf(statement)
	if err := l.expressIndexes(t, indexes); err != nil {
		return database.TableSpec{}, err
	}
	elements, err := primaryKey(statement)
	if err != nil {
		return database.TableSpec{}, err
	}
	if elements == nil {
		if elements, err = t.addRowID(statement); err != nil {
			return database.TableSpec{}, err
		}
	}
	if err := t.setOptions(statement.Options, true); err != nil {
		return database.TableSpec{}, err
	}
	t.InsertFails = t.insertsFail(statement.Options)
	if err := l.applyKind(t, statement.Columns); err != nil {
		return database.TableSpec{}, err
	}
	key, err := l.primaryParts(t, elements)
	if err != nil {
		return database.TableSpec{}, err
	}
	t.setKey(&schema.Index{Key: key})
	for i := range t.Columns {
		t.Columns[i].Original = true
	}
	if err := t.checkWhole(); err != nil {
		return database.TableSpec{}, err
	}
	if err := l.constrain(t, statement); err != nil {
		return database.TableSpec{}, err
	}
	spec, err := l.spec(t, key, indexes)
	if err == nil {
		err = t.checkAuto(&spec)
	}
	return spec, err
}

// constrain takes the constraints of a CREATE TABLE.
func (l Limits) constrain(t *Table, statement *tree.CreateTable) error {
	for i := range t.Columns {
		if err := l.checkGenerated(t, i); err != nil {
			return err
		}
	}
	var checks []tree.Check
	for i := range statement.Columns {
		checks = append(checks, statement.Columns[i].Checks...)
	}
	checks = append(checks, statement.Checks...)
	for _, named := range []bool{true, false} { // those without names get free ones
		for i := range checks {
			if named != (checks[i].Name != "") {
				continue
			}
			if err := l.addCheck(t, &checks[i]); err != nil {
				return err
			}
		}
	}
	for i := range statement.Columns {
		if f := statement.Columns[i].References; f != nil {
			if _, err := l.AddForeignKey(t, f); err != nil {
				return err
			}
		}
	}
	for i := range statement.ForeignKeys {
		if _, err := l.AddForeignKey(t, &statement.ForeignKeys[i]); err != nil {
			return err
		}
	}
	return nil
}

// spec puts together what package database is asked for.
func (l Limits) spec(t *Table, key []schema.KeyPart, indexes []tree.IndexDefinition) (database.TableSpec, error) {
	spec := database.TableSpec{Database: t.Database, Name: t.Name, Key: key, PartitionParts: 1,
		Columns: t.schemaColumns(), Cells: t.cells(nil), RecoveryDays: t.RecoveryDays}
	if images, ok := schema.ImagesOf(t.Stream); ok {
		spec.Stream = &images
	}
	var err error
	if spec.Regions, err = t.regionsOf(firstPart(key), t.Options); err != nil {
		return spec, err
	}
	stored, err := json.Marshal(t.toStored())
	if err != nil {
		return spec, err
	}
	spec.Dialect, spec.Rules = map[string]json.RawMessage{Dialect: stored}, t.toStored().rules(t.Database, t.Name)
	for i := range indexes {
		index, err := l.Index(&indexes[i], t)
		if err != nil {
			return spec, err
		}
		spec.Indexes = append(spec.Indexes, index)
		t.Indexes = append(t.Indexes, Index{Name: index.Name,
			Schema: &schema.Index{Name: index.Name, Key: index.Key, Unique: index.Unique, Search: index.Search}})
	}
	return spec, l.indexForeignKeys(t, &spec)
}

// indexForeignKeys adds the indexes by which foreign keys find rows, where there are none. They don't count for the
// limit of indexes.
func (l Limits) indexForeignKeys(t *Table, spec *database.TableSpec) error {
	t.Descriptor = &schema.Table{Primary: schema.Index{Key: spec.Key}}
	for i := range t.ForeignKeys {
		f := &t.ForeignKeys[i]
		if t.Leads(f.Columns) {
			continue
		}
		l.IndexesMax = len(t.Indexes) + 1
		d := indexFor(f)
		index, err := l.Index(&d, t)
		if err != nil {
			return err
		}
		spec.Indexes = append(spec.Indexes, index)
		t.Indexes = append(t.Indexes, Index{Name: index.Name, Schema: &schema.Index{Name: index.Name, Key: index.Key}})
	}
	return nil
}

// declare takes the columns of a CREATE TABLE. Those whose names hold `*` or `?` are wildcards.
func (l Limits) declare(t *Table, columns []tree.ColumnDefinition) error {
	for i := range columns {
		if err := l.declareOne(t, &columns[i]); err != nil {
			return err
		}
	}
	if len(t.Columns) > l.ColumnsMax {
		return fault.New(fault.TooManyColumns)
	}
	return nil
}

func (l Limits) declareOne(t *Table, d *tree.ColumnDefinition) error {
	if isPattern(d.Name) {
		return l.declareWildcard(t, d)
	}
	if _, twice := t.byName[d.Name]; twice {
		return fault.New(fault.ColumnTwice, d.Name)
	}
	c, err := l.column(d)
	if err != nil {
		return err
	}
	t.add(c)
	return l.applyKind(t, []tree.ColumnDefinition{*d})
}

// applyKind gives columns, and their defaults, the types that they have in a table of its kind.
func (l Limits) applyKind(t *Table, declared []tree.ColumnDefinition) error {
	for i := range t.Columns {
		c := &t.Columns[i]
		of := t.kindType(c.Type)
		if of == c.Type {
			continue
		}
		c.Type = of
		for k := range declared {
			if declared[k].Name == c.Name && c.Default != nil {
				if err := l.preset(c, &declared[k]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// kindType makes TIMESTAMP and BOOLEAN those of MySQL in a table of MySQL's kind: an instant, and TINYINT(1).
// LindormTable's hold the time that was written, and a truth value.
func (t *Table) kindType(typed datum.Type) datum.Type {
	switch {
	case !t.InsertFails || typed.Variety != datum.Plain:
	case typed.Base == datum.Timestamp:
		typed.Variety = datum.Zoned
	case typed.Base == datum.Boolean:
		typed = datum.Type{Base: datum.TinyInt, Length: 1}
	}
	return typed
}

// column is a column as DDL declares it.
func (l Limits) column(d *tree.ColumnDefinition) (Column, error) {
	c := Column{Name: d.Name, NotNull: d.NotNull || d.PrimaryKey, KeyPart: -1, Comment: d.Comment}
	c.Invisible = d.Hidden
	if reason := l.nameFault(d.Name); reason != "" && !d.Hidden {
		return c, fault.Message(fault.WrongColumnName, "Incorrect column name '%s': %s", d.Name, reason)
	}
	var err error
	if c.Type, err = l.columnType(d); err != nil {
		return c, err
	}
	if d.Generated != nil {
		c.Generated, c.Virtual = d.Generated, d.Virtual
		if d.Default != nil || d.AutoIncrement || d.OnUpdate != nil {
			return c, fault.Message(codeGeneratedUsage,
				"Incorrect usage of DEFAULT, ON UPDATE or AUTO_INCREMENT and generated column '%s'", d.Name)
		}
	}
	if err = l.preset(&c, d); err != nil || !d.AutoIncrement {
		return c, err
	}
	if d.Default != nil || !counts(c.Type) {
		return c, fault.Message(fault.ColumnSpecifier,
			"Incorrect column specifier for column '%s': AUTO_INCREMENT needs an integer column without a DEFAULT",
			d.Name)
	}
	c.AutoIncrement, c.NotNull = true, true
	return c, nil
}

// columnType checks the lengths of a type and fills in those that were left out.
func (l Limits) columnType(d *tree.ColumnDefinition) (datum.Type, error) {
	t := d.Type
	switch {
	case t.Base == datum.Untyped:
		return t, fault.Message(fault.Syntax, "column '%s' has no type", d.Name)
	case t.Length < 0 || t.Length > l.LengthMax:
		return t, fault.New(fault.ColumnTooLong, d.Name, l.LengthMax)
	case t.Base == datum.DecimalBase && (t.Precision < 0 || t.Precision > decimalDigitsMax):
		return t, fault.Message(codePrecision, "Too-big precision %d specified for '%s'. Maximum is %d.", t.Precision,
			d.Name, decimalDigitsMax)
	case t.Base == datum.DecimalBase && (t.Scale < 0 || t.Scale > t.Precision):
		return t, fault.Message(codeScale, "For float(M,D), double(M,D) or decimal(M,D), M must be >= D (column '%s').",
			d.Name)
	case (t.Base == datum.Char || t.Base == datum.BinaryBase) && t.Length == 0:
		t.Length = 1
	}
	return t, nil
}

// decimalDigitsMax is the precision that DECIMAL may have.
const decimalDigitsMax = 38

func isPattern(name string) bool { return strings.ContainsAny(name, "*?") }

func (l Limits) declareWildcard(t *Table, d *tree.ColumnDefinition) error {
	if reason := l.nameFault(strings.NewReplacer("*", "x", "?", "x").Replace(d.Name)); reason != "" {
		return fault.Message(fault.WrongColumnName, "Incorrect wildcard column '%s': %s", d.Name, reason)
	}
	if d.NotNull || d.PrimaryKey || d.Default != nil || d.AutoIncrement || d.OnUpdate != nil || d.Generated != nil ||
		d.References != nil || len(d.Checks) > 0 {
		return refusal("wildcard column '%s' only takes a type: omit NOT NULL, DEFAULT and PRIMARY KEY", d.Name)
	}
	if slices.ContainsFunc(t.Wildcards, func(w Wildcard) bool { return w.Pattern == d.Name }) {
		return fault.New(fault.ColumnTwice, d.Name)
	}
	typed, err := l.columnType(d)
	t.Wildcards = append(t.Wildcards, Wildcard{Pattern: d.Name, Type: typed})
	return err
}

// checkWhole checks what no part of the statement shows alone.
func (t *Table) checkWhole() error {
	if slices.ContainsFunc(t.Columns, func(c Column) bool { return c.KeyPart < 0 }) || t.Dynamic ||
		len(t.Wildcards) > 0 || t.cells(nil) == nil {
		return nil
	}
	return fault.Message(fault.TableWithoutColumns,
		"A table with TTL, VERSIONS or MUTABILITY must have at least 1 column that is not in the primary key: a row lives as long as the cells of its other columns; "+
			"declare one, or allow dynamic columns with WITH (DYNAMIC_COLUMNS='true')")
}

// schemaColumns are the columns outside the key as all protocols see them. JSON has no type there.
func (t *Table) schemaColumns() []schema.Column {
	var columns []schema.Column
	for i := range t.Columns {
		c := &t.Columns[i]
		if typed, ok := KeyType(c.Type); ok && (c.KeyPart < 0 || t.Key[c.KeyPart].Column != i) {
			columns = append(columns, schema.Column{Name: c.Name, Type: typed})
		}
	}
	return columns
}

// toStored returns SQL's stored definition of the table.
func (t *Table) toStored() *storedTable {
	if t.Families != nil {
		return t.mappedStored()
	}
	s := &storedTable{Options: t.Options, Dynamic: t.Dynamic, Deleting: t.Deleting, InsertFails: t.InsertFails,
		ForeignKeys: t.ForeignKeys, Referrers: t.Referrers, Checks: storedChecks(t.Checks)}
	for i := range t.Columns {
		s.Columns = append(s.Columns, storeColumn(&t.Columns[i]))
	}
	for _, w := range t.Wildcards {
		s.Wildcards = append(s.Wildcards, storedWildcard{w.Pattern, storedType(w.Type)})
	}
	return s
}

func storeColumn(c *Column) storedColumn {
	s := storedColumn{Name: c.Name, Type: storedType(c.Type), NotNull: c.NotNull, DefaultNow: c.DefaultNow,
		Comment: c.Comment, Original: c.Original,
		Auto: c.AutoIncrement, Invisible: c.Invisible, DefaultSQL: expressionText(c.DefaultExpression),
		UpdateNow: c.UpdateNow,
		Generated: expressionText(c.Generated), Virtual: c.Virtual, Zoned: c.Type.Variety == datum.Zoned,
		Microseconds: c.Type.IsTemporal() && c.Type.TimeUnit() == 1}
	if c.Default != nil {
		s.Default = storeDatum(*c.Default)
	}
	return s
}
