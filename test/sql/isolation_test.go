// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// anomaly is a schedule of two transactions, and how to tell that it went wrong. Each line is a session's statement, in
// a transaction of the level; one of `a~` may wait for the other session, which goes on meanwhile.
type anomaly struct {
	name, schedule string
	// happened judges what the statements answered, and the table in the end.
	happened func(answers []string, final string) bool
	// allowed are the levels at which it happens.
	allowed []string
}

const (
	uncommitted  = "READ UNCOMMITTED"
	committed    = "READ COMMITTED"
	repeatable   = "REPEATABLE READ"
	aborting     = "REPEATABLE READ, weft_conflicts = 'abort'"
	serializable = "SERIALIZABLE"
)

var (
	levels = []string{uncommitted, committed, repeatable, aborting, serializable} // immutable
	// immutable: those with a snapshot for each statement
	weaker = []string{uncommitted, committed}
)

func differ(answers []string, at, other int) bool { return answers[at] != answers[other] }

// bothCommit says that no statement failed.
func bothCommit(answers []string, _ string) bool {
	return !slices.ContainsFunc(answers, func(a string) bool { return strings.HasPrefix(a, "ERROR") })
}

// anomalies begin with the rows (1, 10) and (2, 20). // immutable
var anomalies = []anomaly{
	{"dirty write", `
		a: UPDATE iso SET n = 1 WHERE id = 1
		b~ UPDATE iso SET n = 2 WHERE id = 1
		a: UPDATE iso SET n = 1 WHERE id = 2
		a: COMMIT
		b: UPDATE iso SET n = 2 WHERE id = 2
		b: COMMIT`,
		func(_ []string, final string) bool { return final != "1 1 2 1 " && final != "1 2 2 2 " }, nil},
	{"dirty read", `
		a: UPDATE iso SET n = 11 WHERE id = 1
		b: SELECT n FROM iso WHERE id = 1
		a: ROLLBACK
		b: COMMIT`,
		func(answers []string, _ string) bool { return answers[1] != "10 " }, nil},
	{"intermediate read", `
		a: UPDATE iso SET n = 11 WHERE id = 1
		b: SELECT n FROM iso WHERE id = 1
		a: UPDATE iso SET n = 12 WHERE id = 1
		a: COMMIT
		b: COMMIT`,
		func(answers []string, _ string) bool { return answers[1] == "11 " }, nil},
	{"circular information flow", `
		a: UPDATE iso SET n = 11 WHERE id = 1
		b: UPDATE iso SET n = 22 WHERE id = 2
		a: SELECT n FROM iso WHERE id = 2
		b: SELECT n FROM iso WHERE id = 1
		a: COMMIT
		b: COMMIT`,
		func(answers []string, _ string) bool { return answers[2] == "22 " && answers[3] == "11 " }, nil},
	{"non-repeatable read", `
		b: SELECT n FROM iso WHERE id = 1
		a: UPDATE iso SET n = 11 WHERE id = 1
		a: COMMIT
		b: SELECT n FROM iso WHERE id = 1
		b: COMMIT`,
		func(answers []string, _ string) bool { return differ(answers, 0, 3) }, weaker},
	{"phantom", `
		b: SELECT count(*) FROM iso WHERE n > 15
		a: INSERT INTO iso VALUES (3, 30)
		a: COMMIT
		b: SELECT count(*) FROM iso WHERE n > 15
		b: COMMIT`,
		func(answers []string, _ string) bool { return differ(answers, 0, 3) }, weaker},
	{"read skew", `
		b: SELECT n FROM iso WHERE id = 1
		a: UPDATE iso SET n = 11 WHERE id = 1
		a: UPDATE iso SET n = 19 WHERE id = 2
		a: COMMIT
		b: SELECT n FROM iso WHERE id = 2
		b: COMMIT`,
		func(answers []string, _ string) bool { return answers[4] == "19 " }, weaker},
	{"lost update of a value that the client computed", `
		a: SELECT n FROM iso WHERE id = 1
		b: SELECT n FROM iso WHERE id = 1
		a: UPDATE iso SET n = 11 WHERE id = 1
		b~ UPDATE iso SET n = 11 WHERE id = 1
		a: COMMIT
		b: COMMIT`,
		bothCommit, []string{uncommitted, committed, repeatable}},
	{"lost update of a value that was read FOR UPDATE", `
		a: SELECT n FROM iso WHERE id = 1 FOR UPDATE
		b~ SELECT n FROM iso WHERE id = 1 FOR UPDATE
		a: UPDATE iso SET n = 11 WHERE id = 1
		a: COMMIT
		b: UPDATE iso SET n = 12 WHERE id = 1
		b: COMMIT`,
		func(answers []string, final string) bool { return answers[1] == "10 " && bothCommit(answers, final) }, nil},
	{"lost update of an expression", `
		a: SELECT n FROM iso WHERE id = 1
		b: SELECT n FROM iso WHERE id = 1
		a: UPDATE iso SET n = n + 1 WHERE id = 1
		b~ UPDATE iso SET n = n + 1 WHERE id = 1
		a: COMMIT
		b: COMMIT`,
		func(answers []string, final string) bool { return bothCommit(answers, final) && final != "1 12 2 20 " }, nil},
	{"write skew", `
		a: SELECT sum(n) FROM iso WHERE id < 3
		b: SELECT sum(n) FROM iso WHERE id < 3
		a: UPDATE iso SET n = 0 WHERE id = 1
		b: UPDATE iso SET n = 0 WHERE id = 2
		a: COMMIT
		b: COMMIT`,
		bothCommit, []string{uncommitted, committed, repeatable, aborting}},
	{"write skew between single keys", `
		a: SELECT n FROM iso WHERE id = 2
		b: SELECT n FROM iso WHERE id = 1
		a: UPDATE iso SET n = 0 WHERE id = 1
		b: UPDATE iso SET n = 0 WHERE id = 2
		a: COMMIT
		b: COMMIT`,
		bothCommit, []string{uncommitted, committed, repeatable, aborting}},
	{"write skew of rows that were read FOR UPDATE", `
		a: SELECT sum(n) FROM iso WHERE id < 3 FOR UPDATE
		b~ SELECT sum(n) FROM iso WHERE id < 3 FOR UPDATE
		a: UPDATE iso SET n = 0 WHERE id = 1
		a: COMMIT
		b: UPDATE iso SET n = 0 WHERE id = 2
		b: COMMIT`,
		func(answers []string, final string) bool { return answers[1] == "30 " && bothCommit(answers, final) }, nil},
	{"write skew of rows that were read FOR SHARE", `
		a: SELECT sum(n) FROM iso WHERE id < 3 FOR SHARE
		b: SELECT sum(n) FROM iso WHERE id < 3 FOR SHARE
		a~ UPDATE iso SET n = 0 WHERE id = 1
		b~ UPDATE iso SET n = 0 WHERE id = 2
		a: COMMIT
		b: COMMIT`,
		bothCommit, nil},
	{"lost update of a value that was read FOR SHARE", `
		a: SELECT n FROM iso WHERE id = 1 LOCK IN SHARE MODE
		b: SELECT n FROM iso WHERE id = 1 FOR SHARE
		a~ UPDATE iso SET n = 11 WHERE id = 1
		b~ UPDATE iso SET n = 12 WHERE id = 1
		a: COMMIT
		b: COMMIT`,
		bothCommit, nil},
	{"write skew by rows that were not there", `
		a: SELECT count(*) FROM iso WHERE n > 15
		b: SELECT count(*) FROM iso WHERE n > 15
		a: INSERT INTO iso VALUES (3, 30)
		b: INSERT INTO iso VALUES (4, 40)
		a: COMMIT
		b: COMMIT`,
		bothCommit, []string{uncommitted, committed, repeatable, aborting}},
	{"phantom in a range that was read FOR UPDATE", `
		b: SELECT count(*) FROM iso WHERE id > 0 FOR UPDATE
		a: INSERT INTO iso VALUES (3, 30)
		a: COMMIT
		b: SELECT count(*) FROM iso WHERE id > 0 FOR UPDATE
		b: COMMIT`,
		func(answers []string, _ string) bool { return differ(answers, 0, 3) },
		[]string{uncommitted, committed, repeatable}},
	{"write by what a range that was read FOR UPDATE lacked", `
		a: SELECT count(*) FROM iso WHERE id > 2 FOR UPDATE
		b: SELECT count(*) FROM iso WHERE id > 2 FOR UPDATE
		a: INSERT INTO iso VALUES (3, 30)
		b: INSERT INTO iso VALUES (4, 40)
		a: COMMIT
		b: COMMIT`,
		bothCommit, []string{uncommitted, committed, repeatable, aborting}},
}

