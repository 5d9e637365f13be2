// SPDX-License-Identifier: Apache-2.0

package indexkey

import (
	"bytes"
	"slices"
	"testing"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
)

// evenFunction is a made-up kind of key part: one byte, of which only even ones match when the column "even" is bound.
const evenFunction = schema.Function(200)

func planEven(function schema.Function) partPlan {
	if function != evenFunction {
		return nil
	}
	return func(p *schema.KeyPart, choices *Choices) (partSpan, bool) {
		if len(choices.All("even")) == 0 {
			return partSpan{}, false
		}
		return partSpan{start: []byte{0x02}, skip: skipOdd, skipBack: skipOddBack}, true
	}
}

func skipOdd(key, dst []byte) (next []byte, in, ok bool) {
	code := int(key[0])
	switch {
	case code%2 == 0:
		return append(dst, key...), true, true // the next entry may have the same code
	case code == 0xFF:
		return dst, false, false
	}
	return append(dst, byte(code+1)), false, true
}

func skipOddBack(key, dst []byte) (next []byte, in, ok bool) {
	code := int(key[0])
	switch {
	case code%2 == 0:
		return append(dst, key...), true, true
	case code <= 2:
		return dst, false, false
	}
	return append(dst, byte(code)), false, true // below all entries of this code
}

// TestScanSkips drives Skip and SkipBack as a scan operator does, over all bytes below two values of the part before.
func TestScanSkips(t *testing.T) {
	x := &schema.Index{PartitionParts: 1, Key: []schema.KeyPart{
		plainPart("a", "a", schema.String, false),
		{Name: "box", Function: evenFunction, Type: schema.Binary, Args: []schema.Argument{{Column: "even"}}},
	}}
	var keys, want [][]byte
	for _, a := range []string{"x", "y", "z"} {
		for code := range 256 {
			for _, tail := range []string{"1", "2"} {
				key := append(append([]byte(a), 0, 0, byte(code)), tail...)
				keys = append(keys, key)
				if code%2 == 0 && code >= 2 && a != "y" {
					want = append(want, key)
				}
			}
		}
	}
	bounds := func(name string) []Bound {
		return map[string][]Bound{
			"a": {{Kind: In, Values: []value.Value{value.AppendString(nil, []byte("z")),
				value.AppendString(nil, []byte("x"))}}},
			"even": {{}},
		}[name]
	}
	plan, err := bind(x, Choices{All: bounds}, 0, len(x.Key), planEven)
	if err != nil || len(plan.Spans) != 2 || plan.Used != 2 || plan.Guarantees("even") || !plan.Guarantees("a") {
		t.Fatalf("%+v, %v", plan, err)
	}
	got, read := scanForward(keys, &plan.Scan)
	if !slices.EqualFunc(got, want, bytes.Equal) {
		t.Errorf("forwards: %d keys, want %d", len(got), len(want))
	}
	if read > len(want)+256 {
		t.Errorf("%d keys were read for %d", read, len(want))
	}
	slices.Reverse(want)
	if got := scanBackward(keys, &plan.Scan); !slices.EqualFunc(got, want, bytes.Equal) {
		t.Errorf("backwards: %d keys, want %d", len(got), len(want))
	}
}

// scanForward seeks to next wherever it is beyond the following key.
func scanForward(keys [][]byte, scan *Scan) (found [][]byte, read int) {
	for _, span := range scan.Spans {
		i, _ := slices.BinarySearchFunc(keys, span.Start, bytes.Compare)
		for i < len(keys) && (span.End == nil || bytes.Compare(keys[i], span.End) < 0) {
			next, in, ok := scan.Skip(keys[i], nil)
			read++
			if in {
				found = append(found, keys[i])
			}
			i++
			if !ok {
				break
			}
			if j, _ := slices.BinarySearchFunc(keys, next, bytes.Compare); j > i {
				i = j
			}
		}
	}
	return found, read
}

func scanBackward(keys [][]byte, scan *Scan) (found [][]byte) {
	for _, span := range slices.Backward(scan.Spans) {
		i := len(keys)
		if span.End != nil {
			i, _ = slices.BinarySearchFunc(keys, span.End, bytes.Compare)
		}
		for i--; i >= 0 && bytes.Compare(keys[i], span.Start) >= 0; {
			next, in, ok := scan.SkipBack(keys[i], nil)
			if in {
				found = append(found, keys[i])
			}
			if !ok {
				break
			}
			for i--; i >= 0 && bytes.Compare(keys[i], next) > 0; {
				i--
			}
		}
	}
	return found
}
