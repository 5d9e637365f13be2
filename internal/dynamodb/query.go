// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/itemkey"
)

// query is a request to walk the items of one partition of a table or an index.
type query struct {
	walk
	keyCondition  keyConditionExpression
	keyConditions keyConditions
	forward       flag
}

// statedKey is the key that the query walks by, as far as its table has the index.
func (q *query) statedKey(table *schema.Table) []schema.KeyPart {
	if x, ok := table.Index(q.indexName.value); ok {
		return x.Stated()
	}
	return nil
}

// parseLegacy reads the parameters that were there before expressions. KeyConditions become conditions once the index
// is known.
func (q *query) parseLegacy() error {
	if err := q.projection.parseLegacy(); err != nil {
		return err
	}
	if q.keyConditions.IsGiven() {
		if err := q.keyConditions.CheckKeys(); err != nil {
			return err
		}
	}
	return q.parseLegacyFilter()
}

// parseLegacyKeys turns KeyConditions into key conditions. A part of the partition key that has none is reported before
// an operator that no key can use.
func (q *query) parseLegacyKeys() (err error) {
	if !q.keyConditions.IsGiven() {
		return nil
	}
	if q.keyCondition.conditions, err = q.keyConditions.Keys(); err == nil {
		return nil
	}
	given := slices.Collect(q.keyConditions.Attributes())
	partition := q.index.Partition()
	for i := range partition {
		if !slices.ContainsFunc(given, func(name string) bool { return itemkey.Means(&partition[i], name) }) {
			return itemkey.MissingPart(&partition[i])
		}
	}
	return err
}

func (a *API) query(ctx context.Context, body, dst []byte) ([]byte, error) {
	return a.queryAs(ctx, body, dst, carriedOut)
}

func (a *API) queryAs(ctx context.Context, body, dst []byte, how explainMode) (_ []byte, err error) {
	q := take[query](a, &a.pools.query, "Query")
	defer q.release(&err)
	q.how, q.uncounted = how, how != carriedOut
	if err := q.prepare(ctx, body); err != nil {
		return nil, err
	}
	if err := q.enterIndex(); err != nil {
		return nil, err
	}
	bounds, err := q.bounds()
	if err != nil {
		return nil, err
	}
	after, err := q.startRow()
	if err != nil {
		return nil, err
	}
	if q.single = itemkey.FindsOne(q.index, q.keyCondition.conditions); q.single && after != nil {
		return nil, exception.Validation("The query can return at most one row and cannot be restarted")
	}
	if after != nil {
		if err := q.checkStart(after, bounds); err != nil {
			return nil, err
		}
	}
	return q.run(ctx, database.Query{Where: expr.Conjunction(bounds...), Reverse: q.forward.has && !q.forward.on,
		After: after}, dst)
}

// bounds judges the conditions on the key and then the filter.
func (q *query) bounds() ([]expr.Condition, error) {
	if err := q.parseLegacyKeys(); err != nil {
		return nil, err
	}
	bounds, err := itemkey.Bind(q.index, q.keyCondition.conditions)
	if err != nil {
		return nil, err
	}
	return bounds, q.checkFilter()
}

// scan is a request to walk a whole table or index, or one segment of it.
type scan struct {
	walk
	segment  integer
	segments integer // how many there are
}

func (s *scan) parseLegacy() error {
	if err := s.projection.parseLegacy(); err != nil {
		return err
	}
	return s.parseLegacyFilter()
}

func (a *API) scan(ctx context.Context, body, dst []byte) ([]byte, error) {
	return a.scanAs(ctx, body, dst, carriedOut)
}

func (a *API) scanAs(ctx context.Context, body, dst []byte, how explainMode) ([]byte, error) {
	return a.scanFor(ctx, body, dst, how, nil)
}

// scanFor is a Scan, of the items that a search finds if that isn't nil.
func (a *API) scanFor(ctx context.Context, body, dst []byte, how explainMode, search *database.SearchText) (_ []byte,
	err error) {
	s := take[scan](a, &a.pools.scan, "Scan")
	defer s.release(&err)
	s.how, s.uncounted, s.search = how, how != carriedOut, search
	s.tally.hidden = search != nil
	if err := s.prepare(ctx, body); err != nil {
		return nil, err
	}
	if err := s.enterIndex(); err != nil {
		return nil, err
	}
	after, err := s.startRow()
	if err != nil {
		return nil, err
	}
	return s.run(ctx, database.Query{
		After: after, Segment: int(s.segment.n), Segments: int(s.segments.n), Boundaries: s.boundaries,
	}, dst)
}

