// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
)

// Answers are compared for so many queries of each kind, and ties are looked for among so many documents.
const (
	comparedQueries = 50
	comparedHits    = 5000
	tieShare        = 1e-5 // scores that differ by less are equal: they are sent as text, some in single precision
)

// found is the answer of one peer to one query.
type found struct {
	count int
	top   []int64        // the best ids
	ties  map[int64]bool // the ids whose score is that of the last of top, or better
}

func newFound(hits []hit, count int) *found {
	f := &found{count: count, ties: map[int64]bool{}}
	if len(hits) == 0 {
		return f
	}
	least := hits[min(topCount, len(hits))-1].score
	least -= tieShare * max(least, -least)
	for i, h := range hits {
		if i < topCount {
			f.top = append(f.top, h.id)
		}
		if h.score >= least {
			f.ties[h.id] = true
		}
	}
	return f
}

// agreement counts the answers that two peers have in common, over all queries.
type agreement struct {
	queries int
	counts  int     // queries with equal numbers of documents
	top     float64 // shares of the first peer's best ids that are among the second's
	// ties are the same, with all of the other's that are as good as its tenth: the first's in the second's, and the
	// second's in the first's.
	ties [2]float64
}

func (a *agreement) add(x, y *found) {
	a.queries++
	if x.count == y.count {
		a.counts++
	}
	top := map[int64]bool{}
	for _, id := range y.top {
		top[id] = true
	}
	a.top += shareIn(x.top, top)
	a.ties[0] += shareIn(x.top, y.ties)
	a.ties[1] += shareIn(y.top, x.ties)
}

// shareIn is the share of ids that are in a set. All of none are.
func shareIn(ids []int64, set map[int64]bool) float64 {
	if len(ids) == 0 {
		return 1
	}
	n := 0
	for _, id := range ids {
		if set[id] {
			n++
		}
	}
	return float64(n) / float64(len(ids))
}

// pair names two peers and a kind of queries.
type pair struct{ x, y, kind string }

// compare asks all peers the same and compares the answers. faults are queries to which the first two peers found
// different numbers of documents.
func compare(c *config, engines []*peer, sets map[string][]query) (agreements map[pair]*agreement, faults []string,
	err error) {
	agreements = map[pair]*agreement{}
	var names []string
	for _, p := range engines {
		names = append(names, p.name)
	}
	for _, kind := range c.Kinds {
		for _, q := range sets[kind][:min(comparedQueries, len(sets[kind]))] {
			answers := map[string]*found{}
			for _, p := range engines {
				hits, count, err := p.find(&q, comparedHits)
				if err != nil {
					return nil, nil, fmt.Errorf("%s: %w", p.name, err)
				}
				answers[p.name] = newFound(hits, count)
			}
			faults = append(faults, addPairs(agreements, names, &q, answers)...)
		}
	}
	return agreements, faults, nil
}

// addPairs adds one query's answers, and says which pairs found different numbers of documents.
func addPairs(agreements map[pair]*agreement, names []string, q *query, answers map[string]*found) (faults []string) {
	for i, x := range names {
		for _, y := range names[i+1:] {
			p := pair{x, y, q.kind}
			if agreements[p] == nil {
				agreements[p] = &agreement{}
			}
			agreements[p].add(answers[x], answers[y])
			if a, b := answers[x].count, answers[y].count; a != b {
				faults = append(faults, fmt.Sprintf("%s %q: %s finds %d, %s %d", q.kind, q.words, x, a, y, b))
			}
		}
	}
	return faults
}

// faultsShown is the number of queries with different answers that are named.
const faultsShown = 10

func writeAgreements(out io.Writer, c *config, agreements map[pair]*agreement, faults []string) {
	if len(agreements) == 0 {
		return
	}
	fmt.Fprint(out, "\n| answers of | and of | to | same number of documents | the first's best ten in the second's | with ties of its tenth | the second's in the first's, with ties |\n|---|---|---|--:|--:|--:|--:|\n")
	for _, x := range peerNames() {
		for _, y := range peerNames() {
			for _, kind := range c.Kinds {
				if a := agreements[pair{x, y, kind}]; a != nil {
					n := float64(a.queries)
					fmt.Fprintf(out, "| %s | %s | %s | %.1f %% | %.1f %% | %.1f %% | %.1f %% |\n", x, y, kind,
						100*float64(a.counts)/n, 100*a.top/n, 100*a.ties[0]/n, 100*a.ties[1]/n)
				}
			}
		}
	}
	if len(faults) == 0 {
		return
	}
	fmt.Fprintf(out, "\nDifferent numbers of documents, %d times; among them:\n\n", len(faults))
	for i := range min(faultsShown, len(faults)) {
		fmt.Fprintln(out, "- "+faults[i*len(faults)/min(faultsShown, len(faults))])
	}
}
