// SPDX-License-Identifier: Apache-2.0

package schemas

import (
	"context"
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/result"
)

// Virtual is a table that is made up when it is read, such as information_schema.TABLES. Its name and those of its
// columns are alike in any case of letters.
type Virtual struct {
	Database, Name string
	Columns        []result.Column
	// SchemaColumn and TableColumn are the numbers of the columns with the names of a database and a table; -1 if there
	// is none. Conditions on them spare work: see About.
	SchemaColumn, TableColumn int

	rows func(r *virtualScan) error
}

// About says which rows of a Virtual are wanted: those of one database, and of one table; "" for all. Rows of others
// may come, too.
type About struct{ Schema, Table string }

// virtualScan is a Virtual being read.
type virtualScan struct {
	*call
	about About
	yield func(row []datum.Datum) error
	line  answer
}

// IsVirtual reports whether all tables of a database are virtual.
func IsVirtual(database string) bool { return virtualDatabase(database) != "" }

// virtualDatabases have virtual tables alone. // immutable
var virtualDatabases = [...]string{informationSchema, "performance_schema", "mysql", "sys"}

// virtualDatabase is the name of such a database as clients see it; "" for others.
func virtualDatabase(name string) string {
	for _, one := range virtualDatabases {
		if strings.EqualFold(name, one) {
			return one
		}
	}
	return ""
}

// FindVirtual finds a table of a virtual database. Errors: 1146.
func FindVirtual(database, name string) (*Virtual, error) {
	database = virtualDatabase(database)
	for _, v := range virtualTables() {
		if v.Database == database && strings.EqualFold(v.Name, name) {
			return v, nil
		}
	}
	return nil, fault.New(fault.NoSuchTable, database, name).Meant(name, func(yield func(string) bool) {
		for _, v := range VirtualTables(database) {
			if !yield(v.Name) {
				return
			}
		}
	})
}

// VirtualTables lists the tables of a virtual database by their names.
func VirtualTables(database string) (list []*Virtual) {
	database = virtualDatabase(database)
	for _, v := range virtualTables() {
		if v.Database == database {
			list = append(list, v)
		}
	}
	slices.SortFunc(list, func(a, b *Virtual) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Read hands out the rows of a virtual table. A row is the callee's until it returns. Errors: those of package database
// and of yield, which end the reading.
func (s *Statements) Read(ctx context.Context, v *Virtual, in Session, about About,
	yield func(row []datum.Datum) error) error {
	if v.rows == nil {
		return nil
	}
	if in.Warn == nil {
		in.Warn = func(fault.Code, string) {}
	}
	r := &virtualScan{call: &call{Statements: s, ctx: ctx, session: in}, about: about, yield: yield}
	return v.rows(r)
}

// add hands out one row of answer.add's values.
func (r *virtualScan) add(values ...any) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	r.line.rows = r.line.rows[:0]
	r.line.add(values...)
	return r.yield(r.line.rows[0])
}

// all hands out the rows of an answer.
func (r *virtualScan) all(a *answer) error {
	for _, row := range a.rows {
		if err := r.yield(row); err != nil {
			return err
		}
	}
	return nil
}

// virtual makes a table. columns are names with a colon and what they hold, texts if nothing is said: n for a whole
// number, f for another one, l for a long text, d for a time.
func virtual(database, name, columns string, rows func(r *virtualScan) error) *Virtual {
	v := &Virtual{Database: database, Name: name, SchemaColumn: -1, TableColumn: -1, rows: rows}
	for i, field := range strings.Fields(columns) {
		field, kind, _ := strings.Cut(field, ":")
		column := result.Column{Database: database, Table: name, OriginalTable: name, Name: field, OriginalName: field}
		switch kind {
		case "n":
			column.Type = datum.Type{Base: datum.BigInt}
		case "f":
			column.Type = datum.Type{Base: datum.Double}
		case "d":
			column.Type = datum.Type{Base: datum.Timestamp}
		case "l":
			column.Type = datum.Type{Base: datum.Varchar, Length: textWidth}
		default:
			column.Type = datum.Type{Base: datum.Varchar, Length: nameWidth}
		}
		switch {
		case strings.HasSuffix(field, "SCHEMA") && v.SchemaColumn < 0, field == "SCHEMA_NAME":
			v.SchemaColumn = i
		case field == "TABLE_NAME":
			v.TableColumn = i
		}
		v.Columns = append(v.Columns, column)
	}
	return v
}

// databases calls visit for each database that rows are wanted of.
func (r *virtualScan) databases(visit func(name string) error) error {
	for _, name := range append(r.DB.Databases(), informationSchema) {
		if r.about.Schema != "" && r.about.Schema != name || name != database.DefaultDatabase && !r.sees(name, "") {
			continue
		}
		if err := visit(name); err != nil {
			return err
		}
	}
	return nil
}

// relationsOf calls visit for each table and view that rows are wanted of; those of information_schema are left out.
func (r *virtualScan) relationsOf(visit func(database string, one relation) error) error {
	return r.databases(func(database string) error {
		if database == informationSchema {
			return nil
		}
		_, list, err := r.relations(database)
		if err != nil {
			if f, ok := fault.Of(err); ok && f.Code == fault.UnknownDatabase {
				return nil // dropped meanwhile
			}
			return err
		}
		for _, one := range list {
			if r.about.Table != "" && r.about.Table != one.name {
				continue
			}
			if err := visit(database, one); err != nil {
				return err
			}
		}
		return nil
	})
}
