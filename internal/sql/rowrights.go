// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"cmp"
	"encoding/base64"
	"slices"

	"github.com/weftdb/weft/internal/security/account"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// rowAccess holds the rows and columns that a statement over one table reads and writes, for the condition keys
// dynamodb:LeadingKeys, dynamodb:Attributes, dynamodb:Select and dynamodb:FullTableScan. Anything that it doesn't show
// is unknown, so that a policy that depends on it allows nothing.
type rowAccess struct {
	columns []string // nil: they can't be told
	star    bool     // all of them are read, by *
	// keys are literals and parameters: each row has one of them in the first column of its key, which is of type
	// leading. nil: unknown.
	keys    []tree.Expression
	leading datum.Type
}

// rowValues are the condition keys of one execution.
type rowValues struct {
	keys    []string // nil: unknown
	columns []string
	star    bool
}

func (r *rowAccess) values(parameters []datum.Datum) *rowValues {
	v := &rowValues{columns: r.columns, star: r.star}
	for _, e := range r.keys {
		key, ok := keyText(e, parameters, r.leading)
		if !ok {
			v.keys = nil
			break
		}
		v.keys = append(v.keys, key)
	}
	return v
}

// keyText is a key's value as conditions of policies have it: a number in digits, bytes in base64. ok is false where
// the comparison would convert the value, so that it could find other rows.
func keyText(e tree.Expression, parameters []datum.Datum, t datum.Type) (text string, ok bool) {
	var d datum.Datum
	switch e := e.(type) {
	case *tree.Literal:
		d = e.Value
	case *tree.Parameter:
		if e.Index >= len(parameters) {
			return "", false
		}
		d = parameters[e.Index]
	}
	stored, err := datum.Store(d, t)
	if text = string(d.AppendText(nil)); err != nil || string(stored.AppendText(nil)) != text {
		return "", false
	}
	switch kind := d.Kind(); {
	case kind == datum.KindBinary && t.IsBinary():
		return base64.StdEncoding.EncodeToString(d.Bytes()), true
	case kind == datum.KindText && t.IsText(), (kind == datum.KindInt || kind == datum.KindUint) && t.IsNumeric():
		return text, true
	}
	return "", false
}

func (v *rowValues) unknown(key string) bool {
	switch key {
	case "dynamodb:leadingkeys":
		return v.keys == nil
	case "dynamodb:attributes":
		return v.columns == nil
	}
	return false
}

func (v *rowValues) of(key string) ([]string, bool) {
	switch key {
	case "dynamodb:leadingkeys":
		return v.keys, true
	case "dynamodb:attributes":
		return v.columns, true
	case "dynamodb:select":
		return []string{map[bool]string{true: "ALL_ATTRIBUTES", false: "SPECIFIC_ATTRIBUTES"}[v.star]}, true
	case "dynamodb:fulltablescan":
		return []string{map[bool]string{true: "true", false: "false"}[v.keys == nil]}, true
	}
	return nil, false
}

// accessCollector collects what a statement says of a table.
type accessCollector struct {
	*rowAccess
	table *definition.Table
	alias string // by which the statement knows it
	whole bool   // columns can't be told
	reads []string
}

// newNaming begins to collect. alias is "" if the table has none.
func newNaming(t *definition.Table, alias string) *accessCollector {
	n := &accessCollector{rowAccess: &rowAccess{}, table: t, alias: cmp.Or(alias, t.Name)}
	if len(t.Key) > 0 && t.Key[0].Column >= 0 {
		n.leading = t.Columns[t.Key[0].Column].Type
	}
	return n
}

// read notes the columns of expressions that are read. Names that are no columns are aliases of what was noted already.
func (n *accessCollector) read(list ...tree.Expression) {
	for _, e := range list {
		tree.Walk(e, func(e tree.Expression) bool {
			switch e := e.(type) {
			case *tree.Column:
				n.note(e.Name)
				n.reads = append(n.reads, e.Name)
			case *tree.Star:
				n.all()
				n.star = true
			}
			if tree.QueryOf(e) != nil {
				n.whole, n.keys = true, nil
			}
			return true
		})
	}
}

// note notes a column that is read or written.
func (n *accessCollector) note(name string) {
	if _, ok := n.table.Column(name); ok && !slices.Contains(n.columns, name) {
		n.columns = append(n.columns, name)
	}
}

// all notes all columns.
func (n *accessCollector) all() {
	n.whole = n.whole || n.table.Dynamic || len(n.table.Wildcards) > 0
	for name := range n.table.Names() {
		n.note(name)
	}
}

// bind finds the values that a condition leaves to the first column of the key: it must be equal to one, or in a list,
// and the rest of the condition be joined by AND.
func (n *accessCollector) bind(where tree.Expression) {
	switch e := where.(type) {
	case *tree.Binary:
		switch {
		case e.Operator == tree.And:
			if n.bind(e.Left); n.keys == nil {
				n.bind(e.Right)
			}
		case e.Operator == tree.Equal && n.isLeading(e.Left) && tree.IsValue(e.Right):
			n.keys = []tree.Expression{e.Right}
		case e.Operator == tree.Equal && n.isLeading(e.Right) && tree.IsValue(e.Left):
			n.keys = []tree.Expression{e.Left}
		}
	case *tree.In:
		if !e.Not && n.isLeading(e.X) &&
			!slices.ContainsFunc(e.List, func(e tree.Expression) bool { return !tree.IsValue(e) }) {
			n.keys = e.List
		}
	}
}

