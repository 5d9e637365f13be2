// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/execute"
	"github.com/weftdb/weft/internal/sql/plan"
	"github.com/weftdb/weft/internal/sql/result"
)

// report gathers what is said, in its order.
type report struct {
	settings plan.Settings
	details  []detail
}

func (r *report) add(about, format string, args ...any) {
	r.details = append(r.details, detail{about, fmt.Sprintf(format, args...)})
}

// describeSelect says how a SELECT over a table is answered.
func (r *report) describeSelect(ctx context.Context, request *execute.Request) error {
	s := request.Statement
	x := request.Execution
	x.Explain = true
	limit, offset, err := s.Limits(x.Context)
	if err != nil {
		return err
	}
	wanted := -1
	if limit >= 0 && !s.Distinct {
		wanted = limit + offset
	}
	var access plan.Access
	if err := s.Bind(&x, wanted, &access); err != nil {
		return err
	}
	if access.Class != plan.Nothing {
		// Counting and sampling takes some milliseconds, is remembered, and may lead to another path.
		if _, err := x.Pinned.Explain(ctx, access.Query); err != nil {
			return err
		}
		if err := s.Bind(&x, wanted, &access); err != nil {
			return err
		}
	}
	if s.Groups != nil {
		if ends, ok, err := s.BindEnds(&x); err != nil {
			return err
		} else if ok {
			r.access(ctx, x.Pinned, s.Source, &ends[0])
			r.add("groups", "one, and every value is at an end of the key: %d seeks", len(ends))
			return nil
		}
	}
	r.access(ctx, x.Pinned, s.Source, &access)
	r.groups(s, &access)
	r.order(s, &access, limit)
	return nil
}

// access says how rows are reached.
func (r *report) access(ctx context.Context, pinned database.Pinned, source *plan.Source, a *plan.Access) {
	r.add("class", "%s", a.Class)
	r.add("table", "%s", source.Table.Name)
	if a.Class == plan.Nothing {
		r.add("reads", "nothing: no row can match")
		return
	}
	path := a.Plan.Explain()
	r.add("index", "%s (%s)", indexName(path.Index), keyText(path.Key))
	if a.Keys > 0 {
		r.add("keys", "%d", a.Keys)
	}
	r.search(&path)
	r.lag(ctx, pinned, a)
	r.spans(&path)
	r.box(path.Box)
	if a.Query.Position != nil {
		r.add("page", "continues after the row of the cursor")
	}
	if path.Filter != "" {
		r.add("filter", "%s", path.Filter)
	}
	for _, i := range a.Residual {
		r.add("where", "%s", source.Text(i))
	}
	r.add("reads", "%s", reads(a, path.Index))
	r.unusable(pinned, a)
	e := path.Estimate
	r.add("estimate", "%s entries, %s bytes, %s seeks, cost %s", count(e.Entries), count(e.Bytes), count(e.Seeks),
		count(e.Cost))
	if a.Warning != "" {
		r.add("inefficient", "%s", a.Warning)
	}
}

// unusable says which indexes can't serve, though WHERE has columns of theirs.
func (r *report) unusable(pinned database.Pinned, a *plan.Access) {
	if !a.Query.AnyIndex {
		return
	}
	for _, x := range pinned.Unusable(a.Query) {
		r.add("not used", "index %s: %s", x.Index, x.Why)
	}
}

