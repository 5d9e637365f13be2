// SPDX-License-Identifier: Apache-2.0

package function

import (
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
)

// parts are the functions that take times apart. // immutable
var parts = map[string]Function{
	"year": {Min: 1, Max: 1, Result: isInteger,
		Apply: dayPart(func(m datum.Moment) int64 { return int64(m.Year) })},
	"month": {Min: 1, Max: 1, Result: isInteger,
		Apply: dayPart(func(m datum.Moment) int64 { return int64(m.Month) })},
	"day": {Min: 1, Max: 1, Result: isInteger,
		Apply: dayPart(func(m datum.Moment) int64 { return int64(m.Day) })},
	"dayofmonth": {Min: 1, Max: 1, Result: isInteger,
		Apply: dayPart(func(m datum.Moment) int64 { return int64(m.Day) })},
	"dayofweek": {Min: 1, Max: 1, Result: isInteger,
		Apply: dayPart(func(m datum.Moment) int64 { return int64(weekday(m)+1)%7 + 1 })},
	"weekday": {Min: 1, Max: 1, Result: isInteger,
		Apply: dayPart(func(m datum.Moment) int64 { return int64(weekday(m)) })},
	"dayofyear": {Min: 1, Max: 1, Result: isInteger,
		Apply: dayPart(func(m datum.Moment) int64 { return int64(yearDay(m)) })},
	"quarter": {Min: 1, Max: 1, Result: isInteger,
		Apply: dayPart(func(m datum.Moment) int64 { return int64(m.Month+2) / 3 })},
	"to_days": {Min: 1, Max: 1, Result: isInteger,
		Apply: dayPart(func(m datum.Moment) int64 { return m.Days() + dayZero })},
	"to_seconds": {Min: 1, Max: 1, Result: isInteger,
		Apply: dayPart(func(m datum.Moment) int64 { return floorDivide(m.US(), secondUS) + dayZero*86_400 })},
	"weekofyear": {Min: 1, Max: 1, Result: isInteger,
		Apply: dayPart(func(m datum.Moment) int64 { n, _ := week(m, 3); return int64(n) })},
	"week":     {Min: 1, Max: 2, Result: isInteger, Apply: weekOf},
	"yearweek": {Min: 1, Max: 2, Result: isInteger, Apply: yearWeek},
	"hour":     {Min: 1, Max: 1, Result: isInteger, Apply: clockPart(func(us int64) int64 { return us / hourUS })},
	"minute": {Min: 1, Max: 1, Result: isInteger,
		Apply: clockPart(func(us int64) int64 { return us / minuteUS % 60 })},
	"second": {Min: 1, Max: 1, Result: isInteger,
		Apply: clockPart(func(us int64) int64 { return us / secondUS % 60 })},
	"microsecond": {Min: 1, Max: 1, Result: isInteger, Apply: clockPart(func(us int64) int64 { return us % secondUS })},
	"time_to_sec": {Min: 1, Max: 1, Result: isInteger, Apply: timeToSeconds},
	"dayname":     {Min: 1, Max: 1, Result: isText, Apply: dayName},
	"monthname":   {Min: 1, Max: 1, Result: isText, Apply: monthName},
	"extract":     {Min: 2, Max: 2, Result: isInteger, Apply: extract},
}

// dayNames and monthNames are in English, as lc_time_names has them unless it is set. // immutable
var (
	dayNames   = [...]string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}
	monthNames = [...]string{"January", "February", "March", "April", "May", "June", "July", "August", "September",
		"October", "November", "December"}
)

func dayPart(part func(datum.Moment) int64) func(*Environment, []datum.Datum) (datum.Datum, error) {
	return func(e *Environment, a []datum.Datum) (datum.Datum, error) {
		us, ok := e.instant(a[0])
		if !ok {
			return datum.Null, nil
		}
		return datum.Int(part(datum.MomentOf(us))), nil
	}
}

// clockPart takes the magnitude of a time of day apart.
func clockPart(part func(us int64) int64) func(*Environment, []datum.Datum) (datum.Datum, error) {
	return func(e *Environment, a []datum.Datum) (datum.Datum, error) {
		us, ok := e.clock(a[0])
		if !ok {
			return datum.Null, nil
		}
		return datum.Int(part(max(us, -us))), nil
	}
}

