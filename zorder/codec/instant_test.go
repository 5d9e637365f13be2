// SPDX-License-Identifier: Apache-2.0

package codec

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/testing/rounds"
)

// instant writes a random time in a random form, knowing from package time what it stands for.
func (r random) instant(zone int) sample {
	offset := zone
	suffix := ""
	if r.IntN(2) == 0 {
		offset = r.IntN(2*zoneMax+1) - zoneMax
		suffix = []string{formatZone(offset), strings.ReplaceAll(formatZone(offset), ":", "")}[r.IntN(2)]
	}
	years := int64(3000)
	if r.IntN(5) == 0 {
		years = 500_000
	}
	local := time.Unix((r.Int64N(2*years)-years)*31_556_952+r.Int64N(31_556_952), 0).UTC()
	if r.IntN(3) == 0 { // near the ends of years, and near one another
		local = time.Date(1970+r.IntN(60), 1, 1, 0, 0, r.IntN(10*86_400)-5*86_400, 0, time.UTC)
	}
	if local.Year() == 0 || local.Year() == -1 {
		local = local.AddDate(3, 0, 0) // -000000 is no year
	}
	text, start, end := r.day(local)
	if end.Sub(start) == 24*time.Hour && r.IntN(3) > 0 {
		var clock string
		clock, start, end = r.clock(local)
		text += clock + suffix
	} else {
		offset = zone
	}
	s := sample{value: String(text)}
	start, end = start.Add(-time.Duration(offset)*time.Minute), end.Add(-time.Duration(offset)*time.Minute)
	s.first = Instant{start.Unix(), int32(start.Nanosecond())}
	s.last = s.first
	if end.After(start) {
		end = end.Add(-1)
		s.last = Instant{end.Unix(), int32(end.Nanosecond())}
	}
	return s
}

// day writes the date of a time, or less than that.
func (r random) day(local time.Time) (text string, start, end time.Time) {
	start = time.Date(local.Year(), local.Month(), local.Day(), 0, 0, 0, 0, time.UTC)
	end = start.AddDate(0, 0, 1)
	dash := []string{"-", ""}[r.IntN(2)]
	weekYear, week := local.ISOWeek()
	weekday := (int(local.Weekday())+6)%7 + 1
	monday := start.AddDate(0, 0, 1-weekday)
	switch r.IntN(8) {
	case 0:
		return formatYear(local.Year()), time.Date(local.Year(), 1, 1, 0, 0, 0, 0, time.UTC), time.Date(local.Year()+1,
			1, 1, 0, 0, 0, 0, time.UTC)
	case 1:
		month := start.AddDate(0, 0, 1-local.Day())
		return formatYear(local.Year()) + local.Format("-01"), month, month.AddDate(0, 1, 0)
	case 2:
		if weekYear != 0 {
			return fmt.Sprintf("%s%sW%02d", formatYear(weekYear), dash, week), monday, monday.AddDate(0, 0, 7)
		}
	case 3:
		if weekYear != 0 {
			return fmt.Sprintf("%s%sW%02d%s%d", formatYear(weekYear), dash, week, dash, weekday), start, end
		}
	case 4:
		return fmt.Sprintf("%s%s%03d", formatYear(local.Year()), dash, local.YearDay()), start, end
	}
	return formatYear(local.Year()) + dash + local.Format("01") + dash + local.Format("02"), start, end
}

func formatYear(year int) string {
	if year >= 0 && year <= 9999 {
		return fmt.Sprintf("%04d", year)
	}
	return fmt.Sprintf("%+07d", year)
}

// clock writes a time of day, or less than that.
func (r random) clock(local time.Time) (text string, start, end time.Time) {
	colon := []string{":", ""}[r.IntN(2)]
	minute := local.Truncate(time.Minute)
	hour := time.Date(local.Year(), local.Month(), local.Day(), local.Hour(), 0, 0, 0, time.UTC)
	switch r.IntN(7) {
	case 0:
		return local.Format("T15"), hour, hour.Add(time.Hour)
	case 1:
		return local.Format("T15" + colon + "04"), minute, minute.Add(time.Minute)
	case 2:
		quarter := r.IntN(4)
		start = hour.Add(time.Duration(quarter) * 15 * time.Minute)
		return local.Format("T15") + fmt.Sprintf(",%02d", quarter*25), start, start
	case 3:
		start = time.Date(local.Year(), local.Month(), local.Day()+1, 0, 0, 0, 0, time.UTC)
		return "T24" + colon + "00", start, start
	case 4:
		start = minute.Add(time.Minute)
		return local.Format("T15" + colon + "04" + colon + "60"), start, start
	}
	nanos := r.IntN(1e9)
	start = local.Add(time.Duration(nanos))
	return local.Format("T15"+colon+"04"+colon+"05") + fmt.Sprintf(".%09d", nanos), start, start
}

// TestParseInstant holds every form to what package time makes of it.
func TestParseInstant(t *testing.T) {
	r := newRandom(t)
	for range rounds.Of(t, 5000) {
		zone := r.IntN(2*zoneMax+1) - zoneMax
		want := r.instant(zone)
		first, last, err := ParseInstant(want.value.bytes, zone)
		if err != nil || first != want.first || last != want.last {
			t.Fatalf("%s in zone %d: got %v..%v, %v; want %v..%v", want.value.bytes, zone, first, last, err, want.first,
				want.last)
		}
	}
}
