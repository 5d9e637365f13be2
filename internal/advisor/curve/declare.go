// SPDX-License-Identifier: Apache-2.0

package curve

import (
	"math"
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/advisor/form"
	"github.com/weftdb/weft/zorder/codec"
)

// Declare chooses the codec of an attribute of a DynamoDB type (S, N, B, BOOL), whose numbers are given in order: by the place among the sampled values, of the narrowest type that the sample allows, so that codes
// made before there is a sample are of use too. No width is given, for the same reason.
func Declare(name, kind string, numbers []float64) codec.Attribute {
	a := codec.Attribute{Name: name, Codec: codec.ChoiceQuantile}
	switch kind {
	case "BOOL":
		return codec.Attribute{Name: name, Type: codec.Type{Kind: codec.Boolean}}
	case "S":
		a.Type.Kind = codec.UTF8
	case "B":
		a.Type.Kind = codec.Bytes
	default:
		a.Type = numberType(name, numbers)
	}
	return a
}

func numberType(name string, numbers []float64) codec.Type {
	const headroom = 4 // times the largest number of the sample
	if len(numbers) == 0 {
		return codec.Type{Kind: codec.F64}
	}
	least, most := numbers[0], numbers[len(numbers)-1]
	whole := !slices.ContainsFunc(numbers, func(n float64) bool { return n != math.Trunc(n) })
	name = strings.ToLower(name)
	switch unit := epochUnit(least, most); {
	case unit != 0:
		return codec.Type{Kind: codec.Timestamp, Unit: unit}
	case strings.HasPrefix(name, "lat") && least >= -90 && most <= 90:
		return codec.Type{Kind: codec.Latitude}
	case (strings.HasPrefix(name, "lon") || strings.HasPrefix(name, "lng")) && least >= -180 && most <= 180:
		return codec.Type{Kind: codec.Longitude}
	case !whole:
		return codec.Type{Kind: codec.F64}
	}
	size := headroom * math.Max(most, -least)
	signed := []codec.Kind{codec.I8, codec.I16, codec.I32, codec.I64}
	unsigned := []codec.Kind{codec.U8, codec.U16, codec.U32, codec.U64}
	kinds, bits := unsigned, 8.0
	if least < 0 {
		kinds, bits = signed, 7
	}
	for _, kind := range kinds {
		if size < math.Exp2(bits) {
			return codec.Type{Kind: kind}
		}
		bits = 2*bits + float64(int(bits)%2)
	}
	return codec.Type{Kind: codec.F64}
}

// epochUnit returns the unit of numbers that are times, or 0.
func epochUnit(least, most float64) codec.Unit {
	if !form.IsEpoch(least) || !form.IsEpoch(most) {
		return 0
	}
	switch n := least; {
	case n < 1e11:
		return codec.Second
	case n < 1e14:
		return codec.Millisecond
	case n < 1e17:
		return codec.Microsecond
	}
	return codec.Nanosecond
}
