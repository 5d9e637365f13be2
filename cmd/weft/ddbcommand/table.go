// SPDX-License-Identifier: Apache-2.0

package ddbcommand

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/weftdb/weft/cmd/weft/commandline"
	"github.com/weftdb/weft/cmd/weft/dynamoport"
)

// completeTimeout bounds the wait after Tab.
const completeTimeout = 2 * time.Second

func (h *Host) tablesCommand() *cobra.Command {
	c, r := h.command("tables", "Print the names of all tables", "Print the names of all tables.",
		"  weft ddb tables", cobra.NoArgs, func(ctx context.Context, r *request, _ []string) error {
			names, err := dynamoport.Tables(ctx, r.service)
			if err != nil {
				return dynamoport.Explained(err, r.Endpoint)
			}
			for _, name := range names {
				if r.asJSON {
					name = fmt.Sprintf("{\"TableName\": %q}", name) // names have no letters that JSON writes otherwise
				}
				fmt.Fprintln(r.Stdout, name)
			}
			return nil
		})
	return r.addFlags(c)
}

func (h *Host) describeCommand() *cobra.Command {
	c, r := h.command("describe TABLE", "Print the description of a table", "Print the description of a table, as DescribeTable returns it.",
		"  weft ddb describe orders", cobra.ExactArgs(1), func(ctx context.Context, r *request, args []string) error {
			r.onTable(args[0])
			var answer struct{ Table json.RawMessage }
			if err := r.call(ctx, "DescribeTable", &answer); err != nil {
				return err
			}
			return r.printJSON(answer.Table)
		})
	return r.addFlags(c)
}

func (h *Host) callCommand() *cobra.Command {
	c, r := h.command("call OPERATION [JSON]", "Send any request as it is, and print the answer",
		"Send a request of any operation of DynamoDB's API as it is, and print the answer. Both are DynamoDB's JSON.",
		`  weft ddb call UpdateTimeToLive '{"TableName": "orders", "TimeToLiveSpecification": {"Enabled": true, "AttributeName": "until"}}'
  weft ddb call DescribeLimits`, cobra.RangeArgs(1, 2), func(ctx context.Context, r *request, args []string) error {
			body := json.RawMessage("{}")
			if len(args) > 1 {
				body = json.RawMessage(args[1])
			}
			if !json.Valid(body) {
				return commandline.Usage(fmt.Errorf("%.40s is no JSON", body))
			}
			var answer json.RawMessage
			if err := r.send(ctx, args[0], body, &answer); err != nil {
				return err
			}
			return r.printJSON(answer)
		})
	return r.addFlags(c)
}

// completeTables lists the tables of the server; none, if it does not answer.
func (r *request) completeTables(_ *cobra.Command, args []string, _ string) ([]cobra.Completion,
	cobra.ShellCompDirective) {
	service, err := r.Service(r.Getenv)
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ctx, cancel := context.WithTimeout(context.Background(), completeTimeout)
	defer cancel()
	names, _ := dynamoport.Tables(ctx, service) // no name is completed then
	return names, cobra.ShellCompDirectiveNoFileComp
}
