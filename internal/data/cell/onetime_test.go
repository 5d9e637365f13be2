// SPDX-License-Identifier: Apache-2.0

package cell

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/valuetest"
)

// TestOneTime does random writes by rules twice: as they are, and with a life for attributes that no row has. That
// changes no answer, but the shorter ways for rows whose cells have one time are not taken then. Rows and cells must be
// the same.
func TestOneTime(t *testing.T) {
	seed := rounds.Seed(t)
	r := rand.New(rand.NewPCG(seed, 1))
	shorter := 0
	for range 300 {
		rules := Rules{Versions: 1 + r.IntN(3), MarkersMS: r.Int64N(3) * 20, SinceMS: r.Int64N(2) * 100,
			Uncovers: r.IntN(2) == 0}
		if r.IntN(3) == 0 {
			rules.Groups = append(rules.Groups, Group{Prefix: "a", Versions: 2})
		}
		other := rules
		other.Groups = append(slices.Clone(rules.Groups), Group{Prefix: "none", LifeMS: 1})
		var stored value.Row
		now := int64(100)
		for range 20 {
			now += r.Int64N(20)
			edits := randomEdits(r, now)
			var next [2]value.Row
			for i, rules := range [...]*Rules{&rules, &other} {
				w := Write{Stored: stored, Key: keyRow(t), Edits: slices.Clone(edits),
					Stamp: Stamp{AtMS: now, Implicit: true}}
				var err error
				if next[i], err = rules.Store(nil, new(value.RowBuilder), &w, value.NoNames, isKey, now); err != nil {
					t.Fatal(err)
				}
			}
			if !bytes.Equal(next[0], next[1]) {
				t.Fatalf("seed %d: %v by %+v at %d make\n%s\nand the longer way\n%s", seed, edits, rules, now,
					text(next[0]), text(next[1]))
			}
			if stored = next[0]; stored == nil {
				continue
			}
			if _, one := rules.oneTime(stored, value.NoNames); one {
				shorter++
			}
			if got, want := cells(t, &rules, stored, now), longer(t, &rules, stored, now); got != want {
				t.Fatalf("seed %d: by %+v at %d the cells of %s are\n%s\nand the longer way\n%s", seed, rules, now,
					text(stored), got, want)
			}
			want := Stripped(nil, stored, value.NoNames).Size()
			if IsDead(stored, value.NoNames, isKey) {
				want = 0
			}
			if got := SeenSize(stored, value.NoNames, isKey); got != want {
				t.Fatalf("seed %d: without this package's attributes, %s has %d bytes, not %d", seed, text(stored),
					want, got)
			}
		}
	}
	if shorter < 500 {
		t.Errorf("seed %d: %d rows of 6,000 have one time", seed, shorter)
	}
}

func text(row value.Row) string {
	if row == nil {
		return "nothing"
	}
	return string(valuetest.AppendRowText(nil, row, value.NoNames))
}

// randomEdits are edits of a row: mostly values by the clock for all columns.
func randomEdits(r *rand.Rand, now int64) (list []Edit) {
	for _, name := range []string{"b", "a1", "c", "a2"} {
		e := Edit{Kind: PutCell, Name: []byte(name), Value: value.AppendInt(nil, r.Int64N(100))}
		switch r.IntN(60) {
		case 0:
			e.Kind = Kind(r.IntN(int(MaskTime) + 1))
		case 1:
			e.AtMS = now - 50 + r.Int64N(100)
		case 2:
			e.LifeMS = 1 + r.Int64N(50)
		case 3:
			continue
		}
		list = append(list, e)
	}
	return list
}

// longer is what cells makes of a row, column by column.
func longer(t *testing.T, rules *Rules, stored value.Row, now int64) (out string) {
	h, err := rules.read(stored, value.NoNames, isKey)
	if err != nil {
		t.Fatal(err)
	}
	for i := range h.columns {
		if c := &h.columns[i]; !IsHidden(c.name) {
			rules.alive(&h, c, now, func(v *Version) bool {
				out += fmt.Sprintf("%s %d %s\n", c.name, v.AtMS, v.Value.Bytes())
				return true
			})
		}
	}
	if out == "" {
		return "no cells"
	}
	return out
}
