// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"strconv"

	"github.com/weftdb/weft/internal/sql/parse/token"
	"github.com/weftdb/weft/internal/sql/tree"
)

// subquery reports whether a token behind an opening bracket starts a query.
func subquery(t token.Token) bool { return t.Word == "select" || t.Word == "with" || t.Word == "table" }

// startsQuery reports whether a query comes, behind an opening bracket.
func (p *parser) startsQuery() bool {
	return subquery(p.At) || p.At.Word == "values" && p.Peek().Word == "row"
}

// continuesQuery reports whether a query goes on, of which a part in brackets was read.
func (p *parser) continuesQuery() bool {
	switch p.At.Word {
	case "union", "except", "intersect", "order", "limit":
		return true
	}
	return false
}

// subquery reads (query) in an expression.
func (p *parser) subquery() tree.Query {
	p.Expect("(")
	return p.closedQuery()
}

// closedQuery reads a query within an expression and the bracket behind it.
func (p *parser) closedQuery() tree.Query {
	return p.closes(p.readNested())
}

// closes reads the bracket behind a query.
func (p *parser) closes(q tree.Query) tree.Query {
	p.Expect(")")
	return q
}

// readNested reads a query within another statement.
func (p *parser) readNested() tree.Query {
	if p.depth == 0 {
		p.operators = 0
	}
	if !p.enter() {
		return nil
	}
	defer p.leave()
	return p.query()
}

// query reads [WITH ..] and SELECT, VALUES or TABLE, and several of them with UNION and the like between them, [ORDER
// BY ..] [LIMIT ..].
func (p *parser) query() tree.Query {
	if p.Is("with") {
		return p.queryWith(p.with())
	}
	return p.queryFrom(p.term())
}

// queryFrom reads the rest of a query whose first term was read.
func (p *parser) queryFrom(first tree.Query) tree.Query {
	left := p.intersections(first)
	for p.Is("union") || p.Is("except") {
		left = p.setOperation(left)
		set := left.(*tree.SetOperation)
		set.Right = p.intersections(p.term())
		left = p.unionBy(set)
	}
	return p.tail(left)
}

// intersections reads the INTERSECTs behind a term: they bind more tightly.
func (p *parser) intersections(left tree.Query) tree.Query {
	for p.Is("intersect") {
		set := p.setOperation(left)
		set.Right = p.term()
		left = set
	}
	return left
}

// setOperation reads UNION, INTERSECT or EXCEPT [ALL | DISTINCT].
func (p *parser) setOperation(left tree.Query) *tree.SetOperation {
	set := &tree.SetOperation{Left: left}
	switch word := p.AcceptAny("union", "except", "intersect"); word {
	case "except":
		set.Kind = tree.Except
	case "intersect":
		set.Kind = tree.Intersect
	}
	if !p.Accept("distinct") {
		set.All = p.Accept("all")
	}
	p.sets++
	if p.sets > setsMax {
		p.Expected("at most " + strconv.Itoa(setsMax) + " UNIONs in one statement")
	}
	return set
}

// term reads one SELECT, VALUES or TABLE, or a query in brackets.
func (p *parser) term() tree.Query {
	switch p.At.Word {
	case "select":
		return p.block()
	case "values":
		return p.values()
	case "table":
		p.Advance()
		name := p.table()
		return &tree.Select{List: []tree.SelectItem{{Expression: &tree.Star{}, Text: "*"}}, From: &name}
	case "(":
		p.Advance()
		return p.closes(p.readNested())
	}
	p.Expected("SELECT")
	return nil
}

// values reads VALUES ROW(..), ROW(..).
func (p *parser) values() *tree.Values {
	p.Advance()
	v := &tree.Values{}
	for {
		p.Expect("row")
		v.Rows = append(v.Rows, p.row(0))
		if !p.More() {
			return v
		}
	}
}

// tail reads ORDER BY, LIMIT and what follows them. A query in brackets that has a LIMIT of its own becomes a derived
// table of one around it.
func (p *parser) tail(q tree.Query) tree.Query {
	switch p.At.Word {
	case "order", "limit", "into", "allow", "for", "lock":
	default:
		return q
	}
	orders, limit, offset := ends(q)
	if limit != nil && *limit != nil {
		q = p.wrapQuery(q)
		orders, limit, offset = ends(q)
	}
	if limit == nil {
		return q
	}
	if p.Accepts("order", "by") {
		*orders = p.orders()
		p.weighOrders(q)
	}
	p.limit(limit, offset)
	p.into()
	if s, ok := q.(*tree.Select); ok {
		p.suffixes(s)
		p.into()
	} else if p.Is("for") || p.Is("lock") || p.isSuffix() {
		p.Refuse("FOR UPDATE and ALLOW FILTERING are those of one SELECT: put it in brackets")
	}
	return q
}

// ends are the ORDER BY and the LIMIT of a query, nil if there is none.
func ends(q tree.Query) (orders *[]tree.Order, limit, offset *tree.Expression) {
	switch q := q.(type) {
	case *tree.Select:
		return &q.OrderBy, &q.Limit, &q.Offset
	case *tree.SetOperation:
		return &q.OrderBy, &q.Limit, &q.Offset
	case *tree.Values:
		return &q.OrderBy, &q.Limit, &q.Offset
	}
	return nil, nil, nil
}

// wrapQuery is SELECT * FROM (q) AS q.
func (p *parser) wrapQuery(q tree.Query) *tree.Select {
	all := []tree.SelectItem{{Expression: &tree.Star{}, Text: "*"}}
	return &tree.Select{List: all, Tables: &tree.DerivedTable{Query: q, Alias: "q"}}
}

// with reads WITH [RECURSIVE] name [(columns)] AS (query), ..
func (p *parser) with() *tree.With {
	p.Expect("with")
	w := &tree.With{Recursive: p.Accept("recursive")}
	outer := p.recursive
	p.recursive = outer || w.Recursive
	defer func() { p.recursive = outer }()
	for {
		c := tree.CommonTable{Name: p.Name("the name of a common table expression")}
		if p.Is("(") {
			p.List(func() { c.Columns = append(c.Columns, p.Name("a column")) })
		}
		p.Expect("as", "(")
		c.Query = p.closes(p.readNested())
		w.Tables = append(w.Tables, c)
		if !p.More() {
			return w
		}
	}
}

// queryWith reads the query behind WITH.
func (p *parser) queryWith(with *tree.With) tree.Query {
	q := p.queryFrom(p.term())
	switch x := q.(type) {
	case *tree.Select:
		if x.With == nil {
			x.With = with
			return x
		}
	case *tree.SetOperation:
		if x.With == nil {
			x.With = with
			return x
		}
	case nil:
		return nil
	}
	s := p.wrapQuery(q)
	s.With = with
	return s
}
