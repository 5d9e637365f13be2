// SPDX-License-Identifier: Apache-2.0

package relational

import (
	"sort"
	"strings"
	"unicode"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/weftdb/weft/internal/sql/fault"
)

// names are the columns that a statement names beyond what tables declare, and the columns that differ by case alone. The zero value holds
// none.
type names struct {
	undeclared map[string][]Column // by database, a zero byte and the table's name
	// twins are the names of columns that some table of the statement has in several cases, by the name in lower case.
	twins map[string]map[string]bool
}

// caseMark parts a name from the cases of its letters, in what the engine gets to see of twins.
const caseMark = "\x01"

func (n *names) dynamic(database string, of Table) []Column {
	return n.undeclared[database+"\x00"+of.Name()]
}

// shown is the name under which the engine knows a column: it takes names that differ by case for one.
func (n *names) shown(name string) string {
	if len(n.twins) == 0 || !n.twins[strings.ToLower(name)][name] {
		return name
	}
	cases := make([]byte, 0, len(name))
	for _, r := range name {
		if unicode.IsUpper(r) {
			cases = append(cases, '1')
		} else {
			cases = append(cases, '0')
		}
	}
	return name + caseMark + string(cases)
}

func (n *names) original(name string) string { return original(name) }

// original takes the mark off a name.
func original(name string) string {
	bare, _, _ := strings.Cut(name, caseMark)
	return bare
}

// collect finds out what a statement names, and gives twins in it the names under which the engine knows them.
func collect(ctx *sql.Context, s *statement, parsed sqlparser.Statement) (*names, error) {
	c := &collector{ctx: ctx, statement: s, met: make(map[string]*mentioned)}
	c.walk(parsed)
	if c.err != nil {
		return nil, c.err
	}
	found := &names{undeclared: make(map[string][]Column), twins: make(map[string]map[string]bool)}
	for key, m := range c.met {
		found.undeclared[key] = m.columns()
		found.addTwins(m)
	}
	if len(found.twins) > 0 {
		if err := found.rename(parsed); err != nil {
			return nil, err
		}
	}
	return found, nil
}

func (n *names) addTwins(m *mentioned) {
	byLower := make(map[string][]string)
	add := func(columns []Column) {
		for i := range columns {
			lower := strings.ToLower(columns[i].Name)
			byLower[lower] = append(byLower[lower], columns[i].Name)
		}
	}
	add(m.declared)
	add(m.columns())
	for lower, all := range byLower {
		if len(all) < 2 {
			continue
		}
		if n.twins[lower] == nil {
			n.twins[lower] = make(map[string]bool)
		}
		for _, name := range all {
			n.twins[lower][name] = true
		}
	}
}

// rename gives the twins that a statement names the engine's names for them.
func (n *names) rename(parsed sqlparser.Statement) error {
	change := func(name sqlparser.ColIdent) (sqlparser.ColIdent, error) {
		twins := n.twins[name.Lowered()]
		if twins == nil {
			return name, nil
		}
		if !twins[name.String()] {
			return name, fault.New(fault.AmbiguousColumn, name.String(), "field list")
		}
		return sqlparser.NewColIdent(n.shown(name.String())), nil
	}
	return sqlparser.Walk(func(node sqlparser.SQLNode) (more bool, err error) {
		switch node := node.(type) {
		case *sqlparser.ColName:
			node.Name, err = change(node.Name)
		case *sqlparser.Insert:
			for i := range node.Columns {
				if node.Columns[i], err = change(node.Columns[i]); err != nil {
					return false, err
				}
			}
		}
		return true, err
	}, parsed)
}

// mentioned is a table of a statement and the names that it gets to show beyond its declared ones.
type mentioned struct {
	table    Table
	declared []Column
	extra    map[string]Column
}

// want takes a name in; false if the table cannot have it.
func (m *mentioned) want(name string) bool {
	if m.declares(name) {
		return true
	}
	if _, ok := m.extra[name]; ok {
		return true
	}
	column, ok := m.table.Dynamic(name)
	if ok {
		column.Dynamic = true
		m.extra[name] = column
	}
	return ok
}

func (m *mentioned) declares(name string) bool {
	for i := range m.declared {
		if strings.EqualFold(m.declared[i].Name, name) {
			exact := m.declared[i].Name == name
			if exact || !m.caseMatters(name) {
				return true
			}
		}
	}
	return false
}

// caseMatters says whether a dynamic table is asked for a name that differs from a declared one by case: there it may be another column.
func (m *mentioned) caseMatters(name string) bool {
	_, dynamic := m.table.Dynamic(name)
	return dynamic
}

func (m *mentioned) columns() []Column {
	columns := make([]Column, 0, len(m.extra))
	for _, c := range m.extra {
		columns = append(columns, c)
	}
	sort.Slice(columns, func(i, j int) bool { return columns[i].Name < columns[j].Name })
	return columns
}
