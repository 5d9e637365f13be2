// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/execute"
	"github.com/weftdb/weft/internal/sql/plan"
)

// single describes a SELECT over one table or none.
func (d *describer) single(s *plan.Select) (of steps, err error) {
	if s.Source.Table == nil {
		return d.upper(s, false, &Node{Operation: "Rows fetched before execution"}), nil
	}
	x := plan.Execution{Pinned: d.request.Pinned[0], Context: d.samples, Settings: d.request.Settings, Explain: true}
	limit, offset, err := s.Limits(d.samples)
	if err != nil {
		return of, err
	}
	wanted := -1
	if limit >= 0 && !s.Distinct {
		wanted = limit + offset
	}
	var access plan.Access
	if err := s.Bind(&x, wanted, &access); err != nil {
		return of, err
	}
	if access.Class != plan.Nothing {
		// Counting and sampling takes some milliseconds, is remembered, and may lead to another path.
		if _, err := x.Pinned.Explain(d.ctx, access.Query); err != nil {
			return of, err
		}
		if err := s.Bind(&x, wanted, &access); err != nil {
			return of, err
		}
	}
	var ends []plan.Access
	if s.Groups != nil {
		if ends, _, err = s.BindEnds(&x); err != nil {
			return of, err
		}
	}
	rows, by := &Node{}, &access
	if len(ends) > 0 {
		by = &ends[0]
	}
	d.access(rows, x.Pinned, s.Source.Name(), s.Source, by)
	of = d.upper(s, access.Sorted && s.Groups == nil, rows)
	d.groups(&of, s, &access, len(ends))
	d.order(&of, s, &access, limit)
	return of, nil
}

// access says how rows are reached.
func (d *describer) access(n *Node, pinned database.Pinned, alias string, source *plan.Source, a *plan.Access) {
	n.Operation = "Table scan on " + alias
	n.add("class", "%s", a.Class)
	n.add("table", "%s", source.Table.Name)
	if a.Class == plan.Nothing {
		n.add("reads", "nothing: no row can match")
		return
	}
	path := a.Plan.Explain()
	switch {
	case len(path.Search) > 0:
		n.Operation = "Index search on " + alias
	case a.Class == plan.Get, a.Class == plan.MultiGet:
		n.Operation = "Row lookup on " + alias + " using " + indexName(path.Index)
	case a.Class == plan.Range && a.Plan.Bound > 0, a.Query.Near != nil:
		n.Operation = "Index range scan on " + alias + " using " + indexName(path.Index)
	}
	if n.Cost == 0 {
		n.Cost = path.Estimate.Cost
		if path.Filter == "" && len(a.Residual) == 0 { // how many rows conditions leave isn't known
			n.Rows = path.Estimate.Entries
		}
	}
	n.add("index", "%s (%s)", indexName(path.Index), keyText(path.Key))
	if a.Keys > 0 {
		n.add("keys", "%d", a.Keys)
	}
	for _, one := range path.Properties() {
		n.add(one.About, "%s", one.Text)
	}
	d.lag(n, pinned, a)
	if a.Query.Position != nil {
		n.add("page", "continues after the row of the cursor")
	}
	for _, i := range a.Residual {
		n.add("where", "%s", source.Text(i))
	}
	n.add("reads", "%s", reads(a, path.Index))
	n.unusable(pinned, a)
	n.add("estimate", "%v", path.Estimate)
	if a.Warning != "" {
		n.add("inefficient", "%s", a.Warning)
	}
}

// unusable says which indexes can't serve, though WHERE has columns of theirs.
func (n *Node) unusable(pinned database.Pinned, a *plan.Access) {
	if !a.Query.AnyIndex {
		return
	}
	for _, x := range pinned.Unusable(a.Query) {
		n.add("not used", "index %s: %s", x.Index, x.Why)
	}
}

func indexName(name string) string {
	return cmp.Or(name, "PRIMARY")
}

// keyText writes the parts of a key as CREATE INDEX does.
func keyText(parts []string) string {
	written := make([]string, len(parts))
	for i, part := range parts {
		written[i] = part
		if inner, ok := strings.CutPrefix(part, "desc("); ok {
			written[i] = strings.TrimSuffix(inner, ")") + " DESC"
		}
	}
	return strings.Join(written, ", ")
}

func count(x float64) string { return fmt.Sprintf("%.0f", math.Ceil(x)) }

