// SPDX-License-Identifier: Apache-2.0

package schema

import "fmt"

// Outline is the definition that makes the same table in another store: its name, key, columns, indexes and rules, and
// what dialects keep with it. It has no ids, states and times of this store. Of the stream that is on it has the
// images, and of its recovery the days; streams of Kinesis that changes go to are not part of it. An error is about
// what can't be made like this.
func (t *Table) Outline() (*Table, error) {
	for i := range t.Indexes {
		if x := &t.Indexes[i]; x.Partial && x.Rebuild == nil && x.State != Retiring && x.State != Dropping {
			return nil, fmt.Errorf("the index %s was built over rows that do not fit it, which another store would refuse: correct these rows and make the index again, or drop it", x.Name)
		}
	}
	if t.Cells != nil && t.Cells.Pending {
		return nil, fmt.Errorf("the table's rows are being given times of their cells: try again when that is done")
	}
	o := t.Clone()
	o.ID, o.UUID, o.Version, o.CreatedAtMS, o.Renames, o.Streams, o.Destinations = 0, "", 0, 0, 0, nil, nil
	if s, ok := t.Stream(); ok {
		o.Streams = []Stream{{Images: s.Images}}
	}
	if t.Recovery != nil {
		o.Recovery = &Recovery{Days: t.Recovery.Days}
	}
	if err := Emptied(o); err != nil {
		return nil, err
	}
	for i := range o.Indexes {
		o.Indexes[i].CreatedAtMS = 0
	}
	return o, nil
}
