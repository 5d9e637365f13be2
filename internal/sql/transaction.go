// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/resource/memory"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/sql/schemas"
	"github.com/weftdb/weft/internal/sql/tree"
	"github.com/weftdb/weft/internal/sql/variable"
)

// transaction is an open transaction of a session. Between statements a timer may end it, which is why it has a lock.
type transaction struct {
	mu       sync.Mutex
	tx       *database.Tx // nil once it was ended by the timer
	readOnly bool
	level    variable.Isolation
	timer    *time.Timer // nil as long as there is no need for one
	since    time.Time   // when the last statement ended; zero while one is at work
	idle     time.Duration
	memory   memory.Share // of what it has written
	held     int          // rows, when the last statement ended
	ended    int          // statements

	// What it began with, which stays.
	begun time.Time
	login result.Login

	// The session's goroutine's alone.
	savepoints []string // their names; a savepoint's place is its number in tx
}

// begin starts a transaction, after the one that is open was committed.
func (s *Session) begin(ctx context.Context, readOnly bool) error {
	if err := s.commit(ctx); err != nil {
		return err
	}
	level := s.values.Isolation
	if s.nextIsolation != nil {
		level = *s.nextIsolation
	}
	tx, err := s.beginAt(ctx, level)
	if err != nil {
		return err
	}
	s.setOpen(&transaction{
		tx: tx, readOnly: readOnly, level: level, idle: s.values.IdleTransaction,
		memory: memory.Share{Of: s.engine.options.Memory}, begun: s.engine.options.Now(), login: s.login,
	})
	s.nextRead, s.nextIsolation = nil, nil
	return nil
}

func (s *Session) beginAt(ctx context.Context, level variable.Isolation) (*database.Tx, error) {
	return s.engine.db.BeginWith(ctx, database.TxOptions{Locks: s.values.LockConflicts, Wait: s.values.LockWait,
		Serializable: level == variable.Serializable})
}

// beginAlone starts a transaction for one SELECT that locks rows: it meets the locks of others, and ends with the
// statement.
func (s *Session) beginAlone(ctx context.Context) (*database.Tx, error) {
	return s.beginAt(ctx, variable.RepeatableRead)
}

// reads prepares the open transaction, if there is one, for a statement that reads without holding rows.
func (s *Session) reads(ctx context.Context) error {
	if s.open == nil || s.open.level > variable.ReadCommitted {
		return nil
	}
	return s.open.tx.Renew(ctx)
}

// nextReadOnly reports whether a transaction that begins now is read-only unless it says otherwise.
func (s *Session) nextReadOnly() bool {
	if s.nextRead != nil {
		return *s.nextRead
	}
	return s.values.ReadOnly
}

// rest starts to count the time until the next statement.
func (t *transaction) rest() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.since = time.Now()
	t.ended++
	if t.tx != nil {
		t.held = t.tx.HeldItems()
	}
	if t.timer == nil {
		t.timer = time.AfterFunc(t.idle, t.lapse)
	}
}

// lapse ends the transaction if it has been at rest for too long. A timer is set once for many statements, so it may be
// early.
func (t *transaction) lapse() {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch left := t.idle - time.Since(t.since); {
	case t.since.IsZero() || t.tx == nil:
		t.timer = nil
	case left > 0:
		t.timer.Reset(left)
	default:
		t.tx.Rollback()
		t.tx = nil
		t.memory.Release()
	}
}

// end is wake for the last statement.
func (t *transaction) end() error {
	err := t.wake()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.timer != nil {
		t.timer.Stop()
	}
	return err
}

// wake stops the clock for a statement. It is an error if the time was over: the transaction is gone.
func (t *transaction) wake() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.since = time.Time{}
	if t.tx == nil {
		return fault.Message(fault.Deadlock,
			"the transaction was rolled back because it waited longer than %v for its next statement "+
				"(idle_transaction_timeout); begin it again", t.idle)
	}
	return nil
}

// enter prepares the open transaction, if there is one, for a statement; leave is its counterpart.
func (s *Session) enter(text []byte) error {
	switch {
	case s.rights.IsOutdated():
		return s.rightsErr
	case s.open == nil:
		return nil
	}
	err := s.open.wake()
	if err == nil {
		s.open.tx.SetLockWait(s.values.LockWait)
		return nil
	}
	s.setOpen(nil)
	if read, unread := s.dialect().Parse(text); unread == nil {
		if _, ends := read.(*tree.Rollback); ends {
			return nil // what it asks for was done
		}
	}
	return err
}

func (s *Session) leave() {
	if s.open != nil {
		s.open.tx.Return()
		s.open.rest()
	}
}

// beginImplicit starts a transaction for a statement that reads or writes tables while autocommit is off.
func (s *Session) beginImplicit(ctx context.Context) error {
	if s.open != nil || s.values.Autocommit {
		return nil
	}
	return s.begin(ctx, s.nextReadOnly())
}

// commit ends the open transaction, if there is one. It is over, whatever the error: 1213 if another one was first.
func (s *Session) commit(ctx context.Context) error {
	t := s.open
	if t == nil {
		return nil
	}
	s.setOpen(nil)
	if err := t.end(); err != nil {
		return err
	}
	defer t.memory.Release()
	return t.tx.Commit(ctx)
}

// rollback drops the open transaction, if there is one.
func (s *Session) rollback() {
	t := s.open
	if t == nil {
		return
	}
	s.setOpen(nil)
	if t.end() == nil {
		t.tx.Rollback()
		t.memory.Release()
	}
}

// tx is the transaction that statements run in; nil outside of one.
func (s *Session) tx() *database.Tx {
	if s.open == nil {
		return nil
	}
	return s.open.tx
}

// openTransactions holds the open transactions of all sessions, for people to see. The zero value is ready, and safe
// for concurrent use.
type openTransactions struct {
	mu  sync.Mutex
	all map[*transaction]struct{}
}

// setOpen makes a transaction the open one; nil for none.
func (s *Session) setOpen(t *transaction) {
	o := &s.engine.open
	o.mu.Lock()
	defer o.mu.Unlock()
	if s.open != nil {
		delete(o.all, s.open)
	}
	if s.open = t; t == nil {
		return
	}
	if o.all == nil {
		o.all = map[*transaction]struct{}{}
	}
	o.all[t] = struct{}{}
}

// list tells of all, the oldest first.
func (o *openTransactions) list() (list []schemas.Transaction) {
	o.mu.Lock()
	for t := range o.all {
		list = append(list, t.describe())
	}
	o.mu.Unlock()
	slices.SortFunc(list, func(a, b schemas.Transaction) int { return a.Begun.Compare(b.Begun) })
	return list
}

func (t *transaction) describe() schemas.Transaction {
	t.mu.Lock()
	defer t.mu.Unlock()
	return schemas.Transaction{
		Session: t.login.ConnectionID, User: t.login.User, Begun: t.begun, Isolation: t.level.String(),
		ReadOnly: t.readOnly, Working: t.since.IsZero(), Statements: t.ended, Held: t.held,
	}
}
