// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"bufio"
	"encoding/binary"
	"io"

	"github.com/weftdb/weft/internal/resource/spill"
)

const (
	chunkFirst = 4 << 10
	chunkMax   = 1 << 20
	chunkKept  = 16 << 10
	fileBuffer = 16 << 10
)

// arena holds records in memory. None moves once it is there.
type arena struct {
	memory *share
	chunks [][]byte
}

// add copies a record. false: there is no memory for it.
func (a *arena) add(record []byte) (at uint64, ok bool) {
	need := len(record) + binary.MaxVarintLen32
	last := len(a.chunks) - 1
	if last < 0 || cap(a.chunks[last])-len(a.chunks[last]) < need {
		size := chunkFirst
		if last >= 0 {
			size = min(2*cap(a.chunks[last]), chunkMax)
		}
		last++
		if last < cap(a.chunks) && cap(a.chunks[:last+1][last]) >= need {
			a.chunks = a.chunks[:last+1] // one that clear has kept
		} else {
			size = max(size, need)
			if !a.memory.take(int64(size)) {
				return 0, false
			}
			a.chunks = append(a.chunks, make([]byte, 0, size))
		}
	}
	chunk := a.chunks[last]
	at = uint64(last)<<32 | uint64(len(chunk))
	chunk = binary.AppendUvarint(chunk, uint64(len(record)))
	a.chunks[last] = append(chunk, record...)
	return at, true
}

// clear drops all records, and keeps small chunks for others.
func (a *arena) clear() {
	kept := a.chunks
	for i := range kept {
		if kept[i] = kept[i][:0]; cap(kept[i]) > chunkKept {
			clear(kept[i:])
			kept = kept[:i]
			break
		}
	}
	a.chunks = kept[:0]
}

// get returns a record.
func (a *arena) get(at uint64) []byte {
	chunk := a.chunks[at>>32][uint32(at):]
	size, n := binary.Uvarint(chunk)
	return chunk[n : n+int(size)]
}

// recordList is a list of records, in memory until that is full, then in a file.
type recordList struct {
	memory share
	arena  arena
	file   *spill.File
	writer *bufio.Writer
	rows   int64
	bytes  int64
	length []byte // of a record, as it is written
}

func (k *recordList) begin(b *Budget, counts *Counts) {
	k.memory.begin(b, counts)
	k.arena.memory = &k.memory
}

// add copies a record.
func (k *recordList) add(record []byte) error {
	k.rows++
	k.bytes += int64(len(record))
	if k.file == nil {
		if _, ok := k.arena.add(record); ok {
			return nil
		}
		if err := k.spill(); err != nil {
			return err
		}
	}
	return k.write(record)
}

// spill moves all into a file.
func (k *recordList) spill() (err error) {
	b := k.memory.of
	if b.Spill == nil {
		return b.full("keeping rows")
	}
	if k.file, err = b.Spill.Create(); err != nil {
		return err
	}
	k.writer = bufio.NewWriterSize(k.file, fileBuffer)
	for _, chunk := range k.arena.chunks {
		for len(chunk) > 0 {
			size, n := binary.Uvarint(chunk)
			if err := k.write(chunk[n : n+int(size)]); err != nil {
				return err
			}
			chunk = chunk[n+int(size):]
		}
	}
	k.arena.chunks = nil
	k.memory.release()
	return nil
}

func (k *recordList) write(record []byte) error {
	k.length = binary.AppendUvarint(k.length[:0], uint64(len(record)))
	k.memory.counts.BytesSpilled += int64(len(k.length) + len(record))
	_, err := k.writer.Write(k.length)
	if err == nil {
		_, err = k.writer.Write(record)
	}
	return err
}

// finish ends the adding; then the records can be read.
func (k *recordList) finish() error {
	if k.writer == nil {
		return nil
	}
	err := k.writer.Flush()
	k.writer = nil
	return err
}

// empty drops all records. A small buffer stays for reuse.
func (k *recordList) empty() error {
	if k.file != nil || len(k.arena.chunks) != 1 {
		return k.close()
	}
	k.arena.chunks[0], k.rows, k.bytes = k.arena.chunks[0][:0], 0, 0
	return nil
}

// close gives memory and the file back; the list is empty then.
func (k *recordList) close() (err error) {
	k.memory.release()
	if k.file != nil {
		err = k.file.Close()
	}
	k.file, k.writer, k.arena.chunks, k.rows, k.bytes = nil, nil, nil, 0, 0
	return err
}

// keptReader reads a finished list from its beginning. Several may read one list.
type keptReader struct {
	of     *recordList
	chunk  int
	offset int
	reader *bufio.Reader
	record []byte
}

// begin starts again.
func (r *keptReader) begin(of *recordList) {
	r.of, r.chunk, r.offset = of, 0, 0
	if of.file == nil {
		return
	}
	section := io.NewSectionReader(of.file, 0, 1<<62)
	if r.reader == nil {
		r.reader = bufio.NewReaderSize(section, fileBuffer)
	} else {
		r.reader.Reset(section)
	}
}

// next returns the next record, valid until the call after it if it came from a file.
func (r *keptReader) next() (record []byte, ok bool, err error) {
	if r.of.file != nil {
		return r.read()
	}
	for r.chunk < len(r.of.arena.chunks) {
		chunk := r.of.arena.chunks[r.chunk][r.offset:]
		if len(chunk) == 0 {
			r.chunk, r.offset = r.chunk+1, 0
			continue
		}
		size, n := binary.Uvarint(chunk)
		r.offset += n + int(size)
		return chunk[n : n+int(size)], true, nil
	}
	return nil, false, nil
}

func (r *keptReader) read() ([]byte, bool, error) {
	size, err := binary.ReadUvarint(r.reader)
	if err == io.EOF {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	if size > 1<<30 {
		return nil, false, ErrRecord
	}
	if uint64(cap(r.record)) < size {
		r.record = make([]byte, size+size/4)
	}
	r.record = r.record[:size]
	_, err = io.ReadFull(r.reader, r.record)
	return r.record, err == nil, err
}
