// SPDX-License-Identifier: Apache-2.0

package query

import (
	"bufio"
	"bytes"
	"container/heap"
	"encoding/binary"
	"errors"
	"io"

	"github.com/weftdb/weft/internal/resource/spill"
)

const (
	// sortRunsMax is the number of runs that are merged at once: each has a buffer.
	sortRunsMax = 64
	// sortRunBuffer is the buffer of a run.
	sortRunBuffer = 64 << 10
	// sortRecordMax is the largest length of a record in a file.
	sortRecordMax = 1 << 30
)

// sortRun is a file of sorted records, each behind its length.
type sortRun struct {
	file   *spill.File
	writer *bufio.Writer
	reader *bufio.Reader
	bytes  int64
	record []byte
}

func createRun(folder *spill.Folder) (*sortRun, error) {
	file, err := folder.Create()
	if err != nil {
		return nil, err
	}
	return &sortRun{file: file, writer: bufio.NewWriterSize(file, sortRunBuffer)}, nil
}

func (r *sortRun) write(record []byte) error {
	var length [binary.MaxVarintLen64]byte
	n := binary.PutUvarint(length[:], uint64(len(record)))
	r.bytes += int64(n + len(record))
	_, err := r.writer.Write(length[:n])
	if err == nil {
		_, err = r.writer.Write(record)
	}
	return err
}

// rewind ends writing and begins reading.
func (r *sortRun) rewind() error {
	if err := r.writer.Flush(); err != nil {
		return err
	}
	r.writer = nil
	_, err := r.file.Seek(0, io.SeekStart)
	return err
}

// read moves to the next record; false at the end.
func (r *sortRun) read() (bool, error) {
	if r.reader == nil {
		r.reader = bufio.NewReaderSize(r.file, sortRunBuffer)
	}
	length, err := binary.ReadUvarint(r.reader)
	if err == io.EOF {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if length > sortRecordMax {
		return false, errors.New("query: a temporary file of sorted records was damaged")
	}
	if uint64(cap(r.record)) < length {
		r.record = make([]byte, length)
	}
	r.record = r.record[:length]
	_, err = io.ReadFull(r.reader, r.record)
	return err == nil, err
}

func (r *sortRun) close() error { return r.file.Close() }

// sortMerge reads several runs in one order.
type sortMerge struct {
	heap    runHeap
	started bool
	err     error
}

func newSortMerge(runs []*sortRun) *sortMerge {
	m := &sortMerge{}
	for _, run := range runs {
		ok, err := run.read()
		if err != nil {
			m.err = err
		}
		if ok {
			m.heap = append(m.heap, run)
		}
	}
	heap.Init(&m.heap)
	return m
}

// next moves to the next record; false at the end and after an error.
func (m *sortMerge) next() bool {
	if m.err != nil {
		return false
	}
	if m.started && len(m.heap) > 0 {
		ok, err := m.heap[0].read()
		switch {
		case err != nil:
			m.err = err
			return false
		case ok:
			heap.Fix(&m.heap, 0)
		default:
			heap.Pop(&m.heap)
		}
	}
	m.started = true
	return len(m.heap) > 0
}

func (m *sortMerge) record() []byte { return m.heap[0].record }

type runHeap []*sortRun

func (h runHeap) Len() int           { return len(h) }
func (h runHeap) Less(i, j int) bool { return bytes.Compare(h[i].record, h[j].record) < 0 }
func (h runHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }

// Push is heap.Interface's.
func (h *runHeap) Push(x any) { *h = append(*h, x.(*sortRun)) }

// Pop is heap.Interface's.
func (h *runHeap) Pop() any {
	last := len(*h) - 1
	run := (*h)[last]
	*h = (*h)[:last]
	return run
}
