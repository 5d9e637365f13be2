// SPDX-License-Identifier: Apache-2.0

package weftsql

import (
	"context"
	"database/sql/driver"

	"github.com/weftdb/weft/internal/sql/result"
)

// statement is a prepared statement.
type statement struct {
	conn     *conn
	text     string
	prepared result.Prepared
}

// Prepare is PrepareContext without a context.
func (c *conn) Prepare(text string) (driver.Stmt, error) {
	return c.PrepareContext(context.Background(), text)
}

// PrepareContext compiles a statement.
func (c *conn) PrepareContext(ctx context.Context, text string) (driver.Stmt, error) {
	ctx, err := c.enter(ctx, text)
	if err != nil {
		return nil, err
	}
	defer c.leave()
	p, err := c.session.Prepare(ctx, []byte(text))
	if err != nil {
		return nil, c.connector.errorOf(ctx, err)
	}
	return &statement{c, text, p}, nil
}

// Close forgets the statement.
func (s *statement) Close() error {
	s.prepared.Close()
	return nil
}

// NumInput returns the number of question marks.
func (s *statement) NumInput() int { return s.prepared.Parameters() }

// Query is QueryContext without a context.
func (s *statement) Query(values []driver.Value) (driver.Rows, error) {
	return s.QueryContext(context.Background(), named(values))
}

// Exec is ExecContext without a context.
func (s *statement) Exec(values []driver.Value) (driver.Result, error) {
	return s.ExecContext(context.Background(), named(values))
}

// named are values by their places.
func named(values []driver.Value) []driver.NamedValue {
	list := make([]driver.NamedValue, len(values))
	for i, v := range values {
		list[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	return list
}

// QueryContext runs the statement and returns its rows.
func (s *statement) QueryContext(ctx context.Context, arguments []driver.NamedValue) (driver.Rows, error) {
	ctx, run, err := s.enter(ctx, arguments)
	if err != nil {
		return nil, err
	}
	return s.conn.query(ctx, run, false)
}

// ExecContext runs the statement and counts what it wrote.
func (s *statement) ExecContext(ctx context.Context, arguments []driver.NamedValue) (driver.Result, error) {
	ctx, run, err := s.enter(ctx, arguments)
	if err != nil {
		return nil, err
	}
	defer s.conn.leave()
	return s.conn.exec(ctx, run)
}

// enter makes the statement the one at work, with arguments.
func (s *statement) enter(ctx context.Context, arguments []driver.NamedValue) (context.Context, work, error) {
	run, err := s.conn.execution(s.prepared, arguments)
	if err != nil {
		return nil, nil, err
	}
	ctx, err = s.conn.enter(ctx, s.text)
	return ctx, run, err
}
