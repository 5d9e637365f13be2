// SPDX-License-Identifier: Apache-2.0

package query

import "bytes"

// Stretch is a part of an index that a walk has read without a seek: the entries from First to Last, in walking order.
type Stretch struct {
	First, Last       []byte // relative keys
	Examined, Skipped int64
}

// Stretches keeps the parts that a walk reads between its seeks, for explanations. It follows walks over entries,
// those of Near and Search not. nil keeps nothing.
type Stretches struct {
	// Most is the number that are kept.
	Most int
	List []Stretch
	// More is the number of those after the ones of List.
	More    int64
	reading bool // no seek has come since the last entry
}

// seek ends a stretch.
func (s *Stretches) seek() {
	if s != nil {
		s.reading = false
	}
}

// look adds an entry, which is a candidate or was skipped.
func (s *Stretches) look(key []byte, candidate bool) {
	if s == nil {
		return
	}
	if !s.reading {
		s.begin(key)
	}
	if s.More > 0 {
		return
	}
	last := &s.List[len(s.List)-1]
	last.Last = append(last.Last[:0], key...)
	if candidate {
		last.Examined++
	} else {
		last.Skipped++
	}
}

func (s *Stretches) begin(key []byte) {
	s.reading = true
	if len(s.List) >= s.Most {
		s.More++
		return
	}
	s.List = append(s.List, Stretch{First: bytes.Clone(key)})
}
