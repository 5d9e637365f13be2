// SPDX-License-Identifier: Apache-2.0

package clients

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/apache/thrift/lib/go/thrift"
)

// structure writes and reads a structure of Thrift2 through Apache's library, as the code of Thrift's compiler does.
type structure struct {
	write func(p thriftWriter)
	read  func(ctx context.Context, p thrift.TProtocol, id int16, kind thrift.TType) error // a field's value
}

// Write implements thrift.TStruct.
func (s structure) Write(ctx context.Context, p thrift.TProtocol) error {
	w := thriftWriter{ctx, p, new(error)}
	w.structure(s.write)
	return *w.err
}

// Read implements thrift.TStruct.
func (s structure) Read(ctx context.Context, p thrift.TProtocol) error {
	if _, err := p.ReadStructBegin(ctx); err != nil {
		return err
	}
	for {
		_, kind, id, err := p.ReadFieldBegin(ctx)
		if err != nil {
			return err
		}
		if kind == thrift.STOP {
			return p.ReadStructEnd(ctx)
		}
		if err := errors.Join(s.read(ctx, p, id, kind), p.ReadFieldEnd(ctx)); err != nil {
			return err
		}
	}
}

// thriftWriter writes fields, and keeps the first error.
type thriftWriter struct {
	ctx context.Context
	p   thrift.TProtocol
	err *error
}

func (w thriftWriter) note(err error) { *w.err = errors.Join(*w.err, err) }

func (w thriftWriter) structure(fields func(w thriftWriter)) {
	w.note(w.p.WriteStructBegin(w.ctx, "structure"))
	fields(w)
	w.note(errors.Join(w.p.WriteFieldStop(w.ctx), w.p.WriteStructEnd(w.ctx)))
}

func (w thriftWriter) field(id int16, kind thrift.TType, value func()) {
	w.note(w.p.WriteFieldBegin(w.ctx, "field", kind, id))
	value()
	w.note(w.p.WriteFieldEnd(w.ctx))
}

func (w thriftWriter) text(id int16, text string) {
	w.field(id, thrift.STRING, func() { w.note(w.p.WriteBinary(w.ctx, []byte(text))) })
}

func (w thriftWriter) nested(id int16, fields func(w thriftWriter)) {
	w.field(id, thrift.STRUCT, func() { w.structure(fields) })
}

// list writes a list of one structure.
func (w thriftWriter) list(id int16, fields func(w thriftWriter)) {
	w.field(id, thrift.LIST, func() {
		w.note(w.p.WriteListBegin(w.ctx, thrift.STRUCT, 1))
		w.structure(fields)
		w.note(w.p.WriteListEnd(w.ctx))
	})
}

// texts gathers all texts of a call's result. Exceptions are errors.
func texts(into *[]string) structure {
	var s structure
	s.read = func(ctx context.Context, p thrift.TProtocol, id int16, kind thrift.TType) error {
		switch kind {
		case thrift.STRING:
			text, err := p.ReadBinary(ctx)
			*into = append(*into, string(text))
			return err
		case thrift.STRUCT:
			return s.Read(ctx, p)
		case thrift.LIST:
			_, n, err := p.ReadListBegin(ctx)
			for range n {
				err = errors.Join(err, s.Read(ctx, p))
			}
			return errors.Join(err, p.ReadListEnd(ctx))
		}
		return p.Skip(ctx, kind)
	}
	whole := s
	whole.read = func(ctx context.Context, p thrift.TProtocol, id int16, kind thrift.TType) error {
		err := s.read(ctx, p, id, kind)
		if id != 0 && err == nil {
			err = fmt.Errorf("an exception: %q", *into)
		}
		return err
	}
	return whole
}

// TestGoThrift calls Thrift2 with Apache's library for Go over HTTP and sockets, in both protocols.
func TestGoThrift(t *testing.T) {
	skipUnlessWanted(t)
	two, _ := startThrift(t)
	c := &thrift.TConfiguration{ConnectTimeout: time.Minute, SocketTimeout: time.Minute}
	web, err := thrift.NewTHttpClient("http://" + two + "/")
	if err != nil {
		t.Fatal(err)
	}
	binary, compact := thrift.NewTBinaryProtocolFactoryConf(c), thrift.NewTCompactProtocolFactoryConf(c)
	for i, way := range []struct {
		transport thrift.TTransport
		protocol  thrift.TProtocolFactory
	}{
		{web, binary}, {thrift.NewTBufferedTransport(thrift.NewTSocketConf(two, c), 4096), binary},
		{thrift.NewTFramedTransportConf(thrift.NewTSocketConf(two, c), c), binary},
		{thrift.NewTBufferedTransport(thrift.NewTSocketConf(two, c), 4096), compact},
		{thrift.NewTFramedTransportConf(thrift.NewTSocketConf(two, c), c), compact},
	} {
		if err := way.transport.Open(); err != nil {
			t.Fatal(err)
		}
		client := thrift.NewTStandardClient(way.protocol.GetProtocol(way.transport),
			way.protocol.GetProtocol(way.transport))
		quickstartGo(t, client, fmt.Sprintf("go%d", i))
		if err := way.transport.Close(); err != nil {
			t.Error(err)
		}
	}
}

// quickstartGo makes a table, puts a cell and gets it.
func quickstartGo(t *testing.T, client thrift.TClient, table string) {
	call := func(name string, write func(w thriftWriter)) (found []string) {
		if _, err := client.Call(t.Context(), name, structure{write: write}, texts(&found)); err != nil {
			t.Fatal(name, err)
		}
		return found
	}
	call("createTable", func(w thriftWriter) {
		w.nested(1, func(w thriftWriter) {
			w.nested(1, func(w thriftWriter) { w.text(2, table) })
			w.list(2, func(w thriftWriter) { w.text(1, "f") })
		})
	})
	call("put", func(w thriftWriter) {
		w.text(1, table)
		w.nested(2, func(w thriftWriter) {
			w.text(1, "row")
			w.list(2, func(w thriftWriter) { w.text(1, "f"); w.text(2, "q"); w.text(3, "value") })
		})
	})
	found := call("get", func(w thriftWriter) {
		w.text(1, table)
		w.nested(2, func(w thriftWriter) { w.text(1, "row") })
	})
	if fmt.Sprint(found) != "[row f q value]" {
		t.Errorf("the row has %q", found)
	}
}
