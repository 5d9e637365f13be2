// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/weftdb/weft/internal/sql"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// TestForeignKeysAtOnce: whatever sessions insert and delete at once, in whatever way, no row refers to one that is not
// there.
func TestForeignKeysAtOnce(t *testing.T) {
	t.Run("names", func(t *testing.T) { foreignKeysAtOnce(t, false) })
	t.Run("renames", func(t *testing.T) { foreignKeysAtOnce(t, true) })
}

// foreignKeysAtOnce renames the tables all the time, if that is wanted.
func foreignKeysAtOnce(t *testing.T, renames bool) {
	const parents, sessions, turns = 4, 6, 60
	seed := rounds.Seed(t)
	h := newHarness(t, testdb.Open(t))
	do := func(s *sql.Session, text string) (string, error) {
		out := &printer{}
		err := s.Query(t.Context(), []byte(text), out)
		return out.String(), err
	}
	for _, text := range []string{"CREATE TABLE p (id INT PRIMARY KEY)",
		"CREATE TABLE c (id INT PRIMARY KEY, p INT, q INT, FOREIGN KEY (p) REFERENCES p (id) ON DELETE CASCADE, FOREIGN KEY (q) REFERENCES p (id))"} {
		if _, err := do(h.session("0"), text); err != nil {
			t.Fatal(err)
		}
	}
	var all sync.WaitGroup
	for i := range sessions {
		name, random := h.session(fmt.Sprint(i)), rand.New(rand.NewPCG(seed, uint64(i)))
		all.Go(func() {
			if i%2 == 1 {
				_, _ = do(name, "SET weft_conflicts = 'abort'")
			}
			for n := range turns {
				p := random.IntN(parents)
				texts := []string{[]string{
					fmt.Sprintf("INSERT IGNORE INTO p VALUES (%d)", p),
					fmt.Sprintf("DELETE FROM p WHERE id = %d", p),
					fmt.Sprintf("INSERT INTO c VALUES (%d, %d, NULL)", i*1000+n, p),
					fmt.Sprintf("INSERT INTO c VALUES (%d, NULL, %d)", i*1000+n, p),
					fmt.Sprintf("UPDATE c SET q = NULL, p = %d WHERE q = %d", p, random.IntN(parents)),
				}[random.IntN(5)]}
				if random.IntN(2) == 0 {
					texts = append(append([]string{"BEGIN"}, texts...), "COMMIT")
				}
				for _, text := range texts {
					if renames && random.IntN(2) == 0 {
						text = strings.NewReplacer("INTO p ", "INTO p2 ", "FROM p ", "FROM p2 ", "INTO c ", "INTO c2 ",
							"UPDATE c ", "UPDATE c2 ").Replace(text)
					}
					if _, err := do(name, text); err != nil {
						if f, ok := fault.Of(err); renames && ok && f.Code == fault.NoSuchTable {
							_, _ = do(name, "ROLLBACK")
							break
						} else if !ok ||
							f.Code != fault.NoParent && f.Code != fault.Referred && f.Code != fault.Deadlock &&
								f.Code != fault.LockWaitTimeout {
							t.Errorf("%s: %v", text, err)
						}
						_, _ = do(name, "ROLLBACK")
						break
					}
				}
			}
		})
	}
	ended := make(chan struct{})
	go func() { all.Wait(); close(ended) }()
	for s, done := h.session("rename"), !renames; !done; {
		for _, text := range []string{"RENAME TABLE p TO p2", "RENAME TABLE c TO c2", "RENAME TABLE p2 TO p",
			"RENAME TABLE c2 TO c"} {
			if _, err := do(s, text); err != nil {
				t.Error(err)
			}
		}
		select {
		case <-ended:
			done = true
		default:
		}
	}
	<-ended
	for _, column := range []string{"p", "q"} {
		got, err := do(h.session("0"), "SELECT c.* FROM c LEFT JOIN p ON p.id = c."+column+" WHERE c."+column+
			" IS NOT NULL AND p.id IS NULL")
		if err != nil || strings.Count(got, "\n") > 1 {
			t.Errorf("rows without their parents: %s, %v", got, err)
		}
	}
}

// TestReferrersAreRules: the descriptor of a table tells other protocols which tables refer to it.
func TestReferrersAreRules(t *testing.T) {
	db := testdb.Open(t)
	s := newHarness(t, db).session("0")
	for _, step := range []struct{ text, referrers string }{
		{"CREATE TABLE p (id INT PRIMARY KEY, up INT, FOREIGN KEY (up) REFERENCES p (id))", "[]"},
		{"CREATE TABLE c (id INT PRIMARY KEY, p INT, CONSTRAINT to_p FOREIGN KEY (p) REFERENCES p (id))",
			"[{default c}]"},
		{"ALTER TABLE p ADD COLUMN n INT", "[{default c}]"},
		{"ALTER TABLE c DROP FOREIGN KEY to_p", "[]"},
	} {
		if err := s.Query(t.Context(), []byte(step.text), &printer{}); err != nil {
			t.Fatal(err)
		}
		p, err := db.PinIn("default", "p")
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(p.Descriptor().Rules.Referrers); got != step.referrers {
			t.Errorf("%s: %s, wanted %s", step.text, got, step.referrers)
		}
		p.Release()
	}
}
