// SPDX-License-Identifier: Apache-2.0

// Package algebra compiles queries over several tables: it finds what names stand for, in which order and by which
// methods tables are joined, and which conditions each table is read by. The result is a tree of nodes, which package
// operator's streams run; queries over one table stay with package plan, whose compiler serves the part of each query
// above its FROM, too.
//
// # Frames
//
// All tables of one FROM share a frame: one row of data and one evaluate.Context, whose Row it is. Each node writes its
// columns into slots of the frame, so that a join copies nothing. Programs of nodes run over the frame of their Block;
// the conditions that a Scan's Source has run over the scan's own row.
//
// # Parameters
//
// All contexts of one execution share one slice of parameters: those of the statement, and behind them as many as
// Query.Extra says, by which inner queries see values of outer rows. An Outer says which slot is copied to which
// parameter before the inner part is opened again; all contexts of the inner part begin anew then, since what they
// computed once may depend on it.
//
// Knows: names, scopes, join orders and methods, what correlates with what.
// Never: how rows are read or kept, sessions, packets.
package algebra

import (
	"fmt"
	"time"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/plan"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/sql/tree"
)

// Query is a compiled statement that reads. It is not changed once it is made, and may be run by any number of sessions
// at once.
type Query struct {
	// Root yields the answer; nil where Single does.
	Root *Block
	// Single is a SELECT over one table or none, which needs no nodes.
	Single *plan.Select
	// Columns describe Root's columns for clients.
	Columns []result.Column
	// Tables are the versions that the query was compiled for, each once.
	Tables []Table
	// Parameters is the number of the statement's own, Extra how many stand behind them for outer values.
	Parameters, Extra int
	// Samples are values of the types of the Extra ones, for EXPLAIN.
	Samples []datum.Datum
	// Subqueries are the subqueries in expressions, by the numbers that programs call them by. Those without a Nested
	// have become joins.
	Subqueries []Subquery
	// Spools are the queries whose rows several places read: each is run once in an execution, or once for each time
	// its outer values change.
	Spools []*Spool
	// Timeout is the time limit of a hint; 0: none.
	Timeout time.Duration
	// ForUpdate locks the rows that are read of Root's own tables.
	ForUpdate bool
	// Warnings are about joins that are inefficient.
	Warnings []string
}

// CompileSingle compiles a SELECT over one table or none by package plan alone. The table, whose attribute names so far
// are names, is nil where it has no FROM. text writes the statement for messages; it may be nil. Errors: those of a
// statement that is wrong, such as 1054 and 1055.
func CompileSingle(read *tree.Select, t *definition.Table, names []string, text func() string) (*Query, error) {
	q := &Query{ForUpdate: read.ForUpdate}
	var err error
	if q.Timeout, err = definition.Timeout(read.Hints); err != nil {
		return nil, err
	}
	if q.Single, err = plan.Compile(read, t, names, text); err != nil {
		return nil, err
	}
	q.Columns = q.Single.Columns
	if t == nil {
		return q, nil
	}
	q.Tables = []Table{{Table: t, Names: len(names), Grows: q.Single.Grows()}}
	if q.Tables[0].Grows && len(names) >= database.AttributeNamesMax {
		q.Warnings = []string{fmt.Sprintf(
			"SELECT * shows the first %d column names of the table; name further columns to see them",
			database.AttributeNamesMax)}
	}
	return q, nil
}

// StoredRows compiles the reading of the rows of one table that an UPDATE or DELETE changes; see plan.CompileStored.
func StoredRows(from plan.From, order []tree.Order, limit tree.Expression) (*Query, error) {
	single, err := plan.CompileStored(from, order, limit)
	return &Query{Single: single, Tables: []Table{{Table: from.Table}}}, err
}

// Table is a version of a table that a query was compiled for. It is current while the table's descriptor is the same,
// and, where it Grows, as many attribute names have been seen.
type Table struct {
	*definition.Table
	Names int
	Grows bool // `*` stands for names that the table has seen
}

