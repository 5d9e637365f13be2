// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"
)

// The ways to read a box with PostgreSQL: a cube of the values as they are, and one of their ranks, which serves a GiST
// index better where columns differ in scale.
const (
	methodGiST      = "PostgreSQL GiST, values"
	methodGiSTRanks = "PostgreSQL GiST, ranks"
)

// postgresPeer is a server of its own, with its data in a folder of its own.
type postgresPeer struct {
	data    *dataset
	bin     string
	dir     string
	process *exec.Cmd
	entries map[string]float64 // mean entries of a page, by method
}

// errNoPostgres says what to do for figures of PostgreSQL.
var errNoPostgres = errors.New("PostgreSQL was not measured: it is not installed (on Debian: apt-get install postgresql postgresql-contrib)")

// findPostgres is the folder of the newest PostgreSQL's programs.
func findPostgres() (string, error) {
	folders, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err == nil && len(folders) > 0 {
		return filepath.Dir(slices.MaxFunc(folders,
			func(a, b string) int { return len(a) - len(b) + strings.Compare(a, b) })), nil
	}
	program, err := exec.LookPath("initdb")
	if err != nil {
		return "", errNoPostgres
	}
	return filepath.Dir(program), nil
}

// openPostgres starts a server and loads the rows. Without one, why says why there is none.
func openPostgres(ctx context.Context, c *config, d *dataset) (p *postgresPeer, why error) {
	if !c.Postgres {
		return nil, errors.New("PostgreSQL was not measured: --postgres=false")
	}
	bin, err := findPostgres()
	if err != nil {
		return nil, err
	}
	p = &postgresPeer{data: d, bin: bin, entries: map[string]float64{}}
	if err := p.start(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("PostgreSQL was not measured: %w", err), p.Close())
	}
	if err := p.load(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("PostgreSQL was not measured: %w", err), p.Close())
	}
	return p, nil
}

// waitMax is the time the server may take to answer.
const waitMax = 30 * time.Second

func (p *postgresPeer) start(ctx context.Context) (err error) {
	if p.dir, err = os.MkdirTemp("", "weft-bench-postgres-"); err != nil {
		return err
	}
	data := filepath.Join(p.dir, "data")
	make := exec.CommandContext(ctx, filepath.Join(p.bin, "initdb"), "-D", data, "-U", "bench", "-A", "trust",
		"--no-sync", "-E", "UTF8", "--locale=C")
	server := exec.Command(filepath.Join(p.bin, "postgres"), "-D", data, "-k", p.dir, "-c", "listen_addresses=", "-c",
		"shared_buffers=512MB", "-c", "fsync=off",
		"-c", "jit=off", "-c", "max_parallel_workers_per_gather=0", "-c", "autovacuum=off", "-c",
		"maintenance_work_mem=256MB")
	make.Dir, server.Dir = p.dir, p.dir
	if err := unprivileged(p.dir, make, server); err != nil {
		return err
	}
	if output, err := make.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, output)
	}
	if err := server.Start(); err != nil {
		return err
	}
	p.process = server
	for begun := time.Now(); ; {
		_, err := p.ask(ctx, strings.NewReader("SELECT 1;"))
		if err == nil || time.Since(begun) > waitMax || ctx.Err() != nil {
			return err
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// ask runs statements and returns what they print.
func (p *postgresPeer) ask(ctx context.Context, statements io.Reader) ([]byte, error) {
	command := exec.CommandContext(ctx, filepath.Join(p.bin, "psql"), "-X", "-q", "-A", "-t", "-h", p.dir, "-U",
		"bench", "-d", "postgres", "-v", "ON_ERROR_STOP=1", "-f", "-")
	var faults bytes.Buffer
	command.Stdin, command.Stderr = statements, &faults
	output, err := command.Output()
	if err != nil {
		err = fmt.Errorf("psql: %w\n%s", err, faults.Bytes())
	}
	return output, err
}

// Close stops the server and removes its folder.
func (p *postgresPeer) Close() error {
	if p.process != nil {
		_ = p.process.Process.Signal(os.Interrupt) // fast shutdown
		_ = p.process.Wait()
	}
	return os.RemoveAll(p.dir)
}

// rank is the number of values of a column that are below v: it orders values as they are, and spreads them evenly.
func (d *dataset) rank(column int, v float64) float64 {
	return float64(sort.SearchFloat64s(d.sorted[column], v))
}

func (p *postgresPeer) load(ctx context.Context) error {
	var script bytes.Buffer
	script.WriteString("CREATE EXTENSION cube;\nCREATE TABLE given (v float8[], r float8[]);\nCOPY given FROM stdin;\n")
	for _, row := range p.data.rows {
		ranks := make([]float64, len(row))
		for i, v := range row {
			ranks[i] = p.data.rank(i, v)
		}
		fmt.Fprintf(&script, "{%s}\t{%s}\n", list(row), list(ranks))
	}
	script.WriteString(`\.
CREATE TABLE rows AS SELECT v, cube(v) AS place, cube(r) AS ranks FROM given;
CREATE INDEX by_place ON rows USING gist (place);
CREATE INDEX by_ranks ON rows USING gist (ranks);
VACUUM ANALYZE rows;
SELECT reltuples / relpages FROM pg_class WHERE relname IN ('by_place', 'by_ranks') ORDER BY relname;
`)
	output, err := p.ask(ctx, &script)
	if err != nil {
		return err
	}
	var place, ranks float64
	if _, err := fmt.Sscan(string(output), &place, &ranks); err != nil {
		return fmt.Errorf("sizes of the indexes: %w in %q", err, output)
	}
	p.entries[methodGiST], p.entries[methodGiSTRanks] = place, ranks
	return nil
}

// list is numbers with commas, as PostgreSQL reads them.
func list(values []float64) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = fmt.Sprintf("%v", max(min(v, math.MaxInt64), math.MinInt64))
	}
	return strings.Join(texts, ",")
}

