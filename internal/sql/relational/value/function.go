// SPDX-License-Identifier: Apache-2.0

package value

import (
	"strings"
	"sync"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/evaluate/function"
)

// Function is Weft's function of a name, for the engine to call in place of its own; ok is false for names that the engine may keep. It has those
// of regular expressions: the engine's can't be ended, and take time by the exponent of a text's length.
func Function(name string) (f sql.Function, ok bool) {
	name = strings.ToLower(name)
	of, ok := function.Find(name)
	if !ok || !strings.HasPrefix(name, "regexp_") {
		return nil, false
	}
	return sql.FunctionN{Name: name, Fn: func(arguments ...sql.Expression) (sql.Expression, error) {
		if len(arguments) < of.Min || len(arguments) > of.Max {
			return nil, sql.ErrInvalidArgumentNumber.New(name, of.Max, len(arguments))
		}
		return &call{name: name, of: of, arguments: arguments, environment: new(environment)}, nil
	}}, true
}

// environment is what calls share that are copies of one.
type environment struct {
	mu sync.Mutex
	function.Environment
}

// call is a function of Weft's over expressions of the engine's.
type call struct {
	name        string
	of          *function.Function
	arguments   []sql.Expression
	environment *environment
}

var (
	_ sql.FunctionExpression = (*call)(nil)
	_ sql.CollationCoercible = (*call)(nil)
)

func (c *call) FunctionName() string { return c.name }
func (c *call) Description() string  { return "" }
func (c *call) IsNullable() bool     { return true }

func (c *call) Children() []sql.Expression { return c.arguments }

func (c *call) Resolved() bool {
	for _, a := range c.arguments {
		if !a.Resolved() {
			return false
		}
	}
	return true
}

func (c *call) String() string {
	var texts []string
	for _, a := range c.arguments {
		texts = append(texts, a.String())
	}
	return c.name + "(" + strings.Join(texts, ",") + ")"
}

func (c *call) Type() sql.Type {
	switch c.of.Result(nil).Base {
	case datum.Boolean:
		return types.Boolean
	case datum.BigInt:
		return types.Int64
	}
	return types.CreateLongText(TextCollation)
}

func (c *call) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return sql.GetCoercibility(ctx, c.arguments[0])
}

func (c *call) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != len(c.arguments) {
		return nil, sql.ErrInvalidChildrenNumber.New(c, len(children), len(c.arguments))
	}
	copied := *c
	copied.arguments = children
	return &copied, nil
}

func (c *call) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	arguments := make([]datum.Datum, len(c.arguments))
	for i, a := range c.arguments {
		v, err := a.Eval(ctx, row)
		if err != nil || v == nil {
			return nil, err
		}
		t := a.Type()
		if arguments[i], err = FromEngine(ctx, v, ResultType(t).Base, t); err != nil {
			return nil, err
		}
	}
	c.environment.mu.Lock()
	defer c.environment.mu.Unlock()
	c.environment.Reset()
	c.environment.Done = ctx.Done()
	d, err := c.of.Apply(&c.environment.Environment, arguments)
	if err != nil {
		return nil, err
	}
	return Loose(d), nil
}
