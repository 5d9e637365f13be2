// SPDX-License-Identifier: Apache-2.0

package schemas

import (
	"slices"
	"strings"
	"time"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/sql/tree"
)

// catalogName is MySQL's name of the only catalogue.
const catalogName = "def"

// informationTables are the tables of information_schema that tell of databases and their tables, with MySQL 8's
// columns.
func informationTables() []*Virtual {
	return []*Virtual{
		virtual(informationSchema, "SCHEMATA",
			"CATALOG_NAME SCHEMA_NAME DEFAULT_CHARACTER_SET_NAME DEFAULT_COLLATION_NAME SQL_PATH DEFAULT_ENCRYPTION",
			(*virtualScan).schemata),
		virtual(informationSchema, "TABLES", `TABLE_CATALOG TABLE_SCHEMA TABLE_NAME TABLE_TYPE ENGINE VERSION:n ROW_FORMAT TABLE_ROWS:n AVG_ROW_LENGTH:n DATA_LENGTH:n
			MAX_DATA_LENGTH:n INDEX_LENGTH:n DATA_FREE:n AUTO_INCREMENT:n CREATE_TIME:d UPDATE_TIME:d CHECK_TIME:d TABLE_COLLATION CHECKSUM:n CREATE_OPTIONS
			TABLE_COMMENT:l`, (*virtualScan).tables),
		virtual(informationSchema, "COLUMNS", `TABLE_CATALOG TABLE_SCHEMA TABLE_NAME COLUMN_NAME ORDINAL_POSITION:n COLUMN_DEFAULT:l IS_NULLABLE DATA_TYPE:l
			CHARACTER_MAXIMUM_LENGTH:n CHARACTER_OCTET_LENGTH:n NUMERIC_PRECISION:n NUMERIC_SCALE:n DATETIME_PRECISION:n CHARACTER_SET_NAME COLLATION_NAME
			COLUMN_TYPE:l COLUMN_KEY EXTRA PRIVILEGES COLUMN_COMMENT:l GENERATION_EXPRESSION:l SRS_ID:n`, (*virtualScan).columns),
		virtual(informationSchema, "STATISTICS", `TABLE_CATALOG TABLE_SCHEMA TABLE_NAME NON_UNIQUE:n INDEX_SCHEMA INDEX_NAME SEQ_IN_INDEX:n COLUMN_NAME COLLATION
			CARDINALITY:n SUB_PART:n PACKED NULLABLE INDEX_TYPE COMMENT INDEX_COMMENT:l IS_VISIBLE EXPRESSION:l`, (*virtualScan).statistics),
		virtual(informationSchema, "KEY_COLUMN_USAGE", `CONSTRAINT_CATALOG CONSTRAINT_SCHEMA CONSTRAINT_NAME TABLE_CATALOG TABLE_SCHEMA TABLE_NAME COLUMN_NAME
			ORDINAL_POSITION:n POSITION_IN_UNIQUE_CONSTRAINT:n REFERENCED_TABLE_SCHEMA REFERENCED_TABLE_NAME REFERENCED_COLUMN_NAME`, (*virtualScan).keyColumns),
		virtual(informationSchema, "TABLE_CONSTRAINTS",
			"CONSTRAINT_CATALOG CONSTRAINT_SCHEMA CONSTRAINT_NAME TABLE_SCHEMA TABLE_NAME CONSTRAINT_TYPE ENFORCED",
			(*virtualScan).constraints),
		virtual(informationSchema, "REFERENTIAL_CONSTRAINTS", `CONSTRAINT_CATALOG CONSTRAINT_SCHEMA CONSTRAINT_NAME UNIQUE_CONSTRAINT_CATALOG UNIQUE_CONSTRAINT_SCHEMA
			UNIQUE_CONSTRAINT_NAME MATCH_OPTION UPDATE_RULE DELETE_RULE TABLE_NAME REFERENCED_TABLE_NAME`, (*virtualScan).referential),
		virtual(informationSchema, "CHECK_CONSTRAINTS",
			"CONSTRAINT_CATALOG CONSTRAINT_SCHEMA CONSTRAINT_NAME CHECK_CLAUSE:l", (*virtualScan).checks),
		virtual(informationSchema, "VIEWS", `TABLE_CATALOG TABLE_SCHEMA TABLE_NAME VIEW_DEFINITION:l CHECK_OPTION IS_UPDATABLE DEFINER SECURITY_TYPE
			CHARACTER_SET_CLIENT COLLATION_CONNECTION`, (*virtualScan).views),
		virtual(informationSchema, "PARTITIONS", `TABLE_CATALOG TABLE_SCHEMA TABLE_NAME PARTITION_NAME SUBPARTITION_NAME PARTITION_ORDINAL_POSITION:n
			SUBPARTITION_ORDINAL_POSITION:n PARTITION_METHOD SUBPARTITION_METHOD PARTITION_EXPRESSION SUBPARTITION_EXPRESSION PARTITION_DESCRIPTION:l TABLE_ROWS:n
			AVG_ROW_LENGTH:n DATA_LENGTH:n MAX_DATA_LENGTH:n INDEX_LENGTH:n DATA_FREE:n CREATE_TIME:d UPDATE_TIME:d CHECK_TIME:d CHECKSUM:n PARTITION_COMMENT:l
			NODEGROUP TABLESPACE_NAME`, nil),
	}
}

