// SPDX-License-Identifier: Apache-2.0

package kvwrap

import (
	"slices"
	"sync"

	"github.com/weftdb/weft/kv"
)

// RecordingStore is a kv.Store that passes calls on to another and writes each down as a line of text with its result,
// such as
//
//	get "a": "1"
//	begin: txn 1
//	txn 1 scan ["a", nil): cursor 2
//	cursor 2 next: "a" = "1"
//	txn 1 set "b" = "2": ok
//	txn 1 commit: ok
//
// Readers, transactions and cursors are numbered in the order of their opening. All methods are safe for concurrent
// use.
type RecordingStore struct {
	wrapper

	mu    sync.Mutex
	lines []string
}

// Recording wraps store. Closing the wrapper closes store.
func Recording(store kv.Store) *RecordingStore {
	s := &RecordingStore{}
	s.wrapper = wrapper{store: store, call: s.call}
	return s
}

// call makes a call and writes it down.
func (s *RecordingStore) call(_ Call, text string, run func() (string, error)) error {
	result, err := run()
	if err != nil {
		result = err.Error()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, text+": "+result)
	return err
}

// Lines returns what was recorded since the beginning or the last Lines.
func (s *RecordingStore) Lines() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := s.lines
	s.lines = nil
	return slices.Clip(lines)
}
