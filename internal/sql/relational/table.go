// SPDX-License-Identifier: Apache-2.0

package relational

import (
	"io"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/weftdb/weft/internal/sql/relational/value"
	"github.com/weftdb/weft/internal/sql/tree"
)

// table is a Table as the engine's plans hold it, for one place of one statement. It is not changed once made: with* make copies.
type table struct {
	of        Table
	database  string
	statement *statement
	// columns and schema are all columns, those that the statement's names added last; shown are the positions in them that rows have.
	columns []Column
	schema  sql.Schema
	shown   []int
	pruned  bool // shown is a projection
	where   []tree.Expression
}

var (
	_ sql.ProjectedTable        = (*table)(nil)
	_ sql.IndexAddressableTable = (*table)(nil)
	_ sql.IndexedTable          = (*table)(nil)
	_ sql.PrimaryKeyTable       = (*table)(nil)
	_ sql.StatisticsTable       = (*table)(nil)
	_ sql.CommentedTable        = (*table)(nil)
	_ sql.Databaseable          = (*table)(nil)
	_ sql.InsertableTable       = (*table)(nil)
	_ sql.ReplaceableTable      = (*table)(nil)
	_ sql.UpdatableTable        = (*table)(nil)
	_ sql.DeletableTable        = (*table)(nil)
)

func newTable(of Table, database string, s *statement) *table {
	t := &table{of: of, database: database, statement: s, columns: of.Columns()}
	t.columns = append(t.columns[:len(t.columns):len(t.columns)], s.names.dynamic(database, of)...)
	key := make(map[string]bool)
	for _, name := range of.PrimaryKey() {
		key[name] = true
	}
	t.schema = make(sql.Schema, len(t.columns))
	t.shown = make([]int, len(t.columns))
	for i := range t.columns {
		t.schema[i] = t.engineColumn(&t.columns[i], key[t.columns[i].Name])
		t.shown[i] = i
	}
	return t
}

func (t *table) engineColumn(c *Column, key bool) *sql.Column {
	column := &sql.Column{
		Name: t.statement.names.shown(c.Name), Type: value.EngineType(c.Type, t.statement.writes), Nullable: !c.NotNull && !key,
		Source: t.of.Name(), DatabaseSource: t.database, PrimaryKey: key, Comment: c.Comment,
	}
	if c.Dynamic {
		column.Extra = "DYNAMIC"
	}
	if c.Default != "" {
		column.Default = sql.NewUnresolvedColumnDefaultValue(c.Default)
	}
	return column
}

func (t *table) Name() string               { return t.of.Name() }
func (t *table) String() string             { return t.of.Name() }
func (t *table) Comment() string            { return t.of.Comment() }
func (t *table) Database() string           { return t.database }
func (t *table) Collation() sql.CollationID { return value.TextCollation }
func (t *table) PreciseMatch() bool         { return false }

// Schema are the columns that rows have.
func (t *table) Schema() sql.Schema {
	if !t.pruned {
		return t.schema
	}
	schema := make(sql.Schema, len(t.shown))
	for i, at := range t.shown {
		schema[i] = t.schema[at]
	}
	return schema
}

// PrimaryKeySchema names the key among all columns.
func (t *table) PrimaryKeySchema() sql.PrimaryKeySchema {
	ordinals := make([]int, 0, 4)
	for _, name := range t.of.PrimaryKey() {
		if at := t.position(name); at >= 0 {
			ordinals = append(ordinals, at)
		}
	}
	return sql.PrimaryKeySchema{Schema: t.schema, PkOrdinals: ordinals}
}

func (t *table) position(name string) int {
	for i := range t.columns {
		if t.columns[i].Name == name {
			return i
		}
	}
	return -1
}

// WithProjections keeps the named columns.
func (t *table) WithProjections(names []string) sql.Table {
	pruned := *t
	pruned.pruned, pruned.shown = true, make([]int, 0, len(names))
	for _, name := range names {
		for i, c := range t.schema {
			if strings.EqualFold(c.Name, name) {
				pruned.shown = append(pruned.shown, i)
				break
			}
		}
	}
	return &pruned
}

