// SPDX-License-Identifier: Apache-2.0

package differential

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// generator makes statements over one table.
type generator struct {
	random *rand.Rand
	of     *shape
}

func (g *generator) pick(list ...string) string { return list[g.random.IntN(len(list))] }

func (g *generator) chance(percent int) bool { return g.random.IntN(100) < percent }

// column is one of a class.
func (g *generator) column(of class) (column, bool) {
	var fitting []column
	for _, c := range g.of.columns {
		if c.of == of {
			fitting = append(fitting, c)
		}
	}
	if len(fitting) == 0 {
		return column{}, false
	}
	return fitting[g.random.IntN(len(fitting))], true
}

// constant is a literal of a class.
func (g *generator) constant(of class) string {
	switch of {
	case number:
		switch g.random.IntN(6) {
		case 0:
			return g.pick(decimals...)
		case 1:
			return g.pick("0.5", "2.25", "-3.75", "1e1")
		}
		return g.pick(smallIntegers...)
	case text:
		return g.pick(texts...)
	case truth:
		return g.pick(truths...)
	case moment:
		return "TIMESTAMP " + g.pick(moments...)
	case day:
		return "DATE " + g.pick(days...)
	}
	return g.pick(binaries...)
}

// value is an expression of a class.
func (g *generator) value(of class, depth int) string {
	if depth <= 0 || g.chance(45) {
		if c, ok := g.column(of); ok && g.chance(75) {
			return c.name
		}
		return g.constant(of)
	}
	if g.chance(15) {
		return g.choice(of, depth-1)
	}
	switch of {
	case number:
		return g.numeric(depth - 1)
	case text:
		return g.textual(depth - 1)
	case truth:
		return "(" + g.condition(depth-1) + ")"
	}
	return g.choice(of, depth-1)
}

// choice is an expression of any class that chooses between values.
func (g *generator) choice(of class, depth int) string {
	a, b := g.value(of, depth), g.value(of, depth)
	if of == number {
		a, b = g.alike(depth) // the engine's choices between kinds of numbers are known to be wrong
	}
	switch g.random.IntN(5) {
	case 0:
		return fmt.Sprintf("COALESCE(%s, %s)", a, b)
	case 1:
		return fmt.Sprintf("IFNULL(%s, %s)", a, b)
	case 2:
		return fmt.Sprintf("IF(%s, %s, %s)", g.condition(depth), a, b)
	case 3:
		return fmt.Sprintf("NULLIF(%s, %s)", a, b)
	}
	return fmt.Sprintf("CASE WHEN %s THEN %s WHEN %s THEN %s END", g.condition(depth), a, g.condition(depth), b)
}

// alike are two numbers of one kind.
func (g *generator) alike(depth int) (a, b string) {
	switch g.random.IntN(3) {
	case 0:
		return g.integer(), g.integer()
	case 1:
		return "c", g.pick(decimals...)
	}
	return "f", g.pick("f", "2.25e0", "f * 2", "1e1")
}

func (g *generator) numeric(depth int) string {
	a, b := g.value(number, depth), g.value(number, depth)
	switch g.random.IntN(16) {
	case 0, 1:
		return fmt.Sprintf("(%s + %s)", a, b)
	case 2, 3:
		return fmt.Sprintf("(%s - %s)", a, b)
	case 4, 5:
		return fmt.Sprintf("(%s * %s)", a, b)
	case 6:
		return fmt.Sprintf("(%s / %s)", a, b)
	case 7:
		return fmt.Sprintf("(%s %% %s)", g.integer(), g.integer())
	case 8:
		return fmt.Sprintf("(%s DIV %s)", g.integer(), g.integer())
	case 9:
		return fmt.Sprintf("ABS(%s)", a)
	case 10:
		return fmt.Sprintf("%s(%s)", g.pick("FLOOR", "CEIL", "SIGN", "ROUND"), a)
	case 11:
		return fmt.Sprintf("%s(%s, %s)", g.pick("GREATEST", "LEAST"), a, b)
	case 12:
		return fmt.Sprintf("%s(%s)", g.pick("LENGTH", "CHAR_LENGTH", "ASCII"), g.value(text, depth))
	case 13:
		return fmt.Sprintf("%s(%s, %s)", g.pick("INSTR", "STRCMP"), g.value(text, depth), g.value(text, depth))
	case 14:
		if c, ok := g.column(moment); ok {
			return fmt.Sprintf("%s(%s)", g.pick("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND", "DAYOFWEEK", "QUARTER", "DAYOFYEAR"), c.name)
		}
	case 15:
		if c, ok := g.column(day); ok {
			return fmt.Sprintf("%s(%s)", g.pick("YEAR", "MONTH", "DAYOFMONTH", "WEEKDAY", "TO_DAYS"), c.name)
		}
	}
	return "-" + g.integer()
}

