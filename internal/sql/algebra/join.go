// SPDX-License-Identifier: Apache-2.0

package algebra

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/plan"
	"github.com/weftdb/weft/internal/sql/tree"
)

// plan makes the nodes of FROM and WHERE. All columns that the part above wants have their slots by now.
func (s *scope) plan(it *item, where tree.Expression) (Node, error) {
	if it == nil {
		list, err := s.conditions(conjuncts(where, nil))
		if err != nil {
			return nil, err
		}
		if len(list) == 0 {
			return nil, nil
		}
		return s.filter(part{node: &Values{Rows: [][]*evaluate.Program{{}}}, rows: 1}, list)
	}
	if len(s.leaves) > tablesMax {
		return nil, fault.New(fault.TooManyTables, tablesMax)
	}
	s.simplify(it, conjuncts(where, nil))
	it, list, err := s.semis(it, conjuncts(where, nil))
	if err != nil {
		return nil, err
	}
	p, err := s.region(it, list)
	if err != nil {
		return nil, err
	}
	return p.node, s.settleAll(p.node)
}

// settleAll settles all scans and lookups of the frame.
func (s *scope) settleAll(n Node) error {
	switch n := n.(type) {
	case *Scan:
		for _, l := range s.leaves {
			if l.scans[n] {
				l.settle(n)
			}
		}
	case *Filter:
		return s.settleAll(n.Of)
	case *Join:
		if n.Warning != "" && !slices.Contains(s.query.Warnings, n.Warning) {
			s.query.Warnings = append(s.query.Warnings, n.Warning)
		}
		return errors.Join(n.settle(), s.settleAll(n.Left), s.settleAll(n.Right))
	}
	return nil
}

// filter puts conditions above a part.
func (s *scope) filter(p part, list []condition) (Node, error) {
	if len(list) == 0 {
		return p.node, nil
	}
	f := &Filter{Of: p.node, Estimate: Estimate{Rows: p.rows * math.Pow(rest, float64(len(list))), Cost: p.cost}}
	for _, c := range list {
		program, err := s.program(c.e, "where clause")
		if err != nil {
			return nil, err
		}
		f.Conditions, f.Trees = append(f.Conditions, program), append(f.Trees, c.e)
	}
	return f, nil
}

// filterWithEstimate is filter with the estimate.
func (s *scope) filterWithEstimate(p part, list []condition) (part, error) {
	for i := range list {
		p.cost += s.testCost(p, &list[i])
	}
	n, err := s.filter(p, list)
	p.rows *= math.Pow(rest, float64(len(list)))
	p.node = n
	return p, err
}

// partners plans the reading of a table with the values of a row of the other side.
func (r *region) partners(u *unit, kind JoinKind, list []condition, numbers []int) (inner part, err error) {
	key := fmt.Sprint(u.leaf.number, kind, numbers)
	inner, ok := r.memo[key]
	if ok {
		return inner, nil
	}
	local, _ := r.own(u.leaves, false)
	if inner, err = r.scan(u.leaf, append(slices.Clone(local), list...)); err != nil {
		return part{}, err
	}
	if inner.empty { // the values of the sample meet no branch of an OR, which says nothing of others
		plain := slices.DeleteFunc(slices.Clone(list), func(c condition) bool { return len(disjuncts(c.e, nil)) > 1 })
		if inner, err = r.scan(u.leaf, append(local, plain...)); err != nil {
			return part{}, err
		}
		inner.on = slices.DeleteFunc(slices.Clone(list),
			func(c condition) bool { return len(disjuncts(c.e, nil)) == 1 })
	}
	u.leaf.note(inner.node)
	r.memo[key] = inner
	return inner, nil
}

// programs compiles conditions of a join.
func (s *scope) programs(list []condition) (programs []*evaluate.Program, err error) {
	for _, c := range list {
		program, err := s.program(c.e, "on clause")
		if err != nil {
			return nil, err
		}
		programs = append(programs, program)
	}
	return programs, nil
}

// byValues joins a table by reading it for each row of a part with the values of that row.
func (r *region) byValues(p part, u *unit, kind JoinKind, list []condition, numbers []int) (out, inner part,
	err error) {
	inner, err = r.partners(u, kind, list, numbers)
	if err != nil {
		return out, inner, err
	}
	j := &Join{Method: Loop, Kind: kind, Left: p.node, Right: inner.node, Outer: inner.outer}
	if j.On, err = r.programs(inner.on); err != nil {
		return out, inner, err
	}
	out = part{node: j, leaves: p.leaves | u.leaves, why: p.why, refused: p.refused ||
		u.part.refused && !u.leaf.listed ||
		inner.refused, outer: p.outer, consumed: append(slices.Clone(u.part.consumed), numbers...)}
	out.rows = max(p.rows*inner.rows*math.Pow(rest, float64(len(j.On))), 0.01)
	switch kind {
	case Left:
		out.rows = max(out.rows, p.rows)
	case Semi, Anti:
		out.rows = p.rows * shareMatched(kind, inner.rows)
	}
	out.cost = p.cost + p.rows*inner.cost
	j.Estimate = Estimate{Rows: out.rows, Cost: out.cost}
	return out, inner, nil
}

