// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"

	"github.com/weftdb/weft/bench/sqlpeer"
)

// What is measured.
const (
	opReadPrepared   = "read-prepared"   // a row by its key
	opReadText       = "read-text"       // the same, as text
	opRangeText      = "range-text"      // rangeRows rows in order of the key
	opRangePrepared  = "range-prepared"  // the same, prepared
	opSumText        = "sum-text"        // COUNT and SUM of rangeRows rows
	opInsertPrepared = "insert-prepared" // a row under a new key, durable
	opInsertText     = "insert-text"     // the same, as text
	opGroup          = "group"           // GROUP BY over the whole table of config.GroupRows rows
	opSumIndex       = "sum-index"       // SUM of an indexed column of as many rows
	opGroupIndex     = "group-index"     // GROUP BY that column, in a derived table
	opJoinRange      = "join-range"      // many rows of a range joined with the few that have their key in that column
)

func operationNames() []string {
	return []string{opReadPrepared, opReadText, opRangePrepared, opRangeText, opSumText, opInsertPrepared, opInsertText,
		opGroup, opSumIndex, opGroupIndex, opJoinRange}
}

const (
	rangeRows  = 100
	database   = "bench"
	valueBytes = 100
	batchRows  = 500 // of one INSERT while loading
)

// statements are the operations' SQL texts; arguments stand for the question marks, in text, too.
//
// immutable
var statements = map[string]string{
	opReadPrepared:   "SELECT id, v, n FROM narrow WHERE id = ?",
	opReadText:       "SELECT id, v, n FROM narrow WHERE id = ?",
	opRangePrepared:  "SELECT id, v, n FROM narrow WHERE id >= ? AND id < ? ORDER BY id",
	opRangeText:      "SELECT id, v, n FROM narrow WHERE id >= ? AND id < ? ORDER BY id",
	opSumText:        "SELECT COUNT(*), SUM(n) FROM narrow WHERE id >= ? AND id < ?",
	opInsertPrepared: "INSERT INTO narrow (id, v, n) VALUES (?, ?, ?)",
	opInsertText:     "INSERT INTO narrow (id, v, n) VALUES (?, ?, ?)",
	opGroup:          "SELECT n % 100, COUNT(*), MAX(id) FROM wide GROUP BY n % 100",
	opSumIndex:       "SELECT SUM(n) FROM indexed",
	opGroupIndex:     "SELECT COUNT(*), MAX(d.c) FROM (SELECT n, COUNT(*) AS c FROM indexed GROUP BY n) d",
	opJoinRange:      "SELECT COUNT(*) FROM indexed a JOIN indexed b ON a.id = b.n WHERE a.id > 100000",
}

// isLong reports whether an operation reads a whole table or the like: one client at a time asks for it.
func isLong(operation string) bool { return operation == opGroup || isIndexed(operation) }

// isIndexed reports whether an operation is about the table with an index.
func isIndexed(operation string) bool {
	return operation == opSumIndex || operation == opGroupIndex || operation == opJoinRange
}

// textOf puts arguments into a statement.
func textOf(statement string, args []any) string {
	for _, a := range args {
		text := fmt.Sprint(a)
		if s, ok := a.(string); ok {
			text = "'" + s + "'"
		}
		statement = strings.Replace(statement, "?", text, 1)
	}
	return statement
}

// fresh numbers the rows that are inserted while measuring, behind all that were loaded.
var fresh atomic.Int64 // lint:global one numbering for all workers and peers of the process

// worker is one connection that runs one operation again and again.
type worker struct {
	client    *sqlpeer.Client
	operation string
	prepared  sqlpeer.Statement
	text      bool
	random    *rand.Rand
	rows      int64
	want      int // rows of an answer; -1 is any
	args      []any
	value     string
}

func newWorker(p *peer, operation string, seed int, c *config) (*worker, error) {
	connection, err := p.Dial(database)
	if err != nil {
		return nil, err
	}
	w := &worker{client: connection, operation: operation, random: rand.New(rand.NewPCG(1, uint64(seed))), rows: c.Rows,
		value: valueOf(int64(seed))}
	w.text = strings.HasSuffix(operation, "-text") || isLong(operation)
	if w.text {
		return w, nil
	}
	if w.prepared, err = connection.Prepare(statements[operation]); err != nil {
		return nil, errors.Join(err, connection.Close())
	}
	return w, nil
}

// Do implements load.Worker.
func (w *worker) Do() error {
	w.arguments()
	var rows int
	var err error
	if w.text {
		rows, err = w.client.Query(textOf(statements[w.operation], w.args))
	} else {
		rows, err = w.client.Execute(w.prepared, w.args...)
	}
	if err == nil && w.want >= 0 && rows != w.want {
		err = fmt.Errorf("%d rows, want %d", rows, w.want)
	}
	return err
}

// arguments makes the next operation's.
func (w *worker) arguments() {
	w.args = w.args[:0]
	switch w.operation {
	case opReadPrepared, opReadText:
		w.args, w.want = append(w.args, w.random.Int64N(w.rows)), 1
	case opRangePrepared, opRangeText, opSumText:
		first := w.random.Int64N(w.rows - rangeRows)
		w.args, w.want = append(w.args, first, first+rangeRows), rangeRows
		if w.operation == opSumText {
			w.want = 1
		}
	case opInsertPrepared, opInsertText:
		id := 1<<40 + fresh.Add(1)
		w.args, w.want = append(w.args, id, w.value, id%1000), 0
	default:
		w.want = -1
	}
}

// Close implements load.Worker.
func (w *worker) Close() error { return w.client.Close() }

// valueOf is the text of a row.
func valueOf(id int64) string {
	return fmt.Sprintf("%0*d", valueBytes, id)
}

// fill loads rows 0 to count into a table of id, v and n.
func fill(c *sqlpeer.Client, table string, count int64) error {
	var text strings.Builder
	for id := int64(0); id < count; {
		text.Reset()
		fmt.Fprintf(&text, "INSERT INTO %s (id, v, n) VALUES ", table)
		for i := 0; i < batchRows && id < count; i++ {
			if i > 0 {
				text.WriteByte(',')
			}
			fmt.Fprintf(&text, "(%d,'%s',%d)", id, valueOf(id), id*7919%100_003)
			id++
		}
		if _, err := c.Query(text.String()); err != nil {
			return fmt.Errorf("loading %s: %w", table, err)
		}
	}
	return nil
}
