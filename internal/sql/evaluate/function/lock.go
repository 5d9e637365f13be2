// SPDX-License-Identifier: Apache-2.0

package function

import (
	"time"

	"github.com/weftdb/weft/internal/sql/datum"
)

// Locker is a session that has locks by names.
type Locker interface {
	GetLock(name string, span time.Duration) (got bool, err error)
	ReleaseLock(name string) (held, own bool)
	LockOwner(name string) (connection uint64, held bool)
	ReleaseLocks() (times int64)
}

// locks are functions about locks by names. // immutable
var locks = map[string]Function{
	"get_lock":          {Min: 2, Max: 2, Result: isInteger, Apply: getLock, Volatile: true},
	"release_lock":      {Min: 1, Max: 1, Result: isInteger, Apply: releaseLock, Volatile: true},
	"is_free_lock":      {Min: 1, Max: 1, Result: isInteger, Apply: isFreeLock, Volatile: true},
	"is_used_lock":      {Min: 1, Max: 1, Result: isInteger, Apply: isUsedLock, Volatile: true},
	"release_all_locks": {Result: isInteger, Apply: releaseAllLocks, Volatile: true},
}

// lockWaitMax is the longest wait, in seconds, that differs from one without end.
const lockWaitMax = 1e9

func getLock(e *Environment, a []datum.Datum) (datum.Datum, error) {
	locker, ok := e.Session.(Locker)
	if !ok {
		return datum.Null, nil
	}
	span := time.Duration(-1)
	if seconds := a[1].NumberFloat(); seconds >= 0 && seconds < lockWaitMax {
		span = time.Duration(seconds * float64(time.Second))
	}
	got, err := locker.GetLock(string(e.TextOf(a[0])), span)
	return bit(got), err
}

func bit(x bool) datum.Datum {
	if x {
		return datum.Int(1)
	}
	return datum.Int(0)
}

func releaseLock(e *Environment, a []datum.Datum) (datum.Datum, error) {
	locker, ok := e.Session.(Locker)
	if !ok {
		return datum.Null, nil
	}
	held, own := locker.ReleaseLock(string(e.TextOf(a[0])))
	if !held {
		return datum.Null, nil
	}
	return bit(own), nil
}

func isFreeLock(e *Environment, a []datum.Datum) (datum.Datum, error) {
	used, err := isUsedLock(e, a)
	return bit(used.IsNull()), err
}

func isUsedLock(e *Environment, a []datum.Datum) (datum.Datum, error) {
	locker, ok := e.Session.(Locker)
	if !ok {
		return datum.Null, nil
	}
	connection, held := locker.LockOwner(string(e.TextOf(a[0])))
	if !held {
		return datum.Null, nil
	}
	return datum.Int(int64(connection)), nil
}

func releaseAllLocks(e *Environment, _ []datum.Datum) (datum.Datum, error) {
	locker, ok := e.Session.(Locker)
	if !ok {
		return datum.Int(0), nil
	}
	return datum.Int(locker.ReleaseLocks()), nil
}
