// SPDX-License-Identifier: Apache-2.0

package value_test

import (
	"bytes"
	"testing"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/testing/valuetest"
)

// Random values are well-formed, come back from Cut with what follows them, and from their text as the same bytes.
func TestRandomValues(t *testing.T) {
	r := newRandom(t)
	for range 3000 {
		v := value.Value(appendRandom(t, nil, r, 4))
		if err := v.Validate(); err != nil {
			t.Fatalf("%x: %v", []byte(v), err)
		}
		got, rest, err := value.Cut(append(bytes.Clone(v), "rest"...))
		if err != nil || !bytes.Equal(got, v) || string(rest) != "rest" {
			t.Fatalf("Cut %s: %s, %q, %v", v, got, rest, err)
		}
		text := v.String()
		again, err := valuetest.ParseText(text)
		if err != nil || !bytes.Equal(again, v) {
			t.Fatalf("ParseText(%s): %s, %v", text, again, err)
		}
	}
}
