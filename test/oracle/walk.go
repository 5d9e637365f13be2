// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"slices"
	"strconv"
	"strings"
)

// pageBytesMax is how much a page holds before the item that is one too many, which still belongs to it.
const pageBytesMax = 1 << 20

// walk does Query and Scan, the latter not in segments.
func (m *Model) walk(r *Request, t *Table) *Answer {
	x := t.index(r.Index)
	if x == nil {
		return failed(invalid("The table does not have the specified index: " + r.Index))
	}
	texts, fetch := t.walkFaults(x, r)
	if r.Operation == "Query" {
		texts = append(texts, t.testFaults(x, r)...)
	}
	if len(texts) == 0 && r.Start != nil {
		texts = t.startFaults(x, r)
	}
	if len(texts) > 0 {
		return failed(invalid(texts...))
	}
	p := page{request: r, table: t, index: x, fetch: fetch}
	p.examine()
	return p.answer()
}

// walkFaults judges what a request asks of an index. fetch says that a local index reads the items themselves.
func (t *Table) walkFaults(x *Index, r *Request) (texts []string, fetch bool) {
	if x.Name != "" && !x.Local && r.Consistent {
		texts = append(texts, "Consistent reads are not supported on global secondary indexes")
	}
	if unseen := t.unprojected(x, r.Filter.paths()); r.Operation == "Query" && len(unseen) > 0 {
		texts = append(texts, textInvalid+"Secondary index "+x.Name+
			" does not project one or more filter attributes: ["+strings.Join(unseen, ", ")+"]")
	}
	missing := t.unprojected(x, r.Projection)
	all := r.Select == "ALL_ATTRIBUTES" && x.Projection != "ALL"
	switch {
	case x.Local:
		return texts, all || len(missing) > 0
	case all:
		texts = append(texts, textInvalid+"Select type ALL_ATTRIBUTES is not supported for global secondary index "+
			x.Name+" because its projection type is not ALL")
	case len(missing) > 0:
		texts = append(texts, textInvalid+"Global secondary index "+x.Name+" does not project ["+
			strings.Join(missing, ", ")+"]")
	}
	return texts, false
}

// testFaults judges the key conditions and the filter of a query.
func (t *Table) testFaults(x *Index, r *Request) (texts []string) {
	found := 0
	for i, part := range x.key() {
		test := testOn(r.KeyTests, part.Name)
		if i == len(x.Hash) {
			if texts = append(texts, x.gapFault(r.KeyTests)...); len(texts) > 0 {
				return texts
			}
		}
		if test == nil {
			if i < len(x.Hash) || found < len(r.KeyTests) {
				texts = append(texts, "Query condition missed key schema element: "+part.Name)
			}
			break
		}
		found++
		if test.Op != "=" && (i < len(x.Hash) || found < len(r.KeyTests)) {
			texts = append(texts, "Query key condition not supported")
		}
		for _, v := range test.Values {
			if v.Type != part.Type {
				texts = append(texts, textInvalid+"Condition parameter type does not match schema type")
				continue
			}
			texts = append(texts, lengthFaults(v, i >= len(x.Hash),
				"The AttributeValue for a key attribute "+emptyText(v)+" Key: "+part.Name)...)
		}
	}
	if found < len(r.KeyTests) {
		texts = append(texts, "Query key condition not supported")
	}
	for _, path := range r.Filter.paths() {
		if slices.Contains(namesOf(x.key()), path.Name) {
			texts = append(texts, "Filter Expression can only contain non-primary key attributes: Primary key attribute: "+path.Name)
		}
	}
	return texts
}

// gapFault wants equality on each range attribute in front of one that has a condition.
func (x *Index) gapFault(tests []KeyTest) (fault []string) {
	var free []string
	for _, part := range x.Range {
		test := testOn(tests, part.Name)
		if test != nil && free != nil {
			fault = []string{"RANGE key attributes " + strings.Join(free, ", ") +
				" must have equality conditions specified in the query " +
				"because a condition is present on key attribute " + part.Name}
		}
		if test == nil || test.Op != "=" {
			free = append(free, part.Name)
		}
	}
	return fault
}

func testOn(tests []KeyTest, name string) *KeyTest {
	for i := range tests {
		if tests[i].Name == name {
			return &tests[i]
		}
	}
	return nil
}

