// SPDX-License-Identifier: Apache-2.0

// Package joinkey makes hash joins of go-mysql-server sound: their keys are equal where the values that are joined are.
//
// Knows: plans of the engine, what values it takes for equal.
// Never: tables, statements, what is joined by lookups.
package joinkey

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/weftdb/weft/internal/sql/relational/value"
)

// Sound makes the keys of hash joins equal where the values that are joined are: the engine takes decimals for equal if they are the same object, and
// values of two types if they look alike. COUNT(DISTINCT ..) has the like. The join's condition is judged afterwards, so that keys may be alike where values are not.
func Sound(node sql.Node) (sql.Node, error) {
	node, _, err := transform.NodeWithOpaque(node, func(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		h, is := n.(*plan.HashLookup)
		if !is {
			return n, transform.SameTree, nil
		}
		left, right := keysOf(h.LeftProbeKey, h.RightEntryKey)
		sound, err := h.WithExpressions(right, left)
		return sound, transform.NewTree, err
	})
	if err != nil {
		return nil, err
	}
	node, _, err = transform.NodeExprsWithOpaque(node, func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		if count, is := e.(*aggregation.CountDistinct); is {
			soundDistinct(count)
		}
		s, is := e.(*plan.Subquery)
		if !is {
			return e, transform.SameTree, nil
		}
		query, err := Sound(s.Query)
		if err != nil {
			return nil, transform.SameTree, err
		}
		return s.WithQuery(query), transform.NewTree, nil
	})
	return node, err
}

// keysOf are the keys of the two sides in the forms in which they are hashed, part by part.
func keysOf(left, right sql.Expression) (l, r sql.Expression) {
	a, isA := left.(expression.Tuple)
	b, isB := right.(expression.Tuple)
	if !isA || !isB || len(a) != len(b) {
		form := formOf(left.Type(), right.Type())
		return &key{left, form}, &key{right, form}
	}
	x, y := make([]sql.Expression, len(a)), make([]sql.Expression, len(a))
	for i := range a {
		x[i], y[i] = keysOf(a[i], b[i])
	}
	return expression.NewTuple(x...), expression.NewTuple(y...)
}

// key is an expression in the form in which it is hashed.
type key struct {
	of   sql.Expression
	form form
}

var _ sql.Expression = (*key)(nil)

// Resolved says whether the expression is.
func (k *key) Resolved() bool { return k.of.Resolved() }

// String is the expression's.
func (k *key) String() string { return k.of.String() }

// Type is one that leaves keys as they are.
func (k *key) Type() sql.Type { return value.KeyType(k.of.Type()) }

// IsNullable says whether the expression may be NULL.
func (k *key) IsNullable() bool { return k.of.IsNullable() }

// Eval computes the key.
func (k *key) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := k.of.Eval(ctx, row)
	if err != nil || v == nil {
		return nil, err
	}
	return k.form.of(ctx, v)
}

// Children is the expression.
func (k *key) Children() []sql.Expression { return []sql.Expression{k.of} }

// WithChildren puts another expression in its place.
func (k *key) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, fmt.Errorf("a join's key has one expression, not %d", len(children))
	}
	return &key{children[0], k.form}, nil
}
