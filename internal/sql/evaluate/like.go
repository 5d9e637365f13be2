// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"bytes"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/evaluate/function"
	"github.com/weftdb/weft/internal/sql/tree"
)

// like is [NOT] LIKE. Where the pattern is constant, it is taken apart once for each execution.
type like struct {
	key
	of, pattern node
	escape      rune // 0: none
	constant    bool // the pattern is
	not         bool
}

func (n *like) value(x *Context) (datum.Datum, error) { return valueOf(n, x) }

func (n *like) truth(x *Context) (truth, error) {
	d, err := n.of.value(x)
	if err != nil || d.IsNull() {
		return unknown, err
	}
	m, err := n.matcher(x)
	if err != nil || m == nil {
		return unknown, err
	}
	return when(m.Match(x.TextOf(d)) != n.not), nil
}

// matcher is nil for the pattern NULL.
func (n *like) matcher(x *Context) (*function.Pattern, error) {
	if n.constant {
		if c := x.findCell(&n.key); c != nil {
			return c.state.(*function.Pattern), nil
		}
	}
	d, err := n.pattern.value(x)
	if err != nil {
		return nil, err
	}
	var m *function.Pattern
	if !d.IsNull() {
		m = function.NewPattern(bytes.Clone(x.TextOf(d)), n.escape)
	}
	if n.constant {
		x.keep(cell{of: &n.key, state: m})
	}
	return m, nil
}

// regular is [NOT] REGEXP.
type regular struct {
	of, pattern node
	not         bool
}

func (n *regular) value(x *Context) (datum.Datum, error) { return valueOf(n, x) }

func (n *regular) truth(x *Context) (truth, error) {
	d, pattern, err := operandsOf(n.of, n.pattern, tree.Equal, x)
	if err != nil || d.IsNull() || pattern.IsNull() {
		return unknown, err
	}
	compiled, err := x.Regexp(x.TextOf(pattern))
	if err != nil {
		return unknown, err
	}
	is, err := x.Matches(compiled, x.TextOf(d))
	return when(is != n.not), err
}

func (c *compiler) like(e *tree.Like) (typedNode, error) {
	operands, err := c.all(e.X, e.Pattern)
	if err != nil {
		return typedNode{}, err
	}
	constant := settle(operands)
	if e.Regexp {
		return typedNode{&regular{operands[0].node, operands[1].node, e.Not}, isTruth, constant}, nil
	}
	escape := '\\'
	if e.EscapeGiven {
		escape = e.Escape
	}
	return typedNode{&like{of: operands[0].node, pattern: operands[1].node, escape: escape,
		constant: operands[1].constant, not: e.Not}, isTruth, constant}, nil
}
