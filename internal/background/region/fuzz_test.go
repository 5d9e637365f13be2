// SPDX-License-Identifier: Apache-2.0

package region

import (
	"bytes"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/weftdb/weft/internal/data/keytext"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
)

// FuzzPoints spreads regions between any two texts: the keys ascend, are fewer than the regions, and lie between the
// ends.
func FuzzPoints(f *testing.F) {
	f.Add("a", "z", 4)
	f.Add("", "ん", 9)
	f.Add("user-a", "user-b", 4096)
	f.Fuzz(func(t *testing.T, from, to string, count int) {
		if !utf8.ValidString(from) || !utf8.ValidString(to) || len(from)+len(to) > 100 {
			return
		}
		part, _, err := keytext.Parse("s", schema.String)
		if err != nil {
			t.Fatal(err)
		}
		x := &schema.Index{Key: []schema.KeyPart{part}, PartitionParts: 1}
		low, high := value.AppendString(nil, []byte(from)), value.AppendString(nil, []byte(to))
		keys, err := Points(x, &Spec{Count: count, From: low, To: high})
		if err != nil {
			return
		}
		ends, err := Points(x, &Spec{Keys: []value.Value{low, high}})
		if err != nil {
			t.Fatal(err)
		}
		if len(keys) > 0 && (len(keys) >= count || !slices.IsSortedFunc(keys, bytes.Compare) ||
			bytes.Compare(keys[0], ends[0]) <= 0 ||
			bytes.Compare(keys[len(keys)-1], ends[1]) > 0) {
			t.Fatalf("%q to %q in %d: %q", from, to, count, keys)
		}
	})
}
