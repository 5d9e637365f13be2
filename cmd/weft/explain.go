// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/weftdb/weft/cmd/weft/output"
	"github.com/weftdb/weft/internal/advice/survey"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb"
)

// explainFlags are the flags of `weft explain`.
type explainFlags struct {
	table, index, keyCondition, filter, values, names string
	partiql, parameters                               string
	endpoint, data                                    string
	reverse, analyze, json                            bool
}

// explainCommand is `weft explain`.
func (p *program) explainCommand() *cobra.Command {
	var f explainFlags
	command := &cobra.Command{
		Use:   "explain --table NAME | --partiql STATEMENT",
		Short: "Show the plan of a DynamoDB query, and its cost",
		Long: `Show the plan of a DynamoDB query: the index it reads, the spans and boxes within it, the remaining filter, the estimated cost,
and any index that would cost less. With --key-condition it is a Query, otherwise a Scan. --partiql explains a SELECT instead.
--analyze also reads all pages and shows the actual cost. The command writes nothing.

By default the plan comes from the DynamoDB port of a running server; --data reads a folder that no server has open.`,
		Example: `  weft explain --table cities --index by-population --key-condition 'country = :c' --values '{":c":{"S":"IN"}}' --analyze`,
		Args:    noArguments,
		RunE:    func(c *cobra.Command, _ []string) error { return p.explain(c.Context(), &f) },
	}
	flags := command.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.table, "table", "", "`NAME` of the table")
	flags.StringVar(&f.index, "index", "", "`NAME` of the index (default: the table itself)")
	flags.StringVar(&f.keyCondition, "key-condition", "", "a KeyConditionExpression")
	flags.StringVar(&f.filter, "filter", "", "a FilterExpression")
	flags.StringVar(&f.values, "values", "", "ExpressionAttributeValues, in `JSON`")
	flags.StringVar(&f.names, "names", "", "ExpressionAttributeNames, in `JSON`")
	flags.StringVar(&f.partiql, "partiql", "", "a SELECT of PartiQL, in place of a table, an index and conditions")
	flags.StringVar(&f.parameters, "parameters", "", "values for the question marks of --partiql, in `JSON`")
	flags.BoolVar(&f.reverse, "reverse", false, "read in descending order")
	flags.BoolVar(&f.analyze, "analyze", false, "also read all pages and show the actual cost")
	flags.StringVar(&f.endpoint, "endpoint", "http://127.0.0.1:8000", "`URL` of the server's DynamoDB port")
	flags.StringVar(&f.data, "data", "", "a data `FOLDER` that no server has open")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	return command
}

// explainer explains one page of an operation.
type explainer func(ctx context.Context, operation string, body []byte, analyze bool) ([]byte, error)

func (p *program) explain(ctx context.Context, f *explainFlags) error {
	operation, request, err := f.request()
	if err != nil {
		return err
	}
	if f.data == "" {
		err := p.explainPages(ctx, f, operation, request, f.ask)
		if errors.Is(err, errNoSuchTable) {
			return f.noTable(ctx)
		}
		return err
	}
	return p.withFolder(ctx, f.data, func(db *database.DB) error {
		if _, err := db.Table(f.table); f.table != "" && database.KindOf(err) == database.KindNotFound {
			return noTable(f.table, survey.Tables(db))
		}
		api := &dynamodb.API{DB: db}
		return p.explainPages(ctx, f, operation, request,
			func(ctx context.Context, operation string, body []byte, analyze bool) ([]byte, error) {
				return api.Explain(ctx, operation, body, analyze, nil)
			})
	})
}

// request is the operation and the members of its body.
func (f *explainFlags) request() (operation string, members map[string]any, err error) {
	switch {
	case f.partiql != "":
		return f.statement()
	case f.table == "":
		return "", nil, usageError{errors.New("--table is missing: name a table; see weft explain --help")}
	case f.parameters != "":
		return "", nil, usageError{errors.New("--parameters needs --partiql; the other flag is --values")}
	}
	operation, members = "Scan", map[string]any{"TableName": f.table}
	if f.keyCondition != "" {
		operation = "Query"
		members["KeyConditionExpression"] = f.keyCondition
		members["ScanIndexForward"] = !f.reverse
	} else if f.reverse {
		return "", nil, usageError{errors.New("--reverse needs a --key-condition: a Scan has one direction only")}
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
			return "", nil, usageError{fmt.Errorf(`%s is no JSON: write, for example, '{":a":{"N":"5"}}'`, member.flag)}
		default:
			members[member.name] = json.RawMessage(member.text)
		}
	}
	return operation, members, nil
}

// statement is the request for --partiql.
func (f *explainFlags) statement() (operation string, members map[string]any, err error) {
	if f.table+f.index+f.keyCondition+f.filter+f.values+f.names != "" || f.reverse {
		return "", nil, usageError{errors.New(
			"--partiql says which table is read, and how: leave out the other flags of the query")}
	}
	members = map[string]any{"Statement": f.partiql}
	if f.parameters != "" {
		if !json.Valid([]byte(f.parameters)) {
			return "", nil, usageError{errors.New(`--parameters is no JSON: write, for example, '[{"S":"ann"}]'`)}
		}
		members["Parameters"] = json.RawMessage(f.parameters)
	}
	return "ExecuteStatement", members, nil
}

