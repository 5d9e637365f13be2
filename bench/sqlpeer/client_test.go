// SPDX-License-Identifier: Apache-2.0

package sqlpeer

import (
	"slices"
	"strings"
	"testing"
)

func TestCutRow(t *testing.T) {
	long := strings.Repeat("x", 300)
	row := []byte("\x013\x00\xfb\xfc\x2c\x01" + long + "\x05short")
	if got := cutRow(row); !slices.Equal(got, []string{"3", "", "", long, "short"}) {
		t.Errorf("%q", got)
	}
	for i := range row {
		cutRow(row[:i])
	}
}
