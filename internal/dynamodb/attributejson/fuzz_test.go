// SPDX-License-Identifier: Apache-2.0

package attributejson

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/testing/valuetest"
	"github.com/weftdb/weft/order"
)

var jsonSeeds = []string{
	putItemBody, `null`, `[true,false,null,-1.5e3]`, `{"a":{"b":[]},"a":"\ud83d\ude00\n"}`, `"\ud800"`, "\"\xff\"",
	`"12345678é"`, ` [ ] `,
	`{"id":{"N":"1"},"s":{"SS":["b","a"]},"b":{"BS":["AP8="]},"n":{"NS":["1","2.0"]},"m":{"M":{"x":{"L":[{"NULL":true},{"BOOL":false}]}}}}`,
	`{"a":{"X":1,"S":null,"N":"12e3"}}`,
}

// accepts reports whether encoding/json and the stricter rules of a Reader take body: no invalid UTF-8, no lone
// surrogates, and no deeper than depthMax.
func accepts(body []byte) bool {
	return json.Valid(body) && utf8.Valid(body) && !hasLoneSurrogate(string(body)) && depth(body) <= depthMax
}

func hasLoneSurrogate(s string) bool {
	for i := 0; i+1 < len(s); i++ {
		if s[i] != '\\' {
			continue
		}
		i++
		if s[i] != 'u' || i+5 > len(s) {
			continue
		}
		unit := strings.ToLower(s[i+1 : i+5])
		i += 4
		switch {
		case unit >= "dc00" && unit <= "dfff":
			return true
		case unit >= "d800" && unit <= "dbff":
			if len(s) < i+7 || s[i+1:i+3] != `\u` {
				return true
			}
			if low := strings.ToLower(s[i+3 : i+7]); low < "dc00" || low > "dfff" {
				return true
			}
			i += 6
		}
	}
	return false
}

// depth returns how deep valid JSON nests.
func depth(body []byte) int {
	level, deepest := 0, 0
	decoder := json.NewDecoder(bytes.NewReader(body))
	for {
		token, err := decoder.Token()
		if err != nil {
			return deepest
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			level++
			deepest = max(deepest, level)
		case json.Delim('}'), json.Delim(']'):
			level--
		}
	}
}

// tree reads any value as encoding/json does with UseNumber.
func tree(r *Reader) (any, error) {
	switch r.Peek() {
	case TokenObject:
		members := map[string]any{}
		if err := r.BeginObject(); err != nil {
			return nil, err
		}
		for {
			key, ok, err := r.NextKey()
			if !ok || err != nil {
				return members, err
			}
			name := string(key)
			if members[name], err = tree(r); err != nil {
				return nil, err
			}
		}
	case TokenArray:
		elements := []any{}
		if err := r.BeginArray(); err != nil {
			return nil, err
		}
		for {
			if ok, err := r.NextElement(); !ok || err != nil {
				return elements, err
			}
			element, err := tree(r)
			if err != nil {
				return nil, err
			}
			elements = append(elements, element)
		}
	case TokenString:
		s, err := r.String()
		return string(s), err
	case TokenNumber:
		s, err := r.Number()
		return json.Number(s), err
	case TokenTrue, TokenFalse:
		return r.Bool()
	}
	_, err := r.Null()
	if err == nil && r.Peek() == TokenNone && r.pos == 0 {
		err = r.Skip()
	}
	return nil, err
}

// FuzzReader holds the reader against encoding/json: what is accepted, and as which values.
func FuzzReader(f *testing.F) {
	for _, body := range jsonSeeds {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		want := accepts(body)
		r := NewReader(body)
		raw, err := r.Raw()
		if err == nil {
			err = r.End()
		}
		if (err == nil) != want {
			t.Fatalf("%q: %v, encoding/json accepts: %v", body, err, want)
		}
		if !want {
			return
		}
		if !bytes.Equal(raw, bytes.TrimSpace(body)) {
			t.Fatalf("Raw of %q is %q", body, raw)
		}
		got, err := tree(NewReader(body))
		if err != nil {
			t.Fatalf("%q: %v", body, err)
		}
		decoder := json.NewDecoder(bytes.NewReader(body))
		decoder.UseNumber()
		var expected any
		if err := decoder.Decode(&expected); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, expected) {
			t.Fatalf("%q: %v, want %v", body, got, expected)
		}
	})
}

// FuzzItem reads any bytes as an item: nothing panics; what is accepted is a valid row whose JSON encoding/json reads
// as the same item, and which a Reader reads as the same row. CheckItem finds the same faults of syntax and types.
func FuzzItem(f *testing.F) {
	for _, body := range jsonSeeds {
		f.Add([]byte(body))
	}
	f.Add([]byte(putItemBody)[len(`{"TableName":"orders","Item":`):strings.Index(putItemBody,
		`,"ConditionExpression"`)])
	names := newTable("id", "name", "status", "total")
	f.Fuzz(func(t *testing.T, body []byte) {
		row, err := readItem(body, names)
		check(t, body, err)
		if err != nil {
			return
		}
		if err := row.Validate(names); err != nil {
			t.Fatalf("%q: %v", body, err)
		}
		written := AppendItem([]byte("prefix"), row, names)[len("prefix"):]
		again, err := readItem(written, names)
		if err != nil || !bytes.Equal(again, row) {
			t.Fatalf("%q written as %q: %x, %v, want %x", body, written, []byte(again), err, []byte(row))
		}
		var got, want map[string]any
		if json.Unmarshal(written, &got) != nil || json.Unmarshal(body, &want) != nil {
			t.Fatalf("%q written as %q is no JSON", body, written)
		}
		for name, v := range want {
			want[name] = normal(v)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%q written as %q: %v, want %v", body, written, got, want)
		}
	})
}

