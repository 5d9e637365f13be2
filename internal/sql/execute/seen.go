// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"bytes"
	"fmt"

	"github.com/weftdb/weft/internal/room"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
)

// seenOverhead is what an entry of a map of texts costs beside the text, about.
const seenOverhead = 64

// seen is a set of rows, for DISTINCT.
type seen struct {
	rows     map[string]struct{}
	key      []byte
	bytes    int
	bytesMax int
	memory   room.Share
	together bool // rows that are alike come together
	last     []byte
	any      bool
}

// add says whether a row is new.
func (s *seen) add(row []datum.Datum) (isNew bool, err error) {
	s.key = s.key[:0]
	for i := range row {
		s.key = row[i].AppendKey(s.key)
	}
	if s.together {
		isNew := !s.any || !bytes.Equal(s.key, s.last)
		s.last, s.any = append(s.last[:0], s.key...), true
		return isNew, nil
	}
	if _, ok := s.rows[string(s.key)]; ok {
		return false, nil
	}
	if s.bytes += len(s.key) + seenOverhead; s.bytes > s.bytesMax || !s.memory.Hold(int64(s.bytes)*2) {
		return false, groupMemory("DISTINCT", s.bytesMax)
	}
	if s.rows == nil {
		s.rows = map[string]struct{}{}
	}
	s.rows[string(s.key)] = struct{}{}
	return true, nil
}

// groupMemory says that a statement needs more memory than it may use.
func groupMemory(what string, bytesMax int) error {
	return fault.New(fault.OutOfMemory, fmt.Sprintf("The estimated memory used by the query exceeds the maximum limit: %s has to remember more than group_buffer_size, "+
		"%d bytes, or more than all statements leave free (--sql-memory); narrow the condition, group by what the key or an index is ordered by, raise group_buffer_size, or set a folder for temporary files", what, bytesMax))
}
