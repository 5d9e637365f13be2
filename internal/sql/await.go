// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"context"
	"time"

	"github.com/weftdb/weft/internal/sql/fault"
)

// Statements that write wait for a table that gets another primary key.

// awaitRows waits, in a transaction that has not used a table yet, until its rows can be written. The transaction is to
// see them as they are then, if it has seen nothing before.
func (s *Session) awaitRows(ctx context.Context, dbName, name string) error {
	tx := s.tx()
	if tx == nil {
		return nil
	}
	used, any := tx.Uses(dbName, name)
	if used || !s.isHeld(dbName, name) {
		return nil
	}
	if err := s.awaitFree(ctx, dbName, name); err != nil || any {
		return err
	}
	fresh, err := s.beginAt(ctx, s.open.level)
	if err != nil {
		return err
	}
	s.open.mu.Lock()
	defer s.open.mu.Unlock()
	s.open.tx = fresh
	tx.Rollback()
	return nil
}

func (s *Session) isHeld(dbName, name string) bool {
	p, err := s.engine.db.PinIn(dbName, name)
	if err != nil {
		return false
	}
	defer p.Release()
	return p.IsHeld()
}

// Pauses between two looks at a table, and at the processes that may have held it and are gone.
const (
	heldPause = 5 * time.Millisecond
	lostPause = 2 * time.Second
)

// awaitFree waits until the rows of a table can be written. The session pins no version of it. Errors: 1205.
func (s *Session) awaitFree(ctx context.Context, dbName, name string) error {
	ticks := time.NewTicker(heldPause)
	defer ticks.Stop()
	begun, looked := time.Now(), time.Now()
	for s.isHeld(dbName, name) {
		if s.values.LockWait > 0 && time.Since(begun) > s.values.LockWait {
			return fault.New(fault.LockWaitTimeout)
		}
		if time.Since(looked) > lostPause {
			if err := s.engine.db.DropLost(ctx); err != nil {
				return err
			}
			looked = time.Now()
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
