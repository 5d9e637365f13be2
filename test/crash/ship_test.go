// SPDX-License-Identifier: Apache-2.0

package crash

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/weftdb/weft/test/harness"
)

// countBases counts the backups that changes were shipped after.
func (r *run) countBases() int {
	entries, err := os.ReadDir(filepath.Join(r.shipped, "log", "bases"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.t.Fatal(err)
	}
	return len(entries)
}

// restoreShipped restores what the server that was killed has shipped, in some rounds, and looks whether it is whole:
// rows and indexes agree.
func (r *run) restoreShipped() {
	if !r.shipping || r.round%verifyEvery != verifyEvery/2 {
		return
	}
	if r.countBases() == 0 {
		// the servers were killed before one of them had made a backup with the changes since: checkShipped sees to it
		// that there is one at the end
		return
	}
	harness.Verify(r.t, r.binary, r.restored())
}

// restored is a folder with the newest that was shipped.
func (r *run) restored() string {
	dir := filepath.Join(r.t.TempDir(), "restored")
	if _, err := harness.Run(r.binary, "restore", r.shipped, "--at", "latest", "--data", dir); err != nil {
		r.t.Fatal(err)
	}
	return dir
}

// awaitBase waits until the server has made the backup that its changes are shipped after.
func (r *run) awaitBase() {
	for range 600 {
		if r.countBases() > r.bases {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	r.t.Fatalf("no backup was made in 30 seconds; the server's log:\n%s", r.server.Log())
}

// checkShipped restores what was shipped up to the end of the last server, which has stopped in good order, and
// compares it with all that was ever acknowledged.
func (r *run) checkShipped() {
	r.data, r.shipping, r.building = r.restored(), false, false
	r.server = harness.Start(r.t, r.binary, harness.Options{Data: r.data})
	r.client = r.server.Client()
	r.check()
	if r.t.Failed() {
		r.t.Fatalf("restored from what was shipped; the server's log:\n%s", r.server.Log())
	}
	if err := r.server.Stop(); err != nil {
		r.t.Errorf("the restored server did not stop well: %v", err)
	}
}
