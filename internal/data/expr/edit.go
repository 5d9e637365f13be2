// SPDX-License-Identifier: Apache-2.0

package expr

import (
	"bytes"

	"github.com/weftdb/weft/internal/data/value"
)

// compareText compares a text with bytes.
func compareText(text string, b []byte) int { return bytes.Compare(value.ReadOnly(text), b) }

// rebuild appends what becomes of old, which the first depth steps of the edits' paths led to. present is false if
// nothing does; then dst may have grown nevertheless, and its new part is to be dropped. A nil old is a value that is
// not there.
func rebuild(dst []byte, old value.Value, edits []edit, depth int) (grown []byte, present bool, err error) {
	first := &edits[0]
	if len(first.path.Steps) == depth {
		if len(edits) > 1 {
			return dst, false, fault(FaultInvalidPath)
		}
		return first.apply(dst, old)
	}
	field := first.path.Steps[depth].Index < 0
	if last := &edits[len(edits)-1]; (last.path.Steps[depth].Index < 0) != field {
		return dst, false, fault(FaultInvalidPath)
	}
	start := len(dst)
	switch {
	case field && old.Kind() == value.Map:
		if dst, err = rebuildFields(value.BeginMap(dst), old, edits, depth); err == nil {
			dst, err = value.EndMap(dst, start)
		}
	case !field && old.Kind() == value.List:
		if dst, err = rebuildElements(value.BeginList(dst), old, edits, depth); err == nil {
			dst, err = value.EndList(dst, start)
		}
	default:
		err = fault(FaultInvalidPath)
	}
	return dst, true, err
}

// sameStep is the number of the edits at the front that share the step at depth.
func sameStep(edits []edit, depth int) int {
	n := 1
	for n < len(edits) && edits[n].path.Steps[depth] == edits[0].path.Steps[depth] {
		n++
	}
	return n
}

// rebuildFields appends the entries of a map. Entries and edits come in the same order.
func rebuildFields(dst []byte, old value.Value, edits []edit, depth int) ([]byte, error) {
	var err error
	for e := old.Elements(); e.Next(); {
		for len(edits) > 0 && compareText(edits[0].path.Steps[depth].Field, e.Name()) < 0 {
			n := sameStep(edits, depth)
			if dst, err = rebuildField(dst, nil, edits[:n], depth); err != nil {
				return dst, err
			}
			edits = edits[n:]
		}
		if len(edits) == 0 || edits[0].path.Steps[depth].Field != string(e.Name()) {
			dst = append(value.AppendName(dst, e.Name()), e.Value()...)
			continue
		}
		n := sameStep(edits, depth)
		if dst, err = rebuildField(dst, e.Value(), edits[:n], depth); err != nil {
			return dst, err
		}
		edits = edits[n:]
	}
	for len(edits) > 0 {
		n := sameStep(edits, depth)
		if dst, err = rebuildField(dst, nil, edits[:n], depth); err != nil {
			return dst, err
		}
		edits = edits[n:]
	}
	return dst, nil
}

func rebuildField(dst []byte, old value.Value, edits []edit, depth int) ([]byte, error) {
	start := len(dst)
	dst = value.AppendName(dst, value.ReadOnly(edits[0].path.Steps[depth].Field))
	dst, present, err := rebuild(dst, old, edits, depth+1)
	if !present {
		dst = dst[:start]
	}
	return dst, err
}

// rebuildElements appends the elements of a list: removed ones are left out, and new ones, whatever their indexes,
// follow the last in the indexes' order.
func rebuildElements(dst []byte, old value.Value, edits []edit, depth int) ([]byte, error) {
	var err error
	index := 0
	for e := old.Elements(); e.Next(); index++ {
		if len(edits) == 0 || edits[0].path.Steps[depth].Index != index {
			dst = append(dst, e.Value()...)
			continue
		}
		n := sameStep(edits, depth)
		if dst, err = rebuildElement(dst, e.Value(), edits[:n], depth); err != nil {
			return dst, err
		}
		edits = edits[n:]
	}
	for len(edits) > 0 {
		n := sameStep(edits, depth)
		if dst, err = rebuildElement(dst, nil, edits[:n], depth); err != nil {
			return dst, err
		}
		edits = edits[n:]
	}
	return dst, nil
}

func rebuildElement(dst []byte, old value.Value, edits []edit, depth int) ([]byte, error) {
	start := len(dst)
	dst, present, err := rebuild(dst, old, edits, depth+1)
	if !present {
		dst = dst[:start]
	}
	return dst, err
}

// apply appends what the edit makes of the value at the end of its path.
func (e *edit) apply(dst []byte, old value.Value) (grown []byte, present bool, err error) {
	switch e.verb {
	case verbSet:
		return append(dst, e.value...), true, nil
	case verbRemove:
		return dst, false, nil
	case verbAdd:
		dst, err = appendSum(dst, old, e.value)
		return dst, true, err
	}
	if old.IsMissing() {
		return dst, false, nil
	}
	if !old.Kind().IsSet() || old.Kind() != e.value.Kind() {
		return dst, false, fault(FaultOperandType)
	}
	start := len(dst)
	dst = value.Difference(dst, old, e.value)
	return dst, len(dst) > start, nil
}

// appendSum appends the sum of two numbers or the union of two sets.
func appendSum(dst []byte, old, more value.Value) ([]byte, error) {
	kind := more.Kind()
	switch {
	case !kind.IsNumeric() && !kind.IsSet():
		return dst, fault(FaultOperandType)
	case old.IsMissing():
		return append(dst, more...), nil
	case kind.IsNumeric():
		return appendArithmetic(dst, Plus, old, more)
	case old.Kind() == kind:
		return value.Union(dst, old, more), nil
	}
	return dst, fault(FaultOperandType)
}
