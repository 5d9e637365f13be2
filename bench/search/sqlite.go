// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	_ "modernc.org/sqlite" // the driver

	"github.com/weftdb/weft/bench/loadgen"
)

// sqliteSettings: commits are durable, as those of the others, and each connection has 64 MiB of cache.
const sqliteSettings = "?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=cache_size(-65536)&_pragma=busy_timeout(10000)"

// The tables of SQLite. The index keeps no second copy of the texts.
const (
	sqlitePlain   = "CREATE TABLE a (id INTEGER PRIMARY KEY, title TEXT, body TEXT)"
	sqliteIndexed = "CREATE VIRTUAL TABLE ft USING fts5(title, body, content='a', content_rowid='id')"
	sqliteBest    = "SELECT rowid, -rank FROM ft WHERE ft MATCH ? ORDER BY rank LIMIT ?"
	sqliteCount   = "SELECT COUNT(*) FROM ft WHERE ft MATCH ?"
)

// embedded is a database in this process, SQLite compiled to Go if nothing else is said: there is no protocol between
// it and its clients.
type embedded struct {
	db *sql.DB
	// ask returns the statement for the queries of a kind, and argument its argument. One that finds the best
	// documents has their number for another.
	ask      func(kind string) string
	argument func(q *query) string
	counts   bool
}

func openSQLite(ctx context.Context, c *config, k *corpus) (engine, *loading, error) {
	l := &loading{}
	var e *embedded
	for _, t := range l.tables() {
		if e != nil {
			if err := e.Close(); err != nil {
				return nil, nil, err
			}
		}
		path := filepath.Join(c.Dir, peerSQLite+"-"+t.database)
		db, err := sql.Open("sqlite", "file:"+path+sqliteSettings)
		if err != nil {
			return nil, nil, err
		}
		e = &embedded{db: db, counts: c.Counts, argument: (*query).sqlite, ask: func(string) string {
			if c.Counts {
				return sqliteCount
			}
			return sqliteBest
		}}
		if err := e.fill(ctx, t, t == &l.indexed, path, k); err != nil {
			return nil, nil, errors.Join(err, e.Close())
		}
	}
	return e, l, nil
}

func (e *embedded) PID() int { return os.Getpid() }

// Profile implements engine.
func (e *embedded) Profile(string) error { return nil }

// Close implements engine.
func (e *embedded) Close() error { return e.db.Close() }

// fill loads a table and brings its file to its smallest size.
func (e *embedded) fill(ctx context.Context, t *tableLoading, indexed bool, path string, k *corpus) (err error) {
	create, settle := []string{sqlitePlain}, []string{"VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"}
	if indexed {
		create, settle = append(create, sqliteIndexed), append([]string{"INSERT INTO ft(ft) VALUES ('optimize')"},
			settle...)
	}
	if err := e.exec(ctx, create); err != nil {
		return err
	}
	t.load, err = spent(e.PID(), func() error {
		for rest := k.documents; len(rest) > 0; rest = rest[min(batchRows, len(rest)):] {
			if err := e.insert(ctx, rest[:min(batchRows, len(rest))], indexed); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if t.settle, err = spent(e.PID(), func() error { return e.exec(ctx, settle) }); err != nil {
		return err
	}
	t.bytes, err = sizeOf(path, path)
	return err
}

func (e *embedded) exec(ctx context.Context, statements []string) error {
	for _, statement := range statements {
		if _, err := e.db.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// insert loads documents in one transaction.
func (e *embedded) insert(ctx context.Context, documents []document, indexed bool) (err error) {
	tx, err := e.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, tx.Rollback())
		}
	}()
	texts := []string{"INSERT INTO a (id, title, body) VALUES (?, ?, ?)"}
	if indexed {
		texts = append(texts, "INSERT INTO ft (rowid, title, body) VALUES (?, ?, ?)")
	}
	for _, text := range texts {
		statement, err := tx.PrepareContext(ctx, text)
		if err != nil {
			return err
		}
		for i := range documents {
			if _, err := statement.ExecContext(ctx, documents[i].id, documents[i].title,
				documents[i].body); err != nil {
				return errors.Join(err, statement.Close())
			}
		}
		if err := statement.Close(); err != nil {
			return err
		}
	}
	return tx.Commit()
}

func (e *embedded) worker(queries []query, first int) (loadgen.Worker, error) {
	connection, err := e.db.Conn(context.Background())
	if err != nil {
		return nil, err
	}
	statement, err := connection.PrepareContext(context.Background(), e.ask(queries[0].kind))
	if err != nil {
		return nil, errors.Join(err, connection.Close())
	}
	w := &embeddedWorker{connection: connection, statement: statement, next: first, counts: e.counts}
	for i := range queries {
		w.texts = append(w.texts, e.argument(&queries[i]))
	}
	return w, nil
}

// embeddedWorker is one connection.
type embeddedWorker struct {
	connection *sql.Conn
	statement  *sql.Stmt
	texts      []string
	next       int
	counts     bool
}

// Do implements loadgen.Worker.
func (w *embeddedWorker) Do() error {
	text := w.texts[w.next%len(w.texts)]
	w.next++
	if w.counts {
		var count int
		return w.statement.QueryRow(text).Scan(&count)
	}
	if _, err := scanHits(w.statement.Query(text, topCount)); err != nil {
		return fmt.Errorf("%s: %w", text, err)
	}
	return nil
}

// Close implements loadgen.Worker.
func (w *embeddedWorker) Close() error {
	return errors.Join(w.statement.Close(), w.connection.Close())
}

// scanHits reads an answer.
func scanHits(rows *sql.Rows, err error) (hits []hit, _ error) {
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		var h hit
		if err := rows.Scan(&h.id, &h.score); err != nil {
			return nil, errors.Join(err, rows.Close())
		}
		hits = append(hits, h)
	}
	return hits, errors.Join(rows.Err(), rows.Close())
}

func (e *embedded) find(q *query, limit int) (hits []hit, count int, err error) {
	if err := e.db.QueryRow(sqliteCount, q.sqlite()).Scan(&count); err != nil {
		return nil, 0, fmt.Errorf("%s: %w", q.sqlite(), err)
	}
	hits, err = scanHits(e.db.Query(sqliteBest, q.sqlite(), limit))
	return hits, count, err
}
