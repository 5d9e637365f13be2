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
		Short: "Show the indexes of a table: keys, state, size, and how well Z-order codecs suit the rows",
		Long: `Show the key and the indexes of a table of a server that runs: what they are made of, how far a build is, about how much they hold, and for each
attribute of a Z-order index how it is coded and how evenly that spreads a sample of the rows. Skew is the fullest bucket's share over the share
that it was made for: 1 is even, and an index whose skew passes 4 is rebuilt in the background.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			query := url.Values{"table": {args[0]}}
			if asJSON {
				query.Set("format", "json")
			}
			return p.printPage(c.Context(), admin, "/indexes", query)
		},
	}
	command.Flags().StringVar(&admin, "admin-addr", "127.0.0.1:8080", "the admin port of the server")
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return command
}
