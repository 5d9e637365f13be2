// SPDX-License-Identifier: Apache-2.0

package query

import (
	"bytes"
	"fmt"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/kv"
)

// Bounds of how many entries a walk steps over before it seeks: a seek costs some 10 to 50 steps, so stepping far over
// misses is as wrong as seeking for each. Each walk learns: a target met by stepping raises the patience, a seek lowers
// it.
const (
	patienceFirst = 5
	patienceMin   = 1
	patienceMax   = 16
)

// skipFunc is the hook of an index kind for one direction: see indexkey.Scan.
type skipFunc func(key, dst []byte) (next []byte, in, ok bool)

// skipper moves a walk to its next candidate, seeking or stepping, whichever has lately been cheaper.
type skipper struct {
	scan     *Scan
	skip     skipFunc
	patience int
	target   []byte
	passed   []byte // the key of the last entry passed over since the last candidate
}

// isSpent reports whether the page has looked at all that it may.
func (s *skipper) isSpent(counts *Counts) bool {
	most, bytes := int64(s.scan.ExaminedMax), int64(s.scan.BytesMax) // 0 is no limit
	return most > 0 && counts.Looked() >= most || bytes > 0 && counts.Bytes > bytes
}

func (s *skipper) init(scan *Scan) {
	s.scan, s.skip, s.patience = scan, scan.Path.Skip, patienceFirst
	if scan.Reverse {
		s.skip = scan.Path.SkipBack
	}
}

// next moves to the next candidate. prefix is the length of the index's prefix, which the hook does not see. It also
// stops, at any entry, when a limit of the page is reached.
func (s *skipper) next(walk kv.Cursor, prefix int, reverse bool, counts *Counts) bool {
	if s.skip == nil {
		return walk.Next()
	}
	moved := walk.Next()
	for moved {
		if s.isSpent(counts) {
			return true // one too many, whatever it is
		}
		target, in, ok := s.skip(walk.Key()[prefix:], s.target[:0])
		s.target = target
		if in {
			return true
		}
		if !ok {
			return false
		}
		moved = s.move(walk, prefix, reverse, counts)
	}
	return false
}

// move goes to the first entry at or beyond the target.
func (s *skipper) move(walk kv.Cursor, prefix int, reverse bool, counts *Counts) bool {
	s.pass(walk, prefix, counts)
	for range s.patience {
		if !walk.Next() {
			return false
		}
		if s.isSpent(counts) {
			return true
		}
		if beyond := bytes.Compare(walk.Key()[prefix:], s.target); beyond == 0 || (beyond > 0) != reverse {
			s.patience = min(s.patience+1, patienceMax)
			return true
		}
		s.pass(walk, prefix, counts)
	}
	s.patience = max(s.patience-1, patienceMin)
	counts.Seeks++
	counts.Jumps++
	s.scan.Stretches.seek()
	walk.Seek(append(bytes.Clone(walk.Key()[:prefix]), s.target...))
	return walk.Next()
}

// pass counts an entry that is no candidate, and remembers its key.
func (s *skipper) pass(walk kv.Cursor, prefix int, counts *Counts) {
	counts.Skipped++
	counts.Bytes += int64(value.Row(walk.Value()).Size())
	s.passed = append(s.passed[:0], walk.Key()[prefix:]...)
	s.scan.Stretches.look(s.passed, false)
}

func orMissing(err error, index string, key []byte) error {
	if err != nil {
		return err
	}
	return fmt.Errorf("query: index %s points at %s, which is not there: the index is damaged, rebuild it", index,
		keyspace.Print(key))
}
