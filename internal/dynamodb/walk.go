// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/itemkey"
	"github.com/weftdb/weft/internal/dynamodb/throttle"
	"github.com/weftdb/weft/internal/rows/access"
)

// boundariesName is the attribute by which the page keys of a parallel scan carry the version of the cuts between its
// segments.
const boundariesName = "weft:boundaries"

// walk is the common part of requests to Query and Scan.
type walk struct {
	target
	indexName    text
	startKey     attributes
	consistent   flag
	limit        integer
	selected     text
	filter       filterExpression
	legacyFilter legacyFilter
	operator     text
	projection
	names    nameMap
	values   valueMap
	capacity returnConsumedCapacity

	how        explainMode
	index      *schema.Index
	boundaries uint64               // of the start key
	fetch      bool                 // items are read back from the table
	fetched    capacityUnits        // what they cost, each rounded up by itself
	search     *database.SearchText // of the operation Search; nil for others
	single     bool                 // at most one item can be found: there is no key to go on from
	bound      bool                 // of a SELECT: it binds the partition key
	whole      bool                 // of a SELECT: it shows all that the table or a local index has of an item
	// of is the statement of PartiQL that walks; nil: an older operation does.
	of *executeStatement
}

// isQuery tells a Query from a Scan. A SELECT of PartiQL is a Query if it binds the partition key.
func (w *walk) isQuery() bool { return w.order.walkedKey != nil || w.bound }

// parseLegacyFilter reads QueryFilter or ScanFilter as a filter.
func (w *walk) parseLegacyFilter() (err error) {
	if hasAny(w.order.legacy) && !w.filter.has {
		w.filter.tree, err = w.legacyFilter.Condition(w.operator.value)
	}
	return err
}

// wantIndex finds the index.
func (w *walk) wantIndex(table *schema.Table) error {
	x, ok := table.Index(w.indexName.value)
	if !ok || x.Internal || x.Search || x.State == schema.Retiring || x.State == schema.Dropping {
		return exception.Validationf("The table does not have the specified index: %s", w.indexName.value)
	}
	w.index = x
	return nil
}

// enterIndex judges what is asked of the index, and finds what must be read back from the table.
func (w *walk) enterIndex() error {
	if w.index.IsPrimary() {
		return nil
	}
	if err := w.checkReadable(); err != nil {
		return err
	}
	return w.checkProjection()
}

// checkReadable refuses a secondary index that can't be read, or not as the request wants.
func (w *walk) checkReadable() error {
	x := w.index
	if !x.State.Readable() {
		return exception.Validationf("Cannot read from backfilling global secondary index: %s", x.Name)
	}
	if w.consistent.on && !x.Local {
		return exception.Validation("Consistent reads are not supported on global secondary indexes")
	}
	return nil
}

// checkProjection compares the wanted attributes with the index's. A local index reads the rest of what is shown
// from the table.
func (w *walk) checkProjection() error {
	x := w.index
	if x.Projection == schema.ProjectAll {
		return nil
	}
	missing := w.missing(pointers(w.projection.expression.list))
	all := w.selected.value == "ALL_ATTRIBUTES"
	switch {
	case x.Local:
		w.fetch = all || w.whole || len(missing) > 0
	case all:
		return exception.InvalidValue("Select type ALL_ATTRIBUTES is not supported for global secondary index %s because its projection type is not ALL", x.Name)
	case len(missing) > 0:
		return exception.InvalidValue("Global secondary index %s does not project [%s]", x.Name,
			strings.Join(missing, ", "))
	}
	return w.checkFiltered()
}

// checkFiltered refuses a Query whose filter names attributes that the index does not hold. For a Scan, no item has
// them.
func (w *walk) checkFiltered() error {
	if w.isQuery() {
		missing := w.missing(expr.Paths(w.filter.tree))
		if len(missing) == 0 {
			return nil
		}
		return exception.InvalidValue("Secondary index %s does not project one or more filter attributes: [%s]",
			w.index.Name, strings.Join(missing, ", "))
	}
	for path := range expr.Paths(w.filter.tree) {
		if w.fetch && !w.holds([]byte(path.Name)) {
			// no item has an attribute without a name: the filter does not see more of an item that is read back
			path.Name = ""
		}
	}
	return nil
}

