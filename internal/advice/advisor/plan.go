// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/weftdb/weft/internal/advice/advisor/design"
	"github.com/weftdb/weft/internal/data/keytext"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/index/indexkey"
	"github.com/weftdb/weft/internal/rows/access"
	"github.com/weftdb/weft/order"
	"github.com/weftdb/weft/zorder/codec"
)

// separatorsMax is the number of keys by which the planner estimates, as the database samples them.
const separatorsMax = 1023

// layout is an index, there or not yet, as the planner sees it.
type layout struct {
	index schema.Index
	// Of an index with a Z-order, columns are the columns of its key, if the sample has values of all of them, and
	// separators keys of the sample's rows. Of other indexes the shares of a query tell more.
	columns    []*column
	separators [][]byte
}

// layoutOf is the path's layout, which is made when it is first asked for.
func (s *study) layoutOf(p *path) *layout {
	if p.layout != nil {
		return p.layout
	}
	l := &layout{index: schema.Index{Name: cmp.Or(p.index, "new"), PartitionParts: 1, KeepNulls: p.whole,
		Projection: p.projection, ID: 1}}
	if p.table {
		l.index.Name, l.index.ID, l.index.KeepNulls = "", 0, false
	}
	for _, part := range p.key {
		l.index.Key = append(l.index.Key, s.keyPart(part, p.whole && !p.table))
	}
	if p.hashed {
		l.index.Key = slices.Insert(l.index.Key, 0, keytext.HashDistribution(l.index.Key, 1))
	}
	if slices.ContainsFunc(p.key, func(part design.Part) bool { return part.Function == "zorder" }) {
		l.columns = s.seen(p.key)
	}
	if l.columns != nil {
		l.separators = s.separatorsOf(&l.index)
	}
	p.layout = l
	return l
}

// seen are the columns of a key; nil if the sample has no values of one of them.
func (s *study) seen(key []design.Part) (columns []*column) {
	for _, part := range key {
		for _, name := range part.Attributes() {
			c := s.columns[name]
			if c == nil || c.seen == 0 {
				return nil
			}
			columns = append(columns, c)
		}
	}
	return columns
}

// keyPart is a part of a key as the database declares it. The codecs of a curve are learned from the sample.
func (s *study) keyPart(p design.Part, nulls bool) schema.KeyPart {
	column := p.Name
	if p.Alias != "" {
		column = p.Alias
	}
	t := typeOf(s.keyType(column))
	part, computed, err := keytext.Parse(p.Name, t)
	if p.Function == "" || !computed || err != nil {
		return schema.KeyPart{Name: column, Args: []schema.Argument{{Column: column, Type: t}}, Type: t}
	}
	if p.Function == "zorder" {
		return s.learn(part, nulls)
	}
	return part
}

func typeOf(kind string) schema.Type {
	switch kind {
	case "N":
		return schema.Number
	case "B":
		return schema.Binary
	}
	return schema.String
}

// learn gives a Z-order the codecs that it will have once there are rows like those of the sample. An index that keeps
// nulls has codes for them.
func (s *study) learn(part schema.KeyPart, nulls bool) schema.KeyPart {
	attributes, _, err := keytext.Attributes(&part)
	if err != nil {
		return part
	}
	learned := make([]*codec.Codec, len(attributes))
	for i := range attributes {
		if nulls {
			attributes[i].Nulls = codec.NullsFirst
		}
		a, c := attributes[i], s.columns[attributes[i].Name]
		if a.Codec != codec.ChoiceRaw && a.Type.Kind != codec.Boolean && c != nil && c.seen > 0 {
			if learned[i], err = codec.Learn(a, 1, c.codecValues(), codec.LearnOptions{}); err != nil {
				return part
			}
		}
	}
	if next, err := keytext.Curve(part.Name, attributes, learned); err == nil {
		return next
	}
	return part
}

// codecValues are some values of the column, evenly over all.
func (c *column) codecValues() (list []codec.Value) {
	for i := 0; i < c.seen; i += max(1, c.seen/curveRowsMax) {
		switch v := c.sorted[i]; v.Type {
		case "N":
			list = append(list, codec.Float(v.Number))
		case "B":
			list = append(list, codec.Binary([]byte(v.Text)))
		case "BOOL":
			list = append(list, codec.Bool(v.Text == "true"))
		default:
			list = append(list, codec.Text([]byte(v.Text)))
		}
	}
	return list
}

// separatorsOf are the keys of some rows of the sample in an index, in order. Each ends in the row's own key.
func (s *study) separatorsOf(x *schema.Index) (keys [][]byte) {
	primary := &s.layoutOf(&s.paths[0]).index
	for i := range min(s.rows, separatorsMax) {
		row := i * s.rows / min(s.rows, separatorsMax)
		column := func(name string) value.Value {
			if c := s.columns[name]; c != nil {
				return valueOf(c.values[row])
			}
			return nil
		}
		key, ok, err := indexkey.AppendColumns(nil, x, column)
		if !ok || err != nil {
			continue
		}
		if whole, ok, err := indexkey.AppendColumns(key, primary, column); ok && err == nil {
			key = whole
		} else { // of a sample without it
			key = strconv.AppendInt(key, int64(row), 10)
		}
		keys = append(keys, key)
	}
	slices.SortFunc(keys, bytes.Compare)
	return keys
}

