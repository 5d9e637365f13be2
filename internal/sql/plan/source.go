// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"cmp"
	"slices"

	"github.com/weftdb/weft/internal/data/cell"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// Slot is a column that is read out of each row.
type Slot struct {
	Name      string
	NameBytes []byte // Name, not to be changed
	Type      datum.Type
}

// Source is FROM and WHERE, compiled: what rows of one table a statement is about. It serves SELECT, UPDATE, DELETE and
// package algebra alike. It is not changed once it is made, and may be used by any number of sessions.
type Source struct {
	Table *definition.Table
	// Slots are the columns that expressions of the statement use, in the order of the data of a row.
	Slots []Slot
	// Conjuncts are the conditions of WHERE, all of which must be TRUE of a row. Those that Access.Residual names have
	// to be evaluated.
	Conjuncts []*evaluate.Program

	alias           string
	names           []string // of Slots
	hints           hints
	trees           []tree.Expression // of Conjuncts
	predicates      []predicate
	watched         []predicate // see observed
	keyColumns      map[string]*column
	whereHasColumns bool
	whereColumns    []string
	point           *pointKey // nil: WHERE is no equality on the whole key
	writes          bool      // the statement changes the rows
	statement       func() string
}

// pointKey is a whole primary key, each column bound to one value.
type pointKey struct {
	columns   []*column
	values    []constant
	names     [][]byte
	conjuncts []int // those of values
	rest      []int // other conjuncts
}

// From is FROM and WHERE of a statement about one table, as they are written.
type From struct {
	Table                   *definition.Table
	Alias                   string
	Where                   tree.Expression
	Hints                   []tree.Hint
	ForceIndex, IgnoreIndex []string
	AllowFiltering          bool
	// Writes says that the statement changes the rows.
	Writes bool
	// Statement writes the statement for messages; nil: no text is known.
	Statement func() string
}

// CompileSource compiles FROM and WHERE. More columns may be resolved with Column until the source is first bound.
func CompileSource(q From) (*Source, error) {
	s := &Source{Table: q.Table, alias: q.Alias, writes: q.Writes, statement: q.Statement}
	var err error
	if s.hints, err = readHints(q.Hints, q.ForceIndex, q.IgnoreIndex); err != nil {
		return nil, err
	}
	if err := s.checkVersions(); err != nil {
		return nil, err
	}
	s.hints.allowFiltering = s.hints.allowFiltering || q.AllowFiltering
	s.keyColumns = keyColumns(q.Table)
	r := reader{columns: s.keyColumns, table: q.Table, constant: s.constant}
	for _, e := range conjuncts(s.replaceExpressions(q.Where), nil) {
		program, err := evaluate.Compile(e, s.scope("where clause"))
		if err != nil {
			return nil, err
		}
		s.Conjuncts, s.trees = append(s.Conjuncts, program), append(s.trees, e)
		s.predicates = append(s.predicates, r.read(e, false))
		for _, c := range columnsOf(e) {
			s.noteWhere(c)
		}
	}
	s.watched = s.readObserved(r)
	s.findPoint()
	return s, nil
}

// replaceExpressions puts columns in the place of the expressions that they hold for an index.
func (s *Source) replaceExpressions(where tree.Expression) tree.Expression {
	held := map[string]string{}
	for i := range s.Table.Columns {
		if c := &s.Table.Columns[i]; c.IsExpression() {
			held[string(tree.AppendExpression(nil, c.Generated))] = c.Name
		}
	}
	if len(held) == 0 || where == nil {
		return where
	}
	bare := func(e tree.Expression) tree.Expression {
		if c, ok := e.(*tree.Column); ok && (c.Table == "" || c.Table == s.Name()) {
			return &tree.Column{Name: c.Name}
		}
		return nil
	}
	return tree.Rebuild(where, func(e tree.Expression) tree.Expression {
		switch e.(type) {
		case *tree.Column, *tree.Literal, *tree.Parameter:
			return nil
		}
		if name, ok := held[string(tree.AppendExpression(nil, tree.Rebuild(e, bare)))]; ok {
			return &tree.Column{Name: name}
		}
		return nil
	})
}

// conjuncts are the conditions that a chain of AND joins.
func conjuncts(e tree.Expression, list []tree.Expression) []tree.Expression {
	if e == nil {
		return list
	}
	if both, ok := e.(*tree.Binary); ok && both.Operator == tree.And {
		return conjuncts(both.Right, conjuncts(both.Left, list))
	}
	return append(list, e)
}

