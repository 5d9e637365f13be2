// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// A table that was made over HBase has the key ROW and columns family:qualifier, all of bytes. SQL sees each family as
// a wildcard column of VARBINARY; MAP DYNAMIC COLUMN declares a column of a family with the type that its bytes stand
// for. Rows keep the bytes, which HBase's clients read and write; the keys of indexes hold what they stand for, so that
// they are in SQL's order.

const (
	// dialectHBase is the name under which HBase's protocol keeps its part of a descriptor.
	dialectHBase = "hbase"
	// RowKey is the column of an HBase table's row keys.
	RowKey = "ROW"

	mappedTypes = "HLONG, HINTEGER, HSHORT, HFLOAT, HDOUBLE, HSTRING or HBOOLEAN"
)

// readFamilies reads what HBase's protocol keeps with a table of its own.
func (t *Table) readFamilies(d *schema.Table) error {
	raw, ok := d.Dialect[dialectHBase]
	if !ok {
		return nil
	}
	var stored struct{ Families []struct{ Name string } }
	if err := json.Unmarshal(raw, &stored); err != nil {
		return fmt.Errorf("definition: the HBase definition of table %s is damaged: %w", d.Name, err)
	}
	t.Families, t.Dynamic = make([]string, 0, len(stored.Families)), false
	for _, family := range stored.Families {
		t.Families = append(t.Families, family.Name)
		t.Wildcards = append(t.Wildcards,
			Wildcard{Pattern: family.Name + ":*", Type: datum.Type{Base: datum.Varbinary}})
	}
	t.Options = map[string]string{OptionComment: "made over HBase, with the column families " +
		strings.Join(t.Families, ", ")}
	return nil
}

// mappedStored is SQL's part of an HBase table: its mapped columns, and nothing else.
func (t *Table) mappedStored() *storedTable {
	s := &storedTable{}
	for i := range t.Columns {
		if c := &t.Columns[i]; c.IsMapped() {
			s.Columns = append(s.Columns, storedColumn{Name: c.Name, Type: storedType(c.Type)})
		}
	}
	return s
}

// IsMapped reports whether the column is one of an HBase table that MAP DYNAMIC COLUMN declared.
func (c *Column) IsMapped() bool { return c.Type.Codec() != value.AsIs }

// checkFamilies refuses actions of ALTER TABLE that make no sense for an HBase table, and MAP for other tables.
func (t *Table) checkFamilies(action tree.AlterAction) error {
	_, maps := action.(*tree.MapColumn)
	_, compacts := action.(*tree.Compact)
	set, sets := action.(*tree.SetOptions)
	switch {
	case t.Families == nil && maps:
		return refusal("MAP and UNMAP DYNAMIC COLUMN are for tables that were made over HBase, and '%s' was not: write ALTER TABLE %s ADD COLUMN to declare a column's type", t.Name, tree.Quote(t.Name))
	case t.Families != nil && !maps && !compacts && !(sets && journalOnly(set)):
		return refusal("table '%s' was made over HBase, where its families and their settings are changed: ALTER TABLE only takes MAP DYNAMIC COLUMN, UNMAP DYNAMIC COLUMN, SET with STREAM and RECOVERY_DAYS, COMPACT, and ADD and DROP INDEX on mapped columns here",
			t.Name)
	}
	return nil
}

// mapColumn declares how the bytes of a column are read, or takes that back.
func (t *Table) mapColumn(action *tree.MapColumn) error {
	family, qualifier, _ := strings.Cut(action.Name, ":")
	at, known := t.byName[action.Name]
	switch maps := action.Type.Base != datum.Untyped; {
	case !slices.Contains(t.Families, family) || qualifier == "":
		return fault.Message(fault.WrongColumnName,
			"Incorrect column name '%s': write family:qualifier; the families of table '%s' are %s", action.Name,
			t.Name, strings.Join(t.Families, ", "))
	case maps && known:
		return fault.Message(fault.ColumnTwice, "Column '%s' is mapped as %s already: write UNMAP DYNAMIC COLUMN first",
			action.Name, TypeName(t.Columns[at].Type))
	case maps:
		t.add(Column{Name: action.Name, Type: action.Type, KeyPart: -1})
	case !known:
		return fault.Message(fault.DropColumnUnknown, "Can't UNMAP '%s'; check that it is mapped", action.Name)
	default:
		if index := t.indexOf(action.Name); index != "" {
			return refusal("column '%s' can't be unmapped: index '%s' holds it; write DROP INDEX %s ON %s first",
				action.Name, index, tree.Quote(index), tree.Quote(t.Name))
		}
		t.remove(at)
	}
	return nil
}

// CheckMapped is the error of a mapped column whose bytes its type can't read; nil if a row has none there.
func CheckMapped(row value.Row, names value.Names, column []byte, typed datum.Type) error {
	v, ok := row.Get(names, column)
	if !ok {
		return nil
	}
	if _, ok := datum.FromValue(v, typed); ok {
		return nil
	}
	key, _ := row.Get(names, []byte(RowKey))
	return fault.Message(fault.IncorrectValue,
		"Incorrect %s value: %s for column '%s' of the row with %s %s: write bytes that Java's Bytes.toBytes makes, or UNMAP the column and read it as VARBINARY",
		TypeName(typed), bytesText(v), column, RowKey, bytesText(key))
}

// bytesShown is the number of bytes of a value an error shows.
const bytesShown = 64

func bytesText(v value.Value) string {
	if b := v.Bytes(); len(b) > bytesShown {
		return fmt.Sprintf("x'%X..' (%d bytes)", b[:bytesShown], len(b))
	}
	return fmt.Sprintf("x'%X'", v.Bytes())
}
