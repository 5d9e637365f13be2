// SPDX-License-Identifier: Apache-2.0

package evaluate

import "github.com/weftdb/weft/internal/sql/datum"

// Merges reports whether the rows of a group may be gathered in parts, and what the parts keep be joined by Merge, with
// the same result.
func (a *Aggregate) Merges() bool {
	switch {
	case a.CountsRows():
		return true
	case len(a.arguments) != 1 || a.call.Distinct && a.kind != minKind && a.kind != maxKind:
		return false
	}
	switch a.kind {
	case countKind, minKind, maxKind, anyKind, bitAndKind, bitOrKind, bitXorKind:
		return true
	case sumKind, avgKind:
		return a.t.Base == datum.DecimalBase // sums of floats depend on their order
	}
	return false
}

// Merge adds to one of the aggregate's accumulators what another one has gathered of later rows. Only for aggregates
// that Combine.
func (a *Aggregate) Merge(into, from Accumulator) error {
	if a.CountsRows() {
		into.(*rowCount).count += from.(*rowCount).count
		return nil
	}
	switch to, part := into.(*single).gatherer, from.(*single).gatherer; to := to.(type) {
	case *valueCount:
		to.count += part.(*valueCount).count
	case *sum:
		return to.merge(part.(*sum))
	case *average:
		return to.merge(&part.(*average).sum)
	case *extreme:
		if best := part.(*extreme).best; !best.IsNull() {
			return to.gather(best)
		}
	case *first:
		if d := part.(*first).d; !d.IsNull() {
			return to.gather(d)
		}
	case *variance:
		to.merge(part.(*variance))
	case *bits:
		return to.gather(datum.Uint(part.(*bits).value))
	}
	return nil
}

// merge adds what another sum has gathered.
func (s *sum) merge(other *sum) error {
	count := s.count + other.count
	if err := s.gather(datum.Int(other.integer)); err != nil {
		return err
	}
	if !other.exact.IsNull() {
		if err := s.gather(other.exact); err != nil {
			return err
		}
	}
	s.float, s.floats, s.count = s.float+other.float, s.floats || other.floats, count
	return nil
}

// Combines reports whether Merge can join parts at all, though the last digits of sums of floats may depend on where
// the parts end.
func (a *Aggregate) Combines() bool {
	switch a.kind {
	case concatKind, headKind, arrayKind, objectKind:
		return false
	}
	return a.CountsRows() || len(a.arguments) == 1 && (!a.call.Distinct || a.kind == minKind || a.kind == maxKind)
}

// merge adds what another variance has gathered.
func (s *variance) merge(other *variance) {
	if other.count == 0 {
		return
	}
	count, delta := s.count+other.count, other.mean-s.mean
	s.squares += other.squares + delta*delta*s.count*other.count/count
	s.mean += delta * other.count / count
	s.count = count
}
