// SPDX-License-Identifier: Apache-2.0

package weftsql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
)

// levels are the isolation levels of database/sql that SQL has. // immutable
var levels = map[sql.IsolationLevel]string{
	sql.LevelReadUncommitted: "READ UNCOMMITTED", sql.LevelReadCommitted: "READ COMMITTED",
	sql.LevelRepeatableRead: "REPEATABLE READ", sql.LevelSerializable: "SERIALIZABLE",
}

// transaction is a transaction of Begin.
type transaction struct{ conn *conn }

// Begin is BeginTx without options.
func (c *conn) Begin() (driver.Tx, error) { return c.BeginTx(context.Background(), driver.TxOptions{}) }

// BeginTx starts a transaction, at the session's level (REPEATABLE READ, unless transaction_isolation was set) unless
// the options have one. Errors: a level that there is none of.
func (c *conn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	if level := sql.IsolationLevel(o.Isolation); level != sql.LevelDefault {
		name, ok := levels[level]
		if !ok {
			return nil, fmt.Errorf("weftsql: there is no isolation level %s: there are Read Uncommitted, Read Committed, Repeatable Read (the default) and Serializable", level)
		}
		if err := c.do(ctx, "SET TRANSACTION ISOLATION LEVEL "+name); err != nil {
			return nil, err
		}
	}
	text := "START TRANSACTION"
	if o.ReadOnly {
		text += " READ ONLY"
	}
	if err := c.do(ctx, text); err != nil {
		return nil, err
	}
	return transaction{c}, nil
}

// Commit makes the writes durable and visible. Errors: 1213 if another transaction was first.
func (t transaction) Commit() error { return t.conn.do(context.Background(), "COMMIT") }

// Rollback drops the writes.
func (t transaction) Rollback() error { return t.conn.do(context.Background(), "ROLLBACK") }
