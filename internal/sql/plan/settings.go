// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"cmp"
	"time"

	"github.com/weftdb/weft/internal/data/cell"
	"github.com/weftdb/weft/internal/resource/memory"
	"github.com/weftdb/weft/internal/resource/spill"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// Inefficient says what becomes of a query that no key bounds.
type Inefficient uint8

// The ways with inefficient queries.
const (
	InefficientByTable Inefficient = iota // as the table was made
	RefuseInefficient
	WarnInefficient
	AllowInefficient
)

// For returns the setting for a query over a table. A table that was made with MySQL's settings answers with a warning,
// as its INSERTs answer as MySQL's do.
func (i Inefficient) For(t *definition.Table) Inefficient {
	switch {
	case i != InefficientByTable:
		return i
	case t.InsertFails:
		return WarnInefficient
	}
	return RefuseInefficient
}

// timeoutDefault is the time a statement may take.
const timeoutDefault = 120 * time.Second

// Settings are a session's limits. The zero value is the defaults.
type Settings struct {
	// MultiGetKeysMax is the number of keys one statement may name in full; default 2,000.
	MultiGetKeysMax int
	// Inefficient is about queries that neither the key nor an index bounds.
	Inefficient Inefficient
	// Timeout ends a statement; default 120 seconds, negative: never.
	Timeout time.Duration
	// SortBytesMax is the memory of one sort; default 16 MiB.
	SortBytesMax int
	// GroupBytesMax is the memory of groups and of DISTINCT before rows are sorted instead; default 64 MiB.
	GroupBytesMax int
	// Memory is the budget that the sorts, groups and pending rows of all statements share; nil: no bound.
	Memory *memory.Budget
	// Spill is the folder for rows that do not fit; nil: nothing is written to files, and such statements fail.
	Spill *spill.Folder
	// SpansMax is the number of spans of keys a walk may have; default 100,000.
	SpansMax int
	// CountWorkers is the number of segments COUNT(*) reads at once; default 4.
	CountWorkers int
}

// WithDefaults fills in what is zero.
func (s Settings) WithDefaults() Settings {
	fill(&s.MultiGetKeysMax, 2000)
	fill(&s.SortBytesMax, 16<<20)
	fill(&s.GroupBytesMax, 64<<20)
	fill(&s.SpansMax, 100_000)
	fill(&s.CountWorkers, 4)
	return s
}

func fill(n *int, standard int) {
	if *n <= 0 {
		*n = standard
	}
}

// hints are the settings of a statement's hints.
type hints struct {
	allowFiltering bool
	force          []string // indexes, of which one has to be used; "" is the primary key
	ignore         []string
	ignoreAll      bool // secondary indexes are not used
	// cells are the versions that are wanted; nil: rows as they are seen.
	cells *cell.Select
}

// readHints reads the hints that concern plans. Others are somebody else's.
func readHints(list []tree.Hint, force, ignore []string) (h hints, err error) {
	if _, err = definition.Timeout(list); err != nil {
		return h, err
	}
	for _, hint := range list {
		switch hint.Name {
		case "_l_allow_filtering_":
			h.allowFiltering = true
		case "_l_force_index_":
			force = append(force, hint.Argument)
		case "_l_versions_", "_l_ts_", "_l_ts_min_", "_l_ts_max_":
			if h.cells, err = definition.SelectCells(h.cells, hint); err != nil {
				return h, err
			}
		case "_l_ignore_index_":
			if hint.Argument == "" {
				h.ignoreAll = true
			} else {
				ignore = append(ignore, hint.Argument)
			}
		}
	}
	if len(force) > 0 && h.ignoreAll {
		return h, fault.New(fault.WrongArguments, "hints: use either _l_force_index_ or _l_ignore_index_")
	}
	for _, name := range force {
		h.force = append(h.force, indexName(name))
	}
	for _, name := range ignore {
		h.ignore = append(h.ignore, indexName(name))
	}
	return h, nil
}

// checkVersions refuses to read versions of cells that a table does not keep, or from an index.
func (s *Source) checkVersions() error {
	switch {
	case s.hints.cells == nil:
		return nil
	case s.Table.Descriptor.Cells == nil:
		return fault.New(fault.Refused, "table "+s.Table.Name+
			" keeps no cell timestamps; to add them, use ALTER TABLE "+s.Table.Name+
			" SET 'MUTABILITY'='MUTABLE_ALL', TTL or VERSIONS")
	case len(s.hints.force) > 0:
		return fault.New(fault.WrongArguments, "hints: read cell versions from the table, not from an index")
	}
	s.hints.ignoreAll = true
	return nil
}

// indexName is how package database names an index that SQL names.
func indexName(name string) string {
	if name == "PRIMARY" || name == "primary" {
		return ""
	}
	return name
}

// TimeoutOf is the time a statement may take: what a hint says, where that isn't 0, else the setting. 0: as long as it
// likes.
func (s *Settings) TimeoutOf(hint time.Duration) time.Duration {
	return max(cmp.Or(hint, s.Timeout, timeoutDefault), 0)
}
