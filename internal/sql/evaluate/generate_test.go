// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"fmt"
	"math/rand/v2"
)

// generator makes random expressions as texts. Its columns are those of generatedRow.
type generator struct {
	*rand.Rand
	// plain leaves out what other engines have faults in: letters of several bytes, integers at the ends of 64 bits,
	// mixed kinds.
	plain bool
	// constant leaves out columns.
	constant bool
}

// generatedRow declares the columns that a generator names.
const generatedRow = `i INTEGER = 5
n INTEGER = NULL
big BIGINT = 9223372036854775807
u BIGINT UNSIGNED = 18446744073709551615
f DOUBLE = 0.1
d DECIMAL(10,2) = 1.50
s VARCHAR = "hello"
e VARCHAR = ""
num VARCHAR = "12abc"
ts TIMESTAMP = "2024-01-31 12:00:00.250"
day DATE = "2024-02-29"
clock TIME = "10:11:12"
y BOOLEAN = true
x VARBINARY = "abc"
j JSON = '{"a": [1, "x", null]}'`

func (g *generator) of(list ...string) string { return list[g.IntN(len(list))] }

func (g *generator) column() string {
	return g.of("i", "n", "big", "u", "f", "d", "s", "e", "num", "ts", "day", "clock", "y", "x", "j")
}

func (g *generator) number() string {
	if g.plain {
		return g.of("0", "1", "2", "-3", "7", "100", "1.5", "-0.25", "2.50", "12.345", "1e2", "0.5e0", "3.7", "TRUE",
			"NULL")
	}
	return g.of("0", "1", "2", "-3", "7", "100", "1.5", "-0.25", "2.50", "12.345", "1e2", "0.5e0",
		"9223372036854775807", "-9223372036854775808", "3.7", "TRUE", "NULL")
}

func (g *generator) text() string {
	if g.plain {
		return g.of("'a'", "'abc'", "'ABC'", "''", "'12'", "'3.5x'", "'a_c'", "'b,a,c'", "' pad '", "NULL")
	}
	return g.of("'a'", "'abc'", "'ABC'", "''", "'12'", "'3.5x'", "'a_c'", "'héé'", "'b,a,c'", "' pad '", "NULL")
}

func (g *generator) time() string {
	return g.of("TIMESTAMP'2024-01-31 12:30:45'", "DATE'2024-02-29'", "'2023-12-31 23:59:59'", "'2020-01-01'", "NULL")
}

func (g *generator) leaf() string {
	if !g.constant && g.IntN(2) == 0 {
		return g.column()
	}
	return g.of(g.number(), g.text(), g.time())
}

// any makes an expression of some kind.
func (g *generator) any(depth int) string {
	if depth <= 0 {
		return g.leaf()
	}
	switch g.IntN(4) {
	case 0:
		return g.numeric(depth)
	case 1:
		return g.textual(depth)
	case 2:
		return g.condition(depth)
	}
	return g.temporal(depth)
}

// numeric makes a number.
func (g *generator) numeric(depth int) string {
	if depth <= 0 || g.IntN(6) == 0 {
		if !g.constant && g.IntN(2) == 0 {
			return g.of("i", "n", "big", "f", "d")
		}
		return g.number()
	}
	one, two := g.numeric(depth-1), g.numeric(depth-1)
	switch g.IntN(9) {
	case 0, 1, 2:
		return "(" + one + " " + g.of("+", "-", "*", "/", "DIV", "%") + " " + two + ")"
	case 3:
		return g.of("ABS", "CEIL", "FLOOR", "ROUND", "SIGN", "SQRT", "-") + "(" + one + ")"
	case 4:
		return fmt.Sprintf("%s(%s, %s)", g.of("ROUND", "TRUNCATE"), one, g.of("0", "1", "2", "-1"))
	case 5:
		return fmt.Sprintf("%s(%s, %s)", g.of("MOD", "IFNULL", "NULLIF", "COALESCE", "GREATEST", "LEAST"), one, two)
	case 6:
		return g.of("LENGTH", "CHAR_LENGTH", "ASCII", "CRC32") + "(" + g.textual(depth-1) + ")"
	case 7:
		return g.of("YEAR", "MONTH", "DAYOFMONTH", "HOUR", "MINUTE", "DAYOFWEEK", "DAYOFYEAR", "WEEKDAY", "QUARTER",
			"TO_DAYS") + "(" + g.temporal(depth-1) + ")"
	}
	return g.choice(depth, g.numeric)
}

