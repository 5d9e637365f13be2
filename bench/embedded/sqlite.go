// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"

	_ "modernc.org/sqlite" // the driver
)

// sqliteSettings: commits are durable, as those of the others.
const sqliteSettings = "?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=cache_size(-65536)&_pragma=busy_timeout(10000)"

const sqliteTables = `
CREATE TABLE items (id INTEGER PRIMARY KEY, owner INTEGER, at INTEGER, name TEXT, text TEXT);
CREATE INDEX by_owner ON items (owner, at);
CREATE TABLE large (id INTEGER PRIMARY KEY, owner INTEGER, at INTEGER, name TEXT, text TEXT)`

// sqliteStore is SQLite, with statements that are prepared once.
type sqliteStore struct {
	writes, reads                      *sql.DB
	loadOne, putOne, getOne, all, some *sql.Stmt
}

func openSQLite(ctx context.Context, dir string) (store, error) {
	source, s := "file:"+filepath.Join(dir, "data")+sqliteSettings, &sqliteStore{}
	var err error
	if s.writes, err = sql.Open("sqlite", source); err != nil {
		return nil, err
	}
	s.writes.SetMaxOpenConns(1)
	if s.reads, err = sql.Open("sqlite", source); err != nil {
		return nil, errors.Join(err, s.writes.Close())
	}
	s.reads.SetMaxIdleConns(64)
	if err := s.prepare(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *sqliteStore) prepare(ctx context.Context) error {
	if _, err := s.writes.ExecContext(ctx, sqliteTables); err != nil {
		return err
	}
	for _, one := range []struct {
		statement **sql.Stmt
		db        *sql.DB
		text      string
	}{
		{&s.loadOne, s.writes, "INSERT INTO items VALUES (?, ?, ?, ?, ?)"},
		{&s.putOne, s.writes, "INSERT OR REPLACE INTO large VALUES (?, ?, ?, ?, ?)"},
		{&s.getOne, s.reads, "SELECT * FROM items WHERE id = ?"},
		{&s.all, s.reads, "SELECT * FROM items ORDER BY id"},
		{&s.some, s.reads, "SELECT * FROM items WHERE owner = ? ORDER BY at"},
	} {
		var err error
		if *one.statement, err = one.db.PrepareContext(ctx, one.text); err != nil {
			return err
		}
	}
	return nil
}

// Close closes both pools, and the statements with them.
func (s *sqliteStore) Close() error { return errors.Join(s.reads.Close(), s.writes.Close()) }

func (s *sqliteStore) load(ctx context.Context, items []item) error {
	return s.write(ctx, s.loadOne, items)
}

func (s *sqliteStore) put(ctx context.Context, large []item) error {
	if len(large) == 1 {
		return insert(ctx, s.putOne, &large[0])
	}
	return s.write(ctx, s.putOne, large)
}

func insert(ctx context.Context, statement *sql.Stmt, x *item) error {
	_, err := statement.ExecContext(ctx, x.ID, x.Owner, x.At, x.Name, x.Text)
	return err
}

// write runs a statement for each item, in one transaction.
func (s *sqliteStore) write(ctx context.Context, statement *sql.Stmt, items []item) (err error) {
	tx, err := s.writes.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	within := tx.StmtContext(ctx, statement)
	for i := range items {
		if err := insert(ctx, within, &items[i]); err != nil {
			return errors.Join(err, tx.Rollback())
		}
	}
	return tx.Commit()
}

func (s *sqliteStore) get(ctx context.Context, id int64) (x item, err error) {
	err = s.getOne.QueryRowContext(ctx, id).Scan(&x.ID, &x.Owner, &x.At, &x.Name, &x.Text)
	return x, err
}

func (s *sqliteStore) scan(ctx context.Context, see func(*item)) error { return walk(ctx, s.all, see) }

func (s *sqliteStore) query(ctx context.Context, owner int64, see func(*item)) error {
	return walk(ctx, s.some, see, owner)
}

// walk hands on the rows of a query.
func walk(ctx context.Context, statement *sql.Stmt, see func(*item), values ...any) error {
	rows, err := statement.QueryContext(ctx, values...)
	if err != nil {
		return err
	}
	for rows.Next() {
		var x item
		if err := rows.Scan(&x.ID, &x.Owner, &x.At, &x.Name, &x.Text); err != nil {
			return errors.Join(err, rows.Close())
		}
		see(&x)
	}
	return errors.Join(rows.Err(), rows.Close())
}

func (s *sqliteStore) decoder(context.Context, int64) (func(*item) error, error) {
	return nil, errCannot
}
