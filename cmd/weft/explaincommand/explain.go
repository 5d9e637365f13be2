// SPDX-License-Identifier: Apache-2.0

// Package explaincommand is weft explain: the plan and the cost of a read of DynamoDB's API.
//
// Knows: the flags, pages of plans.
// Never: how plans are made.
package explaincommand

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/weftdb/weft/cmd/weft/commandline"
	"github.com/weftdb/weft/cmd/weft/dynamoport"
	"github.com/weftdb/weft/cmd/weft/output"
	"github.com/weftdb/weft/internal/advice/survey"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb"
	"github.com/weftdb/weft/internal/dynamodb/remote"
)

// flags are the flags of `weft explain`.
type flags struct {
	table, index, keyCondition, filter, values, names string
	partiql, parameters, data                         string
	reverse, analyze, json                            bool
	port                                              dynamoport.Port
}

// Host is the part of the program that the command needs.
type Host struct {
	Stdout io.Writer
	// Getenv reads a variable of the environment.
	Getenv func(name string) string
	// Folder reads a folder that no server has open.
	Folder func(ctx context.Context, folder string, work func(*database.DB) error) error
}

// Command is `weft explain`.
func (h *Host) Command() *cobra.Command {
	var f flags
	command := &cobra.Command{
		Use:   "explain --table NAME | --partiql STATEMENT",
		Short: "Show the plan of a DynamoDB query, and its cost",
		Long: `Show the plan of a DynamoDB query: the index it reads, the spans and boxes within it, the remaining filter, the estimated cost,
and any index that would cost less. With --key-condition it is a Query, otherwise a Scan. --partiql explains a SELECT instead.
--analyze also reads all pages and shows the actual cost. The command writes nothing.

By default the plan comes from the DynamoDB port of a running server; --data reads a folder that no server has open.`,
		Example: `  weft explain --table cities --index by-population --key-condition 'country = :c' --values '{":c":{"S":"IN"}}' --analyze`,
		Args:    commandline.NoArguments,
		RunE:    func(c *cobra.Command, _ []string) error { return h.explain(c.Context(), &f) },
	}
	o := command.Flags()
	o.SortFlags = false
	o.StringVar(&f.table, "table", "", "`NAME` of the table")
	o.StringVar(&f.index, "index", "", "`NAME` of the index (default: the table itself)")
	o.StringVar(&f.keyCondition, "key-condition", "", "a KeyConditionExpression")
	o.StringVar(&f.filter, "filter", "", "a FilterExpression")
	o.StringVar(&f.values, "values", "", "ExpressionAttributeValues, in `JSON`")
	o.StringVar(&f.names, "names", "", "ExpressionAttributeNames, in `JSON`")
	o.StringVar(&f.partiql, "partiql", "", "a SELECT of PartiQL, in place of a table, an index and conditions")
	o.StringVar(&f.parameters, "parameters", "", "values for the question marks of --partiql, in `JSON`")
	o.BoolVar(&f.reverse, "reverse", false, "read in descending order")
	o.BoolVar(&f.analyze, "analyze", false, "also read all pages and show the actual cost")
	f.port.AddFlags(o)
	o.StringVar(&f.data, "data", "", "a data `FOLDER` that no server has open")
	o.BoolVar(&f.json, "json", false, "print JSON")
	return command
}

func (h *Host) explain(ctx context.Context, f *flags) error {
	operation, request, err := f.request()
	if err != nil {
		return commandline.Usage(err)
	}
	if f.data == "" {
		return h.ask(ctx, f, operation, request)
	}
	return h.Folder(ctx, f.data, func(db *database.DB) error {
		if _, err := db.Table(f.table); f.table != "" && database.KindOf(err) == database.KindNotFound {
			return commandline.NoTable(f.table, survey.Tables(db))
		}
		api := &dynamodb.API{DB: db}
		return h.pages(request, f.json, func() ([]byte, error) {
			body, err := json.Marshal(request)
			if err != nil {
				return nil, err
			}
			return api.Explain(ctx, operation, body, f.analyze, nil)
		})
	})
}

