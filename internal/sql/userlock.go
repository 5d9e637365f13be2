// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/weftdb/weft/internal/sql/fault"
)

// userLocks are the locks of GET_LOCK: names that sessions of this server hold. They have nothing to do with rows or transactions.
type userLocks struct {
	mu   sync.Mutex
	held map[string]*userLock // by name in lower case
}

// userLock is a name that is held.
type userLock struct {
	owner *Session
	times int           // how often the owner took it
	free  chan struct{} // closed when it is given back
}

// Bounds of the locks of a session.
const (
	userLockNameMax = 64 // characters
	userLocksMax    = 1000
)

// GetLock takes a lock, waiting for at most so long; a negative span has no bound. got is false if it was not free by then. Errors: 3057 for a name that
// can't be, 3058 where sessions would wait for each other, 1317, 3024.
func (s *Session) GetLock(name string, span time.Duration) (got bool, err error) {
	if name == "" || utf8.RuneCountInString(name) > userLockNameMax {
		return false, fault.Message(fault.UserLockName, "Incorrect user-level lock name '%.64s': a name has 1 to %d characters", name, userLockNameMax)
	}
	name = strings.ToLower(name)
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
	for {
		wait, err := s.engine.locks.take(s, name)
		if wait == nil || err != nil {
			return err == nil, err
		}
		select {
		case <-wait:
		case <-expired:
			s.engine.locks.stopWaiting(s)
			if late != nil {
				return false, late
			}
			return false, nil
		case <-s.running.Done():
			s.engine.locks.stopWaiting(s)
			return false, fault.New(fault.Interrupted)
		}
	}
}

// take gives the session the lock, or returns what is closed when it is worth another try.
func (l *userLocks) take(s *Session, name string) (wait <-chan struct{}, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s.waitsFor = nil
	lock := l.held[name]
	switch {
	case lock == nil && s.userLocks >= userLocksMax:
		return nil, fault.Message(fault.Refused, "a session may have at most %d locks of GET_LOCK: release some", userLocksMax)
	case lock == nil:
		if l.held == nil {
			l.held = map[string]*userLock{}
		}
		l.held[name] = &userLock{owner: s, times: 1, free: make(chan struct{})}
		s.userLocks++
		return nil, nil
	case lock.owner == s:
		lock.times++
		return nil, nil
	}
	for other := lock; other != nil; other = other.owner.waitsFor {
		if other.owner == s {
			return nil, fault.New(fault.UserLockDeadlock)
		}
	}
	s.waitsFor = lock
	return lock.free, nil
}

func (l *userLocks) stopWaiting(s *Session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s.waitsFor = nil
}

// ReleaseLock gives a lock back once. held is false if nobody has it, own if another session has it.
func (s *Session) ReleaseLock(name string) (held, own bool) {
	l := &s.engine.locks
	l.mu.Lock()
	defer l.mu.Unlock()
	name = strings.ToLower(name)
	lock := l.held[name]
	if lock == nil || lock.owner != s {
		return lock != nil, false
	}
	if lock.times--; lock.times == 0 {
		l.drop(name, lock)
	}
	return true, true
}

// drop gives a lock back. The caller has mu.
func (l *userLocks) drop(name string, lock *userLock) {
	lock.owner.userLocks--
	delete(l.held, name)
	close(lock.free)
}

// LockOwner is the number of the connection that has a lock.
func (s *Session) LockOwner(name string) (connection uint64, held bool) {
	l := &s.engine.locks
	l.mu.Lock()
	defer l.mu.Unlock()
	lock := l.held[strings.ToLower(name)]
	if lock == nil {
		return 0, false
	}
	return lock.owner.ConnectionID(), true
}

// ReleaseLocks gives all locks back, and counts how often they were taken.
func (s *Session) ReleaseLocks() (times int64) {
	l := &s.engine.locks
	l.mu.Lock()
	defer l.mu.Unlock()
	if s.userLocks == 0 {
		return 0
	}
	for name, lock := range l.held {
		if lock.owner == s {
			times += int64(lock.times)
			l.drop(name, lock)
		}
	}
	return times
}
