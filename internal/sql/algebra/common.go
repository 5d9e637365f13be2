// SPDX-License-Identifier: Apache-2.0

package algebra

import (
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/sql/tree"
)

// commonTables are the common table expressions that a query sees, the innermost first, and the database of names
// without one.
type commonTables struct {
	next     *commonTables
	database string // where next is nil
	table    *commonTable
}

// commonTable is one of WITH.
type commonTable struct {
	*tree.CommonTable
	with      *commonTables // what its query sees
	recursive bool
	outer     *nest // of the query that it stands in
	spool     *Spool
	first     *Derived // the only use so far
	columns   []result.Column
	working   int // inside of its own step: the number of the Recursive, from 1
}

// find finds a common table by its name; nil if there is none.
func (w *commonTables) find(name string) *commonTable {
	for ; w != nil; w = w.next {
		if w.table != nil && w.table.Name == name {
			return w.table
		}
	}
	return nil
}

// home is the database of names without one; "" is the session's.
func (w *commonTables) home() string {
	for ; w != nil; w = w.next {
		if w.next == nil {
			return w.database
		}
	}
	return ""
}

// with reads WITH.
func (c *compiler) with(w *tree.With, outer *nest, with *commonTables) (*commonTables, error) {
	if w == nil {
		return with, nil
	}
	for i := range w.Tables {
		for j := range i {
			if w.Tables[i].Name == w.Tables[j].Name {
				return nil, fault.New(fault.AliasTwice, w.Tables[i].Name)
			}
		}
		t := &commonTable{CommonTable: &w.Tables[i], with: with, recursive: w.Recursive &&
			names(w.Tables[i].Query, w.Tables[i].Name), outer: outer}
		with = &commonTables{next: with, table: t, database: with.home()}
	}
	return with, nil
}

// names reports whether a query reads a table of that name.
func names(q tree.Query, name string) bool {
	switch q := q.(type) {
	case *tree.SetOperation:
		return names(q.Left, name) || names(q.Right, name)
	case *tree.Select:
		return q.From != nil && q.From.Database == "" && q.From.Name == name || namesIn(q.Tables, name)
	}
	return false
}

func namesIn(t tree.TableExpression, name string) bool {
	switch t := t.(type) {
	case *tree.TableName:
		return t.Database == "" && t.Name.Name == name
	case *tree.DerivedTable:
		return names(t.Query, name)
	case *tree.Join:
		return namesIn(t.Left, name) || namesIn(t.Right, name)
	}
	return false
}

// common reads a common table by its name. One that is read several times, or again and again, is kept.
func (s *scope) common(t *commonTable, alias string, nullable bool) (*item, []namedColumn, error) {
	as := derivedScope{alias: alias, columns: t.Columns, with: t.with, nullable: nullable}
	if t.working > 0 {
		return s.workingOf(t, as)
	}
	if plain, ok := t.Query.(*tree.Select); ok && isPlain(plain) {
		return s.addQuery(t.Query, as)
	}
	node := &Derived{Alias: alias}
	if t.spool == nil && t.first == nil {
		b, depends, err := s.commonBlock(t)
		if err != nil {
			return nil, nil, err
		}
		if s.outer != t.outer || len(depends) > 0 {
			t.spool = s.spool(t.Name, b, depends)
		} else {
			node.Block, t.first = b, node
		}
	} else if t.spool == nil {
		t.spool = s.spool(t.Name, t.first.Block, nil)
		t.first.Block, t.first.Spool = nil, t.spool
	}
	b := node.Block
	if t.spool != nil {
		node.Spool, b = t.spool, t.spool.Block
	}
	l, list, err := s.answer(b, as)
	if err != nil {
		return nil, nil, err
	}
	if s.outer != nil && t.spool != nil {
		for _, p := range t.spool.Parameters {
			for _, d := range t.depends() {
				if d.parameter == p {
					s.outer.add(d)
				}
			}
		}
	}
	l.node = func() (Node, error) {
		node.To = l.to()
		return node, nil
	}
	return &item{leaf: l}, list, nil
}

func (t *commonTable) depends() []dependency {
	if t.outer == nil {
		return nil
	}
	return t.outer.depends
}

// commonBlock compiles the query of a common table.
func (s *scope) commonBlock(t *commonTable) (*Block, []dependency, error) {
	var n *nest
	if t.outer != nil {
		n = &nest{of: t.outer.of, within: t.outer}
	}
	var b *Block
	var err error
	if t.recursive {
		b, err = s.recursive(t, n)
	} else {
		b, err = s.compile(t.Query, n, t.with)
	}
	if n == nil || err != nil {
		return b, nil, err
	}
	return b, n.depends, nil
}

// recursive compiles a common table that reads itself: the first part doesn't, the last one does.
func (s *scope) recursive(t *commonTable, n *nest) (*Block, error) {
	union, ok := t.Query.(*tree.SetOperation)
	if !ok || union.Kind != tree.Union || names(union.Left, t.Name) {
		return nil, fault.New(fault.NotSupported,
			"A recursive common table expression that isn't a query without itself UNION one with itself")
	}
	seed, err := s.compile(union.Left, n, t.with)
	if err != nil {
		return nil, err
	}
	s.compiler.working++
	node := &Recursive{Name: t.Name, Seed: seed, Distinct: !union.All, Number: s.compiler.working}
	columns, err := rename(seed.Select.Columns[:seed.Visible], t.Columns)
	if err != nil {
		return nil, err
	}
	for i := range columns {
		columns[i] = result.Column{Name: columns[i].Name, Type: seed.Select.Items[i].Program.Type()}
	}
	inside := &commonTable{CommonTable: t.CommonTable, columns: columns, working: node.Number}
	if node.Step, err = s.compile(union.Right, n,
		&commonTables{next: t.with, table: inside, database: t.with.home()}); err != nil {
		return nil, err
	}
	if node.Step.Visible != seed.Visible {
		return nil, fault.New(fault.WrongNumberOfColumns)
	}
	for i := range columns {
		var convert *evaluate.Program
		if t := node.Step.Select.Items[i].Program.Type(); t.Base != columns[i].Type.Base {
			if convert, err = evaluate.Compile(&tree.Cast{X: &tree.Computed{Slot: i, Type: t}, To: columns[i].Type},
				nil); err != nil {
				convert = nil
			}
		}
		node.StepConvert = append(node.StepConvert, convert)
	}
	return s.over(node, columns, n, t.with,
		&tree.Select{OrderBy: union.OrderBy, Limit: union.Limit, Offset: union.Offset}, func(to []int) { node.To = to })
}

// workingOf reads the rows of the last round.
func (s *scope) workingOf(t *commonTable, as derivedScope) (*item, []namedColumn, error) {
	l := s.addLeaf("", as.alias, t.columns)
	l.node = func() (Node, error) { return &Working{Number: t.working, Alias: as.alias, To: l.to()}, nil }
	list, err := s.show(&visible{name: as.alias, columns: columnsOf(l)})
	return &item{leaf: l}, list, err
}
