// SPDX-License-Identifier: Apache-2.0

package schemas

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// show answers a SHOW. handled is false for questions that sessions answer.
func (c *call) show(st *tree.Show) (handled bool, err error) {
	if (st.What == "columns" || st.What == "full columns") && c.ViewColumns == nil && c.isView(tableOf(st)) {
		return false, nil
	}
	a, err := c.answerTo(st)
	if err != nil || a == nil {
		return err != nil, err
	}
	return true, c.send(a, st.Like, st.Where)
}

// isView reports whether a name names a view.
func (c *call) isView(name tree.Name) bool {
	name, err := c.resolve(name)
	_, ok := c.DB.StoredViews().Get(name.Database, name.Name)
	return ok && err == nil
}

// answerTo makes the answer; nil is for a question that is not known here.
func (c *call) answerTo(st *tree.Show) (*answer, error) {
	switch st.What {
	case "databases":
		return c.showDatabases()
	case "create database":
		return c.showCreateDatabase(st)
	case "tables", "full tables":
		return c.showTables(st)
	case "table status":
		return c.showTableStatus(st)
	case "open tables":
		return &answer{columns: number(texts("Database", "Table", "In_use", "Name_locked"), 2, 3), by: 1}, nil
	case "columns", "full columns":
		return c.showColumns(st.Table, st.Database, st.What == "full columns")
	case "create table":
		return c.showCreateTable(st)
	case "index":
		return c.showIndex(st)
	case "keys": // MySQL's form
		return c.showKeys(st)
	case "table variables":
		return c.showTableVariables(st)
	case "regions":
		return c.showRegions(st)
	case "estimated rows":
		return c.showEstimatedRows(st)
	}
	return c.showServer(st.What), nil
}

// tableOf is the table of a SHOW, whose database may stand behind a FROM of its own.
func tableOf(st *tree.Show) tree.Name { return inDatabase(st.Table, st.Database) }

func inDatabase(name tree.Name, database string) tree.Name {
	if database != "" {
		name.Database = database
	}
	return name
}

func (c *call) showDatabases() (*answer, error) {
	a := &answer{columns: texts("Database")}
	for _, name := range c.DB.Databases() {
		if name == database.DefaultDatabase || c.sees(name, "") {
			a.add(name)
		}
	}
	a.add(informationSchema)
	return a, nil
}

func (c *call) showCreateDatabase(st *tree.Show) (*answer, error) {
	name := st.Database
	if name == "" {
		name = st.Table.Name
	}
	if !c.hasDatabase(name) {
		return nil, UnknownDatabase(c.DB, name)
	}
	a := &answer{columns: long(texts("Database", "Create Database"), 1)}
	text := "CREATE DATABASE " + tree.Quote(name)
	if mode := c.DB.DatabaseOption(name, definition.DatabaseInsertMode); mode != "" {
		text += " WITH (" + definition.DatabaseInsertMode + "='" + mode + "')"
	} else {
		text += " /*!40100 DEFAULT CHARACTER SET " + definition.CharsetName + " COLLATE " + definition.CollationName +
			" */ /*!80016 DEFAULT ENCRYPTION='N' */"
	}
	a.add(name, text)
	return a, nil
}

// tablesPage is the number of names of tables that are read at once.
const tablesPage = 1000

// relation is a table or a view.
type relation struct {
	name              string
	isView, isVirtual bool
}

// kind is the kind that clients see.
func (r *relation) kind() string {
	switch {
	case r.isView:
		return "VIEW"
	case r.isVirtual:
		return "SYSTEM VIEW"
	}
	return "BASE TABLE"
}

// relations lists a database's tables and views by their names. Errors: 1046, 1049.
func (c *call) relations(database string) (string, []relation, error) {
	if database = c.databaseOf(database); database == "" {
		return "", nil, fault.New(fault.NoDatabase)
	}
	var list []relation
	if IsVirtual(database) {
		for _, v := range VirtualTables(database) {
			list = append(list, relation{name: v.Name, isVirtual: true})
		}
		return virtualDatabase(database), list, nil
	}
	if !c.hasDatabase(database) {
		return "", nil, UnknownDatabase(c.DB, database)
	}
	for after, more := "", true; more; {
		page := c.DB.Tables(database, after, tablesPage)
		for _, after = range page {
			if c.sees(database, after) {
				list = append(list, relation{name: after})
			}
		}
		more = len(page) == tablesPage
	}
	for _, view := range c.DB.StoredViews().List(database) {
		if c.sees(database, view.Name) {
			list = append(list, relation{name: view.Name, isView: true})
		}
	}
	slices.SortFunc(list, func(a, b relation) int { return strings.Compare(a.name, b.name) })
	return database, list, nil
}

func (c *call) showTables(st *tree.Show) (*answer, error) {
	database, list, err := c.relations(st.Database)
	if err != nil {
		return nil, err
	}
	title := "Tables_in_" + database
	if st.Like != nil {
		title += " (" + *st.Like + ")"
	}
	full := st.What == "full tables"
	a := &answer{columns: texts(title)}
	if full {
		a.columns = texts(title, "Table_type")
	}
	for _, one := range list {
		if full {
			a.add(one.name, one.kind())
		} else {
			a.add(one.name)
		}
	}
	return a, nil
}

