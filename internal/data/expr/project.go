// SPDX-License-Identifier: Apache-2.0

package expr

import (
	"slices"

	"github.com/weftdb/weft/internal/data/value"
)

// Project adds to b what the paths lead to, in documents that hold nothing else: elements of lists close up in their
// order, and a document of which nothing is found is left out. It does not Reset b. Paths in the order of ComparePaths
// are the quickest. The errors are b's.
func Project(paths []Path, s Source, b *value.RowBuilder) error {
	if s.Row == nil {
		return nil
	}
	if !slices.IsSortedFunc(paths, orderPaths) {
		paths = slices.Clone(paths)
		SortPaths(paths)
	}
	for len(paths) > 0 {
		n := 1
		for n < len(paths) && paths[n].Name == paths[0].Name {
			n++
		}
		if err := projectAttribute(paths[:n], s, b); err != nil {
			return err
		}
		paths = paths[n:]
	}
	return nil
}

func projectAttribute(paths []Path, s Source, b *value.RowBuilder) error {
	attribute := Path{Name: paths[0].Name}
	v, ok := attribute.Lookup(s)
	if !ok {
		return nil
	}
	b.Begin(value.ReadOnly(attribute.Name))
	if b.Buf, ok = project(b.Buf, v, paths, 0); !ok {
		return nil
	}
	return b.End()
}

// project appends the parts of v that the paths lead to, all of which share their first depth steps, the way to v. It
// appends nothing if there are none.
func project(dst []byte, v value.Value, paths []Path, depth int) (grown []byte, found bool) {
	if len(paths[0].Steps) == depth {
		return append(dst, v...), true
	}
	start := len(dst)
	switch v.Kind() {
	case value.Map:
		dst, found = projectFields(value.BeginMap(dst), v, paths, depth)
	case value.List:
		dst, found = projectElements(value.BeginList(dst), v, paths, depth)
	}
	if !found {
		return dst[:start], false
	}
	var err error
	if v.Kind() == value.Map {
		dst, err = value.EndMap(dst, start)
	} else {
		dst, err = value.EndList(dst, start)
	}
	if err != nil { // can't be: the parts were cut from a document
		return dst[:start], false
	}
	return dst, true
}

// sharedStep is the number of the paths at the front that share the step at depth.
func sharedStep(paths []Path, depth int) int {
	n := 1
	for n < len(paths) && paths[n].Steps[depth] == paths[0].Steps[depth] {
		n++
	}
	return n
}

// projectFields appends entries of a map. Paths that expect a list there come first and are passed over.
func projectFields(dst []byte, v value.Value, paths []Path, depth int) (grown []byte, found bool) {
	for e := v.Elements(); e.Next(); {
		for len(paths) > 0 && (paths[0].Steps[depth].Index >= 0 ||
			compareText(paths[0].Steps[depth].Field, e.Name()) < 0) {
			paths = paths[1:]
		}
		if len(paths) == 0 {
			break
		}
		if paths[0].Steps[depth].Field != string(e.Name()) {
			continue
		}
		start, ok := len(dst), false
		dst = value.AppendName(dst, e.Name())
		if dst, ok = project(dst, e.Value(), paths[:sharedStep(paths, depth)], depth+1); ok {
			found = true
		} else {
			dst = dst[:start]
		}
	}
	return dst, found
}

func projectElements(dst []byte, v value.Value, paths []Path, depth int) (grown []byte, found bool) {
	index := 0
	for e := v.Elements(); e.Next(); index++ {
		for len(paths) > 0 && paths[0].Steps[depth].Index >= 0 && paths[0].Steps[depth].Index < index {
			paths = paths[1:]
		}
		if len(paths) == 0 || paths[0].Steps[depth].Index < 0 {
			break
		}
		if paths[0].Steps[depth].Index != index {
			continue
		}
		ok := false
		if dst, ok = project(dst, e.Value(), paths[:sharedStep(paths, depth)], depth+1); ok {
			found = true
		}
	}
	return dst, found
}
