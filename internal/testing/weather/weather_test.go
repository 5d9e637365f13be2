// SPDX-License-Identifier: Apache-2.0

package weather

import (
	"errors"
	"hash/crc32"
	"strconv"
	"testing"
)

func number(t *testing.T, text string) float64 {
	t.Helper()
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestReports holds the reports to their checksum and to what the package's doc says of them.
func TestReports(t *testing.T) {
	count, sum := 0, uint32(0)
	var line []byte
	var warm, cold, recent, north, day int
	cells := map[[2]int]int{}
	err := Each(func(r Report) error {
		count++
		line = r.AppendLine(line[:0])
		sum = crc32.Update(sum, crc32.IEEETable, line)
		latitude, longitude, celsius := number(t, r.Latitude), number(t, r.Longitude), number(t, r.Celsius)
		if latitude < -90 || latitude > 90 || longitude < -180 || longitude >= 180 || celsius < -60 || celsius > 60 {
			t.Fatalf("no place on earth: %+v", r)
		}
		if r.Timestamp < firstSecond || r.Timestamp >= firstSecond+days*daySeconds {
			t.Fatalf("not in these years: %+v", r)
		}
		cells[[2]int{int(latitude + 90), int(longitude + 180)}]++
		month := (r.Timestamp - firstSecond) / daySeconds % 365 / 30
		switch {
		case latitude > 40 && month == 6 && celsius > 20:
			warm++
		case latitude > 40 && month == 0 && celsius > 20:
			cold++
		}
		if latitude > 0 {
			north++
		}
		if r.Timestamp > firstSecond+days*daySeconds/2 {
			recent++
		}
		if hour := (r.Timestamp + int64(longitude*240) + daySeconds) % daySeconds / 3600; hour >= 6 && hour < 18 {
			day++
		}
		return nil
	})
	if err != nil || count != Count || sum != Checksum {
		t.Fatalf("%d reports with the checksum %#x, %v; want %d with %#x", count, sum, err, Count, Checksum)
	}
	most := 0
	for _, n := range cells {
		most = max(most, n)
	}
	t.Logf("north %d, recent %d, by day %d, warm in July %d, in January %d, cells %d, the fullest %d", north, recent,
		day, warm, cold, len(cells), most)
	if north < Count*7/10 || recent < Count*7/10 || day < Count*7/10 || warm < 10*cold || warm < 1000 ||
		len(cells) > 3500 || most < Count/100 {
		t.Error("the reports are not what they are said to be")
	}
}

func TestEachStops(t *testing.T) {
	count, stop := 0, errors.New("stop")
	err := Each(func(Report) error {
		count++
		if count == 3 {
			return stop
		}
		return nil
	})
	if err != stop || count != 3 {
		t.Fatal(count, err)
	}
}
