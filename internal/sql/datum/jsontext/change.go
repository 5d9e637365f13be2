// SPDX-License-Identifier: Apache-2.0

package jsontext

import (
	"strconv"

	"github.com/weftdb/weft/internal/data/value"
)

// Mode says what Set does where its path leads to a part, and where it leads to none.
type Mode uint8

// The modes.
const (
	Upsert  Mode = iota // JSON_SET: replace, else add
	Insert              // JSON_INSERT: add only
	Replace             // JSON_REPLACE: replace only
	Remove              // JSON_REMOVE: take out
	Extend              // JSON_ARRAY_APPEND: append to the array that is there; a scalar becomes an array
	Before              // JSON_ARRAY_INSERT: shift the element that is there
)

// Change appends v with the part that path leads to changed. with is the new part; Remove has none. The path has no
// wildcards, and is not $ alone for Remove. Where there is nothing to change, v is appended as it is. Errors are of
// documents that nest too deep.
func Change(dst []byte, v value.Value, path Path, mode Mode, with value.Value) ([]byte, error) {
	c := changer{mode: mode, with: with}
	return c.change(dst, v, path.legs)
}

// IsRoot says that the path is $.
func (p *Path) IsRoot() bool { return len(p.legs) == 0 }

// EndsInElement says that the last step of the path is one element of an array.
func (p *Path) EndsInElement() bool {
	return len(p.legs) > 0 && p.legs[len(p.legs)-1].kind == element
}

type changer struct {
	mode Mode
	with value.Value
}

// change appends v, changed where legs lead to.
func (c *changer) change(dst []byte, v value.Value, legs []leg) ([]byte, error) {
	if len(legs) == 0 {
		return c.appendReplacement(dst, v)
	}
	l := &legs[0]
	switch {
	case l.kind == member && v.Kind() == value.Map:
		return c.object(dst, v, l.name, legs[1:])
	case l.kind != element:
		return append(dst, v...), nil
	case isArray(v.Kind()):
		return c.array(dst, v, legs)
	}
	return c.scalar(dst, v, legs)
}

// appendReplacement appends what takes the place of a part that was found.
func (c *changer) appendReplacement(dst []byte, v value.Value) ([]byte, error) {
	switch c.mode {
	case Upsert, Replace:
		return append(dst, c.with...), nil
	case Extend:
		start := len(dst)
		dst = value.BeginList(dst)
		if isArray(v.Kind()) {
			dst = appendElements(dst, v)
		} else {
			dst = append(dst, v...)
		}
		return value.EndList(append(dst, c.with...), start)
	}
	return append(dst, v...), nil
}

func appendElements(dst []byte, v value.Value) []byte {
	for e := v.Elements(); e.Next(); {
		dst = append(dst, e.Value()...)
	}
	return dst
}

func (c *changer) object(dst []byte, v value.Value, name string, rest []leg) ([]byte, error) {
	start := len(dst)
	dst = value.BeginMap(dst)
	found := false
	for e := v.Elements(); e.Next(); {
		if string(e.Name()) != name {
			dst = append(value.AppendName(dst, e.Name()), e.Value()...)
			continue
		}
		found = true
		if c.mode == Remove && len(rest) == 0 {
			continue
		}
		var err error
		if dst, err = c.change(value.AppendName(dst, e.Name()), e.Value(), rest); err != nil {
			return dst, err
		}
	}
	if !found && len(rest) == 0 && (c.mode == Upsert || c.mode == Insert) {
		dst = append(value.AppendName(dst, []byte(name)), c.with...)
	}
	return value.EndMap(dst, start)
}

func (c *changer) array(dst []byte, v value.Value, legs []leg) ([]byte, error) {
	size, rest := v.Len(), legs[1:]
	at := legs[0].from
	if at < 0 {
		at += size
	}
	start := len(dst)
	dst = value.BeginList(dst)
	last := len(rest) == 0
	if at < 0 && last && (c.mode == Before || c.mode == Upsert || c.mode == Insert) {
		dst = append(dst, c.with...)
	}
	i := 0
	for e := v.Elements(); e.Next(); i++ {
		var err error
		switch {
		case i != at || c.mode == Remove && last:
			if i != at {
				dst = append(dst, e.Value()...)
			}
		case c.mode == Before && last:
			dst = append(append(dst, c.with...), e.Value()...)
		default:
			if dst, err = c.change(dst, e.Value(), rest); err != nil {
				return dst, err
			}
		}
	}
	if at >= size && last && (c.mode == Before || c.mode == Upsert || c.mode == Insert) {
		dst = append(dst, c.with...)
	}
	return value.EndList(dst, start)
}

// scalar treats what is no array as an array of itself: place 0 is the value, and a place behind it makes an array of
// it.
func (c *changer) scalar(dst []byte, v value.Value, legs []leg) ([]byte, error) {
	at := legs[0].from
	if at == 0 || at == -1 {
		if c.mode == Remove && len(legs) == 1 || c.mode == Before {
			return append(dst, v...), nil
		}
		return c.change(dst, v, legs[1:])
	}
	if len(legs) > 1 || c.mode != Upsert && c.mode != Insert {
		return append(dst, v...), nil
	}
	start := len(dst)
	dst = value.BeginList(dst)
	if at > 0 {
		dst = append(append(dst, v...), c.with...)
	} else {
		dst = append(append(dst, c.with...), v...)
	}
	return value.EndList(dst, start)
}

