// SPDX-License-Identifier: Apache-2.0

package weft

// Walk is what a Query was and what it did, for Options.Walked. Its conditions must not be changed, and not be kept.
type Walk struct {
	Table, Index  string
	Where, Filter Condition
	Reverse       bool
	Limit         int // Query.ExaminedMax
	Counts        Counts
}

// report tells Options.Walked of a walk that has ended, once.
func (c *Cursor) report() {
	if c.asked == nil {
		return
	}
	q := c.asked
	c.asked = nil
	c.pin.db.options.Walked(&Walk{
		Table: c.pin.name(), Index: c.index.Name, Where: q.Where, Filter: q.Filter, Reverse: q.Reverse, Limit: q.ExaminedMax, Counts: c.walk.Counts,
	})
}
