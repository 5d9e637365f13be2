// SPDX-License-Identifier: Apache-2.0

package storecommand

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/weftdb/weft/cmd/weft/commandline"
	"github.com/weftdb/weft/cmd/weft/output"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/files/transfer"
	"github.com/weftdb/weft/kv"
)

// CopyCommand is `weft copy`.
func (h *Host) CopyCommand() *cobra.Command {
	var from, to string
	var again, asJSON bool
	command := &cobra.Command{
		Use:   "copy --from STORE --to STORE",
		Short: "Copy a whole store into another one, on the same or another engine, and compare the two",
		Long: `Copy all tables, indexes, views, accounts and unfinished jobs of a store into an empty one, then compare the counts and checksums of
each table and index. A STORE is a folder, or tikv://HOST:PORT,.. for a cluster. The TLS settings and the key prefix of a cluster
come from the same flags as in weft serve.

Run an interrupted copy again to continue it. No server opens the target before it is complete. --again brings a complete copy up to
date and writes only the differences. To move with little downtime, copy once from a backup or from the source as it is, stop
writing to the source, run copy --again, and serve the target.

No server may have the folders open meanwhile. A cluster may be in use while it is copied: the copy shows one moment of it.`,
		Args: commandline.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if from == "" || to == "" || from == to {
				return commandline.Usage(errors.New("name two different stores with --from and --to"))
			}
			return h.OpenTwo(c, from, to, func(ctx context.Context, source, target kv.Store) error {
				return h.copy(ctx, source, target, from, again, asJSON)
			})
		},
	}
	command.Flags().StringVar(&from, "from", "", "`STORE` to copy")
	command.Flags().StringVar(&to, "to", "", "`STORE` to copy to")
	command.Flags().BoolVar(&again, "again", false,
		"bring a complete copy up to date; anything written to it since is lost")
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	h.AddFlags(command)
	return command
}

func (h *Host) copy(ctx context.Context, source, target kv.Store, name string, again, asJSON bool) error {
	begun, line := time.Now(), NewStatusLine(h.Stderr)
	list, err := transfer.Copy(ctx, transfer.Options{From: source, To: target, Source: name, Again: again,
		Progress: func(p transfer.Progress) {
			line.Show(func() string { return copyStatus(p, begun) })
		}})
	line.Clear()
	switch {
	case errors.Is(err, transfer.ErrDone):
		return fmt.Errorf("%w with --again", err)
	case err != nil:
		return err
	}
	if asJSON {
		return output.WriteJSON(h.Stdout, copyOutcome(list, time.Since(begun)))
	}
	table := tabwriter.NewWriter(h.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "part\tentries\tchecksum")
	for _, sum := range list {
		fmt.Fprintf(table, "%s\t%d\t%016x\n", sum.Name, sum.Entries, sum.CRC)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(h.Stdout, "copied and compared in %.1f s\n", time.Since(begun).Seconds())
	return err
}

// copied is the output of copy with --json.
type copied struct {
	Parts   []copiedPart `json:"parts"`
	Seconds float64      `json:"seconds"`
}

type copiedPart struct {
	Part     string `json:"part"`
	Entries  int64  `json:"entries"`
	Checksum string `json:"checksum"` // CRC-64 of all keys and values, in hexadecimal digits
}

func copyOutcome(list []transfer.Sum, took time.Duration) copied {
	c := copied{Parts: []copiedPart{}, Seconds: took.Seconds()}
	for _, sum := range list {
		c.Parts = append(c.Parts, copiedPart{sum.Name, sum.Entries, fmt.Sprintf("%016x", sum.CRC)})
	}
	return c
}

// copyStatus words how far a copy is.
func copyStatus(p transfer.Progress, begun time.Time) string {
	what := "copying"
	if p.Comparing {
		what = "comparing"
	}
	text := what + " " + p.At
	if p.Done > 0 {
		text += fmt.Sprintf(": %.0f %%", 100*p.Done)
	}
	if p.Comparing {
		return fmt.Sprintf("%s, %d entries read", text, p.Entries)
	}
	return fmt.Sprintf("%s, %d entries, %d written, %.0f/s", text, p.Entries, p.Written, rate(p.Entries, begun))
}

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
