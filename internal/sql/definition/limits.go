// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// Limits bound what DDL may ask for. The zero value has LindormTable's.
type Limits struct {
	KeyColumnsMax int // of the primary key, and of an index. Default 16.
	// of a table of LindormTable's kind, and as many search indexes; one of MySQL's kind has MySQL's 64 of all kinds.
	// Default 5.
	IndexesMax   int
	ColumnsMax   int // declared ones, the key's among them. Default 4,096.
	NameBytesMax int // of a database's, table's, index's or column's name. Default 255.
	LengthMax    int // of VARCHAR(n), CHAR(n) and BINARY(n). Default 2 MiB, the size of a value.
	// Compiles returns the type of an expression over a row of a table, or the reason why it can't be computed; without
	// a table, before there is a row. Default: nothing is checked.
	Compiles func(t *Table, e tree.Expression) (datum.Type, error)
	// Rewritten says that rows are written anew for a column that gets a type which can't take over its values.
	// Default: it is refused.
	Rewritten bool
}

func (l Limits) withDefaults() Limits {
	or := func(value *int, otherwise int) {
		if *value == 0 {
			*value = otherwise
		}
	}
	or(&l.KeyColumnsMax, 16)
	or(&l.IndexesMax, 5)
	or(&l.ColumnsMax, 4096)
	or(&l.NameBytesMax, 255)
	or(&l.LengthMax, 2<<20)
	return l
}

// mysqlIndexesMax is MySQL's own limit.
const mysqlIndexesMax = 64

// IndexesOf lists the indexes of a table that a new one has to share its room with, and how many these may be at most.
// LindormTable keeps search indexes elsewhere, and counts them apart.
func (l Limits) IndexesOf(t *Table, search bool) (names []string, most int) {
	l = l.withDefaults()
	most = l.IndexesMax
	if t.InsertFails {
		most = max(most, mysqlIndexesMax)
	}
	for i := range t.Indexes {
		if x := &t.Indexes[i]; t.InsertFails || x.Schema.Search == search {
			names = append(names, x.Name)
		}
	}
	return names, most
}

// nameFault says what is wrong with a name; "" if nothing is. As in MySQL, a name in backticks has any characters but
// control characters, and no space at its end. Names that begin with an exclamation mark belong to hidden columns.
func (l Limits) nameFault(name string) string {
	switch {
	case name == "":
		return "it is empty"
	case len(name) > l.withDefaults().NameBytesMax:
		return "it is too long"
	case name[0] == '!':
		return "it begins with an exclamation mark"
	case strings.HasSuffix(name, " "):
		return "it ends with a space"
	case !utf8.ValidString(name) || strings.IndexFunc(name, unicode.IsControl) >= 0:
		return "it has control characters"
	}
	return ""
}

// CheckTableName refuses a name that no table may have. Errors: 1103.
func (l Limits) CheckTableName(name string) error {
	if reason := l.nameFault(name); reason != "" {
		return fault.Message(codeTableName, "Incorrect table name '%s': %s", name, reason)
	}
	return nil
}

// CheckIndexName refuses a name that no index may have. Errors: 1280.
func (l Limits) CheckIndexName(name string) error {
	if reason := l.nameFault(name); reason != "" {
		return fault.Message(codeIndexName, "Incorrect index name '%s': %s", name, reason)
	}
	return nil
}

// CheckDatabaseName refuses a name that no database may have. Errors: 1102.
func (l Limits) CheckDatabaseName(name string) error {
	if reason := l.nameFault(name); reason != "" {
		return fault.Message(codeDatabaseName, "Incorrect database name '%s': %s", name, reason)
	}
	return nil
}
