// SPDX-License-Identifier: Apache-2.0

package datum

// ParseTimestamp reads a date with or without a time of day: 2024-01-31, 2024-1-31 12:30,
// 2024-01-31T12:30:00.123456+02:00, with Z or an offset, 20240131123000, 20240131. A fraction is rounded to
// microseconds. ok is false for anything else and outside 0001-01-01 .. 9999-12-31.
func ParseTimestamp(text string) (us int64, ok bool) {
	us, _, ok = ParseZoned(text)
	return us, ok
}

// ParseZoned is ParseTimestamp. zoned reports whether the text names a time zone: then us is an instant, and otherwise
// a time on the clock.
func ParseZoned(text string) (us int64, zoned, ok bool) {
	r := timeReader{rest: trimSpace(text)}
	var m Moment
	if run := r.digitRun(); run >= 6 {
		if !r.compact(&m, run) {
			return 0, false, false
		}
	} else if !r.date(&m) {
		return 0, false, false
	}
	if len(r.rest) > 0 && !r.clock(&m) {
		return 0, false, false
	}
	if m == (Moment{}) && !r.zoned {
		return ZeroUS, false, true
	}
	if m.Month < 1 || m.Month > 12 || m.Day < 1 || m.Day > m.MonthDays() || m.Hour > 23 || m.Minute > 59 ||
		m.Second > 59 {
		return 0, false, false
	}
	us = m.US() - r.offsetUS
	return us, r.zoned, us >= TimestampMin && us <= TimestampMax
}

// ParseDate reads what ParseTimestamp reads and drops the time of day.
func ParseDate(text string) (days int64, ok bool) {
	us, ok := ParseTimestamp(text)
	return floorDivide(us, dayUS), ok
}

// ParseTime reads [-][d ]hh:mm[:ss[.fff]], [-]hhmmss[.fff], and the time of day of a date with one. ok is false for
// anything else and beyond 838:59:59.
func ParseTime(text string) (us int64, ok bool) {
	text = trimSpace(text)
	if us, ok := ParseTimestamp(text); ok && len(text) > 10 {
		return us - floorDivide(us, dayUS)*dayUS, true
	}
	r := timeReader{rest: text}
	negative := r.skip('-')
	var m Moment
	run := r.digitRun()
	if run == 0 {
		return 0, false
	}
	if run == len(r.rest) || r.rest[run] == '.' {
		n, ok := r.number(7)
		if !ok {
			return 0, false
		}
		m.Hour, m.Minute, m.Second = n/10_000, n/100%100, n%100
	} else if !r.longHours(&m) {
		return 0, false
	}
	if !r.fraction(&m) || len(r.rest) > 0 || m.Minute > 59 || m.Second > 59 {
		return 0, false
	}
	us = int64(m.Hour)*hourUS + int64(m.Minute)*minuteUS + int64(m.Second)*secondUS + int64(m.Microsecond)
	if us > TimeMax {
		return 0, false
	}
	if negative {
		us = -us
	}
	return us, true
}

// timeReader cuts the parts of a time off the front of rest.
type timeReader struct {
	rest     string
	zoned    bool  // a time zone is named
	offsetUS int64 // its
}

func trimSpace(text string) string {
	for len(text) > 0 && isSpace(text[0]) {
		text = text[1:]
	}
	for len(text) > 0 && isSpace(text[len(text)-1]) {
		text = text[:len(text)-1]
	}
	return text
}

func (r *timeReader) digitRun() int {
	n := 0
	for n < len(r.rest) && r.rest[n]-'0' <= 9 {
		n++
	}
	return n
}

func (r *timeReader) skip(c byte) bool {
	if len(r.rest) > 0 && r.rest[0] == c {
		r.rest = r.rest[1:]
		return true
	}
	return false
}

// number cuts one digit or more, digitsMax at most.
func (r *timeReader) number(digitsMax int) (n int, ok bool) {
	run := r.digitRun()
	if run == 0 || run > digitsMax {
		return 0, false
	}
	for i := range run {
		n = n*10 + int(r.rest[i]-'0')
	}
	r.rest = r.rest[run:]
	return n, true
}

