// SPDX-License-Identifier: Apache-2.0

package thriftwire

// Protocol is one of Thrift's protocols, by the byte with which its messages begin.
type Protocol byte

// The protocols. Messages of the binary protocol's old form, without a version, begin with the length of a name; they
// are read, and never written.
const (
	Binary  Protocol = 0x80
	Compact Protocol = 0x82
)

// ProtocolOf returns the protocol of a message that begins with a byte.
func ProtocolOf(first byte) Protocol {
	if first == byte(Compact) {
		return Compact
	}
	return Binary
}

// Type is the type of a value, by its number in the binary protocol.
type Type byte

// The types. Bytes are texts, too.
const (
	Stop   Type = 0 // the end of a structure
	Bool   Type = 2
	Byte   Type = 3
	Double Type = 4
	I16    Type = 6
	I32    Type = 8
	I64    Type = 10
	Bytes  Type = 11
	Struct Type = 12
	Map    Type = 13
	Set    Type = 14
	List   Type = 15
	UUID   Type = 16
)

// Numbers of types in the compact protocol. Those of truth values are their values, too, and as elements they are
// nothing else.
const (
	compactTrue  = 1
	compactFalse = 2
	compactI64   = 6
	compactBytes = 8
)

// compactTypes are the types by their numbers in the compact protocol. immutable
var compactTypes = [16]Type{
	compactTrue: Bool, compactFalse: Bool, 3: Byte, 4: I16, 5: I32, compactI64: I64, 7: Double, compactBytes: Bytes,
	9: List, 10: Set, 11: Map, 12: Struct, 13: UUID,
}

// compactNumbers are the numbers in the compact protocol, by type. immutable
var compactNumbers = [17]byte{
	Bool: compactTrue, Byte: 3, I16: 4, I32: 5, I64: compactI64, Double: 7, Bytes: compactBytes, List: 9, Set: 10,
	Map: 11, Struct: 12, UUID: 13,
}

// Kind is the kind of a message.
type Kind byte

// The kinds.
const (
	Call Kind = 1 + iota
	Reply
	Exception
	OneWay // a call that wants no reply
)

// Message is the head of a message.
type Message struct {
	Name string // of the call
	Kind Kind
	Seq  int32 // the client's number of the call
}

// The head of a strict message of the binary protocol is binaryVersion with its kind; that of the compact one is its
// version in the low bits of a byte.
const (
	binaryVersion  = 0x80010000
	binaryMask     = 0xffff0000
	compactVersion = 1
	compactMask    = 0x1f
	compactShift   = 5 // of the kind
)
