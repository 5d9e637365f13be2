// SPDX-License-Identifier: Apache-2.0

package schema

import "slices"

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
