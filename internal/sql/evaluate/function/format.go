// SPDX-License-Identifier: Apache-2.0

package function

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/weftdb/weft/internal/sql/datum"
)

// formats are the functions that write and read times by a format. // immutable
var formats = map[string]Function{
	"date_format": {Min: 2, Max: 2, Result: isText, Apply: dateFormat},
	"time_format": {Min: 2, Max: 2, Result: isText, Apply: timeFormat},
	"get_format":  {Min: 2, Max: 2, Result: isText, Apply: getFormat},
	"str_to_date": {Min: 2, Max: 2, Result: isUntyped, Format: formatType, Apply: strToDate},
}

func dateFormat(e *Environment, a []datum.Datum) (datum.Datum, error) {
	us, ok := e.instant(a[0])
	if !ok {
		return datum.Null, nil
	}
	return e.formatted("", datum.MomentOf(us), a[1], true)
}

// timeFormat knows the parts of a time of day; hours may exceed 23.
func timeFormat(e *Environment, a []datum.Datum) (datum.Datum, error) {
	us, ok := e.clock(a[0])
	if !ok {
		return datum.Null, nil
	}
	sign := ""
	if us < 0 {
		sign, us = "-", -us
	}
	m := datum.Moment{Hour: int(us / hourUS), Minute: int(us / minuteUS % 60), Second: int(us / secondUS % 60),
		Microsecond: int(us % secondUS)}
	return e.formatted(sign, m, a[1], false)
}

// formatted writes a moment behind a sign. Where it is not dated, the letters of dates stand for themselves.
func (e *Environment) formatted(sign string, m datum.Moment, format datum.Datum, dated bool) (datum.Datum, error) {
	text := e.TextOf(format)
	dst := append(e.arena, sign...)
	for i := 0; i < len(text); i++ {
		if text[i] != '%' || i+1 == len(text) {
			dst = append(dst, text[i])
			continue
		}
		i++
		isDay := false
		if dated {
			dst, isDay = appendDay(dst, m, text[i])
		}
		if !isDay {
			dst = appendClock(dst, m, text[i])
		}
	}
	return e.TextOrNull(dst)
}

func appendTwo(dst []byte, n int) []byte { return appendPadded(dst, n, 2) }

func appendPadded(dst []byte, n, width int) []byte {
	for limit := 10; width > 1; width-- {
		if n < limit {
			for ; width > 1; width-- {
				dst = append(dst, '0')
			}
			break
		}
		limit *= 10
	}
	return strconv.AppendInt(dst, int64(n), 10)
}

// appendDay appends what a letter stands for of a date; ok is false for other letters.
func appendDay(dst []byte, m datum.Moment, letter byte) (out []byte, ok bool) {
	switch letter {
	case 'Y':
		return appendPadded(dst, m.Year, 4), true
	case 'y':
		return appendTwo(dst, m.Year%100), true
	case 'm':
		return appendTwo(dst, m.Month), true
	case 'c':
		return strconv.AppendInt(dst, int64(m.Month), 10), true
	case 'd':
		return appendTwo(dst, m.Day), true
	case 'e':
		return strconv.AppendInt(dst, int64(m.Day), 10), true
	case 'D':
		return append(strconv.AppendInt(dst, int64(m.Day), 10), ordinal(m.Day)...), true
	case 'j':
		return appendPadded(dst, yearDay(m), 3), true
	case 'M':
		return append(dst, monthNames[m.Month-1]...), true
	case 'b':
		return append(dst, monthNames[m.Month-1][:3]...), true
	case 'W':
		return append(dst, dayNames[weekday(m)]...), true
	case 'a':
		return append(dst, dayNames[weekday(m)][:3]...), true
	case 'w':
		return strconv.AppendInt(dst, int64(weekday(m)+1)%7, 10), true
	}
	mode, ok := weekModes[letter]
	if !ok {
		return dst, false
	}
	number, year := week(m, mode)
	if letter == 'X' || letter == 'x' {
		return appendPadded(dst, year, 4), true
	}
	return appendTwo(dst, number), true
}

