// SPDX-License-Identifier: Apache-2.0

package function

import (
	"bytes"
	"math"
	"math/bits"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/order"
)

// numbers are the functions of numbers. // immutable
var numbers = map[string]Function{
	"abs":      {Min: 1, Max: 1, Result: numeric, Apply: abs},
	"ceil":     {Min: 1, Max: 1, Result: wholeType, Apply: ceil},
	"ceiling":  {Min: 1, Max: 1, Result: wholeType, Apply: ceil},
	"floor":    {Min: 1, Max: 1, Result: wholeType, Apply: floor},
	"round":    {Min: 1, Max: 2, Result: roundedType, Apply: round},
	"truncate": {Min: 2, Max: 2, Result: numeric, Apply: truncate},
	"distance": {Min: 2, Max: -1, Result: isDouble, Apply: distance},
	"mod":      {Min: 2, Max: 2, Result: wider, Apply: mod},
	"pow":      {Min: 2, Max: 2, Result: isDouble, Apply: pow},
	"power":    {Min: 2, Max: 2, Result: isDouble, Apply: pow},
	"sqrt":     {Min: 1, Max: 1, Result: isDouble, Apply: real(math.Sqrt)},
	"exp":      {Min: 1, Max: 1, Result: isDouble, Apply: real(math.Exp)},
	"ln":       {Min: 1, Max: 1, Result: isDouble, Apply: real(logarithm)},
	"log":      {Min: 1, Max: 2, Result: isDouble, Apply: logOf},
	"log2": {Min: 1, Max: 1, Result: isDouble,
		Apply: real(func(x float64) float64 { return positive(x, math.Log2) })},
	"log10":   {Min: 1, Max: 1, Result: isDouble, Apply: real(func(x float64) float64 { return positive(x, log10) })},
	"sin":     {Min: 1, Max: 1, Result: isDouble, Apply: real(math.Sin)},
	"cos":     {Min: 1, Max: 1, Result: isDouble, Apply: real(math.Cos)},
	"tan":     {Min: 1, Max: 1, Result: isDouble, Apply: real(math.Tan)},
	"cot":     {Min: 1, Max: 1, Result: isDouble, Apply: real(func(x float64) float64 { return 1 / math.Tan(x) })},
	"asin":    {Min: 1, Max: 1, Result: isDouble, Apply: real(math.Asin)},
	"acos":    {Min: 1, Max: 1, Result: isDouble, Apply: real(math.Acos)},
	"atan":    {Min: 1, Max: 2, Result: isDouble, Apply: atan},
	"atan2":   {Min: 2, Max: 2, Result: isDouble, Apply: atan},
	"degrees": {Min: 1, Max: 1, Result: isDouble, Apply: real(func(x float64) float64 { return x * 180 / math.Pi })},
	"radians": {Min: 1, Max: 1, Result: isDouble, Apply: real(func(x float64) float64 { return x * math.Pi / 180 })},
	"pi": {Min: 0, Max: 0, Result: isDouble,
		Apply: func(*Environment, []datum.Datum) (datum.Datum, error) { return datum.Float64(math.Pi), nil }},
	"sign":     {Min: 1, Max: 1, Result: isInteger, Apply: sign},
	"rand":     {Result: isDouble, Apply: random, Volatile: true, Nulls: true},
	"greatest": {Min: 2, Max: -1, Result: widest, Apply: greatest},
	"least":    {Min: 2, Max: -1, Result: widest, Apply: least},
}

// numeric is the type of an argument as arithmetic sees it.
func numeric(arguments []datum.Type) datum.Type {
	switch t := arguments[0]; {
	case t.IsText() || t.IsBinary() || t.IsFloat():
		return datum.Type{Base: datum.Double}
	case t.Base == datum.Untyped || t.Base == datum.DecimalBase || t.Base == datum.BigIntUnsigned:
		return t
	}
	return datum.Type{Base: datum.BigInt}
}

// roundedType is the type of ROUND: of one argument, a decimal shows nothing behind the point.
func roundedType(arguments []datum.Type) datum.Type {
	t := numeric(arguments)
	if len(arguments) == 1 && t.Base == datum.DecimalBase {
		t.Scale = 0
	}
	return t
}

func wholeType(arguments []datum.Type) datum.Type {
	if t := numeric(arguments); t.Base != datum.DecimalBase {
		return t
	}
	return datum.Type{Base: datum.BigInt}
}

func wider(arguments []datum.Type) datum.Type {
	x, y := numeric(arguments), numeric(arguments[1:])
	switch {
	case x.Base == datum.Untyped || y.Base == datum.Untyped:
		return datum.Type{}
	case x.Base == datum.Double || y.Base == datum.Double:
		return datum.Type{Base: datum.Double}
	case x.Base == datum.DecimalBase || y.Base == datum.DecimalBase:
		return datum.Type{Base: datum.DecimalBase, Precision: order.DecimalDigitsMax, Scale: max(x.Scale, y.Scale)}
	}
	return x
}

