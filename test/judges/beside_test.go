// SPDX-License-Identifier: Apache-2.0

package judges

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// beside lets Weft and another server run the same statements, and compares what both say and what both hold after
// each.
type beside struct {
	t       *testing.T
	seed    uint64
	weft    *own
	server  *server
	begin   func() []string // makes the tables anew
	queries []string        // what both hold
	ordered bool            // their rows come in an order
	same    func(statement string, mine, right written) bool
	skips   map[uint16]bool // the errors of Weft's after which the server isn't asked
	skipped int
	// pardons reports whether a difference is a known fault of the server's; nil: none is. The tables are made anew
	// after it.
	pardons func(statement string, mine, right written) bool
	lasts   int // how many statements the tables last, about
	r       *rand.Rand
}

// besideServers runs a test beside each server that is on the machine.
func besideServers(t *testing.T, test func(*testing.T, *server)) {
	for _, open := range servers {
		if s, ok := open(t); ok {
			s.set(t, "SET sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE'") // Weft has no zero dates
			t.Run(s.brand, func(t *testing.T) { test(t, s) })
		}
	}
}

// run asks statements of next, until there were too many differences. After a difference the tables are made anew.
func (b *beside) run(total uint64, next func() string) {
	met := 0
	var since []string // statements since the tables were made
	for i := uint64(0); i < total && met < differencesMax; i++ {
		if len(since) == 0 {
			since = b.remake()
		}
		statement := next()
		mine := b.weft.write(b.t.Context(), statement)
		if b.skips[mine.code] {
			b.skipped++
			continue
		}
		since = append(since, statement)
		right := b.server.write(b.t.Context(), statement)
		if b.pardons != nil && b.pardons(statement, mine, right) {
			since = nil
			continue
		}
		same := b.same(statement, mine, right)
		if same = b.holdSame() && same; !same {
			met++
			b.t.Errorf("seed %d, statement %d:\n%s\nweft: %v\n%s: %v\n", b.seed, i, strings.Join(since, ";\n"), mine,
				b.server.brand, right)
		}
		if !same || b.r.IntN(b.lasts) == 0 {
			since = nil
		}
	}
}

// remake makes the tables anew on both servers. It returns how.
func (b *beside) remake() []string {
	b.t.Helper()
	statements := b.begin()
	for _, statement := range statements {
		for _, j := range []writer{b.weft, b.server} {
			if w := j.write(b.t.Context(), statement); w.code != 0 {
				b.t.Fatalf("%s: %s: %v", j.name(), statement, w)
			}
		}
	}
	return statements
}

// holdSame reports whether both servers hold the same.
func (b *beside) holdSame() bool {
	same := true
	for _, query := range b.queries {
		if mine, right := b.weft.ask(b.t.Context(), query), b.server.ask(b.t.Context(), query); !mine.same(right,
			b.ordered) {
			same = false
			b.t.Logf("%s\nweft: %v\n%s: %v", query, mine, b.server.brand, right)
		}
	}
	return same
}
