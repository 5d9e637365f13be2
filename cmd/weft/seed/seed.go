// SPDX-License-Identifier: Apache-2.0

// Package seed makes the tables, and loads the items, that a server is asked to have when it starts: those of --schema
// and --seed.
//
// Knows: files of definitions, a folder with a file for each table.
// Never: servers, how tables are made.
package seed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/tablefile"
	"github.com/weftdb/weft/internal/files/bulkload"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/parse/token"
)

// Options are the database and what it is spoken to by. All must be set.
type Options struct {
	DB *database.DB
	// Database has the tables.
	Database string
	// Request sends a request of DynamoDB's API.
	Request func(ctx context.Context, operation string, body []byte) error
	// Statement runs a statement of SQL.
	Statement func(ctx context.Context, text []byte) error
	// Region and AccountID are values that templates may refer to.
	Region, AccountID string
	// Log is called with what a user should know, and pairs of names and values.
	Log func(text string, about ...any)
	// Dir is a folder for temporary files, which is made where it is needed.
	Dir string
}

// Tables makes the tables of files that are not there yet. Errors name the file and the line.
func (o Options) Tables(ctx context.Context, files []string) error {
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("--schema: %w", err)
		}
		if strings.EqualFold(filepath.Ext(file), ".sql") {
			err = o.script(ctx, file, text)
		} else {
			err = o.definitions(ctx, file, text)
		}
		if err != nil {
			return fmt.Errorf("--schema %w", err)
		}
	}
	return nil
}

// definitions makes the tables of a file in DynamoDB's terms.
func (o Options) definitions(ctx context.Context, file string, text []byte) error {
	base := filepath.Base(file)
	tables, err := tablefile.Read(text, tablefile.Options{Region: o.Region, AccountID: o.AccountID,
		Stack: strings.TrimSuffix(base, filepath.Ext(base))})
	if fault, ok := errors.AsType[*tablefile.Error](err); ok {
		return at(file, fault.Line, errors.New(fault.Text))
	}
	for _, table := range tables {
		if err := o.table(ctx, file, &table); err != nil {
			return at(file, table.Line, fmt.Errorf("table %s: %w", table.Name, err))
		}
	}
	return err
}

// table makes a table, unless it is there.
func (o Options) table(ctx context.Context, file string, t *tablefile.Table) error {
	if _, err := o.DB.TableIn(o.Database, t.Name); err == nil {
		return nil
	}
	for _, r := range t.Requests {
		err := o.Request(ctx, r.Operation, r.Body)
		if err == nil {
			continue
		}
		if e := exception.Of(err); e.Kind != exception.KindResourceInUse {
			return e
		}
		return nil // another server made it just now
	}
	about := []any{"table", t.Name, "file", file}
	if len(t.Passed) > 0 {
		about = append(about, "without", strings.Join(t.Passed, ", "))
	}
	o.Log("made a table of --schema", about...)
	return nil
}

// script runs the definitions of a file of SQL. What is there already stays as it is.
func (o Options) script(ctx context.Context, file string, text []byte) error {
	for rest, line := text, 1; ; {
		piece, _, ok := token.Mode(0).Cut(rest, 0, ";")
		if !ok {
			piece = token.Piece{Statement: rest}
		}
		begin := leading(piece.Statement)
		here := line + strings.Count(string(piece.Statement[:begin]), "\n")
		if err := o.statement(ctx, piece.Statement[begin:]); err != nil {
			return at(file, here, err)
		}
		if !ok {
			return nil
		}
		line += strings.Count(string(rest[:len(rest)-len(piece.Rest)]), "\n")
		rest = piece.Rest
	}
}

// leading is the number of bytes before a statement's first word; comments are part of them.
func leading(statement []byte) int {
	l := token.Lexer{Text: statement}
	return l.Next().Start
}

// statement runs one definition.
func (o Options) statement(ctx context.Context, text []byte) error {
	if len(text) == 0 {
		return nil
	}
	l := token.Lexer{Text: text}
	first := l.Next()
	switch word := strings.ToUpper(string(text[first.Start:first.End])); word {
	case "CREATE", "USE", "SET":
	default:
		return fmt.Errorf("%s can't stand here, for the file runs at each start: --schema takes CREATE, USE and SET, and --seed takes rows", word)
	}
	err := o.Statement(ctx, text)
	if e, ok := errors.AsType[*fault.Error](err); ok {
		switch e.Code {
		case fault.TableExists, fault.DatabaseExists, fault.KeyNameTwice:
			return nil
		}
	}
	return err
}

// at names the place of an error; a line of 0 is not known.
func at(file string, line int, err error) error {
	if line == 0 {
		return fmt.Errorf("%s: %w", file, err)
	}
	return fmt.Errorf("%s:%d: %w", file, line, err)
}

// Items loads the files of a folder into tables that are empty. A file bears its table's name, as in orders.jsonl or
// default.orders.csv.gz. Errors name the file, and the line of a record that is refused.
func (o Options) Items(ctx context.Context, folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return fmt.Errorf("--seed: %w", err)
	}
	for _, entry := range entries {
		if entry.IsDir() || strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		if err := o.file(ctx, filepath.Join(folder, entry.Name())); err != nil {
			return fmt.Errorf("--seed %w", err)
		}
	}
	return nil
}

// file loads a file into its table.
func (o Options) file(ctx context.Context, file string) error {
	table, err := o.tableOf(file)
	if err != nil {
		return at(file, 0, err)
	}
	empty, err := isEmpty(ctx, table)
	if err != nil || !empty {
		return err
	}
	dir, err := workDir(o.Dir)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	result, err := bulkload.Run(ctx, bulkload.Options{DB: o.DB, Into: table, Sources: []string{file},
		Dir: filepath.Join(dir, "load")})
	if err != nil {
		return err // it names the file and the line
	}
	o.Log("loaded items of --seed", "table", table.Name(), "file", file, "items", result.Rows)
	return nil
}

// workDir makes a folder for a load.
func workDir(parent string) (string, error) {
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return "", err
	}
	return os.MkdirTemp(parent, "seed-*")
}

// tableOf finds the table that a file is named after.
func (o Options) tableOf(file string) (*database.Table, error) {
	name := filepath.Base(file)
	for _, packed := range []string{".gz", ".zst"} {
		name = strings.TrimSuffix(name, packed)
	}
	name = strings.TrimSuffix(name, filepath.Ext(name))
	table, err := o.DB.TableIn(o.Database, name)
	if err == nil || database.KindOf(err) != database.KindNotFound {
		return table, err
	}
	if space, in, found := strings.Cut(name, "."); found {
		if table, err := o.DB.TableIn(space, in); err == nil {
			return table, nil
		}
	}
	return nil, fmt.Errorf("there is no table %s: name the file after one, or define the table in a file of --schema",
		name)
}

func isEmpty(ctx context.Context, table *database.Table) (empty bool, err error) {
	pin, err := table.Pin()
	if err != nil {
		return false, err
	}
	defer pin.Release()
	cursor, err := pin.Query(ctx, database.Query{Limit: 1, Quiet: true})
	if err != nil {
		return false, err
	}
	empty = !cursor.Next()
	return empty, cursor.Close()
}
