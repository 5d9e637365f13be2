// SPDX-License-Identifier: Apache-2.0

package sortkey

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the same zones on every machine

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/testing/rounds"
)

// TestDays runs testdata/day. `around zone=Z` takes a local date a line and shows the start of it, how long it is, and
// its neighbours. `of zone=Z` takes an instant a line and shows the start of its day.
func TestDays(t *testing.T) {
	datadriven.RunTest(t, "testdata/day", func(t *testing.T, d *datadriven.TestData) string {
		var zone string
		d.ScanArgs(t, "zone", &zone)
		loc := mustLoad(t, zone)
		show := func(day int64) string { return time.Unix(day, 0).In(loc).Format("2006-01-02 15:04:05 -07:00") }
		var out strings.Builder
		for _, line := range strings.Split(d.Input, "\n") {
			switch d.Cmd {
			case "around":
				at, err := time.ParseInLocation("2006-01-02 15:04", line+" 12:00", loc)
				if err != nil {
					d.Fatalf(t, "%v", err)
				}
				day := Day(at, loc)
				next, previous := NextDay(day, loc), PreviousDay(day, loc)
				fmt.Fprintf(&out, "%s: %d = %s, %v; before %s; after %s\n", line, day, show(day),
					time.Duration(next-day)*time.Second,
					show(previous), show(next))
			case "of":
				at, err := time.Parse(time.RFC3339, line)
				if err != nil {
					d.Fatalf(t, "%v", err)
				}
				fmt.Fprintf(&out, "%s: local %s, day %s, descending %d\n", line,
					at.In(loc).Format("2006-01-02 15:04:05 -07:00"),
					show(Day(at, loc)), DayDescending(at, loc))
			default:
				d.Fatalf(t, "unknown command %s", d.Cmd)
			}
		}
		return out.String()
	})
}

func mustLoad(t testing.TB, zone string) *time.Location {
	loc, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

// oddZones changed clocks at or near midnight, left out or repeated days, or lie far from UTC.
var oddZones = []string{
	"UTC", "Asia/Tokyo", "Europe/Berlin", "America/Sao_Paulo", "America/Havana", "America/St_Johns", "Asia/Beirut",
	"Asia/Tehran",
	"Pacific/Apia", "Pacific/Kwajalein", "Pacific/Kiritimati", "America/Juneau", "Asia/Manila", "Australia/Lord_Howe",
	"Africa/Monrovia",
}

// TestDayProperties walks random days of odd zones, second for second where it matters: the day's start has the day's
// date, the second before it has not, and stepping forward and back returns to it.
func TestDayProperties(t *testing.T) {
	seed := rounds.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	for _, zone := range oddZones {
		loc := mustLoad(t, zone)
		for range rounds.Of(t, 2000) {
			at := time.Unix(r.Int64N(6_500_000_000)-4_500_000_000, 0) // 1827 to 2033
			if r.IntN(2) == 0 {
				if _, end := at.In(loc).ZoneBounds(); !end.IsZero() {
					at = end.Add(time.Duration(r.IntN(50)-25) * time.Hour) // near a change of clocks
				}
			}
			checkDay(t, at, loc)
		}
	}
}

func checkDay(t *testing.T, at time.Time, loc *time.Location) {
	t.Helper()
	date := func(unix int64) string { return time.Unix(unix, 0).In(loc).Format(time.DateOnly) }
	day := Day(at, loc)
	if date(day) != date(at.Unix()) || day > at.Unix() {
		t.Fatalf("%v in %s: the day starts at %s", at.In(loc), loc, time.Unix(day, 0).In(loc))
	}
	for _, earlier := range []int64{1, 60, 1_800, 3_600, 7_200, 86_400} {
		if date(day-earlier) == date(day) {
			t.Fatalf("%s in %s: %d s before its start it is still that day", date(day), loc, earlier)
		}
	}
	next, previous := NextDay(day, loc), PreviousDay(day, loc)
	if next <= day || previous >= day || date(next) <= date(day) || date(previous) >= date(day) {
		t.Fatalf("%s in %s: next %s, previous %s", date(day), loc, date(next), date(previous))
	}
	if PreviousDay(next, loc) != day || NextDay(previous, loc) != day || Day(time.Unix(next, 0), loc) != next {
		t.Fatalf("%s in %s: there and back again is another day", date(day), loc)
	}
}

func TestDayRanges(t *testing.T) {
	berlin := mustLoad(t, "Europe/Berlin")
	first := time.Date(2024, 3, 30, 23, 0, 0, 0, berlin)
	last := time.Date(2024, 4, 1, 1, 0, 0, 0, berlin)
	forward := slices.Collect(Days(first, last, berlin))
	backward := slices.Collect(Days(last, first, berlin))
	slices.Reverse(backward)
	if len(forward) != 3 || !slices.Equal(forward, backward) {
		t.Fatalf("forward %v, backward reversed %v", forward, backward)
	}
	if one := slices.Collect(Days(first, first, nil)); len(one) != 1 || one[0] != Day(first, time.UTC) {
		t.Fatalf("one day: %v", one)
	}
	for day := range Days(first, last, berlin) {
		if day != forward[0] {
			t.Fatalf("went on after break to %d", day)
		}
		break
	}
}

func BenchmarkDay(b *testing.B) {
	loc := mustLoad(b, "Europe/Berlin")
	at := time.Date(2024, 7, 1, 12, 0, 0, 0, time.UTC)
	b.ReportAllocs()
	for b.Loop() {
		Day(at, loc)
	}
}
