// SPDX-License-Identifier: Apache-2.0

package function

import (
	"strings"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
)

// dayUnits are the parts of a date that EXTRACT names. // immutable
var dayUnits = map[string]func(datum.Moment) int{
	"year":       func(m datum.Moment) int { return m.Year },
	"month":      func(m datum.Moment) int { return m.Month },
	"day":        func(m datum.Moment) int { return m.Day },
	"quarter":    func(m datum.Moment) int { return (m.Month + 2) / 3 },
	"week":       func(m datum.Moment) int { n, _ := week(m, 0); return n },
	"year_month": func(m datum.Moment) int { return m.Year*100 + m.Month },
}

// parts are the functions that take times apart. // immutable
var parts = map[string]Function{
	"year":        dayPart(dayUnits["year"]),
	"month":       dayPart(dayUnits["month"]),
	"day":         dayPart(dayUnits["day"]),
	"dayofmonth":  dayPart(dayUnits["day"]),
	"dayofweek":   dayPart(func(m datum.Moment) int { return (weekday(m)+1)%7 + 1 }),
	"weekday":     dayPart(weekday),
	"dayofyear":   dayPart(yearDay),
	"quarter":     dayPart(dayUnits["quarter"]),
	"to_days":     dayPart(func(m datum.Moment) int { return int(m.Days()) + dayZero }),
	"to_seconds":  dayPart(func(m datum.Moment) int { return int(floorDivide(m.US(), secondUS)) + dayZero*86_400 }),
	"weekofyear":  dayPart(func(m datum.Moment) int { n, _ := week(m, 3); return n }),
	"week":        {Min: 1, Max: 2, Result: isInteger, Apply: weekOf},
	"yearweek":    {Min: 1, Max: 2, Result: isInteger, Apply: yearWeek},
	"hour":        clockPart(func(us int64) int64 { return us / hourUS }),
	"minute":      clockPart(func(us int64) int64 { return us / minuteUS % 60 }),
	"second":      clockPart(func(us int64) int64 { return us / secondUS % 60 }),
	"microsecond": clockPart(func(us int64) int64 { return us % secondUS }),
	"time_to_sec": {Min: 1, Max: 1, Result: isInteger, Apply: timeToSeconds},
	"dayname": {Min: 1, Max: 1, Result: isText,
		Apply: ofDay(func(m datum.Moment) datum.Datum { return datum.TextString(dayNames[weekday(m)]) })},
	"monthname": {Min: 1, Max: 1, Result: isText,
		Apply: ofDay(func(m datum.Moment) datum.Datum { return datum.TextString(monthNames[m.Month-1]) })},
	"extract": {Min: 2, Max: 2, Result: isInteger, Apply: extract},
}

// dayNames and monthNames are in English, as lc_time_names has them unless it is set. // immutable
var (
	dayNames   = [...]string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}
	monthNames = [...]string{"January", "February", "March", "April", "May", "June", "July", "August", "September",
		"October", "November", "December"}
)

// ofDay computes something of the time that an argument stands for.
func ofDay(compute func(datum.Moment) datum.Datum) func(*Environment, []datum.Datum) (datum.Datum, error) {
	return func(e *Environment, a []datum.Datum) (datum.Datum, error) {
		us, ok := e.instant(a[0])
		if !ok {
			return datum.Null, nil
		}
		return compute(datum.MomentOf(us)), nil
	}
}

func dayPart(part func(datum.Moment) int) Function {
	return Function{Min: 1, Max: 1, Result: isInteger,
		Apply: ofDay(func(m datum.Moment) datum.Datum { return datum.Int(int64(part(m))) })}
}

// clockPart takes the magnitude of a time of day apart.
func clockPart(part func(us int64) int64) Function {
	return Function{Min: 1, Max: 1, Result: isInteger,
		Apply: func(e *Environment, a []datum.Datum) (datum.Datum, error) {
			us, ok := e.clock(a[0])
			return orNull(datum.Int(part(max(us, -us))), ok)
		}}
}

// orNull is a result, or NULL where an argument has none.
func orNull(result datum.Datum, ok bool) (datum.Datum, error) {
	if !ok {
		return datum.Null, nil
	}
	return result, nil
}

func timeToSeconds(e *Environment, a []datum.Datum) (datum.Datum, error) {
	us, ok := e.clock(a[0])
	return orNull(datum.Int(us/secondUS), ok)
}

// weekday counts from Monday, which is 0.
func weekday(m datum.Moment) int { return int((m.Days()%7 + 10) % 7) }

