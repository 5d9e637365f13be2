// SPDX-License-Identifier: Apache-2.0

package codec

import (
	"cmp"
	"math"
	"math/bits"
)

// Instant is a point in time, counted from 1970-01-01T00:00:00Z in days of 86,400 seconds. Nanos is 0..999,999,999, and
// counts forward in times before 1970, too.
type Instant struct {
	Seconds int64
	Nanos   int32
}

// Compare returns -1, 0 or 1 as i is before, at or after j.
func (i Instant) Compare(j Instant) int {
	return cmp.Or(cmp.Compare(i.Seconds, j.Seconds), cmp.Compare(i.Nanos, j.Nanos))
}

// count returns i in units, rounded down. side is -1 or 1 if that does not fit and is clamped.
func (i Instant) count(unit Unit) (count int64, side int) {
	per := unitsPerSecond[unit]
	switch {
	case i.Seconds >= math.MaxInt64/per:
		return math.MaxInt64, 1
	case i.Seconds < math.MinInt64/per:
		return math.MinInt64, -1
	}
	return i.Seconds*per + int64(i.Nanos)/(1e9/per), 0
}

const secondsPerDay = 86_400

// monthEnds are the days of a common year up to the end of each month. // immutable
var monthEnds = [13]int64{0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365}

// ParseInstant reads an ISO 8601 date, or date and time, in basic or extended form, as the instants from first to last
// that it stands for. zone is the zone of times without one, in minutes east of UTC. The error is ErrInstant.
//
//	2024-05-31  20240531     +002024-05-31   calendar dates; years of four digits, or of six with a sign
//	2024-W22-5  2024W225     +002024-W22-5   week dates
//	2024-152    2024152      +002024-152     ordinal dates
//	2024  2024-05  2024-W22                  a year, a month, a week: from its first nanosecond to its last
//	...T23:59:59.25+02:00  ...T235959,25Z    times, with a fraction of any length in their last part: one instant
//	...T23:59  ...T23                        a minute, an hour
//
// T24:00 is the end of the day and :60 the first second of the next minute. A date without a time is its day, in the
// given zone. Of fractions, what is below a nanosecond is dropped. The T may be a t or a space, and the Z a z.
func ParseInstant(text []byte, zone int) (first, last Instant, err error) {
	p := isoParser{text: text}
	day, days, ok := p.date()
	if !ok {
		return first, last, ErrInstant
	}
	first.Seconds = day * secondsPerDay
	span := days * secondsPerDay // in seconds
	if p.at < len(text) {
		var seconds, nanos int64
		seconds, nanos, span, ok = p.time()
		if !ok || days != 1 {
			return Instant{}, last, ErrInstant
		}
		first.Seconds += seconds
		first.Nanos = int32(nanos)
		if zone, ok = p.zone(zone); !ok || p.at != len(text) {
			return Instant{}, last, ErrInstant
		}
	}
	first.Seconds -= int64(zone) * 60
	last = first
	if span > 0 {
		last = Instant{Seconds: first.Seconds + span - 1, Nanos: 999_999_999}
	}
	return first, last, nil
}

// isoParser reads text from at on.
type isoParser struct {
	text []byte
	at   int
}

// skip steps over c, if that is next.
func (p *isoParser) skip(c byte) bool {
	if p.at < len(p.text) && p.text[p.at] == c {
		p.at++
		return true
	}
	return false
}

// digitsAhead counts the digits that come next, up to five.
func (p *isoParser) digitsAhead() int {
	n := 0
	for n < 5 && p.at+n < len(p.text) && isDigit(p.text[p.at+n]) {
		n++
	}
	return n
}

func isDigit(c byte) bool { return c-'0' <= 9 }

// number reads exactly n digits.
func (p *isoParser) number(n int) (v int64, ok bool) {
	if len(p.text)-p.at < n {
		return 0, false
	}
	for _, c := range p.text[p.at : p.at+n] {
		if !isDigit(c) {
			return 0, false
		}
		v = v*10 + int64(c-'0')
	}
	p.at += n
	return v, true
}

// within reads a number of n digits that is least..most.
func (p *isoParser) within(n int, least, most int64) (v int64, ok bool) {
	v, ok = p.number(n)
	return v, ok && v >= least && v <= most
}

// date returns the days since 1970 of a date's first day, and how many days it has.
func (p *isoParser) date() (day, days int64, ok bool) {
	year, ok := p.year()
	if !ok {
		return 0, 0, false
	}
	start, length := yearStart(year), yearStart(year+1)-yearStart(year)
	extended := p.skip('-')
	if p.skip('W') {
		return p.week(year, extended)
	}
	switch ahead := p.digitsAhead(); {
	case ahead == 0 && !extended:
		return start, length, true
	case ahead == 3:
		n, ok := p.within(3, 1, length)
		return start + n - 1, 1, ok
	case ahead == 2 && extended, ahead == 4 && !extended:
		return p.month(start, length, extended)
	}
	return 0, 0, false
}

