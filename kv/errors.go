// SPDX-License-Identifier: Apache-2.0

package kv

import (
	"errors"
	"fmt"
)

// Sentinels that engines return, always matched with errors.Is.
var (
	// ErrConflict: another transaction committed a key of this one's conflict set first. Run the transaction again. See
	// ConflictError.
	ErrConflict = errors.New("kv: conflict with another transaction; run it again")
	// ErrTooLarge: a key, a value or the transaction exceeds Limits. Nothing was written.
	ErrTooLarge = errors.New("kv: entry or transaction too large")
	// ErrReadOnly: the store takes no writes now (the disk is nearly full). Reads and deletes of whole ranges still
	// work. Free disk space; the store then takes writes again.
	ErrReadOnly = errors.New("kv: store is read-only")
	// ErrFenced: the time until which this Store may commit has passed by the cluster's clock. Nothing was written. See
	// Shared.Fence.
	ErrFenced = errors.New("kv: the time until which this store may commit has passed; renew it, then run the transaction again")
	// ErrUnavailable: the store, or a part of it, did not answer in time. Nothing was written. Try again later.
	ErrUnavailable = errors.New("kv: the store did not answer in time; nothing was written, try again")
	// ErrClosed: the store, reader or transaction is closed.
	ErrClosed = errors.New("kv: closed")
	// ErrLocked: the store is open already, in another process or in this one. Close it there first.
	ErrLocked = errors.New("kv: the store is open already, here or in another process: close it there first")
	// ErrUnknownOutcome: the commit may or may not have taken effect. Never retried automatically.
	ErrUnknownOutcome = errors.New("kv: outcome of the commit is unknown")
	// ErrSnapshotExpired: the snapshot is older than the engine keeps. Read again.
	ErrSnapshotExpired = errors.New("kv: the snapshot is older than the engine keeps old versions; read again, in smaller pieces if it takes so long")
	// ErrUnsupported: this engine lacks the operation.
	ErrUnsupported = errors.New("kv: not supported by this engine")
	// ErrDamaged: files of the store are missing or damaged. Nothing was changed.
	ErrDamaged = errors.New("kv: files of the store are missing or damaged")
	// ErrFormat: the stored data were written by another engine or a newer format.
	ErrFormat = errors.New("kv: stored format does not fit this program")
)

// ConflictError is an ErrConflict that names a key in conflict. Key may be nil where the engine can't tell.
type ConflictError struct {
	Key []byte
}

// Error names the key in hexadecimal.
func (e *ConflictError) Error() string { return fmt.Sprintf("%v (key %x)", ErrConflict, e.Key) }

// Is makes errors.Is(err, ErrConflict) true.
func (e *ConflictError) Is(target error) bool { return target == ErrConflict }

// SizeError is an ErrTooLarge with the sizes.
type SizeError struct {
	What            string // "key", "value" or "transaction"
	Bytes, BytesMax int
}

// Error names the sizes.
func (e *SizeError) Error() string {
	return fmt.Sprintf("%v: a %s of %d bytes, at most %d", ErrTooLarge, e.What, e.Bytes, e.BytesMax)
}

// Is makes errors.Is(err, ErrTooLarge) true.
func (e *SizeError) Is(target error) bool { return target == ErrTooLarge }
