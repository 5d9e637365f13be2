// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/weftdb/weft/bench/loadgen"
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
	PID() int // of the process that works
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

// cost is the time and memory of a step.
type cost struct {
	seconds, cpu float64
	written      int64 // bytes sent to the disk
}

// loading is the cost of loading a corpus into a table without an index for texts, and into one with it.
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
	l.indexed.database, l.indexed.create = database,
		"CREATE TABLE a (id BIGINT PRIMARY KEY, title VARCHAR(500), body TEXT, FULLTEXT KEY ft (title, body))"
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
		if err != nil || entry.IsDir() ||
			!slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(path, end) }) {
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

// peer is an engine with its documents, and the queries that it is asked.
type peer struct {
	engine
	name string
	sets map[string][]query
}

// Name implements loadgen.Peer.
func (p *peer) Name() string { return p.name }

// Run implements loadgen.Peer. The clients begin at different queries.
func (p *peer) Run(ctx context.Context, x loadgen.Cell) (loadgen.Result, error) {
	queries := p.sets[x.Operation]
	return loadgen.RunWorkers(ctx, p.PID(), x, func(i int) (loadgen.Worker, error) {
		return p.worker(queries,
			i*len(queries)/x.Clients)
	})
}

// openPeer starts an engine and loads the corpus into it.
func openPeer(ctx context.Context, c *config, k *corpus, sets map[string][]query, name string,
	loads map[string]*loading) (*peer, error) {
	open := map[string]func(context.Context, *config, *corpus) (engine, *loading, error){peerWeft: openWeft,
		peerMariaDB: openMariaDB, peerSQLite: openSQLite}
	e, l, err := open[name](ctx, c, k)
	if err != nil {
		return nil, err
	}
	loads[name] = l
	return &peer{e, name, sets}, nil
}