// Projections are the names of a projection, nil if there is none.
func (t *table) Projections() []string {
	if !t.pruned {
		return nil
	}
	names := make([]string, len(t.shown))
	for i, at := range t.shown {
		names[i] = t.schema[at].Name
	}
	return names
}

// withWhere is the table under further conditions.
func (t *table) withWhere(where []tree.Expression) *table {
	narrowed := *t
	narrowed.where = append(t.where[:len(t.where):len(t.where)], where...)
	return &narrowed
}

// rowsTold are added to what the planner is told that a table has: it reads small tables whole, but whether that is allowed must not hang on their size.
const rowsTold = 1_000_000

// RowCount is for costs, and for information_schema.
func (t *table) RowCount(*sql.Context) (uint64, bool, error) {
	if t.statement.tells {
		return t.of.Rows(), true, nil
	}
	return t.of.Rows() + rowsTold, false, nil
}

func (t *table) DataLength(*sql.Context) (uint64, error) {
	const rowBytes = 100 // a guess: nothing but costs hang on it
	return t.of.Rows() * rowBytes, nil
}

// partition is one scan: of an index's ranges, or of all.
type partition struct{ request ScanRequest }

// Key makes a partition of it.
func (*partition) Key() []byte { return nil }

// Partitions is the scan of all rows that meet the conditions.
func (t *table) Partitions(*sql.Context) (sql.PartitionIter, error) {
	return sql.PartitionsToPartitionIter(&partition{}), nil
}

// LookupPartitions is the scan of an index's ranges. The lookup's ranges change with the next one, so they are read here.
func (t *table) LookupPartitions(ctx *sql.Context, lookup sql.IndexLookup) (sql.PartitionIter, error) {
	if lookup.IsEmptyRange {
		return sql.PartitionsToPartitionIter(), nil
	}
	i, ok := lookup.Index.(*index)
	ranges, is := lookup.Ranges.(sql.MySQLRangeCollection)
	if !ok || !is {
		return t.Partitions(ctx)
	}
	request := ScanRequest{Index: i.of.Name, Reverse: lookup.IsReverse, Ordered: t.statement.ordered && i.ordered()}
	request.Ranges = make([]Range, 0, len(ranges))
	for _, r := range ranges {
		converted, empty, err := i.convert(ctx, r)
		if err != nil {
			return nil, err
		}
		if !empty {
			request.Ranges = append(request.Ranges, converted)
		}
	}
	if len(request.Ranges) == 0 {
		return sql.PartitionsToPartitionIter(), nil
	}
	return sql.PartitionsToPartitionIter(&partition{request: request}), nil
}

// PartitionRows runs a scan.
func (t *table) PartitionRows(ctx *sql.Context, p sql.Partition) (sql.RowIter, error) {
	request := p.(*partition).request
	request.Where, request.AllowFiltering = t.where, t.statement.allowFiltering
	request.Columns = make([]string, len(t.shown))
	for i, at := range t.shown {
		request.Columns[i] = t.columns[at].Name
	}
	rows, err := t.of.Scan(ctx.Context, request)
	if err != nil {
		return nil, err
	}
	return &rowIterator{table: t, rows: rows}, nil
}

// rowIterator turns a scan's rows into the engine's.
type rowIterator struct {
	table *table
	rows  Rows
}

// Next returns the next row, io.EOF after the last.
func (r *rowIterator) Next(ctx *sql.Context) (sql.Row, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	row, err := r.rows.Next()
	if err != nil {
		return nil, err
	}
	t := r.table
	if len(row) < len(t.shown) {
		return nil, io.ErrUnexpectedEOF
	}
	out := make(sql.Row, len(t.shown))
	for i, at := range t.shown {
		if out[i], err = value.ToEngine(ctx, row[i], t.columns[at].Type.Base, t.schema[at].Type); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Close ends the scan.
func (r *rowIterator) Close(*sql.Context) error { return r.rows.Close() }
