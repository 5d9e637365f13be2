// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/sql"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// TestRowRights runs random statements as a user who may read and write the rows of one leading key: those that are let
// through show and change no others.
func TestRowRights(t *testing.T) {
	seed := rounds.Seed(t)
	r := &randomRows{rand.New(rand.NewPCG(seed, 0))}
	allowed, denied := map[string]int{}, 0
	for _, key := range []string{"VARCHAR(9)", "CHAR(5)", "INT", "DECIMAL(9,0)"} {
		g := newGuarded(t, testdb.Open(t), false, false)
		g.give(t, "ann", `{"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "dynamodb:PartiQL*", "Resource": "*",
			"Condition": {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["ann", "7"]}}}}`)
		root, ann := g.session(superuser), g.session("ann")
		own, values := "'ann'", []string{"'ann'", "'bob'", "'ann '", "'ANN'", "NULL", "0", "7"}
		if key == "INT" || strings.HasPrefix(key, "DECIMAL") {
			own, values = "7", []string{"7", "8", "'7'", "7.0", "7e0", "NULL", "TRUE"}
		}
		if key != "INT" { // and one that is told to be lax
			must(t, ann, "SET sql_mode = ''")
		}
		must(t, root, "CREATE TABLE t (k "+key+", n INT, v INT, u INT, PRIMARY KEY(k, n))",
			"CREATE UNIQUE INDEX u ON t(u)")
		others := "SELECT k, n, v, u FROM t WHERE k <> " + own + " ORDER BY k, n"
		for round := range 500 {
			if round%20 == 0 {
				must(t, root, "DELETE FROM t WHERE k IS NOT NULL",
					"INSERT INTO t VALUES "+
						fmt.Sprintf("(%[1]s, 1, 1, 1), (%[1]s, 2, 2, 2), (%[2]s, 1, 3, 3), (%[2]s, 2, 4, 4)", own,
							values[1]))
			}
			before := must(t, root, others)
			kind, statement := r.statement(values)
			out := &printer{}
			err := ann.Query(t.Context(), []byte(statement), out)
			if after := must(t, root, others); after != before {
				t.Fatalf("%s\n%s changed rows of others:\n%s%s", key, statement, before, after)
			}
			if f, ok := fault.Of(err); ok && f.Code == fault.TableDenied {
				denied++
				continue
			}
			if err == nil {
				allowed[kind]++
			}
			if kind == "SELECT" && err == nil && out.String() != visible(t, root, statement, own) {
				t.Fatalf("%s\n%s shows rows of others:\n%s", key, statement, out)
			}
		}
	}
	if denied < 200 || allowed["SELECT"] < 50 || allowed["UPDATE"] < 5 || allowed["DELETE"] < 5 ||
		allowed["INSERT"] < 5 {
		t.Errorf("the statements prove little: %d were denied, allowed were %v", denied, allowed)
	}
}

// visible is the answer of a statement that reads only the user's own rows, whatever its condition is.
func visible(t *testing.T, root *sql.Session, statement, own string) string {
	return must(t, root, strings.Replace(statement, " WHERE ", " WHERE k = "+own+" AND ", 1))
}

// randomRows makes statements.
type randomRows struct{ *rand.Rand }

func (r *randomRows) pick(list ...string) string { return list[r.IntN(len(list))] }

// condition is a condition, in which the key may be bound or not.
func (r *randomRows) condition(values []string, depth int) string {
	value := func() string { return r.pick(values...) }
	if depth > 0 && r.IntN(2) == 0 {
		return "(" + r.condition(values, depth-1) + r.pick(" AND ", " AND ", " OR ", " XOR ") +
			r.condition(values, depth-1) + ")"
	}
	switch r.IntN(12) {
	case 0, 1, 2:
		return "k = " + value()
	case 3:
		return value() + " = k"
	case 4:
		return "k IN (" + value() + ", " + value() + ")"
	case 5:
		return "k IN (" + value() + ")"
	case 6:
		return "NOT k = " + value()
	case 7:
		return "k " + r.pick(">=", "<=", "<>", "<=>", "NOT IN", "LIKE") + " (" + value() + ")"
	case 8:
		return "(k, n) = (" + value() + ", 1)"
	case 9:
		return "k = k"
	case 10:
		return "n = " + r.pick("1", "2")
	}
	return "v > " + r.pick("0", "2")
}

func (r *randomRows) statement(values []string) (kind, text string) {
	values = append([]string{values[0], values[0], values[0], values[0]}, values...)
	where := " WHERE (" + r.condition(values, 2) + ")"
	if r.IntN(2) == 0 {
		where = " WHERE k = " + r.pick(values...) + " AND (" + r.condition(values, 1) + ")"
	}
	row := fmt.Sprintf("(%s, %d, %d, %d)", r.pick(values...), 1+r.IntN(3), r.IntN(9), 1+r.IntN(9))
	switch r.IntN(8) {
	case 0:
		return "UPDATE", "UPDATE t SET " +
			r.pick("v = v + 1", "v = 9", "k = "+r.pick(values...), "n = n + 1", "u = u + 10") + where
	case 1:
		return "DELETE", "DELETE FROM t" + where
	case 2:
		return "INSERT", "INSERT " + r.pick("", "IGNORE ") + "INTO t VALUES " + row
	case 3:
		return "INSERT", r.pick("REPLACE", "UPSERT") + " INTO t VALUES " + row
	case 4:
		return "INSERT", "INSERT INTO t VALUES " + row + " ON DUPLICATE KEY UPDATE " +
			r.pick("v = 9", "u = u + 10", "k = VALUES(k)", "k = "+r.pick(values...))
	}
	return "SELECT", "SELECT k, n, v FROM t" + where + " ORDER BY k, n" + r.pick("", " LIMIT 1", " FOR UPDATE")
}
