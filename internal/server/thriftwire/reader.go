// SPDX-License-Identifier: Apache-2.0

package thriftwire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
)

const (
	depthMax    = 64      // of structures and lists that are passed over
	elementsMax = 1 << 20 // of a list or a map
)

// The faults of messages.
var (
	errShort    = errors.New("the message ends too early")
	errLength   = errors.New("a length is negative or too great")
	errElements = errors.New("a list or map is longer than its message")
	errDepth    = errors.New("its structures lie too deep")
	errVersion  = errors.New("it is of no known version")
	errNumber   = errors.New("a number has too many bytes")
	errType     = errors.New("a value is of no known type")
)

// Reader cuts values off a message. Make one with NewReader or NewStream.
type Reader struct {
	rest      []byte
	err       error
	more      func(rest []byte, n int) ([]byte, error) // nil: all of the message is there
	isCompact bool                                     // it is of the compact protocol
	truth     bool                                     // the value of the compact field of type Bool that was read last
}

// NewReader returns a Reader of a whole message.
func NewReader(p Protocol, message []byte) Reader {
	return Reader{rest: message, isCompact: p == Compact}
}

// NewStream returns a Reader of a message of which nothing is there yet. more returns what is left of the message
// with n bytes or more, or an error that the Reader passes on.
func NewStream(p Protocol, more func(rest []byte, n int) ([]byte, error)) Reader {
	return Reader{more: more, isCompact: p == Compact}
}

// Err returns the first fault of the message.
func (r *Reader) Err() error { return r.err }

// Len returns the number of unread bytes in the buffer.
func (r *Reader) Len() int { return len(r.rest) }

// Fail makes an error that of the message, unless it has one.
func (r *Reader) Fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.rest = nil
}

func (r *Reader) take(n int) []byte {
	if uint(n) > uint(len(r.rest)) && !r.fetch(n) {
		return nil
	}
	taken := r.rest[:n:n]
	r.rest = r.rest[n:]
	return taken
}

// fetch waits until n bytes are there.
func (r *Reader) fetch(n int) bool {
	if r.err != nil || r.more == nil || n < 0 {
		r.Fail(errShort)
		return false
	}
	rest, err := r.more(r.rest, n)
	if err != nil {
		r.Fail(err)
		return false
	}
	r.rest = rest
	return true
}

func (r *Reader) byte() byte {
	if len(r.rest) == 0 && !r.fetch(1) {
		return 0
	}
	b := r.rest[0]
	r.rest = r.rest[1:]
	return b
}

func (r *Reader) uvarint() (n uint64) {
	if len(r.rest) > 0 && r.rest[0] < 0x80 {
		n, r.rest = uint64(r.rest[0]), r.rest[1:]
		return n
	}
	for shift := 0; shift < 64; shift += 7 {
		b := r.byte()
		if n |= uint64(b&0x7f) << shift; b < 0x80 {
			return n
		}
	}
	r.Fail(errNumber)
	return 0
}

func (r *Reader) varint() int64 {
	n := r.uvarint()
	return int64(n>>1) ^ -int64(n&1)
}

func (r *Reader) u16() uint16 {
	if b := r.take(2); b != nil {
		return binary.BigEndian.Uint16(b)
	}
	return 0
}