// whole joins a unit by reading it once.
func (r *region) whole(p part, u *unit, kind JoinKind, list []condition) (part, error) {
	j := &Join{Method: Loop, Kind: kind, Left: p.node, Right: u.part.node, Outer: u.part.outer}
	out := part{node: j, leaves: p.leaves | u.leaves, refused: p.refused || u.part.refused, outer: p.outer}
	unique := false
	for _, c := range list {
		ok := false
		var err error
		if len(j.Outer) == 0 {
			if ok, err = r.hashKey(j, c.e, p.leaves, u.leaves); err != nil {
				return out, err
			}
		}
		if !ok {
			program, err := r.program(c.e, "on clause")
			if err != nil {
				return out, err
			}
			j.On = append(j.On, program)
		}
	}
	if len(j.LeftKeys) > 0 {
		j.Method = Hash
		unique = r.isUnique(u, list)
	}
	if out.why = p.why; len(list) > 0 {
		r.judge(&out, j, u, list)
	}
	n, m := max(p.rows, 1), max(u.part.rows, 1)
	switch {
	case kind == Semi || kind == Anti:
		out.rows = n * shareMatched(kind, m*r.matches(list, max(n, m)))
	case j.Method == Loop && len(j.Outer) > 0:
		out.rows, out.cost = n*m, p.cost+n*u.part.cost
	case j.Method == Loop:
		out.rows, out.cost = n*m, p.cost+u.part.cost+n*m*probeCost
	case unique:
		out.rows = n * min(1, m/u.leaf.entries())
	default:
		out.rows = n * m * r.matches(list, max(n, m))
	}
	if j.Method == Hash {
		out.cost = p.cost + u.part.cost + n*probeCost + m*hashCost
		if kind != Full && n < m/2 {
			j.BuildLeft = true
			out.cost = p.cost + u.part.cost + m*probeCost + n*hashCost
		}
	}
	for range j.On {
		out.rows *= rest
	}
	if kind == Left {
		out.rows = max(out.rows, p.rows)
	}
	j.Estimate = Estimate{Rows: out.rows, Cost: out.cost}
	return out, nil
}

// hashKey makes a pair of keys of an equality between both sides. ok is false for other conditions.
func (s *scope) hashKey(j *Join, e tree.Expression, left, right set) (ok bool, err error) {
	b, isBinary := e.(*tree.Binary)
	if !isBinary || b.Operator != tree.Equal && b.Operator != tree.NullSafeEqual {
		return false, nil
	}
	x, y := b.Left, b.Right
	for range 2 {
		of, err := s.condition(x)
		if err != nil {
			return false, err
		}
		other, err := s.condition(y)
		if err != nil {
			return false, err
		}
		if of.needs == 0 || other.needs == 0 || !left.has(of.needs) || !right.has(other.needs) {
			x, y = y, x
			continue
		}
		a, err := s.program(x, "on clause")
		if err != nil {
			return false, err
		}
		c, err := s.program(y, "on clause")
		if err != nil {
			return false, err
		}
		var loose *evaluate.Program
		if !hashes(a.Type(), c.Type()) {
			if !mayHash(a.Type(), c.Type()) || j.Kind == AntiNull {
				return false, nil
			}
			if loose, err = s.program(e, "on clause"); err != nil {
				return false, err
			}
			j.IsLoose = true
		}
		j.Loose = append(j.Loose, loose)
		j.LeftKeys, j.RightKeys = append(j.LeftKeys, a), append(j.RightKeys, c)
		j.NullSafe = append(j.NullSafe, b.Operator == tree.NullSafeEqual)
		return true, nil
	}
	return false, nil
}

// isUnique reports whether equalities name the whole key of a unit's table, or of a unique index of it, so that each
// row has one partner at most.
func (s *scope) isUnique(u *unit, list []condition) bool {
	if u.leaf == nil || u.leaf.table == nil {
		return false
	}
	unequal := func(name string) bool {
		return !slices.ContainsFunc(list, func(c condition) bool {
			b, ok := c.e.(*tree.Binary)
			return ok && b.Operator == tree.Equal && (u.leaf.isColumn(b.Left, name) || u.leaf.isColumn(b.Right, name))
		})
	}
	whole := func(x *schema.Index) bool {
		return !slices.ContainsFunc(x.Visible(), func(part schema.KeyPart) bool { return unequal(part.Column()) })
	}
	for x := range u.leaf.table.Descriptor.Declared() {
		if x.Unique && whole(x) {
			return true
		}
	}
	return !slices.ContainsFunc(u.leaf.table.Columns,
		func(c definition.Column) bool { return c.KeyPart >= 0 && unequal(c.Name) })
}

func (l *leaf) isColumn(e tree.Expression, name string) bool {
	c, ok := e.(*tree.Column)
	return ok && c.Table == l.name && c.Name == name
}

