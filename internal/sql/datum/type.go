// SPDX-License-Identifier: Apache-2.0

package datum

// Base is what a SQL type is, apart from its lengths.
type Base uint8

// The types. Untyped is that of NULL and of columns whose values may be of any type, each its own.
const (
	Untyped Base = iota
	Boolean
	TinyInt
	SmallInt
	Integer
	BigInt
	BigIntUnsigned
	Float
	Double
	DecimalBase
	Char
	Varchar
	BinaryBase
	Varbinary
	Date
	Time
	Timestamp
	JSONBase
)

// Type is a SQL type with its lengths.
type Type struct {
	Base Base `json:"base"`
	// Length is n of VARCHAR(n), CHAR(n) and BINARY(n); 0 where none was given.
	Length int `json:"length,omitempty"`
	// Precision and Scale are those of DECIMAL(p,s); 0,0 where none were given.
	Precision int `json:"precision,omitempty"`
	Scale     int `json:"scale,omitempty"`
}
