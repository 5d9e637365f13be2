// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"github.com/weftdb/weft/internal/sql/parse/token"
	"github.com/weftdb/weft/internal/sql/tree"
)

// over reads [FROM FIRST] [RESPECT NULLS] OVER window behind a call.
func (p *parser) over(c *tree.Call) {
	switch p.At.Word {
	case "over", "respect", "ignore", "from":
	default:
		return
	}
	if c.Name == "nth_value" && p.Is("from") {
		if p.Accepts("from", "last") {
			p.Refuse("FROM LAST is not supported: turn the window's order round")
		}
		p.Accepts("from", "first")
	}
	if p.Accepts("ignore", "nulls") {
		p.Refuse("IGNORE NULLS is not supported")
	}
	p.Accepts("respect", "nulls")
	if !p.Accept("over") {
		return
	}
	if p.Is("(") {
		w := p.window()
		c.Over = &w
		return
	}
	c.Over = &tree.Window{Name: p.Name("a window's name or (")}
}

// windows reads WINDOW name AS (..), ..
func (p *parser) windows(s *tree.Select) {
	for {
		w := tree.NamedWindow{Name: p.Name("a window's name")}
		p.Expect("as")
		w.Window = p.window()
		s.Windows = append(s.Windows, w)
		if !p.More() {
			return
		}
	}
}

// window reads ([name] [PARTITION BY ..] [ORDER BY ..] [frame]).
func (p *parser) window() (w tree.Window) {
	p.Expect("(")
	if p.IsName() && !p.isGroups() {
		w.Name = p.Name("a window's name")
	}
	if p.Accepts("partition", "by") {
		w.Partition = listed(p, nil, p.expression)
		p.weighAll(w.Partition)
	}
	if p.Accepts("order", "by") {
		w.OrderBy = p.orders()
	}
	if p.isGroups() {
		p.Refuse("GROUPS frames are not supported: use ROWS or RANGE")
	}
	if p.Is("rows") || p.Is("range") {
		w.Frame = p.frame()
	}
	p.Expect(")")
	return w
}

// isGroups reports whether a frame of GROUPS comes, and not a window of that name.
func (p *parser) isGroups() bool {
	if !p.Is("groups") {
		return false
	}
	next := p.Peek()
	switch next.Word {
	case "between", "unbounded", "current", "interval":
		return true
	}
	return next.Kind == token.Integer || next.Kind == token.Placeholder
}

// frame reads ROWS | RANGE with both bounds, or with the first alone.
func (p *parser) frame() *tree.Frame {
	f := &tree.Frame{Range: p.AcceptAny("rows", "range") == "range", End: tree.Bound{Kind: tree.CurrentRow}}
	at := p.At
	if p.Accept("between") {
		f.Start = p.readBound()
		p.Expect("and")
		at = p.At
		f.End = p.readBound()
	} else {
		f.Start = p.readBound()
	}
	if f.Start.Kind > f.End.Kind || f.Start.Kind == tree.UnboundedFollowing || f.End.Kind == tree.UnboundedPreceding {
		p.At = at
		p.Expected("a frame that doesn't end before it starts")
	}
	if p.Is("exclude") {
		p.Refuse("EXCLUDE is not supported")
	}
	return f
}

// readBound reads one end of a frame.
func (p *parser) readBound() (b tree.Bound) {
	switch {
	case p.Accepts("current", "row"):
		return tree.Bound{Kind: tree.CurrentRow}
	case p.Accept("unbounded"):
		if p.Accept("following") {
			return tree.Bound{Kind: tree.UnboundedFollowing}
		}
		p.Expect("preceding")
		return b
	}
	b.Offset = p.binary(tree.BindBitOr)
	switch p.AcceptAny("preceding", "following") {
	case "preceding":
		b.Kind = tree.Preceding
	case "following":
		b.Kind = tree.Following
	default:
		p.Expected("PRECEDING or FOLLOWING")
	}
	return b
}
