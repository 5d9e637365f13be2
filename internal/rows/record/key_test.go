// SPDX-License-Identifier: Apache-2.0

package record

import (
	"errors"
	"testing"

	"github.com/weftdb/weft/kv"
)

// TestKeyBytesMax: a key that TiKV would not take is refused on every engine.
func TestKeyBytesMax(t *testing.T) {
	if err := CheckKey(make([]byte, KeyBytesMax)); err != nil {
		t.Error(err)
	}
	if err := CheckKey(make([]byte, KeyBytesMax+1)); !errors.Is(err, kv.ErrTooLarge) {
		t.Errorf("a longer key gives %v", err)
	}
}
