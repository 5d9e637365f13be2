// SPDX-License-Identifier: Apache-2.0

package bulkload

import (
	"bufio"
	"bytes"
	"container/heap"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// fanIn is the number of runs that are merged at once; more are merged into fewer first, so that open files and buffers
// stay few.
const fanIn = 128

// runBufferBytes is the buffer of a run that is read.
const runBufferBytes = 128 << 10

// fieldBytesMax bounds a key or a value of a run: more is damage.
const fieldBytesMax = 1 << 26

// entry is one key and value on its way to the store, and the record that it comes from.
type entry struct {
	key, value []byte
	ordinal    uint64
	isRow      bool
}

// stream gives entries in the order of keys and, under one key, of ordinals. The result of read is valid until the next
// read.
type stream interface {
	read(e *entry) (ok bool, err error)
	close() error
}

// run is a file of sorted entries.
type run struct {
	File string `json:"file"` // its name in the folder of the state
	Size int64  `json:"size"` // bytes
	Sum  uint32 `json:"sum"`  // CRC-32C of all of them
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli) // immutable

// writeRun writes all entries of s to a file and makes it durable.
func writeRun(dir, name string, s stream) (_ run, err error) {
	file, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		return run{}, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	sum := crc32.New(castagnoli)
	w := bufio.NewWriterSize(io.MultiWriter(file, sum), 1<<20)
	r := run{File: name}
	var e entry
	var head [4 * binary.MaxVarintLen64]byte
	for {
		ok, err := s.read(&e)
		if err != nil {
			return r, err
		}
		if !ok {
			break
		}
		kind := byte(0)
		if e.isRow {
			kind = 1
		}
		b := append(head[:0], kind)
		b = binary.AppendUvarint(b, uint64(len(e.key)))
		b = binary.AppendUvarint(b, uint64(len(e.value)))
		b = binary.AppendUvarint(b, e.ordinal)
		r.Size += int64(len(b) + len(e.key) + len(e.value))
		_, err1 := w.Write(b)
		_, err2 := w.Write(e.key)
		_, err3 := w.Write(e.value)
		if err := errors.Join(err1, err2, err3); err != nil {
			return r, err
		}
	}
	if err := w.Flush(); err != nil {
		return r, err
	}
	r.Sum = sum.Sum32()
	return r, file.Sync()
}

// runStream reads a run and checks it as a whole at its end.
type runStream struct {
	run  run
	file *os.File
	in   *bufio.Reader
	sum  hash.Hash32
	done int64
	buf  []byte
}

func openRun(dir string, r run) (*runStream, error) {
	file, err := os.Open(filepath.Join(dir, r.File))
	if err != nil {
		return nil, fmt.Errorf("a sorted run of this import is missing; start over with --restart: %w", err)
	}
	s := &runStream{run: r, file: file, sum: crc32.New(castagnoli)}
	s.in = bufio.NewReaderSize(io.TeeReader(file, s.sum), runBufferBytes)
	return s, nil
}

func (s *runStream) damaged(why error) error {
	return fmt.Errorf("the sorted run %s of this import is damaged (%w); start over with --restart", s.file.Name(), why)
}

func (s *runStream) read(e *entry) (bool, error) {
	kind, err := s.in.ReadByte()
	if errors.Is(err, io.EOF) {
		if s.done != s.run.Size || s.sum.Sum32() != s.run.Sum {
			return false, s.damaged(errors.New("its checksum differs"))
		}
		return false, nil
	}
	if err != nil {
		return false, err
	}
	var head [3]uint64
	size := int64(1)
	for i := range head {
		if head[i], err = binary.ReadUvarint(s.in); err != nil {
			return false, s.damaged(err)
		}
		size += int64(uvarintLen(head[i]))
	}
	if head[0] > fieldBytesMax || head[1] > fieldBytesMax {
		return false, s.damaged(errors.New("an entry is too long"))
	}
	n := int(head[0] + head[1])
	s.buf = slices.Grow(s.buf[:0], n)[:n]
	if _, err := io.ReadFull(s.in, s.buf); err != nil {
		return false, s.damaged(err)
	}
	s.done += size + int64(n)
	e.key, e.value, e.ordinal, e.isRow = s.buf[:head[0]:head[0]], s.buf[head[0]:], head[2], kind == 1
	return true, nil
}

func (s *runStream) close() error { return s.file.Close() }

func uvarintLen(x uint64) (n int) {
	for n = 1; x >= 0x80; n++ {
		x >>= 7
	}
	return n
}

// merge is the merged stream of several.
type merge struct {
	all  []stream
	heap []head // a binary heap; the least is first
	last int    // of heap[0]: whether it must be read on before the next entry; -1 at the beginning
}

type head struct {
	entry
	from stream
}

func newMerge(all []stream) (*merge, error) {
	m := &merge{all: all}
	for _, s := range all {
		h := head{from: s}
		ok, err := s.read(&h.entry)
		if err != nil {
			return nil, errors.Join(err, m.close())
		}
		if ok {
			m.heap = append(m.heap, h)
		}
	}
	heap.Init(m)
	return m, nil
}

func (m *merge) read(e *entry) (bool, error) {
	if m.last == 1 {
		ok, err := m.heap[0].from.read(&m.heap[0].entry)
		if err != nil {
			return false, err
		}
		if ok {
			heap.Fix(m, 0)
		} else {
			heap.Pop(m)
		}
	}
	if m.last = 0; len(m.heap) == 0 {
		return false, nil
	}
	m.last = 1
	*e = m.heap[0].entry
	return true, nil
}

func (m *merge) close() error {
	var errs []error
	for _, s := range m.all {
		errs = append(errs, s.close())
	}
	return errors.Join(errs...)
}

// The methods of heap.Interface.

func (m *merge) Len() int      { return len(m.heap) }
func (m *merge) Swap(i, j int) { m.heap[i], m.heap[j] = m.heap[j], m.heap[i] }
func (m *merge) Push(x any)    { m.heap = append(m.heap, x.(head)) }

func (m *merge) Less(i, j int) bool {
	a, b := &m.heap[i], &m.heap[j]
	if n := bytes.Compare(a.key, b.key); n != 0 {
		return n < 0
	}
	return a.ordinal < b.ordinal
}

func (m *merge) Pop() any {
	m.heap = m.heap[:len(m.heap)-1]
	return nil
}

// ordinals is a set of records' numbers: a bit each, in pages that exist where there is any.
type ordinals map[uint64]*[pageBits / 64]uint64

const pageBits = 1 << 13

func (o ordinals) add(n uint64) {
	page := o[n/pageBits]
	if page == nil {
		page = new([pageBits / 64]uint64)
		o[n/pageBits] = page
	}
	page[n%pageBits/64] |= 1 << (n % 64)
}

func (o ordinals) has(n uint64) bool {
	page := o[n/pageBits]
	return page != nil && page[n%pageBits/64]>>(n%64)&1 == 1
}

// winners passes on what stands in the table at the end: of several records with one primary key the last, as if they
// had been put one after the other, and its index entries alone. Rows come before all entries of indexes, so that all
// losers are known by then.
type winners struct {
	from    stream
	losers  ordinals
	ahead   entry // the next row, read already
	isAhead bool
	copied  []byte // of ahead
	rows    int64
	entries int64
}

func newWinners(from stream) *winners { return &winners{from: from, losers: ordinals{}} }

// read gives the next entry, valid until the next read.
func (w *winners) read(e *entry) (bool, error) {
	for {
		if w.isAhead {
			*e, w.isAhead = w.ahead, false
		} else if ok, err := w.from.read(e); !ok || err != nil {
			return false, err
		}
		if !e.isRow {
			if w.losers.has(e.ordinal) {
				continue
			}
			w.entries++
			return true, nil
		}
		return w.row(e)
	}
}

// row looks for later records under the key of e and leaves the last one in e.
func (w *winners) row(e *entry) (bool, error) {
	for {
		w.copied = append(append(w.copied[:0], e.key...), e.value...)
		e.key, e.value = w.copied[:len(e.key):len(e.key)], w.copied[len(e.key):]
		ok, err := w.from.read(&w.ahead)
		if err != nil {
			return false, err
		}
		if !ok || !w.ahead.isRow || !bytes.Equal(w.ahead.key, e.key) {
			w.isAhead = ok
			w.rows++
			return true, nil
		}
		w.losers.add(e.ordinal)
		*e = w.ahead
	}
}

func (w *winners) close() error { return w.from.close() }
