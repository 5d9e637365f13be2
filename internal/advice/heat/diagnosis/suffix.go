// SPDX-License-Identifier: Apache-2.0

package diagnosis

import (
	"fmt"
	"strings"
)

const (
	suffixShare = 0.8 // of the written keys that must end in a number
	suffixesMax = 256
	baseShare   = 0.5 // of the writes that one text before the number must take
)

// suffixes finds the habit of writing key#0 to key#9: on a table in the order of its keys these are neighbours.
func (s *study) suffixes() *Finding {
	if s.Hashed || len(s.written) < edgeMin {
		return nil
	}
	bases, numbers, fitting := map[string]int{}, map[string]map[string]bool{}, 0
	for _, k := range s.written {
		if len(k.Parts) == 0 {
			return nil
		}
		base, number, ok := cutSuffix(k.Parts[0])
		if !ok {
			continue
		}
		fitting++
		bases[base]++
		if numbers[base] == nil {
			numbers[base] = map[string]bool{}
		}
		numbers[base][number] = true
	}
	most := ""
	for base, n := range bases {
		if n > bases[most] || n == bases[most] && base < most {
			most = base
		}
	}
	different := len(numbers[most])
	if float64(fitting) < suffixShare*float64(len(s.written)) || float64(bases[most]) < baseShare*float64(fitting) ||
		different < 2 || different > suffixesMax ||
		bases[most] < 3*different {
		return nil
	}
	return s.suffixed(most, different, float64(bases[most])/float64(len(s.written)))
}

func (s *study) suffixed(base string, different int, share float64) *Finding {
	f := s.finding(SuffixSharding, share)
	f.Keys = []string{base}
	f.Warning = s.rate(s.writes) >= writesBusy
	column := s.column(0)
	f.Text = fmt.Sprintf("%s of %s is sharded by a number at its end, and %.0f %% of the writes go to the %d keys that begin with %s. In a table in key order these keys are neighbours, in one region.",
		column, s.subject(), 100*share, different, base)
	f.Cure = fmt.Sprintf("Put the number first, or hash8(%s), or make the table hash-distributed (tag weft:distribution=hash).", column)
	f.Evidence = []Figure{{"shards", float64(different), ""}, {"writes to them", share, "%"},
		{"entries written", s.rate(s.writes), "/s"}}
	s.sharded = true
	f.Statements = s.spread(0)
	return f
}

// cutSuffix takes a number of up to three digits and what stands before it off a text.
func cutSuffix(text string) (base, number string, ok bool) {
	i := len(text)
	for i > 0 && len(text)-i < 4 && text[i-1] >= '0' && text[i-1] <= '9' {
		i--
	}
	if digits := len(text) - i; digits == 0 || digits > 3 || i < 2 ||
		!strings.ContainsRune("#._:/|~", rune(text[i-1])) {
		return "", "", false
	}
	return text[:i], text[i:], true
}
