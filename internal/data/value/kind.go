// SPDX-License-Identifier: Apache-2.0

package value

// Kind is the kind of a value.
type Kind uint8

// The kinds. Int, Float and Timestamp come from SQL's typed columns and are numbers, too: they compare with Number and
// with one another by value. Stored bytes hold tags, not kinds, so this order may change.
const (
	Missing Kind = iota
	Null
	Bool
	Number    // a decimal of 38 digits
	String    // UTF-8
	Binary    // any bytes
	List      // any values, in order
	Map       // values under names
	StringSet // sets are never empty
	NumberSet
	BinarySet
	Int       // int64
	Float     // float64
	Timestamp // int64 milliseconds since 1970-01-01 UTC
)

// kindNames are DynamoDB's names of the types. // immutable
var kindNames = [...]string{
	Missing: "", Null: "NULL", Bool: "BOOL", Number: "N", String: "S", Binary: "B", List: "L", Map: "M",
	StringSet: "SS", NumberSet: "NS", BinarySet: "BS", Int: "N", Float: "N", Timestamp: "N",
}

// String returns the name of DynamoDB's type: "S", "N", "B", "BOOL", "NULL", "M", "L", "SS", "NS" or "BS"; "N" for
// SQL's scalars; "" for Missing.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return ""
}

// IsNumeric reports whether values of kind k are single numbers.
func (k Kind) IsNumeric() bool { return k == Number || k >= Int }

// IsSet reports whether values of kind k are sets.
func (k Kind) IsSet() bool { return k >= StringSet && k <= BinarySet }

// IsDocument reports whether values of kind k are lists or maps.
func (k Kind) IsDocument() bool { return k == List || k == Map }

// MemberKind returns the kind of a set's members; Missing for a kind that is no set.
func (k Kind) MemberKind() Kind {
	switch k {
	case StringSet:
		return String
	case NumberSet:
		return Number
	case BinarySet:
		return Binary
	}
	return Missing
}

// SetKind returns the kind of the sets that have members of kind k, and Missing where there is none.
func (k Kind) SetKind() Kind {
	switch k {
	case String:
		return StringSet
	case Number, Int, Float, Timestamp:
		return NumberSet
	case Binary:
		return BinarySet
	}
	return Missing
}

// Tags begin a stored value. They are part of the stored format: never renumber them.
const (
	tagNull      = 1
	tagFalse     = 2
	tagTrue      = 3
	tagNumber    = 4
	tagString    = 5
	tagBinary    = 6
	tagList      = 7
	tagMap       = 8
	tagStringSet = 9
	tagNumberSet = 10
	tagBinarySet = 11
	tagInt       = 12
	tagFloat     = 13
	tagTimestamp = 14
	tagEnd       = 15 // the first unused tag
)

// kindOfTag reads a value's first byte. // immutable
var kindOfTag = [256]Kind{
	tagNull: Null, tagFalse: Bool, tagTrue: Bool, tagNumber: Number, tagString: String, tagBinary: Binary,
	tagList: List, tagMap: Map,
	tagStringSet: StringSet, tagNumberSet: NumberSet, tagBinarySet: BinarySet, tagInt: Int, tagFloat: Float,
	tagTimestamp: Timestamp,
}

// tagOfSet is the first byte of each kind of set. // immutable
var tagOfSet = [...]byte{StringSet: tagStringSet, NumberSet: tagNumberSet, BinarySet: tagBinarySet}
