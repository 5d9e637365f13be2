// SPDX-License-Identifier: Apache-2.0

package cell

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/valuetest"
)

func isKey(name []byte) bool { return string(name) == "id" }

// TestData writes and shows rows as the files say. Commands: rules versions=1 life=0 markers=0 since=0; put, set and
// remove with at=, life= and now= and the attributes as a map (names for remove); delete at=; show now=; stored;
// versions now= name= n= from= to=. Lines of rules are groups: prefix, versions, life, least versions. edit now= has a
// line for each edit: its kind, name, time, and for put life and value; cells now= and futures show what it came to.
func TestData(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		var rules Rules
		var stored value.Row
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			var now, at, life int64
			d.MaybeScanArgs(t, "now", &now)
			d.MaybeScanArgs(t, "at", &at)
			d.MaybeScanArgs(t, "life", &life)
			if !d.HasArg("now") {
				now = at
			}
			switch d.Cmd {
			case "rules":
				rules, stored = Rules{LifeMS: life}, nil
				d.MaybeScanArgs(t, "versions", &rules.Versions)
				d.MaybeScanArgs(t, "markers", &rules.MarkersMS)
				d.MaybeScanArgs(t, "since", &rules.SinceMS)
				rules.Uncovers = d.HasArg("uncovers")
				for line := range strings.Lines(d.Input) {
					var g Group
					if _, err := fmt.Sscan(line, &g.Prefix, &g.Versions, &g.LifeMS, &g.VersionsMin); err != nil {
						t.Fatal(err)
					}
					rules.Groups = append(rules.Groups, g)
				}
				return ""
			case "cells":
				return cells(t, &rules, stored, now)
			case "futures":
				return futures(t, &rules, stored)
			case "stored":
				return string(valuetest.AppendRowText(nil, stored, value.NoNames))
			case "show":
				return show(t, &rules, stored, now)
			case "versions":
				return versions(t, d, &rules, stored, now)
			}
			if d.Cmd == "edit" {
				w := Write{Stored: stored, Key: keyRow(t), Edits: edits(t, d.Input),
					Stamp: Stamp{AtMS: now, Implicit: true}}
				var err error
				if stored, err = rules.Store(nil, new(value.RowBuilder), &w, value.NoNames, isKey, now); err != nil {
					return err.Error()
				}
				return cells(t, &rules, stored, now)
			}
			stamp := Stamp{AtMS: at, LifeMS: life, Implicit: d.HasArg("clock")}
			w := Write{Stored: stored, Replaces: d.Cmd == "put", Stamp: stamp}
			change(t, d, &rules, &w, now)
			next, err := rules.Store(nil, new(value.RowBuilder), &w, value.NoNames, isKey, now)
			if err != nil {
				return err.Error()
			}
			stored = next
			return show(t, &rules, stored, now)
		})
	})
}

// change makes the row that a write asks for.
func change(t *testing.T, d *datadriven.TestData, rules *Rules, w *Write, now int64) {
	t.Helper()
	if d.Cmd == "delete" {
		return
	}
	row := func(text string) value.Row {
		row, err := valuetest.ParseRowText(text, value.NoNames)
		if err != nil {
			t.Fatal(err)
		}
		return row
	}
	if d.Cmd == "put" {
		w.Next = row(d.Input)
		return
	}
	next := map[string]value.Value{"id": value.AppendInt(nil, 1)}
	if w.Stored != nil {
		if visible, ok, err := rules.Visible(nil, w.Stored, value.NoNames, isKey, now); err != nil {
			t.Fatal(err)
		} else if ok {
			collect(next, visible)
		}
	}
	if d.Cmd == "set" {
		set := map[string]value.Value{}
		collect(set, row(d.Input))
		for name, v := range set {
			next[name] = v
			w.Written = append(w.Written, []byte(name))
		}
	} else {
		for _, name := range strings.Fields(d.Input) {
			delete(next, name)
			w.Written = append(w.Written, []byte(name))
		}
	}
	var b value.RowBuilder
	for name, v := range next {
		if err := b.Set([]byte(name), v); err != nil {
			t.Fatal(err)
		}
	}
	w.Next = b.AppendTo(nil)
}

func keyRow(t *testing.T) value.Row {
	row, err := valuetest.ParseRowText("{id: 1i}", value.NoNames)
	if err != nil {
		t.Fatal(err)
	}
	return row
}

// immutable
var kinds = map[string]Kind{"put": PutCell, "one": MaskCell, "newest": MaskNewest, "upto": MaskCells,
	"prefix": MaskPrefix, "time": MaskTime}

func edits(t *testing.T, text string) (list []Edit) {
	for line := range strings.Lines(text) {
		words := append(strings.Fields(line), "0", "0", "0")
		e := Edit{Name: []byte(words[1])}
		var ok bool
		if e.Kind, ok = kinds[words[0]]; !ok {
			t.Fatalf("no kind of edit: %s", line)
		}
		if _, err := fmt.Sscan(words[2]+" "+words[3], &e.AtMS, &e.LifeMS); err != nil {
			t.Fatal(err)
		}
		if e.Kind == PutCell {
			e.Value = value.AppendString(nil, []byte(words[4]))
		}
		list = append(list, e)
	}
	return list
}

