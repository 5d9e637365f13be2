// SPDX-License-Identifier: Apache-2.0

package filter

import (
	"bytes"
	"math"
	"slices"
	"strconv"
)

// Names returns the names of all filters.
func Names() []string {
	return []string{
		"PrefixFilter", "RowFilter", "FamilyFilter", "QualifierFilter", "ValueFilter", "InclusiveStopFilter",
		"FuzzyRowFilter", "KeyOnlyFilter", "FirstKeyOnlyFilter",
		"ColumnPrefixFilter", "MultipleColumnPrefixFilter", "ColumnRangeFilter", "ColumnCountGetFilter",
		"ColumnPaginationFilter", "PageFilter", "TimestampsFilter",
		"DependentColumnFilter", "SingleColumnValueFilter", "SingleColumnValueExcludeFilter", "ColumnValueFilter",
		"MultiRowRangeFilter", "RandomRowFilter",
		"FirstKeyValueMatchingQualifiersFilter",
	}
}

// build makes the filter that a name and arguments say.
func (l *leaf) build() error {
	switch l.name {
	case "PrefixFilter":
		return l.prefix()
	case "RowFilter", "FamilyFilter", "QualifierFilter", "ValueFilter":
		return l.compare()
	case "InclusiveStopFilter":
		return l.inclusiveStop()
	case "FuzzyRowFilter":
		return l.fuzzyRow()
	case "KeyOnlyFilter", "FirstKeyOnlyFilter":
		return l.keysOnly()
	case "ColumnPrefixFilter", "MultipleColumnPrefixFilter":
		return l.columnPrefixes()
	case "ColumnRangeFilter":
		return l.columnRange()
	case "ColumnCountGetFilter", "ColumnPaginationFilter", "PageFilter":
		return l.counted()
	case "TimestampsFilter":
		return l.timestamps()
	case "DependentColumnFilter":
		return l.dependentColumn()
	case "SingleColumnValueFilter", "SingleColumnValueExcludeFilter":
		return l.singleColumn()
	case "ColumnValueFilter":
		return l.columnValue()
	case "MultiRowRangeFilter":
		return l.rowRanges()
	case "RandomRowFilter":
		return l.randomRow()
	case "FirstKeyValueMatchingQualifiersFilter":
		return l.firstMatch()
	}
	return refuse("filter %s is not supported", l.name)
}

// want wants a number of arguments.
func (l *leaf) want(counts ...int) error {
	if slices.Contains(counts, len(l.args)) {
		return nil
	}
	text := strconv.Itoa(counts[0])
	for _, n := range counts[1:] {
		text += " or " + strconv.Itoa(n)
	}
	return refuse("%s takes %s arguments, not %d", l.name, text, len(l.args))
}

// reader reads arguments in their order; its first error stays.
type reader struct {
	leaf *leaf
	at   int
	err  error
}

func (r *reader) next(quoted bool, what string) []byte {
	r.at++
	a := r.leaf.args[r.at-1]
	if a.isQuoted != quoted {
		r.fail(what)
	}
	return a.text
}

func (r *reader) fail(what string) {
	if r.err == nil {
		r.err = refuse("argument %d of %s must be %s", r.at, r.leaf.name, what)
	}
}

func (r *reader) text() []byte { return r.next(true, "a text between single quotes") }

func (r *reader) number(most int64) int64 {
	const what = "a number that is not negative"
	n, err := strconv.ParseInt(string(r.next(false, what)), 10, 64)
	if err != nil || n < 0 || n > most {
		r.fail(what)
	}
	return n
}

func (r *reader) boolean() bool {
	const what = "true or false"
	text := r.next(false, what)
	is := bytes.EqualFold(text, []byte("true"))
	if !is && !bytes.EqualFold(text, []byte("false")) {
		r.fail(what)
	}
	return is
}

// comparison reads an operator and a comparator.
func (r *reader) comparison() *comparison {
	const what = "one of <, <=, =, !=, >, >="
	c := &comparison{operator: operatorOf(r.next(false, what))}
	if c.operator == noOperator {
		r.fail(what)
	}
	text := r.text()
	if r.err == nil {
		r.err = c.setComparator(text)
	}
	if r.err == nil && c.isText() && c.operator != equal && c.operator != notEqual {
		r.err = refuse("%s: regexstring and substring go with = and != only", r.leaf.name)
	}
	return c
}

func (l *leaf) prefix() error {
	if err := l.want(1); err != nil {
		return err
	}
	r := reader{leaf: l}
	prefix := r.text()
	l.start = func(read Read) state {
		return &prefixFilter{rowState: rowState{out: true}, prefix: prefix, reversed: read.Reversed}
	}
	l.keys = func(bool) []Span { return []Span{prefixSpan(prefix)} }
	return r.err
}

func (l *leaf) compare() error {
	if err := l.want(2); err != nil {
		return err
	}
	r := reader{leaf: l}
	c := r.comparison()
	test := &cellTest{}
	switch l.name {
	case "RowFilter":
		l.keys = func(bool) []Span { return []Span{c.span()} }
		l.start = func(Read) state { return &rowFilter{comparison: c} }
		return r.err
	case "FamilyFilter":
		test.passes, test.step = func(cell *Cell) bool { return c.holds(cell.Family) }, nextFamily
	case "QualifierFilter":
		test.passes = func(cell *Cell) bool { return c.holds(cell.Qualifier) }
	default:
		test.passes = func(cell *Cell) bool { return c.holds(cell.Value) }
	}
	l.start = func(Read) state { return test }
	return r.err
}

