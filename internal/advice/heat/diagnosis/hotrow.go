// SPDX-License-Identifier: Apache-2.0

package diagnosis

import (
	"fmt"
	"math"
	"slices"
)

const (
	rowShare   = 0.3 // of the requests, from which a row is hot
	rowMoments = 3   // minutes in which it must be, unless it is of all that was counted lately
	rowOfAll   = 0.1 // of reads and writes together that must be for the row then
	keyRate    = 500 // writes a second that one row is trusted with
	rowCounted = 60  // requests of a minute below which no row is hot in it
)

// hotRow finds one row that takes a large part of the reads, of the writes, or of the conflicts.
func (s *study) hotRow() *Finding {
	for d, verb := range [...]string{"reads", "writes", "conflicts"} {
		best, moments := s.hottest(d)
		share := s.shareOf(best, d)
		if moments < rowMoments {
			if best, share = s.top(d); share <= rowShare || share*s.counted(d) < rowOfAll*(s.counted(0)+s.counted(1)) {
				continue
			}
		}
		f := s.finding(HotRow, min(1, share))
		f.Keys = []string{best.String()}
		all := [...]float64{s.reads, s.writes, s.counted(2)}[d]
		f.Warning = s.rate(all*share) >= keyRate || d == 2
		f.Text = fmt.Sprintf("One row of %s, %s, takes %.0f %% of its %s. A split does not help, because a row lies in one region.", s.subject(), best, 100*share, verb)
		switch d {
		case 0:
			f.Cure = "Spread the key: keep copies under several keys (with a number at the end) and let each reader choose one, or cache the row in the clients for a second."
		default:
			shards := int(math.Max(4, math.Ceil(s.rate(all*share)/keyRate)))
			f.Cure = fmt.Sprintf("Spread the key: write to one of %d rows (a number from 0 to %d in front of the key, chosen at random) and add them up when reading.", shards, shards-1)
		}
		units := [...]string{"entries read", "entries written", "conflicts"}
		f.Evidence = []Figure{{verb + " of the row", share, "%"}, {units[d] + " in all", s.rate(all), "/s"}}
		if moments > 0 {
			f.Evidence = slices.Insert(f.Evidence, 1, Figure{"minutes with this load", float64(moments), ""})
		}
		return f
	}
	return nil
}

func (s *study) counted(d int) (sum float64) {
	for i := range s.recentMoments {
		sum += s.recentMoments[i].Counted[d]
	}
	return sum
}

// top finds the row that takes most of all that was counted lately, and its share in that. It tells of a hot row before
// it was hot for minutes, and of one that is asked for seldom but alone.
func (s *study) top(d int) (best Key, share float64) {
	counts := map[string]float64{}
	for i := range s.recentMoments {
		for _, t := range s.recentMoments[i].Tops[d] {
			counts[t.Key.Bytes] += t.Count - t.Over
			if n := counts[t.Key.Bytes]; n > share || n == share && t.Key.Bytes < best.Bytes {
				best, share = t.Key, n
			}
		}
	}
	return best, share / max(1, s.counted(d))
}

// shareOf is a row's share in all that was counted lately, also while it was not hot: the share that the list of the
// most frequent keys has.
func (s *study) shareOf(row Key, d int) (share float64) {
	for i := range s.recentMoments {
		for _, t := range s.recentMoments[i].Tops[d] {
			if t.Key.Bytes == row.Bytes {
				share += t.Count - t.Over
			}
		}
	}
	return share / max(1, s.counted(d))
}

// hottest finds the row that is hot in most moments.
func (s *study) hottest(d int) (best Key, moments int) {
	type score struct {
		key     Key
		moments int
	}
	scores := map[string]*score{}
	for i := range s.recentMoments {
		m := &s.recentMoments[i]
		if m.Counted[d] < rowCounted || d < 2 && m.Counted[d] < 0.2*(m.Counted[0]+m.Counted[1]) {
			continue
		}
		for _, t := range m.Tops[d] {
			if x := (t.Count - t.Over) / m.Counted[d]; x > rowShare {
				found := scores[t.Key.Bytes]
				if found == nil {
					found = &score{key: t.Key}
					scores[t.Key.Bytes] = found
				}
				found.moments++
			}
		}
	}
	for _, x := range scores {
		if x.moments > moments || x.moments == moments && x.key.Bytes < best.Bytes {
			best, moments = x.key, x.moments
		}
	}
	return best, moments
}
