// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"slices"

	"github.com/weftdb/weft/internal/advice/advisor/design"
)

// descendingCandidates proposes keys for queries over all partitions whose result has an order: a Scan goes upward
// only, so newest first needs a descending key.
func (s *study) descendingCandidates(q *query) []*candidate {
	if q.OrderBy == "" || !s.keyable(q.OrderBy) || q.Limit == 0 {
		return nil
	}
	if slices.ContainsFunc(q.Bounds, func(b design.Bound) bool {
		return b.Operator == design.Equal &&
			s.keyable(b.Attribute)
	}) {
		return nil
	}
	if !q.Descending {
		return []*candidate{s.newCandidate("ordered-index", design.Key{q.OrderBy})}
	}
	return []*candidate{s.newCandidate("descending-index", design.Key{design.Call("desc", q.OrderBy)})}
}
