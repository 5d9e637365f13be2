// SPDX-License-Identifier: Apache-2.0

package tree

// Query is a statement that yields rows: *Select, *SetOperation or *Values.
type Query interface {
	Statement
	query()
}

// With is WITH [RECURSIVE] in front of a query.
type With struct {
	Recursive bool
	Tables    []CommonTable
}

// CommonTable is one common table expression: name [(columns)] AS (query).
type CommonTable struct {
	Name    string
	Columns []string // empty: those of the query
	Query   Query
}

// SetKind is how two queries are put together.
type SetKind uint8

// The kinds.
const (
	Union SetKind = iota
	Intersect
	Except
)

// SetOperation is Left UNION | INTERSECT | EXCEPT [ALL] Right. ORDER BY, LIMIT and what follows are those of the whole.
type SetOperation struct {
	With        *With
	Kind        SetKind
	All         bool // duplicates stay
	Left, Right Query
	OrderBy     []Order
	Limit       Expression // nil: no limit
	Offset      Expression
}

// SelectInto is a SELECT .. INTO @a, @b, whose one row goes to variables of the session. Without targets it is DO: the
// row is dropped.
type SelectInto struct {
	Query   Query
	Targets []Variable
}

// Values is VALUES ROW(1, 2), ROW(3, 4): a query of written rows, whose columns are column_0, column_1 and so on.
type Values struct {
	Rows    [][]Expression
	OrderBy []Order
	Limit   Expression
	Offset  Expression
}

// TableExpression is the operand of FROM: *TableName, *DerivedTable or *Join.
type TableExpression interface{ tableExpression() }

// TableName is a table, a view or a common table expression by its name.
type TableName struct {
	Name
	Alias                   string
	ForceIndex, IgnoreIndex []string // MySQL's index hints: names of indexes, PRIMARY among them
}

// DerivedTable is a query in brackets with an alias. LATERAL lets it name columns of the tables before it.
type DerivedTable struct {
	Query   Query
	Alias   string
	Columns []string // empty: those of the query
	Lateral bool
}

// JoinKind is which rows without a partner stay.
type JoinKind uint8

// The kinds. A comma, CROSS JOIN and STRAIGHT_JOIN are InnerJoin.
const (
	InnerJoin JoinKind = iota
	LeftJoin
	RightJoin
	FullJoin
)

// Join is Left JOIN Right ON On, or USING (Using), or NATURAL.
type Join struct {
	Kind        JoinKind
	Left, Right TableExpression
	On          Expression // nil: none
	Using       []string
	Natural     bool
	// Straight is STRAIGHT_JOIN: Left is read before Right.
	Straight bool
}

// Subquery is a query in brackets as a value: of one row and one column, or of one row where it is compared with a
// Tuple.
type Subquery struct{ Query Query }

// Exists is EXISTS (Query).
type Exists struct{ Query Query }

// InQuery is X [NOT] IN (Query). X may be a Tuple.
type InQuery struct {
	X     Expression
	Query Query
	Not   bool
}

// Quantified is X operator ANY | ALL (Query).
type Quantified struct {
	Operator Operator
	X        Expression
	All      bool
	Query    Query
}

// Window is the OVER of a function: a window by its name, or (name PARTITION BY .. ORDER BY .. frame).
type Window struct {
	Name      string // of the window that it is or builds on; ""
	Partition []Expression
	OrderBy   []Order
	Frame     *Frame // nil: none is written
}

// NamedWindow is one of WINDOW name AS (..).
type NamedWindow struct {
	Name   string
	Window Window
}

// Frame is ROWS | RANGE BETWEEN Start AND End.
type Frame struct {
	Range      bool
	Start, End Bound
}

// BoundKind is the kind of a frame's beginning or end.
type BoundKind uint8

// The kinds, in their order.
const (
	UnboundedPreceding BoundKind = iota
	Preceding
	CurrentRow
	Following
	UnboundedFollowing
)

// Bound is one end of a Frame. Offset is the offset of Preceding and Following, which may be an Interval.
type Bound struct {
	Kind   BoundKind
	Offset Expression
}

// CreateView is CREATE [OR REPLACE] VIEW and, with Alter, ALTER VIEW.
type CreateView struct {
	OrReplace, Alter bool
	View             Name
	Columns          []string // empty: those of the query
	Query            Query
}

// DropView is DROP VIEW.
type DropView struct {
	IfExists bool
	Views    []Name
}

func (*Select) query()       {}
func (*SetOperation) query() {}
func (*Values) query()       {}

func (*SetOperation) statement() {}
func (*Values) statement()       {}
func (*SelectInto) statement()   {}
func (*CreateView) statement()   {}
func (*DropView) statement()     {}

func (*TableName) tableExpression()    {}
func (*DerivedTable) tableExpression() {}
func (*Join) tableExpression()         {}

func (*Subquery) expression()   {}
func (*Exists) expression()     {}
func (*InQuery) expression()    {}
func (*Quantified) expression() {}
