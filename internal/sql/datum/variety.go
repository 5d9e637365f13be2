// SPDX-License-Identifier: Apache-2.0

package datum

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/sql/fault"
)

// Variety is a type of MySQL that holds a part of what its base holds: INT UNSIGNED is a BIGINT within its own range,
// ENUM a VARCHAR with some values. Expressions see the base; what is stored is checked.
type Variety uint8

// The varieties. Plain is the base itself.
const (
	Plain Variety = iota
	TinyIntUnsigned
	SmallIntUnsigned
	MediumInt
	MediumIntUnsigned
	IntUnsigned
	Year
	Bit // of Length bits
	Enum
	Set
	TinyText
	PlainText
	MediumText
	LongText
	TinyBlob
	Blob
	MediumBlob
	LongBlob
	DateTime
	// Zoned is TIMESTAMP as MySQL has it: rows hold UTC, and expressions see what clocks show in the zone of the
	// session. Plain ones hold what was written.
	Zoned
	DecimalUnsigned
	FloatUnsigned
	DoubleUnsigned
	// The types of columns of HBase tables: rows hold the bytes that Java's Bytes.toBytes makes of the values. They are
	// in the order of value's codecs.
	HLong
	HInteger
	HShort
	HFloat
	HDouble
	HString
	HBoolean
)

// varieties are the varieties by their numbers. Integers have a range, texts and bytes a size. // immutable
var varieties = [...]struct {
	name      string
	base      Base
	low, high int64
	sizeMax   int // in bytes; 0: no bound of its own
}{
	{}, {"TINYINT UNSIGNED", SmallInt, 0, 1<<8 - 1, 0}, {"SMALLINT UNSIGNED", Integer, 0, 1<<16 - 1, 0},
	{"MEDIUMINT", Integer, -1 << 23, 1<<23 - 1, 0},
	{"MEDIUMINT UNSIGNED", Integer, 0, 1<<24 - 1, 0}, {"INT UNSIGNED", BigInt, 0, 1<<32 - 1, 0},
	{"YEAR", SmallInt, 1901, 2155, 0}, {"BIT", BigIntUnsigned, 0, 0, 0},
	{"ENUM", Varchar, 0, 0, 0}, {"SET", Varchar, 0, 0, 0}, {"TINYTEXT", Varchar, 0, 0, 1<<8 - 1},
	{"TEXT", Varchar, 0, 0, 1<<16 - 1}, {"MEDIUMTEXT", Varchar, 0, 0, 1<<24 - 1},
	{"LONGTEXT", Varchar, 0, 0, 0}, {"TINYBLOB", Varbinary, 0, 0, 1<<8 - 1}, {"BLOB", Varbinary, 0, 0, 1<<16 - 1},
	{"MEDIUMBLOB", Varbinary, 0, 0, 1<<24 - 1},
	{"LONGBLOB", Varbinary, 0, 0, 0}, {"DATETIME", Timestamp, 0, 0, 0}, {"TIMESTAMP", Timestamp, 0, 0, 0},
	{"DECIMAL UNSIGNED", DecimalBase, 0, 0, 0}, {"FLOAT UNSIGNED", Float, 0, 0, 0},
	{"DOUBLE UNSIGNED", Double, 0, 0, 0},
	{"HLONG", BigInt, 0, 0, 0}, {"HINTEGER", Integer, 0, 0, 0}, {"HSHORT", SmallInt, 0, 0, 0},
	{"HFLOAT", Float, 0, 0, 0}, {"HDOUBLE", Double, 0, 0, 0},
	{"HSTRING", Varchar, 0, 0, 0}, {"HBOOLEAN", Boolean, 0, 0, 0},
}

// VarietyOf finds a variety by its name in upper case, such as INT UNSIGNED; ok is false for other names.
func VarietyOf(name string) (t Type, ok bool) {
	return varietyNamed(name, TinyIntUnsigned, DoubleUnsigned)
}

// MappedType finds the type of a column of an HBase table by its name in upper case, such as HLONG.
func MappedType(name string) (t Type, ok bool) { return varietyNamed(name, HLong, HBoolean) }

func varietyNamed(name string, first, last Variety) (t Type, ok bool) {
	for v := first; v <= last; v++ {
		if varieties[v].name == name && v != Zoned { // TIMESTAMP is Plain by its name
			return Type{Base: varieties[v].base, Variety: v}, true
		}
	}
	return Type{}, false
}

// Codec is how rows hold the values of a type.
func (t Type) Codec() value.Codec {
	if t.Variety < HLong {
		return value.AsIs
	}
	return value.Codec(t.Variety-HLong) + value.JavaLong
}

// String is the name in upper case; "" for Plain.
func (v Variety) String() string { return varieties[v].name }

// variety writes a type that has one.
func (t Type) variety() string {
	name := varieties[t.Variety].name
	switch {
	case t.Variety == Enum || t.Variety == Set:
		return name + "(" + t.Members + ")"
	case t.Variety == DecimalUnsigned && t.Precision > 0:
		return Type{Base: DecimalBase, Precision: t.Precision, Scale: t.Scale}.String() + unsignedSuffix
	case t.Variety == Bit:
		return name + "(" + strconv.Itoa(max(t.Length, 1)) + ")"
	case t.Variety == Zoned && t.Length > 0:
		return name + "(0)"
	case t.Base == Timestamp && t.Scale > 0:
		return name + "(" + strconv.Itoa(t.Scale) + ")"
	}
	return name
}

const unsignedSuffix = " UNSIGNED"

// width writes an integer with its width.
func (t Type) width() string {
	width := "(" + strconv.Itoa(t.Length) + ")"
	t.Length = 0
	if name, ok := strings.CutSuffix(t.String(), unsignedSuffix); ok {
		return name + width + unsignedSuffix + " ZEROFILL"
	}
	return t.String() + width
}

