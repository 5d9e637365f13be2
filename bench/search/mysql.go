// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/weftdb/weft/bench/loadgen"
	"github.com/weftdb/weft/bench/sqlpeer"
	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/pebble"
)

// cacheBytes is the memory for blocks that each engine gets.
const cacheBytes = "512MiB"

// server is an engine that speaks MySQL's protocol.
type server struct {
	*sqlpeer.Server
	control *sqlpeer.Client // for find
	counts  bool            // the workers count, and don't look for the best documents
}

func newServer(s *sqlpeer.Server, c *config) (*server, error) {
	control, err := s.Dial(database)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return &server{s, control, c.Counts}, nil
}

// Close implements engine.
func (s *server) Close() error { return errors.Join(s.control.Close(), s.Server.Close()) }

func (s *server) worker(queries []query, first int) (loadgen.Worker, error) {
	connection, err := s.Dial(database)
	if err != nil {
		return nil, err
	}
	w := &serverWorker{client: connection, next: first}
	for i := range queries {
		statement := selectBest(&queries[i], topCount)
		if s.counts {
			statement = selectCount + queries[i].mysql()
		}
		w.statements = append(w.statements, statement)
	}
	return w, nil
}

// selectCount is the beginning of the statement that counts documents; the condition follows.
const selectCount = "SELECT COUNT(*) FROM a WHERE "

// selectBest is the statement that finds the best documents.
func selectBest(q *query, limit int) string {
	match := q.mysql()
	return fmt.Sprintf("SELECT id, %s AS s FROM a WHERE %s ORDER BY s DESC LIMIT %d", match, match, limit)
}

// serverWorker is one connection.
type serverWorker struct {
	client     *sqlpeer.Client
	statements []string
	next       int
}

// Do implements loadgen.Worker.
func (w *serverWorker) Do() error {
	statement := w.statements[w.next%len(w.statements)]
	w.next++
	if _, err := w.client.Query(statement); err != nil {
		return fmt.Errorf("%s: %w", statement, err)
	}
	return nil
}

// Close implements loadgen.Worker.
func (w *serverWorker) Close() error { return w.client.Close() }

func (s *server) find(q *query, limit int) (hits []hit, count int, err error) {
	counting := selectCount + q.mysql()
	rows, err := s.control.Rows(counting)
	if err != nil || len(rows) != 1 {
		return nil, 0, fmt.Errorf("%s: %d rows, %w", counting, len(rows), err)
	}
	if count, err = strconv.Atoi(rows[0][0]); err != nil {
		return nil, 0, err
	}
	finding := selectBest(q, limit)
	if rows, err = s.control.Rows(finding); err != nil {
		return nil, 0, fmt.Errorf("%s: %w", finding, err)
	}
	for _, row := range rows {
		id, err := strconv.ParseInt(row[0], 10, 64)
		score, err2 := strconv.ParseFloat(row[1], 64)
		if err := errors.Join(err, err2); err != nil {
			return nil, 0, fmt.Errorf("%s: %w", finding, err)
		}
		hits = append(hits, hit{id, score})
	}
	return hits, count, nil
}

