// SPDX-License-Identifier: Apache-2.0

package sqlshell

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/weftdb/weft/internal/sql/tree"
)

// killTimeout is the time in which the server must take the request to end a statement.
const killTimeout = 10 * time.Second

// connection is one session on the server, with a way to end its statement.
type connection struct {
	pool       *sql.DB
	session    *sql.Conn
	id         uint64
	database   string
	interrupts interrupter
}

// interrupter begins to catch the user's Ctrl-C until stop is called.
type interrupter func() (interrupts <-chan os.Signal, stop func())

// connect opens a session.
func connect(ctx context.Context, config *mysql.Config, interrupts interrupter) (*connection, error) {
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, err
	}
	c := &connection{pool: sql.OpenDB(connector), database: config.DBName, interrupts: interrupts}
	if err := c.open(ctx); err != nil {
		return nil, errors.Join(err, c.pool.Close())
	}
	return c, nil
}

// open opens the session, in the database where the one before was.
func (c *connection) open(ctx context.Context) (err error) {
	if c.session, err = c.pool.Conn(ctx); err != nil {
		return err
	}
	if c.id != 0 && c.database != "" {
		if _, err = c.session.ExecContext(ctx, "USE "+tree.Quote(c.database)); err != nil {
			return err
		}
	}
	return c.session.QueryRowContext(ctx, "SELECT CONNECTION_ID()").Scan(&c.id)
}

func (c *connection) close() error { return errors.Join(c.session.Close(), c.pool.Close()) }

// revive opens a new session if the server has ended this one. again reports that it did.
func (c *connection) revive(ctx context.Context) (again bool, err error) {
	if c.session.PingContext(ctx) == nil {
		return false, nil
	}
	_ = c.session.Close() // it is broken
	return true, c.open(ctx)
}

// answer is the result of a statement without rows.
type answer struct {
	rows     int64 // that were printed
	affected int64 // -1: the statement does not count
	tables   bool  // it had columns
}

// run runs one statement and prints its rows. An interrupt ends it, and a second one the session, too.
func (c *connection) run(ctx context.Context, text string, p printer) (a answer, err error) {
	ctx, stop := c.watch(ctx)
	defer stop()
	a.affected = -1
	switch first(text) {
	case "insert", "upsert", "replace", "update", "delete":
		result, err := c.session.ExecContext(ctx, text)
		if err != nil {
			return a, err
		}
		a.affected, err = result.RowsAffected()
		return a, err
	}
	rows, err := c.session.QueryContext(ctx, text)
	if err != nil {
		return a, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for {
		if err := show(rows, p, &a); err != nil {
			return a, err
		}
		if !rows.NextResultSet() {
			return a, rows.Err()
		}
	}
}

// watch ends a statement on an interrupt.
func (c *connection) watch(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	done, over := make(chan struct{}), make(chan struct{})
	interrupts, stop := c.interrupts()
	go func() {
		defer close(over)
		for killed := false; ; killed = true {
			select {
			case <-done:
				return
			case <-interrupts:
			}
			if killed || c.kill(ctx) != nil {
				cancel() // the driver closes the connection
				return
			}
		}
	}()
	return ctx, func() {
		stop()
		close(done)
		<-over
		cancel()
	}
}

// kill ends the statement that runs.
func (c *connection) kill(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, killTimeout)
	defer cancel()
	_, err := c.pool.ExecContext(ctx, fmt.Sprintf("KILL QUERY %d", c.id))
	return err
}

// show prints one set of rows.
func show(rows *sql.Rows, p printer, a *answer) error {
	types, err := rows.ColumnTypes()
	if err != nil || len(types) == 0 {
		return err
	}
	a.tables = true
	columns := make([]column, len(types))
	values, targets := make([]any, len(types)), make([]any, len(types))
	for i, t := range types {
		columns[i] = columnOf(t)
		targets[i] = &values[i]
	}
	if err := p.begin(columns); err != nil {
		return err
	}
	cells := make([][]byte, len(types))
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		for i, v := range values {
			cells[i] = columns[i].cell(v)
		}
		if err := p.row(cells); err != nil {
			return err
		}
		a.rows++
	}
	return errors.Join(rows.Err(), p.end())
}

// texts returns the rows of a query of the shell's own. It uses another session, so that the user's keeps its state.
func (c *connection) texts(ctx context.Context, query string, arguments ...any) (list [][]string, err error) {
	rows, err := c.pool.QueryContext(ctx, query, arguments...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	for err == nil && rows.Next() {
		row, targets := make([]string, len(columns)), make([]any, len(columns))
		for i := range row {
			targets[i] = &row[i]
		}
		err = rows.Scan(targets...)
		list = append(list, row)
	}
	return list, errors.Join(err, rows.Err())
}

// follow finds out which database the session is in.
func (c *connection) follow(ctx context.Context) error {
	var name sql.NullString
	err := c.session.QueryRowContext(ctx, "SELECT DATABASE()").Scan(&name)
	c.database = name.String
	return err
}
