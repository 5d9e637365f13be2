// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"testing"

	"github.com/weftdb/weft/internal/sql"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// doneSink keeps what a client is told at the end of a statement.
type doneSink struct {
	nowhere
	done result.Done
}

// Done is result.Sink's.
func (s *doneSink) Done(d result.Done) error {
	s.done = d
	return nil
}

// TestInsertIDs says which number a client is told of each statement: MariaDB 10.11's answers.
func TestInsertIDs(t *testing.T) {
	s, err := sql.New(sql.Options{DB: testdb.Open(t)}).Open(t.Context(), result.Login{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	for _, one := range []struct {
		text string
		id   uint64
	}{
		{"CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, u INT UNIQUE, v INT)", 0},
		{"INSERT INTO t (u, v) VALUES (1, 1)", 1},
		{"INSERT INTO t (u, v) VALUES (2, 1), (3, 1)", 2},
		{"INSERT INTO t (u, v) VALUES (2, 9) ON DUPLICATE KEY UPDATE v = v + 1", 2},
		{"INSERT INTO t (u, v) VALUES (2, 9) ON DUPLICATE KEY UPDATE v = v", 0},
		{"INSERT INTO t (u, v) VALUES (2, 9) ON DUPLICATE KEY UPDATE v = v + 1, id = LAST_INSERT_ID(id)", 2},
		{"INSERT INTO t (u, v) VALUES (9, 9) ON DUPLICATE KEY UPDATE v = v + 1", 7},
		{"INSERT INTO t (id, u, v) VALUES (50, 50, 9)", 50},
		{"INSERT INTO t (u, v) VALUES (51, 9)", 51},
		{"REPLACE INTO t (u, v) VALUES (51, 10)", 52},
		{"INSERT IGNORE INTO t (u, v) VALUES (51, 10)", 0},
		{"UPDATE t SET v = LAST_INSERT_ID(77) WHERE u = 1", 77},
	} {
		var sink doneSink
		if err := s.Query(t.Context(), []byte(one.text), &sink); err != nil || sink.done.LastInsertID != one.id {
			t.Errorf("%s: the client is told %d, %v; want %d", one.text, sink.done.LastInsertID, err, one.id)
		}
	}
}
