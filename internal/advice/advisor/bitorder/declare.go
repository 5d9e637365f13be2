// SPDX-License-Identifier: Apache-2.0

package bitorder

import (
	"strings"

	"github.com/weftdb/weft/internal/advice/advisor/valueformat"
	"github.com/weftdb/weft/zorder/codec"
)

// Declare chooses the codec of an attribute of a DynamoDB type (S, N, B, BOOL), whose numbers are given in order: by
// the place among the sampled values. A sample does not say which numbers will come, so none gets a type that holds
// less than an f64; times and coordinates get theirs. No width is given, for the same reason.
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
	if len(numbers) == 0 {
		return codec.Type{Kind: codec.F64}
	}
	least, most := numbers[0], numbers[len(numbers)-1]
	name = strings.ToLower(name)
	switch unit := epochUnit(least, most); {
	case unit != 0:
		return codec.Type{Kind: codec.Timestamp, Unit: unit}
	case strings.HasPrefix(name, "lat") && least >= -90 && most <= 90:
		return codec.Type{Kind: codec.Latitude}
	case (strings.HasPrefix(name, "lon") || strings.HasPrefix(name, "lng")) && least >= -180 && most <= 180:
		return codec.Type{Kind: codec.Longitude}
	}
	return codec.Type{Kind: codec.F64}
}

// epochUnit returns the unit of numbers that are times, or 0.
func epochUnit(least, most float64) codec.Unit {
	if !valueformat.IsEpoch(least) || !valueformat.IsEpoch(most) {
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
