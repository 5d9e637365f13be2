// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"cmp"
	"github.com/weftdb/weft/internal/advice/advisor/design"
	"github.com/weftdb/weft/internal/advice/advisor/report"
	"slices"
)

// rules are the rules of the advisor, one in a file. immutable
var rules = []func(*study) []report.Finding{
	largeItems, wideKeys, growingKeys, fewPartitions, hotKeys, sharedPrefixes, mixedDates, unpaddedNumbers,
	curveMembers, flagValues, betterPaths, substrings, wideProjections, unusedIndexes, redundantIndexes, manyIndexes,
	propose,
}

// Advise judges a design. The findings come worst first, then by the entries per second that they save. Equal designs
// get equal reports. The sample is cut at 65,536 rows. A design without a sample is judged on rows made up from
// Attributes; without shapes, by its keys alone.
func Advise(d *design.Design) *report.Report {
	if len(d.Table.Key) == 0 {
		return &report.Report{Table: d.Table.Name}
	}
	s := newStudy(d)
	r := &report.Report{Table: d.Table.Name}
	for _, rule := range rules {
		r.Findings = append(r.Findings, rule(s)...)
	}
	s.countServed(r)
	slices.SortStableFunc(r.Findings, func(a, b report.Finding) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), cmp.Compare(saves(&b), saves(&a)),
			cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Subject, b.Subject))
	})
	return r
}

// saves is the cost that a finding takes away, in entries per second.
func saves(f *report.Finding) float64 {
	if f.Before == nil || f.After == nil {
		return 0
	}
	return f.Before.Reads - f.After.Reads + f.Before.Writes - f.After.Writes
}

// namedKey is one key of the table, with what to call it.
type namedKey struct {
	subject string
	index   *design.Index // nil is the table
	parts   []design.Part // nil: a search index, which has fields instead
	entries float64
}

// replaceable is the key's index, if that can be dropped alone; nil if it can't.
func (k namedKey) replaceable() *namedKey {
	if k.index == nil || k.index.Local {
		return nil
	}
	return &k
}

// keys lists the table's key and the keys of the indexes: rules about keys run on all of them.
func (s *study) keys() []namedKey {
	list := []namedKey{{"table " + s.Table.Name, nil, s.paths[0].key, s.items}}
	for i := range s.Table.Indexes {
		x := &s.Table.Indexes[i]
		list = append(list, namedKey{"index " + x.Name, x, s.paths[i+1].key, s.paths[i+1].entries})
	}
	return list
}

// writes is the number of entries that are written into the key per second; 0 is unknown.
func (s *study) writes(k namedKey) float64 {
	if k.index == nil {
		return s.Writes
	}
	return s.Writes * k.entries / s.items
}
