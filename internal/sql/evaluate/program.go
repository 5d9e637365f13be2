// SPDX-License-Identifier: Apache-2.0

// Package evaluate computes SQL's expressions and aggregates over rows that it is handed. An expression is compiled
// once, into a Program that many sessions may run at the same time; what a run keeps, such as texts that functions made
// and patterns it compiled, is in its Context.
//
// Logic has three values: a condition is true, false or NULL. Parts that don't depend on the row are computed once for
// each execution.
//
// # Aggregate queries
//
// A caller that runs a query with aggregates finds them with Aggregates, compiles each with NewAggregate over the
// columns of the table, and the keys of GROUP BY with Compile. For each group it keeps one Accumulator for each
// aggregate. The select list, HAVING and ORDER BY are compiled by CompileGrouped: its programs run over a row that
// holds the group's keys, then the results of its aggregates.
//
// Knows: expressions, functions, aggregates.
// Never: syntax, tables, statements, where rows come from.
package evaluate

import (
	"slices"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/evaluate/function"
	"github.com/weftdb/weft/internal/sql/tree"
)

// Scope finds what a column's name stands for: its place in Context.Row, and its type. Its error is the statement's.
type Scope interface {
	Resolve(c *tree.Column) (slot int, t datum.Type, err error)
}

// ValuesScope is a Scope that knows VALUES(column), too, the value that an INSERT would have given.
type ValuesScope interface {
	Scope
	ResolveValues(column string) (slot int, t datum.Type, err error)
}

// ParameterScope is a Scope that knows the types of parameters.
type ParameterScope interface {
	Scope
	ParameterType(index int) datum.Type
}

// Zone is a time zone.
type Zone = function.Zone

// Session answers the questions of functions and variables about the session.
type Session = function.Session

// Context holds the inputs of programs: the current row, and the state of one execution of a statement. It serves one
// goroutine at a time, and any number of programs. Begin starts an execution, Reset a row.
type Context struct {
	// Row holds the columns under their slots. Whoever runs programs sets it.
	Row []datum.Datum
	// Parameters are the execution's; Begin sets them.
	Parameters []datum.Datum
	// Environment holds the time and the session.
	function.Environment
	// Subqueries runs the queries that stand in programs; nil where there are none.
	Subqueries Subqueries
	// Ranked has the score of the row, where rows come in the order of scores; nil elsewhere. Who reads the rows sets
	// it before the first one.
	Ranked *Ranking
	// StrictDivision makes a division by zero an error, as it is where a statement writes. Begin clears it.
	StrictDivision bool
	// StrictNumbers makes it an error that a text which is no number meets one. Begin clears it.
	StrictNumbers bool

	arguments []datum.Datum // of the calls under way
	cells     []cell
	cellNext  int
}

// Begin starts an execution with its parameters and time: what was computed once for the last one is forgotten.
func (x *Context) Begin(parameters []datum.Datum, nowUS int64, session Session) {
	x.Parameters, x.NowUS, x.Session, x.Zone = parameters, nowUS, session, function.ZoneOf(session)
	clear(x.cells)
	x.cells, x.cellNext = x.cells[:0], 0
	x.arguments = x.arguments[:0]
	x.Environment.Reset()
	x.Ranked, x.StrictDivision, x.StrictNumbers = nil, false, false
}

// Program is a compiled expression. It does not change, and many contexts may run it at once.
type Program struct {
	root     node
	truth    predicate
	t        datum.Type
	constant bool
	slots    []int
	integer  integerNode // nil: it computes none
}

// Type returns the type that values have, as well as it is known without parameters and rows; Untyped else. Values of a
// typed program are of that type or NULL, unless the expression makes a parameter stand where the type is decided.
func (p *Program) Type() datum.Type { return p.t }

// IsConstant says that the value is the same for all rows of one execution.
func (p *Program) IsConstant() bool { return p.constant }

// Slots returns the slots of Context.Row that the program reads, ascending, each once. It must not be changed.
func (p *Program) Slots() []int { return p.slots }

// Value computes the expression. The result aliases the row, parameters, or memory that Context.Reset gives up: who
// keeps it clones it.
func (p *Program) Value(x *Context) (datum.Datum, error) { return p.root.value(x) }

// Truth computes the expression as a condition: NULL is not true.
func (p *Program) Truth(x *Context) (isTrue bool, err error) {
	t, err := p.truth.truth(x)
	return t == yes, err
}

// Compile makes a program of an expression. The errors are those of scope, and faults: unknown functions, wrong numbers
// of arguments, aggregates, which may not stand here.
func Compile(e tree.Expression, scope Scope) (*Program, error) {
	c := compiler{scope: scope}
	return c.program(e)
}

func (c *compiler) program(e tree.Expression) (*Program, error) {
	compiled, err := c.compile(e)
	if err != nil {
		return nil, err
	}
	slices.Sort(c.slots)
	return &Program{root: compiled.node, truth: asPredicate(compiled.node), t: compiled.t, constant: compiled.constant,
		slots: slices.Compact(c.slots), integer: integerOf(compiled.node)}, nil
}

// node is one operation of a program.
type node interface {
	value(x *Context) (datum.Datum, error)
}

// predicate is a node whose values are truth values.
type predicate interface {
	node
	truth(x *Context) (truth, error)
}

// truth is a value of three-valued logic.
type truth int8

const (
	no truth = iota
	yes
	unknown
)

// datum makes the datum of a truth value.
func (t truth) datum() datum.Datum {
	if t == unknown {
		return datum.Null
	}
	return datum.Bool(t == yes)
}

func (t truth) not() truth {
	switch t {
	case no:
		return yes
	case yes:
		return no
	}
	return unknown
}

// when is yes or no.
func when(is bool) truth {
	if is {
		return yes
	}
	return no
}

// negateIf is t, or its opposite.
func (t truth) negateIf(not bool) truth {
	if not {
		return t.not()
	}
	return t
}

// truthOf takes any value as a condition.
type truthOf struct{ node }

func (n truthOf) truth(x *Context) (truth, error) {
	d, err := n.value(x)
	if err != nil {
		return unknown, err
	}
	return truthOfDatum(d), nil
}

func truthOfDatum(d datum.Datum) truth {
	is, null := d.Truth()
	if null {
		return unknown
	}
	return when(is)
}

func asPredicate(n node) predicate {
	if p, ok := n.(predicate); ok {
		return p
	}
	return truthOf{n}
}