// integer is an expression of an integer.
func (g *generator) integer() string {
	var fitting []string
	for _, c := range g.of.columns {
		if c.integer {
			fitting = append(fitting, c.name)
		}
	}
	if g.chance(70) {
		return g.pick(fitting...)
	}
	return g.pick("1", "2", "3", "7", "0")
}

func (g *generator) textual(depth int) string {
	a, b := g.value(text, depth), g.value(text, depth)
	switch g.random.IntN(9) {
	case 0:
		return fmt.Sprintf("CONCAT(%s, %s)", a, b)
	case 1:
		return fmt.Sprintf("%s(%s)", g.pick("UPPER", "LOWER", "TRIM", "LTRIM", "RTRIM", "REVERSE", "HEX"), a)
	case 2:
		return fmt.Sprintf("%s(%s, %d)", g.pick("LEFT", "RIGHT"), a, g.random.IntN(4))
	case 3:
		return fmt.Sprintf("SUBSTRING(%s, %d)", a, g.random.IntN(5)-2)
	case 4:
		return fmt.Sprintf("SUBSTRING(%s, %d, %d)", a, g.random.IntN(5)-2, g.random.IntN(4))
	case 5:
		return fmt.Sprintf("REPLACE(%s, %s, %s)", a, g.pick("'a'", "'b'", "'1'"), b)
	case 6:
		return fmt.Sprintf("%s(%s, %d, 'xy')", g.pick("LPAD", "RPAD"), a, g.random.IntN(6))
	case 7:
		return fmt.Sprintf("REPEAT(%s, %d)", a, g.random.IntN(3))
	}
	return fmt.Sprintf("CONCAT_WS('-', %s, %s)", a, b)
}

// anyClass is the class of some column.
func (g *generator) anyClass() class { return g.of.columns[g.random.IntN(len(g.of.columns))].of }

// condition is TRUE, FALSE or NULL for a row.
func (g *generator) condition(depth int) string {
	if depth > 0 && g.chance(45) {
		switch g.random.IntN(7) {
		case 0, 1, 2:
			return fmt.Sprintf("(%s AND %s)", g.condition(depth-1), g.condition(depth-1))
		case 3, 4:
			return fmt.Sprintf("(%s OR %s)", g.condition(depth-1), g.condition(depth-1))
		case 5:
			return fmt.Sprintf("NOT (%s)", g.condition(depth-1))
		}
		return fmt.Sprintf("(%s XOR %s)", g.condition(depth-1), g.condition(depth-1))
	}
	of := g.anyClass()
	x := g.value(of, depth-1)
	if c, ok := g.column(of); ok && g.chance(70) {
		x = c.name // conditions that keys and indexes see
	}
	not := g.pick("", "", "NOT ")
	switch g.random.IntN(10) {
	case 0, 1, 2, 3:
		return fmt.Sprintf("%s %s %s", x, g.pick("=", "=", "=", "<", "<=", ">", ">=", "<>", "!="), g.value(of, depth-1))
	case 4:
		return fmt.Sprintf("%s <=> %s", x, g.value(of, depth-1))
	case 5:
		return fmt.Sprintf("%s IS %sNULL", x, not)
	case 6:
		return fmt.Sprintf("%s %sBETWEEN %s AND %s", x, not, g.value(of, 0), g.value(of, 0))
	case 7:
		return fmt.Sprintf("%s %sIN (%s)", x, not, g.list(of))
	case 8:
		return fmt.Sprintf("%s %sLIKE %s", g.value(text, 0), not, g.pick("'a%'", "'%b'", "'_'", "'x\\\\_y'", "'%'", "'a_c'", "''", "'\\\\%'"))
	}
	if of == truth {
		return fmt.Sprintf("%s IS %s%s", x, not, g.pick("TRUE", "FALSE"))
	}
	return g.tuple()
}

func (g *generator) list(of class) string {
	var list []string
	for range 1 + g.random.IntN(4) {
		list = append(list, g.constant(of))
	}
	if g.chance(10) {
		list = append(list, "NULL")
	}
	return strings.Join(list, ", ")
}

