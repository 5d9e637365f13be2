// SPDX-License-Identifier: Apache-2.0

package heatmap

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/weftdb/weft/internal/testing/rounds"
)

func allSame(a, b []byte) bool { return true }

// weeks is a little more than five weeks of minutes.
const weeks = 36 * 24 * 60

// TestWeeks: after five weeks of columns that are as fine as they may be, and as different, there are no more than 886
// columns of 1,024 buckets, they take less than 20 MB, and no count was lost in the time that they cover.
func TestWeeks(t *testing.T) {
	seed := rounds.Seed(t)
	random := rand.New(rand.NewPCG(seed, 1))
	var before runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	l := New(allSame)
	borders := [][]byte{{}}
	for minute := range weeks {
		if minute%4 == 0 { // an increasing key under 900 prefixes: nothing stays as it was
			borders = [][]byte{{}}
			buckets := uint64(60) // they add up to more than a column can hold as soon as columns are merged
			if minute > weeks-800 {
				buckets = BucketsMax - 1
			}
			for i := range buckets {
				key := binary.BigEndian.AppendUint64([]byte("row/table/"), (i*7919+uint64(minute))%1024<<40)
				borders = append(borders, binary.BigEndian.AppendUint64(key, uint64(minute)<<20+random.Uint64N(1<<20)))
			}
		}
		borders = Union(borders)
		r := NewRows(borders)
		for i := range borders {
			for m := range r.Values {
				r.Values[m][i] = float64(random.Uint64N(1 << 20))
			}
		}
		l.Add(int64(minute)*60_000, int64(minute+1)*60_000, r)
	}
	if l.Len() > ColumnsMax || l.Len() < ColumnsMax-10 {
		t.Errorf("%d columns", l.Len())
	}
	columns := l.Between(0, math.MaxInt64)
	for i := range columns {
		if n := len(columns[i].Rows.Borders); n > BucketsMax {
			t.Errorf("a column of %d buckets", n)
		}
		if i > 0 && columns[i].From != columns[i-1].To {
			t.Errorf("nothing is known between %d and %d", columns[i-1].To, columns[i].From)
		}
	}
	columns = nil
	var after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&after)
	taken := int64(after.HeapAlloc) - int64(before.HeapAlloc)
	t.Logf("%d columns take %d bytes, the heap grew by %d", l.Len(), l.Bytes(), taken)
	if l.Bytes() >= 20_000_000 || taken >= 22_000_000 {
		t.Errorf("%d bytes; the heap grew by %d", l.Bytes(), taken)
	}
	runtime.KeepAlive(l)
}

// TestNothingIsLost: sums stay what they were, but for the 0.2 % that packing takes, however often columns are merged.
func TestNothingIsLost(t *testing.T) {
	seed := rounds.Seed(t)
	random := rand.New(rand.NewPCG(seed, 1))
	l := New(allSame)
	want := [Measures]float64{}
	for minute := range int64(60 * 24 * 3) {
		r := NewRows([][]byte{{}})
		for i := range random.IntN(50) {
			r.Borders = append(r.Borders, binary.BigEndian.AppendUint32([]byte{1}, uint32(i)<<16+random.Uint32N(1<<16)))
		}
		r = NewRows(r.Borders)
		for m := range r.Values {
			for i := range r.Values[m] {
				r.Values[m][i] = float64(random.IntN(100))
				want[m] += r.Values[m][i]
			}
		}
		l.Add(minute*60_000, (minute+1)*60_000, r)
	}
	got := [Measures]float64{}
	for _, c := range l.Between(0, math.MaxInt64) {
		for m := range c.Rows.Values {
			for _, v := range c.Rows.Values[m] {
				got[m] += v
			}
		}
	}
	for m := range want {
		if math.Abs(got[m]-want[m]) > 0.005*want[m] {
			t.Errorf("%v: %v became %v", Measure(m), want[m], got[m])
		}
	}
}

func FuzzPack(f *testing.F) {
	f.Add([]byte("abc\x00abd\x00b"), uint32(7))
	f.Fuzz(func(t *testing.T, text []byte, count uint32) {
		r := NewRows(Union([][]byte{{}}, split(text)))
		for i := range r.Borders {
			r.Values[Writes][i] = float64(count)
		}
		c := pack(1, 2, &r)
		back := c.rows()
		if len(back.Borders) != len(r.Borders) {
			t.Fatalf("%d borders became %d", len(r.Borders), len(back.Borders))
		}
		for i := range r.Borders {
			if string(r.Borders[i]) != string(back.Borders[i]) ||
				math.Abs(back.Values[Writes][i]-float64(count)) > float64(count)/500 || back.Values[Reads][i] != 0 {
				t.Fatalf("%x %d became %x %v", r.Borders[i], count, back.Borders[i], back.Values[Writes][i])
			}
		}
	})
}

func split(text []byte) (keys [][]byte) {
	begin := 0
	for i, b := range text {
		if b == 0 {
			keys, begin = append(keys, text[begin:i]), i+1
		}
	}
	return append(keys, text[begin:])
}