// date cuts year, month and day. A year of two digits is one of 1970 .. 2069.
func (r *timeReader) date(m *Moment) (ok bool) {
	run := r.digitRun()
	if m.Year, ok = r.number(4); !ok {
		return false
	}
	if run == 2 {
		m.Year = fullYear(m.Year)
	}
	if len(r.rest) == 0 || !isDateMark(r.rest[0]) {
		return false
	}
	r.rest = r.rest[1:]
	if m.Month, ok = r.number(2); !ok || len(r.rest) == 0 || !isDateMark(r.rest[0]) {
		return false
	}
	r.rest = r.rest[1:]
	m.Day, ok = r.number(2)
	return ok && (m.Year > 0 || m.Month == 0 && m.Day == 0)
}

func isDateMark(c byte) bool { return c == '-' || c == '/' || c == '.' }

func fullYear(year int) int {
	if year < 70 {
		return year + 2000
	}
	return year + 1900
}

// compact cuts [YY]YYMMDD[hhmmss], a run of digits.
func (r *timeReader) compact(m *Moment, run int) bool {
	digits := r.rest[:run]
	two := func(i int) int { return int(digits[i]-'0')*10 + int(digits[i+1]-'0') }
	at := 2
	switch run {
	case 8, 14:
		m.Year = two(0)*100 + two(2)
		at = 4
	case 6, 12:
		m.Year = fullYear(two(0))
	default:
		return false
	}
	m.Month, m.Day = two(at), two(at+2)
	r.rest = r.rest[run:]
	if run < 12 {
		return m.Year > 0
	}
	m.Hour, m.Minute, m.Second = two(at+4), two(at+6), two(at+8)
	return m.Year > 0 && r.fraction(m) && r.zone()
}

// clock cuts what follows a date: a separator, a time of day, a time zone.
func (r *timeReader) clock(m *Moment) (ok bool) {
	if !r.skip('T') && !r.skip(' ') {
		return false
	}
	for r.skip(' ') {
	}
	if m.Hour, ok = r.number(2); !ok {
		return false
	}
	if !r.skip(':') {
		return len(r.rest) == 0
	}
	if m.Minute, ok = r.number(2); !ok {
		return false
	}
	if r.skip(':') {
		if m.Second, ok = r.number(2); !ok {
			return false
		}
	}
	return r.fraction(m) && r.zone()
}

// fraction cuts a point and digits, if there is one, rounding to microseconds; 999999.6 µs carry into the second by way
// of 1000000.
func (r *timeReader) fraction(m *Moment) bool {
	if !r.skip('.') {
		return true
	}
	run := r.digitRun()
	scale := 100_000
	for i := range min(run, 6) {
		m.Microsecond += int(r.rest[i]-'0') * scale
		scale /= 10
	}
	if run > 6 && r.rest[6] >= '5' {
		m.Microsecond++
	}
	r.rest = r.rest[run:]
	return true
}

// zone cuts Z, +hh:mm, +hhmm or +hh at the end.
func (r *timeReader) zone() (ok bool) {
	for r.skip(' ') {
	}
	if len(r.rest) == 0 {
		return true
	}
	r.zoned = true
	if r.skip('Z') || r.skip('z') {
		return len(r.rest) == 0
	}
	sign := int64(1)
	if r.skip('-') {
		sign = -1
	} else if !r.skip('+') {
		return false
	}
	run := r.digitRun()
	hours, ok := r.number(4)
	minutes := 0
	switch {
	case !ok:
		return false
	case run == 4:
		hours, minutes = hours/100, hours%100
	case run == 2 && r.skip(':'):
		if minutes, ok = r.number(2); !ok {
			return false
		}
	}
	r.offsetUS = sign * (int64(hours)*hourUS + int64(minutes)*minuteUS)
	return len(r.rest) == 0 && hours <= 14 && minutes <= 59
}

// longHours cuts [d ]hh:mm[:ss].
func (r *timeReader) longHours(m *Moment) (ok bool) {
	if m.Hour, ok = r.number(3); !ok {
		return false
	}
	if r.skip(' ') {
		days := m.Hour
		if m.Hour, ok = r.number(2); !ok || days > 34 {
			return false
		}
		m.Hour += days * 24
		if len(r.rest) == 0 {
			return true
		}
	}
	if !r.skip(':') {
		return false
	}
	if m.Minute, ok = r.number(2); !ok {
		return false
	}
	if r.skip(':') {
		m.Second, ok = r.number(2)
	}
	return ok
}
