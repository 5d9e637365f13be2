// SPDX-License-Identifier: Apache-2.0

package datum

import (
	"fmt"
	"math"
)

const (
	secondUS = 1_000_000
	minuteUS = 60 * secondUS
	hourUS   = 60 * minuteUS
	dayUS    = 24 * hourUS
	// milliUS is the number of microseconds a millisecond has, the unit of times as numbers and of most stored times.
	milliUS = 1000

	// TimestampMin is 0001-01-01 in microseconds since 1970, the first time of all.
	TimestampMin = -719_162 * dayUS
	// TimestampMax is 9999-12-31 23:59:59.999999 in microseconds since 1970, the last time of all.
	TimestampMax = 2_932_897*dayUS - 1
	// DateMin is TimestampMin in days.
	DateMin = -719_162
	// DateMax is TimestampMax's day.
	DateMax = 2_932_896
	// ZeroUS is MySQL's zero date, 0000-00-00, in microseconds since 1970: it is stored as the day before the first
	// one.
	ZeroUS  = TimestampMin - dayUS
	zeroDay = DateMin - 1
	// TimeMax is 838:59:59, the largest magnitude of a TIME, in microseconds.
	TimeMax = 838*hourUS + 59*minuteUS + 59*secondUS
)

// civil returns the date of a number of days since 1970-01-01, in the Gregorian calendar throughout. Years are counted
// from March of an era of 400 years, which puts the leap day last.
func civil(days int64) (year, month, day int) {
	if days == zeroDay {
		return 0, 0, 0
	}
	days += 719_468
	era := floorDivide(days, 146_097)
	ofEra := int(days - era*146_097)
	yearOfEra := (ofEra - ofEra/1460 + ofEra/36_524 - ofEra/146_096) / 365
	ofYear := ofEra - (365*yearOfEra + yearOfEra/4 - yearOfEra/100)
	shifted := (5*ofYear + 2) / 153
	day = ofYear - (153*shifted+2)/5 + 1
	month = shifted + 3
	if month > 12 {
		month -= 12
	}
	year = yearOfEra + int(era)*400
	if month <= 2 {
		year++
	}
	return year, month, day
}

// daysOf is the inverse of civil. day may lie outside the month.
func daysOf(year, month, day int) int64 {
	if year == 0 && month == 0 && day == 0 {
		return zeroDay
	}
	if month <= 2 {
		year--
		month += 12
	}
	era := floorDivide(int64(year), 400)
	yearOfEra := int64(year) - era*400
	ofYear := int64((153*(month-3)+2)/5 + day - 1)
	return era*146_097 + yearOfEra*365 + yearOfEra/4 - yearOfEra/100 + ofYear - 719_468
}

func floorDivide(a, b int64) int64 {
	quotient := a / b
	if a%b < 0 {
		quotient--
	}
	return quotient
}

