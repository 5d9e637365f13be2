// SPDX-License-Identifier: Apache-2.0

package history

import (
	"fmt"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/testing/kvwrap"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/test/harness"
	"github.com/weftdb/weft/test/history/check"
)

// transactionsCount is about the number of transactions that all tests of lists do together for a change.
const transactionsCount = 15_000

// share returns the number of transactions of a test that has a part of all.
func share(t *testing.T, percent int) int { return rounds.Of(t, transactionsCount*percent/100) }

// roundMax is the number of transactions a round has at most. Rounds have lists of their own and are checked one by
// one.
const roundMax = 10_000

// tally is what some rounds were made of.
type tally struct {
	rounds, transactions, aborted, unknown, edges int
	ran, checked                                  time.Duration
}

func (s *tally) add(h check.History, v *check.Verdict) {
	s.rounds++
	s.edges += v.Edges
	for i := range h {
		s.transactions++
		switch h[i].Outcome {
		case check.Aborted:
			s.aborted++
		case check.Unknown:
			s.unknown++
		}
	}
}

func (s *tally) String() string {
	return fmt.Sprintf("%d transactions in %d rounds, %d of them aborted, %d without an answer, took %v; the check of %d edges took %v",
		s.transactions, s.rounds, s.aborted, s.unknown, s.ran.Round(time.Millisecond), s.edges,
		s.checked.Round(time.Millisecond))
}

// runRounds does so many transactions, in rounds, each on tables of its own prefix of keys.
func runRounds(t *testing.T, seed uint64, transactions int, connect func(round int) func(client int) lists,
	shape func(round int) *load) {
	t.Helper()
	var sum tally
	for round := 0; sum.transactions < transactions && !t.Failed(); round++ {
		l := shape(round)
		l.seed = seed + uint64(round)
		begun := time.Now()
		h := l.run(t, min(roundMax, transactions-sum.transactions), connect(round))
		sum.ran += time.Since(begun)
		begun = time.Now()
		v := judge(t, fmt.Sprintf("round %d", round), h)
		sum.checked += time.Since(begun)
		sum.add(h, v)
		checkMixture(t, h)
	}
	t.Log(&sum)
}

// checkMixture fails a test whose history has tested nothing.
func checkMixture(t *testing.T, h check.History) {
	t.Helper()
	reads, appends, both := 0, 0, 0
	for i := range h {
		read, appended := false, false
		for _, op := range h[i].Ops {
			read, appended = read || !op.Append, appended || op.Append
		}
		switch {
		case h[i].Outcome != check.Committed:
		case read && appended:
			both++
		case read:
			reads++
		default:
			appends++
		}
	}
	if least := len(h) / 50; reads < least || appends < least || both < least {
		t.Errorf("of %d transactions only %d read, %d appended, %d did both", len(h), reads, appends, both)
	}
}

// hot is a round in which all clients meet on few lists; wide is one with many.
func hotAndWide(round int) *load {
	if round%2 == 0 {
		return &load{clients: 12, slots: 5, longest: 40}
	}
	return &load{clients: 16, slots: 40, longest: 25}
}

// makeLists makes the tables.
func makeLists(t testing.TB, c caller) {
	t.Helper()
	if !hasTransactions(c) {
		t.Fatal("there are no transactions")
	}
	for _, name := range listTables {
		makeTable(t, c, name, "")
	}
}

// TestReference checks a database that is right by its construction.
func TestReference(t *testing.T) {
	seed := rounds.Seed(t)
	runRounds(t, seed, rounds.Of(t, 20_000), func(int) func(int) lists {
		r := newReference()
		return func(int) lists { return r }
	}, hotAndWide)
}

// TestAppendInProcess checks histories of requests that call the dialect, on each engine.
func TestAppendInProcess(t *testing.T) {
	seed := rounds.Seed(t)
	for i, percent := range []int{45, 33, 2} {
		t.Run(engines[i].name, func(t *testing.T) {
			runRounds(t, seed, share(t, percent), func(int) func(int) lists {
				c := overAPI(engines[i].openDB(t, withJitter))
				makeLists(t, c)
				return func(int) lists { return weftLists{c} }
			}, hotAndWide)
		})
	}
}

// TestAppendUnknownInProcess checks histories in which one commit in some dozens has no known outcome, having taken
// effect or not.
func TestAppendUnknownInProcess(t *testing.T) {
	seed := rounds.Seed(t)
	for i, percent := range []int{5, 3, 2} {
		t.Run(engines[i].name, func(t *testing.T) {
			runRounds(t, seed, share(t, percent), func(int) func(int) lists {
				var faulty *kvwrap.FaultyStore
				db := engines[i].openDB(t, func(store kv.Store) kv.Store {
					faulty = kvwrap.Faulty(store, kvwrap.FaultyOptions{})
					return jitter{faulty}
				})
				c := overAPI(db)
				makeLists(t, c)
				for nth := range 1000 {
					faulty.Inject(kvwrap.Fault{Call: kvwrap.CallCommit, Nth: 1 + 30*nth, Err: kv.ErrUnknownOutcome,
						After: nth%2 == 0})
				}
				return func(int) lists { return weftLists{c} }
			}, hotAndWide)
		})
	}
}

// TestAppendOverHTTP checks histories of requests to the real binary, some of which are given up by the client before
// the answer.
func TestAppendOverHTTP(t *testing.T) {
	seed := rounds.Seed(t)
	server := harness.Start(t, binary, harness.Options{})
	makeLists(t, dial(server.Addr()))
	base := int32(0)
	runRounds(t, seed, share(t, 10), func(round int) func(int) lists {
		base = int32(round) * 1_000_000
		from := base
		return func(int) lists { return shifted{weftLists{dial(server.Addr())}, from} }
	}, func(round int) *load {
		l := hotAndWide(round)
		l.deadline = true
		return l
	})
}