// weekModes are the letters of weeks, and of the years that weeks belong to. // immutable
var weekModes = map[byte]int64{'U': 0, 'u': 1, 'V': 2, 'v': 3, 'X': 2, 'x': 3}

func ordinal(day int) string {
	if day/10 != 1 {
		switch day % 10 {
		case 1:
			return "st"
		case 2:
			return "nd"
		case 3:
			return "rd"
		}
	}
	return "th"
}

// appendClock appends what a letter stands for of a time of day; other letters stand for themselves.
func appendClock(dst []byte, m datum.Moment, letter byte) []byte {
	twelve := (m.Hour%24+11)%12 + 1
	half := "AM"
	if m.Hour%24 >= 12 {
		half = "PM"
	}
	switch letter {
	case 'H':
		return appendTwo(dst, m.Hour)
	case 'k':
		return strconv.AppendInt(dst, int64(m.Hour), 10)
	case 'h', 'I':
		return appendTwo(dst, twelve)
	case 'l':
		return strconv.AppendInt(dst, int64(twelve), 10)
	case 'i':
		return appendTwo(dst, m.Minute)
	case 's', 'S':
		return appendTwo(dst, m.Second)
	case 'f':
		return appendPadded(dst, m.Microsecond, 6)
	case 'p':
		return append(dst, half...)
	case 'r':
		dst = appendTwo(append(appendTwo(append(appendTwo(dst, twelve), ':'), m.Minute), ':'), m.Second)
		return append(append(dst, ' '), half...)
	case 'T':
		return appendTwo(append(appendTwo(append(appendTwo(dst, m.Hour), ':'), m.Minute), ':'), m.Second)
	}
	return append(dst, letter)
}

// dateReader reads a text by a format.
type dateReader struct {
	text      string
	m         datum.Moment
	hasDate   bool
	hasTime   bool
	afternoon int // 1 AM, 2 PM
	twelve    bool
	yearDay   int
	weekday   int  // 1 is Monday, 7 Sunday; 0 unknown
	week      int  // as weekBy counts them
	weekBy    byte // the letter of the week, or 0
	weekYear  int
	yearBy    byte // the letter of weekYear, or 0
}

func strToDate(e *Environment, a []datum.Datum) (datum.Datum, error) {
	format := string(e.TextOf(a[1]))
	r := dateReader{text: string(e.TextOf(a[0]))}
	r.hasDate, r.hasTime, _ = formatParts(format)
	if !r.read(format) {
		return datum.Null, nil
	}
	return r.result(), nil
}

// formatType is the type of STR_TO_DATE with a format, whatever the text is.
func formatType(format string) datum.Type {
	hasDate, hasTime, hasFraction := formatParts(format)
	t := datum.Type{Base: datum.Date}
	switch {
	case hasDate && hasTime:
		t.Base = datum.Timestamp
	case hasTime:
		t.Base = datum.Time
	}
	if hasFraction {
		t.Scale = 6
	}
	return t
}

// formatParts reports which parts of a moment a format has. A format without any is one of a date.
func formatParts(format string) (hasDate, hasTime, hasFraction bool) {
	for i := 0; i+1 < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		i++
		switch letter := format[i]; {
		case strings.IndexByte("fHISThiklprs", letter) >= 0:
			hasTime, hasFraction = true, hasFraction || letter == 'f'
		case letter != '%' && letter != '#':
			hasDate = true
		}
	}
	return hasDate || !hasTime, hasTime, hasFraction
}

func (r *dateReader) read(format string) bool {
	for i := 0; i < len(format); i++ {
		c := format[i]
		switch {
		case c == ' ' || c == '\t':
			r.text = strings.TrimLeft(r.text, " \t")
		case c == '%' && i+1 < len(format):
			i++
			r.text = strings.TrimLeft(r.text, " \t")
			if r.text == "" {
				return i > 1 // what the format has beyond the text stays unset
			}
			if !r.letter(format[i]) {
				return false
			}
		default:
			if r.text == "" {
				return true
			}
			if r.text[0] != c {
				return false
			}
			r.text = r.text[1:]
		}
	}
	return true
}

