// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/keyspace"
)

// keyCommand is `weft key`.
func (p *program) keyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "key KEY...",
		Short: "Explain raw keys of the store",
		Long: `Explain raw keys of the store, or build them. A KEY is 0x and hexadecimal digits, as engines and logs show it, or what this
command prints, such as /row/table=1/index=0/key=0x01.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			for _, text := range args {
				key, err := keyspace.ParseText(text)
				if err != nil {
					return usageError{err}
				}
				p.explainKey(key)
			}
			return nil
		},
	}
}

func (p *program) explainKey(key []byte) {
	fmt.Fprintf(p.stdout, "0x%x\n  %s\n", key, keyspace.Print(key))
	section, parts, err := keyspace.Parse(key)
	if err != nil {
		fmt.Fprintf(p.stdout, "  %v\n", err)
		return
	}
	fmt.Fprintf(p.stdout, "  %s: %s (written by package %s)\n", section.Name, section.Doc, section.Owner)
	for _, part := range parts {
		if part.Field.Kind == keyspace.Number {
			fmt.Fprintf(p.stdout, "  %s = %d\n", part.Field.Name, part.Number)
		} else {
			fmt.Fprintf(p.stdout, "  %s = %q\n", part.Field.Name, part.Bytes)
		}
	}
}

// verifyCommand is `weft verify`.
func (p *program) verifyCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "verify",
		Short: "Check every row and index entry of a store that is not being served",
		Long: `Check every row and index entry of a store that is not being served: rows are well formed and stand under their own keys, and each
index holds exactly the entries that the rows make. Exit code 1 if anything is wrong.`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			conf, _, err := resolve(inputs{givenFlags(c.Flags()), p.environ, p.readFile})
			if err != nil {
				return err
			}
			return p.verify(c.Context(), conf)
		},
	}
	addSettingFlags(command)
	return command
}

// verify opens the store with all doors shut and checks table by table.
func (p *program) verify(ctx context.Context, conf *config) (err error) {
	conf.DynamoDBAddr, conf.AdminAddr = off, off
	s := &server{config: conf, log: newLogger(p.stderr, conf), exit: p.exit}
	if err := s.Open(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	db := s.database.(*openedDatabase).db
	faults := 0
	for after := ""; ; {
		names := db.Tables(weft.DefaultDatabase, after, 100)
		if len(names) == 0 {
			break
		}
		for _, name := range names {
			n, err := p.verifyTable(ctx, db, name)
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

func (p *program) verifyTable(ctx context.Context, db *weft.DB, name string) (faults int, err error) {
	table, err := db.Table(name)
	if err != nil {
		return 0, err
	}
	report, err := table.Verify(ctx)
	if err != nil {
		return 0, err
	}
	fmt.Fprintf(p.stdout, "%s: %d rows, %d index entries, %d faults\n", name, report.Rows, report.Entries, int64(len(report.Faults))+report.More)
	for _, fault := range report.Faults {
		fmt.Fprintln(p.stdout, "  "+fault)
	}
	return len(report.Faults) + int(report.More), nil
}
