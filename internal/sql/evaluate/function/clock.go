// SPDX-License-Identifier: Apache-2.0

package function

import (
	"fmt"
	"math"
	"strings"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/order"
)

// times are the functions that make times, tell the time, and add and subtract. // immutable
var times = map[string]Function{
	"now":               {Max: 1, Result: isTimestamp, Apply: now},
	"current_timestamp": {Max: 1, Result: isTimestamp, Apply: now},
	"localtime":         {Max: 1, Result: isTimestamp, Apply: now},
	"localtimestamp":    {Max: 1, Result: isTimestamp, Apply: now},
	"sysdate":           {Max: 1, Result: isTimestamp, Apply: sysdate},
	"utc_timestamp":     {Max: 1, Result: isTimestamp, Apply: nowUTC},
	"curdate":           {Result: isDateType, Apply: today},
	"current_date":      {Result: isDateType, Apply: today},
	"utc_date":          {Result: isDateType, Apply: todayUTC},
	"curtime":           {Max: 1, Result: isTimeType, Apply: clockNow},
	"current_time":      {Max: 1, Result: isTimeType, Apply: clockNow},
	"utc_time":          {Max: 1, Result: isTimeType, Apply: clockUTC},
	"unix_timestamp":    {Max: 1, Result: epochType, Apply: unixTimestamp},
	"from_unixtime":     {Min: 1, Max: 2, Result: fromEpochType, Apply: fromUnixTime},
	"date":              {Min: 1, Max: 1, Result: isDateType, Apply: dateOf},
	"time":              {Min: 1, Max: 1, Result: isTimeType, Apply: timeOf},
	"timestamp":         {Min: 1, Max: 2, Result: isTimestamp, Apply: timestampOf},
	"makedate":          {Min: 2, Max: 2, Result: isDateType, Apply: makeDate},
	"maketime":          {Min: 3, Max: 3, Result: isTimeType, Apply: makeTime},
	"from_days":         {Min: 1, Max: 1, Result: isDateType, Apply: fromDays},
	"last_day":          {Min: 1, Max: 1, Result: isDateType, Apply: ofDay(lastDay)},
	"sec_to_time":       {Min: 1, Max: 1, Result: isTimeType, Apply: secondsToTime},
	"datediff":          {Min: 2, Max: 2, Result: isInteger, Apply: dateDifference},
	"timediff":          {Min: 2, Max: 2, Result: isTimeType, Apply: timeDifference},
	"timestampdiff":     {Min: 3, Max: 3, Result: isInteger, Apply: timestampDifference},
	"timestampadd":      {Min: 3, Max: 3, Result: addedType, Apply: timestampAdd},
	"addtime":           {Min: 2, Max: 2, Result: shiftedType, Apply: addTime},
	"subtime":           {Min: 2, Max: 2, Result: shiftedType, Apply: subtractTime},
	"convert_tz":        {Min: 3, Max: 3, Result: isTimestamp, Apply: convertZone},
	"period_add":        {Min: 2, Max: 2, Result: isInteger, Apply: periodAdd},
	"period_diff":       {Min: 2, Max: 2, Result: isInteger, Apply: periodDifference},
}

// The types of times. // immutable
var (
	isTimestamp = Always(datum.Timestamp)
	isDateType  = Always(datum.Date)
	isTimeType  = Always(datum.Time)
	isUntyped   = Always(datum.Untyped)
)

func epochType(arguments []datum.Type) datum.Type {
	if len(arguments) == 0 || arguments[0].Base == datum.Date {
		return datum.Type{Base: datum.BigInt}
	}
	return datum.Type{Base: datum.DecimalBase, Precision: order.DecimalDigitsMax}
}

func fromEpochType(arguments []datum.Type) datum.Type {
	if len(arguments) == 2 {
		return datum.Type{Base: datum.Varchar}
	}
	return datum.Type{Base: datum.Timestamp}
}

// addedType is the type of TIMESTAMPADD: a text for a text.
func addedType(arguments []datum.Type) datum.Type { return datum.Type{} }

func shiftedType(arguments []datum.Type) datum.Type {
	switch t := arguments[0]; {
	case t.Base == datum.Time || t.Base == datum.Timestamp:
		return t
	case t.Base == datum.Date:
		return datum.Type{Base: datum.Timestamp}
	}
	return datum.Type{}
}

