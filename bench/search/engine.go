// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/weftdb/weft/bench/loadgen"
	"github.com/weftdb/weft/bench/sqlpeer"
)

// The peers, as they are called on the command line and in the report.
const (
	peerWeft    = "weft"
	peerMariaDB = "mariadb"
	peerSQLite  = "sqlite"
)

func peerNames() []string { return []string{peerWeft, peerMariaDB, peerSQLite} }

// engine finds documents.
type engine interface {
	pid() int // of the process that works
	worker(queries []query, first int) (loadgen.Worker, error)
	// find returns the best documents, the best first, and how many match. It may return less of them than asked.
	find(q *query, limit int) (hits []hit, count int, err error)
	// Profile begins a CPU profile if the engine can, or ends it if path is empty.
	Profile(path string) error
	Close() error
}

// hit is a document that was found.
type hit struct {
	id    int64
	score float64
}

// cost is what something took.
type cost struct {
	seconds, cpu float64
	written      int64 // bytes sent to the disk
}

// loading is what it took to load a corpus into a table without an index for texts, and into one with it.
type loading struct{ plain, indexed tableLoading }

// tableLoading is one of them.
type tableLoading struct {
	database string
	create   string // in MySQL's language
	load     cost
	settle   cost // of what makes the table and its indexes as small and fast as they get
	bytes    int64
}

// tables names the tables.
func (l *loading) tables() []*tableLoading {
	l.plain.database, l.plain.create = "plain", "CREATE TABLE a (id BIGINT PRIMARY KEY, title VARCHAR(500), body TEXT)"
	l.indexed.database, l.indexed.create = database, "CREATE TABLE a (id BIGINT PRIMARY KEY, title VARCHAR(500), body TEXT, FULLTEXT KEY ft (title, body))"
	return []*tableLoading{&l.plain, &l.indexed}
}

const (
	batchRows = 500 // of one INSERT or transaction while loading
	database  = "bench"
	topCount  = 10
	settleMax = 30 // calls of loadgen.Settle after loading, of up to two seconds
)

// spent does something and returns what it took: seconds until it is done, and CPU until the process has come to rest.
func spent(pid int, do func() error) (cost, error) {
	loadgen.Settle(pid)
	begun, before, written := time.Now(), loadgen.CPU(pid), loadgen.Written(pid)
	err := do()
	took := time.Since(begun).Seconds()
	for range settleMax {
		at := time.Now()
		loadgen.Settle(pid)
		if time.Since(at) < time.Second {
			break
		}
	}
	return cost{took, loadgen.CPU(pid) - before, loadgen.Written(pid) - written}, err
}

// sizeOf adds up the files of a folder whose names end in one of some ways.
func sizeOf(dir string, ends ...string) (total int64, err error) {
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(path, end) }) {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		total += info.Size()
		return nil
	})
	return total, err
}

// openEngines starts the peers and loads the corpus into them. After an error, too, they are the caller's to close.
func openEngines(ctx context.Context, c *config, k *corpus) (engines map[string]engine, loads map[string]*loading, skipped []string, err error) {
	engines, loads = map[string]engine{}, map[string]*loading{}
	for _, name := range c.Peers {
		fmt.Fprintf(c.Log, "starting %s and loading %d documents\n", name, len(k.documents))
		open := openSQLite
		switch name {
		case peerWeft:
			open = openWeft
		case peerMariaDB:
			open = openMariaDB
		}
		e, l, err := open(ctx, c, k)
		var missing *sqlpeer.MissingError
		switch {
		case errors.As(err, &missing):
			skipped = append(skipped, fmt.Sprintf("%s was not measured: %s", name, missing.Reason))
		case err != nil:
			return engines, loads, skipped, fmt.Errorf("%s: %w", name, err)
		default:
			engines[name], loads[name] = e, l
		}
	}
	return engines, loads, skipped, nil
}

func closeEngines(engines map[string]engine) error {
	var errs []error
	for _, e := range engines {
		errs = append(errs, e.Close())
	}
	return errors.Join(errs...)
}
