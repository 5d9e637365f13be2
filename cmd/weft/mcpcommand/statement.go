// SPDX-License-Identifier: Apache-2.0

package mcpcommand

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/weftdb/weft/cmd/weft/output"
)

// statement is the body of POST /api/sql.
type statement struct {
	Statement string `json:"statement"`
	Database  string `json:"database,omitempty"`
	RowsMax   int    `json:"rowsMax"`
	ReadOnly  bool   `json:"readOnly"`
	Refuse    bool   `json:"refuse"` // inefficient queries
}

// line is one of its answer.
type line struct {
	Columns []struct {
		Name string `json:"name"`
	} `json:"columns"`
	Rows [][]any `json:"rows"`
	Done *struct {
		Affected int64 `json:"affected"`
		Limited  bool  `json:"limited"`
	} `json:"done"`
	Error *sqlFault `json:"error"`
}

// rows is a statement's answer.
type rows struct {
	Columns  []string `json:"columns,omitempty"`
	Rows     [][]any  `json:"rows,omitempty"`
	Affected int64    `json:"affected,omitempty"`
	Limited  string   `json:"limited,omitempty"` // why there are not all rows
}

// answer runs a text and returns its answer, or those of several statements.
func (s *server) answer(ctx context.Context, asked *statement) (any, error) {
	all, err := s.run(ctx, asked)
	if err == nil && len(all) == 1 {
		return all[0], nil
	}
	return all, err
}

// run runs a text.
func (s *server) run(ctx context.Context, asked *statement) (all []*rows, err error) {
	asked.RowsMax, asked.Refuse = s.rows, true
	body, err := json.Marshal(asked)
	if err != nil {
		return nil, err
	}
	answer, err := s.Ask(ctx, http.MethodPost, s.admin, "/api/sql", body)
	if err != nil {
		return nil, err
	}
	defer answer.Close() // ends the statement, if it still runs
	read := &counted{Reader: answer}
	lines := json.NewDecoder(read)
	for now := new(rows); ; {
		var l line
		if err := lines.Decode(&l); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("the server's answer ended early: %w", err)
		}
		for _, c := range l.Columns {
			now.Columns = append(now.Columns, c.Name)
		}
		now.Rows = append(now.Rows, l.Rows...)
		switch {
		case l.Error != nil:
			return nil, l.Error
		case l.Done != nil:
			if now.Affected = l.Done.Affected; l.Done.Limited {
				now.Limited = fmt.Sprintf("there are more than these %d rows: add conditions, or aggregate", len(now.Rows))
			}
			all, now = append(all, now), new(rows)
		case read.bytes > s.bytesMost:
			now.Rows = cut(now.Rows, s.bytesMost)
			now.Limited = fmt.Sprintf("these are the first %d rows, about %d bytes: ask for fewer columns or rows", len(now.Rows), s.bytesMost)
			return append(all, now), nil
		}
	}
}

// cut keeps the first rows that fit into a number of bytes.
func cut(all [][]any, most int) [][]any {
	for i, row := range all {
		text, err := json.Marshal(row)
		if most -= len(text); err != nil || most < 0 {
			return all[:i]
		}
	}
	return all
}

// counted counts what is read.
type counted struct {
	io.Reader
	bytes int
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.bytes += n
	return n, err
}

// sqlFault is an error of a statement.
type sqlFault struct {
	Code    int    `json:"code,omitempty"`
	Message string `json:"message"`
}

func (f *sqlFault) Error() string { return f.Message }

// noSuchTable is the number of the error for a table that is not there.
const noSuchTable = 1146

// fault is an error as tools answer it.
type fault struct {
	Error string `json:"error"`
	Code  int    `json:"code,omitempty"`
	Hint  string `json:"hint"`
}

// faultOf says what to do about an error.
func faultOf(err error) fault {
	f, ok := errors.AsType[*sqlFault](err)
	if !ok {
		return fault{Error: err.Error(), Hint: "see that weft serve runs, and that weft mcp has its --admin-addr"}
	}
	return fault{Error: f.Message, Code: f.Code, Hint: output.SQLHint(f.Code)}
}
