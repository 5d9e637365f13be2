// SPDX-License-Identifier: Apache-2.0

package diagnosis

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const (
	idlePreset = 3   // the least number of regions made before the rows, besides the first, for which this is checked
	idleShare  = 0.5 // of the regions that get no writes
	idleSample = 64  // writes
)

// idleRegions finds that most of the regions a table began with get no writes: their ranges do not fit what is written.
func (s *study) idleRegions() *Finding {
	regions := len(s.Borders) + 1
	if s.Preset < idlePreset || len(s.written) < idleSample || len(s.Key) == 0 {
		return nil
	}
	hit := make([]bool, regions)
	for _, k := range s.written {
		at, found := slices.BinarySearchFunc(s.Borders, k,
			func(border, key Key) int { return cmp.Compare(border.Bytes, key.Bytes) })
		if found {
			at++
		}
		hit[at] = true
	}
	idle := 0
	for _, is := range hit {
		if !is {
			idle++
		}
	}
	share := float64(idle) / float64(regions)
	if share < idleShare {
		return nil
	}
	f := s.finding(IdleRegions, share)
	f.Keys, f.Warning = []string{}, true
	f.Text = fmt.Sprintf("%d of the %d regions of %s get none of its writes: its split points do not fit the written keys.", idle, regions, s.subject())
	f.Evidence = []Figure{{"regions without writes", float64(idle), ""}, {"regions", float64(regions), ""},
		{"writes examined", float64(len(s.written)), ""}}
	points := s.splitKeys(evenly(s.written, regions))
	if len(points) == 0 {
		f.Cure = "All writes have about the same " + s.column(0) +
			", so no split points can divide them: begin the key with a column of more values, or with a hash."
		return f
	}
	f.Keys, f.SplitKeys = points, points
	list := "SPLITKEYS='" + strings.Join(points, ",") + "'"
	f.Cure = "Begin the table with WITH (" + list +
		"), which divides the recent writes; idle regions are merged after a day."
	if s.Index == "" {
		create := strings.TrimSuffix(s.createSQL(s.spellParts(0, len(s.Key)), "split"), ";")
		if options, hasOptions := strings.CutSuffix(create, ")"); hasOptions && strings.Contains(create, ") WITH (") {
			create = options + ", " + list + ")"
		} else {
			create += " WITH (" + list + ")"
		}
		f.Statements = []Statement{{"SQL", create + ";"}}
	}
	return f
}

// evenly returns keys that divide all into so many parts, as nearly as keys can.
func evenly(all []Key, parts int) (cuts []Key) {
	keys := slices.Clone(all)
	slices.SortFunc(keys, func(a, b Key) int { return cmp.Compare(a.Bytes, b.Bytes) })
	for i := 1; i < parts; i++ {
		if cut := keys[i*len(keys)/parts]; firstValue(cut) != firstValue(keys[0]) {
			cuts = append(cuts, cut)
		}
	}
	return cuts
}

func firstValue(k Key) string {
	if len(k.Parts) == 0 {
		return ""
	}
	return k.Parts[0]
}

// splitKeys returns the values of the first column at which keys cut, each once, as SPLITKEYS takes them: none with a
// comma, and none if the key does not begin with a column.
func (s *study) splitKeys(cuts []Key) (points []string) {
	if s.Hashed || len(s.Key) == 0 || s.Key[0].Call != "" {
		return nil
	}
	for _, cut := range cuts {
		point := firstValue(cut)
		if point != "" && !slices.Contains(points, point) && !strings.ContainsAny(point, ",'") {
			points = append(points, point)
		}
	}
	slices.SortFunc(points, func(a, b string) int { // SPLITKEYS ascend, whatever the order of the key
		x, errX := strconv.ParseFloat(a, 64)
		y, errY := strconv.ParseFloat(b, 64)
		if errX != nil || errY != nil {
			return cmp.Compare(a, b)
		}
		return cmp.Compare(x, y)
	})
	return points
}
