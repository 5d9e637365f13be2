// SPDX-License-Identifier: Apache-2.0

package legacy

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/dynamodb/expression"
	"github.com/weftdb/weft/internal/testing/valuetest"
)

// readable reports whether a parameter could be read. An error must be one about JSON, and within the body.
func readable(t *testing.T, body []byte, err error) bool {
	var syntax *attributejson.SyntaxError
	var kind *attributejson.TypeError
	offset := 0
	switch {
	case err == nil:
		return true
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
	default:
		t.Fatalf("%s: %T: %v", body, err, err)
	}
	if offset < 0 || offset > len(body) {
		t.Fatalf("%s: offset %d: %v", body, offset, err)
	}
	return false
}

// refused reports whether the meaning was refused. An error must be one in DynamoDB's words.
func refused(t *testing.T, body []byte, err error) bool {
	if err == nil {
		return false
	}
	var typed *expression.Error
	if !errors.As(err, &typed) || typed.Message == "" {
		t.Fatalf("%s: %T: %v", body, err, err)
	}
	return true
}

// validating is a Notation that notes literals which are not well-formed.
func validating(t *testing.T) expr.Notation {
	return expr.Notation{Literal: func(dst []byte, v value.Value) []byte {
		if err := v.Validate(); err != nil {
			t.Fatalf("literal %x: %v", v, err)
		}
		return value.AppendText(dst, v)
	}}
}

// someItem has attributes of all types under the names that seeds use.
func someItem(t testing.TB) expr.Source {
	row, err := valuetest.ParseRowText(`{a: 1, b: "text", c: <"x">, d: [1, "a"], e: {x: 1}, f: x"00", g: null, h: true, i: <1>, j: <x"00">}`, value.NoNames)
	if err != nil {
		t.Fatal(err)
	}
	return expr.Source{Row: row, Names: value.NoNames}
}

func FuzzConditions(f *testing.F) {
	for _, seed := range []string{
		`{"a":{"Value":{"N":"1"}},"b":{"Exists":false}}`,
		`{"a":{"ComparisonOperator":"BETWEEN","AttributeValueList":[{"N":"1"},{"N":"2"}]}}`,
		`{"b":{"ComparisonOperator":"IN","AttributeValueList":[{"S":"a"},{"S":"text"}]},"d":{"ComparisonOperator":"NOT_CONTAINS","AttributeValueList":[{"B":"AA=="}]}}`,
		`{"c":{"ComparisonOperator":"NE","Value":{"SS":["y","x"]}},"e":{"ComparisonOperator":"NULL"},"z":{"ComparisonOperator":"BEGINS_WITH","Value":{"S":""}}}`,
		`{"a":{"Value":{"N":"x"}},"b":{"Value":{"M":{"x":{"L":[{"NULL":true}]}}}}}`,
	} {
		f.Add(seed, true, "")
		f.Add(seed, false, "OR")
	}
	f.Fuzz(func(t *testing.T, text string, expected bool, join string) {
		body := []byte(text)
		var c Conditions
		read := c.Read
		if expected {
			read = c.ReadExpected
		}
		if !readable(t, body, read(attributejson.NewReader(body))) {
			return
		}
		faults := faultsText(&c, "filter") + operatorFault(join != "", join)
		if keys, err := c.Keys(); !refused(t, body, err) && len(keys) != 1 && len(keys) != 2 {
			t.Fatalf("%s: %d key conditions", text, len(keys))
		}
		tree, err := c.Condition(join)
		if refused(t, body, err) || faults != "" {
			return
		}
		before := string(validating(t).AppendCondition(nil, tree))
		clear(body) // the tree must not alias it
		if after := string(validating(t).AppendCondition(nil, tree)); after != before {
			t.Fatalf("%s\nis     %s\nbecame %s", text, before, after)
		}
		names := slices.Collect(c.Attributes())
		for path := range expr.Paths(tree) {
			if !path.IsTopLevel() || !slices.Contains(names, path.Name) {
				t.Fatalf("%s: path %v", text, path)
			}
		}
		if _, err := expr.Match(tree, someItem(t)); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		again, err := c.Condition(join)
		if err != nil || string(expr.Notation{}.AppendCondition(nil, again)) != before {
			t.Fatalf("%s: %v at the second time", text, err)
		}
	})
}