// TestIsolation runs each anomaly at each level.
func TestIsolation(t *testing.T) {
	db := open(t, server, "default", "")
	must(t, db, "CREATE TABLE iso (id BIGINT PRIMARY KEY, n BIGINT)")
	must(t, db, "CREATE INDEX iso_n ON iso(n)")
	for _, level := range levels {
		for _, a := range anomalies {
			t.Run(level+"/"+a.name, func(t *testing.T) {
				must(t, db, "DELETE FROM iso WHERE id > 0")
				must(t, db, "INSERT INTO iso VALUES (1, 10), (2, 20)")
				answers, final := a.run(t, level)
				if happened, allowed := a.happened(answers, final), slices.Contains(a.allowed,
					level); happened != allowed {
					t.Errorf("happened: %t, allowed: %t; answers %q, in the end %s", happened, allowed, answers, final)
				}
			})
		}
	}
}

// step is a statement of a schedule on its way.
type step struct {
	text   string
	answer chan string
}

func (a *anomaly) run(t *testing.T, level string) (answers []string, final string) {
	lanes := map[string]chan step{}
	for _, name := range []string{"a", "b"} {
		lanes[name] = lane(t, level)
		defer close(lanes[name])
	}
	var waiting []chan string
	for _, line := range strings.Split(strings.TrimSpace(a.schedule), "\n") {
		line = strings.TrimSpace(line)
		s := step{line[3:], make(chan string, 1)}
		lanes[line[:1]] <- s
		if line[1] == ':' {
			answer := <-s.answer
			s.answer <- answer
		}
		waiting = append(waiting, s.answer)
	}
	for _, w := range waiting {
		answers = append(answers, <-w)
	}
	conn := connect(t, server, "default", "")
	return answers, ask1(t, conn, "SELECT id, n FROM iso")
}

