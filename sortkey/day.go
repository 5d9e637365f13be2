// SPDX-License-Identifier: Apache-2.0

package sortkey

import (
	"cmp"
	"iter"
	"time"
)

const secondsPerDay = 86_400

// Day returns the start of t's day in loc as Unix seconds: a partition key for the events of one local day. The day
// starts at its first instant, which is not midnight where clocks go forward at midnight. A nil loc is UTC.
func Day(t time.Time, loc *time.Location) int64 {
	t = t.In(location(loc))
	start, ok := startOfDay(dateNumber(t), t.Location())
	if !ok {
		return t.Unix() // no zone has an instant outside the days it has
	}
	return start
}

// DayDescending returns minus Day: as an ascending key it lists the newest day first.
func DayDescending(t time.Time, loc *time.Location) int64 { return -Day(t, loc) }

// NextDay takes a result of Day and returns the start of the following day, usually 23 to 25 hours later. A day that
// loc left out, as places that crossed the date line did, is passed over.
func NextDay(day int64, loc *time.Location) int64 { return moveDay(day, loc, 1) }

// PreviousDay takes a result of Day and returns the start of the day before.
func PreviousDay(day int64, loc *time.Location) int64 { return moveDay(day, loc, -1) }

// Days lists the days from the one of first to the one of last, both included: forward in time, or backward if last is
// on an earlier day. These are the partitions that a range of times asks for.
func Days(first, last time.Time, loc *time.Location) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		day, end := Day(first, loc), Day(last, loc)
		step := int64(1)
		if end < day {
			step = -1
		}
		for yield(day) && day*step < end*step {
			day = moveDay(day, loc, step)
		}
	}
}

func location(loc *time.Location) *time.Location {
	return cmp.Or(loc, time.UTC)
}

func moveDay(day int64, loc *time.Location, step int64) int64 {
	loc = location(loc)
	date := dateNumber(time.Unix(day, 0).In(loc))
	// No place left out more than a day or two at a time; the limit only keeps the loop finite.
	for range 7 {
		date += step
		if start, ok := startOfDay(date, loc); ok {
			return start
		}
	}
	return day + step*secondsPerDay
}

// dateNumber returns t's local date as the number of days since 1970-01-01.
func dateNumber(t time.Time) int64 {
	_, offset := t.Zone()
	local := t.Unix() + int64(offset)
	number := local / secondsPerDay
	if local%secondsPerDay < 0 {
		number--
	}
	return number
}

// startOfDay returns the first instant, in Unix seconds, at which loc's calendar shows the date. It looks through the
// periods of constant offset around that date, for midnight can be missing (clocks go forward over it) or come twice
// (they go back over it). ok is false if loc has no such date.
func startOfDay(date int64, loc *time.Location) (start int64, ok bool) {
	midnight := date * secondsPerDay // as shown by the local clock
	// Offsets are below a day and a bit, so whatever can show the date lies within two days of it.
	latest := midnight + 3*secondsPerDay
	for at := time.Unix(midnight-2*secondsPerDay, 0).In(loc); at.Unix() < latest; {
		_, offset := at.Zone()
		begin, end := at.ZoneBounds()
		start = midnight - int64(offset)
		if !begin.IsZero() {
			start = max(start, begin.Unix())
		}
		if start < midnight-int64(offset)+secondsPerDay && (end.IsZero() || start < end.Unix()) {
			return start, true
		}
		if end.IsZero() {
			break
		}
		at = end
	}
	return 0, false
}
