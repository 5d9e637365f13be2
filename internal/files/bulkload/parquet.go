// SPDX-License-Identifier: Apache-2.0

package bulkload

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/files/parquetfile"
)

// unrolled is the rows of a Parquet file as a stream of frames, which is cut into blocks as other sources are. opened
// is the file, which is opened anew.
//
// A frame is its length, then 0 and the attributes, each as a name and an encoded value with their lengths in front; or
// 1 and what is wrong with the row.
func (s *source) unrolled(opened *input, o *Options, read *atomic.Int64) (*input, error) {
	if err := opened.close(); err != nil {
		return nil, err
	}
	if s.path == "" {
		return nil, fmt.Errorf("%s: a Parquet file is read from its end on: give a file on disk", s.name)
	}
	file, err := os.Open(s.path)
	if err != nil {
		return nil, err
	}
	rows, err := parquetfile.Open(file, s.size, parquetfile.ReadOptions{Type: o.typeWord, Parse: parseTyped})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", s.name, err), file.Close())
	}
	return &input{bufio.NewReaderSize(&frames{rows: rows, size: s.size, read: read}, 1<<20),
		func() error { return errors.Join(rows.Close(), file.Close()) }}, nil
}

// typeWord is the type that a column is to have, as users name it; "" for the one that a file gives it.
func (o *Options) typeWord(column string) string {
	t := o.types[column]
	for word, known := range typeWords {
		if known == t {
			return word
		}
	}
	return parquetfile.Natural
}

func parseTyped(dst []byte, typed string, text []byte) ([]byte, error) {
	t, err := TypeOf(typed)
	if err != nil {
		return dst, err
	}
	return appendTyped(dst, t, text)
}

// frames renders rows.
type frames struct {
	rows  *parquetfile.Reader
	size  int64         // of the file
	read  *atomic.Int64 // of the file's bytes, as many as its rows that were read are worth
	place int64         // rows that were read
	told  int64         // bytes
	frame []byte
	rest  []byte // of out
	out   []byte
}

func (f *frames) Read(b []byte) (int, error) {
	if len(f.rest) == 0 {
		ok, fault, err := f.rows.Next()
		if err != nil {
			return 0, err
		}
		if !ok {
			return 0, io.EOF
		}
		f.render(fault)
		if f.place++; f.place%1024 == 0 || f.place == f.rows.Rows() {
			now := int64(float64(f.size) * float64(f.place) / float64(f.rows.Rows()))
			f.read.Add(now - f.told)
			f.told = now
		}
	}
	n := copy(b, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

func (f *frames) render(fault error) {
	if fault != nil {
		f.frame = append(append(f.frame[:0], 1), fault.Error()...)
	} else {
		f.frame = append(f.frame[:0], 0)
		for i := range f.rows.Len() {
			name, v := f.rows.Attribute(i)
			f.frame = append(binary.AppendUvarint(f.frame, uint64(len(name))), name...)
			f.frame = append(binary.AppendUvarint(f.frame, uint64(len(v))), v...)
		}
	}
	f.out = append(binary.AppendUvarint(f.out[:0], uint64(len(f.frame))), f.frame...)
	f.rest = f.out
}

// cutFrame takes the first frame, without its length. ok is false if it is not whole.
func cutFrame(data []byte) (frame, rest []byte, ok bool) {
	size, n := binary.Uvarint(data)
	if n <= 0 || size > uint64(len(data)-n) {
		return nil, nil, false
	}
	return data[n : n+int(size)], data[n+int(size):], true
}

// frameDecoder reads frames.
type frameDecoder struct{}

func (frameDecoder) decode(record []byte, b *value.RowBuilder) error {
	if record[0] != 0 {
		return errors.New(string(record[1:]))
	}
	for rest := record[1:]; len(rest) > 0; {
		var name, v []byte
		name, rest, _ = cutFrame(rest) // they are whole: render made them
		v, rest, _ = cutFrame(rest)
		b.Begin(name)
		b.Buf = append(b.Buf, v...)
		if err := b.End(); err != nil {
			return fmt.Errorf("column %s: %w", name, err)
		}
	}
	return nil
}
