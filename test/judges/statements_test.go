// SPDX-License-Identifier: Apache-2.0

package judges

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// generator makes statements that all judges understand, and that have one right answer.
type generator struct {
	r     *rand.Rand
	depth int // of queries
	alias int
}

// source is what stands in FROM under an alias.
type source struct {
	alias  string
	fields []field
}

// scope are the sources that an expression may name, the innermost query's last.
type scope []source

func (g *generator) pick(list ...string) string { return list[g.r.IntN(len(list))] }

func (g *generator) one(in int) bool { return g.r.IntN(in) == 0 }

// column is a column of a class from a scope; one of any class that there is, if there is none of that.
func (g *generator) column(s scope, of class) (string, class) {
	var list []string
	var any []string
	var classes []class
	for _, from := range s {
		for _, f := range from.fields {
			name := from.alias + "." + f.name
			if f.of == of {
				list = append(list, name)
			}
			any, classes = append(any, name), append(classes, f.of)
		}
	}
	if len(list) > 0 {
		return list[g.r.IntN(len(list))], of
	}
	i := g.r.IntN(len(any))
	return any[i], classes[i]
}

func (g *generator) anyClass() class { return class(g.r.IntN(4)) }

// value is an expression over one row.
func (g *generator) value(s scope, of class) string {
	name, got := g.column(s, of)
	if got != of {
		return constant(g.r, of)
	}
	switch {
	case of == integer && g.one(4):
		other, _ := g.column(s, integer)
		return fmt.Sprintf("(%s %s %s)", name, g.pick("+", "-", "*"), other)
	case of == exact && g.one(4):
		return fmt.Sprintf("(%s %s %s)", name, g.pick("+", "-", "*"), constant(g.r, exact))
	case of == text && g.one(5):
		return fmt.Sprintf(g.pick("UPPER(%s)", "CONCAT(%s, '-')", "COALESCE(%s, 'none')", "SUBSTRING(%s, 2)"), name)
	case g.one(8):
		return fmt.Sprintf("CASE WHEN %s THEN %s ELSE %s END", g.condition(s, 1), name, constant(g.r, of))
	case g.one(8):
		return fmt.Sprintf("COALESCE(%s, %s)", name, constant(g.r, of))
	}
	return name
}

// condition is one over a row of the scope. Depth bounds its nesting.
func (g *generator) condition(s scope, depth int) string {
	of := g.anyClass()
	name, of := g.column(s, of)
	switch n := g.r.IntN(16); {
	case depth > 0 && n < 3:
		return fmt.Sprintf("(%s %s %s)", g.condition(s, depth-1), g.pick("AND", "OR"), g.condition(s, depth-1))
	case depth > 0 && n == 3:
		return "NOT (" + g.condition(s, depth-1) + ")"
	case n == 4:
		return name + g.pick(" IS NULL", " IS NOT NULL")
	case n == 5:
		return fmt.Sprintf("%s %sIN (%s, %s)", name, g.pick("", "NOT "), constant(g.r, of), constant(g.r, of))
	case n == 6:
		return fmt.Sprintf("%s BETWEEN %s AND %s", name, constant(g.r, of), constant(g.r, of))
	case n == 7 && of == text:
		return fmt.Sprintf("%s %sLIKE '%s'", name, g.pick("", "NOT "), g.pick("%a%", "e%", "%k", "_a_"))
	case n >= 8 && n < 11 && g.depth < 2:
		return g.subqueryCondition(s, name, of)
	case n == 11:
		other, _ := g.column(s, of)
		return fmt.Sprintf("%s <=> %s", name, other)
	}
	return fmt.Sprintf("%s %s %s", name, g.pick("=", "=", "<", "<=", ">", ">=", "<>"), g.value(s, of))
}

// subqueryCondition is one with a query in it, which may name columns of the scope.
func (g *generator) subqueryCondition(s scope, name string, of class) string {
	g.depth++
	defer func() { g.depth-- }()
	from, inner := g.table()
	both := append(append(scope{}, s...), inner)
	where := g.condition(scope{inner}, 1)
	if g.one(2) { // correlated
		left, of := g.column(s, g.anyClass())
		right, got := g.column(scope{inner}, of)
		if got == of {
			where = fmt.Sprintf("%s %s %s", left, g.pick("=", "=", "=", "<", ">="), right)
		}
		if g.one(3) {
			where += " AND " + g.condition(both, 0)
		}
	}
	item, got := g.column(scope{inner}, of)
	switch {
	case got != of || g.one(4):
		return fmt.Sprintf("%sEXISTS (SELECT 1 FROM %s WHERE %s)", g.pick("", "NOT "), from, where)
	case g.one(2):
		return fmt.Sprintf("%s %sIN (SELECT %s FROM %s WHERE %s)", name, g.pick("", "NOT "), item, from, where)
	case g.one(3):
		return fmt.Sprintf("%s %s %s (SELECT %s FROM %s WHERE %s)", name, g.pick("=", "<", ">=", "<>"),
			g.pick("ANY", "ALL"), item, from, where)
	}
	return fmt.Sprintf("%s %s (SELECT %s(%s) FROM %s WHERE %s)", name, g.pick("=", "<", ">=", "<>"),
		g.pick("MIN", "MAX"), item, from, where)
}

