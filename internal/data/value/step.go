// SPDX-License-Identifier: Apache-2.0

package value

// Steps steps over a row's attributes as Attributes does, for readers of many rows: only where they stand under
// ids of one byte, as nearly all do. The rest of a row, and what is wrong with it, is for Attributes to tell.
type Steps struct {
	rest []byte
	left int // -1: the row is for Attributes
}

// Steps returns the attributes of r.
func (r Row) Steps() Steps {
	if len(r) == 0 {
		return Steps{}
	}
	_, count, rest, ok := r.header()
	if !ok {
		count = -1
	}
	return Steps{rest, count}
}

// Next returns the next attribute, whose value aliases the row. An id of 0 says that there is none, or that it is for
// Attributes: see Ended.
func (s *Steps) Next() (id uint32, v Value) {
	b := s.rest
	if s.left <= 0 || len(b) < 3 || b[0]-1 >= 0x7f {
		return s.odd()
	}
	end := 0
	switch b[1] {
	case tagInt, tagFloat, tagTimestamp:
		end = 10
	case tagString, tagBinary:
		if b[2] >= 0x80 {
			return s.odd()
		}
		end = 3 + int(b[2])
	default:
		return s.odd()
	}
	if end > len(b) {
		return 0, nil
	}
	s.rest, s.left = b[end:], s.left-1
	return uint32(b[0]), Value(b[1:end:end])
}

// odd is Next of values whose length does not fit two bytes.
func (s *Steps) odd() (id uint32, v Value) {
	if s.left <= 0 || len(s.rest) == 0 || s.rest[0]-1 >= 0x7f {
		return 0, nil
	}
	id = uint32(s.rest[0])
	v, rest, err := Cut(s.rest[1:])
	if err != nil {
		return 0, nil
	}
	s.rest, s.left = rest, s.left-1
	return id, v
}

// Ended reports whether all attributes were stepped over.
func (s *Steps) Ended() bool { return s.left == 0 }
