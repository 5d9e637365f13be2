// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net/url"

	"github.com/spf13/cobra"
)

// regionsCommand is `weft regions`.
func (p *program) regionsCommand() *cobra.Command {
	var admin string
	var asJSON bool
	command := &cobra.Command{
		Use:   "regions [TABLE]",
		Short: "Show the regions of a table and its indexes, or of all: where they begin, how much they hold, how busy they are",
		Long: `Show the regions of a table and its indexes of a server that runs, or those of all tables: where each begins and ends, about how many rows and bytes it
holds, how many reads and writes a second it has had of late, and, on a cluster, the stores that keep it. docs/regions.md says when they are split and
merged.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			query := url.Values{}
			if len(args) > 0 {
				query.Set("table", args[0])
			}
			if asJSON {
				query.Set("format", "json")
			}
			return p.printPage(c.Context(), admin, "/regions", query)
		},
	}
	command.Flags().StringVar(&admin, "admin-addr", "127.0.0.1:8080", "the admin port of the server")
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return command
}