// plan is the part of EXPLAIN's answer that is read.
type plan struct {
	Kind    string  `json:"Node Type"`
	Rows    float64 `json:"Actual Rows"`
	Removed float64 `json:"Rows Removed by Index Recheck"`
	Hit     int64   `json:"Shared Hit Blocks"`
	Read    int64   `json:"Shared Read Blocks"`
	Plans   []plan  `json:"Plans"`
}

// find is the first node of a kind.
func (n *plan) find(kind string) *plan {
	if n.Kind == kind {
		return n
	}
	for i := range n.Plans {
		if found := n.Plans[i].find(kind); found != nil {
			return found
		}
	}
	return nil
}

// cell runs the queries of a cell, on the cube of the values and on that of the ranks. Bitmap scans are forced, for
// there the pages of the index are counted apart.
func (p *postgresPeer) cell(ctx context.Context, c *cell) ([]tally, error) {
	var tallies []tally
	for _, method := range []string{methodGiST, methodGiSTRanks} {
		var script bytes.Buffer
		script.WriteString("SET enable_seqscan = off; SET enable_indexscan = off; SET enable_indexonlyscan = off;\n")
		for i := range c.queries {
			low, high, name := c.queries[i].low, c.queries[i].high, "place"
			if method == methodGiSTRanks {
				low, high, name = p.ranks(low), p.ranks(high), "ranks"
			}
			fmt.Fprintf(&script, "EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) SELECT v FROM rows WHERE %s <@ cube(ARRAY[%s], ARRAY[%s]);\n", name, list(low), list(high))
		}
		output, err := p.ask(ctx, &script)
		if err != nil {
			return nil, err
		}
		t, err := p.read(method, c, output)
		if err != nil {
			return nil, err
		}
		tallies = append(tallies, t)
	}
	return tallies, nil
}

func (p *postgresPeer) ranks(values []float64) []float64 {
	ranks := make([]float64, len(values))
	for i, v := range values {
		if ranks[i] = v; !math.IsInf(v, 0) {
			ranks[i] = p.data.rank(i, v)
		}
	}
	return ranks
}

// read takes the figures out of EXPLAIN's output for the queries of a cell.
func (p *postgresPeer) read(method string, c *cell, output []byte) (tally, error) {
	t := tally{cell: c, method: method}
	answers := json.NewDecoder(bytes.NewReader(output))
	for i := range c.queries {
		var answer []struct {
			Plan plan    `json:"Plan"`
			Took float64 `json:"Execution Time"` // milliseconds
		}
		if err := answers.Decode(&answer); err != nil || len(answer) != 1 {
			return t, fmt.Errorf("EXPLAIN's answer: %w in %s", err, output)
		}
		heap, index := answer[0].Plan.find("Bitmap Heap Scan"), answer[0].Plan.find("Bitmap Index Scan")
		if heap == nil || index == nil {
			return t, fmt.Errorf("PostgreSQL chose another plan: %+v", answer[0].Plan)
		}
		found := int64(heap.Rows)
		if err := c.queries[i].agree(method, found); err != nil {
			return t, err
		}
		pages := index.Hit + index.Read
		t.add(outcome{
			examined: int64(float64(pages) * p.entries[method]), seeks: pages, fetched: found + int64(heap.Removed),
			returned: found,
			took:     time.Duration(answer[0].Took * float64(time.Millisecond)),
		})
	}
	return t, nil
}
