// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"github.com/weftdb/weft/internal/sql/datum"
)

// valueOf is the value of a condition.
func valueOf(p predicate, x *Context) (datum.Datum, error) {
	t, err := p.truth(x)
	return t.datum(), err
}

// not is NOT.
type not struct{ of predicate }

func (n *not) value(x *Context) (datum.Datum, error) { return valueOf(n, x) }

func (n *not) truth(x *Context) (truth, error) {
	t, err := n.of.truth(x)
	return t.not(), err
}

// and is a chain of ANDs: a false term ends it.
type and struct{ terms []predicate }

func (n *and) value(x *Context) (datum.Datum, error) { return valueOf(n, x) }

func (n *and) truth(x *Context) (truth, error) {
	all := yes
	for _, term := range n.terms {
		switch t, err := term.truth(x); {
		case err != nil:
			return unknown, err
		case t == no:
			return no, nil
		case t == unknown:
			all = unknown
		}
	}
	return all, nil
}

// or is a chain of ORs: a true term ends it.
type or struct{ terms []predicate }

func (n *or) value(x *Context) (datum.Datum, error) { return valueOf(n, x) }

func (n *or) truth(x *Context) (truth, error) {
	any := no
	for _, term := range n.terms {
		switch t, err := term.truth(x); {
		case err != nil:
			return unknown, err
		case t == yes:
			return yes, nil
		case t == unknown:
			any = unknown
		}
	}
	return any, nil
}

// xor is XOR.
type xor struct{ left, right predicate }

func (n *xor) value(x *Context) (datum.Datum, error) { return valueOf(n, x) }

func (n *xor) truth(x *Context) (truth, error) {
	a, err := n.left.truth(x)
	if err != nil || a == unknown {
		return unknown, err
	}
	b, err := n.right.truth(x)
	if err != nil || b == unknown {
		return unknown, err
	}
	return when(a != b), nil
}

// isNull is IS [NOT] NULL.
type isNull struct {
	of  node
	not bool
}

func (n *isNull) value(x *Context) (datum.Datum, error) { return valueOf(n, x) }

func (n *isNull) truth(x *Context) (truth, error) {
	d, err := n.of.value(x)
	return when(d.IsNull() != n.not), err
}

// isTrue is IS [NOT] TRUE and FALSE.
type isTrue struct {
	of   predicate
	want truth
	not  bool
}

func (n *isTrue) value(x *Context) (datum.Datum, error) { return valueOf(n, x) }

func (n *isTrue) truth(x *Context) (truth, error) {
	t, err := n.of.truth(x)
	return when((t == n.want) != n.not), err
}
