// SPDX-License-Identifier: Apache-2.0

package storecommand

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/weftdb/weft/cmd/weft/commandline"
	"github.com/weftdb/weft/cmd/weft/output"
	"github.com/weftdb/weft/internal/database"
)

// VerifyCommand is `weft verify`.
func (h *Host) VerifyCommand() *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use:   "verify",
		Short: "Check every row and index entry of a store that no server has open",
		Long: `Check every row and index entry of a store that no server has open: each row is well formed and stored under its own key, and each
index holds exactly the entries of its rows. A folder is opened read-only and not a byte of it is written, so it may be
a copy or lie on a read-only mount. Progress goes to standard error, the result to standard output. The exit code is 1
if anything is wrong, or if the store can't be opened.`,
		Args: commandline.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			return h.Look(c, func(ctx context.Context, db *database.DB) error { return h.verify(ctx, db, asJSON) })
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	h.AddFlags(command)
	return command
}

// verify checks table by table.
func (h *Host) verify(ctx context.Context, db *database.DB, asJSON bool) error {
	all := newOutcome()
	for _, database := range db.Databases() {
		for after := ""; ; {
			names := db.Tables(database, after, 100)
			if len(names) == 0 {
				break
			}
			for _, name := range names {
				t, err := h.verifyTable(ctx, db, database, name)
				if err != nil {
					return err
				}
				if all.add(t); !asJSON {
					h.printVerified(&t)
				}
			}
			after = names[len(names)-1]
		}
	}
	if asJSON {
		if err := output.WriteJSON(h.Stdout, all); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(h.Stdout, "checked %d tables, %d rows and %d index entries in %.1f s (%.0f/s): %d faults\n",
			len(all.Tables), all.Rows, all.Entries, all.Seconds, rate(all.Rows+all.Entries, all.begun), all.Faults)
	}
	if all.Faults > 0 {
		return fmt.Errorf("%d faults: keep a copy of the folder, then rebuild the indexes named, or restore a backup",
			all.Faults)
	}
	return nil
}

func (h *Host) printVerified(t *tableOutcome) {
	fmt.Fprintf(h.Stdout, "%s: %d rows, %d index entries, %d faults\n", t.Table, t.Rows, t.Entries,
		int64(len(t.Faults))+t.More)
	for _, fault := range t.Faults {
		fmt.Fprintln(h.Stdout, "  "+fault)
	}
	if t.More > 0 {
		fmt.Fprintf(h.Stdout, "  and %d more\n", t.More)
	}
}

func (h *Host) verifyTable(ctx context.Context, db *database.DB, dbName, name string) (t tableOutcome,
	err error) {
	table, err := db.TableIn(dbName, name)
	if err != nil {
		return t, err
	}
	shown := tableName(dbName, name)
	line, begun := NewStatusLine(h.Stderr), time.Now()
	report, err := table.VerifyTelling(ctx, func(rows, entries int64, done float64) {
		line.Show(func() string {
			return fmt.Sprintf("%s: %.0f %%, %d rows and %d index entries read, %.0f/s", shown, 100*done, rows, entries,
				rate(rows+entries, begun))
		})
	})
	line.Clear()
	return tableOutcome{Table: shown, Rows: report.Rows, Entries: report.Entries, Faults: report.Faults,
		More: report.More}, err
}
