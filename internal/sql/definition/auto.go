// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// What an INSERT does when the key already exists.
const (
	insertUpsert = "upsert"
	insertError  = "error"
)

func insertMode(fails bool) string {
	if fails {
		return insertError
	}
	return insertUpsert
}

// DatabaseInsertMode is the option of a database which says what INSERTs into its tables do about a key that is there:
// "upsert", "error", or "" for what each table says.
const DatabaseInsertMode = optionInsert

// DatabaseOptions reads the options of CREATE and ALTER DATABASE. given reports whether INSERT_MODE is among them.
// Errors: *fault.Error.
func DatabaseOptions(options []tree.Option) (mode string, given bool, err error) {
	for _, o := range options {
		name, value := strings.ToUpper(o.Name), strings.ToLower(o.Value)
		switch {
		case name == optionInsert && (value == insertUpsert || value == insertError):
			mode, given = value, true
		case name == optionInsert && value == "table":
			mode, given = "", true
		case name == optionInsert:
			return "", false, refusal("INSERT_MODE of a database is 'upsert', 'error', or 'table' for what each table says, not '%s'", o.Value)
		case !isForeignOption(name) && name != OptionComment && name != "ENCRYPTION":
			return "", false, refusal("a database has no option %s: it has INSERT_MODE", name)
		}
	}
	return mode, given, nil
}

// insertsFail reports whether an INSERT of a key that is there fails: in a table made as MySQL's are, without options
// of LindormTable's, unless INSERT_MODE says otherwise.
func (t *Table) insertsFail(options []tree.Option) bool {
	plain := !t.Dynamic && len(t.Wildcards) == 0
	for _, o := range options {
		switch name := strings.ToUpper(o.Name); {
		case name == optionInsert:
			return t.InsertFails // it was set
		case !isForeignOption(name) && name != OptionComment && !isJournalOption(name):
			plain = false
		}
	}
	return plain
}

// RowID is the name of the key of a table that was made without one. It is MySQL's.
const RowID = "my_row_id"

// addRowID gives a table without a primary key one that nobody sees, if the table is made as MySQL's are.
func (t *Table) addRowID(statement *tree.CreateTable) ([]tree.KeyElement, error) {
	if err := t.setOptions(statement.Options, true); err != nil {
		return nil, err
	}
	if _, taken := t.byName[RowID]; taken || !t.insertsFail(statement.Options) {
		return nil, fault.Message(fault.PrimaryKeyMissing,
			"This table type requires a primary key: write it behind the columns, as in CREATE TABLE %s (id BIGINT, name VARCHAR, PRIMARY KEY (id)) WITH (..)", t.Name)
	}
	t.add(Column{Name: RowID, Type: datum.Type{Base: datum.BigInt}, NotNull: true, KeyPart: -1, Invisible: true})
	return []tree.KeyElement{{Column: RowID}}, nil
}

// IsRowID reports whether the column is the key of a table that was made without one.
func (c *Column) IsRowID() bool { return c.Invisible && c.Generated == nil }

// HasRowID reports whether the table was made without a primary key.
func (t *Table) HasRowID() bool {
	return slices.ContainsFunc(t.Columns, func(c Column) bool { return c.IsRowID() })
}

// Auto is the position in Columns of the one with AUTO_INCREMENT; -1 if there is none.
func (t *Table) Auto() int {
	return slices.IndexFunc(t.Columns, func(c Column) bool { return c.AutoIncrement })
}

// counts reports whether a column of the type can have AUTO_INCREMENT.
func counts(t datum.Type) bool {
	switch t.Base {
	case datum.TinyInt, datum.SmallInt, datum.Integer, datum.BigInt, datum.BigIntUnsigned:
		return true
	}
	return false
}

// checkAuto wants one AUTO_INCREMENT column at most, in the primary key or first in an index.
func (t *Table) checkAuto(spec *database.TableSpec) error {
	at := t.Auto()
	if at < 0 {
		return nil
	}
	keyed := t.Columns[at].KeyPart >= 0
	for i := range spec.Indexes {
		keyed = keyed || !spec.Indexes[i].Search && spec.Indexes[i].Key[0].Column() == t.Columns[at].Name
	}
	if !keyed || slices.ContainsFunc(t.Columns[at+1:], func(c Column) bool { return c.AutoIncrement }) {
		return fault.New(fault.AutoKey)
	}
	return nil
}

// indexesOf are the indexes that a CREATE TABLE asks for: those of columns declared UNIQUE come first.
func indexesOf(statement *tree.CreateTable) (indexes []tree.IndexDefinition) {
	for i := range statement.Columns {
		if c := &statement.Columns[i]; c.Unique {
			indexes = append(indexes, tree.IndexDefinition{Unique: true,
				Key: []tree.KeyElement{{Column: c.Name, At: c.At}}, At: c.At})
		}
	}
	return append(indexes, statement.Indexes...)
}

// Duplicate is the error for a row whose values in a unique index another row has.
func (t *Table) Duplicate(e *database.DuplicateError) error {
	texts := make([]string, len(e.Values))
	for k, v := range e.Values {
		column, _ := t.Column(e.Columns[k])
		if d, ok := datum.FromValue(v, column.Type); ok {
			texts[k] = string(d.AppendText(nil))
		}
	}
	return fault.Because(e, fault.DuplicateEntry, strings.Join(texts, "-"),
		t.Name+"."+strings.TrimPrefix(e.Index, retypedPrefix))
}