func (r *Reader) u32() uint32 {
	if b := r.take(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

// length reads the length of a text, a list or a map.
func (r *Reader) length() int {
	n := uint64(0)
	if r.isCompact {
		n = r.uvarint()
	} else {
		n = uint64(r.u32())
	}
	if n > math.MaxInt32 {
		r.Fail(errLength)
		return 0
	}
	return int(n)
}

// Message reads the head of the message.
func (r *Reader) Message() (m Message) {
	if r.isCompact {
		first, head := r.byte(), r.byte()
		if r.err == nil && (first != byte(Compact) || head&compactMask != compactVersion) {
			r.Fail(errVersion)
		}
		m.Kind, m.Seq = Kind(head>>compactShift), int32(r.uvarint())
		m.Name = r.Text()
		return m
	}
	head := r.u32()
	if head <= math.MaxInt32 { // the old form: the length of the name
		m.Name = string(r.take(int(head)))
		m.Kind = Kind(r.byte())
		m.Seq = int32(r.u32())
		return m
	}
	if head&binaryMask != binaryVersion {
		r.Fail(errVersion)
	}
	m.Kind, m.Name = Kind(head), r.Text()
	m.Seq = int32(r.u32())
	return m
}

// Bytes reads bytes or a text. It is never nil without an error.
func (r *Reader) Bytes() []byte {
	const head = 4
	if !r.isCompact && len(r.rest) >= head { // most are of a message that is there
		if n := uint64(binary.BigEndian.Uint32(r.rest)) + head; n <= uint64(len(r.rest)) {
			taken := r.rest[head:n:n]
			r.rest = r.rest[n:]
			return taken
		}
	}
	return r.take(r.length())
}

// Text is Bytes as a string of its own.
func (r *Reader) Text() string { return string(r.Bytes()) }

// Bool reads the value of a field.
func (r *Reader) Bool() bool {
	if r.isCompact {
		return r.truth
	}
	return r.byte() != 0
}

// Byte reads an integer of one byte.
func (r *Reader) Byte() int8 { return int8(r.byte()) }

// I16 reads an integer of two bytes.
func (r *Reader) I16() int16 {
	if r.isCompact {
		return int16(r.varint())
	}
	return int16(r.u16())
}

// I32 reads an integer of four bytes.
func (r *Reader) I32() int32 {
	if r.isCompact {
		return int32(r.varint())
	}
	return int32(r.u32())
}

// I64 reads an integer of eight bytes.
func (r *Reader) I64() int64 {
	if r.isCompact {
		return r.varint()
	}
	if b := r.take(8); b != nil {
		return int64(binary.BigEndian.Uint64(b))
	}
	return 0
}

// List reads the head of a list or a set whose elements must have a type, and returns how many follow.
func (r *Reader) List(of Type) int {
	found, n := r.list()
	if n > 0 && found != of {
		r.Fail(fmt.Errorf("a list has elements of type %d, not %d", found, of))
		return 0
	}
	return n
}

func (r *Reader) list() (of Type, n int) {
	head := r.byte()
	if !r.isCompact {
		return Type(head), r.checked(r.length())
	}
	of = compactTypes[head&0x0f]
	if n = int(head >> 4); n == 15 {
		n = r.length()
	}
	return of, r.checked(n)
}

// Map reads the head of a map whose keys and values must have types, and returns how many pairs follow.
func (r *Reader) Map(key, value Type) int {
	k, v, n := r.pairs()
	if n > 0 && (k != key || v != value) {
		r.Fail(fmt.Errorf("a map is of types %d and %d, not %d and %d", k, v, key, value))
		return 0
	}
	return n
}

func (r *Reader) pairs() (key, value Type, n int) {
	if !r.isCompact {
		key, value = Type(r.byte()), Type(r.byte())
		return key, value, r.checked(r.length())
	}
	if n = r.checked(r.length()); n == 0 {
		return Stop, Stop, 0
	}
	types := r.byte()
	return compactTypes[types>>4], compactTypes[types&0x0f], n
}

// checked compares a number of elements, of which each has a byte at least, with what is left.
func (r *Reader) checked(n int) int {
	if n > elementsMax || r.more == nil && n > len(r.rest) {
		r.Fail(errElements)
	}
	if r.err != nil {
		return 0
	}
	return n
}

// Field is the head of a field. For each structure a new one is handed to Reader.Field or Reader.Next, which fill it
// in.
type Field struct {
	ID   int16
	Type Type
	seen uint32 // the fields so far, as bits, by Next
}

// Field reads the head of the next field. It returns false at the end of the structure, and of a message that is
// broken off.
func (r *Reader) Field(f *Field) bool {
	const most = 3
	if rest := r.rest; !r.isCompact && len(rest) >= most && rest[0] != byte(Stop) { // most are
		f.Type, f.ID = Type(rest[0]), int16(binary.BigEndian.Uint16(rest[1:]))
		r.rest = rest[most:]
		return true
	}
	head := r.byte()
	if head == byte(Stop) {
		return false
	}
	if !r.isCompact {
		f.Type, f.ID = Type(head), int16(r.u16())
		return r.err == nil
	}
	f.Type, r.truth = compactTypes[head&0x0f], head&0x0f == compactTrue
	if step := head >> 4; step != 0 {
		f.ID += int16(step)
	} else { // the number stands by itself
		f.ID = r.I16()
	}
	if f.Type == Stop {
		r.Fail(errType)
	}
	return r.err == nil
}

// Shape says which fields of a structure are read: those of other numbers, or of other types, are passed over.
type Shape struct {
	Name     string
	Types    []Type // by the fields' numbers; Stop: there is none
	Required uint32 // the numbers of those that must be there, as bits
}

// Next reads the heads of fields up to one of the shape. At the end of the structure it returns false, and wants all
// that are required to have been there.
func (r *Reader) Next(f *Field, s *Shape) bool {
	for r.Field(f) {
		if id := uint(f.ID); id < uint(len(s.Types)) && s.Types[id] == f.Type {
			f.seen |= 1 << id
			return true
		}
		r.Skip(*f)
	}
	if missing := s.Required &^ f.seen; missing != 0 {
		r.Fail(fmt.Errorf("%s has no field %d, which is required", s.Name, bits.TrailingZeros32(missing)))
	}
	return false
}

// Skip passes over the value of a field.
func (r *Reader) Skip(f Field) { r.skipField(f, depthMax) }

func (r *Reader) skipField(f Field, depth int) {
	if f.Type == Bool && r.isCompact {
		return // it was in the head
	}
	r.skip(f.Type, depth)
}

// skip passes over a value.
func (r *Reader) skip(t Type, depth int) {
	if depth == 0 {
		r.Fail(errDepth)
		return
	}
	switch t {
	case Bool, Byte:
		r.byte()
	case I16:
		r.I16()
	case I32:
		r.I32()
	case I64:
		r.I64()
	case Double:
		r.take(8)
	case UUID:
		r.take(16)
	case Bytes:
		r.Bytes()
	case Struct:
		for f := (Field{}); r.Field(&f); {
			r.skipField(f, depth-1)
		}
	case List, Set:
		of, n := r.list()
		for ; n > 0 && r.err == nil; n-- {
			r.skip(of, depth-1)
		}
	case Map:
		key, value, n := r.pairs()
		for ; n > 0 && r.err == nil; n-- {
			r.skip(key, depth-1)
			r.skip(value, depth-1)
		}
	default:
		r.Fail(errType)
	}
}

// SkipStruct passes over a structure.
func (r *Reader) SkipStruct() { r.skip(Struct, depthMax) }
