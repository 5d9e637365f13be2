// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"slices"

	"github.com/weftdb/weft/internal/server/thriftwire"
)

// thriftWorker calls Thrift2 over a socket, with frames or without: HBase's own server takes none.
type thriftWorker struct {
	net.Conn
	in      *bufio.Reader
	message *thriftwire.Writer
	answer  []byte
	framed  bool
}

func newThrift(addr string, framed bool) (*thriftWorker, error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	return &thriftWorker{Conn: conn, in: bufio.NewReaderSize(conn, 64<<10),
		message: thriftwire.NewWriter(thriftwire.Binary), framed: framed}, nil
}

// call makes a call, and lets success read what it gives; nil passes over it. An exception is an error.
func (w *thriftWorker) call(name string, arguments func(*thriftwire.Writer), success func(*thriftwire.Reader)) error {
	m := w.message
	m.Truncate(0)
	frame := m.OpenFrame()
	m.Message(thriftwire.Message{Name: name, Kind: thriftwire.Call})
	outer := m.Open()
	arguments(m)
	m.Close(outer)
	m.CloseFrame(frame)
	whole := m.Bytes()
	if !w.framed {
		whole = whole[4:]
	}
	if _, err := w.Write(whole); err != nil {
		return err
	}
	r, err := w.receive()
	if err != nil {
		return err
	}
	head, failed := r.Message(), error(nil)
	for f := (thriftwire.Field{}); r.Field(&f); {
		switch {
		case f.ID == 0 && head.Kind == thriftwire.Reply && success != nil:
			success(r)
		case f.ID == 0:
			r.Skip(f)
		case f.Type == thriftwire.Struct:
			failed = fmt.Errorf("%s: %s", name, reasonOf(r))
		case f.Type == thriftwire.Bytes:
			failed = fmt.Errorf("%s: %s", name, r.Text())
		default:
			r.Skip(f)
		}
	}
	if r.Err() != nil {
		return r.Err()
	}
	return failed
}

// reasonOf is the message of an exception.
func reasonOf(r *thriftwire.Reader) (text string) {
	for f := (thriftwire.Field{}); r.Field(&f); {
		if f.ID == 1 && f.Type == thriftwire.Bytes {
			text = r.Text()
			continue
		}
		r.Skip(f)
	}
	return text
}

// receive is a reader of the answer.
func (w *thriftWorker) receive() (*thriftwire.Reader, error) {
	w.answer = w.answer[:0]
	if !w.framed {
		r := thriftwire.NewStream(thriftwire.Binary, w.more)
		return &r, nil
	}
	head := [4]byte{}
	if _, err := io.ReadFull(w.in, head[:]); err != nil {
		return nil, err
	}
	body, err := w.more(nil, int(binary.BigEndian.Uint32(head[:])))
	r := thriftwire.NewReader(thriftwire.Binary, body)
	return &r, err
}

// more reads on until n bytes after those that the reader has taken are there.
func (w *thriftWorker) more(rest []byte, n int) ([]byte, error) {
	begin, end := len(w.answer)-len(rest), len(w.answer)
	w.answer = slices.Grow(w.answer, n-len(rest))[:begin+n]
	_, err := io.ReadFull(w.in, w.answer[end:])
	return w.answer[begin:], err
}

func writePut(w *thriftwire.Writer, row int) {
	outer := w.Open()
	w.Binary(1, key(row))
	w.List(2, thriftwire.Struct, columns)
	for i := range columns {
		cell := w.Open()
		w.Text(1, "f")
		w.Text(2, fmt.Sprintf("c%d", i))
		w.Binary(3, content(row, i))
		w.Close(cell)
	}
	w.Close(outer)
}

// cellsOf is the number of cells a TResult has.
func cellsOf(r *thriftwire.Reader) (n int) {
	for f := (thriftwire.Field{}); r.Field(&f); {
		if f.ID != 2 || f.Type != thriftwire.List {
			r.Skip(f)
			continue
		}
		n = r.List(thriftwire.Struct)
		for range n {
			r.SkipStruct()
		}
	}
	return n
}

func (w *thriftWorker) get(row int) error {
	cells := 0
	err := w.call("get", func(m *thriftwire.Writer) {
		m.Text(1, table)
		get := m.Struct(2)
		m.Binary(1, key(row))
		m.Close(get)
	}, func(r *thriftwire.Reader) { cells = cellsOf(r) })
	if err == nil && cells != columns {
		err = fmt.Errorf("row %d has %d cells", row, cells)
	}
	return err
}

func (w *thriftWorker) put(row int) error {
	return w.call("put", func(m *thriftwire.Writer) {
		m.Text(1, table)
		m.Field(thriftwire.Struct, 2)
		writePut(m, row)
	}, nil)
}

func (w *thriftWorker) batch(row int) error {
	return w.call("putMultiple", func(m *thriftwire.Writer) {
		m.Text(1, table)
		m.List(2, thriftwire.Struct, batchRows)
		for i := range batchRows {
			writePut(m, row+i)
		}
	}, nil)
}

func (w *thriftWorker) scan(row int) error {
	rows := 0
	err := w.call("getScannerResults", func(m *thriftwire.Writer) {
		m.Text(1, table)
		scan := m.Struct(2)
		m.Binary(1, key(row))
		m.Close(scan)
		m.I32(3, scanRows)
	}, func(r *thriftwire.Reader) {
		rows = r.List(thriftwire.Struct)
		for range rows {
			cellsOf(r)
		}
	})
	if err == nil && rows != scanRows {
		err = fmt.Errorf("a scan has %d rows", rows)
	}
	return err
}

// createTable makes the table with the family f.
func (w *thriftWorker) createTable() error {
	return w.call("createTable", func(m *thriftwire.Writer) {
		desc := m.Struct(1)
		name := m.Struct(1)
		m.Text(2, table)
		m.Close(name)
		m.List(2, thriftwire.Struct, 1)
		family := m.Open()
		m.Text(1, "f")
		m.I32(10, 1) // a version
		m.Close(family)
		m.Close(desc)
	}, nil)
}
