// SPDX-License-Identifier: Apache-2.0

package access

import (
	"fmt"
	"strings"

	"github.com/weftdb/weft/internal/expr"
	"github.com/weftdb/weft/internal/indexkey"
)

// spansShown is how many spans Explain writes.
const spansShown = 8

// Explain writes the path for people, on several lines.
func (p *Path) Explain() string {
	var text strings.Builder
	name := "the table itself"
	if !p.Index.IsPrimary() {
		name = "index " + p.Index.Name
	}
	access := "scan"
	switch {
	case p.Point:
		access = "point"
	case len(p.Scan.Spans) == 0:
		access = "nothing can match"
	case p.Scan.Skip != nil:
		access = "scan with skips"
	}
	parts := make([]string, 0, len(p.Index.Key))
	for _, part := range p.Index.Visible() {
		parts = append(parts, part.Name)
	}
	fmt.Fprintf(&text, "%s (%s): %s\n", name, strings.Join(parts, ", "), access)
	for i, span := range p.Scan.Spans {
		if i == spansShown {
			fmt.Fprintf(&text, "  and %d spans more\n", len(p.Scan.Spans)-spansShown)
			break
		}
		fmt.Fprintf(&text, "  span %s\n", indexkey.AppendSpan(nil, p.Index, span))
	}
	if p.Filter != nil {
		fmt.Fprintf(&text, "  filter %s\n", expr.Notation{}.AppendCondition(nil, p.Filter))
	}
	if !p.Covering {
		text.WriteString("  then the rows of these entries\n")
	}
	fmt.Fprintf(&text, "  about %.0f entries, %.0f bytes, %.0f seeks, cost %.0f\n", p.Rows, p.Bytes, p.seeks, p.Cost)
	return text.String()
}
