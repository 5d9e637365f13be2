// SPDX-License-Identifier: Apache-2.0

package diagnosis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

const (
	rangeShare = 0.5  // of the requests
	rangeKeys  = 0.15 // of the keys that may lie in a hot range
	keysMin    = 20   // different keys of a sample
	rangeBusy  = 2500 // requests a second from which a range is worth a split
)

// window is the shortest range of different keys that half of the requests are for.
type window struct {
	keys       []Key // of all requests, in their order
	counts     []int // by key
	first, end int
	requests   int // in it
	all        int
}

func (s *study) window() *window {
	all := slices.Concat(s.read, s.written)
	slices.SortFunc(all, func(a, b Key) int { return cmp.Compare(a.Bytes, b.Bytes) })
	w := &window{all: len(all)}
	for i, k := range all {
		if i == 0 || k.Bytes != all[i-1].Bytes {
			w.keys, w.counts = append(w.keys, k), append(w.counts, 0)
		}
		w.counts[len(w.counts)-1]++
	}
	w.end = len(w.keys)
	first, requests := 0, 0
	for end := range w.keys {
		requests += w.counts[end]
		for float64(requests-w.counts[first]) >= rangeShare*float64(w.all) {
			requests -= w.counts[first]
			first++
		}
		if float64(requests) >= rangeShare*float64(w.all) && end+1-first < w.end-w.first {
			w.first, w.end, w.requests = first, end+1, requests
		}
	}
	return w
}

// share is the number of the different keys that lie in the window.
func (w *window) share() float64 { return float64(w.end-w.first) / float64(len(w.keys)) }

// splits returns keys that cut the requests in four equal parts, as nearly as keys can, each once.
func (w *window) splits() (cuts []Key) {
	sum, next := 0, 1
	for i := range w.keys {
		if i > 0 && 4*sum >= next*w.all {
			cuts = append(cuts, w.keys[i])
			for 4*sum >= next*w.all {
				next++
			}
		}
		sum += w.counts[i]
	}
	return cuts
}

// hotRange finds a small range of keys that takes half of the requests.
func (s *study) hotRange() *Finding {
	w := s.window()
	if len(w.keys) < keysMin || w.share() > rangeKeys {
		return nil
	}
	share := float64(w.requests) / float64(w.all)
	f := s.finding(HotRange, share)
	first, last := w.keys[w.first], w.keys[w.end-1]
	f.Keys = []string{first.String(), last.String()}
	rate := s.rate((s.reads + s.writes) * share)
	f.Warning = rate >= rangeBusy
	f.Text = fmt.Sprintf("A small range of %s, from %s to %s, takes %.0f %% of its requests with %.0f %% of the requested keys.",
		s.subject(), first, last, 100*share, 100*w.share())
	cuts := w.splits()
	f.SplitKeys = s.newSplitKeys(w, cuts)
	var within []string
	for _, b := range s.Borders {
		if b.Bytes > first.Bytes && b.Bytes <= last.Bytes {
			within = append(within, b.String())
		}
	}
	if len(within) > 0 {
		f.Cure = "It was split at " + strings.Join(within, ", ") +
			"; split again if one part still takes most of the requests."
	} else if len(cuts) > 0 {
		var texts []string
		for _, k := range cuts {
			texts = append(texts, k.String())
		}
		f.Cure = "Split it: at " + strings.Join(texts, ", ") + " the parts take about equal numbers of requests."
	}
	f.Evidence = []Figure{{"requests for the range", share, "%"}, {"keys in it", w.share(), "%"},
		{"entries read and written in it", rate, "/s"}}
	return f
}

// newSplitKeys are the values of the first column at which keys cut, but for those at which nothing is new: where all
// keys begin, and where regions do.
func (s *study) newSplitKeys(w *window, cuts []Key) []string {
	return slices.DeleteFunc(s.splitKeys(cuts), func(point string) bool {
		begins := func(border Key) bool { return firstValue(border) == point }
		return point == firstValue(w.keys[0]) || slices.ContainsFunc(s.Borders, begins)
	})
}

// even says that nothing stands out. It says nothing where a row does, even if that takes few of all requests.
func (s *study) even() *Finding {
	for d := range 2 {
		if _, share := s.top(d); share > rowShare {
			return nil
		}
	}
	w := s.window()
	hottest := slices.Max(append(w.counts, 0))
	if float64(hottest) > rowShare*float64(w.all) {
		return nil
	}
	f := s.finding(Even, min(1, 2*w.share()))
	f.Keys = []string{}
	f.Text = fmt.Sprintf("The requests for %s are spread evenly: half of them are for %.0f %% of the requested keys.",
		s.subject(), 100*w.share())
	f.Evidence = []Figure{{"keys that take half of the requests", w.share(), "%"},
		{"the hottest key", float64(hottest) / float64(max(1, w.all)), "%"}, {"entries read and written",
			s.rate(s.reads + s.writes), "/s"}}
	return f
}
