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
