// SPDX-License-Identifier: Apache-2.0

package differential

import (
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/sql"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/relational"
	"github.com/weftdb/weft/internal/sql/source"
)

// statements is how many random statements are compared: a few thousand, or what WEFT_DIFFERENTIAL_STATEMENTS says.
func statements(t *testing.T) int {
	if given := os.Getenv("WEFT_DIFFERENTIAL_STATEMENTS"); given != "" {
		n, err := strconv.Atoi(given)
		if err != nil || n <= 0 {
			t.Fatalf("WEFT_DIFFERENTIAL_STATEMENTS=%q: it must be a number of statements", given)
		}
		return n
	}
	if raceDetector {
		return 500
	}
	return 3000
}

// firstSeed is random, or what WEFT_DIFFERENTIAL_SEED says.
func firstSeed(t *testing.T) uint64 {
	if given := os.Getenv("WEFT_DIFFERENTIAL_SEED"); given != "" {
		n, err := strconv.ParseUint(given, 10, 64)
		if err != nil {
			t.Fatalf("WEFT_DIFFERENTIAL_SEED=%q: %v", given, err)
		}
		return n
	}
	return uint64(rand.Uint32())
}

// differencesMax is after how many differences a run gives up.
const differencesMax = 25

// TestRandom compares the two executors on random statements.
func TestRandom(t *testing.T) {
	seed := firstSeed(t)
	random := rand.New(rand.NewPCG(seed, 1))
	db, session := fill(t, random)
	engine := relational.New(relational.Options{})
	tables := shapes()
	explained, errors, empty, met := map[string]int{}, 0, 0, 0
	total := statements(t)
	for i := 0; i < total && met < differencesMax; i++ {
		g := &generator{random: random, of: &tables[random.IntN(len(tables))]}
		statement, ordered := g.statement()
		own := ask(t, session, statement)
		other := askEngine(t, db, engine, session, statement)
		switch {
		case own.err != nil && other.err != nil:
			errors++
		case own.err == nil && len(own.rows) == 0:
			empty++
		}
		if own.same(other, ordered) {
			continue
		}
		if reason := excuse(statement, own, other); reason != "" {
			explained[reason]++
			continue
		}
		met++
		t.Errorf("seed %d, statement %d:\n%s\nown: %v\nengine: %v", seed, i, statement, own, other)
	}
	t.Logf("seed %d: %d statements, %d empty, %d errors of both; explained: %v", seed, total, empty, errors, explained)
	if errors*10 > total || empty*2 > total {
		t.Errorf("seed %d: %d of %d statements are errors and %d have no rows: the generator is of no use", seed, errors, total, empty)
	}
}

// ask runs a statement as clients do.
func ask(t *testing.T, session *sql.Session, statement string) *answer {
	a := &answer{}
	a.err = session.Query(t.Context(), []byte(statement), a)
	return a
}

// askEngine has the relational engine run it.
func askEngine(t *testing.T, db *weft.DB, engine *relational.Engine, session *sql.Session, statement string) *answer {
	a := &answer{}
	from := source.New(source.Options{DB: db, Definition: definition.Of, Session: session})
	defer from.Close()
	a.err = engine.Query(t.Context(), relational.Session{User: "ann", Database: weft.DefaultDatabase}, from, statement, nil, a)
	return a
}

// TestOne shows what both say to the statements of WEFT_DIFFERENTIAL_ASK, which are separated by semicolons, over the tables of WEFT_DIFFERENTIAL_SEED.
func TestOne(t *testing.T) {
	list := os.Getenv("WEFT_DIFFERENTIAL_ASK")
	if list == "" {
		t.Skip("no statement is given in WEFT_DIFFERENTIAL_ASK")
	}
	db, session := fill(t, rand.New(rand.NewPCG(firstSeed(t), 1)))
	engine := relational.New(relational.Options{})
	for statement := range strings.SplitSeq(list, ";") {
		t.Logf("%s\nown: %v\nengine: %v", statement, ask(t, session, statement), askEngine(t, db, engine, session, statement))
	}
}