// table is one table under a new alias.
func (g *generator) table() (string, source) {
	list := tables()
	t := list[g.r.IntN(len(list))]
	g.alias++
	alias := fmt.Sprintf("t%d", g.alias)
	return t.name + " AS " + alias, source{alias, t.fields}
}

// item is a table or a query in brackets.
func (g *generator) item() (string, source) {
	if g.depth > 0 || !g.one(5) {
		return g.table()
	}
	g.depth++
	defer func() { g.depth-- }()
	query, fields := g.selects(false)
	g.alias++
	alias := fmt.Sprintf("q%d", g.alias)
	return "(" + query + ") AS " + alias, source{alias, fields}
}

// from is FROM with up to four items.
func (g *generator) from() (string, scope) {
	text, first := g.item()
	s := scope{first}
	for n := g.r.IntN(4); n > 0 && g.depth < 2; n-- {
		next, right := g.item()
		left, of := g.column(s, g.anyClass())
		other, got := g.column(scope{right}, of)
		s = append(s, right)
		on := fmt.Sprintf("%s = %s", left, other)
		if got != of {
			on = g.condition(s, 1)
		}
		if g.one(4) {
			on += " AND " + g.condition(s, 0)
		}
		switch g.r.IntN(8) {
		case 0, 1:
			text += " LEFT JOIN " + next + " ON " + on
		case 2:
			text += " RIGHT JOIN " + next + " ON " + on
		case 3:
			text = text + " CROSS JOIN " + next
			if len(s) > 2 {
				return text, s
			}
		default:
			text += g.pick(" JOIN ", " INNER JOIN ") + next + " ON " + on
		}
	}
	return text, s
}

// selects is a SELECT whose columns have the names f1, f2 and so on. Ordered ones are ordered by all columns.
func (g *generator) selects(whole bool) (string, []field) {
	from, s := g.from()
	var items []string
	var fields []field
	add := func(e string, of class) {
		fields = append(fields, field{fmt.Sprintf("f%d", len(fields)+1), of, true})
		items = append(items, e+" AS "+fields[len(fields)-1].name)
	}
	where := ""
	if !g.one(3) {
		where = " WHERE " + g.condition(s, 2)
	}
	tail := ""
	distinct := ""
	switch {
	case g.one(3):
		tail = g.groups(s, add)
	case whole && g.one(4):
		g.windows(s, add)
	default:
		for range 1 + g.r.IntN(3) {
			of := g.anyClass()
			add(g.value(s, of), of)
		}
		if g.one(5) && g.depth < 2 {
			add(g.scalar(s))
		}
		if g.one(5) {
			distinct = "DISTINCT "
		}
	}
	return "SELECT " + distinct + strings.Join(items, ", ") + " FROM " + from + where + tail, fields
}

// scalar is a query as a value.
func (g *generator) scalar(s scope) (string, class) {
	g.depth++
	defer func() { g.depth-- }()
	from, inner := g.table()
	left, of := g.column(s, g.anyClass())
	right, got := g.column(scope{inner}, of)
	where := ""
	if got == of {
		where = fmt.Sprintf(" WHERE %s = %s", left, right)
	}
	aggregate, is := "COUNT(*)", integer
	if name, of := g.column(scope{inner}, g.anyClass()); g.one(2) {
		aggregate, is = fmt.Sprintf("%s(%s)", g.pick("MIN", "MAX"), name), of
		if of == integer || of == exact {
			aggregate, is = fmt.Sprintf("%s(%s)", g.pick("SUM", "AVG"), name), exact
		}
	}
	return fmt.Sprintf("(SELECT %s FROM %s%s)", aggregate, from, where), is
}

// groups adds keys and aggregates, and returns what stands behind WHERE.
func (g *generator) groups(s scope, add func(string, class)) string {
	var keys []string
	for range g.r.IntN(3) {
		name, of := g.column(s, g.anyClass())
		add(name, of)
		keys = append(keys, name)
	}
	having := ""
	for range 1 + g.r.IntN(2) {
		name, of := g.column(s, g.anyClass())
		switch g.r.IntN(6) {
		case 0:
			add("COUNT(*)", integer)
		case 1:
			add(fmt.Sprintf("COUNT(%s%s)", g.pick("", "DISTINCT "), name), integer)
		case 2, 3:
			add(fmt.Sprintf("%s(%s)", g.pick("MIN", "MAX"), name), of)
		default:
			if of != exact {
				name, of = g.column(s, integer)
			}
			if of == integer || of == exact {
				add(fmt.Sprintf("%s(%s)", g.pick("SUM", "AVG"), name), exact)
			} else {
				add("COUNT(*)", integer)
			}
		}
	}
	if g.one(3) {
		having = " HAVING COUNT(*) " + g.pick("> 1", "< 3", "= 2")
	}
	if len(keys) == 0 {
		return having
	}
	rollup := ""
	if g.one(6) && (len(keys) == 1 || keys[0] != keys[1]) { // no judge says which of two equal keys becomes NULL
		rollup = " WITH ROLLUP"
	}
	return " GROUP BY " + strings.Join(keys, ", ") + rollup + having
}

