// SPDX-License-Identifier: Apache-2.0

package division

import "testing"

// TestDivision divides the memory of machines from small to large. A part that has a setting of its own is as large as
// that says.
func TestDivision(t *testing.T) {
	const mib, gib = int64(1) << 20, int64(1) << 30
	server := Settings{Folder: true}
	for _, one := range []struct {
		name           string
		settings       Settings
		machine, group int64
		want           Division
	}{
		{"128 MiB", server, 128 * mib, 0, Division{16 * mib, 4 * mib, 16 * mib, 0, 16 * mib, 64 * mib, 0}},
		{"512 MiB", server, 512 * mib, 0, Division{64 * mib, 8 * mib, 32 * mib, 0, 64 * mib, 64 * mib, 0}},
		{"2 GiB", server, 2 * gib, 0, Division{192 * mib, 16 * mib, 64 * mib, 0, 128 * mib, 64 * mib, 0}},
		{"8 GiB", server, 8 * gib, 0, Division{896 * mib, 32 * mib, 256 * mib, 0, 512 * mib, 256 * mib, 0}},
		{"24 GiB", server, 24 * gib, 0, Division{3456 * mib, 32 * mib, 768 * mib, 0, gib, 768 * mib, 0}},
		{"256 GiB", server, 256 * gib, 0, Division{62336 * mib, 32 * mib, gib, 0, gib, gib, 0}},
		{"unknown", server, 0, 0, Division{384 * mib, 32 * mib, 128 * mib, 0, 256 * mib, 128 * mib, 0}},
		{"a command", Settings{Folder: true, Tool: true}, 24 * gib, 0,
			Division{192 * mib, 16 * mib, 64 * mib, 0, 128 * mib, 64 * mib, 0}},
		{"one number", Settings{Folder: true, All: 2 * gib}, 256 * gib, 0,
			Division{896 * mib, 32 * mib, 256 * mib, 0, 512 * mib, 256 * mib, 0}},
		{"HBase", Settings{Folder: true, HBase: true}, 8 * gib, 0,
			Division{896 * mib, 32 * mib, 128 * mib, 128 * mib, 512 * mib, 256 * mib, 0}},
		{"a cache", Settings{Folder: true, Cache: 8 * gib}, 8 * gib, 0,
			Division{8 * gib, 32 * mib, 256 * mib, 0, 512 * mib, 256 * mib, 0}},
		{"statements and requests", Settings{Folder: true, Statements: gib, Requests: gib}, 8 * gib, 0,
			Division{512 * mib, 32 * mib, gib, 0, gib, 256 * mib, 0}},
		{"a small group", Settings{Folder: true, Statements: gib}, 8 * gib, gib,
			Division{128 * mib, 16 * mib, 64 * mib, 0, 256 * mib, 64 * mib, gib}},
		{"a group that is larger than the machine", server, 2 * gib, 3 * gib,
			Division{192 * mib, 16 * mib, 64 * mib, 0, 128 * mib, 64 * mib, 3 * gib}},
		{"a cluster", Settings{}, 8 * gib, 0,
			Division{0, 0, 256 * mib, 0, 512 * mib, 1280 * mib, 0}},
	} {
		if got := divide(one.settings, one.machine, one.group); got != one.want {
			t.Errorf("%s: %+v, not %+v", one.name, got, one.want)
		}
	}
}
