// SPDX-License-Identifier: Apache-2.0

package operator_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/operator"
	"github.com/weftdb/weft/internal/sql/tree"
	"github.com/weftdb/weft/internal/testing/rounds"
)

// randomFrame is a frame, and by how many rows or how much its bounds are away.
func randomFrame(t *testing.T, random *rand.Rand, descending bool) (f evaluate.Frame, startBy, endBy int64) {
	f.Rows = random.IntN(2) == 0
	bound := func(kinds ...tree.BoundKind) (b evaluate.Bound, by int64) {
		b.Kind = kinds[random.IntN(len(kinds))]
		by = random.Int64N(5)
		literal := &tree.Literal{Value: datum.Int(by)}
		b.Count = program(t, literal)
		operation := tree.Minus
		if (b.Kind == tree.Following) != descending {
			operation = tree.Plus
		}
		b.Limit = program(t, &tree.Binary{Operator: operation, Left: column(1), Right: literal})
		return b, by
	}
	f.Start, startBy = bound(tree.UnboundedPreceding, tree.Preceding, tree.CurrentRow, tree.Following)
	f.End, endBy = bound(tree.Preceding, tree.CurrentRow, tree.Following, tree.UnboundedFollowing)
	return f, startBy, endBy
}

// inFrame says by definition whether row j of a partition is in the frame of row i.
func inFrame(rows [][]datum.Datum, i, j int, f evaluate.Frame, startBy, endBy int64, descending bool) bool {
	side := func(b evaluate.Bound, by int64) int { // where j is as the bound sees it: before, at, after
		switch {
		case b.Kind == tree.UnboundedPreceding:
			return 1
		case b.Kind == tree.UnboundedFollowing:
			return -1
		case b.Kind == tree.Preceding:
			by = -by
		case b.Kind == tree.CurrentRow:
			by = 0
		}
		if f.Rows {
			return cmp.Compare(int64(j), int64(i)+by)
		}
		at, sign := rows[i][1], 1
		if descending {
			sign = -1
		}
		if !at.IsNull() {
			at = datum.Int(at.Int() + int64(sign)*by)
		}
		return sign * datum.Order(rows[j][1], at)
	}
	return side(f.Start, startBy) >= 0 && side(f.End, endBy) <= 0
}

// TestWindow: all functions over random frames against definitions, with much memory and with little.
func TestWindow(t *testing.T) {
	seed := rounds.Seed(t)
	random := rand.New(rand.NewPCG(seed, 0))
	aggregates := map[string]*evaluate.Aggregate{}
	for _, name := range []string{"sum", "min", "max", "count"} {
		a, err := evaluate.NewAggregate(&tree.Call{Name: name, Arguments: []tree.Expression{column(2)}}, slots{})
		if err != nil {
			t.Fatal(err)
		}
		aggregates[name] = a
	}
	for _, budget := range budgets(t) {
		for range 15 {
			x := &evaluate.Context{Row: make([]datum.Datum, 20)}
			rows := make([][]datum.Datum, random.IntN(300))
			for i := range rows {
				rows[i] = []datum.Datum{datum.Int(random.Int64N(4)), datum.Int(random.Int64N(20)),
					datum.Int(random.Int64N(100)), datum.Int(int64(i))}
				for c := 1; c < 3; c++ {
					if random.IntN(10) == 0 {
						rows[i][c] = datum.Null
					}
				}
			}
			descending := random.IntN(2) == 0
			frame, startBy, endBy := randomFrame(t, random, descending)
			value := []*evaluate.Program{program(t, column(2))}
			nth := append(slices.Clone(value), program(t, &tree.Literal{Value: datum.Int(3)}))
			tiles := []*evaluate.Program{program(t, &tree.Literal{Value: datum.Int(3)})}
			functions := []evaluate.WindowFunction{{Kind: evaluate.RowNumber}, {Kind: evaluate.Rank},
				{Kind: evaluate.DenseRank}, {Kind: evaluate.PercentRank},
				{Kind: evaluate.CumeDist}, {Kind: evaluate.NTile, Arguments: tiles},
				{Kind: evaluate.Lag, Arguments: value}, {Kind: evaluate.Lead, Arguments: nth},
				{Kind: evaluate.FirstValue, Arguments: value}, {Kind: evaluate.LastValue, Arguments: value},
				{Kind: evaluate.NthValue, Arguments: nth},
				{Kind: evaluate.Aggregated, Aggregate: aggregates["sum"]},
				{Kind: evaluate.Aggregated, Aggregate: aggregates["min"]},
				{Kind: evaluate.Aggregated, Aggregate: aggregates["max"]}, {Kind: evaluate.Aggregated,
					Aggregate: aggregates["count"]}}
			show := []int{3}
			for i := range functions {
				functions[i].Frame, functions[i].Slot = frame, 4+i
				show = append(show, 4+i)
			}
			window := &operator.Window{Input: &given{x: x, rows: rows, slots: []int{0, 1, 2, 3}},
				Partition: []*evaluate.Program{program(t, column(0))},
				Order:     []operator.Ordering{{By: program(t, column(1)), Descending: descending}},
				Functions: functions,
				Slots:     []int{0, 1, 2, 3}, Context: x, Budget: budget}
			want := windows(rows, frame, startBy, endBy, descending)
			for range 2 {
				if got := drain(t, x, window, show); !slices.Equal(got, want) {
					for i := range want {
						if i < len(got) && got[i] != want[i] {
							t.Fatalf("frame %+v by %d and %d, descending %v, row %d:\ngot  %s\nwant %s", frame, startBy,
								endBy, descending, i, got[i], want[i])
						}
					}
					t.Fatalf("%d rows, want %d", len(got), len(want))
				}
				freed(t, budget)
			}
		}
	}
}

