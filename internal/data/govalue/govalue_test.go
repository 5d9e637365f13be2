// SPDX-License-Identifier: Apache-2.0

package govalue

import (
	"encoding/json"
	"math"
	"math/big"
	"net/netip"
	"reflect"
	"testing"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/order"
)

type (
	named map[string]any
	color string
)

// endless is a list that holds itself.
func endless() []any {
	list := make([]any, 1)
	list[0] = list
	return list
}

// TestRoundTrip: what is stored comes back, numbers as their text.
func TestRoundTrip(t *testing.T) {
	for _, one := range []struct{ in, out any }{
		{nil, nil}, {true, true}, {"text", "text"}, {"", ""}, {[]byte{0, 255}, []byte{0, 255}},
		{5, json.Number("5")}, {int32(-5), json.Number("-5")}, {uint64(1 << 63), json.Number("9223372036854775808")},
		{1.5, json.Number("1.5")}, {json.Number("0042.1200"), json.Number("42.12")},
		{order.DecimalFromInt(7), json.Number("7")},
		{[]any{1, "a", nil}, []any{json.Number("1"), "a", nil}},
		{map[string]any{"a": []any{}}, map[string]any{"a": []any{}}},
		{named{"a": named{"b": 1}}, map[string]any{"a": map[string]any{"b": json.Number("1")}}},
		{Set{"b", "a"}, Set{"a", "b"}}, {Set{2, 1.5}, Set{json.Number("1.5"), json.Number("2")}},
		{Set{[]byte{1}}, Set{[]byte{1}}},
		{[]string{"b", "a", "b"}, []any{"b", "a", "b"}}, {[2]int8{1, -1}, []any{json.Number("1"), json.Number("-1")}},
		{[]string(nil), nil}, {(*int)(nil), nil},
		{map[color]color{"a": "b"}, map[string]any{"a": "b"}},
		{struct{ A, b int }{1, 2}, map[string]any{"A": json.Number("1")}}, {struct{}{}, map[string]any{}},
		{netip.MustParseAddr("10.0.0.1"), "10.0.0.1"}, {big.NewInt(12), "12"}, {*big.NewInt(12), "12"},
		{float32(0.1), json.Number("0.1")}, {uint8(255), json.Number("255")},
		{value.Value(value.AppendString(nil, []byte("raw"))), "raw"},
	} {
		stored, err := AppendValue([]byte("x"), one.in)
		if err != nil {
			t.Errorf("%v: %v", one.in, err)
			continue
		}
		if got := GoValue(value.Value(stored[1:])); !reflect.DeepEqual(got, one.out) {
			t.Errorf("%#v came back as %#v, want %#v", one.in, got, one.out)
		}
	}
}

// TestRefused: what can't be stored is an error, however deep it stands.
func TestRefused(t *testing.T) {
	for _, x := range []any{complex(1, 2), Set{}, Set{"a", "a"}, Set{"a", 1}, Set{true}, Set{nil}, json.Number("1e999"),
		[]any{make(chan int)},
		map[string]any{"a": map[int]string{}}, struct{ A func() }{}, endless(), math.NaN()} {
		if stored, err := AppendValue(nil, x); err == nil {
			t.Errorf("%#v is stored as %x", x, stored)
		}
	}
}
