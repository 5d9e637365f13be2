// SPDX-License-Identifier: Apache-2.0

package indexkey

import "github.com/weftdb/weft/order"

// slab holds the many short encodings of one plan in few allocations. What it hands out stays as it is. The zero value
// is ready.
type slab struct {
	free []byte // of length 0
	size int    // of the last allocation
}

const slabBytesMin = 32

// room returns an empty slice with room for n bytes, to be filled and given to keep before anything else.
func (s *slab) room(n int) []byte {
	if cap(s.free) < n {
		s.size = max(n, slabBytesMin, 2*s.size)
		s.free = make([]byte, 0, s.size)
	}
	return s.free[:0:n]
}

// keep returns what was written into room, or somewhere else where it was too small.
func (s *slab) keep(b []byte) []byte {
	if len(b) > 0 && len(b) <= cap(s.free) && &b[0] == &s.free[:1][0] {
		s.free = s.free[len(b):len(b):cap(s.free)]
	}
	return b[:len(b):len(b)]
}

// concat returns a and b behind one another, which may be one of them alone.
func (s *slab) concat(a, b []byte) []byte {
	switch {
	case len(a) == 0:
		return b[:len(b):len(b)]
	case len(b) == 0:
		return a[:len(a):len(a)]
	}
	return s.keep(append(append(s.room(len(a)+len(b)), a...), b...))
}

// end returns the end of all keys that begin with prefix; nil if nothing is beyond them.
func (s *slab) end(prefix []byte) []byte {
	end, ok := order.PrefixEnd(s.room(len(prefix)), prefix)
	if !ok {
		return nil
	}
	return s.keep(end)
}
