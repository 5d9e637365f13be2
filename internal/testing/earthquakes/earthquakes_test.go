// SPDX-License-Identifier: Apache-2.0

package earthquakes

import "testing"

func TestEach(t *testing.T) {
	count, shallow := 0, 0
	var first Earthquake
	err := Each(func(e Earthquake) error {
		if count++; count == 1 {
			first = e
		}
		if e.DepthKM[0] == '-' {
			shallow++
		}
		return nil
	})
	if err != nil || count != Count {
		t.Fatalf("%d earthquakes, %v; want %d", count, err, Count)
	}
	if want := (Earthquake{"-118.6671667", "34.4945", "26.49", "2", 1517966773840}); first != want || shallow == 0 {
		t.Errorf("the first is %+v, %d above sea level", first, shallow)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, line := range []string{"", "1\t2\t3\t4", "1\t2\t3\t4\t5.5", "1\t2\tdeep\t4\t5", "\t2\t3\t4\t5"} {
		if one, err := parse(line); err == nil {
			t.Errorf("parse(%q) = %+v", line, one)
		}
	}
}
