// SPDX-License-Identifier: Apache-2.0

package ingest

import (
	"bytes"
	"context"

	"github.com/weftdb/weft/kv"
)

// entries is a transaction on an empty table that hands on what is set.
type entries struct {
	rows []byte // the prefix of rows
	set  func(key, value []byte, isRow bool) error
}

// Get implements kv.Txn: there is nothing.
func (e *entries) Get(_ context.Context, _, dst []byte) ([]byte, bool, error) { return dst, false, nil }

// GetMany implements kv.Txn.
func (e *entries) GetMany(_ context.Context, keys [][]byte, found func(i int, value []byte, ok bool) error) error {
	for i := range keys {
		if err := found(i, nil, false); err != nil {
			return err
		}
	}
	return nil
}

// Scan implements kv.Txn.
func (e *entries) Scan(context.Context, kv.Range, bool) kv.Cursor { return emptyCursor{} }

// Set implements kv.Txn.
func (e *entries) Set(key, value []byte) error {
	return e.set(key, value, bytes.HasPrefix(key, e.rows))
}

// Delete implements kv.Txn.
func (e *entries) Delete([]byte) error { return nil }

// Guard implements kv.Txn.
func (e *entries) Guard([]byte) error { return nil }

// Commit implements kv.Txn.
func (e *entries) Commit(context.Context) error { return nil }

// Rollback implements kv.Txn.
func (e *entries) Rollback() {}

// SetStamped implements kv.Stamper: a change for the journal is kept by the put of the row, since no table whose
// changes are kept takes an ingestion.
func (e *entries) SetStamped([]byte, int, []byte) error { return nil }

// Stamped implements kv.Stamper.
func (e *entries) Stamped([]byte) ([]byte, bool) { return nil, false }

// StampsInOrder implements kv.Stamper.
func (e *entries) StampsInOrder() bool { return true }

// emptyCursor is a cursor over no entries.
type emptyCursor struct{}

func (emptyCursor) Next() bool    { return false }
func (emptyCursor) Key() []byte   { return nil }
func (emptyCursor) Value() []byte { return nil }
func (emptyCursor) Seek([]byte)   {}
func (emptyCursor) Move(kv.Range) {}
func (emptyCursor) Close() error  { return nil }
