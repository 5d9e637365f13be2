// SPDX-License-Identifier: Apache-2.0

package storecommand

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/weftdb/weft/cmd/weft/commandline"
	"github.com/weftdb/weft/cmd/weft/output"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/files/archive"
	"github.com/weftdb/weft/internal/files/bulkload"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/definition"
)

// ExportCommand is `weft export`.
func (h *Host) ExportCommand() *cobra.Command {
	var format, dbName string
	var asJSON bool
	command := &cobra.Command{
		Use:   "export PLACE [TABLE...]",
		Short: "Write tables, or whole databases, of a store that no server has open to files",
		Long: `Write all databases of a store that no server has open to files that other programs read, or the one of --database, or some TABLES of it.
The formats are DynamoDB's JSON, CSV and Parquet. Each table has its own folder, with its definition. All tables are as at one moment.

weft import makes the same tables of it again. What a format can't hold is refused before anything is written, with its name.

` + h.PlaceHelp + `

A running server keeps its folder locked: stop it first, or use weft backup.`,
		Example: `  weft export ./export
  weft export --format parquet --database shop ./export orders customers`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			to, err := h.OpenPlace(args[0])
			if err != nil {
				return commandline.Usage(err)
			}
			o := archive.Options{Format: archive.Format(format), Database: dbName,
				DatabaseOptions: []string{definition.DatabaseInsertMode}, Types: columnTypes}
			if len(args) > 1 {
				o.Tables = args[1:]
			}
			return h.Look(c, func(ctx context.Context, db *database.DB) error {
				if err := h.checkTables(db, dbName, o.Tables); err != nil {
					return err
				}
				shown, begun := NewStatusLine(h.Stderr), time.Now()
				o.Progress = func(p archive.Progress) {
					shown.Show(func() string {
						return fmt.Sprintf("%s %s: %d rows, %.0f/s", p.Step, tableName(p.Database, p.Table), p.Rows,
							rate(p.Rows, begun))
					})
				}
				all := newOutcome()
				o.Done = func(database, table string, n int64) {
					shown.Clear()
					begun = time.Now()
					if all.add(tableOutcome{Table: tableName(database, table), Rows: n}); !asJSON {
						fmt.Fprintf(h.Stdout, "%s: %d rows\n", tableName(database, table), n)
					}
				}
				err := archive.Write(ctx, db, to, o)
				shown.Clear()
				return h.printAll(all, "exported", asJSON, err)
			})
		},
	}
	flags := command.Flags()
	flags.StringVar(&format, "format", string(archive.DynamoDB), "dynamodb (DynamoDB's JSON), csv or parquet")
	flags.StringVar(&dbName, "database", "", "export this `DATABASE` only; the default of named tables is default")
	flags.BoolVar(&asJSON, "json", false, "print JSON")
	h.AddFlags(command)
	return command
}

// printAll prints what was done with all tables, unless err is one.
func (h *Host) printAll(all *outcome, what string, asJSON bool, err error) error {
	all.Seconds = time.Since(all.begun).Seconds()
	switch {
	case err != nil:
		return err
	case asJSON:
		return output.WriteJSON(h.Stdout, all)
	}
	_, err = fmt.Fprintf(h.Stdout, "%s %d tables with %d rows in %.1f s\n", what, len(all.Tables), all.Rows, all.Seconds)
	return err
}

// checkTables finds a table that is not there, before any is written.
func (h *Host) checkTables(db *database.DB, dbName string, names []string) error {
	dbName = cmp.Or(dbName, database.DefaultDatabase)
	for _, name := range names {
		if _, err := db.TableIn(dbName, name); database.KindOf(err) == database.KindNotFound {
			return commandline.NoTable(name, db.Tables(dbName, "", math.MaxInt))
		}
	}
	return nil
}

// columnTypes returns SQL's types of a table's columns.
func columnTypes(table *schema.Table) map[string]string {
	t, err := definition.Of(table)
	if err != nil {
		return nil // numbers stand there then
	}
	types := map[string]string{}
	for i := range t.Columns {
		switch c := &t.Columns[i]; {
		case c.Type.Base == datum.Date:
			types[c.Name] = "date"
		case c.Type.Base == datum.Timestamp && c.Type.TimeUnit() == 1:
			types[c.Name] = "timestamp6"
		}
	}
	return types
}

// tableName is how users name a table.
func tableName(dbName, table string) string {
	if dbName == database.DefaultDatabase {
		return table
	}
	return dbName + "." + table
}

// importArchive loads what weft export wrote.
func (h *Host) importArchive(c *cobra.Command, f *importFlags, dir string) error {
	if !archive.IsArchive(dir) {
		return commandline.Usage(fmt.Errorf("%s is no folder that weft export wrote to its end: name it, or a table and its files", dir))
	}
	for _, name := range [...]string{"key", "partition-parts", "hash", "index", "format", "types", "null", "bad-rows"} {
		if c.Flags().Changed(name) {
			return commandline.Usage(fmt.Errorf("--%s has no meaning for the folder of weft export, which says itself what its tables are", name))
		}
	}
	return h.Open(c, false, func(ctx context.Context, db *database.DB, store string) error {
		work := f.work
		if work == "" {
			path, err := filepath.Abs(dir)
			if err != nil {
				return err
			}
			sum := sha256.Sum256([]byte(path))
			work = filepath.Join(store, "weft-import", "export-"+hex.EncodeToString(sum[:8]))
		}
		begun, all, shown := time.Now(), newOutcome(), NewStatusLine(h.Stderr)
		err := archive.Load(ctx, db, dir,
			archive.LoadOptions{Dir: work, MemoryBytes: *f.memoryBytes, Restart: f.restart, Log: shown.Say,
				Progress: func(dbName, table string, p bulkload.Progress) {
					shown.Show(func() string { return tableName(dbName, table) + ": " + loadStatus(p, begun) })
				},
				Done: func(dbName, table string, r bulkload.Result) {
					shown.End()
					all.add(importOutcome(r, tableName(dbName, table)))
					if !f.asJSON {
						h.printImport(r, tableName(dbName, table), time.Since(begun))
					}
					begun = time.Now()
				},
			})
		shown.End()
		if err != nil {
			return fmt.Errorf("%w\n(progress is kept: run the command again to continue, or with --restart to start over)", err)
		}
		_ = os.Remove(filepath.Dir(work)) // unless something else is in it
		return h.printAll(all, "imported", f.asJSON, nil)
	})
}
