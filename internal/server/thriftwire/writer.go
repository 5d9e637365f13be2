// SPDX-License-Identifier: Apache-2.0

package thriftwire

import (
	"encoding/binary"
	"slices"
)

// Writer appends values to messages. The zero value is empty, and of the binary protocol.
type Writer struct {
	bytes     []byte
	isCompact bool  // of the compact protocol
	last      int16 // the number of the field before in the structure that is open; the compact protocol counts from it
}

// NewWriter returns an empty Writer of a protocol.
func NewWriter(p Protocol) *Writer { return &Writer{isCompact: p == Compact} }

// SetProtocol sets the protocol of the following messages.
func (w *Writer) SetProtocol(p Protocol) { w.isCompact, w.last = p == Compact, 0 }

// Bytes returns what was written, which the next call may change.
func (w *Writer) Bytes() []byte { return w.bytes }

// Len returns how many bytes were written.
func (w *Writer) Len() int { return len(w.bytes) }

// Cap returns for how many bytes there is room.
func (w *Writer) Cap() int { return cap(w.bytes) }

// Grow makes room for n more bytes.
func (w *Writer) Grow(n int) { w.bytes = slices.Grow(w.bytes, n) }

// Truncate takes back all but the first n bytes, and closes all structures.
func (w *Writer) Truncate(n int) { w.bytes, w.last = w.bytes[:n], 0 }

// frameBytes is the length of the head of a frame, which is the length of the rest.
const frameBytes = 4

// OpenFrame begins a frame, and returns where.
func (w *Writer) OpenFrame() (begin int) {
	w.bytes = append(w.bytes, 0, 0, 0, 0)
	return len(w.bytes) - frameBytes
}

// CloseFrame ends the frame that begins somewhere.
func (w *Writer) CloseFrame(begin int) {
	binary.BigEndian.PutUint32(w.bytes[begin:], uint32(len(w.bytes)-begin-frameBytes))
}

// Message begins a message. A structure follows it.
func (w *Writer) Message(m Message) {
	if w.isCompact {
		w.bytes = append(w.bytes, byte(Compact), compactVersion|byte(m.Kind)<<compactShift)
		w.bytes = binary.AppendUvarint(w.bytes, uint64(uint32(m.Seq)))
		w.PutText(m.Name)
		return
	}
	w.bytes = binary.BigEndian.AppendUint32(w.bytes, binaryVersion|uint32(m.Kind))
	w.PutText(m.Name)
	w.bytes = binary.BigEndian.AppendUint32(w.bytes, uint32(m.Seq))
}

// Open begins a structure. Its result is for Close.
func (w *Writer) Open() (outer int16) {
	outer, w.last = w.last, 0
	return outer
}

// Close ends a structure.
func (w *Writer) Close(outer int16) {
	w.bytes, w.last = append(w.bytes, byte(Stop)), outer
}

// Field writes the head of a field. Its value follows.
func (w *Writer) Field(t Type, id int16) {
	if w.isCompact {
		w.compactField(compactNumbers[t], id)
		return
	}
	w.bytes = append(w.bytes, byte(t), byte(id>>8), byte(id))
}

func (w *Writer) compactField(number byte, id int16) {
	const stepMax = 15
	if step := int(id) - int(w.last); step > 0 && step <= stepMax {
		w.bytes = append(w.bytes, byte(step)<<4|number)
	} else {
		w.bytes = binary.AppendVarint(append(w.bytes, number), int64(id))
	}
	w.last = id
}

// Bool writes a field.
func (w *Writer) Bool(id int16, v bool) {
	if !w.isCompact {
		w.Field(Bool, id)
		w.PutBool(v)
		return
	}
	number := byte(compactFalse)
	if v {
		number = compactTrue
	}
	w.compactField(number, id)
}

// Byte writes a field.
func (w *Writer) Byte(id int16, v int8) {
	w.Field(Byte, id)
	w.bytes = append(w.bytes, byte(v))
}

// I16 writes a field.
func (w *Writer) I16(id, v int16) {
	w.Field(I16, id)
	if w.isCompact {
		w.bytes = binary.AppendVarint(w.bytes, int64(v))
		return
	}
	w.bytes = binary.BigEndian.AppendUint16(w.bytes, uint16(v))
}

// I32 writes a field.
func (w *Writer) I32(id int16, v int32) {
	w.Field(I32, id)
	w.PutI32(v)
}