// viewSecurity is whose rights count when a view is read: those of the reader.
const viewSecurity = "INVOKER"

func (c *call) showTableStatus(st *tree.Show) (*answer, error) {
	database, list, err := c.relations(st.Database)
	if err != nil {
		return nil, err
	}
	a := &answer{columns: number(texts("Name", "Engine", "Version", "Row_format", "Rows", "Avg_row_length",
		"Data_length", "Max_data_length", "Index_length",
		"Data_free", "Auto_increment", "Create_time", "Update_time", "Check_time", "Collation", "Checksum",
		"Create_options", "Comment"), 2, 4, 5, 6, 7, 8, 9, 10, 15)}
	for _, one := range list {
		if st.Like != nil && !isLike(one.name, *st.Like) {
			continue
		}
		if one.isView || one.isVirtual {
			a.add(one.name, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, one.kind())
			continue
		}
		if err := c.addStatus(a, tree.Name{Database: database, Name: one.name}); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// addStatus adds a table's line, unless it was dropped meanwhile.
func (c *call) addStatus(a *answer, name tree.Name) error {
	p, err := c.pin(name)
	if f, ok := fault.Of(err); ok && f.Code == fault.NoSuchTable {
		return nil
	}
	if err != nil {
		return err
	}
	defer p.Release()
	rows, err := p.at.Estimate(c.ctx, "")
	if err != nil {
		return err
	}
	indexed := int64(0)
	for i := range p.Indexes {
		one, err := p.at.Estimate(c.ctx, p.Indexes[i].Name)
		if err != nil {
			return err
		}
		indexed += one.Bytes
	}
	var next any
	if number, err := c.nextNumber(p); err != nil {
		return err
	} else if p.Auto() >= 0 {
		next = int64(min(number, math.MaxInt64))
	}
	created := time.UnixMilli(p.Descriptor.CreatedAtMS).UTC().Format(time.DateTime)
	sizes := []any{rows.Rows, rows.Bytes / max(rows.Rows, 1), rows.Bytes, indexed}
	if !c.seesRows(p) {
		clear(sizes)
	}
	a.add(name.Name, definition.EngineName, 10, "Dynamic", sizes[0], sizes[1], sizes[2], 0, sizes[3], 0, next, created, nil, nil,
		definition.CollationName, nil, "",
		p.Options[definition.OptionComment])
	return nil
}

// ViewStatement is the statement that made a view as MySQL shows it: tools read the algorithm and whose rights count
// from there.
func ViewStatement(statement string) string {
	return "CREATE ALGORITHM=UNDEFINED SQL SECURITY " + viewSecurity + strings.TrimPrefix(statement, "CREATE")
}

func (c *call) showCreateTable(st *tree.Show) (*answer, error) {
	if name := tableOf(st); c.isView(name) {
		view, _ := c.DB.StoredViews().Get(c.databaseOf(name.Database), name.Name)
		a := &answer{columns: long(texts("View", "Create View", "character_set_client", "collation_connection"), 1)}
		a.add(view.Name, ViewStatement(view.Statement), definition.CharsetName, definition.CollationName)
		return a, nil
	}
	if name := tableOf(st); IsVirtual(c.databaseOf(name.Database)) {
		return nil, notSupported("tables of " + virtualDatabase(c.databaseOf(name.Database)) +
			" have no CREATE TABLE: ask for their columns with DESCRIBE")
	}
	p, err := c.pin(tableOf(st))
	if err != nil {
		return nil, err
	}
	defer p.Release()
	a := &answer{columns: long(texts("Table", "Create Table"), 1)}
	next, err := c.nextNumber(p)
	if err != nil {
		return nil, err
	}
	text := definition.Statement(p.Table, next)
	if database.IsTemporary(p.Database) {
		text = strings.Replace(text, "CREATE TABLE", "CREATE TEMPORARY TABLE", 1)
	}
	a.add(p.Name, text)
	return a, nil
}

// nextNumber is the number that AUTO_INCREMENT gives next; 1 where there is none.
func (c *call) nextNumber(p heldDefinition) (uint64, error) {
	if p.Auto() < 0 {
		return 1, nil
	}
	return p.at.NextNumber(c.ctx, database.CounterColumn)
}

// showTableVariables answers with the options of a table.
func (c *call) showTableVariables(st *tree.Show) (*answer, error) {
	p, err := c.pin(tableOf(st))
	if err != nil {
		return nil, err
	}
	defer p.Release()
	a := &answer{columns: long(texts("Variable_name", "Value"), 1)}
	for _, option := range definition.OptionsOf(p.Table) {
		a.add(option.Name, option.Value)
	}
	return a, nil
}

func (c *call) showEstimatedRows(st *tree.Show) (*answer, error) {
	p, err := c.pin(tableOf(st))
	if err != nil {
		return nil, err
	}
	defer p.Release()
	rows, err := p.at.Estimate(c.ctx, "")
	a := &answer{columns: number(texts("ESTIMATED_ROWS"), 0)}
	a.add(rows.Rows)
	return a, err
}
