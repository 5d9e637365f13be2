// SPDX-License-Identifier: Apache-2.0

package hbasethrift

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"

	"github.com/apache/thrift/lib/go/thrift"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/hbase"
	"github.com/weftdb/weft/internal/memory"
	"github.com/weftdb/weft/internal/server/hbasethrift/hbase2"
	"github.com/weftdb/weft/kv/mem"
)

// BenchmarkMessage answers messages in memory, on rows of five cells.
func BenchmarkMessage(b *testing.B) {
	store := mem.Open(mem.Options{})
	db, err := database.Open(b.Context(), store, database.Options{Logger: slog.New(slog.DiscardHandler), ExpiryInterval: -1})
	if err != nil {
		b.Fatal(err)
	}
	api := &hbase.API{DB: db}
	s := New(Options{API: api})
	defer func() { _ = errors.Join(s.Shutdown(context.Background()), db.Close(), store.Close()) }()
	name := hbase.TableName{Namespace: database.DefaultDatabase, Name: "t"}
	if err := api.CreateTable(b.Context(), &hbase.Table{TableName: name, Families: []hbase.Family{{Name: "f", Versions: 1}}}, nil); err != nil {
		b.Fatal(err)
	}
	putOf := func(row int) *hbase2.TPut {
		p := &hbase2.TPut{Row: fmt.Appendf(nil, "row-%08d", row)}
		for i := range 5 {
			p.ColumnValues = append(p.ColumnValues, &hbase2.TColumnValue{Family: []byte("f"), Qualifier: fmt.Appendf(nil, "c%d", i), Value: fmt.Appendf(nil, "value-%08d-%05d", row, i)})
		}
		return p
	}
	var puts []*hbase2.TPut
	for i := range 1000 {
		puts = append(puts, putOf(i))
	}
	scan := hbase2.NewTScan()
	for _, c := range []struct {
		name, call string
		arguments  thrift.TStruct
	}{
		{"putMultiple1000", "putMultiple", &hbase2.THBaseServicePutMultipleArgs{Table: []byte("t"), Tputs: puts}},
		{"put", "put", &hbase2.THBaseServicePutArgs{Table: []byte("t"), Tput: puts[7]}},
		{"get", "get", &hbase2.THBaseServiceGetArgs{Table: []byte("t"), Tget: &hbase2.TGet{Row: puts[7].Row}}},
		{"scan1000", "getScannerResults", &hbase2.THBaseServiceGetScannerResultsArgs{Table: []byte("t"), Tscan: scan, NumRows: 1000}},
	} {
		to := thrift.NewTMemoryBuffer()
		out := thrift.NewTBinaryProtocolConf(to, nil)
		if err := errors.Join(out.WriteMessageBegin(b.Context(), c.call, thrift.CALL, 1), c.arguments.Write(b.Context(), out), out.WriteMessageEnd(b.Context())); err != nil {
			b.Fatal(err)
		}
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				share := memory.Share{}
				room, giveBack := s.room()
				if ok := s.answer(s.contextOf(b.Context(), nil, "", "", &share), room, to.Bytes()); !ok || room.Len() == 0 {
					b.Fatal("no answer")
				}
				giveBack()
			}
		})
	}
}
