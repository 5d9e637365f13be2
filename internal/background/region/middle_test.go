// SPDX-License-Identifier: Apache-2.0

package region

import (
	"encoding/binary"
	"testing"
)

// TestMiddle: of any number of keys, one is found that leaves at least three tenths on each side, and few are kept.
func TestMiddle(t *testing.T) {
	for n := range 2000 {
		var m middle
		for i := range n {
			m.add(binary.BigEndian.AppendUint32(nil, uint32(i)))
		}
		key := m.key()
		if n < 2 {
			if key != nil {
				t.Errorf("of %d keys, %x is in the middle", n, key)
			}
			continue
		}
		at := int(binary.BigEndian.Uint32(key))
		if least := 3 * n / 10; at < max(1, least) || n-at < max(1, least) || len(m.keys) > middleKeys {
			t.Errorf("of %d keys, that in the middle is number %d, and %d are kept", n, at, len(m.keys))
		}
	}
}