// instant is the time that an argument stands for. A number that reads as a date with or without a time of day is that
// time, as in MySQL; another is milliseconds since 1970. A TIME is one of today. What stands behind the time of a text
// is passed over.
func (e *Environment) instant(d datum.Datum) (us int64, ok bool) {
	if d = e.Written(d); d.Kind() == datum.KindTime {
		return floorDivide(e.LocalUS(), dayUS)*dayUS + d.Int(), true
	}
	if us, ok := d.InstantAs(datum.Type{Base: datum.Timestamp, Variety: datum.DateTime}); ok {
		return us, true
	}
	if us, ok = d.Instant(); !ok && (d.Kind() == datum.KindText || d.Kind() == datum.KindBinary) {
		return datum.ParseTimestamp(datum.TimePrefix(string(d.Bytes())))
	}
	return us, ok
}

// clock is the time of day that an argument stands for, or the time since midnight if it is a TIME.
func (e *Environment) clock(d datum.Datum) (us int64, ok bool) {
	switch d.Kind() {
	case datum.KindTime:
		return d.Int(), true
	case datum.KindTimestamp:
		return d.Int() - floorDivide(d.Int(), dayUS)*dayUS, true
	case datum.KindDate:
		return 0, true
	case datum.KindText, datum.KindBinary:
		if isDateText(d) {
			us, ok = e.instant(d)
			return us - floorDivide(us, dayUS)*dayUS, ok
		}
		if us, ok = datum.ParseTime(string(d.Bytes())); !ok {
			us, ok = datum.ParseTime(datum.TimePrefix(string(d.Bytes())))
		}
		return us, ok
	case datum.KindInt, datum.KindFloat, datum.KindDecimal:
		return datum.ParseTime(string(e.TextOf(d)))
	}
	return 0, false
}

// isDateText reports whether a text looks like a date rather than a time of day.
func isDateText(d datum.Datum) bool {
	text := strings.TrimSpace(string(d.Bytes()))
	return len(text) >= 8 && strings.Count(text, "-") >= 2 && text[0] != '-'
}

// instantOrNull makes a TIMESTAMP of a time within the range of times.
func instantOrNull(us int64) datum.Datum {
	if us < datum.TimestampMin || us > datum.TimestampMax {
		return datum.Null
	}
	return datum.TimestampUS(us)
}

// daysOrNull is a DATE within the range of dates.
func daysOrNull(days int64) datum.Datum {
	if days < datum.DateMin || days > datum.DateMax {
		return datum.Null
	}
	return datum.DateDays(days)
}

// timeOrLimit cuts a TIME to its range.
func timeOrLimit(us int64) datum.Datum {
	return datum.TimeUS(min(max(us, -datum.TimeMax), datum.TimeMax))
}

// digitsOf is the number of digits of its fraction the present is to have, as the argument says: none without one.
func digitsOf(a []datum.Datum) int {
	if len(a) == 0 {
		return 0
	}
	return int(min(max(a[0].NumberInt(), 0), 6))
}

func now(e *Environment, a []datum.Datum) (datum.Datum, error) {
	return present(e.LocalUS(), a), nil
}

// Clock is a Session that knows the present, which goes on while a statement runs.
type Clock interface {
	PresentUS() int64 // in microseconds since 1970
}

// sysdate is the present of each call, not of the statement.
func sysdate(e *Environment, a []datum.Datum) (datum.Datum, error) {
	if clock, ok := e.Session.(Clock); ok {
		return present(toLocal(e.Zone, clock.PresentUS()), a), nil
	}
	return now(e, a)
}

func nowUTC(e *Environment, a []datum.Datum) (datum.Datum, error) {
	return present(e.NowUS, a), nil
}

func today(e *Environment, _ []datum.Datum) (datum.Datum, error) {
	return datum.DateDays(floorDivide(e.LocalUS(), dayUS)), nil
}

func todayUTC(e *Environment, _ []datum.Datum) (datum.Datum, error) {
	return datum.DateDays(floorDivide(e.NowUS, dayUS)), nil
}

func clockNow(e *Environment, a []datum.Datum) (datum.Datum, error) {
	return clockOf(e.LocalUS(), a), nil
}

func clockUTC(e *Environment, a []datum.Datum) (datum.Datum, error) {
	return clockOf(e.NowUS, a), nil
}

func present(us int64, a []datum.Datum) datum.Datum {
	return datum.TimestampUS(datum.CutFraction(us, digitsOf(a))).WithFraction(digitsOf(a))
}

// clockOf is the time of day.
func clockOf(us int64, a []datum.Datum) datum.Datum {
	us = datum.CutFraction(us, digitsOf(a))
	return datum.TimeUS(us - floorDivide(us, dayUS)*dayUS).WithFraction(digitsOf(a))
}