func (r *virtualScan) schemata() error {
	return r.databases(func(database string) error {
		return r.add(catalogName, database, definition.CharsetName, definition.CollationName, nil, "NO")
	})
}

func (r *virtualScan) tables() error {
	if r.about.Schema == "" || r.about.Schema == informationSchema {
		for _, v := range VirtualTables(informationSchema) {
			if err := r.add(catalogName, v.Database, v.Name, "SYSTEM VIEW", nil, 10, nil, 0, 0, 0, 0, 0, 0, nil, nil,
				nil, nil, nil, nil, "", ""); err != nil {
				return err
			}
		}
	}
	return r.relationsOf(func(database string, one relation) error {
		if one.isView {
			return r.add(catalogName, database, one.name, "VIEW", nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil,
				nil, nil, nil, nil, nil, "VIEW")
		}
		a := &answer{}
		if err := r.addStatus(a, tree.Name{Database: database, Name: one.name}); err != nil || len(a.rows) == 0 {
			return err
		}
		s := a.rows[0] // of SHOW TABLE STATUS: Name, Engine, Version, Row_format, Rows, ..
		return r.add(catalogName, database, one.name, "BASE TABLE", s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8],
			s[9], s[10], timeOf(s[11]), s[12], s[13], s[14], s[15], s[16], s[17])
	})
}

// timeOf reads the time of SHOW TABLE STATUS.
func timeOf(d datum.Datum) datum.Datum {
	at, err := time.Parse(time.DateTime, string(d.Bytes()))
	if err != nil {
		return datum.Null
	}
	return datum.TimestampUS(at.UnixMilli() * 1000)
}

func (r *virtualScan) columns() error {
	if r.about.Schema == "" || r.about.Schema == informationSchema {
		for _, v := range VirtualTables(informationSchema) {
			if err := r.columnsOf(v.Database, v.Name, v.Columns); err != nil {
				return err
			}
		}
	}
	return r.relationsOf(func(database string, one relation) error {
		if one.isView {
			return r.viewColumns(database, one.name)
		}
		a, err := r.showColumns(tree.Name{Database: database, Name: one.name}, "", true)
		if isMissing(err) {
			return nil
		}
		if err != nil {
			return err
		}
		p, err := r.pin(tree.Name{Database: database, Name: one.name})
		if err != nil {
			return nil // dropped meanwhile
		}
		defer p.Release()
		// of SHOW FULL COLUMNS: Field, Type, Collation, Null, Key, Default, Extra, Privileges, Comment
		for i, s := range a.rows {
			column, _ := p.Column(string(s[0].Bytes()))
			if err := r.column(database, one.name, i, s, column.Type, column.GeneratedText()); err != nil {
				return err
			}
		}
		return nil
	})
}

// viewColumns returns the columns of a view's query.
func (r *virtualScan) viewColumns(database, name string) error {
	if r.ViewColumns == nil {
		return nil
	}
	columns, err := r.ViewColumns(r.ctx, r.session, tree.Name{Database: database, Name: name})
	if err != nil {
		return r.ctx.Err() // a view of what is no longer there has no columns
	}
	return r.columnsOf(database, name, columns)
}

