// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"os/exec"
	"strings"
	"testing"
)

// TestClusterClientStaysOut asks the go command what is linked: the client of TiKV, as large as everything else together, comes only with the full binary.
func TestClusterClientStaysOut(t *testing.T) {
	for _, c := range []struct {
		arguments []string
		linked    bool
	}{
		{[]string{"github.com/weftdb/weft", "github.com/weftdb/weft/kv/pebble"}, false},
		{[]string{"-tags", "notikv", "github.com/weftdb/weft/cmd/weft"}, false},
		{[]string{"github.com/weftdb/weft/cmd/weft"}, true},
	} {
		listed, err := exec.CommandContext(t.Context(), "go", append([]string{"list", "-deps"}, c.arguments...)...).Output()
		if err != nil {
			t.Fatalf("go list %v: %v", c.arguments, err)
		}
		var found []string
		for _, path := range strings.Fields(string(listed)) {
			if strings.HasPrefix(path, "github.com/tikv/") || strings.HasPrefix(path, "github.com/pingcap/") || path == "github.com/weftdb/weft/kv/tikv" {
				found = append(found, path)
			}
		}
		if (len(found) > 0) != c.linked {
			t.Errorf("go list %v: %d packages of the cluster's client %v, want some: %t", c.arguments, len(found), found, c.linked)
		}
	}
}
