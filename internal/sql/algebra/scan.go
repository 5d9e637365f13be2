// SPDX-License-Identifier: Apache-2.0

package algebra

import (
	"cmp"
	"math"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/plan"
	"github.com/weftdb/weft/internal/sql/tree"
)

// Costs, in that of reading one entry after another.
const (
	openCost  = 20  // to open a scan
	pointCost = 8   // to read a row by its key
	hashCost  = 1.5 // to keep a row by its keys
	probeCost = 0.5 // to look for its partners
)

// fewRows is the estimate for a query's answer about which nothing is known.
const fewRows = 1000

// part is a node with what is expected of it.
type part struct {
	node    Node
	leaves  set
	rows    float64
	cost    float64
	refused bool    // it would be refused
	why     string  // of a join that is refused as one
	outer   []Outer // to be set before it is opened
	whole   bool    // a table that is read without conditions
	// Of a scan: the columns of the key or index that bind it, how many whole keys it names (0: none), and whether
	// sample values leave nothing to read.
	bound []string
	index string // that it reads by, "" for whole keys
	keys  int
	empty bool
	// sorted says that rows come in the order that is needed.
	sorted bool
	on     []condition // of a join with it, which it does not judge
	// consumed are the conditions that it judges.
	consumed []int
}

// scan makes the node that reads a table by conditions, in which columns of other leaves are seen as parameters. They
// hold no queries.
func (s *region) scan(l *leaf, list []condition) (p part, err error) {
	p.leaves = l.set()
	r := &l.read
	var where tree.Expression
	for _, c := range list {
		e := s.rewriteForTable(l, c.e, &p)
		if where != nil {
			e = &tree.Binary{Operator: tree.And, Left: where, Right: e}
		}
		where = e
	}
	hints := r.hints
	source, err := plan.CompileSource(plan.From{Table: l.table, Alias: l.alias, Where: where, Hints: hints,
		ForceIndex: r.force, IgnoreIndex: r.ignore,
		AllowFiltering: r.allows, Statement: s.Text})
	if err != nil {
		return p, err
	}
	scan := &Scan{Table: l.pin, Alias: l.alias, Source: source, Need: plan.Need{RowsMax: -1, AnyOrder: true}}
	p.node, p.whole = scan, where == nil
	s.estimate(l, scan, list, &p)
	scan.Estimate = Estimate{Rows: p.rows, Cost: p.cost}
	return p, nil
}

// settle tells a scan which columns are wanted, now that all are known.
func (l *leaf) settle(scan *Scan) {
	to := map[int]int{}
	want := func(name string, slot int) {
		if at, ok := scan.Source.Want(name); ok {
			to[at] = slot
		}
	}
	for i, slot := range l.slots {
		if slot >= 0 {
			want(l.columns[i].Name, slot)
		}
	}
	for _, name := range l.extras {
		want(name, l.extra[name])
	}
	scan.To = make([]int, len(scan.Source.Slots))
	for i := range scan.To {
		slot, ok := to[i]
		if !ok {
			slot = -1
		}
		scan.To[i] = slot
	}
}

// rewriteForTable rewrites a condition as the table itself sees it.
func (s *scope) rewriteForTable(l *leaf, e tree.Expression, p *part) tree.Expression {
	return tree.Rebuild(e, func(e tree.Expression) tree.Expression {
		c, ok := e.(*tree.Column)
		if !ok {
			return nil
		}
		of := s.leafOf(c)
		if of == l {
			return &tree.Column{Name: c.Name, At: c.At}
		}
		slot, t := of.place(c.Name)
		for _, o := range p.outer {
			if o.Slot == slot {
				return &tree.Parameter{Index: o.Parameter}
			}
		}
		index, ok := s.joined[slot]
		if !ok {
			index = s.parameter(t)
			s.joined[slot] = index
		}
		p.outer = append(p.outer, Outer{slot, index})
		return &tree.Parameter{Index: index}
	})
}