// year reads four digits, or a sign and six. There is no -000000.
func (p *isoParser) year() (year int64, ok bool) {
	switch {
	case p.skip('+'):
		return p.number(6)
	case p.skip('-'):
		year, ok = p.within(6, 1, 999_999)
		return -year, ok
	}
	return p.number(4)
}

// month reads a month, and its day unless it ends there.
func (p *isoParser) month(start, length int64, extended bool) (day, days int64, ok bool) {
	month, ok := p.within(2, 1, 12)
	if !ok {
		return 0, 0, false
	}
	first, end := monthEnds[month-1], monthEnds[month]
	if leap := length - 365; month >= 2 {
		end += leap
		if month > 2 {
			first += leap
		}
	}
	if extended && !p.skip('-') {
		return start + first, end - first, true
	}
	n, ok := p.within(2, 1, end-first)
	return start + first + n - 1, 1, ok
}

// week reads a week, and its day unless it ends there. Week 1 is the one with January 4; weeks begin on Mondays.
func (p *isoParser) week(year int64, extended bool) (day, days int64, ok bool) {
	first := weekYearStart(year)
	n, ok := p.within(2, 1, (weekYearStart(year+1)-first)/7)
	if !ok {
		return 0, 0, false
	}
	day = first + 7*(n-1)
	if extended && !p.skip('-') || !extended && p.digitsAhead() == 0 {
		return day, 7, true
	}
	n, ok = p.within(1, 1, 7)
	return day + n - 1, 1, ok
}

func weekYearStart(year int64) int64 {
	fourth := yearStart(year) + 3
	return fourth - floorMod(fourth+3, 7) // day 0 was a Thursday
}

// yearStart returns the days from 1970 to January 1 of a year of the Gregorian calendar, in years before it was made,
// too.
func yearStart(year int64) int64 { return 365*(year-1970) + leapDays(year-1) - leapDays(1969) }

func leapDays(year int64) int64 { return floorDiv(year, 4) - floorDiv(year, 100) + floorDiv(year, 400) }

func floorDiv(a, b int64) int64 { return (a - floorMod(a, b)) / b }

func floorMod(a, b int64) int64 { return (a%b + b) % b }

// time returns the time of day, and for how many seconds it stands: 0 for an instant.
func (p *isoParser) time() (seconds, nanos, span int64, ok bool) {
	if !p.skip('T') && !p.skip('t') && !p.skip(' ') {
		return 0, 0, 0, false
	}
	hour, ok := p.within(2, 0, 24)
	if !ok {
		return 0, 0, 0, false
	}
	seconds, span = hour*3600, 3600
	extended := p.skip(':')
	if extended || p.digitsAhead() > 0 {
		minute, ok := p.within(2, 0, 59)
		if !ok {
			return 0, 0, 0, false
		}
		seconds, span = seconds+minute*60, 60
		if extended && p.skip(':') || !extended && p.digitsAhead() > 0 {
			second, ok := p.within(2, 0, 60)
			if !ok {
				return 0, 0, 0, false
			}
			seconds, span = seconds+second, 1
		}
	}
	if p.skip('.') || p.skip(',') {
		var part int64
		if part, nanos, ok = p.fraction(span); !ok {
			return 0, 0, 0, false
		}
		seconds, span = seconds+part, 0
	}
	if span == 1 || hour == 24 {
		span = 0
	}
	return seconds, nanos, span, hour < 24 || seconds == secondsPerDay && nanos == 0
}

// fraction reads the digits of a fraction of span seconds.
func (p *isoParser) fraction(span int64) (seconds, nanos int64, ok bool) {
	var digits, count uint64
	for ; p.at < len(p.text) && isDigit(p.text[p.at]); p.at++ {
		if count++; count <= 18 {
			digits = digits*10 + uint64(p.text[p.at]-'0')
		}
	}
	for n := count; n < 18; n++ {
		digits *= 10
	}
	high, low := bits.Mul64(digits, uint64(span)*1e9)
	total, _ := bits.Div64(high, low, 1e18) // digits are below 10^18, so the quotient is below span in nanoseconds
	return int64(total / 1e9), int64(total % 1e9), count > 0
}

// zone reads an offset in minutes, if one follows.
func (p *isoParser) zone(otherwise int) (minutes int, ok bool) {
	sign := int64(1)
	switch {
	case p.at == len(p.text):
		return otherwise, true
	case p.skip('Z'), p.skip('z'):
		return 0, true
	case p.skip('-'):
		sign = -1
	case !p.skip('+'):
		return 0, false
	}
	hours, ok := p.within(2, 0, 23)
	if !ok || p.at == len(p.text) {
		return int(sign * hours * 60), ok
	}
	p.skip(':')
	rest, ok := p.within(2, 0, 59)
	return int(sign * (hours*60 + rest)), ok
}