// Block is one SELECT: the rows of From, which live in a frame of Width slots, go through the part of the query above
// FROM (WHERE included in From). From nil is one row without columns. The answer's rows have as many data as
// Select.Items, in a row of their own.
type Block struct {
	From  Node
	Width int
	// Select is the upper part: groups, windows, HAVING, the select list, DISTINCT, ORDER BY and LIMIT. Its Source has
	// no table.
	Select *plan.Select
	// Sorted says that the rows of From come in the order of ORDER BY, Grouped that those of a group stand together.
	Sorted, Grouped bool
	// Ends says that From is a Scan of which no more rows are wanted than LIMIT says, where it yields them in the order
	// of its Need.
	Ends bool
	// Most is the number of rows LIMIT that is expected to leave; 0: there is none.
	Most float64
	// Visible is the number of Select.Items that belong to the answer; what stands behind them is only sorted by.
	Visible int
	// Exact says that quotients keep the digits behind those that they show where the block stands in FROM: it is a
	// part of an expression.
	Exact bool
}

// Node yields rows in the slots of its frame. The nodes are *Scan, *Virtual, *Derived, *Join, *Filter, *Combine,
// *Recursive, *Working and *Values.
type Node interface {
	// Slots lists the slots that the node writes: what has to be kept of its rows.
	Slots() []int
}

// Outer is a value of the outer row that an inner part sees as a parameter.
type Outer struct {
	Slot      int // of the outer row
	Parameter int
}

// Estimate is the planner's estimate of a node: rows of one opening, and its cost in units of reading one entry.
type Estimate struct{ Rows, Cost float64 }

// Scan reads a table by Source, which is bound each time that the scan is opened.
type Scan struct {
	Table  int // of Query.Tables
	Alias  string
	Source *plan.Source
	// To has the slot of the frame for each of Source.Slots; -1: the column is only judged by Source itself.
	To   []int
	Need plan.Need
	// Sorted are the columns of Need's order where a join or groups go by it: rows come ascending by them, sorted if
	// what they are read by has another order.
	Sorted []*evaluate.Program
	// Estimate is the estimate of one opening.
	Estimate Estimate
}

// Virtual reads a table that is made up when it is read.
type Virtual struct {
	Of    any // the catalogue's table
	Alias string
	// To has the slot of the frame for each column; -1: nobody wants it.
	To []int
	// Schema and Name compute to which database and table the rows may be restricted; nil: all are wanted. They have no
	// columns.
	Schema, Name *evaluate.Program
}

// Derived yields the answer of another query: a derived table, a view or a common table expression. Exactly one of
// Block and Spool is set.
type Derived struct {
	Alias string
	Block *Block
	Spool *Spool
	To    []int // the slot of the frame for each column of the answer; -1: nobody wants it
	// Outer are set from the frame that the derived table stands in before it is opened; only LATERAL ones have some.
	Outer []Outer
}

// Spool is a query whose rows are kept and read several times.
type Spool struct {
	Name  string
	Block *Block
	// Parameters are the outer values that its rows depend on: they are read anew when one of them has changed.
	Parameters []int
}

// Method is how a Join finds the partners of a row.
type Method uint8

// The methods.
const (
	// Loop opens Right for each row of Left. Where Outer is empty, Right's rows are the same each time and may be kept.
	Loop Method = iota
	// Hash keeps the rows of one side by their keys.
	Hash
	// Merge goes through both sides, which come ordered by their keys ascending. Kinds: Inner, Left, Semi and Anti.
	Merge
	// Lookup reads Right, a Scan, for batches of rows of Left by Batches.
	Lookup
)

// JoinKind is which rows a Join yields.
type JoinKind uint8

// The kinds. Semi yields each row of Left that has a partner once, Anti each one that has none; neither writes Right's
// slots.
const (
	Inner JoinKind = iota
	Left
	Full
	Semi
	Anti
	// AntiNull is NOT IN: a row of Left stays if comparing it with each of Right's rows is FALSE, not NULL.
	AntiNull
)

