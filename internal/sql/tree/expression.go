// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"github.com/weftdb/weft/internal/sql/datum"
	"slices"
	"strings"
)

// Expression is a node that has a value for a row.
type Expression interface{ expression() }

// Column names a column, perhaps by its table or the table's alias. At is its place in the statement, for
// messages.
type Column struct {
	Database, Table, Name string
	At                    int
	Quoted                bool // written in backticks, whether or not the name needs them
}

// String is the name with those of its table and database, as far as it has them, for messages.
func (c *Column) String() string {
	return strings.Join(slices.DeleteFunc([]string{c.Database, c.Table, c.Name},
		func(s string) bool { return s == "" }), ".")
}

// Star is `*` or `t.*` in a select list, and the argument of COUNT(*).
type Star struct{ Database, Table string }

// Literal is a value that the text spells out. Text aliases the statement or memory of the parser's own. A literal
// `x'41'` is KindBinary, one in quotes KindText, TRUE and FALSE are KindBool, 1.5 is KindDecimal, 1e3 KindFloat. DATE
// '..', TIMESTAMP '..' and TIME '..' are Casts.
type Literal struct{ Value datum.Datum }

// Parameter is a value that comes with each execution: a `?`, or a literal that was taken out of the text for the sake
// of the plan's fingerprint. Index counts from 0.
type Parameter struct{ Index int }

// Variable is `@name` (Global and System false) or `@@name`, `@@session.name`, `@@global.name`.
type Variable struct {
	Name           string
	System, Global bool
	// Changing says that the statement assigns it, so that its value is another one from row to row.
	Changing bool
	// Type is the type of its values, where the session knows it; parsers leave it out.
	Type datum.Type
}

// Assigns is the name of the call that @a := x is: of the variable's name, and of x.
const Assigns = ":="

// Assigned is the name of the variable that a call assigns, if it is @name := x.
func (x *Call) Assigned() (name string, ok bool) {
	if x.Name != Assigns || len(x.Arguments) != 2 {
		return "", false
	}
	l, ok := x.Arguments[0].(*Literal)
	if !ok {
		return "", false
	}
	return string(l.Value.Bytes()), true
}

// PresetOf is the column of which a call is the default, as DEFAULT(column).
func (x *Call) PresetOf() (c *Column, ok bool) {
	if x.Name != "default" || len(x.Arguments) == 0 {
		return nil, false
	}
	c, ok = x.Arguments[0].(*Column)
	return c, ok
}

// Operator is a unary or binary operator.
type Operator uint8

// The operators. Each is written as its comment says.
const (
	Equal          Operator = iota // = and ==
	NullSafeEqual                  // <=>
	NotEqual                       // <> and !=
	Less                           // <
	LessOrEqual                    // <=
	Greater                        // >
	GreaterOrEqual                 // >=
	And                            // AND, &&
	Or                             // OR, ||
	Xor                            // XOR
	Not                            // NOT, !
	Plus                           // + (unary: it is dropped)
	Minus                          // - (unary, too)
	Multiply                       // *
	Divide                         // /
	IntegerDivide                  // DIV
	Modulo                         // %, MOD
	BitAnd                         // &
	BitOr                          // |
	BitXor                         // ^
	BitNot                         // ~ (unary)
	ShiftLeft                      // <<
	ShiftRight                     // >>
)

// Unary is Not, Minus or BitNot of X.
type Unary struct {
	Operator Operator
	X        Expression
}

// Binary is any other operator between two operands. Chains of AND and OR lean left.
type Binary struct {
	Operator Operator
	Left     Expression
	Right    Expression
}

// In is X [NOT] IN (List).
type In struct {
	X    Expression
	List []Expression
	Not  bool
}

// Between is X [NOT] BETWEEN Low AND High.
type Between struct {
	X, Low, High Expression
	Not          bool
}

// Like is X [NOT] LIKE Pattern [ESCAPE e], or, if Regexp, X [NOT] REGEXP Pattern. Escape is 0 where none is given: it
// is '\\' then.
type Like struct {
	X, Pattern  Expression
	Escape      rune
	EscapeGiven bool
	Not         bool
	Regexp      bool
}

// IsKind is the kind of test of an Is.
type IsKind uint8

// The tests of Is.
const (
	IsNull IsKind = iota
	IsTrue
	IsFalse
)

// Is is X IS [NOT] NULL, TRUE, FALSE or UNKNOWN (which is NULL).
type Is struct {
	X    Expression
	Kind IsKind
	Not  bool
}

// Tuple is (a, b, ..), two elements at least.
type Tuple struct{ Elements []Expression }

// Case is CASE [Operand] WHEN .. THEN .. [ELSE ..] END.
type Case struct {
	Operand Expression // nil: the conditions are truth values
	Whens   []When
	Else    Expression // nil: NULL
}

// When is one branch of a Case.
type When struct{ Condition, Result Expression }

// Call is a function, an aggregate among them: COUNT, SUM, AVG, MIN, MAX, GROUP_CONCAT, HEAD. Name is in lower case.
// OrderBy and Separator belong to GROUP_CONCAT and HEAD.
type Call struct {
	Name      string
	Arguments []Expression
	Distinct  bool
	OrderBy   []Order
	Separator *string
	Over      *Window // of a window function; nil: none
}

// Match takes MATCH (columns) AGAINST (against [IN BOOLEAN MODE]) apart: a call whose last argument but one is against,
// and the last the truth of boolean mode.
func (x *Call) Match() (columns []Expression, against Expression, boolean bool) {
	last := len(x.Arguments) - 1
	mode, ok := x.Arguments[last].(*Literal)
	if ok {
		boolean, _ = mode.Value.Truth()
	}
	return x.Arguments[:last-1], x.Arguments[last-1], boolean
}

// Cast is CAST(X AS To), CONVERT(X, To), and DATE|TIME|TIMESTAMP 'literal'.
type Cast struct {
	X  Expression
	To datum.Type
}

// Interval is INTERVAL X unit, an operand of + and - and an argument of DATE_ADD and DATE_SUB. Unit is in lower case,
// such as "hour".
type Interval struct {
	X    Expression
	Unit string
}

// Default is the keyword DEFAULT in VALUES and SET.
type Default struct{}

// Computed is a value that stands in the row already, such as the result of a window function. Compilers make it; no
// text says it.
type Computed struct {
	Slot int
	Type datum.Type
}

// ValuesOf is VALUES(column) in ON DUPLICATE KEY UPDATE: what the row would have had.
type ValuesOf struct{ Column string }

func (*Column) expression()    {}
func (*Star) expression()      {}
func (*Literal) expression()   {}
func (*Parameter) expression() {}
func (*Variable) expression()  {}
func (*Unary) expression()     {}
func (*Binary) expression()    {}
func (*In) expression()        {}
func (*Between) expression()   {}
func (*Like) expression()      {}
func (*Is) expression()        {}
func (*Tuple) expression()     {}
func (*Case) expression()      {}
func (*Call) expression()      {}
func (*Cast) expression()      {}
func (*Interval) expression()  {}
func (*Default) expression()   {}
func (*Computed) expression()  {}
func (*ValuesOf) expression()  {}
