// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"github.com/spf13/cobra"

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
