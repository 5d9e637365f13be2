// SPDX-License-Identifier: Apache-2.0

package query

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/weftdb/weft/internal/resource/memory"
	"github.com/weftdb/weft/internal/resource/spill"
)

// ErrSortMemory says that records to be sorted need more memory than allowed, and that there is no folder to put them
// into meanwhile.
var ErrSortMemory = errors.New("query: sorting needs more memory than it may use; allow more, name a folder for temporary files, or ask for fewer rows")

const (
	// sortBytesDefault is the memory a Sorter uses if nothing is said.
	sortBytesDefault = 16 << 20
	// sortOverhead is the memory of a record besides its bytes.
	sortOverhead = 24
	// sortBytesKept is the memory that a Sorter keeps when it is closed.
	sortBytesKept = 64 << 10
	// sortBytesFree is the memory that a Sorter uses without asking for it.
	sortBytesFree = 256 << 10
)

// Sort says how records are put in order. The zero value sorts in 16 MiB of memory.
type Sort struct {
	// BytesMax is the memory that records may take; default 16 MiB.
	BytesMax int
	// Spill is the folder for sorted runs beyond BytesMax; nil means that more records are an error.
	Spill *spill.Folder
	// Memory is the budget that sorts share beyond sortBytesFree of each; a sort that finds none free spills to disk
	// early. nil is no bound.
	Memory *memory.Budget
	// KeepMax is the number of the first records that are wanted; 0 = all.
	KeepMax int
}

// Sorter takes records and gives them back in the order of their bytes. Add all, call Finish, then Next until it
// returns false. It is used by one goroutine and must be closed.
type Sorter struct {
	sort    Sort
	arena   []byte
	records []sortRecord
	limit   []byte // no record from here on is wanted; nil: not known
	runs    []*sortRun
	merge   *sortMerge
	next    int
	record  []byte
	err     error
	Counts  SortCounts
	memory  memory.Share
}

// SortCounts counts the work of a Sorter.
type SortCounts struct {
	Records      int64 // taken
	Runs         int64 // written to files
	BytesSpilled int64
}

// sortRecord is the place of a record in the arena, and its first bytes behind those that all records have, once they
// are put in order.
type sortRecord struct {
	prefix   uint64
	from, to int
}

// Open makes a Sorter.
func (s Sort) Open() *Sorter { return s.OpenIn(new(Sorter)) }

// OpenIn is Open in place of a Sorter that was closed, whose memory is used again; the zero value will do.
func (s Sort) OpenIn(old *Sorter) *Sorter {
	if s.BytesMax <= 0 {
		s.BytesMax = sortBytesDefault
	}
	*old = Sorter{sort: s, memory: memory.Share{Of: s.Memory}, arena: old.arena[:0], records: old.records[:0]}
	return old
}

// Add takes a record, which it copies. Errors: ErrSortMemory, and those of files.
func (s *Sorter) Add(record []byte) error {
	s.Counts.Records++
	if s.limit != nil && bytes.Compare(record, s.limit) >= 0 {
		return nil
	}
	if used := s.used() + len(record) + sortOverhead; len(s.records) > 0 &&
		(used > s.sort.BytesMax || used > sortBytesFree && !s.memory.Hold(int64(used+used/2))) {
		if err := s.makeRoom(len(record)); err != nil {
			return err
		}
	}
	from := len(s.arena)
	s.arena = append(s.arena, record...)
	s.records = append(s.records, sortRecord{from: from, to: len(s.arena)})
	if keep := s.sort.KeepMax; keep > 0 && len(s.records) >= 2*keep+64 {
		s.cut()
	}
	return nil
}

func (s *Sorter) used() int { return len(s.arena) + sortOverhead*len(s.records) }

// sortPrefix is the first eight bytes of a record as a number of the same order.
func sortPrefix(record []byte) uint64 {
	var first [8]byte
	copy(first[:], record)
	return binary.BigEndian.Uint64(first[:])
}

// makeRoom drops records that nobody wants, or writes all of them to a file.
func (s *Sorter) makeRoom(coming int) error {
	if keep := s.sort.KeepMax; keep > 0 && len(s.records) > keep {
		s.cut()
		if s.used()+coming+sortOverhead <= s.sort.BytesMax {
			return nil
		}
	}
	if s.sort.Spill == nil {
		return ErrSortMemory
	}
	return s.spill()
}