// missing lists the attributes that paths begin with and the index does not hold.
func (w *walk) missing(paths iter.Seq[*expr.Path]) (names []string) {
	for path := range paths {
		if !w.holds([]byte(path.Name)) && !slices.Contains(names, path.Name) {
			names = append(names, path.Name)
		}
	}
	return names
}

// holds reports whether entries of the index hold an attribute.
func (w *walk) holds(name []byte) bool {
	return access.Holds(w.pin.Descriptor(), w.index, string(name))
}

// startRow is ExclusiveStartKey: the key attributes of the index and of the table, under the names that items show them
// by; nil if there is none.
func (w *walk) startRow() (value.Row, error) {
	if !w.startKey.has {
		return nil, nil
	}
	given := w.itemRow(w.row[:0])
	w.row = given
	extra := 0
	if v, ok := given.Get(w.pin.Names(), []byte(boundariesName)); ok {
		n, isInt := v.Int()
		if !isInt || n < 0 {
			return nil, exception.Validation(startKeyInvalid)
		}
		w.boundaries, extra = uint64(n), 1
	}
	index, onIndex := given.Get(w.pin.Names(), []byte(database.PageIndex))
	if onIndex = onIndex && w.index.Curved(); onIndex {
		extra++
	}
	w.builder.Reset(w.pin.Names())
	for _, x := range [...]*schema.Index{w.index, &w.pin.Descriptor().Primary} {
		if err := w.copyKey(x, given); err != nil {
			return nil, err
		}
	}
	if w.builder.Len()+extra != given.Len() {
		return nil, exception.Validation(startKeyInvalid)
	}
	if onIndex {
		if err := w.builder.Set([]byte(database.PageIndex), index); err != nil {
			return nil, exception.Validation(startKeyInvalid)
		}
	}
	w.shown = w.builder.AppendTo(w.shown[:0])
	return w.shown, nil
}

// copyKey copies the parts of one key of a start key into the builder.
func (w *walk) copyKey(x *schema.Index, given value.Row) error {
	parts := x.Visible()
	for i := range parts {
		v, ok := itemkey.Value(given, w.pin.Names(), &parts[i])
		if !ok && parts[i].Computed() && x.IsIdentified() {
			continue // the columns say what it is
		}
		if !ok {
			return exception.Validation(startKeyInvalid)
		}
		if !itemkey.Takes(&parts[i], v) {
			return w.order.startKeyFault(itemkey.Mismatch)
		}
		if err := itemkey.CheckValue(x, i, v); err != nil {
			return err
		}
		if err := w.builder.Set([]byte(itemkey.AttributeName(&parts[i])), v); err != nil &&
			err != value.ErrDuplicateName {
			return err
		}
	}
	return nil
}

// fillQuery fills in what requests for walks have in common.
func (w *walk) fillQuery(q *database.Query) {
	q.Index, q.Filter, q.Fetch = w.indexName.value, w.filter.tree, w.fetch
	if w.index.Curved() && w.filter.tree != nil {
		q.Where, q.Filter = expr.Conjunction(append(expr.Conjuncts(q.Where), w.filter.tree)...), nil
	}
	q.BytesMax, q.Wanted = w.limits.PageBytesMax, w.shownNames()
	if w.fetch {
		q.Fetched = func(bytes int) { w.fetched += readUnits(int64(bytes), w.consistent.on) }
	}
	if w.limit.has {
		q.ExaminedMax = int(min(w.limit.n, 1<<31-1))
	}
	if w.search != nil {
		q.Search, q.Index, q.Wait = w.search, "", w.consistent.on
		if !w.search.KeyOrder {
			q.Limit, q.ExaminedMax = q.ExaminedMax, 0
		}
	}
}

// run walks and answers.
func (w *walk) run(ctx context.Context, q database.Query, dst []byte) ([]byte, error) {
	w.fillQuery(&q)
	if w.how != carriedOut {
		return w.explain(ctx, q, dst)
	}
	if err := w.admitWalk(&q); err != nil {
		return nil, err
	}
	ctx = w.api.DB.Reading(ctx, w.consistent.on)
	view, release := w.api.Faults.View(ctx, w.consistent.on)
	defer release()
	cursor, err := view.Query(ctx, w.pin, q)
	if err != nil {
		return nil, w.fault(&q, err)
	}
	defer cursor.Close()
	dst = append(dst, '{')
	if w.selected.value != "COUNT" {
		dst = append(attributejson.AppendMember(dst, "Items"), '[')
		if dst, err = w.appendItems(dst, cursor, q.Limit); err != nil {
			return nil, err
		}
		dst = append(dst, ']')
	} else {
		for cursor.Next() {
		}
	}
	if dst, err = w.appendEnd(dst, cursor, q.ExaminedMax); err != nil {
		return nil, err
	}
	return dst, cursor.Close()
}

