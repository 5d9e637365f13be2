// SPDX-License-Identifier: Apache-2.0

package judges

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/testing/rounds"
)

// alters makes random statements that change a table's definition, and statements that write to it between them.
type alters struct {
	changes
	columns []string // that there may be
	mysql   bool
}

func (g *alters) columnType() string {
	return g.pick("INT", "BIGINT", "TINYINT", "VARCHAR(5)", "VARCHAR(40)", "DECIMAL(6,2)", "DATE", "INT UNSIGNED",
		"SMALLINT")
}

// options are what may follow a type.
func (g *alters) options() string {
	return g.pick("", "", "", " NULL", " NOT NULL", " DEFAULT NULL", " DEFAULT '7'", " NOT NULL DEFAULT '3'",
		" COMMENT 'c'")
}

func (g *alters) place() string {
	return g.pick("", "", "", " FIRST", " AFTER id", " AFTER "+g.column())
}

func (g *alters) column() string { return g.pick(g.columns...) }

func (g *alters) action() string {
	kinds := 19
	if g.mysql { // 8.0.12 heeds no CHECK
		kinds = 17
	}
	switch g.n(kinds) {
	case 0, 1, 2:
		added := fmt.Sprintf("ADD COLUMN %s %s%s%s", g.column(), g.columnType(), g.options(), g.place())
		return strings.Replace(added, " DATE NOT NULL", " DATE", 1) // Weft has no zero date for the rows that are there
	case 3:
		return "DROP COLUMN " + g.column()
	case 4, 5:
		return fmt.Sprintf("MODIFY COLUMN %s %s%s%s", g.column(), g.columnType(), g.options(), g.place())
	case 6:
		column := g.column()
		return fmt.Sprintf("CHANGE COLUMN %s %s %s%s", column, column, g.columnType(), g.options())
	case 7:
		return g.pick("ADD INDEX", "ADD UNIQUE INDEX", "ADD INDEX") + fmt.Sprintf(" i%d (%s)", g.n(3), g.column())
	case 8:
		return fmt.Sprintf("ADD INDEX i%d (%s, %s)", g.n(3), g.column(), g.column())
	case 9, 10:
		return fmt.Sprintf("DROP INDEX i%d", g.n(3))
	case 11:
		return fmt.Sprintf("ALTER COLUMN %s %s", g.column(), g.pick(g.dropDefault(), "SET DEFAULT '5'"))
	case 12:
		return fmt.Sprintf("RENAME COLUMN %s TO %s", g.column(), g.column())
	case 13:
		return fmt.Sprintf("CHANGE COLUMN %s %s %s%s%s", g.column(), g.column(), g.columnType(), g.options(), g.place())
	case 14:
		return fmt.Sprintf("RENAME INDEX i%d TO i%d", g.n(3), g.n(3))
	case 15:
		return g.pick("DROP PRIMARY KEY", "ADD PRIMARY KEY (id)", "DROP PRIMARY KEY, "+g.key(), g.key())
	case 16:
		return g.pick("MODIFY COLUMN id VARCHAR(12)", "MODIFY COLUMN id INT", "MODIFY id BIGINT NOT NULL")
	case 17:
		return fmt.Sprintf("ADD CONSTRAINT k%d CHECK (LENGTH(%s) <> 4)", g.n(2), g.column())
	}
	return fmt.Sprintf("DROP CONSTRAINT k%d", g.n(2))
}

// key adds a primary key.
func (g *alters) key() string {
	return g.pick("ADD PRIMARY KEY (id)", fmt.Sprintf("ADD PRIMARY KEY (%s)", g.column()),
		fmt.Sprintf("ADD PRIMARY KEY (id, %s)", g.column()), fmt.Sprintf("ADD PRIMARY KEY (%s, id)", g.column()))
}

// dropDefault takes a default away. In MySQL a column then has none, even one that may be NULL; Weft's manual says that
// it is NULL, as in MariaDB.
func (g *alters) dropDefault() string {
	if g.mysql {
		return "SET DEFAULT '6'"
	}
	return "DROP DEFAULT"
}

