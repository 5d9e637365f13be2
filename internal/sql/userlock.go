// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"time"

	"github.com/weftdb/weft/internal/sql/fault"
)

// GetLock takes a lock of GET_LOCK, waiting for at most so long; a negative span has no bound. got is false if it was
// not free by then. Errors: 3057 for a name that can't be, 3058 where sessions would wait for each other, 1317, 3024.
func (s *Session) GetLock(name string, span time.Duration) (got bool, err error) {
	late := fault.New(fault.StatementTimeout)
	if left := max(s.timeout-s.slept, 0); s.timeout > 0 && (span < 0 || span > left) {
		span = left
	} else {
		late = nil
	}
	var expired <-chan time.Time
	if span >= 0 {
		timer := time.NewTimer(span)
		defer timer.Stop()
		expired = timer.C
	}
	s.userLocks.Connection = s.ConnectionID()
	for {
		wait, err := s.engine.locks.Take(&s.userLocks, name)
		if wait == nil || err != nil {
			return err == nil, err
		}
		select {
		case <-wait:
		case <-expired:
			s.engine.locks.StopWaiting(&s.userLocks)
			if late != nil {
				return false, late
			}
			return false, nil
		case <-s.running.Done():
			s.engine.locks.StopWaiting(&s.userLocks)
			return false, fault.New(fault.Interrupted)
		}
	}
}

// ReleaseLock gives a lock back once. held is false if nobody has it, own if another session has it.
func (s *Session) ReleaseLock(name string) (held, own bool) {
	return s.engine.locks.Release(&s.userLocks, name)
}

// LockOwner is the number of the connection that has a lock.
func (s *Session) LockOwner(name string) (connection uint64, held bool) {
	return s.engine.locks.Owner(name)
}

// ReleaseLocks gives all locks back, and counts how often they were taken.
func (s *Session) ReleaseLocks() (times int64) { return s.engine.locks.ReleaseAll(&s.userLocks) }
