// SPDX-License-Identifier: Apache-2.0

package database_test

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/files/cities"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdb"
	"github.com/weftdb/weft/internal/testing/testdoc"
)

// explainedCities is the number of cities the tests of explanations read.
const explainedCities = 20_000

var errEnough = errors.New("enough cities")

// openCities returns some cities with a Z-order index and an ordered one.
func openCities(t *testing.T) database.Pinned {
	t.Helper()
	place, err := database.Part("zorder(lat linear(-90,90):24, lon linear(-180,180):24)", schema.Binary)
	if err != nil {
		t.Fatal(err)
	}
	db := testdb.Open(t)
	table, err := db.CreateTable(t.Context(),
		database.TableSpec{Name: "cities", Key: database.Columns("id", schema.Number), Indexes: []database.IndexSpec{
			{Name: "by-place", Key: []schema.KeyPart{place}},
			{Name: "by-lat", Key: database.Columns("lat", schema.Number)},
		}})
	if err != nil {
		t.Fatal(err)
	}
	pin, err := table.Pin()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pin.Release)
	var batch []database.TableWrite
	id := 0
	err = cities.Each(func(c cities.City) error {
		id++
		row, err := testdoc.Document{"id": id, "lat": json.Number(c.Lat), "lon": json.Number(c.Lon)}.AppendRow(nil,
			pin.Names())
		if err != nil {
			return err
		}
		if batch = append(batch, database.TableWrite{Table: pin,
			Write: database.Write{Op: database.OpPut, Row: row}}); len(batch) == 1000 {
			if _, err := db.WriteAll(t.Context(), batch); err != nil {
				return err
			}
			batch = batch[:0]
		}
		if id == explainedCities {
			return errEnough
		}
		return nil
	})
	if !errors.Is(err, errEnough) {
		t.Fatal(err)
	}
	return pin
}

func inRange(name string, low, high float64) expr.Condition {
	return &expr.Between{X: &expr.Path{Name: name}, Low: degrees(low), High: degrees(high)}
}

func degrees(n float64) expr.Operand {
	return &expr.Literal{Value: value.AppendFloat(nil, n)}
}

// TestEstimatesOfBoxes compares what is expected of boxes around cities with what they take.
func TestEstimatesOfBoxes(t *testing.T) {
	pin := openCities(t)
	random := rand.New(rand.NewPCG(1, 2))
	var errs []float64
	for range 150 {
		lat, lon, size := random.Float64()*100-40, random.Float64()*300-150, []float64{2, 10, 40}[random.IntN(3)]
		conditions := []expr.Condition{inRange("lat", lat-size, lat+size), inRange("lon", lon-size, lon+size)}
		if random.IntN(5) == 0 {
			conditions = conditions[:1]
		}
		e, err := pin.Analyze(t.Context(), database.Query{Index: "by-place", Where: expr.Conjunction(conditions...)})
		if err != nil {
			t.Fatal(err)
		}
		if e.Path.Kind != "box" || e.Actual.LookedAt != e.Actual.Examined+e.Actual.Skipped ||
			e.Actual.FalsePositives != e.Actual.LookedAt-e.Actual.Returned ||
			e.Actual.Seeks != e.Actual.Jumps+1 {
			t.Fatalf("%+v", e)
		}
		if e.Actual.LookedAt >= 10 { // of less, the estimate of one place is too much already
			errs = append(errs, e.Actual.QError)
		}
	}
	slices.Sort(errs)
	median, ninth := errs[len(errs)/2], errs[len(errs)*9/10]
	t.Logf("estimates are wrong by %.2f at the median, %.2f at nine of ten, %.2f at most", median, ninth,
		errs[len(errs)-1])
	if len(errs) < 30 || median > 2 || ninth > 4 {
		t.Error("the estimates are too far off")
	}
}