// Join joins rows. Left's order is kept by Loop with Outer, Lookup and Merge.
type Join struct {
	Method      Method
	Kind        JoinKind
	Left, Right Node
	// LeftKeys and RightKeys are pairs that have to be equal, which a NULL never is, unless NullSafe says so of the
	// pair. Values that are equal have equal keys (datum.AppendKey). Loop has none.
	LeftKeys, RightKeys []*evaluate.Program
	NullSafe            []bool
	// Loose are the keys as conditions where they have no type, so that values of different kinds may be equal; nil
	// elements: they have one. IsLoose says that there are such keys. Hash only.
	Loose   []*evaluate.Program
	IsLoose bool
	// On are further conditions for a pair of rows; WHERE's are Filters above. Keys of Lookup are judged by them again
	// where needed.
	On []*evaluate.Program
	// Unique says that a row of Left has one partner at most. Merge only.
	Unique bool
	// BuildLeft says that Left's rows are kept rather than Right's. Hash only.
	BuildLeft bool
	// Outer are set before Right is opened for a row of Left. Loop only.
	Outer []Outer
	// Batches are Right's sources with a list of so many keys as conditions, by growing size. Lookup only. Right's rows
	// are matched to those of Left by LeftKeys and RightKeys.
	Batches []Batch
	// Warning says that it is inefficient; "": it isn't, or that is allowed.
	Warning  string
	Estimate Estimate

	looked *lookupPlan         // of a Lookup that isn't settled; nil: it is
	loop   []*evaluate.Program // On, if it becomes a Loop
}

// Batch is a table's source for a number of keys at once: key i's columns are the parameters from First + i *
// len(LeftKeys) on. The rest is filled up with repeated keys.
type Batch struct {
	Keys   int
	First  int
	Source *plan.Source
	To     []int // see Scan
}

// Filter drops rows of which a condition isn't TRUE.
type Filter struct {
	Of         Node
	Conditions []*evaluate.Program
	Trees      []tree.Expression // of Conditions, for EXPLAIN
	Estimate   Estimate
}

// Combine is a set operation of two queries of as many columns. Rows are converted to Types where these differ.
type Combine struct {
	Kind        tree.SetKind
	All         bool
	Left, Right *Block
	// To has the slot of each column; never -1.
	To []int
	// Convert has, for each side's each column, the program that makes it of the common type; nil: it is of it.
	// Programs read the side's row as it is.
	LeftConvert, RightConvert []*evaluate.Program
}

// Recursive is WITH RECURSIVE: the rows of Seed, then those of Step run over the rows of the last round, until it
// yields none. Distinct drops rows that were there before (UNION). More rounds than cte_max_recursion_depth are an
// error (3636).
type Recursive struct {
	Name       string
	Seed, Step *Block
	Distinct   bool
	To         []int
	// StepConvert makes Step's columns those of Seed; nil elements: they are.
	StepConvert []*evaluate.Program
	// Number is the number by which Working names it.
	Number int
}

// Working reads the rows of the last round of a Recursive, inside of its Step.
type Working struct {
	Number int
	Alias  string
	To     []int
}

// Values yields written rows. Programs have no columns.
type Values struct {
	Rows [][]*evaluate.Program
	To   []int
}

// Subquery is a query in an expression, at one place of use. Programs call it by its number through
// evaluate.Context.Subqueries.
type Subquery struct {
	*Nested
	// Slots of the row at hand have the values of Nested.Outer, one for each; -1: it is of a query further out, and
	// known already.
	Slots []int
}

// Nested is a query in an expression. Its answer depends on the statement's parameters and the values of Outer alone:
// it is run once for each combination of these, as far as answers are kept.
type Nested struct {
	Block *Block
	// Outer are the parameters of the outer values.
	Outer []int
	// Columns of the answer.
	Columns int
	// Volatile says that it has to be run for each row, such as for RAND().
	Volatile bool
}

// Slots is Node's.
func (s *Scan) Slots() []int { return usedSlots(s.To) }

// Slots is Node's.
func (v *Virtual) Slots() []int { return usedSlots(v.To) }

// Slots is Node's.
func (d *Derived) Slots() []int { return usedSlots(d.To) }

// Slots is Node's.
func (j *Join) Slots() []int {
	if j.Kind >= Semi {
		return j.Left.Slots()
	}
	return append(j.Left.Slots(), j.Right.Slots()...)
}

// Slots is Node's.
func (f *Filter) Slots() []int { return f.Of.Slots() }

// Slots is Node's.
func (c *Combine) Slots() []int { return usedSlots(c.To) }

// Slots is Node's.
func (r *Recursive) Slots() []int { return usedSlots(r.To) }

// Slots is Node's.
func (w *Working) Slots() []int { return usedSlots(w.To) }

// Slots is Node's.
func (v *Values) Slots() []int { return usedSlots(v.To) }

// usedSlots are the slots among to.
func usedSlots(to []int) (slots []int) {
	for _, slot := range to {
		if slot >= 0 {
			slots = append(slots, slot)
		}
	}
	return slots
}
