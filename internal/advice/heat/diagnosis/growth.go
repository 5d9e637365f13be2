// SPDX-License-Identifier: Apache-2.0

package diagnosis

import (
	"cmp"
	"slices"
)

const (
	edgeShare = 0.6 // of the writes beyond all earlier ones, from which a key grows
	edgeMin   = 48  // sampled writes
	groupMin  = 12  // sampled writes of one prefix
	groupPart = 0.5 // of all writes that the prefixes must take
)

// edge is the share of keys, which are in the order of their writing, that lie above all that were written a while
// before, and below. Keys written at random are so now and then, in the beginning; those that grow always are.
func edge(keys []Key) (above, below float64) {
	slice := max(3, min(16, len(keys)/16))
	if len(keys) < 2*slice {
		return 0, 0
	}
	low, high := extremes(keys[:slice])
	for i := slice; i < len(keys); i += slice {
		piece := keys[i:min(i+slice, len(keys))]
		for _, k := range piece {
			if k.Bytes > high {
				above++
			}
			if k.Bytes < low {
				below++
			}
		}
		pieceLow, pieceHigh := extremes(piece)
		low, high = min(low, pieceLow), max(high, pieceHigh)
	}
	rest := float64(len(keys) - slice)
	return above / rest, below / rest
}

func extremes(keys []Key) (low, high string) {
	low, high = keys[0].Bytes, keys[0].Bytes
	for _, k := range keys {
		low, high = min(low, k.Bytes), max(high, k.Bytes)
	}
	return low, high
}

// correlation is Spearman's rank correlation between the time of writing and the order of the keys.
func correlation(keys []Key) float64 {
	order := make([]int, len(keys))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(keys[a].Bytes, keys[b].Bytes) })
	squares := 0.0
	for rank, i := range order {
		d := float64(rank - i)
		squares += d * d
	}
	n := float64(len(keys))
	return 1 - 6*squares/(n*(n*n-1))
}

// group is the writes under one prefix of the key.
type group struct {
	prefix      Key
	keys        []Key
	up, down    float64
	correlation float64
}

// grows reports whether the writes of the group go to one end of it.
func (g *group) grows() bool { return g.up >= edgeShare || g.down >= edgeShare }

// groups puts keys together that have their first parts in common, the largest group first, and returns those that
// grow.
func groups(keys []Key, parts int) (growing []group) {
	byPrefix := map[string]*group{}
	for _, k := range keys {
		if len(k.Parts) <= parts {
			return nil
		}
		prefix := Key{Parts: k.Parts[:parts]}
		g := byPrefix[prefix.String()]
		if g == nil {
			g = &group{prefix: prefix}
			byPrefix[prefix.String()] = g
		}
		g.keys = append(g.keys, k)
	}
	for _, g := range byPrefix {
		if len(g.keys) < groupMin {
			continue
		}
		if g.up, g.down = edge(g.keys); g.grows() {
			g.correlation = correlation(g.keys)
			growing = append(growing, *g)
		}
	}
	slices.SortFunc(growing, func(a, b group) int {
		return cmp.Or(cmp.Compare(len(b.keys), len(a.keys)), cmp.Compare(a.prefix.String(), b.prefix.String()))
	})
	return growing
}
