// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"math"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/order"
)

// gatherer takes in values other than NULL, one after the other.
type gatherer interface {
	gather(d datum.Datum) error
	Result(x *Context) (datum.Datum, error)
	Bytes() int
}

// single hands the values of one argument to a gatherer.
type single struct {
	argument node
	gatherer
	integer  integerNode // nil: the argument, or the gatherer, knows none
	integers integerGatherer
}

func newSingle(argument node, g gatherer) *single {
	s := &single{argument: argument, gatherer: g}
	if takes, ok := g.(integerGatherer); ok {
		s.integer, s.integers = integerOf(argument), takes
	}
	return s
}

func (s *single) Add(x *Context) error {
	if s.integer != nil {
		if n, ok := s.integer.integer(x); ok && s.integers.gatherInteger(n) {
			return nil
		}
	}
	d, err := s.argument.value(x)
	if err != nil || d.IsNull() {
		return err
	}
	return s.gather(d)
}

// distinct hands each value over once. Of several arguments, rows without NULL count.
type distinct struct {
	of   *Aggregate
	seen valueSet
	gatherer
}

// valueSet is a set of values.
type valueSet struct {
	keys    map[string]struct{}
	scratch []byte
	bytes   int
}

// add reports whether the key in scratch is new.
func (s *valueSet) add() bool {
	if _, found := s.keys[string(s.scratch)]; found {
		return false
	}
	if s.keys == nil {
		s.keys = make(map[string]struct{})
	}
	s.keys[string(s.scratch)] = struct{}{}
	s.bytes += len(s.scratch) + 48 // the string's header and its share of the map
	return true
}

func (s *distinct) Add(x *Context) error {
	s.seen.scratch = s.seen.scratch[:0]
	var last datum.Datum
	for _, argument := range s.of.arguments {
		d, err := argument.value(x)
		if err != nil || d.IsNull() {
			return err
		}
		s.seen.scratch = d.AppendKey(s.seen.scratch)
		last = d
	}
	if !s.seen.add() {
		return nil
	}
	return s.gather(last)
}

func (s *distinct) Bytes() int { return s.seen.bytes + s.gatherer.Bytes() }

// rowCount is COUNT(*).
type rowCount struct{ count int64 }

func (s *rowCount) Add(*Context) error                   { s.count++; return nil }
func (s *rowCount) Result(*Context) (datum.Datum, error) { return datum.Int(s.count), nil }
func (s *rowCount) Bytes() int                           { return 16 }

// valueCount is COUNT(x).
type valueCount struct{ count int64 }

func (s *valueCount) gather(datum.Datum) error             { s.count++; return nil }
func (s *valueCount) Result(*Context) (datum.Datum, error) { return datum.Int(s.count), nil }
func (s *valueCount) Bytes() int                           { return 16 }

// sum is SUM: exact over integers and decimals, a float as soon as there was one.
type sum struct {
	count   int64
	integer int64       // the integers so far, while they fit
	exact   datum.Datum // the rest of the exact numbers
	float   float64
	floats  bool
}

func (s *sum) gather(d datum.Datum) error {
	n := d.Number()
	switch n.Kind() {
	case datum.KindNull:
		return nil
	case datum.KindFloat:
		s.float += n.Float()
		s.floats = true
	case datum.KindInt:
		if next := s.integer + n.Int(); (next > s.integer) == (n.Int() > 0) {
			s.integer = next
			break
		}
		return s.gatherExact(n)
	default:
		return s.gatherExact(n)
	}
	s.count++
	return nil
}

func (s *sum) gatherExact(n datum.Datum) error {
	if n.Kind() != datum.KindDecimal {
		x, _ := n.NumberDecimal()
		n = datum.Decimal(x)
	}
	if s.exact.IsNull() {
		s.exact = n
	} else {
		var err error
		if s.exact, err = datum.Add(s.exact, n); err != nil {
			return err
		}
	}
	s.count++
	return nil
}

// Result is the value so far: NULL of no values.
func (s *sum) Result(*Context) (datum.Datum, error) {
	if s.count == 0 {
		return datum.Null, nil
	}
	total := datum.Decimal(order.DecimalFromInt(s.integer))
	if !s.exact.IsNull() {
		var err error
		if total, err = datum.Add(total, s.exact); err != nil {
			return datum.Null, err
		}
	}
	if s.floats {
		return datum.Float64(total.NumberFloat() + s.float), nil
	}
	return total, nil
}

func (s *sum) Bytes() int { return 80 }

// average is AVG.
type average struct{ sum }

func (s *average) Result(x *Context) (datum.Datum, error) {
	total, err := s.sum.Result(x)
	if err != nil || total.IsNull() {
		return datum.Null, err
	}
	return datum.Divide(total, datum.Int(s.count))
}

// extreme is MIN and MAX.
type extreme struct {
	direction int
	best      datum.Datum
}

func (s *extreme) gather(d datum.Datum) error {
	d = d.Unnumbered() // as in MySQL, of ENUM and SET it is the text
	if s.best.IsNull() || datum.Order(d, s.best)*s.direction > 0 {
		s.best = d.Clone()
	}
	return nil
}

func (s *extreme) Result(*Context) (datum.Datum, error) { return s.best, nil }
func (s *extreme) Bytes() int                           { return 64 + s.best.Len() }

// first is ANY_VALUE.
type first struct {
	d datum.Datum
}

func (s *first) gather(d datum.Datum) error {
	if s.d.IsNull() {
		s.d = d.Clone()
	}
	return nil
}

func (s *first) Result(*Context) (datum.Datum, error) { return s.d, nil }
func (s *first) Bytes() int                           { return 64 + s.d.Len() }

// bits is BIT_AND, BIT_OR and BIT_XOR.
type bits struct {
	kind  aggregateKind
	value uint64
}

func newBits(kind aggregateKind) *bits {
	b := &bits{kind: kind}
	if kind == bitAndKind {
		b.value = math.MaxUint64
	}
	return b
}

func (s *bits) gather(d datum.Datum) error {
	switch b := d.Bits(); s.kind {
	case bitAndKind:
		s.value &= b
	case bitOrKind:
		s.value |= b
	default:
		s.value ^= b
	}
	return nil
}

func (s *bits) Result(*Context) (datum.Datum, error) { return datum.Uint(s.value), nil }
func (s *bits) Bytes() int                           { return 24 }

// variance is VARIANCE and STDDEV, of populations and of samples, by Welford's method: it does not lose digits to a
// large mean.
type variance struct {
	kind          aggregateKind
	count         float64
	mean, squares float64
}

func (s *variance) gather(d datum.Datum) error {
	x := d.NumberFloat()
	s.count++
	delta := x - s.mean
	s.mean += delta / s.count
	s.squares += delta * (x - s.mean)
	return nil
}

func (s *variance) Result(*Context) (datum.Datum, error) {
	divisor := s.count
	if s.kind == varianceSampleKind || s.kind == deviationSampleKind {
		divisor--
	}
	if divisor <= 0 {
		return datum.Null, nil
	}
	v := s.squares / divisor
	if s.kind == deviationKind || s.kind == deviationSampleKind {
		v = math.Sqrt(v)
	}
	return datum.Float64(v), nil
}

func (s *variance) Bytes() int { return 40 }