// lane runs a session's statements one after the other.
func lane(t *testing.T, level string) chan step {
	conn := connect(t, server, "default", "")
	isolation, conflicts, _ := strings.Cut(level, ", ")
	if conflicts != "" {
		ask1(t, conn, "SET "+conflicts)
	}
	ask1(t, conn, "SET SESSION TRANSACTION ISOLATION LEVEL "+isolation)
	ask1(t, conn, "BEGIN")
	steps := make(chan step, 8)
	go func() {
		for s := range steps {
			s.answer <- ask1(t, conn, s.text)
		}
	}()
	return steps
}

// ask1 runs a statement and returns all values of its answer, or its error.
func ask1(t *testing.T, conn *sql.Conn, text string) string {
	rows, err := conn.QueryContext(t.Context(), text)
	if err != nil {
		return "ERROR " + err.Error()
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return "ERROR " + err.Error()
	}
	values, places := make([]sql.NullString, len(columns)), make([]any, len(columns))
	for i := range values {
		places[i] = &values[i]
	}
	var out strings.Builder
	for rows.Next() {
		if err := rows.Scan(places...); err != nil {
			return "ERROR " + err.Error()
		}
		for _, v := range values {
			fmt.Fprint(&out, v.String, " ")
		}
	}
	if err := rows.Err(); err != nil {
		return "ERROR " + err.Error()
	}
	return out.String()
}

// TestSerializableStatements: at SERIALIZABLE single statements are judged, too, and the level is that of one
// transaction where only the next one was asked for.
func TestSerializableStatements(t *testing.T) {
	db := open(t, server, "default", "")
	must(t, db, "CREATE TABLE iso2 (id BIGINT PRIMARY KEY, n BIGINT)")
	must(t, db, "INSERT INTO iso2 VALUES (1, 10), (2, 20)")
	a, b := connect(t, server, "default", ""), connect(t, server, "default", "")
	for _, text := range []string{"SET TRANSACTION ISOLATION LEVEL SERIALIZABLE", "BEGIN",
		"SELECT n FROM iso2 WHERE id = 1", "UPDATE iso2 SET n = 21 WHERE id = 2"} {
		if got := ask1(t, a, text); strings.HasPrefix(got, "ERROR") {
			t.Fatalf("%s: %s", text, got)
		}
	}
	ask1(t, b, "SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE")
	if got := ask1(t, b, "UPDATE iso2 SET n = n + 1 WHERE id < 2"); got != "" {
		t.Error(got)
	}
	if got := ask1(t, a, "COMMIT"); !strings.Contains(got, "1213") {
		t.Errorf("COMMIT: %q, want 1213", got)
	}
	for _, text := range []string{"BEGIN", "SELECT n FROM iso2 WHERE id = 1"} {
		ask1(t, a, text)
	}
	ask1(t, b, "UPDATE iso2 SET n = n + 1 WHERE id = 1")
	for _, text := range []string{"UPDATE iso2 SET n = 22 WHERE id = 2", "COMMIT"} {
		if got := ask1(t, a, text); got != "" {
			t.Errorf("%s: %s", text, got)
		}
	}
	if got := ask1(t, a, "SELECT id, n FROM iso2"); got != "1 12 2 22 " {
		t.Errorf("in the end %s", got)
	}
}