// yearDay counts from 1.
func yearDay(m datum.Moment) int {
	return int(m.Days()-datum.Moment{Year: m.Year, Month: 1, Day: 1}.Days()) + 1
}

// week is the number of a day's week, and the year that it belongs to. Bit 0 of mode: weeks begin on Monday; bit 1:
// weeks of a year count from 1, those before its first belong to the last year; bit 2 reversed reports whether the
// first week is the one with four days or more, or the one that begins in the year.
func week(m datum.Moment, mode int64) (number, year int) {
	monday, fromOne, whole := mode&1 != 0, mode&2 != 0, mode&4 != 0
	if !monday {
		whole = !whole
	}
	first := datum.Moment{Year: m.Year, Month: 1, Day: 1}
	begins := weekdayFrom(first, monday)
	days := yearDay(m) - 1
	year = m.Year
	if m.Month == 1 && m.Day <= 7-begins {
		if !fromOne && (whole && begins != 0 || !whole && begins >= 4) {
			return 0, year
		}
		if whole && begins != 0 || !whole && begins >= 4 {
			year--
			length := yearDay(datum.Moment{Year: year, Month: 12, Day: 31})
			days += length
			begins = (begins + 53*7 - length) % 7
		}
	}
	if whole && begins != 0 || !whole && begins >= 4 {
		days -= 7 - begins
	} else {
		days += begins
	}
	if fromOne && days >= 52*7 {
		length := yearDay(datum.Moment{Year: year, Month: 12, Day: 31})
		next := (begins + length) % 7
		if !whole && next < 4 || whole && next == 0 {
			return 1, year + 1
		}
	}
	return days/7 + 1, year
}

// weekdayFrom counts from Monday or Sunday, which is 0.
func weekdayFrom(m datum.Moment, monday bool) int {
	if monday {
		return weekday(m)
	}
	return (weekday(m) + 1) % 7
}

func weekOf(e *Environment, a []datum.Datum) (datum.Datum, error) {
	number, _, ok := e.weekBy(a, 0)
	return orNull(datum.Int(int64(number)), ok)
}

func yearWeek(e *Environment, a []datum.Datum) (datum.Datum, error) {
	number, year, ok := e.weekBy(a, 2)
	return orNull(datum.Int(int64(year*100+number)), ok)
}

// weekBy is week of a time and, if it is there, a mode, with more bits set in that.
func (e *Environment) weekBy(a []datum.Datum, mode int64) (number, year int, ok bool) {
	if len(a) == 2 {
		mode |= a[1].NumberInt() & 7
	}
	us, ok := e.instant(a[0])
	if ok {
		number, year = week(datum.MomentOf(us), mode)
	}
	return number, year, ok
}

// extract is EXTRACT(unit FROM time): the unit, then the time.
func extract(e *Environment, a []datum.Datum) (datum.Datum, error) {
	unit := string(e.TextOf(a[0]))
	of := a[1:]
	if part, ok := dayUnits[unit]; ok {
		return dayPart(part).Apply(e, of)
	}
	negative := false
	var us int64
	var ok bool
	day := 0
	if moves(of[0]) || !hasClock(of[0]) {
		if us, ok = e.instant(of[0]); ok && strings.HasPrefix(unit, "day_") {
			day = datum.MomentOf(us).Day
		}
		us -= floorDivide(us, dayUS) * dayUS
	} else {
		us, ok = e.clock(of[0])
		negative = us < 0
		us = max(us, -us)
	}
	if !ok {
		return datum.Null, nil
	}
	n, known := clockUnit(unit, us, int64(day))
	if !known {
		return datum.Null, fault.New(fault.WrongArguments, "EXTRACT")
	}
	if negative {
		n = -n
	}
	return datum.Int(n), nil
}

// hasClock reports whether a value is read as a time of day where it is no date.
func hasClock(d datum.Datum) bool {
	return d.Kind() == datum.KindTime || d.Kind() == datum.KindText || d.Kind() == datum.KindBinary
}

// clockUnit writes the parts that a unit names one after the other, two digits each, a fraction six.
func clockUnit(unit string, us, day int64) (n int64, ok bool) {
	parts, ok := compounds[unit]
	if !ok {
		parts = []int64{unitsUS[unit]}
	}
	for _, part := range parts {
		switch part {
		case dayUS:
			n = day
		case hourUS:
			n = n*100 + us/hourUS
		case minuteUS, secondUS:
			n = n*100 + us/part%60
		case 1:
			n = n*1e6 + us%secondUS
		default:
			return 0, false
		}
	}
	return n, true
}
