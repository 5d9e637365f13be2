// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"bytes"
	"fmt"
	"hash/maphash"

	"github.com/weftdb/weft/internal/resource/memory"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
)

const (
	// seenOverhead is the approximate memory of a row of a set besides its bytes.
	seenOverhead = 64
	// seenKept is the number of rows, and seenBytesKept that of their bytes, that a set keeps room for when it is used
	// again.
	seenKept      = 1 << 10
	seenBytesKept = 64 << 10
)

// rowSet is a set of rows, for DISTINCT: their keys one after the other, and a table of them by their hashes. The zero
// value is empty.
type rowSet struct {
	seed     maphash.Seed
	table    []uint32 // a power of two of them, at most half in use: the number of the row, from 1 on
	rows     []seenRow
	arena    []byte
	key      []byte
	bytesMax int
	memory   memory.Share
	together bool // rows that are alike come together
	full     bool // no more rows are kept
	last     []byte
	any      bool
}

// seenRow is where the key of a row ends in the arena; it begins where the one before ends.
type seenRow struct {
	hash uint64
	end  int
}

// begin empties the set for another use.
func (s *rowSet) begin(of *memory.Budget, bytesMax int, together bool) *rowSet {
	if s.seed == (maphash.Seed{}) {
		s.seed = maphash.MakeSeed()
	}
	if cap(s.rows) > seenKept || cap(s.arena) > seenBytesKept || cap(s.last) > seenBytesKept ||
		cap(s.key) > seenBytesKept {
		*s = rowSet{seed: s.seed}
	}
	clear(s.table)
	s.rows, s.arena, s.any, s.full = s.rows[:0], s.arena[:0], false, false
	s.bytesMax, s.memory, s.together = bytesMax, memory.Share{Of: of}, together
	return s
}

// add reports whether a row is new. Once the set is full, it isn't added.
func (s *rowSet) add(row []datum.Datum) (isNew bool) {
	s.key = s.key[:0]
	for i := range row {
		s.key = row[i].AppendKey(s.key)
	}
	if s.together {
		isNew := !s.any || !bytes.Equal(s.key, s.last)
		s.last, s.any = append(s.last[:0], s.key...), true
		return isNew
	}
	hash := maphash.Bytes(s.seed, s.key)
	if s.has(hash) {
		return false
	}
	used := len(s.arena) + len(s.key) + (len(s.rows)+1)*seenOverhead
	if s.full = s.full || used > s.bytesMax || !s.memory.Hold(int64(used)*2); s.full {
		return true
	}
	s.arena = append(s.arena, s.key...)
	s.rows = append(s.rows, seenRow{hash: hash, end: len(s.arena)})
	if 2*len(s.rows) > len(s.table) {
		s.grow()
	} else {
		s.place(len(s.rows))
	}
	return true
}

// has reports whether the key at hand is among the rows.
func (s *rowSet) has(hash uint64) bool {
	if len(s.table) == 0 {
		return false
	}
	mask := uint64(len(s.table) - 1)
	for at := hash & mask; s.table[at] != 0; at = (at + 1) & mask {
		n := s.table[at]
		from := 0
		if n > 1 {
			from = s.rows[n-2].end
		}
		if row := &s.rows[n-1]; row.hash == hash && bytes.Equal(s.arena[from:row.end], s.key) {
			return true
		}
	}
	return false
}

// place enters row n, counted from 1, into the table.
func (s *rowSet) place(n int) {
	mask := uint64(len(s.table) - 1)
	at := s.rows[n-1].hash & mask
	for s.table[at] != 0 {
		at = (at + 1) & mask
	}
	s.table[at] = uint32(n)
}

// grow makes a table of twice the size.
func (s *rowSet) grow() {
	s.table = make([]uint32, max(2*len(s.table), 64))
	for n := range s.rows {
		s.place(n + 1)
	}
}

// groupMemory says that a statement needs more memory than it may use.
func groupMemory(what string, bytesMax int) error {
	return fault.New(fault.OutOfMemory, fmt.Sprintf(
		"The estimated memory used by the query exceeds the maximum limit: %s needs more than group_buffer_size, "+
			"%d bytes, or more than all statements leave free (--sql-memory); narrow the condition, group by what the key or an index is ordered by, raise group_buffer_size, or set a folder for temporary files", what, bytesMax))
}
