// SPDX-License-Identifier: Apache-2.0

package record

import (
	"context"
	"hash/maphash"
	"slices"
)

// Claim is the rows of a transaction that learns only as it runs which rows it writes. It takes their latches before its commit, so that it never makes
// a writer fail that has taken its latches beforehand; if it was too late itself, its next try begins with them. A Claim is used by one goroutine.
type Claim struct {
	latches *Latches
	rows    []uint64 // hashes of keys: first those whose latches are held, in order, then those that were added since
	held    int
}

// Claim returns a claim of no rows.
func (l *Latches) Claim() *Claim { return &Claim{latches: l} }

// Add makes a row part of the claim. Its latch is not taken yet.
func (c *Claim) Add(key []byte) { c.rows = append(c.rows, maphash.Bytes(c.latches.seed, key)) }

// Hold takes the latches of all rows that were added. Where some are held and others are not, it gives back those first, since all callers take
// latches in one order. After an error, which is ctx's, it holds none.
func (c *Claim) Hold(ctx context.Context) error {
	added := slices.DeleteFunc(c.rows[c.held:], func(hash uint64) bool {
		_, held := slices.BinarySearch(c.rows[:c.held], hash)
		return held
	})
	c.rows = c.rows[:c.held+len(added)]
	if len(added) == 0 {
		return nil
	}
	c.Release()
	c.rows = ordered(c.rows)
	if err := c.latches.lockAll(ctx, c.rows); err != nil {
		return err
	}
	c.held = len(c.rows)
	return nil
}

// Release gives the latches back. The claim stays, and may hold its latches again. Releasing twice is no error.
func (c *Claim) Release() {
	c.latches.unlockAll(c.rows[:c.held])
	c.held = 0
}