func indexName(name string) string {
	if name == "" {
		return "PRIMARY"
	}
	return name
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

func (r *report) spans(path *database.ExplainedPath) {
	for _, span := range path.Spans {
		if span == "[ - ]" {
			span = "the whole index"
		}
		r.add("span", "%s", span)
	}
	if path.SpansMore > 0 {
		r.add("span", "and %d more", path.SpansMore)
	}
}

// search tells how a search index finds rows.
func (r *report) search(path *database.ExplainedPath) {
	for _, line := range path.Search {
		r.add("search", "%s", line)
	}
}

// lag tells how far a search index is behind that need not have all rows.
func (r *report) lag(ctx context.Context, pinned database.Pinned, a *plan.Access) {
	if !a.Plan.IsAsync() {
		return
	}
	lag, _, err := pinned.Lag(ctx)
	if err != nil {
		r.add("behind", "unknown: %v", err)
		return
	}
	r.add("behind", "the index is asynchronous: %s", lag)
}

func (r *report) box(box *database.ExplainedBox) {
	if box == nil {
		return
	}
	for i, alternative := range box.Alternatives {
		if i == alternativesShown {
			r.add("box", "or %d more", len(box.Alternatives)-i)
			break
		}
		r.add("box", "%s%s", orWord(i), alternative)
	}
	for i := range box.Attributes {
		if len(box.Alternatives) > 0 {
			break
		}
		a := &box.Attributes[i]
		where := strings.Join(a.Where, " AND ")
		if where == "" {
			where = "any"
		}
		r.add("box", "%s: %s", a.Name, where)
	}
	r.add("box", "%d of them, %.3g of the space", len(box.Boxes)+box.BoxesMore, box.Share)
}

// alternativesShown is the number of members of an OR that are written out.
const alternativesShown = 8

func orWord(i int) string {
	if i == 0 {
		return ""
	}
	return "or "
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

func (r *report) groups(s *plan.Select, a *plan.Access) {
	g := s.Groups
	switch {
	case g == nil:
	case len(g.Keys) == 0 && g.CountsRows && len(a.Residual) == 0:
		r.add("groups", "one, counted in parallel where that is faster")
	case len(g.Keys) == 0:
		r.add("groups", "one")
	case a.Grouped:
		r.add("groups", "one after another, in the order of the rows")
	default:
		r.add("groups", "in memory, up to %d bytes, then %s", r.settings.GroupBytesMax, r.beyond())
	}
	switch {
	case s.Distinct && g == nil && a.Grouped:
		r.add("distinct", "one after another, in the order of the rows")
	case s.Distinct:
		r.add("distinct", "in memory, up to %d bytes, then %s", r.settings.GroupBytesMax, r.beyond())
	}
}

// beyond says what happens when memory does not suffice.
func (r *report) beyond() string {
	if r.settings.Spill == nil {
		return "an error"
	}
	return "in files"
}

func (r *report) order(s *plan.Select, a *plan.Access, limit int) {
	switch {
	case s.Groups != nil && len(s.Order) == 0:
	case len(s.Order) == 0 && a.Query.Rank == nil:
		r.add("order", "that of the index")
	case a.Query.Rank != nil:
		r.add("order", "best score first, found in rounds; no sort")
	case a.Query.Near != nil:
		r.add("order", "nearest first, by a search along the curve; no sort")
	case a.Sorted && a.Query.Reverse:
		r.add("order", "that of the index, in reverse; no sort")
	case a.Sorted:
		r.add("order", "that of the index; no sort")
	case limit >= 0:
		r.add("order", "sorted, the first %d kept, up to %d bytes, then %s", limit, r.settings.SortBytesMax, r.beyond())
	default:
		r.add("order", "sorted in memory, up to %d bytes, then %s", r.settings.SortBytesMax, r.beyond())
	}
}

// actual says what running it took.
func (r *report) actual(s *execute.Summary, took time.Duration) {
	c := &s.Counts.Counts
	r.add("rows", "%d", s.Rows)
	if s.Groups > 0 {
		r.add("groups made", "%d", s.Groups)
	}
	r.add("examined", "%d entries, %d bytes; %d skipped by jumps; %d returned; %d met WHERE", c.Examined, c.Bytes,
		c.Skipped, c.Returned, s.Counts.Accepted)
	if c.Postings > 0 {
		r.add("postings", "%d entries of the search index", c.Postings)
	}
	if c.Dead > 0 {
		r.add("dead", "%d deleted or expired entries, %.2f for each live one; ALTER TABLE .. COMPACT removes them",
			c.Dead, float64(c.Dead)/float64(max(c.Examined, 1)))
	}
	r.add("seeks", "%d, %d of them jumps", c.Seeks, c.Jumps)
	r.add("read back", "%d rows", c.Fetched)
	if s.Workers > 1 {
		r.add("workers", "%d", s.Workers)
	}
	if s.Sorted.Sorted > 0 {
		r.add("sorted", "%d rows, in %d files of %d bytes", s.Sorted.Sorted, s.Sorted.Runs, s.Sorted.BytesSpilled)
	}
	r.add("time", "%.3f ms", float64(took.Microseconds())/1000)
}

// send tells the report to a sink.
func (r *report) send(sink result.Sink, format string) error {
	switch format {
	case "json":
		return r.sendText(sink, r.document())
	case "tree":
		var text strings.Builder
		for _, l := range r.details {
			fmt.Fprintf(&text, "-> %s: %s\n", l.About, l.Text)
		}
		return r.sendText(sink, text.String())
	}
	if err := sink.Columns([]result.Column{texts("Property", 64), texts("Value", 4096)}); err != nil {
		return err
	}
	for _, l := range r.details {
		if err := sink.Row([]datum.Datum{datum.TextString(l.About), datum.TextString(l.Text)}); err != nil {
			return err
		}
	}
	return sink.Done(result.Done{})
}

func texts(name string, length int) result.Column {
	return result.Column{Name: name, OriginalName: name, Type: datum.Type{Base: datum.Varchar, Length: length}}
}

// document is the report as JSON: a property that is said several times is a list.
func (r *report) document() string {
	properties := map[string]any{}
	for _, l := range r.details {
		switch known := properties[l.About].(type) {
		case nil:
			properties[l.About] = l.Text
		case string:
			properties[l.About] = []string{known, l.Text}
		case []string:
			properties[l.About] = append(known, l.Text)
		}
	}
	text, err := json.MarshalIndent(properties, "", "  ")
	if err != nil {
		return "{}" // texts always have a form in JSON
	}
	return string(text)
}

func (r *report) sendText(sink result.Sink, text string) error {
	if err := sink.Columns([]result.Column{texts("EXPLAIN", 1<<16)}); err != nil {
		return err
	}
	if err := sink.Row([]datum.Datum{datum.TextString(text)}); err != nil {
		return err
	}
	return sink.Done(result.Done{})
}
