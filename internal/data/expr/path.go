// SPDX-License-Identifier: Apache-2.0

package expr

import (
	"cmp"
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/data/value"
)

// Source is the input of an expression.
type Source struct {
	Row   value.Row   // nil: there is no item
	Names value.Names // the dictionary of the row's attribute names; nil: value.NoNames
}

// Lookup follows the path into the row. The value aliases the row. ok is false, and the value nil, if the path leads
// nowhere.
func (p *Path) Lookup(s Source) (v value.Value, ok bool) {
	if s.Row == nil {
		return nil, false
	}
	if s.Names == nil {
		s.Names = value.NoNames
	}
	v, ok = s.Row.Get(s.Names, value.ReadOnly(p.Name))
	for i := range p.Steps {
		if !ok {
			return nil, false
		}
		v, ok = p.Steps[i].follow(v)
	}
	if !ok {
		return nil, false
	}
	if p.Codec != value.AsIs {
		return p.Codec.Decode(nil, v)
	}
	return v, true
}

func (s *Step) follow(v value.Value) (value.Value, bool) {
	if s.Index >= 0 {
		if v.Kind() != value.List {
			return nil, false
		}
		return v.Index(s.Index)
	}
	if v.Kind() != value.Map {
		return nil, false
	}
	return v.Field(value.ReadOnly(s.Field))
}

// IsTopLevel reports whether the path is just an attribute's name.
func (p *Path) IsTopLevel() bool { return len(p.Steps) == 0 }

// ComparePaths orders paths by attribute, then step by step, indexes before fields. A path stands right before what it
// leads into.
func ComparePaths(a, b *Path) int {
	if c := strings.Compare(a.Name, b.Name); c != 0 {
		return c
	}
	for i := range min(len(a.Steps), len(b.Steps)) {
		if c := compareSteps(a.Steps[i], b.Steps[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a.Steps), len(b.Steps))
}

// SortPaths puts paths into the order of ComparePaths.
func SortPaths(paths []Path) { slices.SortFunc(paths, orderPaths) }

func orderPaths(a, b Path) int { return ComparePaths(&a, &b) }

func compareSteps(a, b Step) int {
	if a.Index < 0 && b.Index < 0 {
		return strings.Compare(a.Field, b.Field)
	}
	if a.Index < 0 || b.Index < 0 {
		return cmp.Compare(b.Index, a.Index) // -1, the field, comes last
	}
	return cmp.Compare(a.Index, b.Index)
}

// Relation is how two paths stand to each other.
type Relation uint8

// The relations of two paths.
const (
	Apart       Relation = iota // each can be written without touching the other
	Overlap                     // they are equal, or one leads into the other
	Conflicting                 // they need the same value to be a map and a list
)

// Relate says how two paths stand to each other.
func Relate(a, b *Path) Relation {
	if a.Name != b.Name {
		return Apart
	}
	for i := range min(len(a.Steps), len(b.Steps)) {
		x, y := a.Steps[i], b.Steps[i]
		if x == y {
			continue
		}
		if (x.Index < 0) != (y.Index < 0) {
			return Conflicting
		}
		return Apart
	}
	return Overlap
}
