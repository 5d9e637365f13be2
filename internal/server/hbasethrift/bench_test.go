// SPDX-License-Identifier: Apache-2.0

package hbasethrift

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/hbase"
	"github.com/weftdb/weft/internal/resource/memory"
	"github.com/weftdb/weft/internal/server/thriftwire"
	"github.com/weftdb/weft/kv/mem"
)

// BenchmarkMessage answers messages in memory, on rows of five cells.
func BenchmarkMessage(b *testing.B) {
	store := mem.Open(mem.Options{})
	db, err := database.Open(b.Context(), store,
		database.Options{Logger: slog.New(slog.DiscardHandler), ExpiryInterval: -1})
	if err != nil {
		b.Fatal(err)
	}
	api := &hbase.API{DB: db}
	s := New(Options{API: api})
	defer func() { _ = errors.Join(s.Shutdown(context.Background()), db.Close(), store.Close()) }()
	name := hbase.TableName{Namespace: database.DefaultDatabase, Name: "t"}
	if err := api.CreateTable(b.Context(),
		&hbase.Table{TableName: name, Families: []hbase.Family{{Name: "f", Versions: 1}}}, nil); err != nil {
		b.Fatal(err)
	}
	tputOf := func(row int) fields {
		cells := make([]any, 5)
		for i := range cells {
			cells[i] = cellOf("f", fmt.Sprintf("c%d", i), fmt.Sprintf("value-%08d-%05d", row, i))
		}
		return fields{"row": fmt.Sprintf("row-%08d", row), "columnValues": cells}
	}
	var puts, gets []any
	for i := range 1000 {
		puts = append(puts, tputOf(i))
		gets = append(gets, fields{"row": fmt.Sprintf("row-%08d", i)})
	}
	client := &client{service: readService(b, Two), protocol: thriftwire.Binary}
	for _, c := range []struct {
		name, call string
		arguments  fields
	}{
		{"putMultiple1000", "putMultiple", fields{"table": "t", "tputs": puts}},
		{"put", "put", fields{"table": "t", "tput": puts[7]}},
		{"get", "get", getOf("t", "row-00000007")},
		{"getMultiple1000", "getMultiple", fields{"table": "t", "tgets": gets}},
		{"scan1000", "getScannerResults", fields{"table": "t", "tscan": fields{"maxVersions": 1}, "numRows": 1000}},
	} {
		message := client.message(c.call, c.arguments)
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				share := memory.Share{}
				room, giveBack := s.room()
				if ok := s.answer(s.contextOf(b.Context(), nil, "", "", &share), room, message, nil); !ok ||
					room.Len() == 0 {
					b.Fatal("no answer")
				}
				giveBack()
			}
		})
	}
}
