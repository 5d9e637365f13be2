// SPDX-License-Identifier: Apache-2.0

package datum

const (
	dayMS    = 86_400_000
	hourMS   = 3_600_000
	minuteMS = 60_000

	// TimestampMin is 0001-01-01 in milliseconds since 1970, the first time of all.
	TimestampMin = -719_162 * dayMS
	// TimestampMax is 9999-12-31 23:59:59.999 in milliseconds since 1970, the last time of all.
	TimestampMax = 2_932_897*dayMS - 1
	// DateMin is TimestampMin in days.
	DateMin = -719_162
	// DateMax is TimestampMax's day.
	DateMax = 2_932_896
	// TimeMax is 838:59:59, the largest magnitude of a TIME, in milliseconds.
	TimeMax = 838*hourMS + 59*minuteMS + 59_000
)

// civil returns the date of a number of days since 1970-01-01, in the Gregorian calendar throughout. Years are counted from March of an era
// of 400 years, which puts the leap day last.
func civil(days int64) (year, month, day int) {
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
	Year, Month, Day, Hour, Minute, Second, Millisecond int
}

// MomentOf takes apart milliseconds since 1970-01-01 UTC.
func MomentOf(ms int64) Moment {
	days := floorDivide(ms, dayMS)
	rest := int(ms - days*dayMS)
	var m Moment
	m.Year, m.Month, m.Day = civil(days)
	m.Hour, m.Minute, m.Second, m.Millisecond = rest/hourMS, rest/minuteMS%60, rest/1000%60, rest%1000
	return m
}

// Days is the date as days since 1970-01-01. Days beyond the end of the month count on.
func (m Moment) Days() int64 { return daysOf(m.Year, m.Month, m.Day) }

// MS is the time in milliseconds since 1970-01-01 UTC.
func (m Moment) MS() int64 {
	return m.Days()*dayMS + int64(m.Hour)*hourMS + int64(m.Minute)*minuteMS + int64(m.Second)*1000 + int64(m.Millisecond)
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

// Instant returns the time that d stands for in milliseconds since 1970: a timestamp, a date's midnight, a text that reads as either, an integer
// as milliseconds. ok is false for what is none and outside 0001-01-01 .. 9999-12-31.
func (d Datum) Instant() (ms int64, ok bool) {
	switch d.kind {
	case KindTimestamp:
		return d.Int(), true
	case KindDate:
		return d.Int() * dayMS, true
	case KindText, KindBinary:
		return ParseTimestamp(d.text)
	case KindInt, KindFloat, KindDecimal:
		ms = d.NumberInt()
		return ms, ms >= TimestampMin && ms <= TimestampMax
	case KindJSON:
		if text, ok := jsonString(d.text); ok {
			return ParseTimestamp(text)
		}
	}
	return 0, false
}
