// SPDX-License-Identifier: Apache-2.0

package execute_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// endlessSink counts rows, looks at the memory in use from time to time, and ends the statement's context after some.
type endlessSink struct {
	rows     int
	endAfter int // 0: never
	end      context.CancelFunc
	heapMax  uint64
}

// Columns is result.Sink's.
func (s *endlessSink) Columns([]result.Column) error { return nil }

// Row is result.Sink's.
func (s *endlessSink) Row([]datum.Datum) error {
	if s.rows++; s.rows == s.endAfter {
		s.end()
	}
	if s.rows%20_000 == 0 {
		s.heapMax = max(s.heapMax, heapInUse())
	}
	return nil
}

// Done is result.Sink's.
func (s *endlessSink) Done(result.Done) error { return nil }

// heapInUse is what is still reachable.
func heapInUse() uint64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

const streamedRows = 60_000

// heapMore is how much more may be in use while a statement runs: less than the table, and more than what the engine
// may do meanwhile.
const heapMore = 20 << 20

// filledEngine is an engine with a table t of about 30 MB. Its files are on disk, and compacted: what a compaction
// takes beside a statement would count as the statement's.
func filledEngine(t *testing.T) *engine {
	e := newEngine(t, testdb.OpenPebbleDir(t, t.TempDir()))
	e.must("CREATE TABLE t (k BIGINT NOT NULL, v VARCHAR, n INT, PRIMARY KEY(k)); CREATE INDEX i ON t(n)")
	if err := e.db.WaitJobs(ctx); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	pad := make([]byte, 250) // what can't be compressed
	for at := 0; at < streamedRows; at += 1000 {
		text := []byte("INSERT INTO t(k, v, n) VALUES ")
		for i := at; i < at+1000; i++ {
			for j := range pad {
				pad[j] = byte(random.Uint32())
			}
			text = fmt.Appendf(text, "(%d, '%d %x', %d),", i, i*7919%streamedRows, pad, i%1000)
		}
		e.must(string(text[:len(text)-1]))
	}
	table, err := e.db.Table("t")
	if err == nil {
		err = table.Compact(ctx)
	}
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestMemoryIsBounded says that memory does not grow with what a statement reads and returns: walks, walks that read
// back, sorts and groups that go to files.
func TestMemoryIsBounded(t *testing.T) {
	rounds.SkipRace(t)
	e := filledEngine(t)
	e.must("SET sort_buffer_size = 1048576, group_buffer_size = 1048576")
	// it fills the engine's cache, which has a bound of its own
	if err := e.session.Query(ctx, []byte("SELECT * FROM t"), &endlessSink{}); err != nil {
		t.Fatal(err)
	}
	for _, one := range []struct {
		text string
		rows int
	}{
		{"SELECT * FROM t", streamedRows},
		{"SELECT * FROM t ORDER BY k DESC", streamedRows},
		{"SELECT * FROM t WHERE n >= 0", streamedRows},
		{"SELECT /*+ _l_force_index_('i') */ * FROM t WHERE n >= 500", streamedRows / 2},
		{"SELECT * FROM t ORDER BY v DESC", streamedRows},
		{"SELECT v, COUNT(*), MAX(n) FROM t GROUP BY v", streamedRows},
		{"SELECT DISTINCT k FROM t", streamedRows},
	} {
		before := heapInUse()
		sink := &endlessSink{}
		if err := e.session.Query(ctx, []byte(one.text), sink); err != nil || sink.rows != one.rows {
			t.Errorf("%s: %d rows, %v", one.text, sink.rows, err)
		}
		after := heapInUse() // what stays in use is the engine's, which may have begun a memtable meanwhile
		if sink.heapMax > max(before, after)+heapMore {
			t.Errorf("%s: %d MiB in use, %d MiB before and %d after", one.text, sink.heapMax>>20, before>>20, after>>20)
		}
	}
}

// TestStatementsEnd says that a statement whose context ends, ends soon: whatever it is doing.
func TestStatementsEnd(t *testing.T) {
	rounds.SkipRace(t)
	e := filledEngine(t)
	e.must("SET sort_buffer_size = 1048576, group_buffer_size = 1048576")
	for _, text := range []string{
		"SELECT * FROM t", "SELECT * FROM t ORDER BY v", "SELECT v, COUNT(*) FROM t GROUP BY v",
		"SELECT k, COUNT(*) FROM t GROUP BY k",
		"SELECT k, COUNT(*) FROM t GROUP BY k ORDER BY k DESC",
	} {
		ending, end := context.WithCancel(ctx)
		sink := &endlessSink{endAfter: 10, end: end}
		err := e.session.Query(ending, []byte(text), sink)
		if !errors.Is(err, context.Canceled) && (err == nil || !strings.Contains(err.Error(), "interrupted")) ||
			sink.rows > 2000 {
			t.Errorf("%s: %d rows, %v", text, sink.rows, err)
		}
		end()
	}
	ended, end := context.WithCancel(ctx)
	end()
	for _, text := range []string{
		"SELECT COUNT(*) FROM t", "SELECT SUM(n) FROM t", "SELECT * FROM t WHERE v LIKE '%none%' ALLOW FILTERING",
		"SELECT MAX(v) FROM t", "SELECT * FROM t ORDER BY v",
	} {
		if err := e.session.Query(ended, []byte(text), &endlessSink{}); err == nil {
			t.Errorf("%s ended well", text)
		}
	}
	for _, text := range []string{"SELECT * FROM t WHERE v LIKE '%none%'",
		"SELECT COUNT(*) FROM t WHERE v LIKE '%no%no%'", "SELECT * FROM t ORDER BY v",
		"SELECT v, COUNT(*) FROM t GROUP BY v"} {
		text = strings.Replace(text, "SELECT", "SELECT /*+ _l_allow_filtering_, _l_operation_timeout_(1) */", 1)
		if _, err := e.run(text); err == nil || !strings.Contains(err.Error(), "_l_operation_timeout_(milliseconds)") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
