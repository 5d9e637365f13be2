// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net/url"

	"github.com/spf13/cobra"
)

// pageCommands are the commands that print a page of the admin port about a table.
func (p *program) pageCommands() []*cobra.Command {
	return []*cobra.Command{
		p.pageCommand("/indexes", &cobra.Command{
			Use:   "indexes TABLE",
			Short: "Show the indexes of a table: keys, state, size, and how evenly Z-order codecs spread the rows",
			Long: `Show the key and the indexes of a table of a running server: their key parts, the progress of builds, and their estimated sizes.
For each attribute of a Z-order index, also show its codec and how evenly that codec spreads a sample of the rows. Skew is the share
of the fullest bucket divided by its intended share: 1 is even, and an index whose skew exceeds 4 is rebuilt in the background.`,
			Args: cobra.ExactArgs(1),
		}),
		p.pageCommand("/regions", &cobra.Command{
			Use:   "regions [TABLE]",
			Short: "Show the regions of tables and indexes: bounds, sizes and load",
			Long: `Show the regions of one table and its indexes, or of all tables, of a running server: where each region begins and ends, its
estimated rows and bytes, its recent reads and writes per second, and, on a cluster, the stores that hold it. docs/regions.md says
when regions are split and merged.`,
			Args: cobra.MaximumNArgs(1),
		}),
	}
}

// pageCommand completes a command that prints a page.
func (p *program) pageCommand(page string, command *cobra.Command) *cobra.Command {
	var admin string
	var asJSON bool
	command.RunE = func(c *cobra.Command, args []string) error {
		query := url.Values{}
		if len(args) > 0 {
			query.Set("table", args[0])
		}
		if asJSON {
			query.Set("format", "json")
		}
		return p.printPage(c.Context(), admin, page, query)
	}
	command.Flags().StringVar(&admin, "admin-addr", "127.0.0.1:8080", "the server's admin port, as `HOST:PORT`")
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return command
}
