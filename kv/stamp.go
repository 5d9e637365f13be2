// SPDX-License-Identifier: Apache-2.0

package kv

import "time"

// StampBytes is the length of a stamp within a key: 8 bytes, big-endian, so that keys stand in the order of their
// stamps.
const StampBytes = 8

// stampCounterBits is the number of a stamp's low bits count within a millisecond. TiKV's timestamps are made alike.
const stampCounterBits = 18

// StampOf returns the lowest stamp of a moment, Unix time in milliseconds.
func StampOf(ms int64) uint64 { return uint64(max(ms, 0)) << stampCounterBits }

// StampMS returns the moment of a stamp, Unix time in milliseconds.
func StampMS(stamp uint64) int64 { return int64(stamp >> stampCounterBits) }

// NextStamp returns the stamp after last, or that of now if it is later: a clock that runs backwards never takes stamps
// with it.
func NextStamp(last uint64, now time.Time) uint64 { return max(last+1, StampOf(now.UnixMilli())) }

// Stamper is implemented by a Txn that can write keys which tell the order of commits.
type Stamper interface {
	// SetStamped buffers a write of key in which the commit's stamp takes the place of StampBytes bytes from at. No
	// other commit has that stamp. Of two commits that write the same unstamped key and have read it, the later one has
	// the higher stamp. Until Commit the write stands under key as it was given, so that Get shows it, Set changes its
	// value and Delete drops it; it belongs to no conflict set, and cursors of the transaction may or may not show it.
	SetStamped(key []byte, at int, value []byte) error
	// Stamped returns what the transaction would write under a key that was given to SetStamped, valid until its next
	// write. ok is false for other keys and for one that was dropped.
	Stamped(key []byte) (value []byte, ok bool)
	// StampsInOrder is the store's own; see Stamps.
	StampsInOrder() bool
}

// StamperOf returns the Stamper of t, or of the first transaction below that is one.
func StamperOf(t Txn) (stamper Stamper, ok bool) { return findTxn[Stamper](t) }

// Stamps is implemented by a Store whose transactions are Stampers.
type Stamps interface {
	// StampsInOrder reports whether commits become visible in the order of their stamps: a reader that sees a stamp
	// sees all lower ones that there will ever be. Otherwise a stamp is the moment of the transaction's snapshot, and
	// lower ones may come later.
	StampsInOrder() bool
	// StampAfter makes all later stamps greater than stamp. An engine remembers stamps only as long as it is open.
	StampAfter(stamp uint64)
}

// StampsOf is SharedOf for Stamps.
func StampsOf(s Store) (stamps Stamps, ok bool) { return find[Stamps](s) }
