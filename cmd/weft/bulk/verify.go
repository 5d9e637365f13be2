// SPDX-License-Identifier: Apache-2.0

package bulk

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/weftdb/weft"
)

// VerifyCommand is `weft verify`.
func (h *Host) VerifyCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "verify",
		Short: "Check every row and index entry of a store that is not being served",
		Long: `Check every row and index entry of a store that is not being served: rows are well formed and stand under their own keys, and each
index holds exactly the entries that the rows make. Exit code 1 if anything is wrong.`,
		Args: h.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			return h.Open(c, func(ctx context.Context, db *weft.DB, _ string) error { return h.verify(ctx, db) })
		},
	}
	h.AddFlags(command)
	return command
}

// verify checks table by table.
func (h *Host) verify(ctx context.Context, db *weft.DB) error {
	faults := 0
	for after := ""; ; {
		names := db.Tables(weft.DefaultDatabase, after, 100)
		if len(names) == 0 {
			break
		}
		for _, name := range names {
			n, err := h.verifyTable(ctx, db, name)
			if err != nil {
				return err
			}
			faults += n
		}
		after = names[len(names)-1]
	}
	if faults > 0 {
		return fmt.Errorf("%d faults: keep a copy of the folder, then rebuild the indexes named, or restore a backup", faults)
	}
	return nil
}

func (h *Host) verifyTable(ctx context.Context, db *weft.DB, name string) (faults int, err error) {
	table, err := db.Table(name)
	if err != nil {
		return 0, err
	}
	report, err := table.Verify(ctx)
	if err != nil {
		return 0, err
	}
	fmt.Fprintf(h.Stdout, "%s: %d rows, %d index entries, %d faults\n", name, report.Rows, report.Entries, int64(len(report.Faults))+report.More)
	for _, fault := range report.Faults {
		fmt.Fprintln(h.Stdout, "  "+fault)
	}
	return len(report.Faults) + int(report.More), nil
}
