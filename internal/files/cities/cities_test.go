// SPDX-License-Identifier: Apache-2.0

package cities

import "testing"

func TestEach(t *testing.T) {
	count, capitals := 0, 0
	var tokyo City
	err := Each(func(c City) error {
		count++
		if c.FeatureCode == "PPLC" {
			capitals++
		}
		if c.Name == "Tokyo" && c.Country == "JP" {
			tokyo = c
		}
		return nil
	})
	if err != nil || count != Count {
		t.Fatalf("%d cities, %v; want %d", count, err, Count)
	}
	if capitals < 190 || tokyo.Population < 8_000_000 || tokyo.FeatureCode != "PPLC" {
		t.Errorf("%d capitals, Tokyo is %+v", capitals, tokyo)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, line := range []string{"", "1\t2\t3", "1\t2\tmany\t\tJP\tPPL\t\"x\"", "1\t2\t3\t\tJP\tPPL\tx"} {
		if city, err := parse(line); err == nil {
			t.Errorf("parse(%q) = %+v", line, city)
		}
	}
}