// windows adds window functions, whose order is total.
func (g *generator) windows(s scope, add func(string, class)) {
	var total []string
	for _, from := range s {
		for _, f := range from.fields {
			total = append(total, from.alias+"."+f.name)
		}
	}
	name, of := g.column(s, g.anyClass())
	add(name, of)
	partition := ""
	if g.one(2) {
		by, _ := g.column(s, g.anyClass())
		partition = "PARTITION BY " + by + " "
	}
	first, _ := g.column(s, g.anyClass())
	some := partition + "ORDER BY " + first + g.pick("", " DESC")
	all := some + ", " + strings.Join(total, ", ")
	sum, got := g.column(s, integer)
	if got != integer {
		sum = "1"
	}
	switch g.r.IntN(7) {
	case 0:
		add("ROW_NUMBER() OVER ("+all+")", integer)
	case 1:
		add(g.pick("RANK", "DENSE_RANK")+"() OVER ("+some+")", integer)
	case 2:
		add(fmt.Sprintf("%s(%s) OVER (%s)", g.pick("SUM", "MIN", "MAX", "COUNT"), sum, g.pick(some, partition)), exact)
	case 3:
		add(fmt.Sprintf("%s(%s) OVER (%s ROWS BETWEEN %s AND %s)", g.pick("SUM", "COUNT", "MAX", "AVG"), sum, all,
			g.pick("2 PRECEDING", "UNBOUNDED PRECEDING", "CURRENT ROW"),
			g.pick("CURRENT ROW", "1 FOLLOWING", "UNBOUNDED FOLLOWING")), exact)
	case 4:
		add(fmt.Sprintf("%s(%s) OVER (%s)", g.pick("LAG", "LEAD"), name, all), of)
	case 5:
		add(fmt.Sprintf("%s(%s) OVER (%s)", g.pick("FIRST_VALUE", "LAST_VALUE"), name, all), of)
	default:
		add(fmt.Sprintf("NTILE(%d) OVER (%s)", 1+g.r.IntN(4), all), integer)
	}
}

// statement is a whole statement; ordered says that its rows have one order.
func (g *generator) statement() (statement string, ordered bool) {
	g.depth, g.alias = 0, 0
	with := ""
	if g.one(10) {
		return g.common()
	}
	query, fields := g.selects(true)
	if g.one(8) {
		query, fields = g.combined(query, fields)
	}
	if g.one(2) {
		by := make([]string, len(fields))
		for i := range fields {
			by[i] = fmt.Sprintf("%d%s", i+1, g.pick("", "", " DESC"))
		}
		query += " ORDER BY " + strings.Join(by, ", ")
		ordered = true
		if g.one(2) {
			query += fmt.Sprintf(" LIMIT %d", g.r.IntN(20))
			if g.one(2) {
				query += fmt.Sprintf(" OFFSET %d", g.r.IntN(5))
			}
		}
		if strings.Contains(query, "WITH ROLLUP") {
			return query[:strings.Index(query, " ORDER BY")], false
		}
	}
	return with + query, ordered
}

// combined is a UNION or the like with another query of the same classes.
func (g *generator) combined(query string, fields []field) (string, []field) {
	from, s := g.table()
	var items []string
	for _, f := range fields {
		items = append(items, g.value(scope{s}, f.of))
	}
	return fmt.Sprintf("%s %s SELECT %s FROM %s", query, g.pick("UNION", "UNION ALL", "INTERSECT", "EXCEPT"),
		strings.Join(items, ", "), from), fields
}

// common is a query over a common table expression, which may name itself.
func (g *generator) common() (string, bool) {
	if g.one(3) {
		return fmt.Sprintf("WITH RECURSIVE r(n, m) AS (SELECT 1, %d UNION %sSELECT n + 1, m * 2 FROM r WHERE n < %d) SELECT r.n, r.m, a.s FROM r %s JOIN a ON a.id = r.n ORDER BY 1, 2, 3",
			g.r.IntN(3), g.pick("", "ALL "), 2+g.r.IntN(8), g.pick("", "LEFT")), true
	}
	g.depth++
	query, fields := g.selects(false)
	g.depth--
	s := scope{{"u", fields}, {"v", fields}}
	left, of := g.column(s[:1], g.anyClass())
	right, _ := g.column(s[1:], of)
	where := fmt.Sprintf("%s %s %s", left, g.pick("=", "="), right)
	return fmt.Sprintf("WITH q AS (%s) SELECT u.f1, v.f1, COUNT(*) FROM q AS u %s JOIN q AS v ON %s GROUP BY u.f1, v.f1", query, g.pick("", "LEFT"), where), false
}
