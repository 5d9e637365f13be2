// SPDX-License-Identifier: Apache-2.0

// Package mcpcommand is weft mcp: a server of the Model Context Protocol, through which programs that run language
// models look at a database.
//
// Knows: the tools and their answers, limits of those, what to do about errors.
// Never: databases; it asks the admin port of a server.
package mcpcommand

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/weftdb/weft/cmd/weft/commandline"
)

// Host is the part of the program that the command needs.
type Host struct {
	Stdin  io.ReadCloser
	Stdout io.WriteCloser
	// Version is the program's.
	Version string
	// Ask sends a request to the admin port at an address, and returns the body of an answer that is no error. A nil
	// body returns the body of a GET's answer.
	Ask func(ctx context.Context, method, addr, target string, body []byte) (io.ReadCloser, error)
}

// server answers the tools.
type server struct {
	*Host
	admin     string
	write     bool
	rows      int
	bytesMost int
}

// Presets and bounds of answers.
const (
	rowsPreset  = 100
	rowsMax     = 50_000
	bytesPreset = 64 << 10
	bytesMin    = 1 << 10
)

// Command is `weft mcp`.
func (h *Host) Command() *cobra.Command {
	s := &server{Host: h}
	c := &cobra.Command{
		Use:   "mcp",
		Short: "Serve the Model Context Protocol over standard input and output, for language models",
		Long: `Serve the Model Context Protocol over standard input and output, for programs that run language models. The tools are list_tables,
describe_table, query (a statement of SQL), explain and advise. They ask the admin port of a running server, with the token of WEFT_ADMIN_TOKEN
if it is set.

Nothing but reads is taken unless --write allows more; the server sees to it. Answers are bounded by --rows and --bytes, and say when they are not whole.
A statement that would read a whole table is refused, as everywhere, with what to do instead. Errors are JSON with a hint.`,
		Example: `  weft mcp
  weft mcp --admin-addr https://db.example.com:8080 --rows 50
  claude mcp add weft -- weft mcp`,
		Args: commandline.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if s.rows < 1 || s.rows > rowsMax || s.bytesMost < bytesMin {
				return commandline.Usage(fmt.Errorf("--rows is 1 to %d, and --bytes %d at least", rowsMax, bytesMin))
			}
			err := s.tools().Run(c.Context(), &mcp.IOTransport{Reader: h.Stdin, Writer: h.Stdout})
			if errors.Is(err, io.EOF) {
				return nil // the client has left
			}
			return err
		},
	}
	c.Flags().SortFlags = false
	c.Flags().StringVar(&s.admin, "admin-addr", "127.0.0.1:8080", "the server's admin port, as `HOST:PORT`")
	c.Flags().BoolVar(&s.write, "write", false, "also take statements that write")
	c.Flags().IntVar(&s.rows, "rows", rowsPreset, "the most `ROWS` of an answer")
	c.Flags().IntVar(&s.bytesMost, "bytes", bytesPreset, "the most `BYTES` of an answer, about")
	return c
}

const instructions = `Weft is a wide-column database: one set of tables, with DynamoDB's API, SQL (MySQL's dialect, with limits) and HBase's API.
Begin with list_tables. Statements that would read a whole table are refused with error 8008, which names remedies: bind the key, use an index. explain shows what a statement reads.`

// Inputs of the tools.
type (
	noInput    struct{}
	tableInput struct {
		Table    string `json:"table" jsonschema:"name of the table"`
		Database string `json:"database,omitempty" jsonschema:"its database; default: default"`
	}
	statementInput struct {
		Statement string `json:"statement" jsonschema:"one statement of SQL"`
		Database  string `json:"database,omitempty" jsonschema:"the database to start in; default: default"`
		Analyze   bool   `json:"analyze,omitempty" jsonschema:"of explain: also run the statement, if it reads, and show what it really read"`
	}
	adviceInput struct {
		Table string `json:"table,omitempty" jsonschema:"name of the table; default: a line for each"`
	}
)

// tools makes the server of the protocol.
func (s *server) tools() *mcp.Server {
	m := mcp.NewServer(&mcp.Implementation{Name: "weft", Version: s.Version}, &mcp.ServerOptions{Instructions: instructions})
	add(m, "list_tables", "List all tables, with their keys and indexes and about how many items they have.", true, s.listTables)
	add(m, "describe_table", "Describe a table: columns, key, indexes, sizes.", true, s.describeTable)
	about := "Run a statement of SQL that reads, and return its rows."
	if s.write {
		about = "Run a statement of SQL, and return its rows or how many it has changed."
	}
	add(m, "query", about, !s.write, s.query)
	add(m, "explain", "Show the plan of a statement of SQL: the index it uses, what it reads, its cost.", true, s.explain)
	add(m, "advise", "Judge the keys and indexes of a table by the statements that were run: findings, with the statements that mend them.", true, s.advise)
	return m
}

