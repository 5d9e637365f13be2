// SPDX-License-Identifier: Apache-2.0

package cache

import (
	"fmt"
	"testing"

	"github.com/weftdb/weft/internal/resource/memory"
)

// TestBounds checks that a cache stays within its number of values and its share of the memory, gives memory back, and
// keeps used values longest.
func TestBounds(t *testing.T) {
	budget := memory.New(1 << 20)
	c := New[int](64, budget)
	for i := range 1000 {
		c.Put(fmt.Append(nil, i), i, 1000)
		if i > 0 {
			c.Put([]byte("used"), -1, 1000)
		}
		if value, ok := c.Get(fmt.Append(nil, i)); ok && value != i {
			t.Fatalf("key %d has value %d", i, value)
		}
	}
	if n := c.Len(); n == 0 || n > 64+shardCount {
		t.Errorf("%d values, want at most %d", n, 64+shardCount)
	}
	if taken := budget.Used(); taken != int64(c.Len())*1000 || taken > budget.Limit()/8 {
		t.Errorf("%d bytes are taken for %d values", taken, c.Len())
	}
	if value, ok := c.Get([]byte("used")); !ok || value != -1 {
		t.Error("the value that was used last is gone")
	}
	if c.Put([]byte("large"), 1, budget.Limit()); c.Len() > 64+shardCount {
		t.Error("a value larger than a part was taken")
	}
	if _, ok := c.Get([]byte("large")); ok {
		t.Error("a value larger than a part was kept")
	}
}
