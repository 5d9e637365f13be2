// SPDX-License-Identifier: Apache-2.0

package statistics

import (
	"testing"
	"time"
)

// TestForgets: what was found of indexes that nobody asks about any more, since they were dropped, say, does not stay.
func TestForgets(t *testing.T) {
	var b Book
	now := time.Unix(1_000_000, 0)
	for i := range 10_000 {
		now = now.Add(time.Second)
		b.put(indexID{table: uint32(i)}, dated{at: now})
		b.putSeparators(indexID{table: uint32(i)}, separators{at: now})
	}
	if kept := int(2 * statisticsKept / time.Second); len(b.made) > kept || len(b.sampled) > kept {
		t.Errorf("%d estimates and %d samples are kept of 10,000 indexes", len(b.made), len(b.sampled))
	}
	if _, ok := b.get(indexID{table: 9_999}); !ok {
		t.Error("the last estimate is forgotten")
	}
}
