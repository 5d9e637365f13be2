// SPDX-License-Identifier: Apache-2.0

package diagnosis

import (
	"fmt"
	"strings"
)

// writesBusy is the number of writes a second at which one end of a key is a bottleneck.
const writesBusy = 1000

// prefixesShown is the number of prefixes a finding names.
const prefixesShown = 8

// increasing finds keys whose new values go to one end, of the whole key or under a few prefixes.
func (s *study) increasing() *Finding {
	if len(s.written) < edgeMin || s.writes < requestsMin/2 {
		return nil
	}
	if up, down := edge(s.written); up >= edgeShare || down >= edgeShare {
		return s.oneEnd(max(up, down), down > up)
	}
	for parts := 1; parts < len(s.Key); parts++ {
		growing := groups(s.written, parts)
		covered := 0
		for i := range growing {
			covered += len(growing[i].keys)
		}
		if share := float64(covered) / float64(len(s.written)); share >= groupPart {
			return s.manyEnds(growing, parts, share)
		}
	}
	return nil
}

// varying is the first part of the key that is not the same in all writes.
func (s *study) varying() int {
	for i := range s.Key {
		for _, k := range s.written {
			if i < len(k.Parts) && i < len(s.written[0].Parts) && k.Parts[i] != s.written[0].Parts[i] {
				return i
			}
		}
	}
	return 0
}

func (s *study) oneEnd(share float64, falls bool) *Finding {
	f := s.finding(Increasing, share)
	part := s.varying()
	column := s.column(part)
	last := s.written[len(s.written)-1]
	f.Keys = []string{last.String()}
	f.Warning = s.rate(s.writes) >= writesBusy
	verb, end := "increases", "end"
	if falls {
		verb, end = "decreases", "beginning"
	}
	f.Text = fmt.Sprintf("%s %s with time: %.0f %% of the writes to %s go to the %s of its key, now at %s. A split never helps, because one half gets all new writes.",
		column, verb, 100*share, s.subject(), end, last)
	f.Cure = s.spreadWords(part)
	f.Evidence = []Figure{{"writes beyond all earlier ones", share, "%"},
		{"rank correlation of time and key", correlation(s.written), ""}, {"entries written", s.rate(s.writes), "/s"}}
	f.Statements = s.spread(part)
	return f
}

func (s *study) spreadWords(part int) string {
	column := s.column(part)
	words := fmt.Sprintf("Put a hash of it in front (hash8(%s) and %s: 256 places; a range is then 256 short scans), or use reverse(%s)", column, column, column)
	if other := s.otherFirst(part); other != "" {
		words += fmt.Sprintf(", or begin the key with another column, such as %s", other)
	} else {
		words += ", or begin the key with another column that queries bind to one value"
	}
	return words + ". A bulk load in key order looks the same and needs no remedy."
}

// otherFirst is a column of the key that could stand before the growing one.
func (s *study) otherFirst(part int) string {
	if part+1 < len(s.Key) && s.Key[part+1].Call == "" {
		return s.Key[part+1].Name
	}
	return ""
}

func (s *study) manyEnds(growing []group, parts int, share float64) *Finding {
	f := s.finding(IncreasingPrefixes, share)
	f.Warning = s.rate(s.writes)/float64(len(growing)) >= writesBusy
	column := s.column(parts)
	var named []string
	weighted, all := 0.0, 0.0
	for i := range growing {
		g := &growing[i]
		f.Keys = append(f.Keys, g.prefix.String())
		if i < prefixesShown {
			named = append(named, fmt.Sprintf("%s (%.0f %% of the writes, now at %s)", g.prefix,
				100*float64(len(g.keys))/float64(len(s.written)), g.keys[len(g.keys)-1]))
		}
		weighted += g.correlation * float64(len(g.keys))
		all += float64(len(g.keys))
	}
	if more := len(growing) - len(named); more > 0 {
		named = append(named, fmt.Sprintf("and %d more", more))
	}
	f.Text = fmt.Sprintf("%s increases with time under %s of %s, so that %.0f %% of the writes go to as many places: %s. A split between prefixes helps once; a split within one never does.",
		column, pluralize(len(growing), "prefix", "prefixes"), s.subject(), 100*share, strings.Join(named, "; "))
	f.Cure = fmt.Sprintf("If one prefix takes more than a node can handle, spread its keys: hash8(%s) in front of the key; a range within a prefix is then 256 short scans.", column)
	f.Evidence = []Figure{{"prefixes", float64(len(growing)), ""}, {"writes to their ends", share, "%"},
		{"rank correlation of time and key, within a prefix", weighted / all, ""},
		{"entries written", s.rate(s.writes), "/s"}}
	f.Statements = s.spread(parts)
	return f
}

func pluralize(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