// columnsOf hands out columns that are no table's own.
func (r *virtualScan) columnsOf(database, table string, columns []result.Column) error {
	a := describeColumns(columns, true)
	for i, s := range a.rows {
		if err := r.column(database, table, i, s, columns[i].Type, ""); err != nil {
			return err
		}
	}
	return nil
}

// describeColumns is SHOW [FULL] COLUMNS of columns that are no table's own.
func describeColumns(columns []result.Column, full bool) *answer {
	a := &answer{columns: long(texts("Field", "Type", "Null", "Key", "Default", "Extra"), 4)}
	if full {
		a.columns = long(texts("Field", "Type", "Collation", "Null", "Key", "Default", "Extra", "Privileges",
			"Comment"), 5, 8)
	}
	for i := range columns {
		c := &columns[i]
		null := nullWord(&definition.Column{NotNull: c.NotNull})
		if full {
			a.add(c.Name, TypeText(c.Type), collationOf(c.Type), null, "", nil, "", privileges, "")
		} else {
			a.add(c.Name, TypeText(c.Type), null, "", nil, "")
		}
	}
	return a
}

// column hands out a line of SHOW FULL COLUMNS as one of COLUMNS.
func (r *virtualScan) column(database, table string, at int, s []datum.Datum, t datum.Type, generated string) error {
	if t.Base == datum.Boolean && t.Variety == datum.Plain { // which clients know by MySQL's name alone
		s = slices.Clone(s)
		s[1] = datum.TextString("tinyint(1)")
	}
	word, _, _ := strings.Cut(string(s[1].Bytes()), "(")
	word, _, _ = strings.Cut(word, " ")
	characters, octets, precision, scale, fraction := shapeOf(word, t)
	var charset any
	if !s[2].IsNull() {
		charset = definition.CharsetName
	}
	return r.add(catalogName, database, table, s[0], at+1, s[5], s[3], word, characters, octets, precision, scale,
		fraction, charset, s[2], s[1], s[4], s[6], s[7], s[8], generated, nil)
}

// precisions are the digits that information_schema gives for types of numbers. // immutable
var precisions = map[string]int{"tinyint": 3, "smallint": 5, "mediumint": 7, "int": 10, "bigint": 19, "float": 12,
	"double": 22}

// textOctetsMax is the length of texts and binaries whose type has none, or a longer one: no value is longer.
const textOctetsMax = 2 << 20

// shapeOf returns the lengths of a type for COLUMNS; nil is NULL.
func shapeOf(word string, t datum.Type) (characters, octets, precision, scale, fraction any) {
	switch word {
	case "decimal":
		digits := t.Precision
		if digits == 0 {
			digits = 38
		}
		return nil, nil, digits, t.Scale, nil
	case "tinyint", "smallint", "mediumint", "int", "bigint":
		return nil, nil, precisions[word], 0, nil
	case "float", "double":
		return nil, nil, precisions[word], nil, nil
	case "bit":
		return nil, nil, max(t.Length, 1), nil, nil
	case "datetime", "timestamp", "time":
		return nil, nil, nil, nil, t.FractionDigits()
	}
	if !t.IsText() && !t.IsBinary() {
		return nil, nil, nil, nil, nil
	}
	characters, octets = textOctetsMax, textOctetsMax
	if most, bytes := t.Sizes(); most > 0 {
		characters, octets = min(most, textOctetsMax), min(bytes, textOctetsMax)
	}
	return characters, octets, nil, nil, nil
}

// isMissing says that a table is not there.
func isMissing(err error) bool {
	f, ok := fault.Of(err)
	return ok && f.Code == fault.NoSuchTable
}

// keysOf calls visit for the lines of SHOW KEYS of the tables that rows are wanted of: Table, Non_unique, Key_name,
// Seq_in_index, Column_name, Collation, Cardinality, Sub_part, Packed, Null, Index_type, Comment, Index_comment,
// Visible, Expression. Behind them it calls more for the table.
func (r *virtualScan) keysOf(visit func(database string, key []datum.Datum) error,
	more func(t *definition.Table) error) error {
	return r.relationsOf(func(database string, one relation) error {
		if one.isView {
			return nil
		}
		a, err := r.showKeys(&tree.Show{Table: tree.Name{Database: database, Name: one.name}})
		if isMissing(err) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, key := range a.rows {
			if err := visit(database, key); err != nil {
				return err
			}
		}
		p, err := r.pin(tree.Name{Database: database, Name: one.name})
		if err != nil {
			return nil // dropped meanwhile
		}
		defer p.Release()
		return more(p.Table)
	})
}

