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
		Short: "Show the regions of tables and indexes: bounds, sizes and load",
		Long: `Show the regions of one table and its indexes, or of all tables, of a running server: where each region begins and ends, its
estimated rows and bytes, its recent reads and writes per second, and, on a cluster, the stores that hold it. docs/regions.md says
when regions are split and merged.`,
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
	command.Flags().StringVar(&admin, "admin-addr", "127.0.0.1:8080", "the server's admin port, as `HOST:PORT`")
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return command
}
