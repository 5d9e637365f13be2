// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"fmt"
	"github.com/weftdb/weft/internal/advice/advisor/report"
	"maps"
	"slices"
	"strings"
)

const (
	surplusShare = 0.5 // share of an entry that nobody asks for, from which it matters
	surplusBytes = 100 // the same in bytes
)

// wideProjections advises on indexes that copy attributes which no query through them asks for.
func wideProjections(s *study) []report.Finding {
	if s.madeUp {
		return nil
	}
	var findings []report.Finding
	for i, k := range s.keys()[1:] {
		wanted, known := s.wantedOf(i + 1)
		if projection := k.index.Projection; !known || projection != "" && projection != "ALL" {
			continue
		}
		total, needed := 0.0, 0.0
		for _, name := range slices.Sorted(maps.Keys(s.columns)) {
			c := s.columns[name]
			mean, _ := c.bytes()
			bytes := (mean + float64(len(name))) * float64(c.seen) / float64(s.rows)
			total += bytes
			if wanted[name] {
				needed += bytes
			}
		}
		if surplus := total - needed; surplus < surplusBytes || surplus < surplusShare*total {
			continue
		}
		findings = append(findings, s.wideProjection(k, wanted, needed/total))
	}
	return findings
}

// wantedOf collects the attributes that the queries through an index need, keys included. known is false if there are
// no such queries, or if one takes whole items.
func (s *study) wantedOf(path int) (wanted map[string]bool, known bool) {
	wanted = map[string]bool{}
	for _, q := range s.shapes {
		if q.best != path {
			continue
		}
		if known = q.Wanted != nil; !known {
			return nil, false
		}
		for _, name := range q.Wanted {
			wanted[name] = true
		}
		for _, b := range q.Bounds {
			wanted[b.Attribute] = true
		}
	}
	for _, name := range append(s.Table.Key.Attributes(), s.Table.Indexes[path-1].Key.Attributes()...) {
		wanted[name] = true
	}
	return wanted, known
}

func (s *study) wideProjection(k namedKey, wanted map[string]bool, share float64) report.Finding {
	var include []string
	keys := append(s.Table.Key.Attributes(), k.index.Key.Attributes()...)
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		if !slices.Contains(keys, name) {
			include = append(include, name)
		}
	}
	f := report.Finding{Severity: report.Advice, Rule: "wide-projection", Subject: k.subject}
	f.Problem = fmt.Sprintf("The index copies whole items, and its queries ask for %.0f %% of their bytes.", 100*share)
	f.Remedy = "Make it again with the projection KEYS_ONLY."
	if len(include) > 0 {
		f.Remedy = "Make it again with the projection INCLUDE of " + strings.Join(include, ", ") + "."
	}
	before := s.cost(k)
	f.Before, f.After = &before, &report.Cost{Writes: before.Writes, Bytes: before.Bytes * share}
	return f
}