// number cuts at most width digits.
func (r *dateReader) number(width int, to *int) bool {
	n, i := 0, 0
	for ; i < len(r.text) && i < width && r.text[i]-'0' <= 9; i++ {
		n = n*10 + int(r.text[i]-'0')
	}
	r.text = r.text[i:]
	*to = n
	return i > 0
}

// word cuts one of some words, or its first letters; n counts from 1.
func (r *dateReader) word(words []string, width int, n *int) bool {
	for i, word := range words {
		if width > 0 {
			word = word[:width]
		}
		if len(r.text) >= len(word) && strings.EqualFold(r.text[:len(word)], word) {
			r.text = r.text[len(word):]
			*n = i + 1
			return true
		}
	}
	return false
}

func (r *dateReader) letter(letter byte) bool {
	var ignored int
	switch letter {
	case 'Y', 'y', 'm', 'c', 'd', 'e', 'D', 'b', 'M', 'j', 'a', 'W', 'w', 'U', 'u', 'V', 'v', 'X', 'x':
		return r.dayLetter(letter)
	case 'T':
		return r.read("%H:%i:%s")
	case 'r':
		return r.read("%h:%i:%s %p")
	case '%':
		return r.literal("%")
	case '#':
		r.text = strings.TrimLeft(r.text, "0123456789")
		return true
	}
	switch letter {
	case 'H', 'k':
		return r.number(2, &r.m.Hour) && r.m.Hour < 24
	case 'h', 'I', 'l':
		r.twelve = true
		return r.number(2, &r.m.Hour) && r.m.Hour >= 1 && r.m.Hour <= 12
	case 'i':
		return r.number(2, &r.m.Minute) && r.m.Minute < 60
	case 's', 'S':
		return r.number(2, &r.m.Second) && r.m.Second < 60
	case 'f':
		return r.fraction()
	case 'p':
		if !r.word([]string{"AM", "PM"}, 0, &ignored) {
			return false
		}
		r.afternoon = ignored
		return true
	}
	return false
}

func (r *dateReader) literal(text string) bool {
	if !strings.HasPrefix(r.text, text) {
		return false
	}
	r.text = r.text[len(text):]
	return true
}

func (r *dateReader) dayLetter(letter byte) bool {
	switch letter {
	case 'Y':
		before := len(r.text)
		if !r.number(4, &r.m.Year) {
			return false
		}
		if before-len(r.text) <= 2 {
			r.m.Year = fullYear(r.m.Year)
		}
		return true
	case 'y':
		ok := r.number(2, &r.m.Year)
		r.m.Year = fullYear(r.m.Year)
		return ok
	case 'm', 'c':
		return r.number(2, &r.m.Month) && r.m.Month >= 1 && r.m.Month <= 12
	case 'd', 'e':
		return r.number(2, &r.m.Day)
	case 'D':
		ok := r.number(2, &r.m.Day)
		r.text = r.text[min(2, len(r.text)):]
		return ok
	case 'M':
		return r.word(monthNames[:], 0, &r.m.Month)
	case 'b':
		return r.word(monthNames[:], 3, &r.m.Month)
	case 'j':
		return r.number(3, &r.yearDay) && r.yearDay >= 1 && r.yearDay <= 366
	case 'a':
		return r.word(dayNames[:], 3, &r.weekday)
	case 'W':
		return r.word(dayNames[:], 0, &r.weekday)
	case 'U', 'u', 'V', 'v':
		r.weekBy = letter
		return r.number(2, &r.week) && r.week <= 53 && (r.week > 0 || letter == 'U' || letter == 'u')
	case 'X', 'x':
		r.yearBy = letter
		return r.number(4, &r.weekYear)
	}
	ok := r.number(1, &r.weekday) && r.weekday < 7
	r.weekday = cmp.Or(r.weekday, 7)
	return ok
}

