// SPDX-License-Identifier: Apache-2.0

package storecommand

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/weftdb/weft/internal/database"
)

// VerifyCommand is `weft verify`.
func (h *Host) VerifyCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "verify",
		Short: "Check every row and index entry of a store that no server has open",
		Long: `Check every row and index entry of a store that no server has open: each row is well formed and stored under its own key, and each
index holds exactly the entries of its rows. A folder is opened read-only and not a byte of it is written, so it may be
a copy or lie on a read-only mount. Progress goes to standard error, the result to standard output. The exit code is 1
if anything is wrong, or if the store can't be opened.`,
		Args: h.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error { return h.Look(c, h.verify) },
	}
	h.AddFlags(command)
	return command
}

// verification is the result for all tables so far.
type verification struct{ tables, rows, entries, faults int64 }

// verify checks table by table.
func (h *Host) verify(ctx context.Context, db *database.DB) error {
	begun, all := time.Now(), verification{}
	for _, database := range db.Databases() {
		for after := ""; ; {
			names := db.Tables(database, after, 100)
			if len(names) == 0 {
				break
			}
			for _, name := range names {
				if err := h.verifyTable(ctx, db, database, name, &all); err != nil {
					return err
				}
			}
			after = names[len(names)-1]
		}
	}
	took := time.Since(begun).Seconds()
	fmt.Fprintf(h.Stdout, "checked %d tables, %d rows and %d index entries in %.1f s (%.0f/s): %d faults\n", all.tables,
		all.rows, all.entries, took,
		float64(all.rows+all.entries)/max(took, 0.001), all.faults)
	if all.faults > 0 {
		return fmt.Errorf("%d faults: keep a copy of the folder, then rebuild the indexes named, or restore a backup",
			all.faults)
	}
	return nil
}

func (h *Host) verifyTable(ctx context.Context, db *database.DB, dbName, name string, all *verification) error {
	table, err := db.TableIn(dbName, name)
	if err != nil {
		return err
	}
	shown := name
	if dbName != database.DefaultDatabase {
		shown = dbName + "." + name
	}
	line, begun := NewStatusLine(h.Stderr), time.Now()
	report, err := table.VerifyTelling(ctx, func(rows, entries int64, done float64) {
		line.Show(func() string {
			return fmt.Sprintf("%s: %.0f %%, %d rows and %d index entries read, %.0f/s", shown, 100*done, rows, entries,
				rate(rows+entries, begun))
		})
	})
	line.Clear()
	if err != nil {
		return err
	}
	faults := int64(len(report.Faults)) + report.More
	fmt.Fprintf(h.Stdout, "%s: %d rows, %d index entries, %d faults\n", shown, report.Rows, report.Entries, faults)
	for _, fault := range report.Faults {
		fmt.Fprintln(h.Stdout, "  "+fault)
	}
	if report.More > 0 {
		fmt.Fprintf(h.Stdout, "  and %d more\n", report.More)
	}
	all.tables, all.rows, all.entries, all.faults = all.tables+1, all.rows+report.Rows, all.entries+
		report.Entries, all.faults+faults
	return nil
}
