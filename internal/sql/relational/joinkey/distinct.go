// SPDX-License-Identifier: Apache-2.0

package joinkey

import (
	"fmt"
	"strconv"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"
)

// soundDistinct makes COUNT(DISTINCT ..) take equal values for equal: the engine counts texts of them, in which decimals have all digits of their scales and
// nothing tells several arguments apart.
func soundDistinct(c *aggregation.CountDistinct) {
	for i, e := range c.ChildExpressions {
		_, isStar := e.(*expression.Star)
		if _, done := e.(*distinct); !done && !isStar {
			c.ChildExpressions[i] = &distinct{key{of: e}, len(c.ChildExpressions) > 1}
		}
	}
}

// distinct is an expression in the form in which COUNT(DISTINCT ..) counts it: a text.
type distinct struct {
	key
	several bool // it is one of several
}

// Eval computes the text.
func (d *distinct) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := d.of.Eval(ctx, row)
	if err != nil || v == nil {
		return nil, err
	}
	text, err := distinctText(ctx, v)
	if err == nil && d.several {
		text = strconv.Quote(text)
	}
	return text, err
}

func distinctText(ctx *sql.Context, v any) (string, error) {
	if d, is := v.(decimal.Decimal); is {
		return d.String(), nil // without zeros at its end
	}
	text, _, err := types.LongText.Convert(ctx, v)
	if s, ok := text.(string); ok && err == nil {
		return s, nil
	}
	return fmt.Sprint(v), err
}

// WithChildren puts another expression in its place.
func (d *distinct) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, fmt.Errorf("an argument of COUNT(DISTINCT ..) is one expression, not %d", len(children))
	}
	return &distinct{key{of: children[0]}, d.several}, nil
}
