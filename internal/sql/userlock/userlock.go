// SPDX-License-Identifier: Apache-2.0

// Package userlock keeps the locks of MySQL's GET_LOCK: names that sessions of a server hold. They have nothing to do
// with rows or transactions.
//
// Knows: who holds a name and who waits for one.
// Never: sessions, how long they wait.
package userlock

import (
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/weftdb/weft/internal/sql/fault"
)

// Locks holds the locks of a server. The zero value is ready, and safe for concurrent use.
type Locks struct {
	mu   sync.Mutex
	held map[string]*lock // by name in lower case
}

// Holder is a session as locks know it. Its fields but Connection are guarded by its Locks.
type Holder struct {
	Connection uint64
	count      int   // of the locks that it has
	waitsFor   *lock // nil: none
}

// lock is a name that is held.
type lock struct {
	owner *Holder
	times int           // how often the owner took it
	free  chan struct{} // closed when it is given back
}

// Bounds of the locks of a holder.
const (
	nameMax  = 64 // characters
	locksMax = 1000
)

// Take gives a holder a lock, or returns what is closed when it is worth another try. Errors: 3057 for a name that
// can't be, 3058 where holders would wait for each other.
func (l *Locks) Take(s *Holder, name string) (wait <-chan struct{}, err error) {
	if name == "" || utf8.RuneCountInString(name) > nameMax {
		return nil, fault.Message(fault.UserLockName,
			"Incorrect user-level lock name '%.64s': a name has 1 to %d characters", name, nameMax)
	}
	name = strings.ToLower(name)
	l.mu.Lock()
	defer l.mu.Unlock()
	s.waitsFor = nil
	held := l.held[name]
	switch {
	case held == nil && s.count >= locksMax:
		return nil, fault.Message(fault.Refused, "a session may have at most %d locks of GET_LOCK: release some",
			locksMax)
	case held == nil:
		if l.held == nil {
			l.held = map[string]*lock{}
		}
		l.held[name] = &lock{owner: s, times: 1, free: make(chan struct{})}
		s.count++
		return nil, nil
	case held.owner == s:
		held.times++
		return nil, nil
	}
	for other := held; other != nil; other = other.owner.waitsFor {
		if other.owner == s {
			return nil, fault.New(fault.UserLockDeadlock)
		}
	}
	s.waitsFor = held
	return held.free, nil
}

// StopWaiting ends the wait that Take began.
func (l *Locks) StopWaiting(s *Holder) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s.waitsFor = nil
}

// Release gives a lock back once. held is false if nobody has it, own if another holder has it.
func (l *Locks) Release(s *Holder, name string) (held, own bool) {
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
func (l *Locks) drop(name string, lock *lock) {
	lock.owner.count--
	delete(l.held, name)
	close(lock.free)
}

// Owner is the number of the connection that has a lock.
func (l *Locks) Owner(name string) (connection uint64, held bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	lock := l.held[strings.ToLower(name)]
	if lock == nil {
		return 0, false
	}
	return lock.owner.Connection, true
}

// ReleaseAll gives all locks of a holder back, and counts how often they were taken.
func (l *Locks) ReleaseAll(s *Holder) (times int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s.count == 0 {
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
