// SPDX-License-Identifier: Apache-2.0

package expression

import (
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/value"
)

// TestMemoryOfTrees parses expressions of one request with memory that others have used, and wants each tree to stay as
// it is while the next ones are parsed.
func TestMemoryOfTrees(t *testing.T) {
	one := value.AppendInt(nil, 1)
	sum := "SET a = a + :v, b = c - :v, d = :v, e = a, f = :v ADD g :v"
	long := "attribute_exists(a) AND attribute_not_exists(b)" + strings.Repeat(" AND c < :v", 40)
	var known Substitutions
	round := func() (update, condition, again string) {
		known.Reset()
		known.AddValue(":v", one)
		u, err := ParseUpdate(sum, &known)
		must(t, err)
		c, err := ParseCondition(long, &known)
		must(t, err)
		short, err := ParseCondition("a = :v AND b > :v", &known)
		must(t, err)
		var n expr.Notation
		return string(n.AppendUpdate(nil, u)), string(n.AppendCondition(nil, c)), string(n.AppendCondition(nil, short))
	}
	update, condition, short := round()
	if want := strings.Count(condition, "c < 1"); want != 40 {
		t.Errorf("%d of 40 comparisons in %s", want, condition)
	}
	for range 3 {
		if u, c, s := round(); u != update || c != condition || s != short {
			t.Errorf("got %s, %s and %s\nwant %s, %s and %s", u, c, s, update, condition, short)
		}
	}
}

// TestParsingAllocations wants what most requests have to be parsed into memory that is there.
func TestParsingAllocations(t *testing.T) {
	one := value.AppendInt(nil, 1)
	var known Substitutions
	allocations := testing.AllocsPerRun(100, func() {
		known.Reset()
		known.AddName("#o", "owner")
		known.AddValue(":v", one)
		_, err := ParseUpdate("SET a = a + :v, #o = :v", &known)
		must(t, err)
		_, err = ParseCondition("attribute_exists(pk) AND #o = :v", &known)
		must(t, err)
	})
	if allocations > 2 { // the list of the paths that the update writes to, and operands to compare
		t.Errorf("%v allocations", allocations)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
