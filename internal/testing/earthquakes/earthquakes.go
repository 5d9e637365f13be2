// SPDX-License-Identifier: Apache-2.0

// Package earthquakes holds real data for tests: 1,707 earthquakes of one month, from the U.S. Geological Survey
// (public domain).
//
// Knows: the file and its columns.
// Never: tables, databases.
package earthquakes

import (
	"bufio"
	"bytes"
	"compress/gzip"
	_ "embed" // for the data file
	"fmt"
	"strconv"
	"strings"
)

// Count is the number of earthquakes.
const Count = 1_707

//go:embed earthquakes.tsv.gz
var compressed []byte // immutable

// Earthquake is one line of the data. Numbers are kept as the decimal texts they are in the file.
type Earthquake struct {
	Lon, Lat  string // degrees
	DepthKM   string // below sea level; negative in mountains
	Magnitude string // the smallest are below 0
	TimeMS    int64  // epoch
}

// Each calls visit for every earthquake, in the order of the file: the latest first. It stops at visit's first error
// and returns it.
func Each(visit func(Earthquake) error) error {
	unzipped, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return err
	}
	defer unzipped.Close()
	lines := bufio.NewScanner(unzipped)
	lines.Scan() // the header
	for lines.Scan() {
		one, err := parse(lines.Text())
		if err != nil {
			return err
		}
		if err := visit(one); err != nil {
			return err
		}
	}
	return lines.Err()
}

func parse(line string) (Earthquake, error) {
	f := strings.Split(line, "\t")
	if len(f) != 5 {
		return Earthquake{}, fmt.Errorf("earthquakes: %d columns in %q, want 5", len(f), line)
	}
	for _, number := range f[:4] {
		if _, err := strconv.ParseFloat(number, 64); err != nil {
			return Earthquake{}, fmt.Errorf("earthquakes: %q: %w", line, err)
		}
	}
	time, err := strconv.ParseInt(f[4], 10, 64)
	if err != nil {
		return Earthquake{}, fmt.Errorf("earthquakes: time in %q: %w", line, err)
	}
	return Earthquake{Lon: f[0], Lat: f[1], DepthKM: f[2], Magnitude: f[3], TimeMS: time}, nil
}