func timeToSeconds(e *Environment, a []datum.Datum) (datum.Datum, error) {
	us, ok := e.clock(a[0])
	if !ok {
		return datum.Null, nil
	}
	return datum.Int(us / secondUS), nil
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
	mode := int64(0)
	if len(a) == 2 {
		mode = a[1].NumberInt() & 7
	}
	us, ok := e.instant(a[0])
	if !ok {
		return datum.Null, nil
	}
	number, _ := week(datum.MomentOf(us), mode)
	return datum.Int(int64(number)), nil
}

func yearWeek(e *Environment, a []datum.Datum) (datum.Datum, error) {
	mode := int64(0)
	if len(a) == 2 {
		mode = a[1].NumberInt() & 7
	}
	us, ok := e.instant(a[0])
	if !ok {
		return datum.Null, nil
	}
	number, year := week(datum.MomentOf(us), mode|2)
	return datum.Int(int64(year*100 + number)), nil
}

func dayName(e *Environment, a []datum.Datum) (datum.Datum, error) {
	us, ok := e.instant(a[0])
	if !ok {
		return datum.Null, nil
	}
	return datum.TextString(dayNames[weekday(datum.MomentOf(us))]), nil
}

func monthName(e *Environment, a []datum.Datum) (datum.Datum, error) {
	us, ok := e.instant(a[0])
	if !ok {
		return datum.Null, nil
	}
	return datum.TextString(monthNames[datum.MomentOf(us).Month-1]), nil
}

// extract is EXTRACT(unit FROM time): the unit, then the time.
func extract(e *Environment, a []datum.Datum) (datum.Datum, error) {
	unit := string(e.TextOf(a[0]))
	of := a[1:]
	switch unit {
	case "year", "month", "day", "quarter", "week", "year_month":
		return dayPart(func(m datum.Moment) int64 { return dayUnit(unit, m) })(e, of)
	}
	negative := false
	var us int64
	var ok bool
	day := 0
	if moves(of[0]) || !hasClock(of[0]) {
		if us, ok = e.instant(of[0]); ok && len(unit) > 4 && unit[:4] == "day_" {
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

func dayUnit(unit string, m datum.Moment) int64 {
	switch unit {
	case "year":
		return int64(m.Year)
	case "month":
		return int64(m.Month)
	case "day":
		return int64(m.Day)
	case "quarter":
		return int64(m.Month+2) / 3
	case "week":
		number, _ := week(m, 0)
		return int64(number)
	}
	return int64(m.Year*100 + m.Month)
}

// hasClock reports whether a value is read as a time of day where it is no date.
func hasClock(d datum.Datum) bool {
	return d.Kind() == datum.KindTime || d.Kind() == datum.KindText || d.Kind() == datum.KindBinary
}

// clockUnit writes the parts that a unit names one after the other, two digits each, a fraction six.
func clockUnit(unit string, us, day int64) (n int64, ok bool) {
	hour, minute, second, micro := us/hourUS, us/minuteUS%60, us/secondUS%60, us%secondUS
	switch unit {
	case "hour":
		return hour, true
	case "minute":
		return minute, true
	case "second":
		return second, true
	case "microsecond":
		return micro, true
	case "day_hour":
		return day*100 + hour, true
	case "day_minute":
		return (day*100+hour)*100 + minute, true
	case "day_second":
		return ((day*100+hour)*100+minute)*100 + second, true
	case "day_microsecond":
		return (((day*100+hour)*100+minute)*100+second)*1e6 + micro, true
	case "hour_minute":
		return hour*100 + minute, true
	case "hour_second":
		return (hour*100+minute)*100 + second, true
	case "hour_microsecond":
		return ((hour*100+minute)*100+second)*1e6 + micro, true
	case "minute_second":
		return minute*100 + second, true
	case "minute_microsecond":
		return (minute*100+second)*1e6 + micro, true
	case "second_microsecond":
		return second*1e6 + micro, true
	}
	return 0, false
}
