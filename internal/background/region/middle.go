// SPDX-License-Identifier: Apache-2.0

package region

import (
	"slices"

	"github.com/weftdb/weft/internal/rows/record"
)

// middleKeys is the number of keys that are kept to know the middle one.
const middleKeys = 64

// middle finds about the middle one of keys that come in order.
type middle struct {
	keys   [][]byte // one of so many
	stride int
	seen   int
}

func (m *middle) add(key []byte) {
	if len(m.keys) == middleKeys {
		for i := range middleKeys / 2 {
			m.keys[i] = m.keys[2*i]
		}
		m.keys, m.stride = m.keys[:middleKeys/2], 2*m.stride
	}
	m.stride = max(1, m.stride)
	if m.seen%m.stride == 0 {
		m.keys = append(m.keys, slices.Clone(key))
	}
	m.seen++
}

// key is nil if there are fewer than two keys.
func (m *middle) key() []byte {
	if len(m.keys) < 2 {
		return nil
	}
	return m.keys[len(m.keys)/2]
}

// requestsAsked is the number of requests a second a region has at least whose requests are looked at.
const requestsAsked = 1

// divider is the relative key at which a region would be split now: one that divides its requests, or else its middle;
// nil if neither is known.
func (k *Keeper) divider(x *record.Index, r *Region, size *Amount, rate Rate) []byte {
	if rate.requests() >= requestsAsked {
		if keys, verdict := Divide(k.Requests(x, r.Start, r.End)); verdict == Divides {
			return keys[0]
		}
	}
	return size.middle.key()
}
