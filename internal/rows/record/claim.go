// SPDX-License-Identifier: Apache-2.0

package record

import (
	"context"
	"errors"
	"hash/maphash"
	"slices"
	"time"
)

// Claim is the rows of a transaction that learns only as it runs which rows it writes. There are two ways to use one.
// By Add and Hold it takes their latches before its commit, so that it never makes a writer fail that has taken its
// latches beforehand; if it was too late itself, its next try begins with them. By Take it takes each latch at once and
// keeps it. A Claim is used by one goroutine.
type Claim struct {
	latches *Latches
	wait    time.Duration
	owner   owner
	// hashes of keys: first those whose latches are held, in order but for Take, then those that were added since
	rows   []uint64
	held   int
	taken  map[uint64]struct{} // by Take, once there are many
	shared map[uint64]struct{} // by Take, those that others may share
	first  [firstMax]byte      // the key of the first row that was added, for people to see
	size   int                 // of it; 0: there is none, or it is longer
}

// firstMax is the largest length of a key that people see.
const firstMax = 96

// TakenMax is the number of latches a claim takes one by one.
const TakenMax = 1 << 20

// TakenBytes is about what each of them costs.
const TakenBytes = 128

// searchedMax is the number of rows that are looked through instead of kept in a map.
const searchedMax = 16

// ErrManyLatches is returned by Take for a claim that has TakenMax.
var ErrManyLatches = errors.New("record: the transaction holds too many rows")

// Claim returns a claim of no rows, which waits for each latch for as long as wait; 0: without a limit.
func (l *Latches) Claim(wait time.Duration) *Claim { return &Claim{latches: l, wait: wait} }

// SetWait changes for how long it waits.
func (c *Claim) SetWait(wait time.Duration) { c.wait = wait }

// Add makes a row part of the claim. Its latch is not taken yet.
func (c *Claim) Add(key []byte) {
	if len(c.rows) == 0 && len(key) <= firstMax {
		c.size = copy(c.first[:], key)
	}
	c.rows = append(c.rows, maphash.Bytes(c.latches.seed, key))
}

// Name says on whose behalf the context asks, for others that wait for the claim.
func (c *Claim) Name(ctx context.Context) *Claim {
	c.owner.session = sessionOf(ctx)
	return c
}

// known lists the keys that are known.
func (c *Claim) known() [][]byte {
	if c.size == 0 {
		return nil
	}
	return [][]byte{c.first[:c.size]}
}

// Hold takes the latches of all rows that were added. Where some are held and others are not, it gives back those
// first, since all callers take latches in one order. Errors: ctx's; ErrLatchWait. It then holds none.
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
	if err := c.latches.lockAll(ctx, c.rows, c.known(), &c.owner, c.wait); err != nil {
		return err
	}
	c.held = len(c.rows)
	return nil
}

// Take takes the latch of a row, unless it is held already, and keeps those it has. Several claims can share a latch;
// one that wants a latch alone which it shares waits for the others. now is for not waiting. Errors: ctx's;
// ErrLatchWait, ErrDeadlock, ErrManyLatches; what was held before is held still.
func (c *Claim) Take(ctx context.Context, key []byte, shared, now bool) (fresh bool, err error) {
	hash := maphash.Bytes(c.latches.seed, key)
	has := c.has(hash)
	if _, shares := c.shared[hash]; has && (shared || !shares) {
		return false, nil
	}
	if !has && c.held >= TakenMax {
		return false, ErrManyLatches
	}
	wait := c.wait
	if now {
		wait = -1
	}
	if err := c.latches.lock(ctx, hash, [][]byte{key}, &c.owner, shared, wait); err != nil {
		return false, err
	}
	if !has {
		c.keep(hash)
	}
	c.noteShared(hash, shared)
	return true, nil
}

func (c *Claim) noteShared(hash uint64, shared bool) {
	switch {
	case !shared:
		delete(c.shared, hash)
	case c.shared == nil:
		c.shared = map[uint64]struct{}{hash: {}}
	default:
		c.shared[hash] = struct{}{}
	}
}

// Has reports whether the latch of a row was taken; alone, if not shared.
func (c *Claim) Has(key []byte, shared bool) bool {
	hash := maphash.Bytes(c.latches.seed, key)
	_, shares := c.shared[hash]
	return c.has(hash) && (shared || !shares)
}

// Taken is the number of latches that are held.
func (c *Claim) Taken() int { return c.held }

func (c *Claim) has(hash uint64) bool {
	if c.taken == nil {
		return slices.Contains(c.rows[:c.held], hash)
	}
	_, has := c.taken[hash]
	return has
}

func (c *Claim) keep(hash uint64) {
	c.rows = append(c.rows, hash)
	c.held++
	switch {
	case c.taken != nil:
		c.taken[hash] = struct{}{}
	case c.held > searchedMax:
		c.taken = make(map[uint64]struct{}, 4*searchedMax)
		for _, row := range c.rows {
			c.taken[row] = struct{}{}
		}
	}
}

// Release gives the latches back. The claim stays, and may hold its latches again. Releasing twice is no error.
func (c *Claim) Release() {
	c.latches.unlockAll(c.rows[:c.held], &c.owner)
	c.held, c.taken, c.shared = 0, nil, nil
}
