// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"context"
	"errors"
	"slices"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/sql/tree"
)

// createAs runs CREATE TABLE .. AS SELECT: the table is made and filled, and dropped again if it can't be filled. A
// table that is there stays as it is.
func (s *Session) createAs(ctx context.Context, read *tree.CreateTable, c *call) error {
	made := *read
	made.Query = nil
	dbName, name, err := s.base(read.Table)
	if err != nil {
		return err
	}
	temporary := database.IsTemporary(dbName)
	if _, err := s.engine.db.TableIn(dbName, name); err == nil {
		return s.schemas(ctx, &made, c)
	}
	columns, err := s.columnsOf(read.Query, c)
	if err != nil {
		return err
	}
	insert := &tree.Insert{Into: read.Table, Query: read.Query, Rule: read.Rule}
	for i := range columns {
		insert.Columns = append(insert.Columns, columns[i].Name)
	}
	made.IfNotExists, made.Columns = false, columnsAs(read.Columns, columns)
	quiet := *c
	quiet.sink = &answer{Sink: &oneRow{}, session: s}
	if err := s.schemas(ctx, &made, &quiet); err != nil {
		return err
	}
	if _, err = s.compileAndRun(ctx, insert, nil, c); err == nil && !temporary {
		return s.commit(ctx)
	}
	if temporary {
		return err // what is there of it is dropped by the caller, once no transaction uses it
	}
	s.rollback()
	return errors.Join(err, s.schemas(context.WithoutCancel(ctx), &tree.DropTable{Tables: []tree.Name{read.Table}},
		&quiet))
}

// columnsOf are the columns of a query's answer.
func (s *Session) columnsOf(read tree.Query, c *call) ([]result.Column, error) {
	st, err := s.compile(read, c)
	if err != nil {
		return nil, err
	}
	return st.(*queryStatement).Columns, nil
}

// columnsAs are the columns of a table made by a query: those that are declared and not the query's, and those of the
// query, as declared or as they are there.
func columnsAs(declared []tree.ColumnDefinition, columns []result.Column) (list []tree.ColumnDefinition) {
	for i := range declared {
		if !slices.ContainsFunc(columns, func(c result.Column) bool { return c.Name == declared[i].Name }) {
			list = append(list, declared[i])
		}
	}
	for i := range columns {
		c := &columns[i]
		if at := slices.IndexFunc(declared, func(d tree.ColumnDefinition) bool { return d.Name == c.Name }); at >= 0 {
			list = append(list, declared[at])
			continue
		}
		t := c.Type
		if t.Base == datum.Untyped {
			t = datum.Type{Base: datum.Varchar}
		}
		list = append(list, tree.ColumnDefinition{Name: c.Name, Type: t, NotNull: c.NotNull})
	}
	return list
}
