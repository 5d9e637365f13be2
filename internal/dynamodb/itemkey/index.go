// SPDX-License-Identifier: Apache-2.0

package itemkey

import "github.com/weftdb/weft"

// HasColumn says whether a key part of an index is made of a column.
func HasColumn(x *weft.Index, column []byte) bool {
	for _, part := range x.Visible() {
		for i := range part.Args {
			if part.Args[i].Column == string(column) {
				return true
			}
		}
	}
	return false
}

// IsCurved says whether a key part of an index is a Z-order, whose boxes are made of the filter.
func IsCurved(x *weft.Index) bool {
	for i := range x.Key {
		if x.Key[i].Curve != nil {
			return true
		}
	}
	return false
}

// HasLocal says whether a table has local indexes.
func HasLocal(table *weft.Descriptor) bool {
	for i := range table.Indexes {
		if table.Indexes[i].Local {
			return true
		}
	}
	return false
}
