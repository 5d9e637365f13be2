// SPDX-License-Identifier: Apache-2.0

package access

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/keytext"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/testing/valuetest"
)

// typeWords are the types as table definitions in tests write them.
var typeWords = map[string]schema.Type{
	"S": schema.String, "N": schema.Number, "B": schema.Binary, "any": schema.AnyType, "bool": schema.Bool,
	"int":   schema.Int,
	"float": schema.Float, "ts": schema.Timestamp,
}

// parseTable reads the primary key on the first line and an index on each other one, "by_b: b S; desc(c) N | nulls".
func parseTable(lines []string) (*schema.Table, error) {
	t := &schema.Table{Name: "t"}
	for i, line := range lines {
		name, key, named := strings.Cut(line, ": ")
		if !named {
			name, key = "", line
		}
		x, err := parseIndex(key)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", line, err)
		}
		x.ID, x.Name = uint32(i), name
		if i == 0 {
			t.Primary = x
		} else {
			t.Indexes = append(t.Indexes, x)
		}
	}
	return t, nil
}

func parseIndex(text string) (x schema.Index, err error) {
	parts, options, _ := strings.Cut(text, "|")
	x.PartitionParts = 1
	for _, field := range strings.Split(parts, ";") {
		field = strings.TrimSpace(field)
		space := strings.LastIndexByte(field, ' ')
		p, _, err := keytext.Parse(field[:space], typeWords[field[space+1:]])
		if err != nil {
			return x, err
		}
		x.Key = append(x.Key, p)
	}
	for _, option := range strings.Fields(options) {
		word, argument, _ := strings.Cut(option, "=")
		switch word {
		case "nulls":
			x.KeepNulls = true
		case "hash":
			x.Key = append([]schema.KeyPart{keytext.HashDistribution(x.Key, x.PartitionParts)}, x.Key...)
		case "partition":
			_, err = fmt.Sscan(argument, &x.PartitionParts)
		case "keys":
			x.Projection = schema.ProjectKeys
		case "include":
			x.Projection, x.Include = schema.ProjectInclude, strings.Split(argument, ",")
		case "state":
			err = x.State.UnmarshalText([]byte(argument))
		default:
			err = fmt.Errorf("unknown option %q", option)
		}
		if err != nil {
			return x, err
		}
	}
	return x, nil
}

// tokens are strings, binaries, quoted names in backquotes, words and numbers, and signs.
var tokens = regexp.MustCompile("x?\"(?:[^\"\\\\]|\\\\.)*\"|`[^`]*`|[-\\w.+]+|<=|>=|<>|[=<>(),]")

// conditionParser reads a condition in the usual notation, with literals as valuetest.ParseText has them.
type conditionParser struct {
	tokens []string
	err    error
}

func parseCondition(text string) (expr.Condition, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	p := &conditionParser{tokens: tokens.FindAllString(text, -1)}
	c := p.or()
	if p.err == nil && len(p.tokens) > 0 {
		p.err = fmt.Errorf("%q is left over", p.tokens)
	}
	return c, p.err
}

func (p *conditionParser) peek() string {
	if len(p.tokens) == 0 {
		return ""
	}
	return p.tokens[0]
}

func (p *conditionParser) next() string {
	token := p.peek()
	if token == "" {
		p.err = fmt.Errorf("the text ends early")
		return ""
	}
	p.tokens = p.tokens[1:]
	return token
}

func (p *conditionParser) is(token string) bool {
	if p.peek() != token {
		return false
	}
	p.next()
	return true
}

func (p *conditionParser) or() expr.Condition {
	list := []expr.Condition{p.and()}
	for p.is("OR") {
		list = append(list, p.and())
	}
	if len(list) == 1 {
		return list[0]
	}
	return &expr.Or{List: list}
}

func (p *conditionParser) and() expr.Condition {
	list := []expr.Condition{p.not()}
	for p.is("AND") {
		list = append(list, p.not())
	}
	return expr.Conjunction(list...)
}

func (p *conditionParser) not() expr.Condition {
	switch {
	case p.is("NOT"):
		return &expr.Not{Of: p.not()}
	case p.is("("):
		c := p.or()
		p.is(")")
		return c
	case p.is("begins_with"):
		list := p.list()
		return &expr.BeginsWith{X: list[0], Prefix: list[1]}
	case p.is("attribute_not_exists"):
		return &expr.NotExists{Path: *p.list()[0].(*expr.Path)}
	case p.is("attribute_exists"):
		return &expr.Exists{Path: *p.list()[0].(*expr.Path)}
	case p.is("is_null"):
		return &expr.HasType{X: p.list()[0], Type: value.Null}
	}
	return p.comparison()
}

var comparisons = map[string]expr.Comparison{
	"=": expr.Equal, "<>": expr.NotEqual, "<": expr.Less, "<=": expr.LessOrEqual, ">": expr.Greater,
	">=": expr.GreaterOrEqual,
}

func (p *conditionParser) comparison() expr.Condition {
	a := p.operand()
	switch sign := p.next(); sign {
	case "BETWEEN":
		low := p.operand()
		p.is("AND")
		return &expr.Between{X: a, Low: low, High: p.operand()}
	case "IN":
		return &expr.In{X: a, List: p.list()}
	default:
		op, ok := comparisons[sign]
		if !ok && p.err == nil {
			p.err = fmt.Errorf("%q is no comparison", sign)
		}
		return &expr.Compare{Op: op, A: a, B: p.operand()}
	}
}

func (p *conditionParser) list() (list []expr.Operand) {
	p.is("(")
	for {
		list = append(list, p.operand())
		if !p.is(",") {
			p.is(")")
			return list
		}
	}
}

func (p *conditionParser) operand() expr.Operand {
	token := p.next()
	if strings.HasPrefix(token, "`") {
		return &expr.Path{Name: strings.Trim(token, "`")}
	}
	if v, err := valuetest.ParseText(token); err == nil {
		return &expr.Literal{Value: v}
	}
	return &expr.Path{Name: token}
}
