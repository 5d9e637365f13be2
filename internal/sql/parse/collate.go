// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"strings"

	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// collated is an expression with the COLLATE behind it, of a collation by which texts are equal whose letters differ in
// case. It becomes what such texts have in common where they are compared: WEIGHT_STRING(x, collation). Elsewhere it
// changes nothing, and the statement has a warning.
type collated struct {
	of        tree.Expression
	collation string
}

// ignoresCase reports whether a collation takes some different texts for equal.
func ignoresCase(collation string) bool { return strings.HasSuffix(collation, "_ci") }

// charsets are the beginnings of collations' names. // immutable
var charsets = strings.Fields("utf8mb4 utf8mb3 utf8 latin1 latin2 latin5 latin7 ascii binary ucs2 utf16 utf16le utf32 " +
	"armscii8 big5 cp1250 cp1251 cp1256 cp1257 cp850 cp852 cp866 cp932 dec8 eucjpms euckr gb18030 gb2312 gbk geostd8 " +
	"greek hebrew hp8 keybcs2 koi8r koi8u macce macroman sjis swe7 tis620 ujis default")

// collationNamed reads the name of a collation behind COLLATE. Errors: 1273.
func (p *parser) collationNamed() string {
	name := p.collationName()
	lower := strings.ToLower(name)
	for _, charset := range charsets {
		if lower == charset || strings.HasPrefix(lower, charset+"_") {
			return lower
		}
	}
	if p.Failure == nil {
		p.Failure = fault.New(fault.UnknownCollation, name)
	}
	return lower
}

// readCollate reads COLLATE behind an operand.
func (p *parser) readCollate(x tree.Expression) tree.Expression {
	for p.At.Word == "collate" {
		p.Advance()
		if name := p.collationNamed(); ignoresCase(name) {
			p.collated = append(p.collated, collated{x, name})
		} else {
			p.noteText(name)
		}
	}
	return x
}

// collationOf is the collation by which expressions are compared; "" if none of them has a COLLATE.
func (p *parser) collationOf(list []*tree.Expression) (name string) {
	kept := p.collated[:0]
	for _, c := range p.collated {
		found := false
		for _, e := range list {
			found = found || *e == c.of
		}
		if found {
			name = c.collation
		} else {
			kept = append(kept, c)
		}
	}
	p.collated = kept
	return name
}

// weigh lets expressions be compared by the collation that one of them has.
func (p *parser) weigh(list ...*tree.Expression) { p.weighBy("weight_string", list) }

func (p *parser) weighBy(function string, list []*tree.Expression) {
	if len(p.collated) == 0 {
		return
	}
	if name := p.collationOf(list); name != "" {
		for _, e := range list {
			*e = &tree.Call{Name: function, Arguments: []tree.Expression{*e, textLiteral(name)}}
		}
	}
}

// weighCall lets functions that compare texts do so by the collation of one of them.
func (p *parser) weighCall(c *tree.Call) {
	compared := make([]*tree.Expression, len(c.Arguments))
	for i := range c.Arguments {
		compared[i] = &c.Arguments[i]
	}
	switch c.Name {
	case "count":
		if c.Distinct {
			p.weighAll(c.Arguments)
		}
	case "min", "max":
		p.weighExtreme(c)
	case "strcmp", "field":
		p.weigh(compared...)
	case "instr", "locate", "find_in_set":
		p.weighBy("weight_text", compared)
	}
}

// weighExtreme lets MIN and MAX be the text that comes first by its collation. Over a window they compare bytes.
func (p *parser) weighExtreme(c *tree.Call) {
	if len(c.Arguments) != 1 || p.Is("over") {
		return
	}
	text := c.Arguments[0]
	if name := p.collationOf([]*tree.Expression{&text}); name != "" {
		c.OrderBy = []tree.Order{{By: &tree.Is{X: text}}, {By: weight(text, name), Descending: c.Name == "max"}}
		c.Name, c.Distinct = "head", false
	}
}

// weighComparison is weigh of both sides, and of the elements of rows pair by pair.
func (p *parser) weighComparison(b *tree.Binary) {
	if len(p.collated) == 0 {
		return
	}
	left, isRow := b.Left.(*tree.Tuple)
	right, both := b.Right.(*tree.Tuple)
	if !isRow || !both || len(left.Elements) != len(right.Elements) {
		p.weigh(&b.Left, &b.Right)
		return
	}
	for i := range left.Elements {
		p.weigh(&left.Elements[i], &right.Elements[i])
	}
}

// weighColumn lets x IN (SELECT y ..), and x = ANY (SELECT y ..), compare by the collation that x has.
func (p *parser) weighColumn(x *tree.Expression, query tree.Query) {
	one, ok := query.(*tree.Select)
	if !ok || len(p.collated) == 0 || len(one.List) != 1 {
		return
	}
	if _, star := one.List[0].Expression.(*tree.Star); !star {
		p.weigh(x, &one.List[0].Expression)
	}
}

// weighCase lets CASE x WHEN y compare by the collation of one of them.
func (p *parser) weighCase(c *tree.Case) {
	if c.Operand == nil || len(p.collated) == 0 {
		return
	}
	compared := []*tree.Expression{&c.Operand}
	for i := range c.Whens {
		compared = append(compared, &c.Whens[i].Condition)
	}
	p.weigh(compared...)
}

// weighString lets WEIGHT_STRING(x COLLATE c) be WEIGHT_STRING(x, c).
func (p *parser) weighString(c *tree.Call) {
	if name := p.collationOf([]*tree.Expression{&c.Arguments[0]}); name != "" {
		c.Arguments = append(c.Arguments, textLiteral(name))
	}
}

// weighAll is weigh of each on its own.
func (p *parser) weighAll(list []tree.Expression) {
	for i := range list {
		p.weigh(&list[i])
	}
}

// weighLike lets LIKE match texts in a form without cases, and REGEXP ignore them.
func (p *parser) weighLike(like *tree.Like) {
	if !like.Regexp {
		p.weighBy("weight_text", []*tree.Expression{&like.X, &like.Pattern})
	} else if len(p.collated) > 0 && p.collationOf([]*tree.Expression{&like.X, &like.Pattern}) != "" {
		like.Pattern = &tree.Call{Name: "concat", Arguments: []tree.Expression{textLiteral("(?i)"), like.Pattern}}
	}
}