// widest is the type that GREATEST and LEAST give.
func widest(arguments []datum.Type) datum.Type {
	t, _ := datum.Unify(arguments)
	return t
}

func real(f func(float64) float64) func(*Environment, []datum.Datum) (datum.Datum, error) {
	return func(_ *Environment, a []datum.Datum) (datum.Datum, error) { return float(f(a[0].NumberFloat())) }
}

// float is NULL where a function is not defined, and an error where the result is too large.
func float(x float64) (datum.Datum, error) {
	if math.IsNaN(x) {
		return datum.Null, nil
	}
	if math.IsInf(x, 0) {
		return datum.Null, fault.New(fault.DataOutOfRange, "DOUBLE", "function")
	}
	return datum.Float64(x), nil
}

func positive(x float64, f func(float64) float64) float64 {
	if x <= 0 {
		return math.NaN()
	}
	return f(x)
}

// log10 is exact for powers of ten, which math.Log10 is not: it is the C library's way, with log10(2) in two parts. The
// conversions keep products from being fused with sums.
func log10(x float64) float64 {
	const high, low = 3.01029995663611771306e-01, 3.69423907715893078616e-13
	if math.IsInf(x, 0) {
		return x
	}
	fraction, exponent := math.Frexp(x)
	if exponent > 0 {
		fraction, exponent = 2*fraction, exponent-1
	}
	y := float64(exponent)
	return float64(float64(y*low)+float64(math.Log(fraction)*(1/math.Ln10))) + float64(y*high)
}

func logarithm(x float64) float64 { return positive(x, math.Log) }

func logOf(_ *Environment, a []datum.Datum) (datum.Datum, error) {
	if len(a) == 1 {
		return float(logarithm(a[0].NumberFloat()))
	}
	base := a[0].NumberFloat()
	if base == 1 {
		return datum.Null, nil
	}
	return float(logarithm(a[1].NumberFloat()) / logarithm(base))
}

func pow(_ *Environment, a []datum.Datum) (datum.Datum, error) {
	power := math.Pow(a[0].NumberFloat(), a[1].NumberFloat())
	if math.IsNaN(power) {
		power = math.Inf(1) // a root of a negative number is out of range, too
	}
	return float(power)
}

func atan(_ *Environment, a []datum.Datum) (datum.Datum, error) {
	if len(a) == 1 {
		return float(math.Atan(a[0].NumberFloat()))
	}
	return float(math.Atan2(a[0].NumberFloat(), a[1].NumberFloat()))
}

// distance is Euclid's between two points: the first half of the arguments, and the second.
func distance(_ *Environment, a []datum.Datum) (datum.Datum, error) {
	if len(a)%2 != 0 {
		return datum.Null, fault.New(fault.WrongArguments, "DISTANCE")
	}
	sum, half := 0.0, len(a)/2
	for i := range half {
		d := a[i].NumberFloat() - a[half+i].NumberFloat()
		sum += float64(d * d) // rounded by itself on every machine, as the search for the nearest does
	}
	return float(math.Sqrt(sum))
}

func mod(_ *Environment, a []datum.Datum) (datum.Datum, error) { return datum.Modulo(a[0], a[1]) }

func abs(_ *Environment, a []datum.Datum) (datum.Datum, error) {
	x := a[0].Number()
	if s := signOf(x); s >= 0 {
		return x, nil
	}
	if x.Kind() == datum.KindInt && x.Int() == math.MinInt64 {
		return datum.Null, fault.New(fault.DataOutOfRange, "BIGINT", "abs("+string(x.AppendText(nil))+")")
	}
	return datum.Negate(x)
}

func signOf(x datum.Datum) int {
	order, _ := datum.Compare(x, datum.Int(0))
	return order
}

func sign(_ *Environment, a []datum.Datum) (datum.Datum, error) {
	return datum.Int(int64(signOf(a[0].Number()))), nil
}

func ceil(_ *Environment, a []datum.Datum) (datum.Datum, error)  { return whole(a[0].Number(), 1) }
func floor(_ *Environment, a []datum.Datum) (datum.Datum, error) { return whole(a[0].Number(), -1) }

