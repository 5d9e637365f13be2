// SPDX-License-Identifier: Apache-2.0

package diagnosis

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestDiagnose prints what is said of tables and their requests. A case is the key's columns as arguments and lines
// such as
//
//	16x reads=100 writes=200 written=$00..$47 top-writes=4711:150
//
// which are 16 minutes, $ being the minute's number: requests, a sample of keys (parts apart by a slash, a range or
// random(COUNT,BELOW) in the last part), the most frequent keys with their counts.
func TestDiagnose(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			o := Object{Table: "t"}
			for _, a := range d.CmdArgs {
				switch a.Key {
				case "key":
					for _, text := range a.Vals {
						name, kind, _ := strings.Cut(text, ":")
						o.Key = append(o.Key, Column{Name: name, Type: kind})
					}
				case "table":
					o.Table = a.Vals[0]
				case "index":
					o.Index = a.Vals[0]
				case "hashed":
					o.Hashed = true
				case "border":
					o.Borders = append(o.Borders, keyOf(a.Vals[0]))
				case "preset":
					for _, text := range a.Vals {
						o.Borders = append(o.Borders, keyOf(text))
						o.Preset++
					}
				default:
					d.Fatalf(t, "there is no %s", a.Key)
				}
			}
			random := rand.New(rand.NewPCG(1, 2))
			for _, line := range strings.Split(d.Input, "\n") {
				times, rest := 1, line
				if before, after, ok := strings.Cut(line, "x "); ok {
					times, _ = strconv.Atoi(before)
					rest = after
				}
				for range times {
					o.Moments = append(o.Moments, minuteOf(t, d, rest, len(o.Moments), random))
				}
			}
			return print(Diagnose(&o))
		})
	})
}

func keyOf(text string) Key {
	k := Key{Parts: strings.Split(text, "/")}
	for _, p := range k.Parts {
		if n, err := strconv.Atoi(p); err == nil {
			k.Bytes += fmt.Sprintf("%020d", n+1e12)
		} else {
			k.Bytes += p + "\x00"
		}
	}
	return k
}

func minuteOf(t *testing.T, d *datadriven.TestData, line string, n int, random *rand.Rand) Moment {
	m := Moment{From: int64(n) * 60_000, To: int64(n+1) * 60_000}
	for _, field := range strings.Fields(strings.ReplaceAll(line, "$", strconv.Itoa(n+1))) {
		name, value, _ := strings.Cut(field, "=")
		switch name {
		case "reads", "writes":
			count, err := strconv.ParseFloat(value, 64)
			if err != nil {
				d.Fatalf(t, "%v", err)
			}
			if name == "reads" {
				m.Reads, m.Counted[0] = count, count
			} else {
				m.Writes, m.Counted[1] = count, count
			}
		case "conflicts":
			m.Counted[2], _ = strconv.ParseFloat(value, 64)
		case "read":
			m.Read = keysOf(value, random)
		case "written":
			m.Written = keysOf(value, random)
		case "top-reads", "top-writes", "top-conflicts":
			i := map[string]int{"top-reads": 0, "top-writes": 1, "top-conflicts": 2}[name]
			key, count, _ := strings.Cut(value, ":")
			c, _ := strconv.ParseFloat(count, 64)
			m.Tops[i] = []Top{{Key: keyOf(key), Count: c}}
		default:
			d.Fatalf(t, "there is no %s", name)
		}
	}
	return m
}

func keysOf(value string, random *rand.Rand) (keys []Key) {
	for _, text := range strings.Split(value, ";") {
		prefix, last := "", text
		if i := strings.LastIndexByte(text, '/'); i >= 0 {
			prefix, last = text[:i+1], text[i+1:]
		}
		var from, to, count, below int
		if n, _ := fmt.Sscanf(last, "random(%d,%d)", &count, &below); n == 2 {
			for range count {
				keys = append(keys, keyOf(prefix+strconv.Itoa(random.IntN(below))))
			}
		} else if n, _ := fmt.Sscanf(last, "%d..%d", &from, &to); n == 2 {
			step := 1
			if to < from {
				step = -1
			}
			for i := from; i != to+step; i += step {
				keys = append(keys, keyOf(prefix+strconv.Itoa(i)))
			}
		} else {
			keys = append(keys, keyOf(text))
		}
	}
	return keys
}

func print(found []Finding) string {
	if len(found) == 0 {
		return "nothing\n"
	}
	var b strings.Builder
	for i := range found {
		f := &found[i]
		fmt.Fprintf(&b, "%s %.2f", f.Kind, f.Strength)
		if f.Warning {
			b.WriteString(" warning")
		}
		fmt.Fprintf(&b, " minutes %d to %d, keys %s\n  %s\n", f.Times[0]/60_000, f.Times[1]/60_000,
			strings.Join(f.Keys, " | "), f.Text)
		if f.Cure != "" {
			fmt.Fprintf(&b, "  %s\n", f.Cure)
		}
		for _, e := range f.Evidence {
			fmt.Fprintf(&b, "  - %s\n", e)
		}
		if len(f.SplitKeys) > 0 {
			fmt.Fprintf(&b, "  split at %s\n", strings.Join(f.SplitKeys, ", "))
		}
		for _, s := range f.Statements {
			fmt.Fprintf(&b, "  %s: %s\n", s.Dialect, strings.Join(strings.Fields(s.Text), " "))
		}
	}
	return b.String()
}