func unixTimestamp(e *Environment, a []datum.Datum) (datum.Datum, error) {
	if len(a) == 0 {
		return datum.Int(floorDivide(e.NowUS, secondUS)), nil
	}
	us, ok := e.instant(a[0])
	if us = toInstant(e.Zone, us); !ok || us < 0 {
		us = 0
	}
	if a[0].Kind() == datum.KindDate {
		return datum.Int(us / secondUS), nil
	}
	digits := fractionOf(a[0])
	switch {
	case us%1000 != 0:
		digits = 6
	case us%secondUS != 0:
		digits = max(digits, 3)
	}
	text := fmt.Sprintf("%d.%06d", us/secondUS, us%secondUS)
	return datum.Cast(datum.TextString(text), datum.Type{Base: datum.DecimalBase, Precision: 20, Scale: digits})
}

func fromUnixTime(e *Environment, a []datum.Datum) (datum.Datum, error) {
	seconds, ok := a[0].NumberDecimal()
	us := int64(-1)
	if ok {
		if scaled, err := datum.Multiply(datum.Decimal(seconds), datum.Int(secondUS)); err == nil {
			us = scaled.NumberInt()
		}
	}
	if us < 0 || us > 32_536_771_199_999_999 {
		return datum.Null, nil
	}
	us = toLocal(e.Zone, us)
	if len(a) == 2 {
		return e.formatted("", datum.MomentOf(us), a[1], true)
	}
	return datum.TimestampUS(us).WithFraction(fractionOf(a[0])), nil
}

// fractionOf is the number of digits behind the point an exact number of seconds shows, and a time.
func fractionOf(d datum.Datum) int { return min(d.Scale(), 6) }

func dateOf(e *Environment, a []datum.Datum) (datum.Datum, error) {
	us, ok := e.instant(a[0])
	return orNull(datum.DateDays(floorDivide(us, dayUS)), ok)
}

func timeOf(e *Environment, a []datum.Datum) (datum.Datum, error) {
	us, ok := e.clock(a[0])
	return orNull(datum.TimeUS(us).WithFraction(fractionOf(a[0])), ok)
}

func timestampOf(e *Environment, a []datum.Datum) (datum.Datum, error) {
	us, ok := e.instant(a[0])
	if ok && len(a) == 2 {
		var more int64
		more, ok = e.clock(a[1])
		us += more
	}
	return orNull(instantOrNull(us).WithFraction(fractionOf(a[0])), ok)
}

func makeDate(_ *Environment, a []datum.Datum) (datum.Datum, error) {
	year, day := int(a[0].NumberInt()), a[1].NumberInt()
	if year < 0 || year > 9999 || day < 1 || day > 4_000_000 {
		return datum.Null, nil
	}
	return daysOrNull(datum.Moment{Year: fullYear(year), Month: 1, Day: 1}.Days() + day - 1), nil
}

// fullYear is the year that two digits stand for; a year of more is itself.
func fullYear(year int) int {
	switch {
	case year < 70:
		return year + 2000
	case year < 100:
		return year + 1900
	}
	return year
}

func makeTime(_ *Environment, a []datum.Datum) (datum.Datum, error) {
	hour, minute, second := a[0].NumberInt(), a[1].NumberInt(), a[2].NumberFloat()
	if minute < 0 || minute > 59 || second < 0 || second >= 60 {
		return datum.Null, nil
	}
	hour = min(max(hour, -1000), 1000)
	us := minute*minuteUS + int64(math.Round(second*secondUS))
	if hour < 0 {
		return timeOrLimit(hour*hourUS - us).WithFraction(fractionOf(a[2])), nil
	}
	return timeOrLimit(hour*hourUS + us).WithFraction(fractionOf(a[2])), nil
}

// dayZero is the number of days that lie between the year 0 and 1970.
const dayZero = 719_528

func fromDays(_ *Environment, a []datum.Datum) (datum.Datum, error) {
	return daysOrNull(int64(clampInt(a[0])) - dayZero), nil
}

func lastDay(m datum.Moment) datum.Datum {
	m.Day = m.MonthDays()
	return datum.DateDays(m.Days())
}

func secondsToTime(_ *Environment, a []datum.Datum) (datum.Datum, error) {
	us := int64(math.Round(min(max(a[0].NumberFloat(), -1e7), 1e7) * secondUS))
	return timeOrLimit(us).WithFraction(fractionOf(a[0])), nil
}

func dateDifference(e *Environment, a []datum.Datum) (datum.Datum, error) {
	x, ok := e.instant(a[0])
	y, too := e.instant(a[1])
	if !ok || !too || x == datum.ZeroUS || y == datum.ZeroUS {
		return datum.Null, nil
	}
	return datum.Int(floorDivide(x, dayUS) - floorDivide(y, dayUS)), nil
}