func (g *generator) textual(depth int) string {
	if depth <= 0 || g.IntN(6) == 0 {
		if !g.constant && g.IntN(2) == 0 {
			return g.of("s", "e", "num")
		}
		return g.text()
	}
	one, two := g.textual(depth-1), g.textual(depth-1)
	small := g.of("0", "1", "2", "3", "-1", "-2", "10")
	switch g.IntN(9) {
	case 0:
		return g.of("UPPER", "LOWER", "TRIM", "LTRIM", "RTRIM", "REVERSE", "HEX", "MD5", "SHA1") + "(" + one + ")"
	case 1:
		return fmt.Sprintf("%s(%s, %s)", g.of("CONCAT", "IFNULL", "COALESCE", "NULLIF"), one, two)
	case 2:
		return fmt.Sprintf("CONCAT_WS('-', %s, %s)", one, two)
	case 3:
		return fmt.Sprintf("%s(%s, %s)", g.of("LEFT", "RIGHT", "REPEAT", "SUBSTRING"), one, small)
	case 4:
		return fmt.Sprintf("SUBSTRING(%s, %s, %s)", one, small, g.of("0", "1", "2", "5"))
	case 5:
		return fmt.Sprintf("REPLACE(%s, %s, %s)", one, two, g.text())
	case 6:
		return fmt.Sprintf("%s(%s, %s, %s)", g.of("LPAD", "RPAD"), one, g.of("0", "2", "5"), g.of("'x'", "'ab'"))
	case 7:
		return fmt.Sprintf("CAST(%s AS CHAR)", g.of(g.number(), one))
	}
	return g.choice(depth, g.textual)
}

func (g *generator) temporal(depth int) string {
	if depth <= 0 || g.IntN(3) == 0 {
		if !g.constant && g.IntN(2) == 0 {
			return g.of("ts", "day")
		}
		return g.time()
	}
	one := g.temporal(depth - 1)
	switch g.IntN(3) {
	case 0:
		return fmt.Sprintf("(%s %s INTERVAL %s %s)", one, g.of("+", "-"), g.of("1", "2", "13", "-1"),
			g.of("DAY", "MONTH", "YEAR", "HOUR", "MINUTE", "SECOND", "WEEK"))
	case 1:
		return g.of("DATE", "LAST_DAY") + "(" + one + ")"
	}
	return g.choice(depth, g.temporal)
}

// choice makes an IF or a CASE of expressions of one kind.
func (g *generator) choice(depth int, of func(int) string) string {
	if g.IntN(2) == 0 {
		return fmt.Sprintf("IF(%s, %s, %s)", g.condition(depth-1), of(depth-1), of(depth-1))
	}
	return fmt.Sprintf("CASE WHEN %s THEN %s ELSE %s END", g.condition(depth-1), of(depth-1), of(depth-1))
}

func (g *generator) condition(depth int) string {
	kind := []func(int) string{g.numeric, g.numeric, g.textual, g.temporal}[g.IntN(4)]
	if !g.plain && g.IntN(4) == 0 {
		kind = g.any
	}
	one, two, three := kind(depth-1), kind(depth-1), kind(depth-1)
	switch g.IntN(9) {
	case 0:
		return "(" + g.condition0(depth) + " " + g.of("AND", "OR", "XOR") + " " + g.condition0(depth) + ")"
	case 1:
		return "(NOT " + g.condition0(depth) + ")"
	case 2:
		return "(" + one + " IS " + g.of("", "NOT ") + "NULL)"
	case 3:
		return fmt.Sprintf("(%s %sIN (%s, %s))", one, g.of("", "NOT "), two, three)
	case 4:
		return fmt.Sprintf("(%s %sBETWEEN %s AND %s)", one, g.of("", "NOT "), two, three)
	case 5:
		return fmt.Sprintf("(%s %sLIKE %s)", g.textual(depth-1), g.of("", "NOT "),
			g.of("'a%'", "'%b%'", "'_b_'", "'%'", "''", "'a\\_c'", "NULL"))
	}
	return "(" + one + " " + g.of("=", "<>", "<", "<=", ">", ">=", "<=>") + " " + two + ")"
}

func (g *generator) condition0(depth int) string {
	if depth <= 1 {
		return g.of("TRUE", "FALSE", "NULL", "1 = 1")
	}
	return g.condition(depth - 1)
}
