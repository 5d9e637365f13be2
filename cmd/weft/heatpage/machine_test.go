// SPDX-License-Identifier: Apache-2.0

package heatpage

import (
	"fmt"
	"testing"
)

// TestParseNetwork reads what the system says of its interfaces.
func TestParseNetwork(t *testing.T) {
	text := "Inter-|   Receive   |  Transmit\n face |bytes\n  eth0: 100 1 0 0 0 0 0 0 250 2 0 0 0 0 0 0\n    lo: 7 1 0 0 0 0 0 0 7 1\nbad: x\n"
	if got := fmt.Sprint(parseNetwork([]byte(text))); got != "map[eth0:250 lo:7]" {
		t.Error(got)
	}
}