func (r *virtualScan) statistics() error {
	return r.keysOf(func(database string, k []datum.Datum) error {
		return r.add(catalogName, database, k[0], k[1], database, k[2], k[3], k[4], k[5], k[6], k[7], k[8], k[9], k[10],
			k[11], k[12], k[13], k[14])
	}, func(*definition.Table) error { return nil })
}

// isUnique reports whether a line of SHOW KEYS is of a key that holds each value once.
func isUnique(key []datum.Datum) bool { return key[1].NumberInt() == 0 }

func (r *virtualScan) keyColumns() error {
	return r.keysOf(func(database string, k []datum.Datum) error {
		if !isUnique(k) || k[4].IsNull() {
			return nil
		}
		return r.add(catalogName, database, k[2], catalogName, database, k[0], k[4], k[3], nil, nil, nil, nil)
	}, func(t *definition.Table) error {
		for _, f := range t.ForeignKeys {
			for i, column := range f.Columns {
				if err := r.add(catalogName, t.Database, f.Name, catalogName, t.Database, t.Name, column, i+1, i+1,
					f.Database, f.Table, f.References[i]); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// referential tells of the foreign keys.
func (r *virtualScan) referential() error {
	return r.keysOf(func(string, []datum.Datum) error { return nil }, func(t *definition.Table) error {
		for _, f := range t.ForeignKeys {
			if err := r.add(catalogName, t.Database, f.Name, catalogName, f.Database, r.uniqueOf(&f), "NONE",
				definition.Rule(f.OnUpdate), definition.Rule(f.OnDelete), t.Name, f.Table); err != nil {
				return err
			}
		}
		return nil
	})
}

// checks tells of the checks.
func (r *virtualScan) checks() error {
	return r.keysOf(func(string, []datum.Datum) error { return nil }, func(t *definition.Table) error {
		for i := range t.Checks {
			if err := r.add(catalogName, t.Database, t.Checks[i].Name,
				"("+t.Checks[i].ConditionText()+")"); err != nil {
				return err
			}
		}
		return nil
	})
}

// uniqueOf is the name of the key that a foreign key refers to; nil if its table is not there.
func (r *virtualScan) uniqueOf(f *definition.ForeignKey) any {
	parent, err := r.pin(tree.Name{Database: f.Database, Name: f.Table})
	if err != nil {
		return nil
	}
	defer parent.Release()
	if index, _ := parent.UniqueOf(f.References); index != "" {
		return index
	}
	return definition.PrimaryName
}

func (r *virtualScan) constraints() error {
	return r.keysOf(func(database string, k []datum.Datum) error {
		if !isUnique(k) || k[3].NumberInt() != 1 {
			return nil
		}
		kind := "UNIQUE"
		if string(k[2].Bytes()) == definition.PrimaryName {
			kind = "PRIMARY KEY"
		}
		return r.add(catalogName, database, k[2], database, k[0], kind, "YES")
	}, func(t *definition.Table) error {
		for _, f := range t.ForeignKeys {
			if err := r.add(catalogName, t.Database, f.Name, t.Database, t.Name, "FOREIGN KEY", "YES"); err != nil {
				return err
			}
		}
		for _, check := range t.Checks {
			enforced := "YES"
			if check.NotEnforced {
				enforced = "NO"
			}
			if err := r.add(catalogName, t.Database, check.Name, t.Database, t.Name, "CHECK", enforced); err != nil {
				return err
			}
		}
		return nil
	})
}

func (r *virtualScan) views() error {
	return r.databases(func(database string) error {
		for _, view := range r.DB.StoredViews().List(database) {
			if !r.sees(database, view.Name) {
				continue
			}
			query := view.Query
			if r.session.SeesQuery != nil && !r.session.SeesQuery(database, view.Name) {
				query = ""
			}
			if err := r.add(catalogName, database, view.Name, query, "NONE", "NO", r.session.User+"@%", viewSecurity,
				definition.CharsetName, definition.CollationName); err != nil {
				return err
			}
		}
		return nil
	})
}