// TestStretches compares the stretches of walks over boxes with the entries that lie there.
func TestStretches(t *testing.T) {
	pin := openCities(t)
	all := addresses(t, pin)
	random := rounds.Random(t)
	for range 60 {
		lat, lon, size := random.Float64()*100-40, random.Float64()*300-150, 1+random.Float64()*40
		q := database.Query{Index: "by-place",
			Where:   expr.Conjunction(inRange("lat", lat-size, lat+size), inRange("lon", lon-size, lon+size)),
			Reverse: random.IntN(2) == 0}
		if random.IntN(3) == 0 {
			q.ExaminedMax = 50
		}
		e, err := pin.Analyze(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		a, looked, before := e.Actual, int64(0), ""
		for _, s := range a.Stretches {
			looked += s.Examined + s.Skipped
			if before != "" && (q.Reverse && s.From >= before || !q.Reverse && s.From <= before) {
				t.Errorf("%+v comes after %s", s, before)
			}
			if before = s.To; q.Reverse {
				s.From, s.To = s.To, s.From
			}
			begin, end := ends(all, s.From)
			last, behind := ends(all, s.To)
			if n := s.Examined + s.Skipped; begin == end || last == behind || n > int64(behind-begin) ||
				n < int64(last-end) {
				t.Errorf("%+v has %d to %d entries", s, last-end, behind-begin)
			}
		}
		if looked != a.LookedAt || a.StretchesMore != 0 || int64(len(a.Stretches)) > a.Seeks ||
			int64(len(a.Stretches)) < a.Seeks-1 {
			t.Errorf("%d stretches with %d entries: %+v", len(a.Stretches), looked, a)
		}
	}
}

// addresses are those of all entries of by-place, in hexadecimal.
func addresses(t *testing.T, pin database.Pinned) (all []string) {
	c, err := pin.Query(t.Context(), database.Query{Index: "by-place"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for c.Next() {
		_, skip := binary.Uvarint(c.Position())
		all = append(all, hex.EncodeToString(c.Position()[skip:skip+6]))
	}
	return all
}

// ends are the places of the first entry of an address and of the one behind its last.
func ends(all []string, address string) (first, behind int) {
	first, _ = slices.BinarySearch(all, address)
	behind, _ = slices.BinarySearch(all, address+"!")
	return first, behind
}

// TestExplainedIsDone says that a Query with AnyIndex does what its explanation says, and that a named index is told of
// a cheaper one.
func TestExplainedIsDone(t *testing.T) {
	pin := openCities(t)
	small := expr.Conjunction(inRange("lat", 40, 50), inRange("lon", 0, 10))
	strip := expr.Conjunction(inRange("lat", 48.85, 48.87), inRange("lon", -170, 170))
	for _, c := range []struct {
		where expr.Condition
		index string
	}{{small, "by-place"}, {strip, "by-lat"}, {inRange("lat", 40, 41), "by-lat"}} {
		q := database.Query{AnyIndex: true, Where: c.where}
		e, err := pin.Explain(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		cursor, err := pin.Query(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if e.Path.Index != c.index || !strings.HasPrefix(cursor.Explain(), "index "+c.index+" ") || e.Cheaper != nil {
			t.Errorf("want %s\n%s%s", c.index, e.Text(), cursor.Explain())
		}
		if err := cursor.Close(); err != nil {
			t.Fatal(err)
		}
	}
	e, err := pin.Explain(t.Context(), database.Query{Index: "by-place", Where: strip})
	if err != nil || e.Cheaper == nil || e.Cheaper.Index != "by-lat" ||
		e.Cheaper.Estimate.Cost >= e.Path.Estimate.Cost {
		t.Errorf("%v %s", err, e.Text())
	}
}

// TestPagesAddUp says that pages together have done what one walk does, and that nothing is written for the cuts of a
// parallel scan.
func TestPagesAddUp(t *testing.T) {
	pin := openCities(t)
	q := database.Query{Where: nil, Filter: inRange("lat", 0, 10)}
	whole, err := pin.Analyze(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	var sum *database.Explanation
	q.ExaminedMax = 3000
	for more := true; more; {
		page, err := pin.Analyze(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		q.After, more = page.Actual.LastKey, page.Actual.More
		if sum == nil {
			sum = &page
		} else {
			sum.Add(page.Actual)
		}
	}
	if sum.Actual.LookedAt != explainedCities || sum.Actual.Returned != whole.Actual.Returned ||
		sum.Actual.QError != 1 || whole.Actual.QError != 1 {
		t.Errorf("%+v and %+v", sum.Actual, whole.Actual)
	}
	segments := int64(0)
	for i := range 3 {
		part, err := pin.Analyze(t.Context(), database.Query{Segment: i, Segments: 3})
		if err != nil || part.Actual.Boundaries != 0 {
			t.Fatal(part.Actual, err)
		}
		segments += part.Actual.LookedAt
	}
	if segments != explainedCities {
		t.Errorf("segments have %d rows", segments)
	}
}

func TestExplainErrors(t *testing.T) {
	pin := openCities(t)
	if _, err := pin.Explain(t.Context(),
		database.Query{Index: "none"}); database.KindOf(err) != database.KindNotFound {
		t.Error(err)
	}
	if _, err := pin.Analyze(t.Context(),
		database.Query{Index: "none"}); database.KindOf(err) != database.KindNotFound {
		t.Error(err)
	}
}