// moves reports whether a value is a time with a date, and not a time of day.
func moves(d datum.Datum) bool {
	switch d.Kind() {
	case datum.KindTimestamp, datum.KindDate:
		return true
	case datum.KindText, datum.KindBinary:
		return isDateText(d)
	}
	return false
}

func timeDifference(e *Environment, a []datum.Datum) (datum.Datum, error) {
	if moves(a[0]) != moves(a[1]) {
		return datum.Null, nil
	}
	read := e.clock
	if moves(a[0]) {
		read = e.instant
	}
	x, ok := read(a[0])
	y, too := read(a[1])
	return orNull(timeOrLimit(x-y).WithFraction(max(fractionOf(a[0]), fractionOf(a[1]))), ok && too)
}

func timestampDifference(e *Environment, a []datum.Datum) (datum.Datum, error) {
	unit := string(e.TextOf(a[0]))
	x, ok := e.instant(a[1])
	y, too := e.instant(a[2])
	switch {
	case !ok || !too || x == datum.ZeroUS || y == datum.ZeroUS:
		return datum.Null, nil
	case unit == "microsecond":
		return datum.Int(y - x), nil
	case unitsMonths[unit] != 0:
		return datum.Int(monthsBetween(x, y) / unitsMonths[unit]), nil
	case unitsUS[unit] != 0:
		return datum.Int((y - x) / unitsUS[unit]), nil
	}
	return datum.Null, fault.New(fault.WrongArguments, "TIMESTAMPDIFF")
}

// monthsBetween is the number of whole months that lie between two times.
func monthsBetween(x, y int64) int64 {
	sign := int64(1)
	if y < x {
		x, y, sign = y, x, -1
	}
	v, w := datum.MomentOf(x), datum.MomentOf(y)
	months := int64(w.Year-v.Year)*12 + int64(w.Month-v.Month)
	v.Year, v.Month, w.Year, w.Month = 1970, 1, 1970, 1
	if w.US() < v.US() {
		months--
	}
	return sign * months
}

func timestampAdd(e *Environment, a []datum.Datum) (datum.Datum, error) {
	unit := string(e.TextOf(a[0]))
	if unitsMonths[unit] == 0 && unitsUS[unit] == 0 && unit != "microsecond" {
		return datum.Null, fault.New(fault.WrongArguments, "TIMESTAMPADD")
	}
	moved, err := AddInterval(e, a[2], a[1], unit, false)
	if err != nil || moved.IsNull() || a[2].Kind() != datum.KindText {
		return moved, err
	}
	return datum.Text(e.TextOf(moved)), nil
}

func addTime(e *Environment, a []datum.Datum) (datum.Datum, error) { return e.shiftTime(a, 1) }

func subtractTime(e *Environment, a []datum.Datum) (datum.Datum, error) { return e.shiftTime(a, -1) }

// shiftTime moves a time, or a time with a date, by a time.
func (e *Environment) shiftTime(a []datum.Datum, sign int64) (datum.Datum, error) {
	by, ok := e.clock(a[1])
	if !ok || moves(a[1]) {
		return datum.Null, nil
	}
	read, result := e.clock, timeOrLimit
	if moves(a[0]) {
		read, result = e.instant, instantOrNull
	}
	us, ok := read(a[0])
	if !ok {
		return datum.Null, nil
	}
	moved := result(us + sign*by).WithFraction(max(fractionOf(a[0]), fractionOf(a[1])))
	if a[0].Kind() == datum.KindText && !moved.IsNull() {
		return datum.Text(e.TextOf(moved)), nil
	}
	return moved, nil
}

// period reads YYMM or YYYYMM as months.
func period(d datum.Datum) (months int, ok bool) {
	n := int(d.NumberInt())
	month := n % 100
	return fullYear(n/100)*12 + month - 1, n > 0 && n <= 999912 && month >= 1 && month <= 12
}

func periodAdd(_ *Environment, a []datum.Datum) (datum.Datum, error) {
	months, ok := period(a[0])
	if !ok {
		return datum.Null, fault.New(fault.WrongArguments, "period_add")
	}
	months += clampInt(a[1])
	return datum.Int(int64(months/12*100 + months%12 + 1)), nil
}

func periodDifference(_ *Environment, a []datum.Datum) (datum.Datum, error) {
	x, ok := period(a[0])
	y, too := period(a[1])
	if !ok || !too {
		return datum.Null, fault.New(fault.WrongArguments, "period_diff")
	}
	return datum.Int(int64(x - y)), nil
}
