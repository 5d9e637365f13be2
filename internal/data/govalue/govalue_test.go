// SPDX-License-Identifier: Apache-2.0

package govalue

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/order"
)

type named map[string]any

// TestRoundTrip: what is stored comes back, numbers as their text.
func TestRoundTrip(t *testing.T) {
	for _, one := range []struct{ in, out any }{
		{nil, nil}, {true, true}, {"text", "text"}, {"", ""}, {[]byte{0, 255}, []byte{0, 255}},
		{5, json.Number("5")}, {int32(-5), json.Number("-5")}, {uint64(1 << 63), json.Number("9223372036854775808")},
		{1.5, json.Number("1.5")}, {json.Number("0042.1200"), json.Number("42.12")}, {order.DecimalFromInt(7), json.Number("7")},
		{[]any{1, "a", nil}, []any{json.Number("1"), "a", nil}}, {map[string]any{"a": []any{}}, map[string]any{"a": []any{}}},
		{named{"a": named{"b": 1}}, map[string]any{"a": map[string]any{"b": json.Number("1")}}},
		{[]string{"b", "a"}, []string{"a", "b"}}, {[]int64{2, 1}, []json.Number{"1", "2"}}, {[][]byte{{1}}, [][]byte{{1}}},
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
	for _, x := range []any{struct{}{}, complex(1, 2), []string{}, []string{"a", "a"}, json.Number("1e999"), []any{make(chan int)}, map[string]any{"a": map[int]string{}}} {
		if stored, err := AppendValue(nil, x); err == nil {
			t.Errorf("%#v is stored as %x", x, stored)
		}
	}
}