// monthDays is the number of days of a month.
func monthDays(year, month int) int {
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// Moment is a time taken apart, in UTC.
type Moment struct {
	Year, Month, Day, Hour, Minute, Second, Microsecond int
}

// MomentOf takes apart microseconds since 1970-01-01 UTC.
func MomentOf(us int64) Moment {
	days := floorDivide(us, dayUS)
	rest := us - days*dayUS
	var m Moment
	m.Year, m.Month, m.Day = civil(days)
	m.Hour, m.Minute, m.Second, m.Microsecond = int(rest/hourUS), int(rest/minuteUS%60), int(rest/secondUS%60),
		int(rest%secondUS)
	return m
}

// Days is the date as days since 1970-01-01. Days beyond the end of the month count on.
func (m Moment) Days() int64 { return daysOf(m.Year, m.Month, m.Day) }

// US is the time in microseconds since 1970-01-01 UTC.
func (m Moment) US() int64 {
	return m.Days()*dayUS + int64(m.Hour)*hourUS + int64(m.Minute)*minuteUS + int64(m.Second)*secondUS +
		int64(m.Microsecond)
}

// MonthDays is the number of days of the moment's month.
func (m Moment) MonthDays() int { return monthDays(m.Year, m.Month) }

// AddMonths moves by months; a day that the new month lacks becomes its last.
func (m Moment) AddMonths(months int64) Moment {
	total := int64(m.Year)*12 + int64(m.Month-1) + months
	m.Year, m.Month = int(floorDivide(total, 12)), int(total-floorDivide(total, 12)*12)+1
	m.Day = min(m.Day, m.MonthDays())
	return m
}

// instantDates are the ranges of numbers that are dates in MySQL: YYMMDD and YYYYMMDD, and both with hhmmss behind
// them. // immutable
var instantDates = [...]struct{ least, most, century, unit int64 }{
	{101, 69_1231, 2000_0000, 1_000_000}, {70_0101, 99_1231, 1900_0000, 1_000_000},
	{1000_0101, 9999_1231, 0, 1_000_000},
	{101_000000, 69_1231_235959, 2000_0000_000000, 1}, {70_0101_000000, 99_1231_235959, 1900_0000_000000, 1},
	{1000_0101_000000, 9999_1231_235959, 0, 1},
}

// numberInstant reads a number as a date with or without a time of day, as MySQL does: 240131, 20240131,
// 20240131123000.5.
func numberInstant(d Datum) (us int64, ok bool) {
	x, ok := d.NumberDecimal()
	if !ok || x.IsNegative() {
		return 0, false
	}
	whole := RoundDecimal(x, 0, true)
	n, exact := whole.Int()
	if x.IsZero() {
		return ZeroUS, true
	}
	for _, r := range instantDates {
		if !exact || n < r.least || n > r.most {
			continue
		}
		us, ok := ParseTimestamp(fmt.Sprintf("%014d", (n+r.century)*r.unit))
		if fraction, err := Subtract(Decimal(x), Decimal(whole)); err == nil {
			us += int64(math.Round(fraction.NumberFloat() * secondUS))
		}
		return us, ok
	}
	return 0, false
}

// How a time meets numbers.
const (
	asDates  int32 = iota // they are dates, as in MySQL
	asEpoch               // they are milliseconds since 1970, as in LindormTable
	asEither              // they are dates, and milliseconds since 1970 where they can't be meant as dates
)

// meets is how times of the type meet numbers.
func (t Type) meets() int32 {
	switch {
	case t.Base == Timestamp && t.Variety == Plain:
		return asEpoch
	case t.Variety == Zoned:
		return asEither
	}
	return asDates
}

// IsZeroDate reports whether d is the zero date.
func (d Datum) IsZeroDate() bool {
	return d.kind == KindTimestamp && d.Int() == ZeroUS || d.kind == KindDate && d.Int() == zeroDay
}

// InstantAs is Instant for a value that meets a column of type t.
func (d Datum) InstantAs(t Type) (us int64, ok bool) { return d.instantAs(t.meets()) }

func (d Datum) instantAs(meets int32) (us int64, ok bool) {
	if classes[d.kind] != classNumber || meets == asEpoch {
		return d.Instant()
	}
	if us, ok = numberInstant(d); ok || meets == asDates {
		return us, ok
	}
	x, _ := d.NumberDecimal()
	n, whole := x.Int()
	if !whole || n < 0 || n >= 1000_0101 && n <= 9999_1231 || n >= 1000_0101_000000 {
		return 0, false // meant as a date
	}
	return d.Instant()
}

// Meeting marks a time as one of type t: it decides how the time meets numbers.
func (d Datum) Meeting(t Type) Datum {
	if d.kind == KindTimestamp {
		d.place = t.meets()
	}
	return d
}

// MeetingAs is d, which meets numbers as other does.
func (d Datum) MeetingAs(other Datum) Datum {
	if d.kind == KindTimestamp && other.kind == KindTimestamp {
		d.place = other.place
	}
	return d
}

// Instant returns the time that d stands for in microseconds since 1970: a timestamp, a date's midnight, a text that
// reads as either, an integer as milliseconds. ok is false for what is none and outside 0001-01-01 .. 9999-12-31.
func (d Datum) Instant() (us int64, ok bool) {
	switch d.kind {
	case KindTimestamp:
		return d.Int(), true
	case KindDate:
		return d.Int() * dayUS, true
	case KindText, KindBinary:
		return ParseTimestamp(d.text)
	case KindInt, KindFloat, KindDecimal:
		ms := d.NumberInt()
		return ms * milliUS, ms >= TimestampMin/milliUS && ms <= TimestampMax/milliUS
	case KindJSON:
		if text, ok := jsonString(d.text); ok {
			return ParseTimestamp(text)
		}
	}
	return 0, false
}
