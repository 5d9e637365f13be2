// SPDX-License-Identifier: Apache-2.0

package testcontrol

import (
	"context"
	"net/url"

	"github.com/spf13/cobra"
)

// Client is what the commands need of the program.
type Client struct {
	// Tell posts a request to the admin port at addr and prints the answer.
	Tell func(ctx context.Context, addr, target string, request any) error
}

// Commands are `weft mark` and `weft reset`.
func (c *Client) Commands() []*cobra.Command {
	return []*cobra.Command{
		c.command("mark", "Mark the state of a test server, so that weft reset returns to it",
			`Mark the state of a running server, so that weft reset returns to it. The server must have been started with --test-controls.
Marks are kept in the server's memory, by their names; without one the mark moves that the server made when it started.`,
			"  weft mark\n  weft mark fixtures"),
		c.command("reset", "Return a test server to a mark, or to its start",
			`Return a running server to a mark, in milliseconds: tables, items, indexes, streams and views are what they were; users stay.
Without a name it returns to the last weft mark without a name, or to the server's start. Marks made later are over. The server
must have been started with --test-controls.`,
			"  weft reset\n  weft reset fixtures"),
	}
}

func (c *Client) command(name, short, long, example string) *cobra.Command {
	var admin string
	command := &cobra.Command{
		Use: name + " [NAME]", Short: short, Long: long, Example: example,
		Args: cobra.MaximumNArgs(1),
		RunE: func(command *cobra.Command, args []string) error {
			query := url.Values{}
			for _, arg := range args {
				query.Set("name", arg)
			}
			return c.Tell(command.Context(), admin, "/"+name+"?"+query.Encode(), struct{}{})
		},
	}
	command.Flags().StringVar(&admin, "admin-addr", "127.0.0.1:8080", "the server's admin port, as `HOST:PORT`")
	return command
}
