// SPDX-License-Identifier: Apache-2.0

package indexkey

import "errors"

// bindEach plans each alternative by itself and unites what they come to. whole is the planner of the other bounds. ok
// is false if that would be too much, or no narrower than the other bounds.
func bindEach(whole *planner) (plan Plan, ok bool) {
	x := whole.index
	united := planner{index: x, parts: make([]boundPart, len(x.Key)), used: len(x.Key)}
	ok = true
	var each []Plan
	whole.alternatives.each(func(bounds Bounds) {
		if !ok {
			return
		}
		one, err := whole.alone(bounds)
		if err != nil {
			ok = false
			return
		}
		united.found = append(united.found, one.found...)
		if len(one.found) > 0 {
			united.used = min(united.used, one.used)
		}
		ok = len(united.found) <= whole.limit && united.used > 0
		each = append(each, one.plan())
	})
	if !ok {
		return plan, false
	}
	if plan = united.plan(); plan.clash {
		return plan, false
	}
	plan.each = each
	plan.Exact, plan.Points = true, plan.Used > 0
	for i := range each {
		plan.Exact, plan.Nulls = plan.Exact && each[i].Exact, plan.Nulls || each[i].Nulls
		plan.Points = plan.Points && (len(each[i].Spans) == 0 || each[i].Points && each[i].Used == plan.Used)
	}
	return plan, true
}

// alone plans one alternative, by fewer parts if that is needed to keep within the limit.
func (b *planner) alone(bounds Bounds) (*planner, error) {
	for parts := b.depthMax; ; {
		one := &planner{
			index: b.index, bounds: bounds, alternatives: Choices{All: bounds}, limit: b.limit, depthMax: parts,
			planOf: b.planOf,
			parts:  make([]boundPart, len(b.index.Key)), exact: true,
		}
		err := one.expand(0, nil, nil)
		tooMany, isTooMany := errors.AsType[*TooManyError](err)
		if !isTooMany {
			return one, err
		}
		parts = tooMany.Parts
	}
}