// valueOf is a value of the sample as rows hold it; nil for an absent one.
func valueOf(v design.Value) value.Value {
	switch v.Type {
	case "":
		return nil
	case "N":
		d, err := order.ParseDecimal([]byte(v.Text))
		if err != nil {
			return value.AppendFloat(nil, v.Number)
		}
		return value.AppendNumber(nil, d)
	case "B":
		return value.AppendBinary(nil, []byte(v.Text))
	case "BOOL":
		return value.AppendBool(nil, v.Text == "true")
	}
	return value.AppendString(nil, []byte(v.Text))
}

// priceOf returns the planner's estimate of a query on one path: the mean over the places that its bounds may have.
func (s *study) priceOf(q *query, p *path) price {
	if p.fields != nil {
		return s.searchFor(q, p)
	}
	out := price{index: !p.table, usable: p.table || p.index != "" && p.index == q.Index || s.holdsAll(q, p)}
	places := s.places(q, s.layoutOf(p).columns, 1, s.boxesPerQuery())
	if len(places) == 0 {
		places = [][]span{nil}
	}
	for _, at := range places {
		one, ok := s.plan(q, p, at)
		if !ok {
			return price{entries: p.entries, cost: p.entries, scan: true, index: !p.table}
		}
		out.entries += one.Rows / float64(len(places))
		out.cost += one.Cost / float64(len(places))
		out.scan, out.ordered = one.Class() == access.Full, one.Sorted
	}
	least := 1.0
	if q.Limit == 0 { // each item that matches is read
		least = math.Max(1, q.matched)
	}
	if out.entries < least {
		out.entries, out.cost = least, out.cost+least-out.entries
	}
	return out
}

// plan asks the planner for the path of a query, whose bounds on the attributes of a curve have some places. ok is
// false if the path can't answer it.
func (s *study) plan(q *query, p *path, at []span) (chosen access.Path, ok bool) {
	t := schema.Table{Primary: s.layoutOf(&s.paths[0]).index}
	ask := access.Query{Where: s.where(q, p, at), Primary: p.table, Limit: int(q.Limit),
		Matches: math.Max(1, q.matched), Wanted: q.Wanted}
	if !p.table {
		x := s.layoutOf(p).index
		t.Indexes, ask.Index = []schema.Index{x}, x.Name
	}
	if q.OrderBy != "" && (s.Table.SQL || q.Limit > 0) { // other clients sort what they get
		ask.Order = []access.Ordering{{Column: q.OrderBy, Descending: q.Descending}}
	}
	known := s.statistics(q, p)
	chosen, err := access.Choose(&t, ask, known)
	if err == nil && !s.Table.SQL && chosen.Backwards && chosen.Bound == 0 { // a Scan goes upward only
		ask.Limit, ask.Order = 0, nil
		chosen, err = access.Choose(&t, ask, known)
		chosen.Sorted = false
	}
	return chosen, err == nil
}

// statistics are figures about the path, of the values that a query asks for.
func (s *study) statistics(q *query, p *path) access.Statistics {
	one := access.IndexStatistics{Complete: true}
	one.Rows, one.Bytes = math.Max(1, p.entries), p.entries*s.itemSize
	one.Separators = s.layoutOf(p).separators
	distinct := 1.0
	for _, part := range p.key {
		share, _ := s.bound(q, part)
		distinct = math.Min(distinct/math.Max(share, 1e-18), one.Rows)
		one.Distinct, one.Shares = append(one.Distinct, distinct), append(one.Shares, share)
	}
	return access.Statistics{Rows: s.items, Bytes: s.items * s.itemSize,
		Indexes: map[uint32]access.IndexStatistics{s.layoutOf(p).index.ID: one}}
}

// bound is the share of the entries with equal parts before that a query's bounds on a part leave. equal says that
// they belong to one value.
func (s *study) bound(q *query, p design.Part) (share float64, equal bool) {
	if b, ok := q.bound(p.Name); ok && p.Function != "" && b.Narrows() { // the condition names the computed part
		return q.keeps[p.Name], b.Operator == design.Equal
	}
	share = 1
	for _, name := range p.Attributes() {
		b, ok := q.bound(name)
		if !ok || !b.Narrows() || p.Function == "concat" && !s.joins(b) {
			return share, false
		}
		share *= s.narrows(q, name)
		if b.Operator != design.Equal {
			return share, false
		}
	}
	return share, true
}

// binds reports whether a query binds a part to one value.
func (s *study) binds(q *query, p design.Part) bool {
	_, equal := s.bound(q, p)
	return equal
}

// joins reports whether a bound can be used within concat(..): numbers joined as text keep no numeric order.
func (s *study) joins(b design.Bound) bool {
	return b.Operator == design.Equal || s.columns[b.Attribute].kind != "N"
}

// narrows is the share that a bound leaves among the items that have the attribute.
func (s *study) narrows(q *query, name string) float64 {
	return math.Min(1, q.keeps[name]/s.columns[name].present)
}