// AppendPatched appends v with patch merged into it, as RFC 7396 has it: null takes members out.
func AppendPatched(dst []byte, v, patch value.Value) ([]byte, error) {
	if patch.Kind() != value.Map {
		return append(dst, patch...), nil
	}
	start := len(dst)
	dst = value.BeginMap(dst)
	var err error
	if v.Kind() == value.Map {
		for e := v.Elements(); e.Next(); {
			if _, changed := patch.Field(e.Name()); !changed {
				dst = append(value.AppendName(dst, e.Name()), e.Value()...)
			}
		}
	}
	for e := patch.Elements(); e.Next(); {
		if e.Value().Kind() == value.Null {
			continue
		}
		var old value.Value
		if v.Kind() == value.Map {
			old, _ = v.Field(e.Name())
		}
		if dst, err = AppendPatched(value.AppendName(dst, e.Name()), old, e.Value()); err != nil {
			return dst, err
		}
	}
	return value.EndMap(dst, start)
}

// AppendMerged appends v and w merged: arrays follow each other, objects share their members, whose values are merged;
// all else is an array of itself.
func AppendMerged(dst []byte, v, w value.Value) ([]byte, error) {
	start := len(dst)
	if v.Kind() != value.Map || w.Kind() != value.Map {
		dst = value.BeginList(dst)
		for _, part := range []value.Value{v, w} {
			if isArray(part.Kind()) {
				dst = appendElements(dst, part)
			} else {
				dst = append(dst, part...)
			}
		}
		return value.EndList(dst, start)
	}
	dst = value.BeginMap(dst)
	var err error
	for e := v.Elements(); e.Next(); {
		dst = value.AppendName(dst, e.Name())
		if other, both := w.Field(e.Name()); !both {
			dst = append(dst, e.Value()...)
		} else if dst, err = AppendMerged(dst, e.Value(), other); err != nil {
			return dst, err
		}
	}
	for e := w.Elements(); e.Next(); {
		if _, both := v.Field(e.Name()); !both {
			dst = append(value.AppendName(dst, e.Name()), e.Value()...)
		}
	}
	return value.EndMap(dst, start)
}

// Contains reports whether v holds w, as JSON_CONTAINS has it: an array holds each element of another, or a scalar that
// is one of its elements; an object holds another's members with values that hold theirs; scalars hold their equals.
func Contains(v, w value.Value) bool {
	switch {
	case isArray(v.Kind()):
		if !isArray(w.Kind()) {
			return anyElement(v, w)
		}
		for e := w.Elements(); e.Next(); {
			if !anyElement(v, e.Value()) {
				return false
			}
		}
		return true
	case v.Kind() == value.Map && w.Kind() == value.Map:
		for e := w.Elements(); e.Next(); {
			if held, ok := v.Field(e.Name()); !ok || !Contains(held, e.Value()) {
				return false
			}
		}
		return true
	}
	return Compare(v, w) == 0
}

func anyElement(v, w value.Value) bool {
	for e := v.Elements(); e.Next(); {
		if Contains(e.Value(), w) {
			return true
		}
	}
	return false
}

// Overlaps reports whether two arrays share an element, two objects a member, or two scalars are equal. A scalar and an
// array compare as arrays.
func Overlaps(v, w value.Value) bool {
	if isArray(w.Kind()) && !isArray(v.Kind()) {
		v, w = w, v
	}
	switch {
	case isArray(v.Kind()) && isArray(w.Kind()):
		for e := w.Elements(); e.Next(); {
			if equalElement(v, e.Value()) {
				return true
			}
		}
		return false
	case isArray(v.Kind()):
		return equalElement(v, w)
	case v.Kind() == value.Map && w.Kind() == value.Map:
		for e := w.Elements(); e.Next(); {
			if held, ok := v.Field(e.Name()); ok && Compare(held, e.Value()) == 0 {
				return true
			}
		}
		return false
	}
	return Compare(v, w) == 0
}

func equalElement(v, w value.Value) bool {
	for e := v.Elements(); e.Next(); {
		if Compare(e.Value(), w) == 0 {
			return true
		}
	}
	return false
}

// Strings calls visit for each string in v with the path that leads to it, until visit returns false.
func Strings(v value.Value, visit func(path string, text []byte) bool) { stringsBelow(v, "$", visit) }

func stringsBelow(v value.Value, path string, visit func(string, []byte) bool) (more bool) {
	if v.Kind() == value.String {
		return visit(path, v.Bytes())
	}
	i := 0
	for e := v.Elements(); e.Next(); i++ {
		step := "[" + strconv.Itoa(i) + "]"
		if name := e.Name(); name != nil {
			step = "." + memberName(name)
		}
		if !stringsBelow(e.Value(), path+step, visit) {
			return false
		}
	}
	return true
}

// memberName is a name as a path has it, in quotes where it is no identifier.
func memberName(name []byte) string {
	plain := len(name) > 0 && name[0]-'0' > 9
	for _, c := range name {
		plain = plain && (isNameByte(c) && c != '-' || c >= 0x80)
	}
	if plain {
		return string(name)
	}
	return string(AppendString(nil, name))
}