// startFaults judges ExclusiveStartKey.
func (t *Table) startFaults(x *Index, r *Request) (texts []string) {
	parts := slices.Concat(x.key(), t.key())
	wanted := r.Start.only(namesOf(parts))
	for _, part := range parts {
		switch v := r.Start[part.Name]; {
		case v == nil:
			return []string{textStartKey}
		case v.Type != part.Type:
			if r.Operation == "Scan" {
				return []string{textStartKey}
			}
			return []string{textStartKey + ": " + textKeySchema}
		}
	}
	if len(wanted) != len(r.Start) {
		return []string{textStartKey}
	}
	if t.findsOne(x, r) {
		return []string{textSingle}
	}
	for _, test := range r.KeyTests {
		if test.holds(r.Start) {
			continue
		}
		if !slices.Contains(namesOf(x.Hash), test.Name) {
			return []string{"The provided starting key does not match the range key predicate"}
		}
		texts = append(texts, "The provided starting key is outside query boundaries based on provided conditions")
	}
	return texts
}

const textSingle = "The query can return at most one row and cannot be restarted"

// findsOne reports whether the conditions leave one item at most: they give each attribute of the table's key its
// value.
func (t *Table) findsOne(x *Index, r *Request) bool {
	return x.Name == "" && r.Operation == "Query" && !slices.ContainsFunc(t.key(), func(part Part) bool {
		test := testOn(r.KeyTests, part.Name)
		return test == nil || test.Op != "="
	})
}

func (k *KeyTest) holds(item Item) bool {
	return test(k.Op, append([]*Value{item[k.Name]}, k.Values...))
}

// page is one page of a walk.
type page struct {
	request *Request
	table   *Table
	index   *Index
	fetch   bool

	items        []Item
	examined     int
	bytes        int
	fetchedUnits int
	last         Item // of the items examined
	more         bool
}

func (p *page) examine() {
	r := p.request
	list := p.table.sorted(p.index)
	if r.Backward {
		slices.Reverse(list)
	}
	for _, item := range list {
		if !p.within(item) {
			continue
		}
		view := p.table.view(p.index, item)
		if p.bytes > pageBytesMax || r.Limit > 0 && p.examined == r.Limit {
			p.more = true
			return
		}
		p.examined++
		p.bytes += view.Size()
		p.last = item
		whole := view
		if p.fetch {
			whole = item
			p.fetchedUnits += readCost(item.Size(), r.Consistent)
		}
		if r.Filter == nil || r.Filter.holds(view) { // whatever is read back to be shown
			p.items = append(p.items, p.project(whole, view))
		}
	}
	p.more = r.Limit > 0 && p.examined == r.Limit
}

// within reports whether an item lies behind the start key and in the conditions' range.
func (p *page) within(item Item) bool {
	r := p.request
	if r.Start != nil {
		c := p.table.compare(p.index, item, r.Start)
		if c == 0 || (c < 0) != r.Backward {
			return false
		}
	}
	return !slices.ContainsFunc(r.KeyTests, func(test KeyTest) bool { return !test.holds(item) })
}

func (p *page) project(whole, view Item) Item {
	r := p.request
	switch {
	case r.Projection != nil:
		return project(r.Projection, whole)
	case r.Select == "ALL_ATTRIBUTES":
		return whole
	}
	return view
}

func (p *page) answer() *Answer {
	a := &Answer{Members: map[string]string{
		"Count": strconv.Itoa(len(p.items)), "ScannedCount": strconv.Itoa(p.examined),
	}}
	if p.request.Select != "COUNT" {
		a.Members["Items"] = itemsJSON(p.items)
	}
	if p.more && !p.table.findsOne(p.index, p.request) {
		a.Next = p.last.only(namesOf(slices.Concat(p.index.key(), p.table.key())))
		a.Members["LastEvaluatedKey"] = a.Next.String()
	}
	c := cost{}
	if p.index.Name == "" {
		c.table = readCost(p.bytes, p.request.Consistent)
	} else {
		c.table = p.fetchedUnits
		c.add(p.index.Name, readCost(p.bytes, p.request.Consistent))
	}
	a.addCapacity(p.request, p.table, c)
	return a
}

func itemsJSON(items []Item) string {
	var b []byte
	for i, item := range items {
		if i > 0 {
			b = append(b, ',')
		}
		b = item.appendJSON(b, false)
	}
	return "[" + string(b) + "]"
}
