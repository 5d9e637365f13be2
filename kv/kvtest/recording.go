// SPDX-License-Identifier: Apache-2.0

package kvtest

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/weftdb/weft/kv"
)

// RecordingStore is a kv.Store that passes calls on to another and writes each down as a line of text, such as
//
//	get "a": "1"
//	begin: txn 1
//	txn 1 scan ["a", nil): cursor 2
//	cursor 2 next: "a" = "1"
//	txn 1 set "b" = "2"
//	txn 1 commit: ok
//
// Readers, transactions and cursors are numbered in the order of their opening. All methods are safe for concurrent use.
type RecordingStore struct {
	store kv.Store

	mu     sync.Mutex
	opened int
	lines  []string
}

// Recording wraps store. Closing the wrapper closes store.
func Recording(store kv.Store) *RecordingStore { return &RecordingStore{store: store} }

// Lines returns what was recorded since the beginning or the last Lines.
func (s *RecordingStore) Lines() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := s.lines
	s.lines = nil
	return slices.Clip(lines)
}

func (s *RecordingStore) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, fmt.Sprintf(format, args...))
}

// name numbers a new reader, transaction or cursor.
func (s *RecordingStore) name(kind string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opened++
	return fmt.Sprint(kind, " ", s.opened)
}

func errorText(err error) string {
	if err == nil {
		return "ok"
	}
	return err.Error()
}

func resultText(value []byte, ok bool, err error) string {
	switch {
	case err != nil:
		return err.Error()
	case !ok:
		return "absent"
	default:
		return fmt.Sprintf("%q", value)
	}
}

// Get is the store's Get.
func (s *RecordingStore) Get(ctx context.Context, key, dst []byte) ([]byte, bool, error) {
	value, ok, err := s.store.Get(ctx, key, dst)
	s.note("get %q: %s", key, resultText(value[len(dst):], ok, err))
	return value, ok, err
}

// Read is the store's Read.
func (s *RecordingStore) Read(ctx context.Context) (kv.Reader, error) {
	r, err := s.store.Read(ctx)
	if err != nil {
		s.note("read: %v", err)
		return nil, err
	}
	name := s.name("reader")
	s.note("read: %s", name)
	return &recordingReader{recordingView{s, r, name}, r}, nil
}

// Begin is the store's Begin.
func (s *RecordingStore) Begin(ctx context.Context) (kv.Txn, error) {
	txn, err := s.store.Begin(ctx)
	if err != nil {
		s.note("begin: %v", err)
		return nil, err
	}
	name := s.name("txn")
	s.note("begin: %s", name)
	return &recordingTxn{recordingView{s, txn, name}, txn}, nil
}

// Limits returns the store's limits; it isn't recorded.
func (s *RecordingStore) Limits() kv.Limits { return s.store.Limits() }

// Close closes the store.
func (s *RecordingStore) Close() error {
	err := s.store.Close()
	s.note("close: %s", errorText(err))
	return err
}

// Admin wraps the store's operator's side; its calls are recorded too.
func (s *RecordingStore) Admin(admin kv.Admin) kv.Admin {
	return &wrappedAdmin{admin, func(call string, run func() error) error {
		err := run()
		s.note("%s: %s", call, errorText(err))
		return err
	}}
}

type recordingView struct {
	store *RecordingStore
	view  view
	name  string
}

func (v recordingView) Get(ctx context.Context, key, dst []byte) ([]byte, bool, error) {
	value, ok, err := v.view.Get(ctx, key, dst)
	v.store.note("%s get %q: %s", v.name, key, resultText(value[len(dst):], ok, err))
	return value, ok, err
}

func (v recordingView) GetMany(ctx context.Context, keys [][]byte, found func(int, []byte, bool) error) error {
	err := v.view.GetMany(ctx, keys, found)
	v.store.note("%s get many %q: %s", v.name, keys, errorText(err))
	return err
}

func (v recordingView) Scan(ctx context.Context, r kv.Range, reverse bool) kv.Cursor {
	name, direction := v.store.name("cursor"), ""
	if reverse {
		direction = " reverse"
	}
	v.store.note("%s scan %s%s: %s", v.name, rangeText(r), direction, name)
	return &recordingCursor{v.view.Scan(ctx, r, reverse), v.store, name}
}

type recordingReader struct {
	recordingView
	reader kv.Reader
}

func (r *recordingReader) Close() error {
	err := r.reader.Close()
	r.store.note("%s close: %s", r.name, errorText(err))
	return err
}

type recordingTxn struct {
	recordingView
	txn kv.Txn
}

// done notes a call of the transaction that has ended in err.
func (t *recordingTxn) done(err error, format string, args ...any) error {
	call := fmt.Sprintf(format, args...)
	if err != nil {
		call += ": " + err.Error()
	}
	t.store.note("%s %s", t.name, call)
	return err
}

func (t *recordingTxn) Set(key, value []byte) error {
	return t.done(t.txn.Set(key, value), "set %q = %q", key, value)
}

func (t *recordingTxn) Delete(key []byte) error {
	return t.done(t.txn.Delete(key), "delete %q", key)
}

func (t *recordingTxn) Guard(key []byte) error {
	return t.done(t.txn.Guard(key), "guard %q", key)
}

func (t *recordingTxn) Commit(ctx context.Context) error {
	err := t.txn.Commit(ctx)
	t.store.note("%s commit: %s", t.name, errorText(err))
	return err
}

func (t *recordingTxn) Rollback() {
	t.txn.Rollback()
	t.store.note("%s rollback", t.name)
}

type recordingCursor struct {
	kv.Cursor
	store *RecordingStore
	name  string
}

func (c *recordingCursor) Next() bool {
	if !c.Cursor.Next() {
		c.store.note("%s next: end", c.name)
		return false
	}
	c.store.note("%s next: %q = %q", c.name, c.Key(), c.Value())
	return true
}

func (c *recordingCursor) Seek(key []byte) {
	c.store.note("%s seek %q", c.name, key)
	c.Cursor.Seek(key)
}

func (c *recordingCursor) Close() error {
	err := c.Cursor.Close()
	c.store.note("%s close: %s", c.name, errorText(err))
	return err
}