// tuple compares two columns at once.
func (g *generator) tuple() string {
	a, b := g.of.columns[g.random.IntN(len(g.of.columns))], g.of.columns[g.random.IntN(len(g.of.columns))]
	row := func() string { return fmt.Sprintf("(%s, %s)", g.constant(a.of), g.constant(b.of)) }
	if g.chance(50) {
		return fmt.Sprintf("(%s, %s) IN (%s, %s)", a.name, b.name, row(), row())
	}
	return fmt.Sprintf("(%s, %s) %s %s", a.name, b.name, g.pick("=", "<", ">=", ">"), row())
}

// statement is a whole SELECT; ordered says that its rows have one order.
func (g *generator) statement() (text string, ordered bool) {
	if g.chance(35) {
		return g.grouped()
	}
	var list []string
	distinct := g.chance(15)
	for range 1 + g.random.IntN(4) {
		list = append(list, g.value(g.anyClass(), g.random.IntN(3)))
	}
	out := "SELECT /*+ _l_allow_filtering_ */ "
	if distinct {
		out += "DISTINCT "
	} else if g.chance(20) {
		list = []string{"*"}
	}
	out += strings.Join(list, ", ") + " FROM " + g.of.name
	if g.chance(80) {
		out += " WHERE " + g.condition(2)
	}
	switch {
	case distinct:
		return out, false
	case g.chance(60):
		out += " ORDER BY " + g.order()
		if g.chance(50) {
			out += g.limit()
		}
		return out, true
	}
	return out, false
}

// order is a whole order: the key ends it.
func (g *generator) order() string {
	var by []string
	for range g.random.IntN(3) {
		if g.chance(70) {
			by = append(by, g.of.columns[g.random.IntN(len(g.of.columns))].name+g.pick("", " ASC", " DESC"))
		} else {
			by = append(by, g.value(g.pickClass(number, text), 1)+g.pick("", " DESC"))
		}
	}
	direction := g.pick("", " DESC")
	for _, name := range g.of.key {
		if g.chance(20) {
			direction = g.pick("", " DESC")
		}
		by = append(by, name+direction)
	}
	return strings.Join(by, ", ")
}

func (g *generator) pickClass(list ...class) class { return list[g.random.IntN(len(list))] }

func (g *generator) limit() string {
	switch g.random.IntN(3) {
	case 0:
		return fmt.Sprintf(" LIMIT %d, %d", g.random.IntN(20), g.random.IntN(10))
	case 1:
		return fmt.Sprintf(" LIMIT %d OFFSET %d", g.random.IntN(10), g.random.IntN(20))
	}
	return fmt.Sprintf(" LIMIT %d", g.random.IntN(12))
}

// aggregate is one aggregate.
func (g *generator) aggregate() string {
	switch g.random.IntN(7) {
	case 0:
		return "COUNT(*)"
	case 1:
		return fmt.Sprintf("COUNT(%s)", g.value(g.anyClass(), 1))
	case 2:
		return fmt.Sprintf("COUNT(DISTINCT %s)", g.value(g.pickClass(number, text), 0))
	case 3:
		return fmt.Sprintf("SUM(%s)", g.value(number, 1))
	case 4:
		return fmt.Sprintf("AVG(%s)", g.value(number, 1))
	}
	return fmt.Sprintf("%s(%s)", g.pick("MIN", "MAX"), g.value(g.pickClass(number, text, moment, day), 1))
}

// grouped is a SELECT with aggregates.
func (g *generator) grouped() (text string, ordered bool) {
	var keys, list []string
	for range g.random.IntN(3) {
		c := g.of.columns[g.random.IntN(len(g.of.columns))]
		keys = append(keys, c.name)
	}
	list = append(list, keys...)
	for range 1 + g.random.IntN(3) {
		list = append(list, g.aggregate())
	}
	out := "SELECT /*+ _l_allow_filtering_ */ " + strings.Join(list, ", ") + " FROM " + g.of.name
	if g.chance(70) {
		out += " WHERE " + g.condition(2)
	}
	if len(keys) > 0 {
		out += " GROUP BY " + strings.Join(keys, ", ")
	}
	if g.chance(30) {
		out += fmt.Sprintf(" HAVING COUNT(*) %s %d", g.pick(">", "<", ">=", "="), g.random.IntN(6))
	}
	if len(keys) > 0 && g.chance(50) {
		for i := range keys {
			keys[i] += g.pick("", " DESC")
		}
		out += " ORDER BY " + strings.Join(keys, ", ")
		if g.chance(40) {
			out += g.limit()
		}
		return out, true
	}
	return out, false
}
