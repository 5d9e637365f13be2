// SPDX-License-Identifier: Apache-2.0

package value

import (
	"bytes"
	"encoding/binary"
	"unsafe"
)

// Names is the dictionary of attribute names of one table. Ids start at 1, are given in order, and never to another
// name. Both methods are called for each attribute, so they should neither lock nor allocate; they keep no hold of
// name. A dictionary that others extend, too, may learn in Name: from then on ID knows all ids up to that one.
type Names interface {
	// ID returns the id of name; ok is false if it has none.
	ID(name []byte) (id uint32, ok bool)
	// Name returns the name of id; ok is false if the id is unknown.
	Name(id uint32) (name string, ok bool)
}

// NoNames is the dictionary that knows no name: rows made with it hold all their names. // immutable
var NoNames Names = noNames{}

type noNames struct{}

func (noNames) ID([]byte) (uint32, bool)   { return 0, false }
func (noNames) Name(uint32) (string, bool) { return "", false }

// Row is a stored item. A nil Row is no item at all; an item without attributes is a Row, too. Its bytes are
//
//	format byte 1
//	uvarint size of the item as DynamoDB counts it
//	uvarint count of attributes
//	attributes with an id, by id:    uvarint id, value
//	attributes without one, by name: 0, uvarint length, name, value
//
// Only names of attributes use the dictionary; those inside of maps stand there in full. Which names have ids is a
// matter of when the row was built, so the same item can be different rows.
type Row []byte

// rowFormat is the first byte of a row.
const rowFormat = 1

// header returns the numbers in front of a row's attributes, and the attributes.
func (r Row) header() (size, count int, attributes []byte, ok bool) {
	if len(r) == 0 || r[0] != rowFormat {
		return 0, 0, nil, false
	}
	itemSize, rest, ok := cutUvarint(r[1:])
	if !ok || itemSize > 1<<40 { // more than any row can hold; Size is an int without overflow
		return 0, 0, nil, false
	}
	n, rest, ok := cutUvarint(rest)
	if !ok || n > uint64(len(rest)) {
		return 0, 0, nil, false
	}
	return int(itemSize), int(n), rest, true
}

// appendRowHeader appends what stands in front of a row's attributes.
func appendRowHeader(dst []byte, size, count int) []byte {
	dst = append(dst, rowFormat)
	dst = binary.AppendUvarint(dst, uint64(size))
	return binary.AppendUvarint(dst, uint64(count))
}

// Size returns the item's size in bytes as DynamoDB counts it: names and values. It takes constant time.
func (r Row) Size() int {
	size, _, _, _ := r.header()
	return size
}

// Len returns the number of attributes. It takes constant time.
func (r Row) Len() int {
	_, count, _, _ := r.header()
	return count
}

// Get returns the attribute called name; ok is false if there is none. names is the dictionary that r was built with,
// or a later one, or one that learns a later one's ids when it is asked for their names. The value aliases r.
func (r Row) Get(names Names, name []byte) (v Value, ok bool) {
	id, known := names.ID(name) // without an id it is 0
	last := uint32(0)
	_, count, rest, _ := r.header()
	for range count {
		var a attribute
		if a, rest, ok = cutAttribute(rest); !ok {
			return nil, false
		}
		if a.id != 0 {
			if last = a.id; a.id == id {
				return a.value, true
			}
		} else if order := bytes.Compare(a.name, name); order == 0 {
			return a.value, true
		} else if order > 0 {
			break
		}
	}
	if known || last == 0 {
		return nil, false
	}
	return r.learn(names, last, name)
}

// learn returns the attribute of a name that had no id, after the dictionary was asked for the row's last id, from
// whose name it may have learned.
func (r Row) learn(names Names, last uint32, name []byte) (v Value, ok bool) {
	names.Name(last)
	id, known := names.ID(name)
	if !known {
		return nil, false
	}
	return r.GetID(id)
}

// LastID returns the greatest id of the row's attributes, 0 if none stands under an id.
func (r Row) LastID() (last uint32) {
	_, count, rest, _ := r.header()
	for range count {
		a, after, ok := cutAttribute(rest)
		if !ok || a.id == 0 {
			return last
		}
		last, rest = a.id, after
	}
	return last
}

// GetID returns the attribute that stands under an id; ok is false if there is none. It does not find one whose name
// had no id yet when r was built: Get does.
func (r Row) GetID(id uint32) (v Value, ok bool) {
	_, count, rest, _ := r.header()
	for range count {
		var a attribute
		if a, rest, ok = cutAttribute(rest); !ok || a.id == 0 || a.id > id {
			return nil, false
		}
		if a.id == id {
			return a.value, true
		}
	}
	return nil, false
}