// explainPages explains the first page and, to analyze, adds up all.
func (p *program) explainPages(ctx context.Context, f *explainFlags, operation string, request map[string]any,
	ask explainer) error {
	var whole *database.Explanation
	for {
		body, err := json.Marshal(request)
		if err != nil {
			return err
		}
		answer, err := ask(ctx, operation, body, f.analyze)
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
			return p.printExplanation(whole, f.json)
		}
	}
}

func (p *program) printExplanation(e *database.Explanation, asJSON bool) error {
	if !asJSON {
		_, err := io.WriteString(p.stdout, e.Text())
		return err
	}
	return output.WriteJSON(p.stdout, e)
}

// explainTimeout is the time a server may take to explain one page.
const explainTimeout = 5 * time.Minute

// ask asks a server that runs.
func (f *explainFlags) ask(ctx context.Context, operation string, body []byte, analyze bool) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, explainTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, f.endpoint, bytes.NewReader(body))
	if err != nil {
		return nil, usageError{fmt.Errorf("--endpoint: %w", err)}
	}
	date := time.Now().UTC().Format("20060102T150405Z") // lint:clock a date of the protocol
	request.Header.Set("Content-Type", "application/x-amz-json-1.0")
	request.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
	request.Header.Set("X-Amz-Date", date)
	request.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=weft/"+date[:8]+
		"/us-east-1/dynamodb/aws4_request, SignedHeaders=host;x-amz-date;x-amz-target, Signature=none")
	switch {
	case analyze:
		request.Header.Set("X-Weft-Explain", "analyze")
	case operation != "ListTables":
		request.Header.Set("X-Weft-Explain", "true")
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, fmt.Errorf("no server answers at the DynamoDB port (set --endpoint, or read a folder with --data): %w", err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, adminBytesMax))
	if err == nil && answer.StatusCode != http.StatusOK {
		err = f.faultOf(answer.StatusCode, text)
	}
	return text, err
}

// errNoSuchTable is returned for a table, or an index, that the server does not have.
var errNoSuchTable = errors.New("the table does not exist")

// noTable names the table that the server does not have, and the nearest one that it has.
func (f *explainFlags) noTable(ctx context.Context) error {
	if f.table == "" {
		return errors.New("the statement of --partiql names a table that does not exist")
	}
	var all []string
	for page := map[string]any{}; ; {
		body, err := json.Marshal(page)
		if err != nil {
			return err
		}
		answer, err := f.ask(ctx, "ListTables", body, false)
		var list struct {
			TableNames             []string
			LastEvaluatedTableName string
		}
		if err != nil || json.Unmarshal(answer, &list) != nil {
			return noTable(f.table, nil) // the names would only have helped
		}
		if all = append(all, list.TableNames...); list.LastEvaluatedTableName == "" {
			return noTable(f.table, all)
		}
		page["ExclusiveStartTableName"] = list.LastEvaluatedTableName
	}
}

// faultOf words an error reply.
func (f *explainFlags) faultOf(status int, body []byte) error {
	var fault struct {
		Type    string `json:"__type"`
		Message string `json:"message"`
		Other   string `json:"Message"`
	}
	switch {
	case json.Unmarshal(body, &fault) != nil || fault.Type == "":
		return fmt.Errorf("%s is not the DynamoDB port of a Weft server: set --endpoint to the address of "+
			"--dynamodb-addr, which is http://%s by default", f.endpoint, preset("dynamodb-addr"))
	case strings.HasSuffix(fault.Type, "#ResourceNotFoundException"):
		return fmt.Errorf("%w: %s", errNoSuchTable, fault.Message+fault.Other)
	}
	return errors.New(fault.Message + fault.Other)
}

// withFolder reads a folder that holds a store. No protocol is served, and nothing runs in the background.
func (p *program) withFolder(ctx context.Context, folder string, work func(*database.DB) error) (err error) {
	return p.openFolder(ctx, folder, func(c *config) { c.readOnly = true },
		func(s *server) error { return work(s.database.(*openedDatabase).db) })
}

// withConfiguredFolder is withFolder for work that writes, or needs the settings.
func (p *program) withConfiguredFolder(ctx context.Context, folder string,
	work func(*config, *database.DB) error) (err error) {
	return p.openFolder(ctx, folder, func(*config) {},
		func(s *server) error { return work(s.config, s.database.(*openedDatabase).db) })
}

// openFolder opens a server without ports on a folder that holds a store. settle may change its settings before.
func (p *program) openFolder(
	ctx context.Context, folder string, settle func(*config), work func(*server) error,
) (err error) {
	conf, _, err := resolve(inputs{map[string]string{
		"engine": "pebble", "data": folder, "dynamodb-addr": off, "mysql-addr": off, "admin-addr": off,
		"log-level": "warn",
	}, p.environ, p.readFile})
	if err != nil {
		return err
	}
	conf.existing, conf.idle = true, true
	settle(conf)
	s := &server{config: conf, log: newLogger(p.stderr, conf), exit: p.exit}
	if err := s.Open(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return work(s)
}
