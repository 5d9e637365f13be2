// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/weftdb/weft/kv"
)

// TestAnchor wants an anchor while readers come and go, a younger one after each interval, and none where there are no
// readers any more.
func TestAnchor(t *testing.T) {
	o := small(vfs.NewMem())
	o.DiskCheckInterval = time.Hour // the test renews
	s := opened(t, o)
	get := func() {
		t.Helper()
		r, err := s.Read(t.Context())
		if err == nil {
			_, _, err = r.Get(t.Context(), []byte("a"), nil)
		}
		if err != nil || r.Close() != nil {
			t.Fatal(err)
		}
	}
	want := func(anchors int) {
		t.Helper()
		if n := s.db.Metrics().Snapshots.Count; n != anchors || s.anchor.count() != anchors {
			t.Fatalf("%d snapshots and %d anchors, want %d", n, s.anchor.count(), anchors)
		}
		if n := s.Metrics().Snapshots; n != 0 {
			t.Fatalf("%d snapshots are told of, and nobody reads", n)
		}
	}
	want(0)
	get()
	want(1)
	before := s.db.Metrics().Snapshots.EarliestSeqNum
	must(t, put(s, []byte("a"), []byte("1")))
	get()
	s.renewAnchor()
	want(1)
	if now := s.db.Metrics().Snapshots.EarliestSeqNum; now <= before {
		t.Errorf("the anchor is still at %d, and was at %d", now, before)
	}
	s.renewAnchor()
	want(0)
	get()
	must(t, s.Compact(t.Context(), kv.Range{}))
	want(0)
	get()
	must(t, s.Close())
}

// BenchmarkRead opens a reader, which looks one key up, beside old files.
func BenchmarkRead(b *testing.B) {
	s := benchStore(b)
	key := benchKey(nil, 5)
	must(b, put(s, key, benchValue(1)))
	b.ReportAllocs()
	var dst []byte
	for b.Loop() {
		r, err := s.Read(b.Context())
		must(b, err)
		dst, _, err = r.Get(b.Context(), key, dst[:0])
		must(b, err)
		must(b, r.Close())
	}
}
