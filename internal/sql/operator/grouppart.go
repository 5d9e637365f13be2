// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"errors"
	"sync"
)

// recentGroups are groups that were met lately, by the integer that is their only key: the group of most rows is found
// without making a key.
type recentGroups [256]recentGroup

type recentGroup struct {
	key   int64
	group *group
}

// at is the place of a key.
func (r *recentGroups) at(key int64) *recentGroup { return &r[uint64(key)*0x9E3779B97F4A7C15>>56] }

// find returns the group of a key; nil: it was not met lately.
func (r *recentGroups) find(key int64) *group {
	if r == nil {
		return nil
	}
	if met := r.at(key); met.key == key {
		return met.group
	}
	return nil
}

// openParts gathers the groups of all parts at once and joins them. joined is false where there are none, or where they
// hold more groups than they may.
func (g *Group) openParts(ctx context.Context) (joined bool, err error) {
	if len(g.Parts) == 0 {
		return false, nil
	}
	var wait sync.WaitGroup
	var mu sync.Mutex
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	for _, p := range g.Parts {
		wait.Go(func() {
			failed := p.Open(within)
			mu.Lock()
			defer mu.Unlock()
			if failed != nil && err == nil {
				err = failed
				cancel()
			}
		})
	}
	wait.Wait()
	if err != nil {
		crowded := errors.Is(err, errFull)
		if err = errors.Join(err, g.Close()); crowded {
			g.Parts, err = nil, nil
		}
		return false, err
	}
	return true, g.join()
}

// join takes the groups of all parts.
func (g *Group) join() error {
	g.found, g.streams = map[string]*group{}, false
	for _, p := range g.Parts {
		for _, one := range p.list {
			known := g.found[one.key]
			if known == nil {
				g.found[one.key] = one
				g.list = append(g.list, one)
				continue
			}
			for i, a := range g.Aggregates {
				if err := a.Merge(known.accumulators[i], one.accumulators[i]); err != nil {
					return errors.Join(err, g.Close())
				}
			}
		}
	}
	return nil
}
