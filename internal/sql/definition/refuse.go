// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// MySQL's codes that only definitions need.
const (
	codeDatabaseName fault.Code = 1102
	codeTableName    fault.Code = 1103
	codeIndexName    fault.Code = 1280
	codeOnUpdate     fault.Code = 1294
	codePrecision    fault.Code = 1426
	codeForeignKey   fault.Code = 1239
	codeForeignTwice fault.Code = 1826
	codeForeignDrop  fault.Code = 1828
	codeForeignNull  fault.Code = 1830

	codeForeignChange fault.Code = 1832
	codeForeignParent fault.Code = 1833

	codeIndexNeeded fault.Code = 1553
	codeCheckTwice  fault.Code = 3822

	codeGeneratedUsage   fault.Code = 1221
	codeGeneratedOdd     fault.Code = 3102
	codeGeneratedPrior   fault.Code = 3107
	codeGeneratedNeeded  fault.Code = 3108
	codeExpressionNeeded fault.Code = 3837
	codeCheckOdd         fault.Code = 3814
	codeCheckColumn      fault.Code = 3959
	codeScale            fault.Code = 1427
)

// refusal is the error of a statement that MySQL can carry out and a wide table can't.
func refusal(format string, arguments ...any) *fault.Error {
	return fault.Message(fault.NotSupported, format, arguments...)
}

// keyRefusal says why a column of a key stays as it is; "" if it is in no key.
func (t *Table) keyRefusal(name string) string {
	if at, ok := t.byName[name]; ok && t.Columns[at].KeyPart >= 0 {
		return "it is in the primary key of table '" + t.Name +
			"', by which the rows are laid out; " + t.otherKey()
	}
	if index := t.indexOn(name); index != "" {
		return "index '" + index + "' is laid out by it; write DROP INDEX " + index + " ON " + t.Name +
			", and add a column as you want it"
	}
	return ""
}

// otherKey says how a table gets another primary key.
func (t *Table) otherKey() string {
	name, next, old := tree.Quote(t.Name), tree.Quote(t.Name+"_new"), tree.Quote(t.Name+"_old")
	return "write CREATE TABLE " + next + " with the key that you want (SHOW CREATE TABLE " + name +
		" has the rest), INSERT INTO " + next + " SELECT * FROM " + name +
		", and RENAME TABLE " + name + " TO " + old + ", " + next + " TO " + name
}

// refusedAlter words why an action of ALTER TABLE is refused, and what to do instead.
func refusedAlter(action *tree.RefusedAlter) error {
	return refusal("ALTER TABLE .. %s is refused: ALTER TABLE takes ADD COLUMN, DROP COLUMN, SET 'OPTION' = 'value' and COMPACT", action.What)
}

// indexOn names an index whose key has the column, or is computed from it; "" if there is none.
func (t *Table) indexOn(name string) string {
	for i := range t.Indexes {
		for _, p := range t.Indexes[i].Schema.Key {
			for _, a := range p.Args {
				if a.Column == name {
					return t.Indexes[i].Name
				}
			}
		}
	}
	return ""
}
