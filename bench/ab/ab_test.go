// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weftdb/weft/bench/loadgen"
	"github.com/weftdb/weft/internal/testing/rounds"
)

// turns are results whose rates and CPU times vary by a tenth around those of a machine that gets slower all the time.
func turns(random *rand.Rand, speed float64) (a, b []loadgen.Result) {
	one := func(at int, speed float64) loadgen.Result {
		speed *= (1 + 0.05*random.NormFloat64()) / (1 + 0.02*float64(at))
		return loadgen.Result{Operations: int64(1e6 * speed), Seconds: 1, CPUSeconds: 1}
	}
	for i := range 12 {
		a = append(a, one(4*i, 1))
		b = append(b, one(4*i+1, speed), one(4*i+2, speed))
		a = append(a, one(4*i+3, 1))
	}
	return a, b
}

func TestVerdict(t *testing.T) {
	random, wrong := rounds.Random(t), map[verdict]int{}
	tries := max(rounds.Of(t, 20), 20)
	for range tries {
		for want, speed := range map[verdict]float64{noDifference: 1, faster: 1.15, slower: 0.85} {
			a, b := turns(random, speed)
			if compare(a, b, random.Uint64()).verdict() != want {
				wrong[want]++
			}
		}
	}
	for want, count := range wrong {
		if count > tries/4 {
			t.Errorf("%d of %d times the verdict is not %q", count, tries, want)
		}
	}
}

func TestSameFigures(t *testing.T) {
	a, _ := turns(rand.New(rand.NewPCG(1, 1)), 1)
	if got := compare(a, a, 1); got.verdict() != noDifference || got.rate.String() != "1.000 (1.000 to 1.000)" {
		t.Errorf("%+v", got)
	}
	a, b := turns(rand.New(rand.NewPCG(1, 1)), 1.1)
	if first, again := compare(a, b, 7), compare(a, b, 7); first != again || first.verdict() != faster {
		t.Errorf("a tenth more: %+v, again %+v", first, again)
	}
}

func TestContradiction(t *testing.T) {
	up, down, same := interval{1.2, 1.1, 1.3}, interval{0.8, 0.7, 0.9}, interval{1, 0.9, 1.1}
	for _, c := range []struct {
		rate, cpu interval
		want      verdict
	}{{up, same, faster}, {same, down, faster}, {up, down, faster}, {up, up, noDifference}, {down, same, slower},
		{same, up, slower}, {interval{}, interval{}, noDifference}, {interval{1.015, 1.01, 1.02}, same, noDifference}} {
		if got := (comparison{c.rate, c.cpu}).verdict(); got != c.want {
			t.Errorf("rate %v, CPU %v: %s, want %s", c.rate, c.cpu, got, c.want)
		}
	}
	if got := compare([]loadgen.Result{{}, {}}, []loadgen.Result{{}, {}}, 1); got.rate != (interval{}) {
		t.Errorf("of no figures: %v", got.rate)
	}
}

func TestFlags(t *testing.T) {
	for _, args := range []string{"HEAD", "HEAD HEAD", "HEAD HEAD fly", "HEAD HEAD sql", "HEAD HEAD fly/high",
		"--rounds 0 HEAD HEAD sql/group", "--clients x HEAD HEAD sql/group"} {
		if _, err := parseFlags(strings.Fields(args)); err == nil {
			t.Errorf("%s is taken", args)
		}
	}
	c, err := parseFlags(strings.Fields("--rounds 3 HEAD~1 HEAD sysbench/random_points --rows 1000"))
	if err != nil || c.Commits != [2]string{"HEAD~1", "HEAD"} || c.Program != "./bench/sql" ||
		strings.Join(c.Args, " ") != "--sysbench --peers weft --operations random_points --rows 1000" {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.md")
	page := "first\n<!-- ab: one -->\nold\n<!-- end of ab -->\nlast\n"
	if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := write(path, "two", "new\n"); err == nil {
		t.Error("there are no markers of that name")
	}
	if err := write(path, "one", "new\n"); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if want := strings.Replace(page, "old", "new", 1); string(got) != want || err != nil {
		t.Errorf("got %q, want %q; %v", got, want, err)
	}
}
