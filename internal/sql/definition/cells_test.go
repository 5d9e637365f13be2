// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"testing"

	"github.com/weftdb/weft/internal/data/cell"
)

// TestCells: the options of a table that speak of the times of its cells become rules, and rules stay once they are
// there.
func TestCells(t *testing.T) {
	const day = 24 * 3600 * 1000
	for _, one := range []struct {
		name    string
		options map[string]string
		before  *cell.Rules
		want    *cell.Rules
	}{
		{"nothing asks", map[string]string{OptionConsistency: "strong", OptionMutability: "MUTABLE_LATEST",
			OptionCompactionPeriod: "3600000"}, nil, nil},
		{"one version", map[string]string{OptionVersions: "1"}, nil, nil},
		{"a life", map[string]string{OptionTTL: "60"}, nil, &cell.Rules{LifeMS: 60_000, MarkersMS: 60_000}},
		{"a long life", map[string]string{OptionTTL: "86400000"}, nil,
			&cell.Rules{LifeMS: 86_400_000_000, MarkersMS: 20 * day}},
		{"versions", map[string]string{OptionVersions: "3"}, nil, &cell.Rules{Versions: 3, MarkersMS: 20 * day}},
		{"none kept", map[string]string{OptionVersions: "0"}, nil, &cell.Rules{Versions: -1, MarkersMS: 20 * day}},
		{"times chosen by writers", map[string]string{OptionMutability: "MUTABLE_ALL"}, nil,
			&cell.Rules{MarkersMS: 20 * day}},
		{"markers", map[string]string{OptionTTL: "60", OptionCompactionPeriod: "3600000"}, nil,
			&cell.Rules{LifeMS: 60_000, MarkersMS: 3_600_000}},
		{"no longer", map[string]string{}, &cell.Rules{LifeMS: 5, Versions: 2, SinceMS: 7},
			&cell.Rules{MarkersMS: 20 * day, SinceMS: 7}},
	} {
		table := &Table{Options: one.options}
		got := table.cells(one.before)
		if (got == nil) != (one.want == nil) || got != nil && !got.Equal(one.want) {
			t.Errorf("%s: %+v, want %+v", one.name, got, one.want)
		}
	}
}