// dayOfWeek is the day that a week and a weekday name; ok is false if the year of the week is not of its kind: %V goes
// with %X, %v with %x, the others with %Y.
func (r *dateReader) dayOfWeek() (days int64, ok bool) {
	sunday, own, year := r.weekBy == 'U' || r.weekBy == 'V', r.weekBy == 'V' || r.weekBy == 'v', r.m.Year
	if own {
		year = r.weekYear
	}
	if own != (r.yearBy != 0) || own && sunday != (r.yearBy == 'X') || year < 1 {
		return 0, false
	}
	first := datum.Moment{Year: year, Month: 1, Day: 1}
	begins := weekdayFrom(first, !sunday)
	days = first.Days() + int64(r.week-1)*7 - int64(begins)
	if sunday && begins > 0 || !sunday && begins > 3 {
		days += 7
	}
	if sunday {
		return days + int64(r.weekday%7), true
	}
	return days + int64(r.weekday) - 1, true
}

func (r *dateReader) fraction() bool {
	scale := 100_000
	i := 0
	for ; i < len(r.text) && i < 6 && r.text[i]-'0' <= 9; i++ {
		r.m.Microsecond += int(r.text[i]-'0') * scale
		scale /= 10
	}
	r.text = r.text[i:]
	return i > 0
}

// result is a DATE, a TIME or a TIMESTAMP, by what the format named; NULL for a day that does not exist.
func (r *dateReader) result() datum.Datum {
	m := r.m
	if r.afternoon != 0 && !r.twelve {
		return datum.Null
	}
	if r.twelve {
		m.Hour %= 12
		if r.afternoon == 2 {
			m.Hour += 12
		}
	}
	clock := int64(m.Hour)*hourUS + int64(m.Minute)*minuteUS + int64(m.Second)*secondUS + int64(m.Microsecond)
	if !r.hasDate {
		return datum.TimeUS(clock)
	}
	if r.yearDay > 0 && m.Month == 0 {
		first := datum.Moment{Year: m.Year, Month: 1, Day: 1}
		m = datum.MomentOf((first.Days() + int64(r.yearDay) - 1) * dayUS)
	}
	if r.weekBy != 0 && r.weekday > 0 {
		days, ok := r.dayOfWeek()
		if !ok {
			return datum.Null
		}
		m = datum.MomentOf(days * dayUS)
	}
	if m.Year < 1 || m.Month < 1 || m.Day < 1 || m.Day > m.MonthDays() {
		return datum.Null
	}
	if !r.hasTime {
		return datum.DateDays(m.Days())
	}
	return datum.TimestampUS(m.Days()*dayUS + clock)
}

// formatsOf are the formats of GET_FORMAT: of dates, times, and of both. // immutable
var formatsOf = map[string][3]string{
	"EUR":      {"%d.%m.%Y", "%H.%i.%s", "%Y-%m-%d %H.%i.%s"},
	"USA":      {"%m.%d.%Y", "%h:%i:%s %p", "%Y-%m-%d %H.%i.%s"},
	"JIS":      {"%Y-%m-%d", "%H:%i:%s", "%Y-%m-%d %H:%i:%s"},
	"ISO":      {"%Y-%m-%d", "%H:%i:%s", "%Y-%m-%d %H:%i:%s"},
	"INTERNAL": {"%Y%m%d", "%H%i%s", "%Y%m%d%H%i%s"},
}

func getFormat(e *Environment, a []datum.Datum) (datum.Datum, error) {
	found, ok := formatsOf[strings.ToUpper(string(e.TextOf(a[1])))]
	if !ok {
		return datum.Null, nil
	}
	switch string(e.TextOf(a[0])) {
	case "date":
		return datum.TextString(found[0]), nil
	case "time":
		return datum.TextString(found[1]), nil
	}
	return datum.TextString(found[2]), nil
}