// request is the operation and the members of its body. The error is one of the command line.
func (f *flags) request() (operation string, members map[string]any, err error) {
	switch {
	case f.partiql != "":
		return f.statement()
	case f.table == "":
		return "", nil, errors.New("--table is missing: name a table; see weft explain --help")
	case f.parameters != "":
		return "", nil, errors.New("--parameters needs --partiql; the other flag is --values")
	}
	operation, members = "Scan", map[string]any{"TableName": f.table}
	if f.keyCondition != "" {
		operation = "Query"
		members["KeyConditionExpression"] = f.keyCondition
		members["ScanIndexForward"] = !f.reverse
	} else if f.reverse {
		return "", nil, errors.New("--reverse needs a --key-condition: a Scan has one direction only")
	}
	if f.index != "" {
		members["IndexName"] = f.index
	}
	if f.filter != "" {
		members["FilterExpression"] = f.filter
	}
	for _, member := range []struct{ flag, name, text string }{{"--values", "ExpressionAttributeValues", f.values},
		{"--names", "ExpressionAttributeNames", f.names}} {
		switch {
		case member.text == "":
		case !json.Valid([]byte(member.text)):
			return "", nil, fmt.Errorf(`%s is no JSON: write, for example, '{":a":{"N":"5"}}'`, member.flag)
		default:
			members[member.name] = json.RawMessage(member.text)
		}
	}
	return operation, members, nil
}

// statement is the request for --partiql.
func (f *flags) statement() (operation string, members map[string]any, err error) {
	if f.table+f.index+f.keyCondition+f.filter+f.values+f.names != "" || f.reverse {
		return "", nil, errors.New(
			"--partiql says which table is read, and how: leave out the other flags of the query")
	}
	members = map[string]any{"Statement": f.partiql}
	if f.parameters != "" {
		if !json.Valid([]byte(f.parameters)) {
			return "", nil, errors.New(`--parameters is no JSON: write, for example, '[{"S":"ann"}]'`)
		}
		members["Parameters"] = json.RawMessage(f.parameters)
	}
	return "ExecuteStatement", members, nil
}

// pages explains the first page and, to analyze, adds up all. ask explains the page that the request is for.
func (h *Host) pages(request map[string]any, asJSON bool, ask func() ([]byte, error)) error {
	var whole *database.Explanation
	for {
		answer, err := ask()
		if err != nil {
			return err
		}
		var page struct {
			database.Explanation
			LastEvaluatedKey json.RawMessage `json:",omitempty"`
			NextToken        string
		}
		if err := json.Unmarshal(answer, &page); err != nil {
			return fmt.Errorf("the server's answer is not a plan: %w", err)
		}
		if whole == nil {
			whole = &page.Explanation
		} else {
			whole.Add(page.Actual)
		}
		switch {
		case page.NextToken != "":
			request["NextToken"] = page.NextToken
		case page.LastEvaluatedKey != nil:
			request["ExclusiveStartKey"] = page.LastEvaluatedKey
		default:
			return h.print(whole, asJSON)
		}
	}
}

func (h *Host) print(e *database.Explanation, asJSON bool) error {
	if !asJSON {
		_, err := io.WriteString(h.Stdout, e.Text())
		return err
	}
	return output.WriteJSON(h.Stdout, e)
}

// timeout is the time a server may take to explain one page.
const timeout = 5 * time.Minute

// ask asks a server that runs.
func (h *Host) ask(ctx context.Context, f *flags, operation string, request map[string]any) error {
	service, err := f.port.Service(h.Getenv)
	if err != nil {
		return commandline.Usage(err)
	}
	how := map[bool]string{true: "analyze", false: "true"}[f.analyze]
	explaining := *service
	explaining.HTTP, explaining.Header = &http.Client{Timeout: timeout}, http.Header{"X-Weft-Explain": {how}}
	err = h.pages(request, f.json, func() (answer []byte, err error) {
		err = explaining.Call(ctx, operation, request, (*json.RawMessage)(&answer))
		return answer, err
	})
	if !remote.Is(err, "ResourceNotFoundException") {
		return dynamoport.Explained(err, f.port.Endpoint)
	}
	if f.table == "" {
		return errors.New("the statement of --partiql names a table that does not exist")
	}
	if missing := dynamoport.NoTable(ctx, service, f.table); missing != nil {
		return missing
	}
	return err
}
