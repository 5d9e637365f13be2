// SPDX-License-Identifier: Apache-2.0

package expr

import (
	"errors"
	"slices"

	"github.com/weftdb/weft/internal/data/value"
)

// Touched lists the paths that the update writes to or removes, in the order of its text: what UPDATED_OLD and
// UPDATED_NEW show, by Project, of the row before and after it. After a list has lost an element, the path to it leads
// to the one that has moved there.
func (u *Update) Touched() []Path {
	paths := make([]Path, 0, u.len())
	for path := range u.Paths() {
		paths = append(paths, *path)
	}
	return paths
}

func (u *Update) len() int { return len(u.Set) + len(u.Remove) + len(u.Add) + len(u.Delete) }

// Apply adds to b the attributes that the source has after the update. It does not Reset b: the caller does, with the
// dictionary of the source or a later one. Of an item that is not there yet the source is a row of its key, which
// right-hand sides can read. The error is an *Error, or one of b's; b is of no use then.
func (u *Update) Apply(s Source, b *value.RowBuilder) error {
	if s.Names == nil {
		s.Names = value.NoNames
	}
	var few [8]edit
	edits := slices.Grow(few[:0], u.len())
	edits, err := u.plan(s, edits)
	if err != nil {
		return err
	}
	old := s.Row.Attributes(s.Names)
	for old.Next() {
		if group := editsOf(edits, old.Name()); len(group) > 0 {
			group[0].met = true
			err = write(b, old.Value(), group)
		} else {
			err = b.Keep(&old)
		}
		if err != nil {
			return err
		}
	}
	if err := old.Err(); err != nil {
		return err
	}
	return writeNew(b, edits)
}

// edit is one action with its right-hand side computed.
type edit struct {
	path  *Path
	value value.Value
	verb  verb
	met   bool // in the first edit of an attribute: the old row has the attribute
}

type verb uint8

const (
	verbSet verb = iota
	verbRemove
	verbAdd
	verbDelete
)

// plan computes all right-hand sides over the old row, and sorts the actions by path.
func (u *Update) plan(s Source, edits []edit) ([]edit, error) {
	var buf []byte
	var err error
	for i := range u.Set {
		e := edit{path: &u.Set[i].Path, verb: verbSet}
		if e.value, buf, err = require(u.Set[i].To, s, buf); err != nil {
			return nil, err
		}
		edits = append(edits, e)
	}
	for i := range u.Remove {
		edits = append(edits, edit{path: &u.Remove[i], verb: verbRemove})
	}
	for i := range u.Add {
		edits = append(edits, edit{path: &u.Add[i].Path, value: u.Add[i].Value, verb: verbAdd})
	}
	for i := range u.Delete {
		edits = append(edits, edit{path: &u.Delete[i].Path, value: u.Delete[i].Value, verb: verbDelete})
	}
	if len(edits) > 1 {
		slices.SortFunc(edits, compareEdits)
	}
	return edits, nil
}

func compareEdits(a, b edit) int { return ComparePaths(a.path, b.path) }

// scanEditsMax is the number of edits up to which those of an attribute are found by going through all.
const scanEditsMax = 8

// editsOf are the edits of one attribute.
func editsOf(edits []edit, name []byte) []edit {
	i := 0
	if len(edits) > scanEditsMax {
		i, _ = slices.BinarySearchFunc(edits, name,
			func(e edit, name []byte) int { return compareText(e.path.Name, name) })
	}
	for ; i < len(edits); i++ {
		if edits[i].path.Name == string(name) {
			return edits[i : i+sameAttribute(edits[i:])]
		}
		if len(edits) > scanEditsMax {
			break
		}
	}
	return nil
}

// sameAttribute is the number of the edits at the front that belong to one attribute.
func sameAttribute(edits []edit) int {
	n := 1
	for n < len(edits) && edits[n].path.Name == edits[0].path.Name {
		n++
	}
	return n
}

// writeNew writes the attributes that the old row did not have.
func writeNew(b *value.RowBuilder, edits []edit) error {
	for len(edits) > 0 {
		n := sameAttribute(edits)
		if !edits[0].met {
			if err := write(b, nil, edits[:n]); err != nil {
				return err
			}
		}
		edits = edits[n:]
	}
	return nil
}

// write adds an edited attribute, if anything is left of it.
func write(b *value.RowBuilder, old value.Value, edits []edit) error {
	b.Begin(value.ReadOnly(edits[0].path.Name))
	var present bool
	var err error
	b.Buf, present, err = rebuild(b.Buf, old, edits, 0)
	if err != nil || !present {
		return err
	}
	if err := b.End(); !errors.Is(err, value.ErrNesting) {
		return err
	}
	return fault(FaultDepth)
}
