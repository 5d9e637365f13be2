// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/advice/advisor/design"
)

const weighed = `{"Table": {"TableName": "orders", "ItemCount": 2000000, "TableSizeBytes": 1200000000,
	"AttributeDefinitions": [{"AttributeName": "At", "AttributeType": "N"}, {"AttributeName": "Id", "AttributeType": "S"}],
	"KeySchema": [{"AttributeName": "At", "KeyType": "HASH"}, {"AttributeName": "Id", "KeyType": "RANGE"}]},
	"WritesPerSecond": 50,
	"Patterns": [
		{"Name": "of a customer", "PerSecond": 20, "Where": {"Customer": "="}, "OrderBy": "At", "Returns": 20},
		{"Name": "of a country", "PerSecond": 1, "Where": {"Country": "=", "Total": {"From": 1000}}},
		{"Name": "one", "PerSecond": 10, "Where": {"At": "=", "Id": "="}, "Returns": 1}],
	"Attributes": {"At": {"Type": "N", "Distinct": 1000000, "Grows": true}, "Id": {"Type": "S", "Distinct": 2000000}, "Customer": {"Type": "S", "Distinct": 100000}, "Country": {"Type": "S", "Distinct": 100},
		"Total": {"Type": "N", "Distinct": 10000}}}`

// TestWeigh: designs come with the table as it is first, then best first; what Advise proposes is among them, and each
// is better than nothing.
func TestWeigh(t *testing.T) {
	d, err := design.Parse([]byte(weighed))
	if err != nil {
		t.Fatal(err)
	}
	list := Weigh(d)
	if len(list) < 4 || list[0].Score != 0 || list[0].Name != "" || list[1].Rule != "all-proposed" ||
		len(list[1].Together) < 2 {
		t.Fatalf("%d designs, the first are %+v and %+v", len(list), list[0], list[1])
	}
	chosen := 0
	for i, c := range list[2:] {
		if i > 0 && c.Score > list[i+1].Score || c.Score > list[1].Score+1e-9 {
			t.Errorf("%s scores %v, after %v; all together %v", c.Name, c.Score, list[i+1].Score, list[1].Score)
		}
		if c.Chosen {
			chosen++
			if c.Score <= 0 || c.Total >= list[0].Total || len(c.Statements) != 1 {
				t.Errorf("%+v was chosen", c)
			}
		}
		if len(c.Patterns) != 3 || c.Cost.Bytes <= 0 || c.Cost.Writes <= 0 {
			t.Errorf("%+v", c)
		}
	}
	if chosen != len(list[1].Together) {
		t.Errorf("%d were chosen, together %q", chosen, list[1].Together)
	}
	for _, f := range Advise(d).Findings {
		if name, ok := strings.CutPrefix(f.Subject, "new index "); ok &&
			!strings.Contains(strings.Join(list[1].Together, " "), name) {
			t.Errorf("Advise proposes %s, and Weigh %q", name, list[1].Together)
		}
	}
}

// TestSimulate: a growing key takes all writes at its end, and the picture is a diagonal; a key that begins with
// something else spreads them.
func TestSimulate(t *testing.T) {
	d, err := design.Parse([]byte(weighed))
	if err != nil {
		t.Fatal(err)
	}
	list := Weigh(d)
	h := list[0].Heat
	for minute := range h.Minutes {
		most := 0
		for band := range h.Bands {
			if h.Written[minute*h.Bands+band] > h.Written[minute*h.Bands+most] {
				most = band
			}
		}
		if wanted := minute * h.Bands / h.Minutes; most < wanted-1 || most > wanted+2 {
			t.Errorf("in minute %d most writes go to band %d", minute, most)
		}
	}
	if h.HottestWritten < 0.4 {
		t.Errorf("the hottest band of a growing key takes %v", h.HottestWritten)
	}
	spread := 0
	for _, c := range list[1:] {
		if c.Heat != nil && strings.HasPrefix(c.Key[0], "Customer") {
			spread++
			if c.Heat.HottestWritten > 0.15 || c.Heat.HottestRead < c.Heat.HottestWritten {
				t.Errorf("%s: writes %v, reads %v", c.Name, c.Heat.HottestWritten, c.Heat.HottestRead)
			}
		}
		sum := 0
		if c.Heat == nil {
			continue
		}
		for _, n := range c.Heat.Written {
			sum += n
		}
		if sum != syntheticRowsForTest {
			t.Errorf("%s: %d writes", c.Name, sum)
		}
	}
	if spread == 0 {
		t.Error("no index begins with the customer")
	}
}

const syntheticRowsForTest = 4096
