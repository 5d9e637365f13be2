// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"fmt"
	"slices"
)

// Difference describes how a table differs from the wanted one: in its key, its rules for cells, or a column
// or an index that is wanted. It is "" for nothing, and says nothing of indexes that one of the two lacks.
func Difference(is, want *Table) string {
	if fault := keyDifference(&is.Primary, &want.Primary); fault != "" {
		return "its key " + fault
	}
	for _, c := range want.Columns {
		at := slices.IndexFunc(is.Columns, func(other Column) bool { return other.Name == c.Name })
		switch {
		case at < 0:
			return "it does not declare the column " + c.Name
		case is.Columns[at].Type != c.Type:
			return fmt.Sprintf("its column %s is declared as %s, not %s", c.Name, is.Columns[at].Type, c.Type)
		}
	}
	if fault := cellsDifference(is, want); fault != "" {
		return fault
	}
	for i := range want.Indexes {
		x, ok := is.Index(want.Indexes[i].Name)
		if !ok {
			continue
		}
		if fault := indexDifference(x, &want.Indexes[i]); fault != "" {
			return "its index " + x.Name + " " + fault
		}
	}
	return ""
}

func cellsDifference(is, want *Table) string {
	switch {
	case is.Cells == nil && want.Cells == nil:
		return ""
	case want.Cells == nil:
		return "its cells have timestamps"
	case is.Cells == nil:
		return "its cells have no timestamps"
	}
	rules := *want.Cells
	if rules.SinceMS, rules.Pending = is.Cells.SinceMS, is.Cells.Pending; !rules.Equal(is.Cells) {
		return "its rules for cells are others"
	}
	return ""
}

func indexDifference(is, want *Index) string {
	for _, one := range [...]struct {
		is, want bool
		what     string
	}{{is.Search, want.Search, "a search index"}, {is.Local, want.Local, "local"},
		{is.KeepNulls, want.KeepNulls, "one that keeps nulls"},
		{is.Unique, want.Unique, "unique"}, {is.Async != nil, want.Async != nil, "asynchronous"}} {
		switch {
		case one.is && !one.want:
			return "is " + one.what
		case one.want && !one.is:
			return "is not " + one.what
		}
	}
	if is.Async != nil && *is.Async != *want.Async {
		return "is asynchronous from another number of entries on"
	}
	if is.Projection != want.Projection || !sameNames(is.Include, want.Include) {
		return "holds other attributes"
	}
	return keyDifference(is, want)
}

func sameNames(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// keyDifference describes how a key differs from the wanted one.
func keyDifference(is, want *Index) string {
	parts := func(x *Index) (list []string) {
		for _, part := range x.Key {
			text := part.Name + " " + part.Type.String()
			switch {
			case part.Hidden:
				text = "a hash"
			case part.Function == Words:
				text = part.Name + " by " + part.Analyzer
			}
			list = append(list, text)
		}
		return list
	}
	has, wants := parts(is), parts(want)
	if !slices.Equal(has, wants) {
		return fmt.Sprintf("is %q, not %q", has, wants)
	}
	if is.PartitionParts != want.PartitionParts {
		return fmt.Sprintf("has %d parts in its partition key, not %d", is.PartitionParts, want.PartitionParts)
	}
	return ""
}

// Outline is the definition that makes the same table in another store: its name, key, columns, indexes and rules, and
// what dialects keep with it. It has no ids, states and times of this store. Of the stream that is on it has the
// images, and of its recovery the days; streams of Kinesis that changes go to are not part of it. An error is about
// what can't be made like this.
func (t *Table) Outline() (*Table, error) {
	for i := range t.Indexes {
		if x := &t.Indexes[i]; x.Partial && x.Rebuild == nil && x.State != Retiring && x.State != Dropping {
			return nil, fmt.Errorf("the index %s was built over rows that do not fit it, which another store would refuse: correct these rows and make the index again, or drop it", x.Name)
		}
	}
	if t.Cells != nil && t.Cells.Pending {
		return nil, fmt.Errorf("the table's rows are being given times of their cells: try again when that is done")
	}
	o := t.Clone()
	o.ID, o.UUID, o.Version, o.CreatedAtMS, o.Renames, o.Streams, o.Destinations = 0, "", 0, 0, 0, nil, nil
	if s, ok := t.Stream(); ok {
		o.Streams = []Stream{{Images: s.Images}}
	}
	if t.Recovery != nil {
		o.Recovery = &Recovery{Days: t.Recovery.Days}
	}
	if err := Emptied(o); err != nil {
		return nil, err
	}
	for i := range o.Indexes {
		o.Indexes[i].CreatedAtMS = 0
	}
	return o, nil
}

// Identified returns a table's key that tells any two items apart whose columns in it differ. The value of a computed
// part does not: items share the code of a Z-order, a hash, or the text that a concatenation gives. So the columns of
// computed parts stand behind the parts that were asked for, unless they are parts by themselves. rest are the declared
// columns that are not in the key; those that come into it have their declared types there. Keys of tables that were
// made before lack these parts, and stay as they are.
func Identified(key []KeyPart, columns []Column) (whole []KeyPart, rest []Column) {
	whole, rest = slices.Clone(key), slices.Clone(columns)
	for i := range key {
		if !key[i].Computed() || key[i].Hidden {
			continue
		}
		for _, a := range key[i].Args {
			if a.Column == "" || slices.ContainsFunc(whole, func(p KeyPart) bool { return p.Column() == a.Column }) {
				continue
			}
			if at := slices.IndexFunc(rest, func(c Column) bool { return c.Name == a.Column }); at >= 0 {
				a.Type = rest[at].Type
				rest = slices.Delete(rest, at, at+1)
			}
			whole = append(whole, KeyPart{Name: a.Column, Type: a.Type, Args: []Argument{a}, Identity: true})
		}
	}
	return whole, rest
}
