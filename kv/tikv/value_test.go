// SPDX-License-Identifier: Apache-2.0

package tikv

import (
	"bytes"
	"errors"
	"testing"

	"github.com/weftdb/weft/kv"
)

func FuzzValue(f *testing.F) {
	for _, seed := range [][]byte{nil, {}, {0}, {formPlain}, {formPlain, formPlain}, {0xff}, []byte("value")} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		stored := appendValue([]byte("before"), input)
		if len(stored) != len("before")+len(input)+formBytes || !bytes.HasPrefix(stored, []byte("before")) {
			t.Fatalf("stored as %x", stored)
		}
		value, err := cutValue(stored[len("before"):])
		if err != nil || !bytes.Equal(value, input) {
			t.Fatalf("%x comes back as %x, error %v", input, value, err)
		}
		value, err = cutValue(input) // anything may be stored
		if err == nil && !bytes.Equal(appendValue(nil, value), input) {
			t.Fatalf("%x is read as %x", input, value)
		}
		if err != nil && !errors.Is(err, kv.ErrFormat) {
			t.Fatalf("the error is %v", err)
		}
	})
}

func TestPrefixEnd(t *testing.T) {
	for prefix, want := range map[string]string{"w": "x", "a\xff": "b", "a\xff\xff": "b", "\x00": "\x01", "\xff": "",
		"\xff\xff": "", "\xfe\xff": "\xff"} {
		end := prefixEnd([]byte(prefix))
		if string(end) != want || (end == nil) != (want == "") {
			t.Errorf("after %q comes %q, want %q", prefix, end, want)
		}
	}
}
