// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"fmt"
	"strings"

	"github.com/weftdb/weft/internal/advice/advisor/design"
	"github.com/weftdb/weft/internal/advice/advisor/report"
)

// searches reports whether the query looks for a part of a text or a member of a set.
func (q *query) searches() bool { return q.searched() != "" }

// searched is the attribute in which the query looks for a part.
func (q *query) searched() string {
	for _, b := range q.Bounds {
		if b.Operator == design.Contains {
			return b.Attribute
		}
	}
	return ""
}

// substrings warns of contains(..) on many entries: no order of keys narrows it.
func substrings(s *study) []report.Finding {
	var badly []*query
	for _, q := range s.shapes {
		if q.searches() && !q.served(q.known()) {
			badly = append(badly, q)
		}
	}
	var findings []report.Finding
	for _, p := range patternsOf(badly, func(*query) int { return 0 }) {
		read, attribute := p.best(), p.queries[0].searched()
		f := report.Finding{Severity: report.Warning, Rule: "substring-search", Subject: "pattern " + p.name}
		f.Problem = fmt.Sprintf("contains(%s, ..) is judged on each of %s entries per query, since no key orders the parts of a value.", attribute, report.Amount(read))
		statement := s.createSearch([]string{quote(attribute) + "(infix=true)"})
		f.Remedy = "Make a search index of its parts, " + strings.TrimSuffix(statement, ";") + s.asked() +
			"; or ask for the beginning with begins_with; or bind another attribute of a key as well."
		s.makeIndex(&f, report.Statement{SQL: statement}, true, nil)
		f.Evidence = p.evidence(read)
		f.Before = &report.Cost{Reads: p.rate() * read}
		findings = append(findings, f)
	}
	return findings
}

// asked says where a search index of the table is asked, for those who use DynamoDB's API alone.
func (s *study) asked() string {
	if s.Table.SQL {
		return ""
	}
	return ", which is asked over SQL, in Go, or by the operation Search"
}
