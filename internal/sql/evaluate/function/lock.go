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
	"get_lock":          locking(2, getLock),
	"release_lock":      locking(1, releaseLock),
	"is_free_lock":      locking(1, isFreeLock),
	"is_used_lock":      locking(1, isUsedLock),
	"release_all_locks": {Result: isInteger, Apply: releaseAllLocks, Volatile: true},
}

// locking is a function of the session's locks, NULL where it has none.
func locking(arguments int, of func(Locker, *Environment, []datum.Datum) (datum.Datum, error)) Function {
	return Function{Min: arguments, Max: arguments, Result: isInteger, Volatile: true,
		Apply: func(e *Environment, a []datum.Datum) (datum.Datum, error) {
			if locker, ok := e.Session.(Locker); ok {
				return of(locker, e, a)
			}
			return datum.Null, nil
		}}
}

// lockWaitMax is the longest wait, in seconds, that differs from one without end.
const lockWaitMax = 1e9

func getLock(locker Locker, e *Environment, a []datum.Datum) (datum.Datum, error) {
	span := time.Duration(-1)
	if seconds := a[1].NumberFloat(); seconds >= 0 && seconds < lockWaitMax {
		span = time.Duration(seconds * float64(time.Second))
	}
	got, err := locker.GetLock(string(e.TextOf(a[0])), span)
	return Bit(got), err
}

// Bit is what functions that say yes or no as a number give.
func Bit(x bool) datum.Datum {
	if x {
		return datum.Int(1)
	}
	return datum.Int(0)
}

func releaseLock(locker Locker, e *Environment, a []datum.Datum) (datum.Datum, error) {
	held, own := locker.ReleaseLock(string(e.TextOf(a[0])))
	return orNull(Bit(own), held)
}

func isFreeLock(locker Locker, e *Environment, a []datum.Datum) (datum.Datum, error) {
	_, held := locker.LockOwner(string(e.TextOf(a[0])))
	return Bit(!held), nil
}

func isUsedLock(locker Locker, e *Environment, a []datum.Datum) (datum.Datum, error) {
	connection, held := locker.LockOwner(string(e.TextOf(a[0])))
	return orNull(datum.Int(int64(connection)), held)
}

func releaseAllLocks(e *Environment, _ []datum.Datum) (datum.Datum, error) {
	locker, ok := e.Session.(Locker)
	if !ok {
		return datum.Int(0), nil
	}
	return datum.Int(locker.ReleaseLocks()), nil
}
