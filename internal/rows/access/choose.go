// SPDX-License-Identifier: Apache-2.0

package access

import (
	"errors"
	"fmt"
	"slices"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/index/indexkey"
)

// Query describes the rows to find. The zero value is the whole table.
type Query struct {
	Where   expr.Condition // nil: everything
	Index   string         // the index to use; "": any, or the table itself
	Primary bool           // use the table itself
	Reverse bool           // descending; the path is the same in either direction
	// Order is the order that is wanted of rows; a path in another one has to be sorted. Limit is the number of rows
	// that are wanted; 0: all. Drops says that other conditions than Where also drop rows.
	Order []Ordering
	Limit int
	Drops bool
	// Matches is the number of rows that meet Where, as far as the caller knows; 0: as many as the most selective path
	// finds.
	Matches float64
	Wanted  []string // the attributes needed of each row; nil: all
	Ignore  []string // indexes not to use unless Index names them
	// PointsMax is the number of spans a path may have; default indexkey.SpansMaxDefault. A condition that needs more
	// leaves later key parts to the filter.
	PointsMax int
}

// Statistics are estimates about a table. The zero value stands for a table of which nothing is known.
type Statistics struct {
	Rows  float64 // default 100,000
	Bytes float64 // of all rows; default 200 for each
	// Indexes are about single indexes, by their id; what is missing there is taken from the table.
	Indexes map[uint32]IndexStatistics
	// Lists knows the lists of search indexes. nil: nobody does, and shares of the table are guessed.
	Lists Lists
}

// Lists tells how many rows parts of a search find. ok is false if it does not know.
type Lists interface {
	// Rows estimates the rows that a node of a search in an index finds, and the entries that are read for them.
	Rows(x *schema.Index, n *SearchNode) (rows, entries float64, ok bool)
	// Values returns the statistics of a field's values; column is the one that is meant of a field for all columns of
	// a pattern.
	Values(x *schema.Index, field int, column string) (known indexkey.Statistics, ok bool)
}

// IndexStatistics are estimates about one index, and one fact.
type IndexStatistics struct {
	indexkey.Statistics
	// Complete is a fact: no row that has all key attributes, of the right types, lacks an entry. It holds from the
	// start for an index made with the table, and for any whose backfill passed over no row. Default: not known, so
	// that only conditions which rule such rows out may use the index unasked.
	Complete bool
}

// Path is one way to answer a Query: read the entries of Index in Scan; those that meet Filter are the answer.
type Path struct {
	Index *schema.Index // points into the table
	Scan  indexkey.Scan
	// Filter is the part of Where that Scan does not guarantee; nil: nothing.
	Filter expr.Condition
	// Inner are the entries for which less has to be checked, where entries are not read back.
	Inner Inner
	// Search finds the rows to read within Scan, by a search index; nil: all of them are read.
	Search *Search
	// Covering says that an entry holds all that Filter and Wanted need, so that the row itself need not be read.
	Covering bool
	// Bound is the number of leading visible parts of the key the spans bind, Points that they bind all of these to
	// single values.
	Bound  int
	Points bool
	// Point says that Scan is one whole primary key: at most one row.
	Point bool
	// Single says that each span of Scan is one whole key of a unique index, without NULL: it holds one row at most.
	Single bool
	// Bounds says that this path, or another one that was compared with it, reads a part of its index only.
	Bounds bool
	// Sorted says that rows come in the order that is wanted, if the path is walked backwards where Backwards says so.
	Sorted, Backwards bool
	// The expected work until the wanted number of rows is found.
	Rows  float64 // entries expected to be examined
	Bytes float64 // of these entries
	Cost  float64 // in the cost of reading one entry after another

	seeks   float64
	chooser *chooser // for Tree
}

// IndexError says that the index a Query names can't answer.
type IndexError struct {
	Index string
	Known bool // the table has an index of that name
	State schema.State
}

func (e *IndexError) Error() string {
	if !e.Known {
		return fmt.Sprintf("access: the table has no index %q; name one that it has", e.Index)
	}
	return fmt.Sprintf("access: index %q is %s; wait until it is active", e.Index, e.State)
}

// ErrPartUnbound says that a condition on a computed key part can't be answered: no usable index has the part and binds
// it.
var ErrPartUnbound = errors.New("access: a condition names a computed key part that no usable index can bind; " +
	"name the index, and bind the parts before it to single values")

// Choose returns the cheapest path. Errors are *IndexError and ErrPartUnbound.
func Choose(t *schema.Table, q Query, s Statistics) (Path, error) {
	c := newChooser(t, &q, s)
	candidates, err := c.candidates()
	if err != nil {
		return Path{}, err
	}
	paths, err := c.paths(candidates)
	if err != nil {
		return Path{}, err
	}
	best, bounds := &paths[0], false
	for i := range paths {
		bounds = bounds || paths[i].Class() != Full
		if paths[i].beats(best) {
			best = &paths[i]
		}
	}
	best.Bounds = bounds
	return *best, nil
}

