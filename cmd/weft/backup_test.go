// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"
	"time"

	"github.com/weftdb/weft/internal/history/backup"
)

// TestBackupProgress: a server tells how far its backup is, while there is one.
func TestBackupProgress(t *testing.T) {
	s, _ := openServer(t, nil)
	p, at := new(program), addressAt(t, s, "admin")
	if done, ok := p.backedUp(t.Context(), at); ok {
		t.Errorf("%d bytes of no backup", done)
	}
	s.backup.Store(&runningBackup{time.Now(), backup.Progress{Bytes: 77}})
	if done, ok := p.backedUp(t.Context(), at); done != 77 || !ok {
		t.Errorf("%d bytes, %t", done, ok)
	}
	mustGet(t, admin(s), "/api/work", `"kind":"backup of the whole database"`)
}