func (n *accessCollector) isLeading(e tree.Expression) bool {
	c, ok := e.(*tree.Column)
	return ok && len(n.table.Key) > 0 && n.table.Key[0].Column >= 0 && c.Name == n.table.Key[0].Name &&
		(c.Table == "" || c.Table == n.alias)
}

// collectedNames returns the collected names.
func (n *accessCollector) collectedNames() *rowAccess {
	if n.whole {
		n.columns = nil
	}
	return n.rowAccess
}

// orders are the expressions of ORDER BY.
func orders(list []tree.Order) (by []tree.Expression) {
	for _, o := range list {
		by = append(by, o.By)
	}
	return by
}

// askSelect asks to read rows.
func (s *Session) askSelect(read *tree.Select, t *definition.Table) error {
	if s.rights.Everything() {
		return nil
	}
	n := newNaming(t, read.Alias)
	for i := range read.List {
		n.read(read.List[i].Expression)
	}
	n.read(append(append(orders(read.OrderBy), read.GroupBy...), read.Where, read.Having)...)
	n.bind(read.Where)
	rows := n.collectedNames()
	err := s.ask(account.Select, t.Database, t.Name, rows)
	if err == nil && read.ForUpdate {
		err = s.askLocks(t.Database, t.Name, rows)
	}
	return err
}

// askChange asks to write rows of one table. A statement that looks at other columns than those of the key reads them,
// too.
func (s *Session) askChange(read tree.Statement, t *definition.Table) error {
	if s.rights.Everything() {
		return nil
	}
	privilege, n := account.Insert, newNaming(t, "")
	switch read := read.(type) {
	case *tree.Insert:
		n.insert(read)
		if err := s.askDuplicates(read, t, n); err != nil {
			return err
		}
	case *tree.Update:
		privilege, n = account.Update, newNaming(t, read.Alias)
		n.read(append(orders(read.OrderBy), read.Where)...)
		n.bind(read.Where)
		n.assign(read.Set)
	case *tree.Delete:
		privilege, n = account.Delete, newNaming(t, read.Alias)
		n.read(append(orders(read.OrderBy), read.Where)...)
		n.bind(read.Where)
	}
	rows := n.collectedNames()
	if err := s.ask(privilege, t.Database, t.Name, rows); err != nil {
		return err
	}
	return s.askReads(n, rows)
}

// askReads asks to read the columns that a statement looks at in order to write.
func (s *Session) askReads(n *accessCollector, rows *rowAccess) error {
	for _, name := range n.reads {
		column, _ := n.table.Column(name)
		if column.KeyPart >= 0 && column.Name != "" && !column.Dynamic {
			continue
		}
		if s.asking == nil || s.may(account.Select, account.Level{Database: n.table.Database, Table: n.table.Name},
			true) {
			return s.ask(account.Select, n.table.Database, n.table.Name, rows)
		}
		at := account.Level{Database: n.table.Database, Table: n.table.Name}
		return s.denial(account.Select, at,
			fault.New(fault.ColumnDenied, account.Select.String(), s.login.User, s.login.Host, name, n.table.Name))
	}
	return nil
}

// assign notes assignments. One to the key moves rows, so that their place does not identify them.
func (n *accessCollector) assign(set []tree.Assignment) {
	for i := range set {
		n.note(set[i].Column)
		n.read(set[i].Value)
		if n.isLeading(&tree.Column{Name: set[i].Column}) {
			n.keys, n.leading = nil, datum.Type{}
		}
	}
}

// insert notes the columns of an INSERT, and the keys of its rows.
func (n *accessCollector) insert(read *tree.Insert) {
	columns := read.Columns
	if len(columns) == 0 {
		n.all()
		columns = slices.Collect(n.table.Names())
	}
	at := -1
	for i, name := range columns {
		if n.note(name); n.isLeading(&tree.Column{Name: name}) {
			at = i
		}
	}
	for _, row := range read.Rows {
		if at < 0 || at >= len(row) || !tree.IsValue(row[at]) {
			n.keys = nil
			break
		}
		n.keys = append(n.keys, row[at])
	}
	if at >= 0 && n.isNumbered(columns[at]) {
		n.keys = nil
	}
}

// isNumbered reports whether a column may get another value than it is given: the next number.
func (n *accessCollector) isNumbered(name string) bool {
	column, _ := n.table.Column(name)
	return column.AutoIncrement
}

// askDuplicates asks for the rights that an INSERT needs on existing rows. These may have other keys where another
// index is unique.
func (s *Session) askDuplicates(read *tree.Insert, t *definition.Table, n *accessCollector) error {
	privilege := duplicatePrivilege(read)
	if privilege == 0 {
		return nil
	}
	n.assign(read.Updates)
	if slices.ContainsFunc(t.Indexes, func(i definition.Index) bool { return i.Schema.Unique }) {
		n.keys = nil
	}
	return s.ask(privilege, t.Database, t.Name, n.collectedNames())
}

// askInsertSelect asks to insert the rows of a query, which nobody knows beforehand.
func (s *Session) askInsertSelect(read *tree.Insert, t *definition.Table) error {
	if err := s.ask(account.Insert, t.Database, t.Name, nil); err != nil {
		return err
	}
	if err := s.ask(duplicatePrivilege(read), t.Database, t.Name, nil); err != nil || s.rights.Everything() {
		return err
	}
	n := newNaming(t, "")
	n.assign(read.Updates)
	return s.askReads(n, nil)
}

// duplicatePrivilege is the privilege that an INSERT needs besides INSERT; 0: none.
func duplicatePrivilege(read *tree.Insert) account.Privileges {
	switch read.Rule {
	case tree.DuplicateUpdate:
		return account.Update
	case tree.ReplaceRow:
		return account.Delete
	}
	return 0
}
