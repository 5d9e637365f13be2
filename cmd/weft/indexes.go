// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net/url"

	"github.com/spf13/cobra"
)

// indexesCommand is `weft indexes`.
func (p *program) indexesCommand() *cobra.Command {
	var admin string
	var asJSON bool
	command := &cobra.Command{
		Use:   "indexes TABLE",
		Short: "Show the indexes of a table: keys, state, size, and how evenly Z-order codecs spread the rows",
		Long: `Show the key and the indexes of a table of a running server: their key parts, the progress of builds, and their estimated sizes.
For each attribute of a Z-order index, also show its codec and how evenly that codec spreads a sample of the rows. Skew is the share
of the fullest bucket divided by its intended share: 1 is even, and an index whose skew exceeds 4 is rebuilt in the background.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			query := url.Values{"table": {args[0]}}
			if asJSON {
				query.Set("format", "json")
			}
			return p.printPage(c.Context(), admin, "/indexes", query)
		},
	}
	command.Flags().StringVar(&admin, "admin-addr", "127.0.0.1:8080", "the server's admin port, as `HOST:PORT`")
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return command
}
