// SPDX-License-Identifier: Apache-2.0

package codec

import "math"

// Kind is a type word of the grammar. Its numbers are stored: they never change.
type Kind uint8

// The kinds, in groups: integers, floats, exact numbers, others. See the package's doc for their codes.
const (
	U8        Kind = 1
	U16       Kind = 2
	U32       Kind = 3
	U64       Kind = 4
	I8        Kind = 5
	I16       Kind = 6
	I32       Kind = 7
	I64       Kind = 8
	F32       Kind = 9
	F64       Kind = 10
	Decimal   Kind = 11 // the word is number
	Boolean   Kind = 12 // the word is bool
	Timestamp Kind = 13
	Latitude  Kind = 14 // the word is lat
	Longitude Kind = 15 // the word is lon
	Linear    Kind = 16
	ISO8601   Kind = 17
	UTF8      Kind = 18 // the word is text
	Bytes     Kind = 19 // the word is binary
	NFC       Kind = 20
	Raw       Kind = 21

	kindCount = 22
)

// kinds names each kind and gives the width of its full code; 0 is 8 bits for each of Type.Bytes. // immutable
var kinds = [kindCount]struct {
	word string
	bits int
}{
	U8: {"u8", 8}, U16: {"u16", 16}, U32: {"u32", 32}, U64: {"u64", 64},
	I8: {"i8", 8}, I16: {"i16", 16}, I32: {"i32", 32}, I64: {"i64", 64},
	F32: {"f32", 32}, F64: {"f64", 64}, Decimal: {"number", numberBits}, Boolean: {"bool", 1},
	Timestamp: {"timestamp", 64}, Latitude: {"lat", 64}, Longitude: {"lon", 64}, Linear: {"linear", 64},
	ISO8601: {"iso8601", 64},
	UTF8:    {"text", 0}, Bytes: {"binary", 0}, NFC: {"nfc", 0}, Raw: {"raw", 0},
}

// String returns the word of the grammar.
func (k Kind) String() string {
	if k == 0 || k >= kindCount {
		return "unknown"
	}
	return kinds[k].word
}

// isBytes is true for kinds that take Type.Bytes.
func (k Kind) isBytes() bool { return k >= UTF8 && k <= Raw }

// Unit is the unit of a time that is stored as a number. Units are stored by number, so their numbers never change.
type Unit uint8

// The units of time.
const (
	Second      Unit = 1
	Millisecond Unit = 2
	Microsecond Unit = 3
	Nanosecond  Unit = 4

	unitCount = 5
)

// unitWords are the words of the grammar. // immutable
var unitWords = [unitCount]string{Second: "s", Millisecond: "ms", Microsecond: "us", Nanosecond: "ns"}

// unitsPerSecond counts them. // immutable
var unitsPerSecond = [unitCount]int64{Second: 1, Millisecond: 1e3, Microsecond: 1e6, Nanosecond: 1e9}

// String returns the word of the grammar.
func (u Unit) String() string {
	if u == 0 || u >= unitCount {
		return "unknown"
	}
	return unitWords[u]
}

// Order is a comparison of values. A codec's codes are monotone in one, and may be used only for predicates in that
// one.
type Order uint8

// The comparisons.
const (
	OrderNumber  Order = 1 // numbers of all kinds by value; NaN last, -0 = 0
	OrderBool    Order = 2 // false, true
	OrderBytes   Order = 3 // byte strings, and texts by their UTF-8 bytes
	OrderInstant Order = 4 // ISO 8601 texts by their first instants, to the nanosecond; see ParseInstant
	OrderNFC     Order = 5 // texts by the bytes of their normal forms; see Normal
)

// Choice is how codes are made.
type Choice uint8

// The choices. The zero Choice leaves it to whoever makes the codec; New takes it as ChoiceRaw.
const (
	ChoiceRaw      Choice = 1 // codec=raw: from the value alone
	ChoiceQuantile Choice = 2 // codec=quantile: from its place in a sample
)

// Nulls says where missing values go.
type Nulls uint8

// Where missing values go.
const (
	NullsSkip  Nulls = 0 // there is no code: rows without a value are not in the index
	NullsFirst Nulls = 1 // nulls=first: code 0, which no value has
)

// BytesMax is the largest n of text[n], binary[n], nfc[n] and raw[n]: 1,024 bits.
const BytesMax = 128

// zoneMax is the largest offset from UTC, in minutes.
const zoneMax = 23*60 + 59

