// SPDX-License-Identifier: Apache-2.0

// Package cities holds the real data of the demo and of tests: 135,233 cities of the world, from GeoNames (CC-BY 4.0).
//
// Knows: the file and its columns.
// Never: tables, databases.
package cities

import (
	"bufio"
	"bytes"
	"compress/gzip"
	_ "embed" // for the data file
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Count is the number of cities.
const Count = 135_233

//go:embed cities.tsv.gz
var compressed []byte // immutable

// City is one line of the data. Numbers are kept as the decimal texts they are in the file.
type City struct {
	Lon, Lat    string // degrees
	Population  int64
	Elevation   string // metres; often empty
	Country     string // ISO 3166 alpha-2
	FeatureCode string // GeoNames' kind of place; PPLC is a capital
	Name        string
}

// Each calls visit for every city, in the order of the file. It stops at visit's first error and returns it.
func Each(visit func(City) error) error {
	unzipped, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return err
	}
	defer unzipped.Close()
	lines := bufio.NewScanner(unzipped)
	lines.Scan() // the header
	for lines.Scan() {
		city, err := parse(lines.Text())
		if err != nil {
			return err
		}
		if err := visit(city); err != nil {
			return err
		}
	}
	return lines.Err()
}

func parse(line string) (City, error) {
	f := strings.Split(line, "\t")
	if len(f) != 7 {
		return City{}, fmt.Errorf("cities: %d columns in %q, want 7", len(f), line)
	}
	city := City{Lon: f[0], Lat: f[1], Elevation: f[3], Country: f[4], FeatureCode: f[5]}
	var err error
	if city.Population, err = strconv.ParseInt(f[2], 10, 64); err != nil {
		return City{}, fmt.Errorf("cities: population in %q: %w", line, err)
	}
	if err := json.Unmarshal([]byte(f[6]), &city.Name); err != nil {
		return City{}, fmt.Errorf("cities: name in %q: %w", line, err)
	}
	return city, nil
}