func (g *alters) statement() string {
	switch g.n(5) {
	case 0, 1:
		return "ALTER TABLE t " + g.action()
	case 2:
		return fmt.Sprintf("INSERT INTO t (id, %s) VALUES (%d, '%d')", g.column(), g.n(30), g.n(12))
	case 3:
		return fmt.Sprintf("UPDATE t SET %s = %s WHERE id < %d", g.column(), g.pick("'1'", "NULL", "id", "'9'"),
			g.n(30))
	}
	return g.pick("ALTER TABLE t "+g.two(), fmt.Sprintf("DELETE FROM t WHERE id = %d", g.n(30)),
		fmt.Sprintf("INSERT INTO t (id) VALUES (%d)", g.n(30)))
}

// two are two actions about different columns. MySQL does those about one column in an order of its own. If rows stand
// in the way of a unique index or a check, it restores what the other action dropped or redefined; Weft's manual says
// that it doesn't.
func (g *alters) two() string {
	for {
		one, other := g.action(), g.action()
		apart := !refusedByRows(one) && !refusedByRows(other) ||
			strings.HasPrefix(one, "ADD ") && strings.HasPrefix(other, "ADD ")
		if strings.Contains(one+other, "RENAME INDEX") {
			// Weft renames first, by the names of that moment; MySQL by the names from before, when others have gone
			continue
		}
		for _, column := range append([]string{"PRIMARY", "id"}, g.columns...) {
			apart = apart && !(names(one, column) && names(other, column))
		}
		if apart {
			return one + ", " + other
		}
	}
}

// refusedByRows reports whether rows may refuse an action after others are done.
func refusedByRows(action string) bool {
	return strings.Contains(action, "UNIQUE") || strings.Contains(action, "CHECK") ||
		strings.HasPrefix(action, "MODIFY") || strings.HasPrefix(action, "CHANGE")
}

// names reports whether an action names a column.
func names(action, column string) bool {
	return slices.Contains(strings.FieldsFunc(action,
		func(r rune) bool { return r == ' ' || r == '(' || r == ')' || r == ',' }), column)
}

// aspects are what both servers must say of the table.
func aspects() []string {
	return []string{
		"SELECT * FROM t ORDER BY id",
		"SELECT column_name, ordinal_position, is_nullable, data_type, column_comment FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 't'",
		"SELECT index_name, non_unique, seq_in_index, column_name FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = 't'",
		"SELECT constraint_name, constraint_type FROM information_schema.table_constraints WHERE table_schema = DATABASE() AND table_name = 't'",
	}
}

// unsupported are the errors by which Weft says that it does not do what MySQL does: the statement is skipped.
var unsupported = map[uint16]bool{1235: true, 8008: true, 3959: true}

// TestAlters lets Weft and another server run the same random changes of a table's definition, and writes between them.
// Those that Weft says it doesn't support are left out.
func TestAlters(t *testing.T) {
	seed := rounds.Seed(t)
	total := uint64(rounds.Of(t, 700))
	besideServers(t, func(t *testing.T, s *server) {
		g := &alters{changes{r: rand.New(rand.NewPCG(seed, 10))}, []string{"a", "b", "c", "d", "e"}, s.brand == mySQL}
		b := beside{t: t, seed: seed, weft: openOwn(t), server: s, queries: aspects(), lasts: 30, r: g.r,
			skips: unsupported,
			begin: func() []string {
				return []string{"DROP TABLE IF EXISTS t",
					"CREATE TABLE t (id INT NOT NULL, a INT, b VARCHAR(10), c DECIMAL(5,1), PRIMARY KEY (id), KEY i0 (a))",
					"INSERT INTO t VALUES (1, 1, '1', 1.5), (2, NULL, '2', NULL), (3, 3, NULL, 3)"}
			},
			pardons: func(statement string, mine, right written) bool {
				// MySQL rounds a text such as '1.5' that becomes an integer, and refuses one such as '0' that becomes a
				// date.
				return s.brand == mariaDB &&
					(mine.code == 0 && right.code == 1292 || mine.code == 1292 && right.code == 0) &&
					strings.HasPrefix(statement, "ALTER TABLE")
			},
			same: func(_ string, mine, right written) bool { return (mine.code == 0) == (right.code == 0) }}
		b.run(total, g.statement)
		t.Logf("seed %d: %d statements, %d of them not supported", seed, total, b.skipped)
	})
}
