// SPDX-License-Identifier: Apache-2.0

package kv

import (
	"context"
	"errors"
)

// Followed is implemented by a Store that can hand out what is committed to it, for a copy elsewhere to follow. Get it
// with FollowedOf.
type Followed interface {
	// Follow gathers the changes of all commits that are made from when it returns, until Close. One Follower at a time
	// may be there. A Copy that is made after Follow has all changes before it. Errors: ErrClosed, and one that says so
	// if there is a Follower.
	Follow(bytesMax int64) (Follower, error)
	// Redo makes changes of another store of this engine again, in the order in which they are given. A change that was
	// made already may be made again if all that came after it are, too. Errors: those of a commit.
	Redo(ctx context.Context, changes []Change) error
}

// Change is some commits that became durable together, in the engine's own form.
type Change struct {
	// when they became durable: Unix milliseconds by the machine's clock, never lower than the change's before. They
	// are acknowledged then, not before.
	MS    int64
	Bytes []byte
}

// Follower gathers changes. Its methods are safe for concurrent use.
type Follower interface {
	// Counts is the number of changes since Follow: those that may be visible, and those that are durable. The latter
	// are at most the former.
	Counts() (begun, durable int64)
	// Next hands out durable changes in their order, each once, until they have about so many bytes. What it has handed
	// out by now is all that was durable by untilMS, Unix milliseconds. more says that others wait. With ErrGap comes
	// the last such moment before changes that are missing.
	Next(bytes int) (changes []Change, untilMS int64, more bool, err error)
	// Close ends the gathering.
	Close()
}

// ErrGap says that a Follower has handed out all that it has, and that changes after it are missing: more than its
// bytes waited to be handed out, or something was no commit, such as an Ingest.
var ErrGap = errors.New("kv: changes are missing; copy the store, and follow it anew")

// FollowedOf is SharedOf for Followed.
func FollowedOf(s Store) (followed Followed, ok bool) { return find[Followed](s) }
