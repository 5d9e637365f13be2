// SPDX-License-Identifier: Apache-2.0

// Package weather makes the table of weather reports that the AWS Database Blog's articles on Z-order indexing speak
// of: 300,000 reports of one source, each with a timestamp, a latitude, a longitude and a temperature. The article's
// rows were never published; these are a stand-in that anyone can make again, bit by bit and in any language, since it
// is all integers.
//
// They are like real reports, and hard for an index: people report from where people live, so positions cluster around
// sites of which few have most of the reports; there are ever more reports with the years, and more by day than by
// night; and a temperature follows from latitude, season and hour but for the weather, so that it correlates with all
// the others.
//
// Knows: the rules, the random numbers.
// Never: tables, databases.
package weather

import (
	"fmt"
	"strconv"
)

const (
	// Count is the number of reports.
	Count = 300_000
	// Source is the data's author.
	Source = "Under the Weather"
	// Checksum is the CRC-32 (IEEE) of all reports' lines as AppendLine writes them: whoever makes the reports
	// elsewhere compares that.
	Checksum = 0xd8ff1f5a

	seed  = 2016_07_26
	sites = 4096
)

// Report is one row. Numbers are decimal texts, as in a file.
type Report struct {
	Timestamp           int64  // seconds since 1970: the years 2012 to 2016
	Latitude, Longitude string // degrees, six digits
	Celsius             string // one digit
}

// AppendLine appends the report as a line: timestamp, latitude, longitude and temperature with tabs between them.
func (r *Report) AppendLine(dst []byte) []byte {
	dst = append(strconv.AppendInt(dst, r.Timestamp, 10), '\t')
	dst = append(append(dst, r.Latitude...), '\t')
	dst = append(append(dst, r.Longitude...), '\t')
	return append(append(dst, r.Celsius...), '\n')
}

// Each calls visit for every report, in no order. It stops at visit's first error and returns it.
func Each(visit func(Report) error) error {
	random := stream(seed)
	var places [sites]place
	for i := range places {
		places[i] = random.place()
	}
	for range Count {
		if err := visit(random.report(&places)); err != nil {
			return err
		}
	}
	return nil
}

// stream is the random numbers: Steele's SplitMix64, whose state is one counter.
type stream uint64

func (s *stream) next() uint64 {
	*s += 0x9E3779B97F4A7C15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// below returns a number from 0 to n-1, for n up to 2^32.
func (s *stream) below(n int64) int64 { return int64(s.next() >> 32 * uint64(n) >> 32) }

// bell returns a number from -n to n, most often near 0: the mean of four.
func (s *stream) bell(n int64) int64 {
	sum := int64(0)
	for range 4 {
		sum += s.below(2*n + 1)
	}
	return sum/4 - n
}

// place is a source of many reports, in millionths of a degree.
type place struct{ latitude, longitude int64 }

// lands are inhabited parts of the world: the middle and the half widths, in degrees, and the sites of 16. // immutable
var lands = [...]struct{ latitude, longitude, high, wide, sites int64 }{
	{40, -95, 14, 32, 5},  // North America
	{50, 12, 13, 26, 4},   // Europe
	{30, 105, 22, 38, 4},  // South and East Asia
	{-15, -58, 22, 18, 1}, // South America
	{2, 20, 34, 26, 1},    // Africa
	{-33, 145, 11, 28, 1}, // Australia
}

func (s *stream) place() place {
	at := s.below(16)
	for _, land := range lands {
		if at -= land.sites; at < 0 {
			return place{land.latitude*1e6 + s.bell(land.high*1e6), land.longitude*1e6 + s.bell(land.wide*1e6)}
		}
	}
	return place{}
}

// The times: from the beginning of 2012 for 1,827 days.
const (
	firstSecond = 1325376000
	days        = 1827
	daySeconds  = 86400
)

func (s *stream) report(places *[sites]place) Report {
	// The first sites have the most reports by far.
	at := min(s.below(sites), s.below(sites), s.below(sites))
	site := &places[at*min(s.below(sites), s.below(sites))/sites]
	latitude, longitude := site.latitude+s.bell(150_000), site.longitude+s.bell(150_000)
	day := max(s.below(days), s.below(days)) // ever more reports
	noon := daySeconds/2 - longitude*240/1e6 // in UTC
	second := (noon + s.bell(daySeconds/2) + daySeconds) % daySeconds
	celsius := temperature(latitude, day, second-noon) + s.bell(90)
	return Report{
		Timestamp: firstSecond + day*daySeconds + second, Latitude: decimal(latitude, 6),
		Longitude: decimal(longitude, 6), Celsius: decimal(celsius, 1),
	}
}

// temperature returns tenths of a degree: warm at the equator, warmest a month after the solstice of the hemisphere and
// two hours after noon.
func temperature(latitude, day, afterNoon int64) int64 {
	degrees := latitude / 1e6
	season := wave(day+365-112, 365) * degrees * 26 / 10 / 1000
	hour := wave(afterNoon+daySeconds-2*3600+daySeconds/4, daySeconds) * 45 / 1000
	return 275 - degrees*degrees*9/100 + season + hour
}

// wave is about 1000 times the sine of a full turn at x/period.
func wave(x, period int64) int64 {
	x %= period
	half := x * 2 % period
	arch := half * (period - half) * 4000 / (period * period)
	if 2*x >= period {
		return -arch
	}
	return arch
}

// decimal writes a number of so many decimals, trailing zeros and all.
func decimal(n int64, decimals int) string {
	sign, unit := "", int64(1)
	if n < 0 {
		sign, n = "-", -n
	}
	for range decimals {
		unit *= 10
	}
	return fmt.Sprintf("%s%d.%0*d", sign, n/unit, decimals, n%unit)
}