// TestSharedRows: transactions that read rows FOR SHARE, or insert rows that refer to the same row, don't wait for one
// another; who writes that row waits for all of them, and no row is left whose foreign key names none.
func TestSharedRows(t *testing.T) {
	db := open(t, server, "default", "")
	must(t, db, "CREATE TABLE parents (id INT PRIMARY KEY, n INT)")
	must(t, db, "CREATE TABLE children (id INT PRIMARY KEY, parent INT, FOREIGN KEY (parent) REFERENCES parents (id))")
	must(t, db, "INSERT INTO parents VALUES (1, 0), (2, 0), (3, 0)")
	sessions := map[string]*sql.Conn{}
	for _, name := range []string{"a", "b", "c", "d"} {
		sessions[name] = connect(t, server, "default", "")
		ask1(t, sessions[name], "SET innodb_lock_wait_timeout = 1")
	}
	ask1(t, sessions["d"], "SET weft_conflicts = 'abort'")
	for _, s := range []struct{ who, text, answer string }{
		{"a", "BEGIN", ""},
		{"b", "BEGIN", ""},
		{"d", "BEGIN", ""},
		{"d", "DELETE FROM parents WHERE id = 1", ""},
		{"a", "INSERT INTO children VALUES (1, 1)", ""},
		{"b", "INSERT INTO children VALUES (2, 1)", ""},
		{"c", "DELETE FROM parents WHERE id = 1", "1205"},
		{"a", "COMMIT", ""},
		{"b", "COMMIT", ""},
		{"c", "DELETE FROM parents WHERE id = 1", "1451"},
		{"d", "COMMIT", "1213"},
		{"a", "BEGIN", ""},
		{"b", "BEGIN", ""},
		{"a", "INSERT INTO children VALUES (3, 2)", ""},
		{"b", "INSERT INTO children VALUES (4, 2)", ""},
		{"a", "COMMIT", ""},
		{"b", "COMMIT", ""},
		{"a", "BEGIN", ""},
		{"b", "BEGIN", ""},
		{"b", "SELECT count(*) FROM children", "4 "},
		{"a", "DELETE FROM parents WHERE id = 3", ""},
		{"b", "INSERT INTO children VALUES (5, 3)", "1205"},
		{"a", "COMMIT", ""},
		{"b", "INSERT INTO children VALUES (5, 3)", "1452"},
		{"b", "COMMIT", ""},
		{"a", "BEGIN", ""},
		{"b", "BEGIN", ""},
		{"a", "SELECT n FROM parents WHERE id = 2 FOR SHARE", "0 "},
		{"b", "SELECT p.n FROM parents p JOIN children c ON c.parent = p.id WHERE c.id = 3 FOR SHARE", "0 "},
		{"c", "BEGIN", ""},
		{"c", "SELECT n FROM parents WHERE id = 2 FOR SHARE SKIP LOCKED", "0 "},
		{"c", "COMMIT", ""},
		{"c", "BEGIN", ""},
		{"c", "SELECT n FROM parents WHERE id = 2 FOR UPDATE NOWAIT", "3572"},
		{"c", "SELECT p.n FROM parents p JOIN children c ON c.parent = p.id WHERE c.id = 3 FOR UPDATE NOWAIT", "3572"},
		{"c", "SELECT p.n FROM parents p JOIN children c ON c.parent = p.id WHERE c.id = 3 FOR UPDATE SKIP LOCKED", ""},
		{"c", "UPDATE parents SET n = 1 WHERE id = 2", "1205"},
		{"b", "COMMIT", ""},
		{"a", "UPDATE parents SET n = 2 WHERE id = 2", ""},
		{"c", "SELECT n FROM parents WHERE id = 2 FOR SHARE NOWAIT", "3572"},
		{"a", "COMMIT", ""},
		{"c", "COMMIT", ""},
		{"c", "SELECT n FROM parents WHERE id = 2", "2 "},
		{"c", "SELECT c.id FROM children c LEFT JOIN parents p ON p.id = c.parent WHERE p.id IS NULL", ""},
	} {
		got := ask1(t, sessions[s.who], s.text)
		if got != s.answer && (len(s.answer) != 4 || !strings.HasPrefix(got, "ERROR Error "+s.answer)) {
			t.Errorf("%s: %s: %q, not %q", s.who, s.text, got, s.answer)
		}
	}
}
