// SPDX-License-Identifier: Apache-2.0

package testcontrol

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/weftdb/weft/internal/dynamodb/fault"
)

// Client is the part of the program that the commands need.
type Client struct {
	// Tell sends a request to the admin port at addr and prints the answer. request is its body as JSON; nil: none.
	Tell func(ctx context.Context, method, addr, target string, request any) error
}

// Commands are `weft mark`, `weft reset` and `weft fault`.
func (c *Client) Commands() []*cobra.Command {
	return []*cobra.Command{
		c.command("mark", "Mark the state of a test server, so that weft reset returns to it",
			`Mark the state of a running server, so that weft reset returns to it. The server must have been started with --test-controls.
Marks are kept in the server's memory, by their names; without one the mark moves that the server made when it started.`,
			"  weft mark\n  weft mark fixtures\n  weft mark --access-key suite-1"),
		c.command("reset", "Return a test server to a mark, or to its start",
			`Return a running server to a mark, in milliseconds: tables, items, indexes, streams and views are what they were; users stay.
Without a name it returns to the last weft mark without a name, or to the server's start. Later marks stand. The server must have
been started with --test-controls.`,
			"  weft reset\n  weft reset fixtures\n  weft reset --access-key suite-1"),
		c.faultCommand(),
	}
}

// faultCommand is `weft fault`.
func (c *Client) faultCommand() *cobra.Command {
	var admin string
	var clear bool
	var rule fault.Rule
	command := &cobra.Command{
		Use: "fault", Short: "Let DynamoDB requests to a test server fail or wait on purpose",
		Long: `Let requests of DynamoDB's API to a running server fail or wait on purpose, to see what a program does then. Each call adds a
rule; without --error, --latency and --lag the command lists the rules, with how often each was met. The server must have been started
with --test-controls.`,
		Example: "  weft fault --error ProvisionedThroughputExceeded --table orders --times 3\n" +
			"  weft fault --error InternalServerError --operation PutItem --share 0.1 --done\n" +
			"  weft fault --latency 200ms\n  weft fault --lag 2s --table orders\n  weft fault --clear",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			ctx := command.Context()
			switch {
			case clear:
				return c.Tell(ctx, http.MethodDelete, admin, "/faults", nil)
			case rule.Error == "" && rule.Latency == 0 && rule.Lag == 0:
				return c.Tell(ctx, http.MethodGet, admin, "/faults", nil)
			}
			return c.Tell(ctx, http.MethodPost, admin, "/faults", []fault.Rule{rule})
		},
	}
	flags := command.Flags()
	flags.StringVar(&rule.Error, "error", "", "how requests fail: the `NAME` of an error that docs/testing.md lists")
	flags.DurationVar((*time.Duration)(&rule.Latency), "latency", 0, "how long requests wait before that")
	flags.DurationVar((*time.Duration)(&rule.Lag), "lag", 0, "how far eventually consistent reads are behind")
	flags.StringVar(&rule.Table, "table", "", "only requests that name the table `NAME`")
	flags.StringVar(&rule.Operation, "operation", "", "only requests of the operation `NAME`, such as PutItem")
	flags.Float64Var(&rule.Share, "share", 0, "only this `SHARE` of them, from 0 to 1; 0 is all")
	flags.IntVar(&rule.Times, "times", 0, "only the next so many of them; 0 is all")
	flags.BoolVar(&rule.Done, "done", false, "carry requests out before they fail, as if the answer were lost")
	flags.BoolVar(&clear, "clear", false, "drop all rules")
	flags.StringVar(&admin, "admin-addr", "127.0.0.1:8080", "the server's admin port, as `HOST:PORT`")
	return command
}

func (c *Client) command(name, short, long, example string) *cobra.Command {
	var admin, key, region string
	command := &cobra.Command{
		Use: name + " [NAME]", Short: short, Long: long, Example: example,
		Args: cobra.MaximumNArgs(1),
		RunE: func(command *cobra.Command, args []string) error {
			query := url.Values{}
			for name, value := range map[string]string{"name": strings.Join(args, ""), "access-key": key,
				"region": region} {
				if value != "" {
					query.Set(name, value)
				}
			}
			return c.Tell(command.Context(), http.MethodPost, admin, "/"+name+"?"+query.Encode(), struct{}{})
		},
	}
	flags := command.Flags()
	flags.StringVar(&key, "access-key", "", "only the tables of the access key `KEY`, of a server with --own-tables")
	flags.StringVar(&region, "region", "", "of these, only those in `REGION`, with --own-tables key-region")
	flags.StringVar(&admin, "admin-addr", "127.0.0.1:8080", "the server's admin port, as `HOST:PORT`")
	return command
}
