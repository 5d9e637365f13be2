// SPDX-License-Identifier: Apache-2.0

package region

import (
	"bytes"
	"slices"
)

// Request is one request for one entry that was really read or written. Key is relative to the index.
type Request struct {
	Key   []byte
	Write bool
}

// Verdict is the result of sampling a region's requests: whether to split it.
type Verdict uint8

// The verdicts.
const (
	TooFew  Verdict = iota // requests to judge by
	Divides                // there are keys that divide the requests
	OneRow                 // most requests are for one entry: no split can help
	// requests go to ever larger, or ever smaller, keys: what a split divides is behind them already
	Growing
	Uneven // no key divides the requests for long
)

// String names the verdict as logs and findings do.
func (v Verdict) String() string {
	return [...]string{"too few requests", "divides", "one row", "growing key", "uneven"}[v]
}

// A key divides requests if each side has this share of the older half of the sample, by which it is chosen, and of the
// newer one, by which it is judged.
const (
	chosenShare = 1.0 / 3
	judgedShare = 1.0 / 4
	oneRowShare = 1.0 / 2
	edgeShare   = 1.0 / 2 // of the newer half beyond the older one
)

// requestsMin is the number of requests that are judged at least; candidatesMax how many keys are offered.
const (
	requestsMin   = 64
	candidatesMax = 16
)

// Divide looks for keys at which a region's requests, oldest first, are divided best; the best comes first. They are
// keys of requests. One side of each has at most some three times as many requests as the other, and has had that for
// as long as the sample reaches back: a key that divides only what was asked before, such as any key of a table into
// which ever larger ones are written, is none.
func Divide(requests []Request) (keys [][]byte, verdict Verdict) {
	if len(requests) < requestsMin {
		return nil, TooFew
	}
	older, newer := sorted(requests[:len(requests)/2]), sorted(requests[len(requests)/2:])
	if share, _ := top(requests); share >= 1-chosenShare {
		return nil, OneRow
	}
	if isPast(older, newer) {
		return nil, Growing
	}
	type candidate struct {
		key   []byte
		share float64 // of the smaller side, in the newer half
	}
	var found []candidate
	for i, key := range older {
		if i > 0 && bytes.Equal(key, older[i-1]) || smaller(older, key) < chosenShare {
			continue
		}
		if share := smaller(newer, key); share >= judgedShare {
			found = append(found, candidate{key, share})
		}
	}
	if len(found) == 0 {
		if share, _ := top(requests); share >= oneRowShare {
			return nil, OneRow
		}
		return nil, Uneven
	}
	slices.SortStableFunc(found, func(a, b candidate) int {
		switch {
		case a.share > b.share:
			return -1
		case a.share < b.share:
			return 1
		}
		return 0
	})
	for _, c := range found[:min(candidatesMax, len(found))] {
		keys = append(keys, c.key)
	}
	return keys, Divides
}

func sorted(requests []Request) [][]byte {
	keys := make([][]byte, len(requests))
	for i := range requests {
		keys[i] = requests[i].Key
	}
	slices.SortFunc(keys, bytes.Compare)
	return keys
}

// smaller is the share of the smaller side if sorted keys are cut at key.
func smaller(keys [][]byte, key []byte) float64 {
	left, _ := slices.BinarySearchFunc(keys, key, bytes.Compare)
	return float64(min(left, len(keys)-left)) / float64(len(keys))
}

// isPast reports whether most of the newer keys lie beyond the older ones, at one end or the other. Writers at work
// side by side do not come in order, so the outermost of the older keys do not count.
func isPast(older, newer [][]byte) bool {
	fringe := len(older) / 16
	high, low := older[len(older)-1-fringe], older[fringe]
	above, _ := slices.BinarySearchFunc(newer, append(bytes.Clone(high), 0), bytes.Compare)
	below, _ := slices.BinarySearchFunc(newer, low, bytes.Compare)
	return float64(len(newer)-above) >= edgeShare*float64(len(newer)) || float64(below) >= edgeShare*float64(len(newer))
}

// top returns the share of the key that most requests are for, and the key.
func top(requests []Request) (share float64, key []byte) {
	keys := sorted(requests)
	most, run := 0, 0
	for i := range keys {
		if i > 0 && bytes.Equal(keys[i], keys[i-1]) {
			run++
		} else {
			run = 1
		}
		if run > most {
			most, key = run, keys[i]
		}
	}
	return float64(most) / float64(max(1, len(keys))), key
}