func cells(t *testing.T, rules *Rules, stored value.Row, now int64) string {
	if stored == nil {
		return "nothing"
	}
	if err := stored.Validate(value.NoNames); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := rules.Cells(stored, value.NoNames, isKey, now, func(name []byte, v *Version) bool {
		fmt.Fprintf(&out, "%s %d %s\n", name, v.AtMS, v.Value.Bytes())
		return true
	}); err != nil {
		t.Fatal(err)
	}
	if out.Len() == 0 {
		return "no cells"
	}
	return out.String()
}

func futures(t *testing.T, rules *Rules, stored value.Row) string {
	var out strings.Builder
	all := func([]byte) bool { return true }
	if err := rules.Futures(stored, value.NoNames, isKey, all, func(row value.Row) error {
		out.Write(valuetest.AppendRowText(nil, row, value.NoNames))
		out.WriteByte('\n')
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func collect(into map[string]value.Value, row value.Row) {
	for a := row.Attributes(value.NoNames); a.Next(); {
		into[string(a.Name())] = slices.Clone(a.Value())
	}
}

func show(t *testing.T, rules *Rules, stored value.Row, now int64) string {
	t.Helper()
	if stored == nil {
		return "nothing"
	}
	if err := stored.Validate(value.NoNames); err != nil {
		t.Fatal(err)
	}
	visible, ok, err := rules.Visible(nil, stored, value.NoNames, isKey, now)
	switch {
	case err != nil:
		return err.Error()
	case !ok:
		return "nothing to see"
	}
	if err := visible.Validate(value.NoNames); err != nil {
		t.Fatal(err)
	}
	return string(valuetest.AppendRowText(nil, visible, value.NoNames))
}

func versions(t *testing.T, d *datadriven.TestData, rules *Rules, stored value.Row, now int64) string {
	t.Helper()
	var name string
	var want Select
	d.ScanArgs(t, "name", &name)
	d.MaybeScanArgs(t, "n", &want.Versions)
	d.MaybeScanArgs(t, "from", &want.FromMS)
	d.MaybeScanArgs(t, "to", &want.ToMS)
	list, err := rules.VersionsOf(stored, value.NoNames, isKey, []byte(name), now, want)
	if err != nil {
		return err.Error()
	}
	var text strings.Builder
	for _, v := range list {
		fmt.Fprintf(&text, "%d %s\n", v.AtMS, v.Value)
	}
	return text.String()
}

// TestOrderDoesNotCount: whatever the order in which cells, markers and row markers of different times arrive, a table
// that forgets nothing shows the same.
func TestOrderDoesNotCount(t *testing.T) {
	seed := rounds.Seed(t)
	r := rand.New(rand.NewPCG(seed, 1))
	rules := Rules{Versions: 100, MarkersMS: 1 << 40}
	id, err := valuetest.ParseRowText("{id: 1i}", value.NoNames)
	if err != nil {
		t.Fatal(err)
	}
	for range 500 {
		type step struct {
			name  string
			value int64
			kind  int // 0 sets, 1 removes, 2 deletes the row
			at    int64
		}
		var steps []step
		for at := range 1 + r.IntN(12) {
			steps = append(steps, step{name: string(rune('a' + r.IntN(3))), value: r.Int64N(100), kind: r.IntN(5) / 2,
				at: int64(at + 1)})
		}
		run := func() string {
			var stored value.Row
			for _, s := range steps {
				w := Write{Stored: stored, Written: [][]byte{[]byte(s.name)}, Stamp: Stamp{AtMS: s.at}, Key: id}
				if s.kind < 2 {
					var b value.RowBuilder
					_ = b.Set([]byte("id"), value.AppendInt(nil, 1))
					if s.kind == 0 {
						_ = b.Set([]byte(s.name), value.AppendInt(nil, s.value))
					}
					w.Next = b.AppendTo(nil)
				}
				var err error
				if stored, err = rules.Store(nil, new(value.RowBuilder), &w, value.NoNames, isKey, 1000); err != nil {
					t.Fatal(err)
				}
			}
			return show(t, &rules, stored, 1000)
		}
		want := run()
		r.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
		if got := run(); got != want {
			t.Fatalf("seed %d: %+v shows %s, in order of time %s", seed, steps, got, want)
		}
	}
}

// FuzzVisible reads damaged histories.
func FuzzVisible(f *testing.F) {
	f.Add([]byte{0})
	rules := Rules{Versions: 2, LifeMS: 5, MarkersMS: 7}
	f.Fuzz(func(t *testing.T, b []byte) {
		var row value.RowBuilder
		row.Begin([]byte(History))
		row.Buf = append(row.Buf, b...)
		if row.End() != nil {
			return
		}
		stored := row.AppendTo(nil)
		if stored.Validate(value.NoNames) != nil {
			return
		}
		for _, now := range []int64{0, 100} {
			_, _, _ = rules.Visible(nil, stored, value.NoNames, isKey, now)
		}
		next, err := rules.Store(nil, new(value.RowBuilder),
			&Write{Stored: stored, Next: stored, Stamp: Stamp{AtMS: 3}}, value.NoNames, isKey, 4)
		if err == nil && next != nil && next.Validate(value.NoNames) != nil {
			t.Fatalf("a row that is not well-formed was made of %x", b)
		}
	})
}
