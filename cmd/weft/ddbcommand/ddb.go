// SPDX-License-Identifier: Apache-2.0

// Package ddbcommand is weft ddb: requests of DynamoDB's API from the command line, with plain JSON or DynamoDB's.
//
// Knows: the commands and their flags, plain JSON and DynamoDB's, pages of answers.
// Never: databases, how requests are carried out.
package ddbcommand

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weftdb/weft/cmd/weft/commandline"
	"github.com/weftdb/weft/cmd/weft/dynamoport"
	"github.com/weftdb/weft/cmd/weft/output"
	"github.com/weftdb/weft/internal/dynamodb/remote"
)

// Host is the part of the program that the commands need.
type Host struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Getenv reads a variable of the environment.
	Getenv func(name string) string
}

// Command is `weft ddb`.
func (h *Host) Command() *cobra.Command {
	command := &cobra.Command{
		Use:   "ddb",
		Short: "Send requests of DynamoDB's API: get, put, query, scan and others",
		Long: `Send requests to the DynamoDB port of a server, with the access key of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY if they are set.
With --endpoint the server may also be AWS's.

Items, keys and values are plain JSON: '{"id": 3, "tags": ["a"]}'. They may also be DynamoDB's, '{"id": {"N": "3"}, "tags": {"SS": ["a"]}}', which
alone has sets and binaries: JSON whose members all look like that is taken as such. Answers are plain JSON, where sets are arrays and binaries
base64 in a string; --typed prints DynamoDB's.`,
		Example: `  weft ddb tables
  weft ddb get orders '{"id": 3}'
  weft ddb query orders '{"customer": "ann"}' --limit 10`,
		Args: commandline.UnknownCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	for _, sub := range []func(*Host) *cobra.Command{(*Host).tablesCommand, (*Host).describeCommand, (*Host).getCommand,
		(*Host).putCommand, (*Host).updateCommand, (*Host).deleteCommand, (*Host).queryCommand, (*Host).scanCommand,
		(*Host).partiqlCommand, (*Host).callCommand} {
		command.AddCommand(sub(h))
	}
	return command
}

// request is one request, or the pages of one.
type request struct {
	*Host
	dynamoport.Port
	typed, asJSON bool
	service       *remote.Service
	table         string // that of the request, if it has one
	members       map[string]any
}

// command makes a command that sends a request. What it is about is added by the caller's flags, and by run, which
// gets the arguments.
func (h *Host) command(use, short, long, example string, arguments cobra.PositionalArgs,
	run func(ctx context.Context, r *request, args []string) error) (*cobra.Command, *request) {
	r := &request{Host: h, members: map[string]any{}}
	c := &cobra.Command{Use: use, Short: short, Long: long, Example: example, Args: arguments,
		RunE: func(c *cobra.Command, args []string) (err error) {
			if r.service, err = r.Service(h.Getenv); err != nil {
				return commandline.Usage(err)
			}
			return run(c.Context(), r, args)
		}}
	c.Flags().SortFlags = false
	return c, r
}

// addFlags adds the flags that all commands have, behind those of the command.
func (r *request) addFlags(c *cobra.Command) *cobra.Command {
	c.Flags().BoolVar(&r.typed, "typed", false, `read and print DynamoDB's JSON alone, {"id": {"N": "3"}}`)
	c.Flags().BoolVar(&r.asJSON, "json", false, "print one object a line")
	r.Port.AddFlags(c.Flags())
	if strings.Contains(c.Use, " TABLE") {
		c.ValidArgsFunction = r.completeTables
	}
	return c
}

// onTable names the table of the request.
func (r *request) onTable(table string) {
	r.table = table
	r.members["TableName"] = table
}

// call sends the request and reads the answer.
func (r *request) call(ctx context.Context, operation string, answer any) error {
	return r.send(ctx, operation, r.members, answer)
}

// send is call for a body that is at hand.
func (r *request) send(ctx context.Context, operation string, body, answer any) error {
	err := r.service.Call(ctx, operation, body, answer)
	if remote.Is(err, "ResourceNotFoundException") && r.table != "" {
		if missing := dynamoport.NoTable(ctx, r.service, r.table); missing != nil {
			return missing
		}
	}
	if fault, ok := errors.AsType[*remote.Fault](err); ok && fault.Name == "ConditionalCheckFailedException" {
		return errors.New("the condition does not hold, so that nothing was written")
	}
	return dynamoport.Explained(err, r.Endpoint)
}

// set puts a text that was given for a flag into the request, after read has made JSON of it.
func (r *request) set(member, flag, text string, read func(string, bool) (json.RawMessage, error)) error {
	if text == "" {
		return nil
	}
	content, err := read(text, r.typed)
	if err != nil {
		return commandline.Usage(fmt.Errorf("%s: %w", flag, err))
	}
	r.members[member] = content
	return nil
}

// print prints an item of an answer, or nothing if there is none.
func (r *request) print(item json.RawMessage) (err error) {
	if len(item) == 0 {
		return nil
	}
	if !r.typed {
		if item, err = plainItem(item); err != nil {
			return err
		}
	}
	return r.printJSON(item)
}

// printJSON prints a document on one line, or in lines for people.
func (r *request) printJSON(document json.RawMessage) error {
	if !r.asJSON {
		return output.WriteJSON(r.Stdout, document)
	}
	_, err := fmt.Fprintf(r.Stdout, "%s\n", document)
	return err
}