// lag tells how far a search index is behind that need not have all rows.
func (d *describer) lag(n *Node, pinned database.Pinned, a *plan.Access) {
	if !a.Plan.IsAsync() {
		return
	}
	lag, _, err := pinned.Lag(d.ctx)
	if err != nil {
		n.add("behind", "unknown: %v", err)
		return
	}
	n.add("behind", "the index is asynchronous: %s", lag)
}

// reads reports whether entries are all that is read.
func reads(a *plan.Access, index string) string {
	switch {
	case index == "":
		return "rows of the table"
	case a.Plan.Covering:
		return "only the index, whose entries have all needed columns"
	}
	return "entries of the index, then the row of each"
}

// groups says how groups are made, and duplicates found. ends is the number of ends of keys that are read instead.
func (d *describer) groups(of *steps, s *plan.Select, a *plan.Access, ends int) {
	g := s.Groups
	switch {
	case g == nil:
	case ends > 0:
		of.group.add("groups", "one, and every value is at an end of the key: %d seeks", ends)
	case len(g.Keys) == 0 && g.CountsRows && len(a.Residual) == 0:
		of.group.add("groups", "one, counted in parallel where that is faster")
	case len(g.Keys) == 0:
		of.group.add("groups", "one")
	case a.Grouped:
		of.group.add("groups", "one after another, in the order of the rows")
	default:
		of.group.add("groups", "in memory, up to %d bytes, then %s", d.settings.GroupBytesMax, d.beyond())
	}
	switch {
	case s.Distinct && g == nil && a.Grouped:
		of.distinct.add("distinct", "one after another, in the order of the rows")
	case s.Distinct:
		of.distinct.add("distinct", "in memory, up to %d bytes, then %s", d.settings.GroupBytesMax, d.beyond())
	}
}

// beyond says what happens when memory does not suffice.
func (d *describer) beyond() string {
	if d.settings.Spill == nil {
		return "an error"
	}
	return "in files"
}

// order says in which order rows come, and how they are sorted.
func (d *describer) order(of *steps, s *plan.Select, a *plan.Access, limit int) {
	switch {
	case of.sort != nil && limit >= 0:
		of.sort.add("order", "sorted, the first %d kept, up to %d bytes, then %s", limit, d.settings.SortBytesMax,
			d.beyond())
	case of.sort != nil:
		of.sort.add("order", "sorted in memory, up to %d bytes, then %s", d.settings.SortBytesMax, d.beyond())
	case s.Groups != nil:
	case a.Query.Rank != nil:
		of.rows.add("order", "best score first, found in rounds; no sort")
	case a.Query.Near != nil:
		of.rows.add("order", "nearest first, by a search along the curve; no sort")
	case len(s.Order) == 0:
		of.rows.add("order", "that of the index")
	case a.Query.Reverse:
		of.rows.add("order", "that of the index, in reverse; no sort")
	default:
		of.rows.add("order", "that of the index; no sort")
	}
}

// note notes in the steps of a single SELECT what running it took.
func (of *steps) note(s *execute.Summary) {
	c, rows := &s.Read.Counts, of.rows
	rows.Actual = &Actual{Rows: s.Read.Accepted, Loops: 1}
	rows.add("examined", "%d entries, %d bytes; %d skipped by jumps; %d returned; %d met WHERE", c.Examined, c.Bytes,
		c.Skipped, c.Returned, s.Read.Accepted)
	if c.Postings > 0 {
		rows.add("postings", "%d entries of the search index", c.Postings)
	}
	if c.Dead > 0 {
		rows.add("dead", "%d deleted or expired entries, %.2f for each live one; ALTER TABLE .. COMPACT removes them",
			c.Dead, float64(c.Dead)/float64(max(c.Examined, 1)))
	}
	rows.add("seeks", "%d, %d of them jumps", c.Seeks, c.Jumps)
	rows.add("read back", "%d rows", c.Fetched)
	if s.Workers > 1 {
		rows.add("workers", "%d", s.Workers)
	}
	if of.group != nil {
		of.group.Actual = &Actual{Rows: s.Groups, Loops: 1}
	}
	if of.sort != nil {
		of.sort.Actual = &Actual{Rows: s.Sorted.Rows, Loops: 1, BytesSpilled: s.Sorted.BytesSpilled}
		of.sort.add("sorted", "%d rows, in %d files of %d bytes", s.Sorted.Sorted, s.Sorted.Runs,
			s.Sorted.BytesSpilled)
	}
	of.top.Actual = &Actual{Rows: s.Rows, Loops: 1}
}