// shownNames lists the attributes that the answer shows, for those who watch what is asked; nil is all of them.
func (w *walk) shownNames() []string {
	if w.fetch || w.selected.value != "COUNT" && len(w.projection.expression.list) == 0 {
		return nil
	}
	names := make([]string, len(w.projection.expression.list)) // not nil: COUNT wants none
	for i := range w.projection.expression.list {
		names[i] = w.projection.expression.list[i].Name
	}
	return names
}

// pageFault puts the error of a page key that can't be gone on from into words.
func pageFault(err error) error {
	if errors.Is(err, database.ErrPageKey) {
		return exception.Validation(startKeyInvalid + ": " + database.ErrPageKey.Error())
	}
	return err
}

// fault puts an error of a walk's beginning into words.
func (w *walk) fault(q *database.Query, err error) error {
	if errors.Is(err, database.ErrOtherSegment) {
		return exception.Validationf(startKeyInvalid+
			": Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. "+
			"TotalSegments: %d Segment: %d", q.Segments, q.Segment)
	}
	return pageFault(err)
}

// appendItems appends what the walk finds, row by row; most of them, unless that is 0.
func (w *walk) appendItems(dst []byte, cursor *database.Cursor, most int) ([]byte, error) {
	dictionary := w.pin.Names()
	for n := 0; (most == 0 || n < most) && cursor.Next(); n++ {
		row, err := w.shownOf(cursor.Row())
		if err != nil {
			return nil, err
		}
		if n > 0 {
			dst = append(dst, ',')
		}
		dst = attributejson.AppendItem(dst, row, dictionary)
	}
	return dst, nil
}

// shownOf returns what the answer shows of an item. It lives until the next call.
func (w *walk) shownOf(row value.Row) (value.Row, error) {
	if w.of != nil {
		return w.of.columnsOf(row)
	}
	return w.projection.apply(&w.request, row)
}

// appendEnd appends what stands behind the items. A page that reached its limit has a key to go on from even if nothing
// follows. Statements of PartiQL tell no counts.
func (w *walk) appendEnd(dst []byte, cursor *database.Cursor, limit int) ([]byte, error) {
	counts := cursor.Counts()
	w.observeWalk(&counts)
	if w.of == nil {
		dst = strconv.AppendInt(attributejson.AppendMember(dst, "Count"), counts.Returned, 10)
		dst = strconv.AppendInt(attributejson.AppendMember(dst, "ScannedCount"), counts.Looked(), 10)
	}
	if cursor.More() || limit > 0 && counts.Looked() >= int64(limit) && !w.single {
		last, err := cursor.LastKey()
		if err != nil {
			return nil, err
		}
		dst = w.appendLastKey(dst, last, cursor.Boundaries())
	}
	cost := w.cost(counts)
	w.charge(throttle.Read, &cost)
	return append(w.capacity.append(dst, w.pin.Descriptor().Name, &cost), '}'), nil
}

// appendLastKey appends the key to go on from, with the version of the cuts between segments, if there is one.
func (w *walk) appendLastKey(dst []byte, last value.Row, boundaries uint64) []byte {
	dst = appendItemMember(dst, "LastEvaluatedKey", last, w.pin.Names())
	if boundaries != 0 {
		dst = append(attributejson.AppendMember(dst[:len(dst)-1], boundariesName), `{"N":"`...)
		dst = append(strconv.AppendUint(dst, boundaries, 10), `"}}`...)
	}
	if w.of != nil {
		return w.of.appendNextToken(dst, last)
	}
	return dst
}

// cost returns the capacity for the bytes of the page: those of the index, and of each item read back.
func (w *walk) cost(counts database.Counts) (c tableCapacity) {
	units := readUnits(counts.Bytes, w.consistent.on)
	if w.index.IsPrimary() {
		c.table = units
		return c
	}
	c.addIndex(w.index, units)
	c.table = w.fetched
	return c
}