// fill makes a database with a table and loads the documents.
func fill(s *sqlpeer.Server, t *tableLoading, documents []document) (err error) {
	connection, err := s.Dial("")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, connection.Close()) }()
	for _, statement := range []string{"CREATE DATABASE " + t.database, "USE " + t.database, t.create} {
		if _, err := connection.Query(statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	for len(documents) > 0 {
		n := min(batchRows, len(documents))
		if _, err := connection.Query(insertText(documents[:n])); err != nil {
			return fmt.Errorf("INSERT of the documents %d to %d: %w", documents[0].id, documents[n-1].id, err)
		}
		documents = documents[n:]
	}
	return nil
}

// insertText is the INSERT of documents.
func insertText(documents []document) string {
	quote := strings.NewReplacer(`'`, `''`, `\`, `\\`)
	var text strings.Builder
	text.WriteString("INSERT INTO a (id, title, body) VALUES ")
	for i := range documents {
		if i > 0 {
			text.WriteByte(',')
		}
		d := &documents[i]
		fmt.Fprintf(&text, "(%d,'%s','%s')", d.id, quote.Replace(d.title), quote.Replace(d.body))
	}
	return text.String()
}

// openMariaDB loads both tables into one server, each into a database of its own: that is a folder. Words of any length
// are indexed, and there are no stopwords.
func openMariaDB(ctx context.Context, c *config, k *corpus) (engine, *loading, error) {
	dir := filepath.Join(c.Dir, peerMariaDB)
	s, err := sqlpeer.MariaDB(ctx, dir, "--innodb-ft-min-token-size=1", "--innodb-ft-enable-stopword=OFF",
		"--character-set-server=utf8mb4", "--collation-server=utf8mb4_general_ci")
	if err != nil {
		return nil, nil, err
	}
	l := &loading{}
	for _, t := range l.tables() {
		if err := fillMariaDB(s, dir, t, k); err != nil {
			return nil, nil, errors.Join(err, s.Close())
		}
	}
	e, err := newServer(s, c)
	return e, l, err
}

// fillMariaDB loads a table and lets the server write it and its indexes anew, for the size.
func fillMariaDB(s *sqlpeer.Server, dir string, t *tableLoading, k *corpus) (err error) {
	if t.load, err = spent(s.PID(), func() error { return fill(s, t, k.documents) }); err != nil {
		return err
	}
	connection, err := s.Dial(t.database)
	if err != nil {
		return err
	}
	t.settle, err = spent(s.PID(), func() error {
		_, err := connection.Query("OPTIMIZE TABLE a")
		return err
	})
	if err := errors.Join(err, connection.Close()); err != nil {
		return err
	}
	t.bytes, err = sizeOf(filepath.Join(dir, t.database), ".ibd")
	return err
}

// openWeft loads the tables into a store each, and serves the one with the index.
func openWeft(ctx context.Context, c *config, k *corpus) (engine, *loading, error) {
	if err := c.Build(); err != nil {
		return nil, nil, err
	}
	l := &loading{}
	for _, t := range l.tables() {
		if err := fillWeft(ctx, c, weftDir(c, t), t, k); err != nil {
			return nil, nil, err
		}
	}
	if c.Counts {
		e, err := openInProcess(weftDir(c, &l.indexed))
		return e, l, err
	}
	s, err := sqlpeer.Weft(ctx, &c.Settings, weftDir(c, &l.indexed), cacheBytes)
	if err != nil {
		return nil, nil, err
	}
	e, err := newServer(s, c)
	return e, l, err
}

func weftDir(c *config, t *tableLoading) string {
	return filepath.Join(c.Dir, peerWeft+"-"+t.database)
}

// fillWeft fills a store, and compacts it once no server has it open.
func fillWeft(ctx context.Context, c *config, dir string, t *tableLoading, k *corpus) error {
	s, err := sqlpeer.Weft(ctx, &c.Settings, dir, cacheBytes)
	if err != nil {
		return err
	}
	t.load, err = spent(s.PID(), func() error { return fill(s, t, k.documents) })
	if err := errors.Join(err, s.Close()); err != nil {
		return err
	}
	if t.settle, err = spent(os.Getpid(), func() error { return compact(ctx, dir) }); err != nil {
		return err
	}
	t.bytes, err = sizeOf(dir, ".sst")
	return err
}

// compact brings a store into its smallest shape.
func compact(ctx context.Context, dir string) error {
	store, err := pebble.Open(pebble.Options{Dir: dir,
		Sought: &pebble.Sought{Name: keyspace.SoughtName, Has: keyspace.IsSought}})
	if err != nil {
		return err
	}
	return errors.Join(store.Compact(ctx, kv.Range{}), store.Close())
}