// I64 writes a field.
func (w *Writer) I64(id int16, v int64) {
	if w.isCompact {
		w.Field(I64, id)
		w.bytes = binary.AppendVarint(w.bytes, v)
		return
	}
	w.bytes = AppendI64(w.bytes, id, v)
}

// AppendBinary appends a field in the binary protocol, for writers of many; see Writer.Extend.
func AppendBinary(dst []byte, id int16, v []byte) []byte {
	dst = append(dst, byte(Bytes), byte(id>>8), byte(id))
	return append(binary.BigEndian.AppendUint32(dst, uint32(len(v))), v...)
}

// AppendI64 does the same.
func AppendI64(dst []byte, id int16, v int64) []byte {
	return binary.BigEndian.AppendUint64(append(dst, byte(I64), byte(id>>8), byte(id)), uint64(v))
}

// AppendCompactBinary is AppendBinary in the compact protocol. step is the distance of the field's number from the one
// before, up to 15.
func AppendCompactBinary(dst []byte, step byte, v []byte) []byte {
	return append(binary.AppendUvarint(append(dst, step<<4|compactBytes), uint64(len(v))), v...)
}

// AppendCompactI64 does the same.
func AppendCompactI64(dst []byte, step byte, v int64) []byte {
	return binary.AppendVarint(append(dst, step<<4|compactI64), v)
}

// Extend appends by one of two functions: the one for the Writer's protocol.
func (w *Writer) Extend(inBinary, inCompact func(dst []byte) []byte) {
	if w.isCompact {
		w.bytes = inCompact(w.bytes)
		return
	}
	w.bytes = inBinary(w.bytes)
}

// Binary writes a field.
func (w *Writer) Binary(id int16, v []byte) {
	if w.isCompact {
		w.Field(Bytes, id)
		w.PutBytes(v)
		return
	}
	w.bytes = AppendBinary(w.bytes, id, v)
}

// Text writes a field.
func (w *Writer) Text(id int16, v string) {
	w.Field(Bytes, id)
	w.PutText(v)
}

// List writes the head of a field that is a list. n elements follow.
func (w *Writer) List(id int16, of Type, n int) {
	const short = 15
	w.Field(List, id)
	switch {
	case !w.isCompact:
		w.bytes = binary.BigEndian.AppendUint32(append(w.bytes, byte(of)), uint32(n))
	case n < short:
		w.bytes = append(w.bytes, byte(n)<<4|compactNumbers[of])
	default:
		w.bytes = binary.AppendUvarint(append(w.bytes, short<<4|compactNumbers[of]), uint64(n))
	}
}

// Map writes the head of a field that is a map. n pairs of a key and a value follow.
func (w *Writer) Map(id int16, key, value Type, n int) {
	w.Field(Map, id)
	switch {
	case !w.isCompact:
		w.bytes = binary.BigEndian.AppendUint32(append(w.bytes, byte(key), byte(value)), uint32(n))
	case n == 0:
		w.bytes = append(w.bytes, 0)
	default:
		w.bytes = append(binary.AppendUvarint(w.bytes, uint64(n)), compactNumbers[key]<<4|compactNumbers[value])
	}
}

// Struct begins a field that is a structure, as Open does.
func (w *Writer) Struct(id int16) (outer int16) {
	w.Field(Struct, id)
	return w.Open()
}

// PutBool writes an element.
func (w *Writer) PutBool(v bool) {
	b := byte(0)
	switch {
	case v:
		b = 1
	case w.isCompact:
		b = compactFalse
	}
	w.bytes = append(w.bytes, b)
}

// PutI32 writes an element.
func (w *Writer) PutI32(v int32) {
	if w.isCompact {
		w.bytes = binary.AppendVarint(w.bytes, int64(v))
		return
	}
	w.bytes = binary.BigEndian.AppendUint32(w.bytes, uint32(v))
}

// PutBytes writes an element.
func (w *Writer) PutBytes(v []byte) {
	w.putLength(len(v))
	w.bytes = append(w.bytes, v...)
}

// PutText writes an element.
func (w *Writer) PutText(v string) {
	w.putLength(len(v))
	w.bytes = append(w.bytes, v...)
}

func (w *Writer) putLength(n int) {
	if w.isCompact {
		w.bytes = binary.AppendUvarint(w.bytes, uint64(n))
		return
	}
	w.bytes = binary.BigEndian.AppendUint32(w.bytes, uint32(n))
}