// judge refuses a join that compares no first column of a key or an index, and for which a table would be read whole,
// or makes it warn.
func (s *scope) judge(out *part, j *Join, u *unit, list []condition) {
	if !s.joinsWhole(u, list) {
		return
	}
	switch s.Execution.Settings.Inefficient.For(u.leaf.table) {
	case plan.RefuseInefficient:
		out.refused, out.why = true, s.joinRefusal(u.leaf, list)
	case plan.WarnInefficient:
		j.Warning = s.joinRefusal(u.leaf, list)
	}
}

// joinsWhole reports whether a table would be read whole for a join that compares no first column of a key or an index,
// and no hint allows that.
func (s *scope) joinsWhole(u *unit, list []condition) bool {
	if s.allows || slices.ContainsFunc(s.hints, func(h tree.Hint) bool { return h.Name == "_l_allow_filtering_" }) {
		return false
	}
	for _, c := range list {
		b, ok := c.e.(*tree.Binary)
		if !ok || b.Operator > tree.GreaterOrEqual {
			continue
		}
		for _, e := range [...]tree.Expression{b.Left, b.Right} {
			if c, ok := e.(*tree.Column); ok && s.leafOf(c).leads(c.Name) {
				return false
			}
		}
	}
	return u.leaf != nil && u.leaf.table != nil && u.part.whole
}

// joinRefusal is why a join by columns of a table that no key begins with is refused: each row of the other side would
// mean a look at all of its rows.
func (s *scope) joinRefusal(l *leaf, list []condition) string {
	var columns []string
	for _, c := range list {
		for _, column := range evaluate.Columns(c.e) {
			if column.Table == l.name {
				columns = append(columns, column.Name)
			}
		}
	}
	if len(columns) == 0 {
		return ""
	}
	return fmt.Sprintf("Detect inefficient query: %s This query may be a full table scan and thus may have unpredictable performance. It joins %s by %s, "+
		"with which neither its key nor an index begins, and would read all of its about %d rows. To fix it, join by the first key column of one of the tables; "+
		"create an index: CREATE INDEX idx_%s_%s ON %s(%s); or allow it with the hint /*+ _l_allow_filtering_ */ directly after SELECT",
		s.text(), l.table.Name, strings.Join(columns, ", "), int64(l.entries()), l.table.Name, columns[0],
		tree.AppendName(nil, l.table.Name), tree.AppendName(nil, columns[0]))
}

// text is the statement's, for messages.
func (c *compiler) text() string {
	if c.Text == nil {
		return ""
	}
	return c.Text()
}

// leads reports whether the key or an index begins with a column; so it is of whatever is no table.
func (l *leaf) leads(name string) bool {
	if l == nil || l.table == nil {
		return true
	}
	if first := &l.table.Descriptor.Primary.Visible()[0]; first.Column() == name {
		return true
	}
	for x := range l.table.Descriptor.Declared() {
		if v := x.Visible(); len(v) > 0 && v[0].Column() == name {
			return true
		}
	}
	return false
}

// outerJoin plans a LEFT or FULL JOIN under conditions on its rows.
func (s *scope) outerJoin(it *item, above []condition) (part, error) {
	on, err := s.conditions(it.on)
	if err != nil {
		return part{}, err
	}
	left, right := it.left.leaves(), it.right.leaves()
	var toLeft, toRight, both, rest []condition
	for _, c := range above {
		if it.kind == Left && c.needs != 0 && left.has(c.needs) {
			toLeft = append(toLeft, c)
		} else {
			rest = append(rest, c)
		}
	}
	var queries []condition
	for _, c := range on {
		switch {
		case it.kind == Left && c.needs != 0 && right.has(c.needs):
			toRight = append(toRight, c)
		case c.queries:
			queries = append(queries, c)
		default:
			both = append(both, c)
		}
	}
	p, err := s.region(it.left, toLeft)
	if err != nil {
		return p, err
	}
	u := &unit{it: it.right, leaves: right, leaf: it.right.leaf}
	r, err := s.partner(u, toRight)
	if err != nil {
		return p, err
	}
	joined, err := r.pair(p, u, it.kind, both, []int{-1})
	if err != nil {
		return p, err
	}
	for _, c := range queries {
		program, err := s.program(c.e, "on clause")
		if err != nil {
			return p, err
		}
		j := joined.node.(*Join)
		j.On = append(j.On, program)
	}
	return s.filterWithEstimate(joined, rest)
}

// partner plans the right side of a join that isn't inner, under conditions of its own. The region that it returns
// joins it.
func (s *scope) partner(u *unit, list []condition) (r *region, err error) {
	r = &region{scope: s, conditions: list, memo: map[string]part{}}
	if u.leaf != nil && !slices.ContainsFunc(list, func(c condition) bool { return c.queries }) {
		return r, r.base(u)
	}
	u.leaf = nil
	u.part, err = s.region(u.it, list)
	return r, err
}
