// SPDX-License-Identifier: Apache-2.0

package weftsql

import (
	"context"
	"database/sql/driver"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/weftdb/weft/internal/sql"
	"github.com/weftdb/weft/internal/sql/result"
)

// conn is one connection: a session. database/sql has one goroutine use it at a time.
type conn struct {
	connector *connector
	id        uint32
	session   *sql.Session
	rows      *rows // of the statement at work; nil: none is
	// of the goroutine that carries statements with rows out; nil: there is none yet
	jobs    chan *rows
	answers chan batch                 // of the statement at work
	kept    map[string]result.Prepared // statements that were run with arguments, by their texts

	mu     sync.Mutex // of what other connections see
	text   string     // of the statement at work, or ""
	since  time.Time  // when it began, or the one before ended
	cancel context.CancelFunc
	killed bool
}

// keptMax is the number of statements with arguments a connection keeps prepared.
const keptMax = 64

// open opens the session.
func (c *conn) open(ctx context.Context) error {
	zone, err := c.connector.zone()
	if err != nil {
		return err
	}
	if c.session, err = c.connector.engine.Open(ctx, c.connector.login(c.id)); err != nil {
		return c.connector.errorOf(ctx, err)
	}
	if zone == time.UTC.String() {
		return nil
	}
	if err = c.do(ctx, "SET time_zone = '"+strings.ReplaceAll(zone, "'", "''")+"'"); err != nil {
		c.session.Close()
	}
	return err
}

// Close rolls back what is open.
func (c *conn) Close() error {
	if c.rows != nil {
		_ = c.rows.Close() // whose error is of rows that nobody wants
	}
	if c.jobs != nil {
		close(c.jobs)
	}
	for _, p := range c.kept {
		p.Close()
	}
	c.session.Close()
	c.connector.forget(c)
	return nil
}

// IsValid reports whether the pool may hand the connection out again: not after KILL, nor when its session has ended
// itself.
func (c *conn) IsValid() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.killed && !c.session.State().Released
}

// Ping returns nil while the database answers.
func (c *conn) Ping(context.Context) error { return c.connector.db.Ready() }

// CheckNamedValue makes an argument a value that statements take.
func (c *conn) CheckNamedValue(named *driver.NamedValue) error { return check(named) }

// enter makes a statement the one at work; leave is its counterpart.
func (c *conn) enter(ctx context.Context, text string) (context.Context, error) {
	if c.rows != nil {
		c.rows.gather()
	}
	ctx, cancel := context.WithCancel(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.killed {
		cancel()
		return nil, driver.ErrBadConn // nothing was begun
	}
	c.text, c.since, c.cancel = text, time.Now(), cancel
	return ctx, nil
}

func (c *conn) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cancel()
	c.text, c.since, c.cancel = "", time.Now(), nil
}

func (c *conn) kill(queryOnly bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.killed = c.killed || !queryOnly
	if c.cancel != nil {
		c.cancel()
	}
}

// describe is a line of SHOW PROCESSLIST.
func (c *conn) describe(now time.Time) result.Process {
	c.mu.Lock()
	defer c.mu.Unlock()
	login := c.connector.login(c.id)
	p := result.Process{ID: c.id, User: login.User, Host: login.Host, Database: login.Database, Command: "Sleep",
		Seconds: int64(now.Sub(c.since).Seconds())}
	if c.text != "" {
		p.Command, p.Info = "Query", sql.Show(c.text)
	}
	return p
}

// work carries a statement out and tells a sink.
type work func(ctx context.Context, sink result.Sink) error

// prepared returns the work of a text with arguments, which is kept prepared.
func (c *conn) prepared(ctx context.Context, text string, arguments []driver.NamedValue) (work, error) {
	if len(arguments) == 0 {
		return func(ctx context.Context, sink result.Sink) error { return c.session.Query(ctx, []byte(text), sink) },
			nil
	}
	p := c.kept[text]
	if p == nil {
		var err error
		if p, err = c.session.Prepare(ctx, []byte(text)); err != nil {
			return nil, c.connector.errorOf(ctx, err)
		}
		c.keep(text, p)
	}
	return c.execution(p, arguments)
}

// execution is the work of a prepared statement with arguments.
func (c *conn) execution(p result.Prepared, arguments []driver.NamedValue) (work, error) {
	if len(arguments) != p.Parameters() {
		return nil, fmt.Errorf("weftsql: expected %d arguments, got %d", p.Parameters(), len(arguments))
	}
	parameters, err := c.connector.parameters(arguments)
	return func(ctx context.Context, sink result.Sink) error { return p.Execute(ctx, parameters, sink) }, err
}

// keep makes room for a prepared statement by forgetting some other one.
func (c *conn) keep(text string, p result.Prepared) {
	if c.kept == nil {
		c.kept = map[string]result.Prepared{}
	}
	for other, old := range c.kept {
		if len(c.kept) < keptMax {
			break
		}
		old.Close()
		delete(c.kept, other)
	}
	c.kept[text] = p
}

// QueryContext runs a text and returns its rows.
func (c *conn) QueryContext(ctx context.Context, text string, arguments []driver.NamedValue) (driver.Rows, error) {
	entered, err := c.enter(ctx, text)
	if err != nil {
		return nil, err
	}
	run, err := c.prepared(entered, text, arguments)
	if err != nil {
		c.leave()
		return nil, err
	}
	return c.query(entered, run, len(arguments) == 0 && c.connector.options.MultiStatements)
}

// ExecContext runs a text and counts what it wrote.
func (c *conn) ExecContext(ctx context.Context, text string, arguments []driver.NamedValue) (driver.Result, error) {
	ctx, err := c.enter(ctx, text)
	if err != nil {
		return nil, err
	}
	defer c.leave()
	run, err := c.prepared(ctx, text, arguments)
	if err != nil {
		return nil, err
	}
	return c.exec(ctx, run)
}

// exec carries work out and counts what its last statement wrote.
func (c *conn) exec(ctx context.Context, run work) (driver.Result, error) {
	var counts count
	if err := run(ctx, &counts); err != nil {
		return nil, c.connector.errorOf(ctx, err)
	}
	return &counts, nil
}

// do runs a text without arguments.
func (c *conn) do(ctx context.Context, text string) error {
	_, err := c.ExecContext(ctx, text, nil)
	return err
}

// count is a sink that keeps the counts of the last statement alone: a driver.Result.
type count struct {
	result.Nowhere
	done result.Done
}

// Done is result.Sink's.
func (n *count) Done(done result.Done) error {
	n.done = done
	return nil
}

// LastInsertId returns the first number that AUTO_INCREMENT gave the rows; 0 for none.
func (n *count) LastInsertId() (int64, error) { return int64(n.done.LastInsertID), nil }

// RowsAffected returns how many rows were written.
func (n *count) RowsAffected() (int64, error) { return int64(n.done.Affected), nil }