func FuzzUpdates(f *testing.F) {
	for _, seed := range []string{
		`{"a":{"Action":"ADD","Value":{"N":"1"}},"b":{"Action":"DELETE"},"k":{"Value":{"S":"x"}}}`,
		`{"c":{"Action":"DELETE","Value":{"SS":["x"]}},"d":{"Action":"ADD","Value":{"L":[{"M":{}}]}},"e.x":{"Action":"PUT","Value":{"BOOL":true}}}`,
		`{"i":{"Action":"ADD","Value":{"NS":["1","2"]}},"j":{"Action":"ADD","Value":{"BS":["AA=="]}}}`,
		`{"a":{"Value":{"N":"x"}},"b":{"Value":{}}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		body := []byte(text)
		var u Updates
		if !readable(t, body, u.Read(attributejson.NewReader(body))) {
			return
		}
		faults := faultsText(&u, "attributeUpdates")
		tree, err := u.Update()
		if refused(t, body, err) {
			return
		}
		if faults != "" {
			t.Fatalf("%s: judged as right in spite of %q", text, faults)
		}
		before := string(validating(t).AppendUpdate(nil, tree))
		clear(body) // the tree must not alias it
		if after := string(validating(t).AppendUpdate(nil, tree)); after != before {
			t.Fatalf("%s\nis     %s\nbecame %s", text, before, after)
		}
		var b value.RowBuilder
		b.Reset(value.NoNames)
		var fault *expr.Error
		switch err := Wording(tree.Apply(someItem(t), &b)); {
		case err == nil:
			if err := b.AppendTo(nil).Validate(value.NoNames); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
		case !errors.As(err, &fault) || strings.Contains(fault.Message, "update expression"):
			t.Fatalf("%s: %v", text, err)
		}
	})
}

func FuzzNames(f *testing.F) {
	f.Add(`["a","e.x","d[0]"]`)
	f.Add(`["a","a",null]`)
	f.Fuzz(func(t *testing.T, text string) {
		body := []byte(text)
		var n Names
		if !readable(t, body, n.Read(attributejson.NewReader(body))) {
			return
		}
		faultsText(&n, "attributesToGet")
		paths, err := n.Paths()
		if refused(t, body, err) {
			return
		}
		for i := range paths {
			if !paths[i].IsTopLevel() || i > 0 && expr.ComparePaths(&paths[i-1], &paths[i]) >= 0 {
				t.Fatalf("%s: %v", text, paths)
			}
		}
	})
}

// TestMemory makes sure that a parameter which is read again and again needs no new memory for its values, and keeps no
// large one.
func TestMemory(t *testing.T) {
	var c Conditions
	list := strings.TrimSuffix(strings.Repeat(`{"S":"`+strings.Repeat("x", 500)+`"},`, 5000), ",")
	large := []byte(`{"a":{"ComparisonOperator":"IN","AttributeValueList":[` + list + `]}}`)
	small := []byte(`{"a":{"Value":{"N":"1"}}}`)
	for _, body := range [][]byte{large, small} {
		if err := c.ReadExpected(attributejson.NewReader(body)); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Condition(""); err != nil {
			t.Fatal(err)
		}
	}
	if cap(c.values) > entriesMax || cap(c.clauses) > entriesMax || cap(c.arena.bytes) > arenaBytesMax {
		t.Fatalf("kept %d values, %d clauses, %d bytes", cap(c.values), cap(c.clauses), cap(c.arena.bytes))
	}
	values, first := &c.values[:1][0], &c.arena.bytes[:1][0]
	if err := c.ReadExpected(attributejson.NewReader(small)); err != nil {
		t.Fatal(err)
	}
	if values != &c.values[0] || first != &c.arena.bytes[0] {
		t.Fatal("new memory for a small parameter")
	}
	c.Reset()
	if c.IsGiven() {
		t.Fatal("given after Reset")
	}
	if tree, err := c.Condition(""); tree != nil || err != nil {
		t.Fatalf("after Reset: %v, %v", tree, err)
	}
}
