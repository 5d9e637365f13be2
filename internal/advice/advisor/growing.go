// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"fmt"
	"math"
	"strings"

	"github.com/weftdb/weft/internal/advice/advisor/design"
	"github.com/weftdb/weft/internal/advice/advisor/report"
	"github.com/weftdb/weft/internal/advice/advisor/valueformat"
)

const (
	busyWrites = 100 // writes per second from which one end of a key is a bottleneck
	growsShare = 0.9 // share of the values that must look alike
)

// growingKeys warns of partition keys whose new values are always the largest: all writes go to one end of the key,
// which one machine holds.
func growingKeys(s *study) []report.Finding {
	var findings []report.Finding
	for i, k := range s.keys() {
		first := k.parts[0]
		if first.Function != "" && first.Function != "desc" && first.Function != "concat" ||
			len(first.Attributes()) == 0 {
			continue
		}
		c := s.columns[first.Attributes()[0]]
		why := s.grows(c)
		// many items per value: the value of now takes all writes even if values are spread
		coarse := c.distinct*100 < s.items
		if why == "" || s.paths[i].hashed && !coarse {
			continue
		}
		findings = append(findings, s.growing(k, c, why, s.paths[i].hashed))
	}
	return findings
}

func (s *study) growing(k namedKey, c *column, why string, hashed bool) report.Finding {
	f := report.Finding{Severity: report.Advice, Rule: "growing-key", Subject: k.subject}
	if s.writes(k) >= busyWrites {
		f.Severity = report.Warning
	}
	f.Problem = fmt.Sprintf("%s is the partition key and %s: all new entries go to its end.", c.name, why)
	if hashed {
		f.Problem = fmt.Sprintf("%s is the partition key and %s: all writes of one time go to one partition.", c.name,
			why)
	}
	f.Evidence = []report.Figure{{Name: "different values", Value: c.distinct}, {Name: "entries", Value: k.entries}}
	if s.Writes > 0 {
		f.Evidence = append(f.Evidence, report.Figure{Name: "writes to one end", Value: s.writes(k), Unit: "/s"})
	}
	switch {
	case s.Table.SQL:
		f.Remedy = fmt.Sprintf("Put a hash in front if writes come faster than one machine takes them, as in (hash8(%s), %s), or turn it round, as in reverse(%s); or begin the key with a "+
			"column that queries give exactly.", c.name, c.name, c.name)
	case k.index != nil:
		f.Remedy = fmt.Sprintf("Make the partition key an attribute that queries give exactly, with %s as the sort key; or put %s in front and ask its 256 values in parallel.", c.name, design.Call("hash8", c.name))
	case hashed:
		f.Remedy = fmt.Sprintf("Join an attribute that queries give exactly to it, as in concat(%s,'#',...).",
			design.Spell(c.name))
	case c.kind == "N" && !strings.Contains(why, "time"):
		key := append(design.Key{design.Call("reverse", c.name)}, s.Table.Key[1:]...)
		f.Remedy = fmt.Sprintf("Hash the table: make it with the tag weft:distribution=hash; or reverse the digits with the key %s.", key)
		f.Statements = s.createTable(s.Table.Key, true)
	default:
		f.Remedy = "Hash the table: make it with the tag weft:distribution=hash. Items of one partition stay in order, and Scan no longer is."
		f.Statements = s.createTable(s.Table.Key, true)
	}
	return f
}

// grows says why the values of an attribute grow with time, or "".
func (s *study) grows(c *column) string {
	switch {
	case c.declared.Grows:
		return "its values grow"
	case c.seen < 10 || s.madeUp:
		return ""
	case c.kind == "S":
		return growingText(c)
	case c.kind != "N":
		return ""
	}
	low, high := c.sorted[0].Number, c.sorted[c.seen-1].Number
	switch {
	case s.Written && c.inOrder():
		return "its values grow from item to item"
	case valueformat.IsEpoch(low) && valueformat.IsEpoch(high) && low != high:
		return "holds times"
	case c.seen > 20 && c.distinct >= 0.99*s.items*c.present && c.isSequence():
		return "holds numbers in sequence"
	}
	return ""
}

// inOrder reports whether nearly every value is at least the one before it.
func (c *column) inOrder() bool {
	up, down := 0, 0
	last := design.Value{}
	for _, v := range c.values {
		if v.Type == "" {
			continue
		}
		if last.Type != "" {
			switch order := v.Compare(last); {
			case order > 0:
				up++
			case order < 0:
				down++
			}
		}
		last = v
	}
	return up > 9 && float64(up) >= growsShare*float64(up+down)
}

// isSequence reports whether whole numbers lie so densely that they must have been counted: the sample's range is about
// as wide as the table has items.
func (c *column) isSequence() bool {
	for _, v := range c.sorted {
		if v.Number != math.Trunc(v.Number) {
			return false
		}
	}
	width := c.sorted[c.seen-1].Number - c.sorted[0].Number + 1
	return width <= 2*c.distinct
}

// growingText recognizes times and identifiers that begin with a time.
func growingText(c *column) string {
	dates, uuids1, uuids7, ulids := 0, 0, 0, 0
	for _, v := range c.sorted {
		switch {
		case valueformat.Date(v.Text) != "":
			dates++
		case valueformat.UUIDVersion(v.Text) == 7:
			uuids7++
		case valueformat.UUIDVersion(v.Text) == 1:
			uuids1++
		case valueformat.IsULID(v.Text):
			ulids++
		}
	}
	least := growsShare * float64(c.seen)
	switch {
	case float64(dates) >= least:
		return "holds times"
	case float64(uuids7) >= least:
		return "holds UUIDs of version 7, which begin with the time"
	case float64(uuids1) >= least:
		return "holds UUIDs of version 1, which count the time"
	case float64(ulids) >= least && c.closeULIDs():
		return "holds ULIDs, which begin with the time"
	}
	return ""
}

// closeULIDs tells identifiers with a common time from random ones: their first two characters are the same.
func (c *column) closeULIDs() bool {
	return c.sorted[0].Text[:2] == c.sorted[c.seen-1].Text[:min(2, len(c.sorted[c.seen-1].Text))]
}