// Class is the part of an index that a path reads.
type Class uint8

// The classes of paths.
const (
	Full Class = iota // everything
	// a part: the first part of the key at least is bound, or boxes are; or nothing, since nothing can match
	Range
	Get // single rows: each span is one whole primary key
)

// Class returns the path's class.
func (p *Path) Class() Class {
	switch {
	case p.Search != nil:
		return Range
	case p.Index.IsPrimary() && p.Points && p.Bound == len(p.Index.Visible()):
		return Get
	case p.Bound > 0 || p.Scan.Curves != nil || len(p.Scan.Spans) == 0:
		return Range
	}
	return Full
}

// paths returns the paths through some indexes, at least one, with what they cost. One that is a whole primary key is
// the last: nothing is cheaper.
func (c *chooser) paths(candidates []*schema.Index) ([]Path, error) {
	paths := make([]Path, 0, len(candidates))
	for _, x := range candidates {
		if c.isHopeless(x, paths) {
			continue
		}
		if x.Search {
			if path, ok := c.searchPath(x); ok {
				paths = append(paths, path)
			}
			continue
		}
		path, ok, err := c.path(x)
		if err != nil {
			return nil, err
		}
		if ok {
			paths = append(paths, path)
		}
		if path.Point {
			break
		}
	}
	if len(paths) == 0 && len(candidates) == 1 && candidates[0].Search {
		return nil, ErrNoField
	}
	if len(paths) == 0 {
		return nil, ErrPartUnbound
	}
	c.limit(paths)
	return paths, nil
}

// isHopeless reports whether x would be read whole, for more than one of the paths costs.
func (c *chooser) isHopeless(x *schema.Index, paths []Path) bool {
	if x.IsPrimary() || x.Search || len(c.disjunctions) > 0 || len(c.query.Order) > 0 || c.query.Limit > 0 ||
		x.Visible()[0].Computed() {
		return false
	}
	first := &x.Visible()[0]
	for i := range c.conjuncts {
		if one := &c.conjuncts[i]; one.constrained &&
			(one.constraint.name == first.Name || one.constraint.name == first.Column()) {
			return false
		}
	}
	least := c.rowsOf(x) / 2 // of what reading it whole may be guessed to cost
	return slices.ContainsFunc(paths, func(p Path) bool { return p.Cost < least })
}

// tieShare is the factor by which a path may seem to cost more and still be taken because it binds more of its key:
// estimates are no better than that.
const tieShare = 1.2

// beats reports whether the path is the better of two. Of paths that seem to cost the same, the one that binds more
// parts to single values is.
func (p *Path) beats(q *Path) bool {
	if p.Covering == q.Covering && p.Points && q.Points && p.Bound != q.Bound && p.Cost < tieShare*q.Cost &&
		q.Cost < tieShare*p.Cost {
		return p.Bound > q.Bound
	}
	return p.Cost < q.Cost
}

// chooser is the work of Choose.
type chooser struct {
	table        *schema.Table
	query        *Query
	statistics   Statistics
	all          []*schema.Index
	conjuncts    []conjunct
	disjunctions []disjunction
}

// conjunct is one of the conditions that must all hold.
type conjunct struct {
	condition   expr.Condition
	constraint  constraint
	constrained bool
	computed    bool // it names a computed key part, which no row has
}

func newChooser(t *schema.Table, q *Query, s Statistics) *chooser {
	c := &chooser{table: t, query: q, statistics: s, all: indexesOf(t)}
	list := expr.Conjuncts(q.Where)
	c.conjuncts = make([]conjunct, 0, len(list))
	for _, condition := range list {
		one := conjunct{condition: c.rename(condition)}
		one.constraint, one.constrained = constrain(one.condition)
		one.computed = one.constrained && c.isComputed(one.constraint.name)
		c.conjuncts = append(c.conjuncts, one)
	}
	c.findDisjunctions()
	return c
}

// isComputed reports whether a name belongs to a computed key part, which no row has.
func (c *chooser) isComputed(name string) bool {
	return slices.ContainsFunc(c.all, func(x *schema.Index) bool { return hasComputed(x, name) })
}

// rename calls columns by their own names where the condition has those of descending parts.
func (c *chooser) rename(condition expr.Condition) expr.Condition {
	for _, x := range c.all {
		for _, p := range x.Visible() {
			if p.Column() == "" || p.Column() == p.Name {
				continue
			}
			for path := range expr.Paths(condition) {
				if path.Name == p.Name {
					condition = rename(condition, p.Name, p.Column())
					break
				}
			}
		}
	}
	return condition
}

// hasComputed reports whether x has a computed part of that name.
func hasComputed(x *schema.Index, name string) bool {
	return slices.ContainsFunc(x.Visible(), func(p schema.KeyPart) bool { return p.Computed() && p.Name == name })
}

// indexesOf returns the primary index and all others that queries may use.
func indexesOf(t *schema.Table) []*schema.Index {
	list := append(make([]*schema.Index, 0, len(t.Indexes)+1), &t.Primary)
	for x := range t.Declared() {
		list = append(list, x)
	}
	return list
}

