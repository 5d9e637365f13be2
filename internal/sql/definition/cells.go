// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"math"
	"strconv"
	"strings"

	"github.com/weftdb/weft/internal/data/cell"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// How long delete markers are kept if no COMPACTION_MAJOR_PERIOD says so: LindormTable's 20 days, or TTL if that is
// shorter.
const markersMSDefault = 20 * 24 * 3600 * 1000

// mutableAll is the MUTABILITY under which writers may choose the times of their cells.
const mutableAll = "MUTABLE_ALL"

// cells are the rules for cells that the options of a table ask for: TTL, VERSIONS and MUTABILITY do. They are nil if
// nothing asks and there were none before; rules that are there are not taken away.
func (t *Table) cells(before *cell.Rules) *cell.Rules {
	lifeMS, versions := 1000*t.number(OptionTTL), t.number(OptionVersions)
	if versions <= 1 {
		versions = 0 // which is one
	}
	if t.Options[OptionVersions] == "0" {
		versions = -1
	}
	if before == nil && lifeMS == 0 && versions == 0 && t.Options[OptionMutability] != mutableAll {
		return nil
	}
	rules := &cell.Rules{Versions: int(versions), LifeMS: lifeMS, MarkersMS: t.number(OptionCompactionPeriod)}
	if before != nil {
		rules.SinceMS = before.SinceMS
	}
	if rules.MarkersMS == 0 {
		rules.MarkersMS = markersMSDefault
		if lifeMS > 0 {
			rules.MarkersMS = min(lifeMS, markersMSDefault)
		}
	}
	return rules
}

// number is the value of an option that is a whole number; 0 if it is not set.
func (t *Table) number(option string) int64 {
	n, err := strconv.ParseInt(t.Options[option], 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// TimeSuffix ends the names by which the times of cells are read: c_l_ts is the time of c.
const TimeSuffix = "_l_ts"

// IsTime reports whether a name, which is no declared column's, stands for the time of another column's cell.
func (t *Table) IsTime(name string) bool {
	of, ok := strings.CutSuffix(name, TimeSuffix)
	if _, declared := t.byName[name]; !ok || of == "" || declared || t.Descriptor == nil || t.Descriptor.Cells == nil {
		return false
	}
	column, ok := t.Column(of)
	return ok && column.KeyPart < 0
}

// stampMax is the latest time of a cell, in milliseconds.
const stampMax = math.MaxInt64 - 1

// SelectCells adds what a hint says to the versions of cells that a statement reads; nil is none so far. Errors: 1210.
func SelectCells(cells *cell.Select, hint tree.Hint) (*cell.Select, error) {
	n, err := strconv.ParseInt(hint.Argument, 10, 64)
	if err != nil || n < 0 || n > stampMax || n == 0 && (hint.Name == "_l_versions_" || hint.Name == "_l_ts_max_") {
		return cells, fault.New(fault.WrongArguments,
			"hint "+hint.Name+", which takes a whole number such as _l_versions_(3), or milliseconds such as _l_ts_min_(1705786502068)")
	}
	if cells == nil {
		cells = &cell.Select{Times: TimeSuffix}
	}
	switch hint.Name {
	case "_l_versions_":
		cells.Versions = int(min(n, 1<<31-1))
	case "_l_ts_":
		cells.FromMS, cells.ToMS = n, n+1
	case "_l_ts_min_":
		cells.FromMS = n
	default:
		cells.ToMS = n
	}
	return cells, nil
}