// whole rounds up or down to an integer.
func whole(x datum.Datum, direction int) (datum.Datum, error) {
	switch x.Kind() {
	case datum.KindFloat:
		if direction > 0 {
			return datum.Float64(math.Ceil(x.Float())), nil
		}
		return datum.Float64(math.Floor(x.Float())), nil
	case datum.KindDecimal:
		cut := datum.RoundDecimal(x.Decimal(), 0, true)
		if cut != x.Decimal() && x.Decimal().IsNegative() == (direction < 0) {
			cut, _ = cut.Add(order.DecimalFromInt(int64(direction)))
		}
		if n, exact := cut.Int(); exact {
			return datum.Int(n), nil
		}
		return datum.Decimal(cut), nil
	}
	return x, nil
}

func round(_ *Environment, a []datum.Datum) (datum.Datum, error) { return roundTo(a, false) }

func truncate(_ *Environment, a []datum.Datum) (datum.Datum, error) { return roundTo(a, true) }

func roundTo(a []datum.Datum, cut bool) (datum.Datum, error) {
	places := 0
	if len(a) > 1 {
		places = int(min(max(a[1].NumberInt(), -40), 30))
	}
	x := a[0].Number()
	switch x.Kind() {
	case datum.KindFloat:
		return datum.Float64(roundFloat(x.Float(), places, cut)), nil
	case datum.KindDecimal:
		rounded := datum.RoundDecimal(x.Decimal(), places, cut)
		return datum.DecimalOfScale(rounded, max(min(places, x.Scale()), 0)), nil
	case datum.KindInt, datum.KindUint:
		return roundInteger(x, -places, cut)
	}
	return datum.Null, nil
}

// roundInteger makes the last digits of an integer zeros.
func roundInteger(x datum.Datum, zeros int, cut bool) (datum.Datum, error) {
	if zeros <= 0 {
		return x, nil
	}
	size, negative := x.Bits(), signOf(x) < 0
	if negative {
		size = -size
	}
	unit := uint64(1)
	for range min(zeros, 20) {
		high, low := bits.Mul64(unit, 10)
		if high > 0 {
			return datum.Int(0), nil
		}
		unit = low
	}
	rest := size % unit
	size -= rest
	if !cut && rest >= unit-rest {
		size += unit
	}
	if size < unit && rest >= unit-rest && !cut || x.Kind() == datum.KindInt && size > math.MaxInt64 {
		return datum.Null, fault.New(fault.DataOutOfRange, "BIGINT", "round("+string(x.AppendText(nil))+")")
	}
	if negative {
		return datum.Int(-int64(size)), nil
	}
	return datum.Uint(size), nil
}

func roundFloat(x float64, places int, cut bool) float64 {
	scale := math.Pow(10, math.Abs(float64(places)))
	scaled := x * scale
	if places < 0 {
		scaled = x / scale
	}
	if math.IsInf(scaled, 0) {
		return x
	}
	if cut {
		scaled = math.Trunc(scaled)
	} else {
		scaled = math.RoundToEven(scaled)
	}
	if places < 0 {
		return scaled * scale
	}
	return scaled / scale
}

func random(e *Environment, _ []datum.Datum) (datum.Datum, error) {
	return datum.Float64(float64(e.random()>>11) / (1 << 53)), nil
}

func greatest(_ *Environment, a []datum.Datum) (datum.Datum, error) { return extreme(a, 1) }

func least(_ *Environment, a []datum.Datum) (datum.Datum, error) { return extreme(a, -1) }

// extreme finds the largest or the smallest. It is of the type that holds all. Texts among numbers make texts of all,
// as in MySQL.
func extreme(a []datum.Datum, direction int) (datum.Datum, error) {
	texts := textsAmongNumbers(a)
	best := a[0]
	mixed := false
	for _, d := range a[1:] {
		if texts {
			if bytes.Compare(d.AppendText(nil), best.AppendText(nil))*direction > 0 {
				best = d
			}
			continue
		}
		mixed = mixed || d.Kind() != best.Kind()
		if order, _ := datum.Compare(d, best); order*direction > 0 {
			best = d
		}
	}
	switch {
	case texts:
		return datum.Text(best.AppendText(nil)), nil
	case !mixed && best.Kind() != datum.KindDecimal:
		return best, nil
	}
	types := make([]datum.Type, len(a))
	for i, d := range a {
		types[i] = datum.TypeOf(d)
	}
	t, _ := datum.Unify(types)
	return datum.Cast(best, t)
}

// textsAmongNumbers reports whether a holds both, and nothing else.
func textsAmongNumbers(a []datum.Datum) bool {
	texts, numbers := 0, 0
	for _, d := range a {
		switch d.Kind() {
		case datum.KindText, datum.KindBinary:
			texts++
		case datum.KindInt, datum.KindUint, datum.KindBool, datum.KindFloat, datum.KindDecimal:
			numbers++
		}
	}
	return texts > 0 && numbers > 0 && texts+numbers == len(a)
}