// check compares CheckItem with what reading the item ended in: only a name that is given twice is for the reading
// alone to find.
func check(t *testing.T, body []byte, read error) {
	r := NewReader(body)
	fault := r.CheckItem()
	if fault == nil {
		fault = r.End()
	}
	var rule *ValueError
	var syntax *SyntaxError
	switch {
	case read == nil || errors.As(read, &rule):
		read = nil
	case errors.As(read, &syntax) && syntax.Text == "duplicate name":
		return
	}
	if read != nil && fault == nil || read == nil && fault != nil && rule == nil {
		t.Fatalf("%q: reading it gave %v, checking it %v", body, read, fault)
	}
}

func readItem(body []byte, names value.Names) (value.Row, error) {
	var b value.RowBuilder
	b.Reset(names)
	r := NewReader(body)
	if err := r.Item(&b); err != nil {
		return nil, err
	}
	return b.AppendTo(nil), r.End()
}

// normal returns an attribute value, as encoding/json reads it, the way AppendValue writes it.
func normal(attribute any) any {
	for kind, payload := range attribute.(map[string]any) {
		if payload == nil || kindOf([]byte(kind)) == value.Missing {
			continue
		}
		switch kind {
		case "N":
			payload = normalNumber(payload)
		case "L":
			for i, element := range payload.([]any) {
				payload.([]any)[i] = normal(element)
			}
		case "M":
			for name, element := range payload.(map[string]any) {
				payload.(map[string]any)[name] = normal(element)
			}
		case "SS", "NS", "BS":
			payload = normalSet(kind, payload.([]any))
		}
		return map[string]any{kind: payload}
	}
	return nil
}

func normalNumber(text any) any {
	d, _ := order.ParseDecimal([]byte(text.(string)))
	return string(d.AppendText(nil))
}

// normalSet sorts a set: strings as they are, numbers by value, binaries by their bytes.
func normalSet(kind string, members []any) any {
	slices.SortFunc(members, func(x, y any) int {
		a, b := x.(string), y.(string)
		switch kind {
		case "NS":
			d, _ := order.ParseDecimal([]byte(a))
			e, _ := order.ParseDecimal([]byte(b))
			return d.Compare(e)
		case "BS":
			var p, q []byte
			_ = json.Unmarshal([]byte(`"`+a+`"`), &p)
			_ = json.Unmarshal([]byte(`"`+b+`"`), &q)
			return bytes.Compare(p, q)
		}
		return strings.Compare(a, b)
	})
	if kind == "NS" {
		for i := range members {
			members[i] = normalNumber(members[i])
		}
	}
	return members
}

// FuzzAppend writes any bytes as a value: the JSON is valid, and valid values are read back as they are, SQL's scalars
// as N.
func FuzzAppend(f *testing.F) {
	for _, text := range []string{`"a\n\"\\é"`, `x"00ff"`, "-12.5", "7i", "1e300f", `[1, {a: <"b">}]`, `<1, 2>`,
		`{"é": null}`} {
		v, err := valuetest.ParseText(text)
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(v))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		written := AppendValue(nil, b)
		if !json.Valid(written) || !utf8.Valid(written) {
			t.Fatalf("%x written as %q", b, written)
		}
		again, err := NewReader(written).Value(nil)
		if value.Value(b).Validate() != nil || !isDynamoDB(b) {
			return
		}
		if err != nil || !bytes.Equal(again, b) {
			t.Fatalf("%v written as %q: %x, %v, want %x", value.Value(b), written, again, err, b)
		}
	})
}

// isDynamoDB reports whether a value has DynamoDB's kinds only, and valid UTF-8 names.
func isDynamoDB(v value.Value) bool {
	switch v.Kind() {
	case value.Int, value.Float, value.Timestamp:
		return false
	}
	for e := v.Elements(); e.Next(); {
		if !isDynamoDB(e.Value()) || !utf8.Valid(e.Name()) {
			return false
		}
	}
	return true
}

// FuzzString writes any bytes as a JSON string: encoding/json reads it, as the same text if it is UTF-8.
func FuzzString(f *testing.F) {
	for _, s := range []string{"", "plain", "é\x00\x1f\x7f\u2028", "\xff", "a long enough string with a \" in it",
		"12345678\\"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		written := AppendString(nil, []byte(s))
		var got string
		if err := json.Unmarshal(written, &got); err != nil || !utf8.Valid(written) {
			t.Fatalf("%q written as %q: %v", s, written, err)
		}
		if want := string([]rune(s)); got != want { // the conversion replaces what is not UTF-8, too
			t.Fatalf("%q read back as %q", s, got)
		}
	})
}
