// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"strings"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/parse/token"
)

// bases holds the names of types, synonyms among them. // immutable
var bases = map[string]datum.Base{
	"boolean": datum.Boolean, "bool": datum.Boolean,
	"tinyint": datum.TinyInt, "int1": datum.TinyInt,
	"smallint": datum.SmallInt, "int2": datum.SmallInt,
	"integer": datum.Integer, "int": datum.Integer, "mediumint": datum.Integer, "middleint": datum.Integer, "int3": datum.Integer, "int4": datum.Integer,
	"bigint": datum.BigInt, "long": datum.BigInt, "int8": datum.BigInt,
	"float": datum.Float, "float4": datum.Float,
	"double": datum.Double, "real": datum.Double, "float8": datum.Double,
	"decimal": datum.DecimalBase, "numeric": datum.DecimalBase, "dec": datum.DecimalBase, "fixed": datum.DecimalBase,
	"char": datum.Char, "character": datum.Char, "nchar": datum.Char,
	"varchar": datum.Varchar, "varcharacter": datum.Varchar, "nvarchar": datum.Varchar, "string": datum.Varchar, "text": datum.Varchar,
	"tinytext": datum.Varchar, "mediumtext": datum.Varchar, "longtext": datum.Varchar,
	"binary": datum.BinaryBase, "varbinary": datum.Varbinary, "blob": datum.Varbinary, "tinyblob": datum.Varbinary, "mediumblob": datum.Varbinary,
	"longblob": datum.Varbinary,
	"date":     datum.Date, "time": datum.Time, "timestamp": datum.Timestamp, "datetime": datum.Timestamp,
	"json": datum.JSONBase,
}

// refusedTypes are types of MySQL that the dialect lacks, with what to use in their place. // immutable
var refusedTypes = map[string]string{
	"enum": "VARCHAR", "set": "VARCHAR or JSON", "bit": "BIGINT or VARBINARY", "year": "SMALLINT", "geometry": "VARBINARY", "point": "two DOUBLE columns",
	"linestring": "VARBINARY", "polygon": "VARBINARY", "uuid": "CHAR(36) or BINARY(16)", "serial": "BIGINT",
}

// lengthMax bounds the lengths that types may name.
const lengthMax = 1 << 31

// columnType reads a type with its lengths and attributes.
func (p *parser) columnType() datum.Type {
	name := strings.ToLower(p.SourceOf(p.At))
	base, ok := bases[name]
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
	p.lengths(&t, name)
	p.attributes(&t)
	return t
}

// lengths reads (n) and (p, s). Display widths of integers, precisions of times and lengths of the TEXT and BLOB families are dropped.
func (p *parser) lengths(t *datum.Type, name string) {
	if !p.Accept("(") {
		return
	}
	first, second := p.Number("a length", lengthMax), 0
	if p.Accept(",") {
		second = p.Number("a scale", lengthMax)
	}
	p.Expect(")")
	switch {
	case t.Base == datum.DecimalBase:
		t.Precision, t.Scale = first, second
	case name == "float" && first > 24:
		t.Base = datum.Double
	case t.Base == datum.Char || t.Base == datum.BinaryBase || strings.Contains(name, "char") || name == "varbinary":
		t.Length = first
	}
}

// attributes reads what may follow a type: UNSIGNED, and words that change nothing.
func (p *parser) attributes(t *datum.Type) {
	for {
		switch {
		case p.Accept("unsigned"):
			if t.Base != datum.BigInt {
				p.Refuse("UNSIGNED is supported for BIGINT alone: use BIGINT UNSIGNED or the next larger type")
			}
			t.Base = datum.BigIntUnsigned
		case p.Accept("signed"), p.Accept("zerofill"), p.Accept("ascii"), p.Accept("unicode"), p.Accept("binary"):
		case p.Accept("charset"), p.Accept("collate"), p.Accepts("character", "set"), p.Accepts("char", "set"):
			p.Accept("=")
			p.collation()
		default:
			return
		}
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
