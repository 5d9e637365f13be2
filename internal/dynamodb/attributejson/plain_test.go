// SPDX-License-Identifier: Apache-2.0

package attributejson_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
)

func TestPlain(t *testing.T) {
	for _, one := range []struct{ text, want string }{
		{`"x\n"`, `{"S":"x\n"}`},
		{`-12345678901234567890123456789012345678`, `{"N":"-12345678901234567890123456789012345678"}`},
		{`1.50e2`, `{"N":"150"}`},
		{`true`, `{"BOOL":true}`},
		{`null`, `{"NULL":true}`},
		{` { "b" : [ 1 , { } ] , "a" : [ ] } `, `{"M":{"a":{"L":[]},"b":{"L":[{"N":"1"},{"M":{}}]}}}`},
		{`{"S":"x"}`, `{"M":{"S":{"S":"x"}}}`},
		{`123456789012345678901234567890123456789`, "error"},
		{`1e200`, "error"},
		{`[1,]`, "error"},
		{`{"a":1,"a":2}`, "error"},
		{``, "error"},
	} {
		r := attributejson.NewReader([]byte(one.text))
		v, err := r.Plain(nil)
		if err == nil {
			err = r.End()
		}
		got := "error"
		if err == nil {
			got = string(attributejson.AppendValue(nil, v))
		}
		if got != one.want {
			t.Errorf("%s is %s, not %s (%v)", one.text, got, one.want, err)
		}
	}
	for depth, want := range map[int]error{value.NestingMax: nil, value.NestingMax + 1: value.ErrNesting} {
		deep := strings.Repeat("[", depth) + strings.Repeat("]", depth)
		if _, err := attributejson.NewReader([]byte(deep)).Plain(nil); !errors.Is(err, want) {
			t.Errorf("%d lists in one another: %v", depth, err)
		}
	}
}

func TestLooksTyped(t *testing.T) {
	for text, want := range map[string]bool{
		`{"id":{"N":"1"}}`: true, `{"a":{"M":{}},"b":{"SS":["x"]},"c":{"BOOL":true}} {`: true,
		`{"a":{"S":"x"},"b":{"S":"`: true, `{"a":{"S":"x"},"b`: true, `{"a":{"S":"x"}`: true,
		`{}`: false, `{"a":1}`: false, `{"a":{"S":"x"},"b":1}`: false, `{"a":{"S":1}}`: false, `{"a":{"S":"x","N":"1"}}`: false,
		`{"a":{"X":"x"}}`: false, `{"a":{}}`: false, `[{"S":"x"}]`: false, ``: false, `{"a":{"S":"x`: false,
	} {
		if got := attributejson.LooksTyped([]byte(text)); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
	for text, want := range map[string]bool{`{"S":"x"}`: true, `{"S":"x"`: false, `"x"`: false, `{"S":1}`: false} {
		if got := attributejson.LooksTypedValue([]byte(text)); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