// add adds a tool. Its answer, or its error, is text of JSON.
func add[In any](m *mcp.Server, name, about string, reads bool,
	run func(ctx context.Context, in In) (any, error)) {
	no := false
	tool := &mcp.Tool{Name: name, Description: about,
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: reads, OpenWorldHint: &no}}
	mcp.AddTool(m, tool, func(ctx context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, any, error) {
		out, err := run(ctx, in)
		if err != nil {
			out = faultOf(err)
		}
		text, failed := json.Marshal(out)
		if failed != nil {
			return nil, nil, failed
		}
		content := []mcp.Content{&mcp.TextContent{Text: string(text)}}
		return &mcp.CallToolResult{IsError: err != nil, Content: content}, nil, nil
	})
}

// table is one of GET /api/tables, as far as tools show it.
type table struct {
	Database string `json:"database"`
	Name     string `json:"name"`
	Key      []struct {
		Name string `json:"name"`
		Type string `json:"type"`
	} `json:"key"`
	Indexes []struct {
		Name    string   `json:"name"`
		Key     []string `json:"key"`
		State   string   `json:"state"`
		Entries int64    `json:"entries"`
		Bytes   int64    `json:"bytes"`
	} `json:"indexes"`
}

func (s *server) allTables(ctx context.Context) (all []table, err error) {
	answer, err := s.Ask(ctx, http.MethodGet, s.admin, "/api/tables", nil)
	if err != nil {
		return nil, err
	}
	defer answer.Close()
	return all, json.NewDecoder(answer).Decode(&all)
}

// summary is a table in list_tables.
type summary struct {
	Database string   `json:"database"`
	Name     string   `json:"name"`
	Key      []string `json:"key"`
	Items    int64    `json:"about_items"`
	Indexes  []string `json:"indexes"`
}

func (s *server) listTables(ctx context.Context, _ noInput) (any, error) {
	all, err := s.allTables(ctx)
	list := []summary{}
	for _, t := range all {
		one := summary{Database: t.Database, Name: t.Name, Indexes: []string{}}
		for _, part := range t.Key {
			one.Key = append(one.Key, part.Name+" "+part.Type)
		}
		for _, x := range t.Indexes {
			if x.Name == "" { // the table itself
				one.Items = x.Entries
			} else {
				one.Indexes = append(one.Indexes, x.Name+" ("+strings.Join(x.Key, ", ")+")")
			}
		}
		list = append(list, one)
	}
	return map[string]any{"tables": list}, err
}

func (s *server) describeTable(ctx context.Context, in tableInput) (any, error) {
	all, err := s.allTables(ctx)
	if err != nil {
		return nil, err
	}
	in.Database = cmp.Or(in.Database, "default")
	for _, t := range all {
		if t.Name != in.Table || t.Database != in.Database {
			continue
		}
		out := map[string]any{"table": t}
		create, err := s.run(ctx, &statement{Statement: "SHOW CREATE TABLE " + quoted(in.Table), Database: in.Database, ReadOnly: true})
		if err == nil && len(create) == 1 && len(create[0].Rows) == 1 {
			out["create"] = create[0].Rows[0][1]
		}
		return out, nil
	}
	return nil, &sqlFault{Code: noSuchTable, Message: fmt.Sprintf("there is no table %s in the database %s", in.Table, in.Database)}
}

func quoted(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

func (s *server) query(ctx context.Context, in statementInput) (any, error) {
	return s.answer(ctx, &statement{Statement: in.Statement, Database: in.Database, ReadOnly: !s.write})
}

func (s *server) explain(ctx context.Context, in statementInput) (any, error) {
	how := "EXPLAIN "
	if in.Analyze {
		how = "EXPLAIN ANALYZE "
	}
	return s.answer(ctx, &statement{Statement: how + in.Statement, Database: in.Database, ReadOnly: true})
}

func (s *server) advise(ctx context.Context, in adviceInput) (any, error) {
	answer, err := s.Ask(ctx, http.MethodGet, s.admin, "/advise?"+url.Values{"format": {"json"}, "table": {in.Table}}.Encode(), nil)
	if err != nil {
		return nil, err
	}
	defer answer.Close()
	text, err := io.ReadAll(io.LimitReader(answer, int64(s.bytesMost)+1))
	if err == nil && len(text) > s.bytesMost {
		return map[string]any{"limited": "the advice was cut", "advice": string(text[:s.bytesMost])}, nil
	}
	return json.RawMessage(text), err
}