// checkFilter refuses a filter on key attributes: they belong into the key condition.
func (w *walk) checkFilter() error {
	what := "Filter Expression"
	if w.legacyFilter.IsGiven() {
		what = "QueryFilter"
	}
	parts := w.index.Stated()
	for path := range expr.Paths(w.filter.tree) {
		if itemkey.Has(parts, path.Name) {
			return exception.Validationf("%s can only contain non-primary key attributes: Primary key attribute: %s",
				what, path.Name)
		}
	}
	return nil
}

// checkStart wants a start key that the conditions allow, those on the sort key first.
func (w *walk) checkStart(after value.Row, bounds []expr.Condition) error {
	source := expr.Source{Row: after, Names: w.pin.Names()}
	for i, bound := range slices.Backward(bounds) {
		if isImplied(bound, after, w.pin.Names()) {
			continue
		}
		within, err := expr.Match(bound, source)
		if err != nil {
			return err
		}
		if !within && i >= w.index.PartitionParts {
			return exception.Validation("The provided starting key does not match the range key predicate")
		}
		if !within {
			return exception.Validation(
				"The provided starting key is outside query boundaries based on provided conditions")
		}
	}
	return nil
}

// isImplied reports whether a condition is on a computed part that a start key leaves out, since its attributes say
// what it is.
func isImplied(bound expr.Condition, after value.Row, names value.Names) bool {
	for path := range expr.Paths(bound) {
		if _, ok := after.Get(names, []byte(path.Name)); !ok {
			return true
		}
	}
	return false
}

// searchMembers are the members of a Search that a Scan has not.
type searchMembers struct {
	Attributes []string `json:"SearchAttributes"`
	Text       *string  `json:"SearchText"`
	Mode       string   `json:"SearchMode"`  // NATURAL, the default, or BOOLEAN
	Order      string   `json:"SearchOrder"` // SCORE, the default, or KEY
}

// search is Weft's own operation Search: a Scan of the items whose words match a query, the best first. Limit is the
// number of them that are wanted; in the order of keys it is as in a Scan, with pages.
func (a *API) search(ctx context.Context, body, dst []byte) ([]byte, error) {
	return a.searchAs(ctx, body, dst, carriedOut)
}

func (a *API) searchAs(ctx context.Context, body, dst []byte, how explainMode) ([]byte, error) {
	var asked searchMembers
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil || json.Unmarshal(body, &asked) != nil {
		return nil, exception.Serialization(
			"SearchAttributes must be a list of strings, and the other members of Search strings")
	}
	text, err := asked.text()
	if err != nil {
		return nil, err
	}
	for _, own := range [...]string{"SearchAttributes", "SearchText", "SearchMode", "SearchOrder"} {
		delete(members, own)
	}
	for _, other := range [...]string{"IndexName", "Segment", "TotalSegments"} {
		if _, ok := members[other]; ok {
			return nil, exception.Validation("Search takes no " + other)
		}
	}
	if _, paged := members["ExclusiveStartKey"]; paged && !text.KeyOrder {
		return nil, exception.Validation(
			"A Search in the order of scores has one page: leave out ExclusiveStartKey, or ask with SearchOrder KEY")
	}
	scan, err := json.Marshal(members)
	if err != nil {
		return nil, err
	}
	return a.scanFor(ctx, scan, dst, how, text)
}

// text is the text to search for.
func (s *searchMembers) text() (*database.SearchText, error) {
	switch {
	case len(s.Attributes) == 0 || s.Text == nil:
		return nil, exception.Validation(
			"Search needs SearchAttributes, a list of the attributes whose words are searched, and SearchText")
	case s.Mode != "" && s.Mode != "NATURAL" && s.Mode != "BOOLEAN":
		return nil, exception.Validation("SearchMode must be NATURAL or BOOLEAN")
	case s.Order != "" && s.Order != "SCORE" && s.Order != "KEY":
		return nil, exception.Validation("SearchOrder must be SCORE or KEY")
	}
	return &database.SearchText{Columns: s.Attributes, Text: *s.Text, Boolean: s.Mode == "BOOLEAN",
		KeyOrder: s.Order == "KEY"}, nil
}
