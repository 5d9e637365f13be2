// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"fmt"
	"slices"
	"strings"
)

// WordsName is the name of a field of words of some columns.
func WordsName(columns []Argument) string {
	names := make([]string, len(columns))
	for i := range columns {
		names[i] = columns[i].Column
	}
	return "words(" + strings.Join(names, ",") + ")"
}

// RenameAttribute renames an attribute in all keys, projections and declarations of the table. The settings of dialects
// stay as they are. The table is not changed on an error: the attribute may be an argument of a computed key part,
// whose name spells it, or the new name may be taken.
func (t *Table) RenameAttribute(from, to string) error {
	indexes := []*Index{&t.Primary}
	for i := range t.Indexes {
		indexes = append(indexes, &t.Indexes[i])
	}
	for _, x := range indexes {
		for i := range x.Key {
			for _, a := range x.Key[i].Args {
				if x.Key[i].Computed() && !x.Key[i].Hidden && !x.Search && (a.Column == from || a.Column == to) {
					return fmt.Errorf("schema: key part %s is computed from %s", x.Key[i].Name, a.Column)
				}
			}
		}
	}
	if slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Name == to }) {
		return fmt.Errorf("schema: there is a column %s", to)
	}
	rename := func(name *string) {
		if *name == from {
			*name = to
		}
	}
	for i := range t.Columns {
		rename(&t.Columns[i].Name)
	}
	for _, x := range indexes {
		x.Include = slices.Clone(x.Include)
		for i := range x.Include {
			rename(&x.Include[i])
		}
		x.Key = slices.Clone(x.Key)
		for i := range x.Key {
			p := &x.Key[i]
			if p.Column() == from {
				rename(&p.Name) // a descending part has a name of its own
			}
			p.Args = slices.Clone(p.Args)
			for j := range p.Args {
				rename(&p.Args[j].Column)
			}
			if p.Function == Words {
				p.Name = p.Name[:strings.IndexByte(p.Name, '(')] + strings.TrimPrefix(WordsName(p.Args), "words")
			}
		}
	}
	return nil
}
