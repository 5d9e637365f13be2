// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/weftdb/weft/internal/advice/advisor/design"
	"github.com/weftdb/weft/internal/advice/advisor/report"
)

// indexesMany is the number of secondary indexes that are a lot: each write is repeated in each of them.
const indexesMany = 5

// cost is the cost of an index: its writes and its bytes.
func (s *study) cost(k namedKey) report.Cost {
	c := report.Cost{Writes: s.writes(k), Bytes: k.index.Bytes}
	c.Bytes = cmp.Or(c.Bytes, k.entries*s.entryBytes(k.index.Projection))
	return c
}

// used reports whether any query goes through the index, or should.
func (s *study) used(name string) bool {
	return slices.ContainsFunc(s.shapes, func(q *query) bool {
		return s.paths[q.best].index == name || s.paths[q.offerAt].index == name
	})
}

// A server that was asked little, or for a short time, says nothing of indexes that nobody used.
const (
	observedMin  = time.Hour
	observedLong = 7 * 24 * time.Hour // from which an unused index is a warning
	queriesMin   = 100
)

// unusedIndexes warns of indexes that no query uses: of those that the design says it lists, or of those that a server
// has counted.
func unusedIndexes(s *study) []report.Finding {
	var findings []report.Finding
	for _, k := range slices.Concat(s.keys()[1:], s.searches()) {
		f := report.Finding{Severity: report.Warning, Rule: "unused-index", Subject: k.subject, After: &report.Cost{}}
		switch since := s.watched(k.index); {
		case s.used(k.index.Name):
			continue
		case s.Complete:
			f.Problem = "No query uses the index, and every write pays for it."
		case since < observedMin:
			continue
		default:
			f.Problem = fmt.Sprintf("No query has used the index for %s, and every write pays for it.", spanText(since))
			if since < observedLong {
				f.Severity = report.Advice
			}
		}
		f.Remedy = "Drop it."
		if !s.Complete {
			f.Remedy = "Drop it, unless something that is rarer than that needs it."
		}
		s.drop(&f, k)
		findings = append(findings, f)
	}
	return findings
}

// watched is the time queries through an index were counted in vain; 0 if there were some, or too few of any kind to
// tell.
func (s *study) watched(x *design.Index) time.Duration {
	asked := s.Table.Queries
	for i := range s.Table.Indexes {
		asked += s.Table.Indexes[i].Queries
	}
	if x.Queries > 0 || asked < queriesMin {
		return 0
	}
	if x.Age > 0 {
		return min(x.Age, s.Observed)
	}
	return s.Observed
}

// searches lists the search indexes as keys, of which they have as many entries as attributes.
func (s *study) searches() (list []namedKey) {
	for i := range s.Table.Searches {
		x := &s.Table.Searches[i]
		list = append(list, namedKey{"search index " + x.Name, x, nil, s.items * float64(len(x.Key))})
	}
	return list
}

// spanText is a long time in words.
func spanText(d time.Duration) string {
	if d < 48*time.Hour {
		return report.Count(math.Floor(d.Hours()), "hour", "hours")
	}
	return report.Count(math.Floor(d.Hours()/24), "day", "days")
}

// drop fills in the cost of an index and the request that drops it.
func (s *study) drop(f *report.Finding, k namedKey) {
	c := s.cost(k)
	f.Before = &c
	f.Evidence = append(f.Evidence, report.Figure{Name: "entries", Value: k.entries})
	if k.index.Local {
		f.Remedy = "It is local and can't be dropped alone: leave it out when you next create the table."
		return
	}
	f.Statements = []report.Statement{s.dropIndex(k)}
}