// Type is a kind with its parameters. Parameters that the kind does not take are zero.
type Type struct {
	Kind  Kind
	Bytes int     // of text, binary, nfc, raw: 1..BytesMax; 0, the whole string, only with codec=quantile
	Unit  Unit    // of timestamp and iso8601
	Zone  int     // of iso8601: of times without a zone, minutes east of UTC
	Min   float64 // of linear: the first value of the first code; values below are clamped
	Max   float64 // of linear: values from here on have the last code
}

// Attribute declares the codec of one attribute.
type Attribute struct {
	Name  string
	Type  Type
	Bits  int // 0 is the full width, and for codec=quantile QuantileBits
	Codec Choice
	Nulls Nulls
}

// QuantileBits is the width of quantile codes whose Bits are not given. With 16 bits a query seldom fetches a row in
// vain.
const QuantileBits = 16

// BitsRange returns the least and the largest Bits that a may have.
func (a Attribute) BitsRange() (least, most int) {
	most = 64
	if a.Codec != ChoiceQuantile {
		if most = kinds[a.Type.Kind%kindCount].bits; most == 0 {
			most = 8 * a.Type.Bytes
		}
	}
	if a.Nulls == NullsFirst {
		return 2, max(most, 2)
	}
	return 1, most
}

// width returns Bits, or what stands for 0.
func (a Attribute) width() int {
	if a.Bits != 0 {
		return a.Bits
	}
	if a.Codec == ChoiceQuantile {
		return QuantileBits
	}
	_, most := a.BitsRange()
	return most
}

// Validate returns an *AttributeError that says what to write instead, or nil.
func (a Attribute) Validate() error {
	if reason := a.fault(); reason != "" {
		return &AttributeError{Name: a.Name, Reason: reason}
	}
	return nil
}

// fault returns "" if there is none.
func (a Attribute) fault() string {
	if reason := a.Type.fault(a.Codec == ChoiceQuantile); reason != "" {
		return reason
	}
	if a.Codec > ChoiceQuantile || a.Nulls > NullsFirst {
		return "unknown option; write codec=raw or codec=quantile, nulls=skip or nulls=first"
	}
	least, most := a.BitsRange()
	if bits := a.width(); bits < least || bits > most {
		if least == most {
			return sprintf("its width is %d, not %d; leave the colon and the number out", most, bits)
		}
		return sprintf("write %d to %d bits, not %d", least, most, bits)
	}
	return ""
}

func (t Type) fault(quantile bool) string {
	switch {
	case t.Kind == 0 || t.Kind >= kindCount:
		return "unknown type; " + typeWords
	case t.Kind.isBytes() && (t.Bytes < 0 || t.Bytes > BytesMax):
		return sprintf("write %s[1] to %s[%d]", t.Kind, t.Kind, BytesMax)
	case t.Kind.isBytes() && t.Bytes == 0 && !quantile:
		return sprintf("write how many bytes of the value to take, such as %s[8]; only codec=quantile takes them all",
			t.Kind)
	case !t.Kind.isBytes() && t.Bytes != 0:
		return sprintf("%s takes no length; leave it out", t.Kind)
	case (t.Kind == Timestamp || t.Kind == ISO8601) && (t.Unit == 0 || t.Unit >= unitCount):
		return sprintf("write the unit: %s(s), %s(ms), %s(us) or %s(ns)", t.Kind, t.Kind, t.Kind, t.Kind)
	case t.Kind != Timestamp && t.Kind != ISO8601 && t.Unit != 0:
		return sprintf("%s takes no unit; leave it out", t.Kind)
	case t.Zone != 0 && t.Kind != ISO8601 || t.Zone < -zoneMax || t.Zone > zoneMax:
		return "only iso8601 takes a zone, from -23:59 to +23:59"
	case t.Kind == Linear:
		return t.linearFault()
	case t.Min != 0 || t.Max != 0:
		return sprintf("%s takes no limits; write linear(min,max)", t.Kind)
	}
	return ""
}

// linearFault also refuses limits whose distance is no float64, and -0, which would be a second spelling of 0.
func (t Type) linearFault() string {
	distance := t.Max - t.Min
	if !(distance > 0) || math.IsInf(distance, 0) || math.IsInf(linearScale/distance, 0) || negativeZero(t.Min) ||
		negativeZero(t.Max) {
		return "write two finite limits, the smaller first, such as linear(-40,60)"
	}
	return ""
}

func negativeZero(f float64) bool { return f == 0 && math.Signbit(f) }

// Order returns the comparison that t's codes keep.
func (t Type) Order() Order {
	switch t.Kind {
	case Boolean:
		return OrderBool
	case ISO8601:
		return OrderInstant
	case NFC:
		return OrderNFC
	case UTF8, Bytes, Raw:
		return OrderBytes
	}
	return OrderNumber
}
