// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/pebble"
)

// TestPebble serves from a folder, writes to it, reads its metrics, and opens it again.
func TestPebble(t *testing.T) {
	flags := map[string]string{"engine": "pebble", "data": t.TempDir() + "/new/folder"}
	s, log := openServer(t, flags)
	store := s.database.(*openedDatabase).store
	err := kv.Update(t.Context(), store, func(txn kv.Txn) error { return txn.Set([]byte("k"), []byte("v")) })
	if err != nil {
		t.Fatal(err)
	}
	mustGet(t, admin(s), "/readyz", "200 ready")
	mustGet(t, admin(s), "/metrics", `weft_engine_read_only{engine="pebble"} 0`)
	mustGet(t, admin(s), "/metrics", `weft_engine_log_sync_seconds_bucket{engine="pebble",le="+Inf"} `)
	if err := s.Close(); err != nil {
		t.Fatalf("%v; log:\n%s", err, log)
	}
	again, _ := openServer(t, flags)
	value, ok, err := again.database.(*openedDatabase).store.Get(t.Context(), []byte("k"), nil)
	if string(value) != "v" || !ok || err != nil {
		t.Errorf("after opening again: %q, %v, %v", value, ok, err)
	}
}

// TestFolderInUse names the folder that another server has open.
func TestFolderInUse(t *testing.T) {
	dir := t.TempDir()
	openServer(t, map[string]string{"engine": "pebble", "data": dir})
	var stderr strings.Builder
	p := &program{stderr: &stderr, readFile: os.ReadFile}
	code := p.run(t.Context(), []string{"serve", "--data", dir, "--dynamodb-addr=off", "--mysql-addr=off",
		"--admin-addr=off"})
	if code != exitFailed || !strings.Contains(stderr.String(), "weft: failed to open the database") ||
		!strings.Contains(stderr.String(), dir) {
		t.Errorf("exit %d: %s", code, stderr.String())
	}
}

// TestPebbleReady tells why a store is not ready.
func TestPebbleReady(t *testing.T) {
	if err := pebbleReady(pebble.Metrics{}); err != nil {
		t.Error(err)
	}
	for want, m := range map[string]pebble.Metrics{"disk": {ReadOnly: true},
		"stopped": {ReadOnly: true, Stopped: true}} {
		if err := pebbleReady(m); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", m, err)
		}
	}
}

// TestPebbleStats converts powers of two microseconds into seconds.
func TestPebbleStats(t *testing.T) {
	m := pebble.Metrics{LogSyncs: pebble.SyncLatency{Count: 3, Sum: 2 * time.Second}}
	m.LogSyncs.Buckets[0], m.LogSyncs.Buckets[10], m.LogSyncs.Buckets[pebble.SyncBuckets-1] = 1, 1, 1
	d := pebbleStats(m).LogSyncs
	if len(d.Bounds) != len(d.Within) || d.Bounds[10] != 0.001024 || d.Within[10] != 1 || d.Count != 3 ||
		d.Seconds != 2 {
		t.Errorf("%+v", d)
	}
}