// order puts the records in order: first by their first bytes and by when they came, which needs no look at the rest,
// then those with equal first bytes, which often came in order.
func (s *Sorter) order() {
	common := s.common()
	for i := range s.records {
		r := &s.records[i]
		r.prefix = sortPrefix(s.arena[r.from+common : r.to])
	}
	slices.SortFunc(s.records, func(a, b sortRecord) int {
		if a.prefix != b.prefix {
			return cmp.Compare(a.prefix, b.prefix)
		}
		return a.from - b.from
	})
	byBytes := func(a, b sortRecord) int {
		return bytes.Compare(s.arena[a.from+common:a.to], s.arena[b.from+common:b.to])
	}
	for rest := s.records; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].prefix == rest[0].prefix {
			n++
		}
		if same := rest[:n]; !slices.IsSortedFunc(same, byBytes) {
			slices.SortFunc(same, byBytes)
		}
		rest = rest[n:]
	}
}

// common is the number of bytes with which all records begin alike.
func (s *Sorter) common() int {
	if len(s.records) == 0 {
		return 0
	}
	first := s.arena[s.records[0].from:s.records[0].to]
	for _, r := range s.records {
		record := s.arena[r.from:r.to]
		n := 0
		for n < min(len(first), len(record)) && first[n] == record[n] {
			n++
		}
		first = first[:n]
	}
	return len(first)
}

// cut keeps the first KeepMax records only.
func (s *Sorter) cut() {
	s.order()
	keep := min(s.sort.KeepMax, len(s.records))
	s.records = s.records[:keep]
	var size int
	for _, r := range s.records {
		size += r.to - r.from
	}
	arena := make([]byte, 0, max(2*size, 4096))
	for i, r := range s.records {
		from := len(arena)
		arena = append(arena, s.arena[r.from:r.to]...)
		s.records[i].from, s.records[i].to = from, len(arena)
	}
	s.arena = arena
	if last := keep - 1; keep == s.sort.KeepMax {
		s.limit = append(s.limit[:0], arena[s.records[last].from:]...)
	}
}

// spill writes the records in memory to a file, in order.
func (s *Sorter) spill() error {
	if len(s.runs) == sortRunsMax {
		if err := s.mergeRuns(); err != nil {
			return err
		}
	}
	s.order()
	run, err := createRun(s.sort.Spill)
	if err != nil {
		return err
	}
	s.runs = append(s.runs, run)
	for _, r := range s.records {
		if err := run.write(s.arena[r.from:r.to]); err != nil {
			return err
		}
	}
	s.Counts.Runs++
	s.Counts.BytesSpilled += run.bytes
	s.arena, s.records = s.arena[:0], s.records[:0]
	if s.memory.Held() < int64(cap(s.arena)) && s.sort.Memory != nil {
		s.arena = nil
	}
	return run.rewind()
}

// mergeRuns makes one run of all.
func (s *Sorter) mergeRuns() error {
	run, err := createRun(s.sort.Spill)
	if err != nil {
		return err
	}
	merge := newSortMerge(s.runs)
	for merge.next() {
		if err := run.write(merge.record()); err != nil {
			return errors.Join(err, run.close())
		}
	}
	err = merge.err
	for _, old := range s.runs {
		err = errors.Join(err, old.close())
	}
	s.runs = append(s.runs[:0], run)
	s.Counts.BytesSpilled += run.bytes
	return errors.Join(err, run.rewind())
}

// Finish ends the adding. Errors are those of files.
func (s *Sorter) Finish() error {
	if len(s.runs) > 0 && len(s.records) > 0 {
		if err := s.spill(); err != nil {
			return err
		}
	}
	if len(s.runs) > 0 {
		s.merge = newSortMerge(s.runs)
		return s.merge.err
	}
	s.order()
	return nil
}

// Next moves to the next record. After false, look at Close's error.
func (s *Sorter) Next() bool {
	if keep := s.sort.KeepMax; keep > 0 && s.next >= keep {
		return false
	}
	if s.merge != nil {
		if !s.merge.next() {
			s.err = s.merge.err
			return false
		}
		s.record = s.merge.record()
		s.next++
		return true
	}
	if s.next >= len(s.records) {
		return false
	}
	r := s.records[s.next]
	s.record = s.arena[r.from:r.to]
	s.next++
	return true
}

// Record returns the current record, valid until the next Next or Close.
func (s *Sorter) Record() []byte { return s.record }

// Close removes the files and returns the first error of reading. Closing twice is no error.
func (s *Sorter) Close() error {
	s.memory.Release()
	err := s.err
	for _, run := range s.runs {
		err = errors.Join(err, run.close())
	}
	s.runs, s.merge, s.record, s.err = nil, nil, nil, nil
	if cap(s.arena)+sortOverhead*cap(s.records) > sortBytesKept {
		s.arena, s.records = nil, nil
	}
	s.arena, s.records, s.next = s.arena[:0], s.records[:0], 0
	if err != nil {
		return fmt.Errorf("query: sorting with temporary files: %w", err)
	}
	return nil
}