// noteWhere remembers a column of WHERE for the advice that a refusal gives.
func (s *Source) noteWhere(c *tree.Column) {
	s.whereHasColumns = true
	if !slices.Contains(s.whereColumns, c.Name) {
		s.whereColumns = append(s.whereColumns, c.Name)
	}
}

// findPoint looks for an equality on every column of the primary key.
func (s *Source) findPoint() {
	p := &pointKey{}
	used := map[string]bool{}
	for i, one := range s.predicates {
		c, ok := one.(*comparison)
		if ok && c.operator == tree.Equal && !used[c.column.name] && s.isPrimary(c.column.name) {
			used[c.column.name] = true
			p.columns, p.values = append(p.columns, c.column), append(p.values, c.value)
			p.names, p.conjuncts = append(p.names, []byte(c.column.name)), append(p.conjuncts, i)
		} else {
			p.rest = append(p.rest, i)
		}
	}
	for i := range s.Table.Descriptor.Primary.Key {
		part := &s.Table.Descriptor.Primary.Key[i]
		if column := part.Column(); column != "" && !used[column] || part.Computed() && !s.follows(part, used) {
			return
		}
	}
	s.point = p
}

func (s *Source) isPrimary(name string) bool {
	return slices.ContainsFunc(s.Table.Descriptor.Primary.Key, func(p schema.KeyPart) bool {
		return slices.ContainsFunc(p.Args, func(a schema.Argument) bool { return a.Column == name })
	})
}

// follows reports whether a computed part is made of columns that have values.
func (s *Source) follows(part *schema.KeyPart, used map[string]bool) bool {
	return part.Hidden || !slices.ContainsFunc(part.Args,
		func(a schema.Argument) bool { return a.Column != "" && !used[a.Column] })
}

// Column resolves a column of the statement to its slot, which it makes if need be. where is the clause, for errors.
// Errors: 1054.
func (s *Source) Column(c *tree.Column, where string) (slot int, t datum.Type, err error) {
	if c.Table != "" && c.Table != s.Name() || !s.isIn(c.Database) {
		return 0, t, fault.New(fault.UnknownColumn, c.String(), where).Meant(c.Table,
			slices.Values([]string{s.Name()}))
	}
	if s.Table.IsTime(c.Name) {
		if err := s.readTimes(); err != nil {
			return 0, t, err
		}
		return s.slot(c.Name, datum.Type{Base: datum.BigInt}), datum.Type{Base: datum.BigInt}, nil
	}
	declared, ok := s.Table.Column(c.Name)
	if !ok {
		if err := definition.CheckCursor(c.Name); err != nil {
			return 0, t, err
		}
		return 0, t, fault.New(fault.UnknownColumn, c.String(), where).Meant(c.Name, s.Table.Names())
	}
	return s.slot(c.Name, declared.Type), declared.Type, nil
}

// readTimes has the rows read with the times of their cells, as the hint _l_versions_(1) does. Errors: 1235, 1210.
func (s *Source) readTimes() error {
	if s.hints.cells != nil {
		return nil
	}
	if s.writes {
		return fault.Message(fault.Unsupported, "the times of cells (columns that end with %s) are read by SELECT only",
			definition.TimeSuffix)
	}
	s.hints.cells = &cell.Select{Times: definition.TimeSuffix, Versions: 1}
	return s.checkVersions()
}

// Want returns the slot of a column by its name, for callers that have no expression; ok is false if the table has no
// such column. It must not be called once the source is in use.
func (s *Source) Want(name string) (slot int, ok bool) {
	slot, _, err := s.Column(&tree.Column{Name: name}, "field list")
	return slot, err == nil
}

func (s *Source) slot(name string, t datum.Type) int {
	if i := slices.Index(s.names, name); i >= 0 {
		return i
	}
	s.names = append(s.names, name)
	s.Slots = append(s.Slots, Slot{Name: name, NameBytes: []byte(name), Type: t})
	return len(s.Slots) - 1
}

// Text writes a condition of WHERE, by its number.
func (s *Source) Text(conjunct int) string {
	return string(tree.AppendExpression(nil, s.trees[conjunct]))
}

// Name is the name that qualifies columns.
func (s *Source) Name() string {
	return cmp.Or(s.alias, s.Table.Name)
}

func (s *Source) text() string {
	if s.statement == nil {
		return ""
	}
	return s.statement()
}

// scope resolves the columns of one clause.
func (s *Source) scope(where string) evaluate.Scope {
	return originScope{&tableOrigin{Source: s}, where}
}

// isIn reports whether a name means the table by that database: "" is any, and a temporary table is in the one where it
// was made, which it doesn't know.
func (s *Source) isIn(name string) bool {
	return name == "" || name == s.Table.Database || database.IsTemporary(s.Table.Database)
}
