// SPDX-License-Identifier: Apache-2.0

package job

import (
	"bytes"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/rows/record"
)

// TestSweepsBegin: most sweeps begin a minute before the last one, and one a minute at the oldest row that may expire.
func TestSweepsBegin(t *testing.T) {
	described := schema.ExpiryIndex("at")
	described.ID = 3
	table := record.Compile(&schema.Table{ID: 1, Name: "t", Indexes: []schema.Index{described}}, nil)
	index, _ := table.IndexByID(3)
	const now = 1_800_000_000
	const oldest = 1_642_233_600 // 5 years earlier
	for _, one := range []struct {
		name   string
		whole  bool
		before expiryProgress
		want   int64
	}{
		{"the first", false, expiryProgress{}, oldest},
		{"a look a second later", false, expiryProgress{index: 3, until: now - 1, whole: now - 1}, now - 61},
		{"a look after a long pause", false, expiryProgress{index: 3, until: now - 50, whole: now - 59}, now - 110},
		{"a minute after the last long one", false, expiryProgress{index: 3, until: now - 1, whole: now - 60}, oldest},
		{"one that somebody asked for", true, expiryProgress{index: 3, until: now - 1, whole: now - 1}, oldest},
		{"one of an index that was made anew", false, expiryProgress{index: 2, until: now - 1, whole: now - 1}, oldest},
		{"after the clock was set back a little", false, expiryProgress{index: 3, until: now + 5, whole: now - 5},
			now - 60},
		{"after the clock was set back", false, expiryProgress{index: 3, until: now + 5, whole: now + 1}, oldest},
	} {
		s := &sweep{now: time.Unix(now, 0), whole: one.whole, before: one.before}
		if err := s.aim(table, index); err != nil {
			t.Fatal(err)
		}
		want, err := keyAt(index, one.want)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(s.next, want) {
			t.Errorf("%s begins at %x, want %x", one.name, s.next, want)
		}
	}
}
