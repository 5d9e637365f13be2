// SPDX-License-Identifier: Apache-2.0

package function

import (
	"math"
	"strings"

	"github.com/weftdb/weft/internal/sql/datum"
)

const (
	secondUS = 1_000_000
	minuteUS = 60 * secondUS
	hourUS   = 60 * minuteUS
	dayUS    = 24 * hourUS
)

// unitsUS are the units of fixed length, in microseconds. // immutable
var unitsUS = map[string]int64{"microsecond": 1, "second": secondUS, "minute": minuteUS, "hour": hourUS, "day": dayUS,
	"week": 7 * dayUS}

// unitsMonths are the units of months. // immutable
var unitsMonths = map[string]int64{"month": 1, "quarter": 3, "year": 12}

// compounds are the units of several parts: the smallest part, and how many parts there are at most. // immutable
var compounds = map[string][]int64{
	"year_month": {12, 1}, "day_hour": {dayUS, hourUS}, "day_minute": {dayUS, hourUS, minuteUS},
	"day_second":      {dayUS, hourUS, minuteUS, secondUS},
	"day_microsecond": {dayUS, hourUS, minuteUS, secondUS, 1}, "hour_microsecond": {hourUS, minuteUS, secondUS, 1},
	"minute_microsecond": {minuteUS, secondUS, 1}, "second_microsecond": {secondUS, 1},
	"hour_minute": {hourUS, minuteUS}, "hour_second": {hourUS, minuteUS, secondUS},
	"minute_second": {minuteUS, secondUS},
}

// IsDayUnit reports whether a unit leaves the time of day alone.
func IsDayUnit(unit string) bool {
	return unit == "day" || unit == "week" || unit == "year_month" || unitsMonths[unit] != 0
}

// spanMost is more than 9999 years, in microseconds.
const spanMost = 400_000_000_000_000_000

// span is the length of an interval.
type span struct{ months, us int64 }

// spanOf is amount of a unit; ok is false if the unit is unknown or the amount too large for any time.
func spanOf(e *Environment, amount datum.Datum, unit string) (s span, ok bool) {
	if parts, compound := compounds[unit]; compound {
		return compoundSpan(e.TextOf(amount), parts, unit == "year_month")
	}
	if months := unitsMonths[unit]; months != 0 {
		n := amount.NumberInt()
		return span{months: n * months}, n < 120_000 && n > -120_000
	}
	length := unitsUS[unit]
	if unit == "second" {
		us := math.Round(amount.NumberFloat() * secondUS)
		return span{us: int64(us)}, us < spanMost && us > -spanMost
	}
	n := amount.NumberInt()
	if length == 0 || n > spanMost/length || n < -spanMost/length {
		return s, false
	}
	return span{us: n * length}, true
}

// compoundSpan reads '1:30' of MINUTE_SECOND and the like: numbers with anything between them, the last one of the
// smallest unit.
func compoundSpan(text []byte, parts []int64, months bool) (s span, ok bool) {
	var numbers []int64
	for i := 0; i < len(text); {
		if text[i]-'0' > 9 {
			i++
			continue
		}
		n, start := int64(0), i
		for ; i < len(text) && text[i]-'0' <= 9; i++ {
			n = min(n*10+int64(text[i]-'0'), 1e12)
		}
		// microseconds are digits behind a point
		if !months && parts[len(parts)-1] == 1 && len(numbers)+1 == len(parts) {
			for digits := i - start; digits < 6; digits++ {
				n *= 10
			}
		}
		numbers = append(numbers, n)
	}
	if len(numbers) > len(parts) {
		return s, false
	}
	parts = parts[len(parts)-len(numbers):]
	total := int64(0)
	for i, n := range numbers {
		if n > spanMost/parts[i] {
			return s, false
		}
		total += n * parts[i]
	}
	if strings.HasPrefix(strings.TrimSpace(string(text)), "-") {
		total = -total
	}
	if months {
		return span{months: total}, total < 120_000 && total > -120_000
	}
	return span{us: total}, true
}

// AddInterval moves a time by an interval, forwards or, if negative, backwards. A date moved by days, months or years
// stays a date. The result is NULL for a value that is no time, and where it would leave 0001-01-01 .. 9999-12-31.
func AddInterval(e *Environment, d, amount datum.Datum, unit string, negative bool) (datum.Datum, error) {
	s, ok := spanOf(e, amount, unit)
	if !ok {
		return datum.Null, nil
	}
	if negative {
		s.months, s.us = -s.months, -s.us
	}
	if d.Kind() == datum.KindTime && s.months == 0 {
		return datum.TimeUS(d.Int() + s.us).WithFraction(d.Scale()), nil
	}
	us, ok := e.instant(d)
	if !ok || us == datum.ZeroUS {
		return datum.Null, nil
	}
	if s.months != 0 {
		us = datum.MomentOf(us).AddMonths(s.months).US()
	}
	if us += s.us; us < datum.TimestampMin || us > datum.TimestampMax {
		return datum.Null, nil
	}
	if isDate(d) && IsDayUnit(unit) {
		return datum.DateDays(floorDivide(us, dayUS)), nil
	}
	return datum.TimestampUS(us).WithFraction(fractionOf(d)).MeetingAs(d), nil
}

// isDate reports whether d is a date without a time of day.
func isDate(d datum.Datum) bool {
	return d.Kind() == datum.KindDate || d.Kind() == datum.KindText &&
		(d.Len() <= len("2024-01-31") || len(datum.TimePrefix(string(d.Bytes()))) <= len("2024-01-31"))
}

func floorDivide(a, b int64) int64 {
	quotient := a / b
	if a%b < 0 {
		quotient--
	}
	return quotient
}
