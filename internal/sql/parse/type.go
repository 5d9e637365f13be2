// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"cmp"
	"strings"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/parse/token"
)

// bases holds the names of types, synonyms among them. // immutable
var bases = map[string]datum.Base{
	"boolean": datum.Boolean, "bool": datum.Boolean,
	"tinyint": datum.TinyInt, "int1": datum.TinyInt,
	"smallint": datum.SmallInt, "int2": datum.SmallInt,
	"integer": datum.Integer, "int": datum.Integer, "int4": datum.Integer,
	"bigint": datum.BigInt, "long": datum.BigInt, "int8": datum.BigInt,
	"float": datum.Float, "float4": datum.Float,
	"double": datum.Double, "real": datum.Double, "float8": datum.Double,
	"decimal": datum.DecimalBase, "numeric": datum.DecimalBase, "dec": datum.DecimalBase, "fixed": datum.DecimalBase,
	"char": datum.Char, "character": datum.Char, "nchar": datum.Char,
	"varchar": datum.Varchar, "varcharacter": datum.Varchar, "nvarchar": datum.Varchar, "string": datum.Varchar,
	"binary": datum.BinaryBase, "varbinary": datum.Varbinary,
	"date": datum.Date, "time": datum.Time, "timestamp": datum.Timestamp,
	"json": datum.JSONBase,
}

// synonyms are other names of varieties, which stand here as datum.VarietyOf has them. // immutable
var synonyms = map[string]string{"middleint": "MEDIUMINT", "int3": "MEDIUMINT"}

// refusedTypes are types of MySQL that the dialect lacks, with what to use in their place. // immutable
var refusedTypes = map[string]string{
	"geometry": "VARBINARY", "point": "two DOUBLE columns",
	"linestring": "VARBINARY", "polygon": "VARBINARY", "uuid": "CHAR(36) or BINARY(16)", "serial": "BIGINT UNSIGNED",
}

// lengthMax bounds the lengths that types may name.
const lengthMax = 1 << 31

// columnType reads a type with its lengths and attributes.
func (p *parser) columnType() datum.Type {
	name := strings.ToLower(p.SourceOf(p.At))
	if name == "national" {
		switch next := p.Peek().Word; next {
		case "char", "character", "varchar", "varcharacter":
			p.Advance()
			name = next
		}
	}
	if name == "nchar" && p.Peek().Word == "varchar" {
		p.Advance()
		name = "varchar"
	}
	base, ok := bases[name]
	if t, known := varietyOf(name); known && p.At.Kind == token.Word {
		p.Advance()
		p.attributes(&t, p.varietyLengths(&t))
		return t
	}
	if p.At.Kind != token.Word || !ok {
		if instead, refused := refusedTypes[name]; refused {
			p.Refuse("the type " + strings.ToUpper(name) + " is not supported: use " + instead)
			return datum.Type{}
		}
		p.Expected("a type such as BIGINT, VARCHAR or TIMESTAMP")
		return datum.Type{}
	}
	p.Advance()
	switch {
	case name == "real" && p.Lexer.Mode&token.RealAsFloat != 0:
		base = datum.Float
	case name == "double":
		p.Accept("precision")
	case base == datum.Char && p.Accept("varying"):
		base = datum.Varchar
	}
	t := datum.Type{Base: base}
	width := p.lengths(&t, name)
	p.attributes(&t, width)
	if base == datum.TinyInt && t.Variety == datum.Plain && width == 1 {
		t.Length = 1
	}
	return t
}

func varietyOf(name string) (datum.Type, bool) {
	if other, ok := synonyms[name]; ok {
		return datum.VarietyOf(other)
	}
	return datum.VarietyOf(strings.ToUpper(name))
}

// membersMax bounds the members of an ENUM; a SET has 64 at most.
const membersMax = 65_535

// zeroWidths are the widths of integers with ZEROFILL that name none. // immutable
var zeroWidths = map[string]int{"TINYINT UNSIGNED": 3, "SMALLINT UNSIGNED": 5, "MEDIUMINT UNSIGNED": 8,
	"INT UNSIGNED": 10, "BIGINT UNSIGNED": 20}

// varietyLengths reads what is in brackets behind the name of a variety, and returns a width.
func (p *parser) varietyLengths(t *datum.Type) (width int) {
	switch t.Variety {
	case datum.Enum, datum.Set:
		p.members(t)
		return 0
	}
	if !p.Accept("(") {
		return 0
	}
	n := p.Number("a length", lengthMax)
	p.Expect(")")
	switch {
	case t.Variety == datum.Bit && (n < 1 || n > 64):
		p.Refuse("BIT has 1 to 64 bits")
	case t.Variety == datum.Bit:
		t.Length = n
	case t.Variety == datum.DateTime:
		t.Scale = p.fraction(n)
	}
	return n
}