func (l *leaf) inclusiveStop() error {
	if err := l.want(1); err != nil {
		return err
	}
	r := reader{leaf: l}
	stop := r.text()
	begin := func(reversed bool) *inclusiveStop { return &inclusiveStop{stop: stop, reversed: reversed} }
	l.start = func(read Read) state { return begin(read.Reversed) }
	l.keys = func(reversed bool) []Span { return []Span{begin(reversed).span()} }
	return r.err
}

// fuzzyRow reads pairs of a key and of a mask in which 0 is a byte that counts and 1 one that does not.
func (l *leaf) fuzzyRow() error {
	if len(l.args) == 0 || len(l.args)%2 != 0 {
		return refuse("%s takes pairs of a key and a mask", l.name)
	}
	r := reader{leaf: l}
	var patterns []fuzzyPattern
	for range len(l.args) / 2 {
		p := fuzzyPattern{key: r.text()}
		for _, b := range r.text() {
			if b != '0' && b != '1' && b > 1 {
				r.fail("a mask of 0 for each byte that counts and 1 for each that does not")
			}
			p.fixed = append(p.fixed, b == '0' || b == 0)
		}
		if len(p.fixed) != len(p.key) {
			r.fail("a mask as long as the key before it")
		}
		patterns = append(patterns, p)
	}
	l.start = func(Read) state { return &fuzzyRow{patterns: patterns} }
	l.keys = func(bool) []Span { return (&fuzzyRow{patterns: patterns}).spans() }
	return r.err
}

func (l *leaf) keysOnly() error {
	if l.name == "FirstKeyOnlyFilter" {
		l.start = func(Read) state { return &firstKeyOnly{} }
		return l.want(0)
	}
	if err := l.want(0, 1); err != nil {
		return err
	}
	r := reader{leaf: l}
	lengths := len(l.args) == 1 && r.boolean()
	l.start = func(Read) state { return &keyOnly{lengths: lengths} }
	return r.err
}

func (l *leaf) columnPrefixes() error {
	if len(l.args) == 0 || len(l.args) > 1 && l.name == "ColumnPrefixFilter" {
		return l.want(1)
	}
	r := reader{leaf: l}
	all := make([][]byte, len(l.args))
	for i := range all {
		all[i] = r.text()
	}
	slices.SortFunc(all, bytes.Compare)
	kept := all[:1]
	for _, prefix := range all[1:] {
		if !bytes.HasPrefix(prefix, kept[len(kept)-1]) {
			kept = append(kept, prefix)
		}
	}
	l.start = func(Read) state { return &columnPrefixes{prefixes: kept} }
	return r.err
}

// columnRange includes the columns between two; an empty one is no bound.
func (l *leaf) columnRange() error {
	if err := l.want(4); err != nil {
		return err
	}
	r := reader{leaf: l}
	low, withLow, high, withHigh := r.text(), r.boolean(), r.text(), r.boolean()
	test := &cellTest{passes: func(c *Cell) bool {
		fromLow, toHigh := bytes.Compare(c.Qualifier, low), bytes.Compare(high, c.Qualifier)
		return (len(low) == 0 || fromLow > 0 || fromLow == 0 && withLow) &&
			(len(high) == 0 || toHigh > 0 || toHigh == 0 && withHigh)
	}}
	l.start = func(Read) state { return test }
	return r.err
}

func (l *leaf) counted() error {
	r := reader{leaf: l}
	if l.name == "ColumnPaginationFilter" {
		if err := l.want(2); err != nil {
			return err
		}
		limit := r.number(math.MaxInt32)
		if l.args[1].isQuoted {
			column := r.text()
			l.start = func(Read) state { return &columnsFrom{limit: limit, column: column} }
			return r.err
		}
		offset := r.number(math.MaxInt32)
		l.start = func(Read) state { return &columnPagination{limit: limit, offset: offset} }
		return r.err
	}
	if err := l.want(1); err != nil {
		return err
	}
	if l.name == "PageFilter" {
		size := r.number(math.MaxInt64)
		l.start = func(Read) state { return &page{size: size} }
		return r.err
	}
	limit := r.number(math.MaxInt32)
	l.start = func(Read) state { return &columnCount{limit: limit} }
	return r.err
}

func (l *leaf) timestamps() error {
	r := reader{leaf: l}
	times := make([]int64, len(l.args))
	for i := range times {
		times[i] = r.number(math.MaxInt64)
	}
	slices.Sort(times)
	l.start = func(Read) state { return &timestamps{times: times} }
	return r.err
}

func (l *leaf) dependentColumn() error {
	if err := l.want(2, 3, 5); err != nil {
		return err
	}
	r := reader{leaf: l}
	d := dependentColumn{family: r.text(), qualifier: r.text()}
	if len(l.args) > 2 {
		d.drops = r.boolean()
	}
	if len(l.args) > 3 {
		d.comparison = r.comparison()
	}
	l.start = func(Read) state {
		own := d
		return &own
	}
	return r.err
}

func (l *leaf) singleColumn() error {
	if err := l.want(4, 6); err != nil {
		return err
	}
	r := reader{leaf: l}
	s := singleColumn{family: r.text(), qualifier: r.text(), comparison: r.comparison()}
	if len(l.args) == 6 {
		s.wantsColumn, s.anyVersion = r.boolean(), !r.boolean()
	}
	s.excludes = l.name == "SingleColumnValueExcludeFilter"
	l.start = func(Read) state {
		own := s
		return &own
	}
	return r.err
}
