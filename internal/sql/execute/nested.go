// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"errors"

	"github.com/weftdb/weft/internal/sql/algebra"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

const (
	// answersBytesMax is the memory the answers of one query in an expression may take before they are forgotten.
	answersBytesMax = 8 << 20
	// answerBytes is the approximate memory of an answer besides its data.
	answerBytes = 200
)

// nestedQuery is a query in an expression, with its answers by outer values.
type nestedQuery struct {
	of      *algebra.Nested
	block   *block
	answers map[string]*answer
	bytes   int
	key     []byte
}

// answer is the answer of a query in an expression.
type answer struct {
	rows [][]datum.Datum
	// set has the keys of rows of one column without NULL, which are all of one class.
	set     map[string]struct{}
	class   datum.Class
	hasNull bool
	bytes   int
}

func (n *nestedQuery) close() error {
	n.answers, n.bytes = nil, 0
	return n.block.Close()
}

// rowsWanted is the number of rows of an answer that are looked at.
type rowsWanted int

const (
	oneRow   rowsWanted = 1
	twoRows  rowsWanted = 2
	everyRow rowsWanted = 0
)

// answer finds the answer of a query for the outer values in x.
func (q *run) answerNested(x *evaluate.Context, number int, want rowsWanted) (*answer, error) {
	use := &q.request.Query.Subqueries[number]
	n := q.nested[use.Nested]
	if n == nil {
		n = &nestedQuery{of: use.Nested, block: q.block(use.Block, false)}
		q.nested[use.Nested] = n
	}
	n.key = append(n.key[:0], byte(want))
	for i, slot := range use.Slots {
		at := n.of.Outer[i]
		if slot >= 0 { // else it is of a query further out, which has told it
			q.parameters[at] = x.Row[slot]
		}
		d := q.parameters[at]
		n.key = append(d.AppendKey(n.key), byte(d.Kind()))
	}
	if a := n.answers[string(n.key)]; a != nil && !n.of.Volatile {
		return a, nil
	}
	key := string(n.key)
	a, err := q.ask(n, want)
	if err != nil || n.of.Volatile {
		return a, err
	}
	if n.bytes += a.bytes + len(key); n.answers == nil || n.bytes > answersBytesMax {
		n.answers, n.bytes = map[string]*answer{}, a.bytes+len(key)
	}
	n.answers[key] = a
	return a, nil
}

// ask runs a query.
func (q *run) ask(n *nestedQuery, want rowsWanted) (a *answer, err error) {
	a = &answer{bytes: answerBytes}
	defer func() { err = errors.Join(err, n.block.Close()) }()
	if err := n.block.Open(q.ctx); err != nil {
		return nil, err
	}
	for want == everyRow || len(a.rows) < int(want) {
		ok, err := n.block.Next()
		if err != nil || !ok {
			return a, err
		}
		row := make([]datum.Datum, len(n.block.row))
		for i, d := range n.block.row {
			row[i] = d.Clone()
			a.bytes += 64 + d.Len()
		}
		a.rows = append(a.rows, row)
		if int64(a.bytes) > max(q.budget.BytesMax, answersBytesMax) {
			return nil, fault.New(fault.OutOfMemory,
				"The estimated memory used by the query exceeds the maximum limit: the query behind IN, ANY or ALL has too many rows; write it as a join, or narrow its conditions")
		}
	}
	return a, nil
}

// Row is evaluate.Subqueries'.
func (q *run) Row(x *evaluate.Context, number int) ([]datum.Datum, error) {
	a, err := q.answerNested(x, number, twoRows)
	switch {
	case err != nil || len(a.rows) == 0:
		return nil, err
	case len(a.rows) > 1:
		return nil, fault.New(fault.SubqueryRows)
	}
	return a.rows[0], nil
}

// Exists is evaluate.Subqueries'.
func (q *run) Exists(x *evaluate.Context, number int) (bool, error) {
	a, err := q.answerNested(x, number, oneRow)
	return err == nil && len(a.rows) > 0, err
}

// Any is evaluate.Subqueries'.
func (q *run) Any(x *evaluate.Context, number int, operator tree.Operator, values []datum.Datum) (is, null bool,
	err error) {
	a, err := q.answerNested(x, number, everyRow)
	if err != nil || len(a.rows) == 0 {
		return false, false, err
	}
	if operator == tree.Equal && len(values) == 1 {
		if values[0].IsNull() {
			return false, true, nil
		}
		if a.set == nil {
			a.makeSet()
		}
		if class := values[0].Class(); class != 0 && class == a.class {
			_, is = a.set[string(values[0].AppendKey(nil))]
			return is, a.hasNull, nil
		}
	}
	for _, row := range a.rows {
		met, unknown := matches(operator, values, row)
		if met {
			return true, false, nil
		}
		null = null || unknown
	}
	return false, null, nil
}

// makeSet makes the set of an answer of one column; of values of several classes, which compare by other rules, there
// is none.
func (a *answer) makeSet() {
	a.set = map[string]struct{}{}
	for _, row := range a.rows {
		if row[0].IsNull() {
			a.hasNull = true
			continue
		}
		class := row[0].Class()
		if a.class == 0 && len(a.set) == 0 {
			a.class = class
		}
		if class == 0 || class != a.class {
			a.set, a.class = map[string]struct{}{}, 0
			return
		}
		a.set[string(row[0].AppendKey(nil))] = struct{}{}
	}
}

// matches reports whether values operator row is TRUE, or not known. Rows are compared by = and <> alone.
func matches(operator tree.Operator, values, row []datum.Datum) (is, null bool) {
	if operator == tree.Equal || operator == tree.NotEqual {
		same := true
		for i := range values {
			order, unknown := datum.Compare(values[i], row[i])
			if !unknown && order != 0 {
				return operator == tree.NotEqual, false
			}
			same = same && !unknown
		}
		return operator == tree.Equal && same, !same
	}
	order, null := datum.Compare(values[0], row[0])
	return !null && operator.Holds(order), null
}