// attribute is one entry of a row: under an id, or under a name if the id is 0.
type attribute struct {
	id    uint32
	name  []byte
	value Value
}

// cutAttribute takes an attribute off b.
func cutAttribute(b []byte) (a attribute, rest []byte, ok bool) {
	id, rest, ok := cutUvarint(b)
	if !ok || id > 1<<32-1 {
		return a, nil, false
	}
	a.id = uint32(id)
	if id == 0 {
		if a.name, rest, ok = cutString(rest); !ok {
			return a, nil, false
		}
	}
	var err error
	a.value, rest, err = Cut(rest)
	return a, rest, err == nil
}

// Attributes steps over the attributes of a row: those with ids by id, then the others by name. It is used as Elements
// is.
type Attributes struct {
	names   Names
	rest    []byte
	current attribute
	left    int
	err     error
}

// Attributes returns the attributes of r. names is the dictionary that r was built with, or a later one.
func (r Row) Attributes(names Names) Attributes {
	_, count, rest, ok := r.header()
	a := Attributes{names: names, rest: rest, left: count}
	if !ok && len(r) > 0 {
		a.err = ErrMalformed
	}
	return a
}

// Next steps to the next attribute. It returns false after the last and after a fault, which Err tells apart.
func (a *Attributes) Next() bool {
	if !a.NextID() {
		return false
	}
	if a.current.id == 0 {
		return true
	}
	name, ok := a.names.Name(a.current.id)
	if !ok {
		a.left, a.err = 0, ErrUnknownName
		return false
	}
	a.current.name = ReadOnly(name)
	return true
}

// NextID is Next for callers that know the attributes they want by id: the name of an attribute that has one is not
// looked up, and Name is not to be asked.
func (a *Attributes) NextID() bool {
	if a.left <= 0 {
		return false
	}
	a.left--
	if ok := a.cut(); !ok {
		a.left, a.err = 0, ErrMalformed
		return false
	}
	return true
}

// cut takes the next attribute off the rest. Nearly all ids fit a byte.
func (a *Attributes) cut() bool {
	if len(a.rest) > 0 && a.rest[0]-1 < 0x7f {
		a.current.id = uint32(a.rest[0])
		var err error
		a.current.value, a.rest, err = Cut(a.rest[1:])
		return err == nil
	}
	var ok bool
	a.current, a.rest, ok = cutAttribute(a.rest)
	return ok
}

// Name returns the attribute's name. It may alias the dictionary: it must not be written to.
func (a *Attributes) Name() []byte { return a.current.name }

// ID returns the id that the attribute stands under, or 0 if it stands under its name.
func (a *Attributes) ID() uint32 { return a.current.id }

// Value returns the attribute's value, which aliases the row.
func (a *Attributes) Value() Value { return a.current.value }

// Err returns why Next ended early: ErrMalformed, ErrUnknownName, or nil if it did not.
func (a *Attributes) Err() error { return a.err }

// ReadOnly returns the bytes of s without copying them. They must not be written to.
func ReadOnly(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// Validate reports whether r is one well-formed row, its values canonical and its size right. The errors are
// ErrMalformed, ErrNesting, ErrDuplicateName, and ErrUnknownName for an id without a name in names.
func (r Row) Validate(names Names) error {
	size, count, rest, ok := r.header()
	if !ok {
		return ErrMalformed
	}
	var last attribute
	for i := range count {
		var a attribute
		if a, rest, ok = cutAttribute(rest); !ok {
			return ErrMalformed
		}
		if i > 0 && !last.before(a) {
			return ErrMalformed
		}
		if err := a.value.Validate(); err != nil {
			return err
		}
		last = a
		name, err := a.fullName(names)
		if err != nil {
			return err
		}
		size -= len(name) + a.value.Size()
	}
	if len(rest) > 0 || size != 0 {
		return ErrMalformed
	}
	return nil
}

// before reports whether a stands in front of b in a row.
func (a attribute) before(b attribute) bool {
	if a.id == 0 && b.id == 0 {
		return bytes.Compare(a.name, b.name) < 0
	}
	return rank(a.id) < rank(b.id)
}

// rank orders attributes by their id, those without one last.
func rank(id uint32) uint32 { return id - 1 }

// fullName returns the attribute's name, which may alias the dictionary.
func (a attribute) fullName(names Names) ([]byte, error) {
	if a.id == 0 {
		return a.name, nil
	}
	name, ok := names.Name(a.id)
	if !ok {
		return nil, ErrUnknownName
	}
	return ReadOnly(name), nil
}
