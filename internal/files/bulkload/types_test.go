// SPDX-License-Identifier: Apache-2.0

package bulkload

import (
	"testing"

	"github.com/weftdb/weft/internal/data/value"
)

func TestTimes(t *testing.T) {
	for _, c := range []struct {
		word, text string
		units      int64
	}{
		{"timestamp", "1970-01-01T00:00:01.123456Z", 1123},
		{"timestamp6", "1970-01-01T00:00:01.123456Z", 1_123_456},
		{"timestamp6", "1970-01-01 00:00:01", 1_000_000},
		{"timestamp6", "7", 7},
	} {
		typed, err := TypeOf(c.word)
		if err != nil {
			t.Fatal(err)
		}
		stored, err := appendTyped(nil, typed, []byte(c.text))
		if got, ok := value.Value(stored).Int(); err != nil || !ok || got != c.units {
			t.Errorf("%s %q: %d, %v", c.word, c.text, got, err)
		}
	}
}
