// SPDX-License-Identifier: Apache-2.0

package tikv

import (
	"fmt"

	"github.com/weftdb/weft/kv"
)

// formPlain is the form of a value that follows as it is. Other first bytes are free for later forms.
const formPlain = 0x01

// formBytes is the number of bytes a stored value is longer.
const formBytes = 1

// appendValue appends the stored form of value to dst.
func appendValue(dst, value []byte) []byte {
	return append(append(dst, formPlain), value...)
}

// cutValue returns the value in a stored one, which it aliases. Errors: kv.ErrFormat.
func cutValue(stored []byte) ([]byte, error) {
	if len(stored) == 0 || stored[0] != formPlain {
		return nil, fmt.Errorf("tikv: a value starts with %x; the prefix is used by another program or a newer one: %w",
			stored[:min(1, len(stored))], kv.ErrFormat)
	}
	return stored[formBytes:len(stored):len(stored)], nil
}
