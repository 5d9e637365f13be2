// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/testdoc"
	"github.com/weftdb/weft/kv"
)

// TestPausedCommit: a gateway stands still in the middle of a commit, while another builds an index. Beyond its lease
// the commit is refused, so that the index lacks nothing; the gateway says that it has lost its lease, and takes part
// again.
func TestPausedCommit(t *testing.T) {
	for _, e := range engines() {
		t.Run(e.name, func(t *testing.T) {
			handle, _ := e.open(t)
			first, second := openGateway(t, e, handle()), openGateway(t, e, handle())
			table, err := first.db.CreateTable(t.Context(), spec())
			if err != nil {
				t.Fatal(err)
			}
			late, err := second.db.Table("t")
			if err != nil {
				t.Fatal(err)
			}
			for i := range 10 {
				if err := testdoc.Put(t.Context(), late, testdoc.Document{"pk": i, "a0": "before"}); err != nil {
					t.Fatal(err)
				}
			}
			reached := second.pauseAtCommit()
			refused := make(chan error)
			go func() { refused <- testdoc.Put(context.Background(), late, testdoc.Document{"pk": 5, "a0": "late"}) }()
			<-reached
			if err := table.AddIndex(t.Context(),
				database.IndexSpec{Name: "by0", Key: database.Columns("a0", schema.String)}); err != nil {
				t.Fatal(err)
			}
			if err := first.db.WaitJobs(t.Context()); err != nil {
				t.Fatal(err)
			}
			second.resume()
			if err := <-refused; database.KindOf(err) != database.KindUnavailable {
				t.Errorf("the late commit gives %v", err)
			}
			verify(t, table, 10)
			for second.db.Ready() != nil {
				time.Sleep(time.Millisecond)
			}
			if status, _ := second.db.Gateway(); status.Lost != 1 {
				t.Errorf("the gateway lost its lease %d times, want once", status.Lost)
			}
			if err := testdoc.Put(t.Context(), late, testdoc.Document{"pk": 100, "a0": "after"}); err != nil {
				t.Error(err)
			}
			verify(t, table, 11)
		})
	}
}

func verify(t *testing.T, table *database.Table, entries int64) {
	t.Helper()
	report, err := table.Verify(t.Context())
	for ; err != nil && expected(err) && t.Context().Err() == nil; report, err = table.Verify(t.Context()) {
		time.Sleep(time.Millisecond) // a busy machine may lose its lease
	}
	if err != nil || len(report.Faults) > 0 || report.Entries != entries {
		t.Errorf("%+v, %v; want %d entries", report, err, entries)
	}
}

// TestTakenOver: the gateway that builds an index vanishes, and another goes on with it where it was.
func TestTakenOver(t *testing.T) {
	for _, e := range engines() {
		t.Run(e.name, func(t *testing.T) {
			handle, _ := e.open(t)
			first, second := openGateway(t, e, handle()), openGateway(t, e, handle())
			table, err := second.db.CreateTable(t.Context(), spec())
			if err != nil {
				t.Fatal(err)
			}
			for i := range 50 {
				var writes []database.TableWrite
				p, err := table.Pin()
				if err != nil {
					t.Fatal(err)
				}
				for j := range 40 {
					row, err := (testdoc.Document{"pk": 40*i + j, "a0": fmt.Sprint(j)}).AppendRow(nil, p.Names())
					if err != nil {
						t.Fatal(err)
					}
					writes = append(writes,
						database.TableWrite{Table: p, Write: database.Write{Op: database.OpPut, Row: row}})
				}
				if _, err := second.db.WriteAll(t.Context(), writes); err != nil {
					t.Fatal(err)
				}
				p.Release()
			}
			if err := table.AddIndex(t.Context(),
				database.IndexSpec{Name: "by0", Key: database.Columns("a0", schema.String)}); err != nil {
				t.Fatal(err)
			}
			for done := int64(0); done == 0; time.Sleep(time.Millisecond) { // the owner is at it, or was
				jobs := first.db.Jobs().List()
				if len(jobs) == 0 {
					break
				}
				done = jobs[0].Done
			}
			first.kill()
			if err := second.db.WaitJobs(t.Context()); err != nil {
				t.Fatal(err)
			}
			verify(t, table, 2000)
			for status, _ := second.db.Gateway(); len(status.Works) < 3; status, _ = second.db.Gateway() {
				time.Sleep(time.Millisecond)
			}
		})
	}
}

// TestSeenByAll: what one gateway makes is there on another at once: tables, databases, views, users, and names of
// attributes.
func TestSeenByAll(t *testing.T) {
	for _, e := range engines() {
		t.Run(e.name, func(t *testing.T) {
			handle, _ := e.open(t)
			var all []*gateway
			for range gatewayCount {
				all = append(all, openGateway(t, e, handle()))
			}
			for i, g := range all {
				next, dbName := all[(i+1)%gatewayCount], fmt.Sprint("d", i)
				ctx := t.Context()
				if err := g.db.CreateDatabase(ctx, dbName); err != nil {
					t.Fatal(err)
				}
				if database.KindOf(next.db.CreateDatabase(ctx, dbName)) != database.KindExists {
					t.Error("a database was made twice")
				}
				if _, err := next.db.CreateTable(ctx,
					database.TableSpec{Database: dbName, Name: "t",
						Key: database.Columns("pk", schema.Number)}); err != nil {
					t.Fatal(err)
				}
				table, err := g.db.TableIn(dbName, "t")
				if err != nil {
					t.Fatal(err)
				}
				if err := testdoc.Put(ctx, table, testdoc.Document{"pk": 1, "x": "y", fmt.Sprint("of ", i): i}); err != nil {
					t.Fatal(err)
				}
				other, err := next.db.TableIn(dbName, "t")
				if err != nil {
					t.Fatal(err)
				}
				item, _, err := testdoc.Get(ctx, other, testdoc.Document{"pk": 1})
				if n, _ := item.Int(fmt.Sprint("of ", i)); err != nil || n != int64(i) {
					t.Errorf("the other gateway reads %d, %v", n, err)
				}
				if err := g.db.StoredViews().Put(ctx,
					database.StoredView{Database: dbName, Name: "v", Query: "q"}); err != nil {
					t.Fatal(err)
				}
				if v, ok := next.db.StoredViews().Get(dbName, "v"); !ok || v.Query != "q" {
					t.Error("the other gateway has no view")
				}
				if err := g.db.Accounts().Add(ctx, dbName, "secret"); err != nil {
					t.Fatal(err)
				}
				if _, ok, err := next.db.Accounts().Get(ctx, dbName); !ok || err != nil {
					t.Errorf("the other gateway has no user: %v", err)
				}
				if err := next.db.DropDatabase(ctx, dbName, true); err != nil {
					t.Fatal(err)
				}
				if _, err := g.db.TableIn(dbName, "t"); database.KindOf(err) != database.KindNotFound || err == nil {
					t.Errorf("a dropped table gives %v", err)
				}
			}
		})
	}
}

var _ kv.Shared = (*process)(nil)
