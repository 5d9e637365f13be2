// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/evaluate"
)

// Key is one equality of a join: Left over the left rows, Right over the right ones. Values that are equal have the
// same bytes by datum.AppendKey.
type Key struct {
	Left, Right *evaluate.Program
	// NullSafe is <=>: NULLs are equal.
	NullSafe bool
}

// appendKeys appends the key of the row at hand on one side. null: a part is NULL, and equals nothing.
func appendKeys(dst []byte, x *evaluate.Context, keys []Key, right bool) (key []byte, null bool, err error) {
	for i := range keys {
		k := &keys[i]
		program := k.Left
		if right {
			program = k.Right
		}
		d, err := program.Value(x)
		if err != nil {
			return dst, false, err
		}
		null = null || d.IsNull() && !k.NullSafe
		dst = d.AppendKey(dst)
	}
	return dst, null, nil
}

// mayBeEqual reports whether the keys of the pair of rows at hand are not known to differ: all are equal, or NULL on a
// side.
func mayBeEqual(x *evaluate.Context, keys []Key) (bool, error) {
	for i := range keys {
		left, err := keys[i].Left.Value(x)
		if err != nil {
			return false, err
		}
		right, err := keys[i].Right.Value(x)
		if err != nil {
			return false, err
		}
		if !left.IsNull() && !right.IsNull() && datum.Order(left, right) != 0 {
			return false, nil
		}
	}
	return true, nil
}
