// SPDX-License-Identifier: Apache-2.0

// Command version is one gateway of a store that another process has, of the version of Weft that it is built with. It
// does what lines of standard input ask for, one after the other, and answers each with a line.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"time"

	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/test/rolling/sharedstore"
)

// request is a line of input.
type request struct {
	Do    string
	Key   int
	Text  string // the value of an attribute
	Index string // of the attribute with its name
}

// answer is a line of output.
type answer struct {
	Error  string
	Number int64
}

func main() {
	if err := run(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, address string) error {
	connection, err := net.Dial("unix", address)
	if err != nil {
		return err
	}
	store := sharedstore.Dial(connection)
	db, err := database.Open(ctx, store, database.Options{Logger: slog.New(slog.NewTextHandler(os.Stderr, nil)),
		Gateway: database.GatewayOptions{Lease: time.Minute, Poll: 20 * time.Millisecond}})
	if err != nil {
		return err
	}
	lines, out := bufio.NewScanner(os.Stdin), json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var q request
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			return err
		}
		var a answer
		if a.Number, err = do(ctx, db, q); err != nil {
			a.Error = err.Error()
		}
		if err := out.Encode(a); err != nil {
			return err
		}
	}
	return errors.Join(db.Close(), store.Close())
}

func do(ctx context.Context, db *database.DB, q request) (int64, error) {
	if q.Do == "create" {
		_, err := db.CreateTable(ctx, database.TableSpec{Name: "t", Key: database.Columns("k", schema.Number)})
		return 0, err
	}
	table, err := db.Table("t")
	if err != nil {
		return 0, err
	}
	key := map[string]any{"k": q.Key}
	switch q.Do {
	case "put":
		_, err := write(ctx, table, map[string]any{"k": q.Key, "a": q.Text, "b": q.Text + "b"},
			&database.Write{Op: database.OpPut})
		return 0, err
	case "delete":
		_, err := write(ctx, table, key, &database.Write{Op: database.OpDelete})
		return 0, err
	case "add":
		item, err := write(ctx, table, key, &database.Write{Op: database.OpUpdate,
			Update: govalue.Attribute("n").Add(1), NeedNew: true})
		if err != nil {
			return 0, err
		}
		n, _ := item.Int("n")
		return n, nil
	case "index":
		return 0, errors.Join(table.AddIndex(ctx, database.IndexSpec{Name: q.Index,
			Key: database.Columns(q.Index, schema.String)}), db.WaitJobs(ctx))
	case "drop":
		return 0, errors.Join(table.DropIndex(ctx, q.Index), db.WaitJobs(ctx))
	case "count":
		return count(ctx, table, q.Index)
	case "verify":
		report, err := table.Verify(ctx)
		if len(report.Faults) > 0 {
			err = errors.Join(err, fmt.Errorf("%q", report.Faults))
		}
		return report.Entries, err
	}
	return 0, fmt.Errorf("nothing to do for %q", q.Do)
}

// write does a write of an item, given as Go values, and returns the new one. It uses nothing that older versions lack.
func write(ctx context.Context, table *database.Table, item map[string]any, w *database.Write) (database.Item, error) {
	pin, err := table.Pin()
	if err != nil {
		return database.Item{}, err
	}
	defer pin.Release()
	if w.Row, err = database.AppendRow(nil, pin.Names(), item); err != nil {
		return database.Item{}, err
	}
	var result database.WriteResult
	err = pin.Write(ctx, w, &result)
	return database.Item{Row: result.New, Names: pin.Names()}, err
}

// count counts the rows that an index has.
func count(ctx context.Context, table *database.Table, index string) (n int64, err error) {
	rows, err := table.Query(ctx, database.Query{Index: index})
	if err != nil {
		return 0, err
	}
	for rows.Next() {
		n++
	}
	return n, rows.Close()
}
