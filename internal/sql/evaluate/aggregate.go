// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
	"github.com/weftdb/weft/order"
)

// aggregateKind is the kind of an aggregate.
type aggregateKind uint8

const (
	countKind aggregateKind = iota + 1
	sumKind
	avgKind
	minKind
	maxKind
	concatKind
	headKind
	anyKind
	bitAndKind
	bitOrKind
	bitXorKind
	varianceKind
	varianceSampleKind
	deviationKind
	deviationSampleKind
	arrayKind
	objectKind
)

// aggregates are the names of aggregates. // immutable
var aggregates = map[string]aggregateKind{"count": countKind, "sum": sumKind, "avg": avgKind, "min": minKind,
	"max":          maxKind,
	"group_concat": concatKind, "head": headKind, "any_value": anyKind, "bit_and": bitAndKind, "bit_or": bitOrKind,
	"bit_xor":  bitXorKind,
	"variance": varianceKind, "var_pop": varianceKind, "var_samp": varianceSampleKind, "std": deviationKind,
	"stddev":     deviationKind,
	"stddev_pop": deviationKind, "stddev_samp": deviationSampleKind,
	"json_arrayagg": arrayKind, "json_objectagg": objectKind}

// Aggregate is a compiled aggregate. It does not change; New makes what one group keeps.
type Aggregate struct {
	call      *tree.Call
	kind      aggregateKind
	arguments []node // none of COUNT(*)
	slots     []int
	t         datum.Type
	// orderBy are the keys of GROUP_CONCAT, JSON_ARRAYAGG and HEAD.
	orderBy    []node
	descending []bool
	separator  string
}

// Accumulator is an aggregate's state for one group. It serves one goroutine.
type Accumulator interface {
	// Add takes in the row of the context.
	Add(x *Context) error
	// Result is the value so far. It aliases the accumulator.
	Result(x *Context) (datum.Datum, error)
	// Bytes is about how much memory it holds. It takes constant time.
	Bytes() int
}

// NewAggregate compiles an aggregate over the columns of scope. The errors are faults: wrong numbers of arguments,
// aggregates inside of it, and those of scope.
func NewAggregate(e *tree.Call, scope Scope) (*Aggregate, error) {
	a := &Aggregate{call: e, kind: aggregates[e.Name], separator: ","}
	switch {
	case a.kind == 0:
		return nil, unknownFunction(e.Name)
	case a.kind == arrayKind || a.kind == objectKind:
		a.separator = ", "
	case e.Separator != nil:
		a.separator = *e.Separator
	}
	c := compiler{scope: scope}
	var t datum.Type
	if len(e.Arguments) > 0 {
		if _, star := e.Arguments[0].(*tree.Star); !star || a.kind != countKind || len(e.Arguments) > 1 {
			operands, err := c.all(e.Arguments...)
			if err != nil {
				return nil, err
			}
			a.arguments, t = nodes(operands), operands[0].t
		}
	}
	if !a.takes(len(e.Arguments)) {
		return nil, fault.New(fault.ParameterCount, e.Name)
	}
	for _, o := range e.OrderBy {
		by, err := c.compile(o.By)
		if err != nil {
			return nil, err
		}
		a.orderBy, a.descending = append(a.orderBy, by.node), append(a.descending, o.Descending)
	}
	a.t, a.slots = a.typeOver(t), c.slots
	return a, nil
}

// takes reports whether the aggregate takes so many arguments.
func (a *Aggregate) takes(count int) bool {
	switch a.kind {
	case concatKind:
		return count > 0
	case countKind:
		return count == 1 || count > 1 && a.call.Distinct
	case objectKind:
		return count == 2
	}
	return count == 1
}

// Grows reports whether what is kept for one group grows with its rows.
func (a *Aggregate) Grows() bool {
	switch a.kind {
	case concatKind, headKind, arrayKind, objectKind:
		return true
	}
	return a.call.Distinct
}

// typeOver is the type of the result over arguments of type t.
func (a *Aggregate) typeOver(t datum.Type) datum.Type {
	switch a.kind {
	case countKind:
		return datum.Type{Base: datum.BigInt}
	case bitAndKind, bitOrKind, bitXorKind:
		return datum.Type{Base: datum.BigIntUnsigned}
	case concatKind:
		return datum.Type{Base: datum.Varchar}
	case arrayKind, objectKind:
		return datum.Type{Base: datum.JSONBase}
	case minKind, maxKind, headKind, anyKind:
		return t
	case sumKind, avgKind:
		n := numberType(t)
		if n.Base == datum.Untyped || n.Base == datum.Double {
			return n
		}
		scale := n.Scale
		if a.kind == avgKind {
			scale = min(scale+4, 30)
		}
		return datum.Type{Base: datum.DecimalBase, Precision: order.DecimalDigitsMax, Scale: scale}
	}
	return datum.Type{Base: datum.Double}
}

// Type returns the type of the result.
func (a *Aggregate) Type() datum.Type { return a.t }

// Slots returns the slots of the row that it reads; one may occur twice.
func (a *Aggregate) Slots() []int { return a.slots }

// CountsRows says that the aggregate is COUNT(*), which reads no column.
func (a *Aggregate) CountsRows() bool { return a.kind == countKind && len(a.arguments) == 0 }

// New makes what one group keeps.
func (a *Aggregate) New() Accumulator {
	if a.CountsRows() {
		return &rowCount{}
	}
	var g gatherer
	switch a.kind {
	case countKind:
		g = &valueCount{}
	case sumKind:
		g = &sum{}
	case avgKind:
		g = &average{}
	case minKind:
		g = &extreme{direction: -1}
	case maxKind:
		g = &extreme{direction: 1}
	case concatKind, arrayKind, objectKind:
		return newConcat(a)
	case headKind:
		return &head{of: a}
	case anyKind:
		g = &first{}
	case bitAndKind, bitOrKind, bitXorKind:
		g = newBits(a.kind)
	default:
		g = &variance{kind: a.kind}
	}
	if a.call.Distinct && a.kind != minKind && a.kind != maxKind {
		return &distinct{of: a, gatherer: g}
	}
	if len(a.arguments) == 1 {
		return newSingle(a.arguments[0], g)
	}
	return &distinct{of: a, gatherer: g}
}