// candidates returns the indexes to compare, the primary one first.
func (c *chooser) candidates() ([]*schema.Index, error) {
	switch {
	case c.query.Primary:
		return []*schema.Index{&c.table.Primary}, nil
	case c.query.Index != "":
		x, ok := c.table.Index(c.query.Index)
		if !ok || !x.State.Readable() {
			e := &IndexError{Index: c.query.Index, Known: ok}
			if ok {
				e.State = x.State
			}
			return nil, e
		}
		return []*schema.Index{x}, nil
	case len(c.table.Indexes) == 0:
		return c.all, nil
	}
	all := slices.Clone(c.all)
	if c.query.Where != nil {
		all = slices.AppendSeq(all, c.table.Searches())
	}
	return slices.DeleteFunc(all, func(x *schema.Index) bool {
		return !x.IsPrimary() && (!x.State.Readable() || slices.Contains(c.query.Ignore, x.Name) ||
			!x.Search && !c.holdsAll(x))
	}), nil
}

// bounds is indexkey.Bounds.
func (c *chooser) bounds(name string) (bounds []indexkey.Bound) {
	for i := range c.conjuncts {
		if one := &c.conjuncts[i]; one.constrained && one.constraint.name == name {
			if bounds == nil {
				bounds = make([]indexkey.Bound, 0, len(c.conjuncts)-i)
			}
			bounds = append(bounds, one.constraint.bound)
		}
	}
	return bounds
}

// path returns the path through one index. ok is false if it can't answer.
func (c *chooser) path(x *schema.Index) (p Path, ok bool, err error) {
	choices, alternatives, used := c.choices(x)
	plan, err := indexkey.BindChoices(x, choices, c.query.PointsMax)
	for tooMany := (*indexkey.TooManyError)(nil); errors.As(err, &tooMany); {
		plan, err = indexkey.BindLeading(x, choices, c.query.PointsMax, tooMany.Parts)
	}
	if err != nil {
		return Path{}, false, err
	}
	guaranteedIn := c.areGuaranteed(&plan, alternatives, x)
	var filter []expr.Condition
	for i := range c.conjuncts {
		one := &c.conjuncts[i]
		switch guaranteed := one.constrained && plan.Guarantees(one.constraint.name); {
		case guaranteed && (one.constraint.exact() || !x.KeepNulls):
		case guaranteedIn && slices.ContainsFunc(used, func(d int) bool { return c.disjunctions[d].conjunct == i }):
		case one.computed:
			return Path{}, false, nil
		default:
			filter = append(filter, one.condition)
		}
	}
	p = Path{Index: x, Scan: plan.Scan, Filter: expr.Conjunction(filter...), Bound: plan.Used, Points: plan.Points,
		Single: x.Unique && plan.Points && !plan.Nulls && plan.Used == len(x.Visible()), chooser: c}
	p.Point = x.IsPrimary() && plan.Points && plan.Used == len(x.Visible()) && len(plan.Spans) == 1
	p.Covering = c.covers(x, p.Filter)
	if len(used) == 0 {
		p.Inner = c.inner(&p)
	}
	p.Sorted, p.Backwards = c.serves(x)
	c.estimate(&p)
	return p, true, nil
}

// covers reports whether the entries of x hold all attributes that are needed.
func (c *chooser) covers(x *schema.Index, filter expr.Condition) bool {
	if x.IsPrimary() || x.Projection == schema.ProjectAll {
		return true
	}
	if c.query.Wanted == nil {
		return false
	}
	for _, name := range c.query.Wanted {
		if !Holds(c.table, x, name) {
			return false
		}
	}
	for path := range expr.Paths(filter) {
		if !Holds(c.table, x, path.Name) {
			return false
		}
	}
	return true
}

// Held lists the attributes that entries of an index of t hold; nil for all.
func Held(t *schema.Table, x *schema.Index) []string {
	if x.IsPrimary() || x.Projection == schema.ProjectAll {
		return nil
	}
	names := append([]string{}, x.Include...)
	for _, parts := range [][]schema.KeyPart{x.Visible(), t.Primary.Visible()} {
		for i := range parts {
			for j := range parts[i].Args {
				if column := parts[i].Args[j].Column; column != "" {
					names = append(names, column)
				}
			}
		}
	}
	return names
}

// Holds reports whether the entries of an index of t hold an attribute, in their keys or in their values.
func Holds(t *schema.Table, x *schema.Index, name string) bool {
	is := func(p schema.KeyPart) bool {
		return slices.ContainsFunc(p.Args, func(a schema.Argument) bool { return a.Column == name })
	}
	return slices.ContainsFunc(x.Visible(), is) || slices.ContainsFunc(t.Primary.Visible(), is) ||
		x.Projection == schema.ProjectAll || x.Projection == schema.ProjectInclude && slices.Contains(x.Include, name)
}
