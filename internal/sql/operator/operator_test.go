// SPDX-License-Identifier: Apache-2.0

package operator_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/resource/memory"
	"github.com/weftdb/weft/internal/resource/spill"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/operator"
	"github.com/weftdb/weft/internal/sql/tree"
	"github.com/weftdb/weft/internal/testing/rounds"
)

// slots is a scope whose columns are named by their slots: s0, s1 and so on.
type slots struct{}

func (slots) Resolve(c *tree.Column) (int, datum.Type, error) {
	var slot int
	_, err := fmt.Sscanf(c.Name, "s%d", &slot)
	return slot, datum.Type{Base: datum.BigInt}, err
}

func column(slot int) tree.Expression { return &tree.Column{Name: fmt.Sprintf("s%d", slot)} }

func program(t testing.TB, e tree.Expression) *evaluate.Program {
	t.Helper()
	p, err := evaluate.Compile(e, slots{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// given is a stream of given rows, which ends when its context does.
type given struct {
	x     *evaluate.Context
	rows  [][]datum.Datum
	slots []int
	next  int
	open  int
	ctx   context.Context
	fails error // instead of the end
}

func (g *given) Open(ctx context.Context) error {
	g.next, g.ctx, g.open = 0, ctx, 1
	return nil
}

func (g *given) Next() (bool, error) {
	if g.open == 0 {
		return false, errors.New("Next of a stream that is not open")
	}
	if g.next == len(g.rows) {
		return false, g.fails
	}
	for i, slot := range g.slots {
		g.x.Row[slot] = g.rows[g.next][i]
	}
	g.next++
	return true, nil
}

func (g *given) Close() error {
	g.open = 0
	return nil
}

// drain reads all rows, as texts.
func drain(t testing.TB, x *evaluate.Context, rows operator.Rows, show []int) []string {
	t.Helper()
	if err := rows.Open(context.Background()); err != nil {
		t.Fatal(err)
	}
	var found []string
	for {
		ok, err := rows.Next()
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			break
		}
		var b strings.Builder
		for _, slot := range show {
			fmt.Fprintf(&b, "%v ", x.Row[slot])
		}
		found = append(found, b.String())
	}
	if err := rows.Close(); err != nil {
		t.Fatal(err)
	}
	return found
}

func randomRows(random *rand.Rand, count, width, values int) [][]datum.Datum {
	rows := make([][]datum.Datum, count)
	for i := range rows {
		for w := range width {
			switch n := random.IntN(values + 1); {
			case n == values:
				rows[i] = append(rows[i], datum.Null)
			case w == 2:
				rows[i] = append(rows[i], datum.TextString(strings.Repeat("x", random.IntN(60))+fmt.Sprint(n)))
			default:
				rows[i] = append(rows[i], datum.Int(int64(n)))
			}
		}
	}
	return rows
}

// budgets are one of plenty and some of little, which spill.
func budgets(t testing.TB) []*operator.Budget {
	dir := t.TempDir()
	t.Cleanup(func() {
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("%d files were left", len(left))
		}
	})
	return []*operator.Budget{{}, {BytesMax: 4 << 10, Spill: &spill.Folder{Dir: dir}, Memory: memory.New(1 << 20)},
		{BytesMax: 200 << 10, Spill: &spill.Folder{Dir: dir}, Memory: memory.New(1 << 30)}}
}

func freed(t testing.TB, b *operator.Budget) {
	t.Helper()
	if b.Used() != 0 || b.Memory != nil && b.Memory.Used() != 0 {
		t.Errorf("%d bytes of the budget are still held", b.Used())
	}
}

// pairs is what a join yields, by definition. Each side has three columns; the key is the first of each, and more
// reports whether a pair is further tested: the left second column must not be greater than the right one.
func pairs(left, right [][]datum.Datum, kind operator.JoinKind, more bool) []string {
	show := func(l, r []datum.Datum) string {
		var b strings.Builder
		for i := range 6 {
			d := datum.Null
			if i < 3 && l != nil {
				d = l[i]
			} else if i >= 3 && r != nil {
				d = r[i-3]
			}
			fmt.Fprintf(&b, "%v ", d)
		}
		return b.String()
	}
	var found []string
	met := make([]bool, len(right))
	for _, l := range left {
		matched := false
		for i, r := range right {
			equal := datum.Equal(l[0], r[0]) || kind == operator.AntiNull && (l[0].IsNull() || r[0].IsNull())
			order, null := datum.Compare(l[1], r[1])
			if !equal || more && (null || order > 0) {
				continue
			}
			matched, met[i] = true, true
			switch kind {
			case operator.Inner, operator.Left, operator.Right, operator.Full:
				found = append(found, show(l, r))
			}
		}
		switch {
		case matched && kind == operator.Semi, !matched &&
			(kind == operator.Left || kind == operator.Full || kind == operator.Anti || kind == operator.AntiNull):
			found = append(found, show(l, nil))
		}
	}
	for i, r := range right {
		if met[i] == (kind == operator.RightSemi) &&
			(kind == operator.Right || kind == operator.Full || kind == operator.RightSemi ||
				kind == operator.RightAnti) {
			found = append(found, show(nil, r))
		}
	}
	slices.Sort(found)
	return found
}

// TestJoins: each method finds what pairing rows by definition does, on random rows with NULLs and duplicates, with
// much memory and with little.
func TestJoins(t *testing.T) {
	seed := rounds.Seed(t)
	random := rand.New(rand.NewPCG(seed, 0))
	all := budgets(t)
	for round := range 40 {
		x := &evaluate.Context{Row: make([]datum.Datum, 6)}
		values := []int{2, 30, 1000}[random.IntN(3)]
		size := func() int { return []int{0, 1, 40, 500}[random.IntN(4)] }
		left := &given{x: x, rows: randomRows(random, size(), 3, values), slots: []int{0, 1, 2}}
		right := &given{x: x, rows: randomRows(random, size(), 3, values), slots: []int{3, 4, 5}}
		if values == 2 && len(left.rows)*len(right.rows) > 100_000 {
			continue
		}
		kind := operator.JoinKind(random.IntN(int(operator.RightAnti) + 1))
		mixed := random.IntN(3) == 0 && len(left.rows)*len(right.rows) < 50_000
		if mixed {
			mix(random, left.rows)
			mix(random, right.rows)
		}
		more := random.IntN(2) == 0
		keys := []operator.Key{{Left: program(t, column(0)), Right: program(t, column(3))}}
		var on []*evaluate.Program
		if more {
			on = []*evaluate.Program{program(t,
				&tree.Binary{Operator: tree.LessOrEqual, Left: column(1), Right: column(4)})}
		}
		show := []int{0, 1, 2, 3, 4, 5}
		switch kind {
		case operator.Semi, operator.Anti, operator.AntiNull:
			show = show[:3]
		case operator.RightSemi, operator.RightAnti:
			show = show[3:]
		}
		want := pairs(left.rows, right.rows, kind, more)
		for i := range want {
			fields := strings.Fields(want[i])
			want[i] = strings.Join(fields[show[0]:show[len(show)-1]+1], " ") + " "
		}
		slices.Sort(want)
		budget := all[random.IntN(len(all))]
		check := func(name string, rows operator.Rows) {
			t.Helper()
			for again := range 2 {
				got := drain(t, x, rows, show)
				slices.Sort(got)
				if !slices.Equal(got, want) {
					t.Fatalf("round %d, opening %d: %s of kind %d, more %v, %d x %d rows of %d values, budget %+v: %d rows, want %d", round, again, name, kind, more,
						len(left.rows), len(right.rows), values, budget, len(got), len(want))
				}
				freed(t, budget)
			}
		}
		if kind != operator.AntiNull {
			equal := program(t, &tree.Binary{Operator: tree.Equal, Left: column(0), Right: column(3)})
			check("loose join", &operator.LooseJoin{HashJoin: &operator.HashJoin{Kind: kind, Left: left, Right: right,
				Keys: keys, On: on, LeftSlots: []int{0, 1, 2},
				RightSlots: []int{3, 4, 5}, Context: x, Budget: budget}, Equal: []*evaluate.Program{equal}})
		}
		if mixed {
			continue
		}
		check("hash join", &operator.HashJoin{Kind: kind, Left: left, Right: right, Keys: keys, On: on,
			LeftSlots: []int{0, 1, 2}, RightSlots: []int{3, 4, 5}, Context: x, Budget: budget})
		if kind != operator.Inner && kind != operator.Left && kind != operator.Semi && kind != operator.Anti {
			continue
		}
		if len(left.rows) < 500 || len(right.rows) < 500 {
			equal := program(t, &tree.Binary{Operator: tree.Equal, Left: column(0), Right: column(3)})
			check("loop join", &operator.LoopJoin{Kind: kind, Left: left, Right: right,
				On: append([]*evaluate.Program{equal}, on...), RightSlots: []int{3, 4, 5}, Context: x})
		}
		check("lookup join", lookupJoin(x, kind, left, right, keys, on, budget))
		slices.SortStableFunc(left.rows, byFirst)
		slices.SortStableFunc(right.rows, byFirst)
		merged := &operator.MergeJoin{Kind: kind, Left: left, Right: right, Keys: keys, On: on,
			RightSlots: []int{3, 4, 5}, Context: x, Budget: budget}
		check("merge join", merged)
		right.rows = slices.CompactFunc(right.rows, func(a, b []datum.Datum) bool { return byFirst(a, b) == 0 })
		want = drain(t, x, &operator.HashJoin{Kind: kind, Left: left, Right: right, Keys: keys, On: on,
			LeftSlots: []int{0, 1, 2}, RightSlots: []int{3, 4, 5}, Context: x}, show)
		slices.Sort(want)
		merged.Unique = true
		check("merge join with single rows", merged)
	}
}

func byFirst(a, b []datum.Datum) int { return datum.Order(a[0], b[0]) }

// mix makes texts of some of the numbers in the first column.
func mix(random *rand.Rand, rows [][]datum.Datum) {
	for _, row := range rows {
		if random.IntN(4) == 0 && !row[0].IsNull() {
			row[0] = datum.TextString(string(row[0].AppendText(nil)) + []string{"", ".0"}[random.IntN(2)])
		}
	}
}

// lookupJoin joins by lookups of 1, 3 and 20 keys.
func lookupJoin(x *evaluate.Context, kind operator.JoinKind, left, right *given, keys []operator.Key,
	on []*evaluate.Program, budget *operator.Budget) *operator.LookupJoin {
	j := &operator.LookupJoin{Kind: kind, Left: left, Keys: keys, On: on, Parameters: make([]datum.Datum, 24),
		LeftSlots: []int{0, 1, 2}, RightSlots: []int{3, 4, 5}, Context: x, Budget: budget}
	for i, size := range []int{1, 3, 20} {
		first := []int{0, 1, 4}[i]
		source := &given{x: x, slots: right.slots}
		stream := &operator.Func{OnOpen: func(ctx context.Context) error {
			source.rows = nil
			for _, row := range right.rows {
				for _, key := range j.Parameters[first : first+size] {
					if datum.Equal(row[0], key) {
						source.rows = append(source.rows, row)
						break
					}
				}
			}
			return source.Open(ctx)
		}, OnNext: source.Next, OnClose: source.Close}
		j.Right = append(j.Right, operator.Lookup{Size: size, First: first, Rows: stream})
	}
	return j
}

// TestSets: DISTINCT, INTERSECT, EXCEPT and sorting against definitions, with much memory and with little.
func TestSets(t *testing.T) {
	seed := rounds.Seed(t)
	random := rand.New(rand.NewPCG(seed, 0))
	for _, budget := range budgets(t) {
		for range 6 {
			x := &evaluate.Context{Row: make([]datum.Datum, 3)}
			show := []int{0, 1, 2}
			left := &given{x: x, rows: randomRows(random, random.IntN(6000), 3, 8), slots: show}
			right := &given{x: x, rows: randomRows(random, random.IntN(3000), 3, 8), slots: show}
			a, b := drain(t, x, left, show), drain(t, x, right, show)
			distinct := drain(t, x, &operator.Distinct{Input: &operator.Concat{Inputs: []operator.Rows{left, right}},
				Keys: show, Slots: show, Context: x, Budget: budget}, show)
			slices.Sort(distinct)
			both := slices.Concat(a, b)
			slices.Sort(both)
			if !slices.Equal(distinct, slices.Compact(both)) {
				t.Fatalf("DISTINCT: %d rows", len(distinct))
			}
			for _, except := range []bool{false, true} {
				for _, all := range []bool{false, true} {
					got := drain(t, x, &operator.Subset{Left: left, Right: right, Except: except, All: all, Slots: show,
						Context: x, Budget: budget}, show)
					slices.Sort(got)
					if want := subset(a, b, except, all); !slices.Equal(got, want) {
						t.Fatalf("except %v, all %v: %d rows, want %d", except, all, len(got), len(want))
					}
				}
			}
			freed(t, budget)
		}
	}
}

func subset(a, b []string, except, all bool) (rows []string) {
	counts, sent := map[string]int{}, map[string]bool{}
	for _, row := range b {
		counts[row]++
	}
	for _, row := range a {
		met := counts[row] > 0
		if all && met {
			counts[row]--
		}
		if met != except && (all || !sent[row]) {
			sent[row] = true
			rows = append(rows, row)
		}
	}
	slices.Sort(rows)
	return rows
}

// TestSortAndSpool: rows come sorted, those alike in their order, and a spool is read again, by two readers at once.
func TestSortAndSpool(t *testing.T) {
	seed := rounds.Seed(t)
	random := rand.New(rand.NewPCG(seed, 0))
	for _, budget := range budgets(t) {
		x := &evaluate.Context{Row: make([]datum.Datum, 3)}
		show := []int{0, 1, 2}
		input := &given{x: x, rows: randomRows(random, 7000, 3, 50), slots: show}
		want := slices.Clone(input.rows)
		slices.SortStableFunc(want, func(a, b []datum.Datum) int { return -datum.Order(a[0], b[0]) })
		sort := &operator.Sort{Input: input, Order: []operator.Ordering{{By: program(t, column(0)), Descending: true}},
			Slots: show, Context: x, Budget: budget}
		spool := &operator.Spool{Input: sort, Slots: show, Context: x, Budget: budget}
		one, two := &operator.Reader{Of: spool, Slots: show, Context: x}, &operator.Reader{Of: spool, Slots: show,
			Context: x}
		sorted := drain(t, x, &given{x: x, rows: want, slots: show}, show)
		for range 2 {
			if got := drain(t, x, one, show); !slices.Equal(got, sorted) {
				t.Fatal("rows are out of order")
			}
			if got := drain(t, x, &operator.Limit{Input: two, Offset: 100, Count: 50}, show); !slices.Equal(got,
				sorted[100:150]) {
				t.Fatal("LIMIT takes other rows")
			}
		}
		if spool.Counts.Opens != 1 {
			t.Errorf("the spool was filled %d times", spool.Counts.Opens)
		}
		if err := spool.Close(); err != nil {
			t.Error(err)
		}
		freed(t, budget)
	}
}

// TestRecursive: numbers up to a bound, once with repeats that are dropped; too deep a recursion ends with 3636.
func TestRecursive(t *testing.T) {
	for _, budget := range budgets(t) {
		budget.BytesMax += 1 << 20 // what UNION DISTINCT has seen stays in memory
		for _, depth := range []int64{2000, 100} {
			x, inner := &evaluate.Context{Row: make([]datum.Datum, 1)}, &evaluate.Context{Row: make([]datum.Datum, 1)}
			r := &operator.Recursive{Distinct: true, DepthMax: depth, Slots: []int{0}, Context: x, Budget: budget}
			last := &operator.Reader{Recursive: r, Slots: []int{0}, Context: inner}
			r.Anchor = &given{x: x, rows: [][]datum.Datum{{datum.Int(1)}, {datum.Int(1)}, {datum.Int(2)}},
				slots: []int{0}}
			r.Step = &operator.Func{OnOpen: last.Open, OnClose: last.Close, OnNext: func() (bool, error) {
				ok, err := last.Next()
				x.Row[0] = datum.Int(min(inner.Row[0].Int()+1, 1500))
				return ok, err
			}}
			if depth == 2000 {
				if got := drain(t, x, r, []int{0}); len(got) != 1500 {
					t.Errorf("%d rows", len(got))
				}
			} else {
				err := r.Open(context.Background())
				for ok := true; ok && err == nil; {
					ok, err = r.Next()
				}
				if err == nil || !strings.Contains(err.Error(), "after 100 iterations") {
					t.Errorf("error %v", err)
				}
				if err := r.Close(); err != nil {
					t.Error(err)
				}
			}
			freed(t, budget)
		}
	}
}

// TestEnds: an error of the input, a context that ends, and an early Close give all memory and files back.
func TestEnds(t *testing.T) {
	failure := errors.New("the input fails")
	for _, budget := range budgets(t)[1:] {
		x := &evaluate.Context{Row: make([]datum.Datum, 6)}
		random := rand.New(rand.NewPCG(1, 2))
		left := &given{x: x, rows: randomRows(random, 5000, 3, 900), slots: []int{0, 1, 2}}
		right := &given{x: x, rows: randomRows(random, 5000, 3, 900), slots: []int{3, 4, 5}}
		keys := []operator.Key{{Left: program(t, column(0)), Right: program(t, column(3))}}
		order := []operator.Ordering{{By: program(t, column(1))}}
		l, r := []int{0, 1, 2}, []int{3, 4, 5}
		streams := []operator.Rows{
			&operator.HashJoin{Left: left, Right: right, Keys: keys, LeftSlots: l, RightSlots: r, Context: x,
				Budget: budget},
			&operator.MergeJoin{Left: left, Right: right, Keys: keys, RightSlots: r, Context: x, Budget: budget},
			&operator.Sort{Input: left, Order: order, Slots: l, Context: x, Budget: budget},
			&operator.Distinct{Input: left, Keys: l, Slots: l, Context: x, Budget: budget},
			&operator.Subset{Left: left, Right: left, Slots: l, Context: x, Budget: budget},
			&operator.Window{Input: left, Order: order, Functions: []evaluate.WindowFunction{{Slot: 3}}, Slots: l,
				Context: x, Budget: budget},
			lookupJoin(x, operator.Inner, left, right, keys, nil, budget),
		}
		for _, stream := range streams {
			for way := range 3 {
				ctx, cancel := context.WithCancel(context.Background())
				if left.fails = nil; way == 0 {
					left.fails = failure
				}
				if way == 1 {
					cancel()
				}
				err := stream.Open(ctx)
				for n := 0; err == nil; n++ {
					var ok bool
					if ok, err = stream.Next(); !ok || way == 2 && n == 5 {
						break
					}
				}
				if way == 0 && !errors.Is(err, failure) || way == 1 && !errors.Is(err, context.Canceled) ||
					way == 2 && err != nil {
					t.Errorf("%T, way %d: error %v", stream, way, err)
				}
				if err := stream.Close(); err != nil {
					t.Errorf("%T: %v", stream, err)
				}
				freed(t, budget)
				cancel()
			}
		}
	}
}
