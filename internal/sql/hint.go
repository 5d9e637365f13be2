// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// A hint counts in statements that find rows, in SELECT alone, or in INSERT, too.
const (
	hintFinds = " _l_allow_filtering_ _l_force_index_ _l_ignore_index_ "
	hintReads = " _l_versions_ _l_ts_ _l_ts_min_ _l_ts_max_ "
	// hintReplica is TiDB's: any replica of the data may answer the query. It counts where the store reads them.
	hintReplica = "read_consistent_replica"
	hintMakes   = " _l_ts_ "
	// hintIdle are the hints of LindormTable and MySQL that change nothing here; _l_allow_cursor_ does in a SELECT of
	// pages, which is not asked about it.
	hintIdle = " _l_hot_only_ _l_allow_cursor_ bka no_bka bnl no_bnl derived_condition_pushdown no_derived_condition_pushdown group_index no_group_index hash_join no_hash_join" +
		" index no_index index_merge no_index_merge join_fixed_order join_index no_join_index join_order join_prefix join_suffix merge no_merge mrr no_mrr" +
		" no_icp no_range_optimization order_index no_order_index qb_name resource_group semijoin no_semijoin set_var skip_scan no_skip_scan subquery "
)

// hintsOf are the hints of all parts of a statement.
func hintsOf(read tree.Statement) (hints []tree.Hint) {
	tree.Find(read, func(hint *tree.Hint) { hints = append(hints, *hint) })
	return hints
}

// hasReplicaHint reports whether hints say that any replica may be read.
func hasReplicaHint(hints []tree.Hint) bool {
	return slices.ContainsFunc(hints, func(h tree.Hint) bool { return h.Name == hintReplica })
}

// hintNotes are warnings about hints of a statement that nobody knows, or that change nothing in it.
func (s *Session) hintNotes(hints []tree.Hint, kind Kind) (notes []warning) {
	for _, hint := range hints {
		if definition.IsTimeout(hint) {
			continue
		}
		finds, reads := kind != KindInsert && kind != KindReplace, kind == KindSelect || kind == KindRelational
		named := func(list string) bool { return strings.Contains(list, " "+hint.Name+" ") }
		switch {
		case hint.Name == tree.HintCollate:
			notes = append(notes, warning{"Warning", fault.NotSupported, definition.CollationNote(hint.Argument)})
		case finds && named(hintFinds), reads && named(hintReads), !finds && named(hintMakes):
		case hint.Name == hintReplica && reads && s.engine.db.ReadsReplicas():
		case named(hintFinds + hintReads + hintIdle), hint.Name == hintReplica:
			notes = append(notes, warning{"Warning", fault.Unknown, "the hint " + hint.Name + " has no effect here"})
		default:
			unknown := fault.New(fault.Unknown, "there is no hint "+hint.Name+": it has no effect")
			notes = append(notes, warning{"Warning", fault.Unknown,
				unknown.Meant(hint.Name,
					strings.FieldsSeq(hintFinds+hintReads+hintIdle+
						" _l_operation_timeout_ max_execution_time "+hintReplica)).Message})
		}
	}
	return notes
}

// tell keeps warnings that belong to a compiled statement for SHOW WARNINGS.
func (s *Session) tell(notes []warning) {
	for _, note := range notes {
		s.warn(note.code, note.message)
	}
}
