// SPDX-License-Identifier: Apache-2.0

package function

import (
	"strings"

	"github.com/weftdb/weft/internal/sql/datum"
)

const (
	secondMS = 1000
	minuteMS = 60 * secondMS
	hourMS   = 60 * minuteMS
	dayMS    = 24 * hourMS
)

// unitsMS are the units of fixed length, in milliseconds; a microsecond is less than one. // immutable
var unitsMS = map[string]int64{"second": secondMS, "minute": minuteMS, "hour": hourMS, "day": dayMS, "week": 7 * dayMS}

// unitsMonths are the units of months. // immutable
var unitsMonths = map[string]int64{"month": 1, "quarter": 3, "year": 12}

// compounds are the units of several parts: the smallest part, and how many parts there are at most. // immutable
var compounds = map[string][]int64{
	"year_month": {12, 1}, "day_hour": {dayMS, hourMS}, "day_minute": {dayMS, hourMS, minuteMS}, "day_second": {dayMS, hourMS, minuteMS, secondMS},
	"hour_minute": {hourMS, minuteMS}, "hour_second": {hourMS, minuteMS, secondMS}, "minute_second": {minuteMS, secondMS},
}

// IsDayUnit says whether a unit leaves the time of day alone.
func IsDayUnit(unit string) bool {
	return unit == "day" || unit == "week" || unit == "year_month" || unitsMonths[unit] != 0
}

// span is the length of an interval.
type span struct{ months, ms int64 }

// spanOf is amount of a unit; ok is false if the unit is unknown or the amount too large for any time.
func spanOf(e *Environment, amount datum.Datum, unit string) (s span, ok bool) {
	const most = 400_000_000_000_000 // in milliseconds, more than 9999 years
	if parts, compound := compounds[unit]; compound {
		return compoundSpan(e.TextOf(amount), parts, unit == "year_month")
	}
	if months := unitsMonths[unit]; months != 0 {
		n := amount.NumberInt()
		return span{months: n * months}, n < 120_000 && n > -120_000
	}
	if unit == "microsecond" {
		return span{ms: amount.NumberInt() / 1000}, true
	}
	length := unitsMS[unit]
	if unit == "second" {
		ms := amount.NumberFloat() * secondMS
		return span{ms: int64(ms)}, ms < most && ms > -most
	}
	n := amount.NumberInt()
	if length == 0 || n > most/length || n < -most/length {
		return s, false
	}
	return span{ms: n * length}, true
}

// compoundSpan reads '1:30' of MINUTE_SECOND and the like: numbers with anything between them, the last one of the smallest unit.
func compoundSpan(text []byte, parts []int64, months bool) (s span, ok bool) {
	var numbers []int64
	for i := 0; i < len(text); {
		if text[i]-'0' > 9 {
			i++
			continue
		}
		n := int64(0)
		for ; i < len(text) && text[i]-'0' <= 9; i++ {
			n = min(n*10+int64(text[i]-'0'), 1e12)
		}
		numbers = append(numbers, n)
	}
	if len(numbers) > len(parts) {
		return s, false
	}
	parts = parts[len(parts)-len(numbers):]
	total := int64(0)
	for i, n := range numbers {
		if n > 400_000_000_000_000/parts[i] {
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
	return span{ms: total}, true
}

// AddInterval moves a time by an interval, forwards or, if negative, backwards. A date moved by days, months or years stays a date; NULL is what is
// no time, and what would leave 0001-01-01 .. 9999-12-31.
func AddInterval(e *Environment, d, amount datum.Datum, unit string, negative bool) (datum.Datum, error) {
	s, ok := spanOf(e, amount, unit)
	if !ok {
		return datum.Null, nil
	}
	if negative {
		s.months, s.ms = -s.months, -s.ms
	}
	if d.Kind() == datum.KindTime && s.months == 0 {
		return datum.TimeMS(d.Int() + s.ms), nil
	}
	ms, ok := d.Instant()
	if !ok {
		return datum.Null, nil
	}
	if s.months != 0 {
		ms = datum.MomentOf(ms).AddMonths(s.months).MS()
	}
	if ms += s.ms; ms < datum.TimestampMin || ms > datum.TimestampMax {
		return datum.Null, nil
	}
	if isDate(d) && IsDayUnit(unit) {
		return datum.DateDays(floorDivide(ms, dayMS)), nil
	}
	return datum.TimestampMS(ms), nil
}

// isDate says whether d is a date without a time of day.
func isDate(d datum.Datum) bool {
	return d.Kind() == datum.KindDate || d.Kind() == datum.KindText && d.Len() <= len("2024-01-31")
}

func floorDivide(a, b int64) int64 {
	quotient := a / b
	if a%b < 0 {
		quotient--
	}
	return quotient
}