// windows is what TestWindow's functions yield, by definition.
func windows(rows [][]datum.Datum, frame evaluate.Frame, startBy, endBy int64, descending bool) (lines []string) {
	rows = slices.Clone(rows)
	order := func(a, b []datum.Datum) int {
		if descending {
			return -datum.Order(a[1], b[1])
		}
		return datum.Order(a[1], b[1])
	}
	slices.SortStableFunc(rows, func(a, b []datum.Datum) int {
		return cmp.Or(datum.Order(a[0], b[0]), order(a, b))
	})
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n][0].Int() == rows[0][0].Int() {
			n++
		}
		lines = append(lines, partition(rows[:n], order,
			func(i, j int) bool { return inFrame(rows[:n], i, j, frame, startBy, endBy, descending) })...)
		rows = rows[n:]
	}
	return lines
}

func partition(rows [][]datum.Datum, order func(a, b []datum.Datum) int, in func(i, j int) bool) (lines []string) {
	n, dense, rank := len(rows), 0, 0
	at := func(i int) datum.Datum {
		if i < 0 || i >= n {
			return datum.Null
		}
		return rows[i][2]
	}
	for i := range rows {
		if i == 0 || order(rows[i-1], rows[i]) != 0 {
			dense, rank = dense+1, i+1
		}
		upTo := 0
		for j := range rows {
			if order(rows[j], rows[i]) <= 0 {
				upTo++
			}
		}
		percent := 0.0
		if n > 1 {
			percent = float64(rank-1) / float64(n-1)
		}
		var frame []datum.Datum
		for j := range rows {
			if in(i, j) {
				frame = append(frame, rows[j][2])
			}
		}
		first, last, third := datum.Null, datum.Null, datum.Null
		if len(frame) > 0 {
			first, last = frame[0], frame[len(frame)-1]
		}
		if len(frame) > 2 {
			third = frame[2]
		}
		tile := 0
		for size, left := 0, i; left >= 0; left -= size {
			size = n / 3
			if tile < n%3 {
				size++
			}
			tile++
		}
		line := fmt.Sprintf("%v %v %v %v %v %v %v %v %v %v %v %v ", rows[i][3], i+1, rank, dense,
			datum.Float64(percent), datum.Float64(float64(upTo)/float64(n)), tile,
			at(i-1), at(i+3), first, last, third)
		lines = append(lines, line+sums(frame))
	}
	return lines
}

func sums(frame []datum.Datum) string {
	sum, least, most, count := datum.Null, datum.Null, datum.Null, 0
	for _, d := range frame {
		if d.IsNull() {
			continue
		}
		count++
		if sum.IsNull() {
			sum, least, most = d, d, d
			continue
		}
		sum = datum.Int(sum.Int() + d.Int())
		least, most = datum.Int(min(least.Int(), d.Int())), datum.Int(max(most.Int(), d.Int()))
	}
	return fmt.Sprintf("%v %v %v %v ", sum, least, most, count)
}