// estimate finds what a scan costs, and whether it would be refused.
func (s *region) estimate(l *leaf, scan *Scan, list []condition, p *part) {
	x := s.Execution
	x.Pinned, x.Explain, x.Context = l.read.relation.Pinned, true, s.sample()
	whole := l.entries()
	var access plan.Access
	if err := scan.Source.Bind(&x, &scan.Need, &access); err != nil {
		p.rows, p.cost = whole, whole // it is told when the scan is opened
		return
	}
	p.sorted = access.Sorted
	p.refused = access.Class == plan.Filtering && access.Warning != "" &&
		s.Execution.Settings.Inefficient.For(l.table) == plan.RefuseInefficient
	blind := s.isBlind(list) || len(p.outer) > 0
	if access.Plan.Index != nil {
		p.index = cmp.Or(access.Plan.Index.Name, "PRIMARY")
	}
	p.bound, p.empty = boundColumns(&access, l), blind && access.Class == plan.Nothing
	switch {
	case access.Class == plan.Get, access.Class == plan.MultiGet:
		p.keys, p.index = max(access.Keys, 1), ""
		p.rows, p.cost = float64(max(access.Keys, 1)), pointCost*float64(max(access.Keys, 1))
	case access.Class == plan.Filtering:
		p.rows, p.cost = whole, openCost+whole
	case blind:
		p.rows = s.guess(l, list, whole, &access.Plan)
		p.cost = openCost + p.rows
		if !access.Plan.Covering && access.Plan.Index != nil && !access.Plan.Index.IsPrimary() {
			p.cost += pointCost * p.rows
		}
	default:
		p.rows, p.cost = access.Plan.Rows, openCost+access.Plan.Cost
	}
	for _, i := range access.Residual {
		if i < len(list) {
			p.rows *= s.share(list[i].e, list)
		}
	}
	p.rows = max(p.rows, 0.01)
}

// guess is the number of rows an index gives for values that aren't known.
func (r *region) guess(l *leaf, list []condition, whole float64, by *database.Plan) float64 {
	if by.Bound == 0 {
		return whole
	}
	if by.Points && by.Index != nil {
		rows := whole
		for _, part := range by.Index.Visible()[:min(by.Bound, len(by.Index.Visible()))] {
			if n := r.distinct(&tree.Column{Table: l.name, Name: part.Column()}, list); n > 0 {
				rows /= n
			}
		}
		if rows < whole {
			return max(rows, 0.01)
		}
		return min(whole, 1+math.Pow(whole, 1/float64(1+by.Bound))/20)
	}
	if by.Bound > 1 { // a range behind values of the first columns
		points := *by
		points.Bound, points.Points = by.Bound-1, true
		return max(1, rest*r.guess(l, list, whole, &points))
	}
	return max(1, whole/10)
}

// isBlind reports whether conditions are about values that come from queries around.
func (s *scope) isBlind(list []condition) bool {
	blind := false
	for _, c := range list {
		tree.Walk(c.e, func(e tree.Expression) bool {
			if p, ok := e.(*tree.Parameter); ok && (p.Index >= s.Parameters || s.Execution.Context == nil) {
				blind = true
			}
			return true
		})
	}
	return blind
}

// entries is about the number of rows a table has.
func (l *leaf) entries() float64 {
	if l.known == 0 {
		whole, err := l.read.relation.Pinned.Plan(database.Query{AnyIndex: true})
		l.known = max(1, whole.Rows)
		if err != nil {
			l.known = fewRows
		}
	}
	return l.known
}

// sample is a context with the statement's parameters, as far as they are known, and values of the right types for the
// others.
func (s *scope) sample() *evaluate.Context {
	x := &evaluate.Context{}
	values := make([]datum.Datum, s.Parameters+len(s.types))
	for i := range values {
		values[i] = sampleOf(s.typeOf(i))
	}
	if of := s.Execution.Context; of != nil {
		copy(values, of.Parameters[:min(len(of.Parameters), s.Parameters)])
		x.Begin(values, of.NowUS, of.Session)
		return x
	}
	x.Begin(values, 0, nil)
	return x
}

// sampleOf is some value of a type.
func sampleOf(t datum.Type) datum.Datum {
	switch {
	case t.IsText():
		return datum.TextString("a")
	case t.IsBinary():
		return datum.Binary([]byte("a"))
	}
	switch t.Base {
	case datum.Timestamp:
		return datum.TimestampUS(1 << 50)
	case datum.Date:
		return datum.DateDays(10_000)
	case datum.Time:
		return datum.TimeUS(1_000_000)
	}
	return datum.Int(1)
}
