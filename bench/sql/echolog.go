// SPDX-License-Identifier: Apache-2.0

package main

import (
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
)

const (
	echoLogBytes    = 256 << 20 // after that the log begins anew
	echoCommitBytes = 400
)

// groupLog is a log whose space is there already. Of the committers that wait, one writes and syncs for all, on its own
// goroutine.
type groupLog struct {
	file   vfs.File
	mu     sync.Mutex
	synced sync.Cond
	waits  int    // commits that no sync has taken yet
	group  uint64 // the number of the group that they form
	done   uint64 // groups up to here, without it, are synced
	busy   bool   // someone syncs
	err    error
	offset int64
	bytes  []byte
}

func newGroupLog(path string) (*groupLog, error) {
	file, err := vfs.Default.Create(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return nil, err
	}
	zeros := make([]byte, 1<<20)
	for offset := int64(0); offset < echoLogBytes; offset += int64(len(zeros)) {
		if _, err := file.WriteAt(zeros, offset); err != nil {
			return nil, err
		}
	}
	l := &groupLog{file: file}
	l.synced.L = &l.mu
	return l, file.Sync()
}

// commit returns when a sync that began after it was called has ended.
func (l *groupLog) commit() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waits++
	for own := l.group; l.done <= own && l.err == nil; {
		if l.busy {
			l.synced.Wait()
			continue
		}
		l.sync()
	}
	return l.err
}

// sync writes and syncs the group that waits.
func (l *groupLog) sync() {
	n := l.waits * echoCommitBytes
	l.busy, l.waits = true, 0
	l.group++
	if l.offset+int64(n) > echoLogBytes {
		l.offset = 0
	}
	l.bytes = append(l.bytes[:0], make([]byte, n)...)
	at := l.offset
	l.offset += int64(n)
	l.mu.Unlock()
	_, err := l.file.WriteAt(l.bytes, at)
	if err == nil {
		err = l.file.SyncData()
	}
	l.mu.Lock()
	l.busy, l.done, l.err = false, l.group, err
	l.synced.Broadcast()
}