// fraction is a number of digits of a second.
func (p *parser) fraction(digits int) int {
	if digits > 6 {
		p.Refuse("a second has 6 digits at most")
	}
	return digits
}

// members reads those of ENUM and SET.
func (p *parser) members(t *datum.Type) {
	p.Expect("(")
	most := membersMax
	if t.Variety == datum.Set {
		most = 64
	}
	var list []string
	for more := true; more && len(list) <= most; more = p.More() {
		list = append(list, p.Text("a member in quotes"))
	}
	p.Expect(")")
	if len(list) > most {
		p.Refuse("an ENUM has at most 65,535 members, a SET 64")
	}
	t.Members = datum.JoinMembers(list)
}

// lengths reads (n) and (p, s). Lengths of the TEXT and BLOB families are dropped; it returns the first one.
func (p *parser) lengths(t *datum.Type, name string) (first int) {
	if !p.Accept("(") {
		return 0
	}
	first = p.Number("a length", lengthMax)
	second := 0
	if p.Accept(",") {
		second = p.Number("a scale", lengthMax)
	}
	p.Expect(")")
	switch {
	case t.Base == datum.DecimalBase:
		t.Precision, t.Scale = first, second
	case t.IsFloat() && second > 0:
		t.Precision, t.Scale = first, second
	case t.Base == datum.Timestamp || t.Base == datum.Time:
		if t.Scale = p.fraction(first); t.Scale == 0 {
			t.Length = 1
		}
	case name == "float" && first > 24:
		t.Base = datum.Double
	case t.Base == datum.Char || t.Base == datum.BinaryBase || strings.Contains(name, "char") || name == "varbinary":
		t.Length = first
	}
	return first
}

// attributes reads what may follow a type: UNSIGNED, and words that change nothing.
func (p *parser) attributes(t *datum.Type, width int) {
	for {
		switch {
		case p.Accept("unsigned"):
			p.unsigned(t)
		case p.Accept("zerofill"):
			p.unsigned(t)
			if t.IsInteger() {
				t.Length = cmp.Or(width, zeroWidths[t.String()])
			}
		case p.Accept("signed"), p.Accept("ascii"), p.Accept("unicode"), p.Accept("binary"):
		case p.Accept("collate"):
			p.noteText(p.collationNamed())
		case p.Accept("charset"), p.Accepts("character", "set"), p.Accepts("char", "set"):
			p.Accept("=")
			p.collation()
		default:
			return
		}
	}
}

// unsigned makes a type one without negative numbers.
func (p *parser) unsigned(t *datum.Type) {
	switch {
	case t.Base == datum.TinyInt:
		*t, _ = datum.VarietyOf("TINYINT UNSIGNED")
	case t.Base == datum.SmallInt && t.Variety == datum.Plain:
		*t, _ = datum.VarietyOf("SMALLINT UNSIGNED")
	case t.Variety == datum.MediumInt:
		*t, _ = datum.VarietyOf("MEDIUMINT UNSIGNED")
	case t.Base == datum.Integer && t.Variety == datum.Plain:
		*t, _ = datum.VarietyOf("INT UNSIGNED")
	case t.Base == datum.BigInt && t.Variety == datum.Plain:
		t.Base = datum.BigIntUnsigned
	case t.Base == datum.DecimalBase:
		t.Variety = datum.DecimalUnsigned
	case t.Base == datum.Float:
		t.Variety = datum.FloatUnsigned
	case t.Base == datum.Double:
		t.Variety = datum.DoubleUnsigned
	}
}

// castType reads the type of CAST and CONVERT. CHAR means a text of any length there.
func (p *parser) castType() datum.Type {
	switch word := p.AcceptAny("signed", "unsigned"); word {
	case "signed", "unsigned":
		p.AcceptAny("integer", "int")
		if word == "signed" {
			return datum.Type{Base: datum.BigInt}
		}
		return datum.Type{Base: datum.BigIntUnsigned}
	}
	t := p.columnType()
	switch {
	case t.Base == datum.Char:
		t.Base = datum.Varchar
	case t.Base == datum.BinaryBase && t.Length == 0:
		t.Base = datum.Varbinary
	}
	return t
}