// isPositive reports whether values are numbers with a fraction that are not negative.
func (t Type) isPositive() bool { return t.Variety >= DecimalUnsigned && t.Variety <= DoubleUnsigned }

// Members of ENUM and SET are written as in DDL: 'a','b'. JoinMembers makes that text, and members takes it apart.
func JoinMembers(members []string) string {
	quoted := make([]string, len(members))
	for i, m := range members {
		quoted[i] = "'" + strings.ReplaceAll(m, "'", "''") + "'"
	}
	return strings.Join(quoted, ",")
}

func (t Type) members(visit func(number int, member string) (more bool)) {
	number := 1
	for rest := t.Members; rest != ""; number++ {
		rest = rest[1:] // the opening quote
		end := 0
		for end < len(rest) && (rest[end] != '\'' || end+1 < len(rest) && rest[end+1] == '\'') {
			if rest[end] == '\'' {
				end++
			}
			end++
		}
		if !visit(number, strings.ReplaceAll(rest[:end], "''", "'")) || end >= len(rest) {
			return
		}
		rest = strings.TrimPrefix(rest[end+1:], ",")
	}
}

// Sizes are the most characters and bytes that a text or binary of the type may have; 0 where the type has no bound of
// its own.
func (t Type) Sizes() (characters, bytes int) {
	switch {
	case t.IsList():
		characters = t.longest()
	case t.Length > 0:
		characters = t.Length
	default:
		characters = varieties[t.Variety].sizeMax
		return characters, characters
	}
	if t.IsBinary() {
		return characters, characters
	}
	return characters, utf8.UTFMax * characters
}

// longest is the number of characters the longest member of an ENUM has, or all of a SET with commas between them.
func (t Type) longest() (characters int) {
	t.members(func(number int, member string) bool {
		n := utf8.RuneCountInString(member)
		switch {
		case t.Variety == Enum:
			characters = max(characters, n)
		case number == 1:
			characters = n
		default:
			characters += 1 + n
		}
		return true
	})
	return characters
}

// storeVariety checks a value that its base can hold.
func storeVariety(d, given Datum, t Type) (Datum, error) {
	v := &varieties[t.Variety]
	switch {
	case t.Variety == Enum:
		return t.member(given)
	case t.Variety == Set:
		return t.subset(given)
	case t.Variety == Bit:
		if bits := max(t.Length, 1); bits < 64 && unsigned(d) >= 1<<bits {
			return Null, &StoreError{Code: fault.DataTooLong}
		}
	case t.isPositive() && min(d.NumberFloat(), given.NumberFloat()) < 0:
		return Null, outOfRange()
	case t.Variety == Year:
		return storeYear(d)
	case v.high > 0 && (d.Int() < v.low || d.Int() > v.high):
		return Null, outOfRange()
	case v.sizeMax > 0 && d.Len() > v.sizeMax:
		return Null, &StoreError{Code: fault.DataTooLong}
	}
	return d, nil
}

// storeYear takes 0, the years of one byte, and two digits: 70 to 99 are of the last century.
func storeYear(d Datum) (Datum, error) {
	switch year := d.Int(); {
	case year == 0 || year >= 1901 && year <= 2155:
		return d, nil
	case year >= 1 && year <= 69:
		return Int(2000 + year), nil
	case year >= 70 && year <= 99:
		return Int(1900 + year), nil
	}
	return Null, outOfRange()
}

// member is the member of an ENUM that a text names, whatever its case if it is ASCII, or a number counts, from 1.
func (t Type) member(d Datum) (found Datum, err error) {
	text := string(d.AppendText(nil))
	isNumber := d.IsNumber()
	t.members(func(number int, member string) bool {
		if isNumber && d.NumberInt() == int64(number) ||
			!isNumber && strings.EqualFold(strings.TrimRight(text, " "), member) {
			found = TextString(member)
		}
		return found.IsNull()
	})
	if found.IsNull() {
		if number, ok := digitsOf(text); ok && !isNumber {
			return t.member(number)
		}
		return Null, &StoreError{Code: fault.DataTruncated}
	}
	return found, nil
}

// digitsOf is the number that a text of nothing but digits is: it counts the members of an ENUM or SET that have no
// such name.
func digitsOf(text string) (number Datum, ok bool) {
	x, err := strconv.ParseUint(text, 10, 64)
	return Uint(x), err == nil
}

// subset is the members of a SET that a text lists, or the bits of a number say, in their order.
func (t Type) subset(d Datum) (Datum, error) {
	var list []string
	known := 0
	wanted := strings.Split(string(d.AppendText(nil)), ",")
	isNumber := d.IsNumber()
	bits := uint64(0)
	if isNumber {
		bits, wanted = castInteger(d).bits, nil
	} else if len(wanted) == 1 && wanted[0] == "" {
		return TextString(""), nil
	}
	t.members(func(number int, member string) bool {
		listed := 0
		for _, one := range wanted {
			if strings.EqualFold(one, member) {
				listed++
			}
		}
		if isNumber && bits>>(number-1)&1 != 0 || listed > 0 {
			list, known = append(list, member), known+listed
			bits &^= 1 << (number - 1)
		}
		return true
	})
	if known != len(wanted) || bits != 0 {
		if number, ok := digitsOf(string(d.AppendText(nil))); ok && !isNumber {
			return t.subset(number)
		}
		return Null, &StoreError{Code: fault.DataTruncated}
	}
	return TextString(strings.Join(list, ",")), nil
}

// unsigned is an integer as 64 bits.
func unsigned(d Datum) uint64 {
	if d.kind == KindUint {
		return d.Uint()
	}
	return uint64(d.Int())
}
