// SPDX-License-Identifier: Apache-2.0

package attributejson

import (
	"encoding/json"
	"testing"
)

// TestDigest: how a value is written does not count, everything else does.
func TestDigest(t *testing.T) {
	digest := func(text string) Digest {
		d, err := NewReader([]byte(text)).Digest()
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return d
	}
	for _, same := range [][2]string{
		{`{"a":1,"b":[true,null]}`, ` { "b" : [ true , null ] , "a" : 1 } `},
		{`{"a":{"x":"1","y":"2"}}`, `{"a":{"y":"2","\u0078":"1"}}`},
		{`{"a":{"SS":["b","a"]}}`, `{"a":{"SS":["a","b"]}}`},
		{`{"a":{"BS":["AA==","/w=="]}}`, `{"a":{"BS":["/w==","AA=="]}}`},
		{`{"a":{"NS":["1","2.50"]}}`, `{"a":{"NS":["25e-1","1.0"]}}`},
		{`{"a":{"N":"1.0"}}`, `{"a":{"N":"1"}}`},
		{`{"a":{"M":{"N":{"L":[{"N":"-0"}]}}}}`, `{"a":{"M":{"N":{"L":[{"N":"0e1"}]}}}}`},
		{`{"Put":{"Item":{},"ConditionExpression":null}}`, `{"Put":{"Item":{}}}`},
	} {
		if digest(same[0]) != digest(same[1]) {
			t.Errorf("%s and %s differ", same[0], same[1])
		}
	}
	different := []string{`{}`, `[]`, `""`, `"{}"`, `0`, `"0"`, `null`, `{"a":1}`, `{"a":2}`, `{"a":"1"}`, `{"b":1}`,
		`{"a":1,"b":1}`, `[1,2]`, `[2,1]`, `[[1],2]`, `[[1,2]]`, `{"ab":"c"}`, `{"a":"bc"}`,
		`{"S":"1.0"}`, `{"S":"1"}`, `{"N":"1"}`, `{"N":"2"}`, `{"N":"x"}`, `{"N":{"S":"1.0"}}`, `{"N":{"S":"1"}}`,
		`{"L":["a","b"]}`, `{"L":["b","a"]}`, `{"SS":["a","b"]}`, `{"SS":["ab"]}`, `{"SS":["1"]}`, `{"NS":["1"]}`,
		`{"SS":{"L":["a","b"]}}`, `{"SS":{"L":["b","a"]}}`}
	seen := map[Digest]string{}
	for _, text := range different {
		if other, twice := seen[digest(text)]; twice {
			t.Errorf("%s and %s are the same", text, other)
		}
		seen[digest(text)] = text
	}
}

// FuzzDigest: what is read is JSON, and writing it anew in another order gives the same digest.
func FuzzDigest(f *testing.F) {
	for _, seed := range []string{`{"a":{"S":"x"},"b":{"L":[{"N":"1"}]}}`, `[{"Put":{"Item":{"é":{"B":"AA=="}}}}]`,
		`{"a":`, `"\ud800"`, `{"a":1,"a":2}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := NewReader([]byte(text))
		first, err := r.Digest()
		if err != nil || r.End() != nil {
			return
		}
		var spread json.RawMessage
		if spread, err = json.MarshalIndent(json.RawMessage(text), "", "  "); err != nil {
			return // what encoding/json takes is not this test's matter
		}
		if second, err := NewReader(spread).Digest(); err != nil || first != second {
			t.Fatalf("%q: %x, then %x (%v)", text, first, second, err)
		}
	})
}
