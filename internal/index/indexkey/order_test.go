// SPDX-License-Identifier: Apache-2.0

package indexkey

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/data/keytext"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/valuetest"
)

// indexes are shapes of keys: each type in both directions, with and without nulls, computed parts, the hidden hash.
var indexes = []string{
	"a S; b N", "desc(a) S; b N", "a S; desc(b) N", "desc(a) any; desc(b) B", "a any; b int; c float",
	"desc(b) int; desc(c) float; a B",
	"b ts; desc(a) ts; c bool", "a S; desc(b) N; c any | nulls", "desc(a) S; b float; desc(c) bool | nulls",
	"concat(a,'#',b) S; desc(c) any",
	"reverse(a) S; reverse(b) N", "hash8(a) B; hash32(a,b) B; desc(c) N", "a S; b N | hash",
	"desc(a) N; c S; b N | partition=2 hash",
	"concat(a,b) S; c N | hash", "a any; desc(b) any | nulls partition=2 hash",
}

// texts are values at the edges of the encodings.
var texts = []string{
	"0", "1", "-1", "2.5", "-2.5", "99", "100", "12", "120", "1e-130", "9.9e125", "-9.9e125",
	"123456789012345678901234567890",
	"0i", "-9223372036854775808i", "9223372036854775807i", "1.5f", "-0.25f", "1e300f", "-1e300f", "1e-300f", "NaNf",
	"+Inff", "-Inff", "5t", "-5t",
	`""`, `"a"`, `"ab"`, `"\x00"`, `"a\x00"`, `"a\x00b"`, `"a\x01"`, `"é"`, `"zz"`, `x""`, `x"00"`, `x"0000"`,
	`x"00ff"`, `x"ff"`, `x"ffff"`, `x"6100"`,
	"true", "false", "null", "missing",
}

func parseValues(t testing.TB) (values []value.Value) {
	for _, text := range texts {
		if text == "missing" {
			values = append(values, nil)
			continue
		}
		v, err := valuetest.ParseText(text)
		if err != nil {
			t.Fatal(text, err)
		}
		values = append(values, v)
	}
	return values
}

// tuple is a key and the values that Values reads from it.
type tuple struct {
	key    []byte
	values []value.Value
}

// randomTuples returns the keys of random rows of x.
func randomTuples(t *testing.T, random *rand.Rand, x *schema.Index, values []value.Value) (tuples []tuple) {
	for i := 0; i < 5000 && len(tuples) < 200; i++ {
		columns := map[string]value.Value{}
		for _, name := range []string{"a", "b", "c"} {
			columns[name] = values[random.IntN(len(values))]
		}
		key, ok, err := AppendColumns([]byte("prefix"), x, func(name string) value.Value { return columns[name] })
		if err != nil || !ok {
			if string(key) != "prefix" {
				t.Fatalf("the bytes before were changed to %q", key)
			}
			continue
		}
		one := tuple{key: key[len("prefix"):]}
		rest, err := Values(x, key[len("prefix"):], nil, func(p *schema.KeyPart, v value.Value) error {
			one.values = append(one.values, v)
			return nil
		})
		if err != nil || len(rest) > 0 {
			t.Fatalf("Values(%x) leaves %x, %v", key, rest, err)
		}
		checkTuple(t, x, one, columns)
		tuples = append(tuples, one)
	}
	return tuples
}

// checkTuple says that reading a key gives back the columns, and that what was read gives back the key.
func checkTuple(t *testing.T, x *schema.Index, one tuple, columns map[string]value.Value) {
	t.Helper()
	for i := range x.Visible() {
		p := &x.Visible()[i]
		want := columns[p.Column()]
		if want.Kind() == value.Null && x.KeepNulls {
			want = nil
		}
		if !p.Computed() && !value.Equal(want, one.values[i]) {
			t.Fatalf("%s: %s came back as %s", p.Name, want, one.values[i])
		}
	}
	again, ok, err := AppendValues(nil, x, func(p *schema.KeyPart) value.Value {
		for i := range x.Visible() {
			if &x.Visible()[i] == p {
				return one.values[i]
			}
		}
		return nil
	})
	if !ok || err != nil || !bytes.Equal(again, one.key) {
		t.Fatalf("AppendValues(%v) = %x, %t, %v; the key was %x", one.values, again, ok, err, one.key)
	}
	rest, err := Skip(x, append(bytes.Clone(one.key), 0x00, 0xFF))
	if err != nil || !bytes.Equal(rest, []byte{0x00, 0xFF}) {
		t.Fatalf("Skip(%x..) = %x, %v", one.key, rest, err)
	}
}

// TestKeysAreInTheOrderOfTuples compares keys with the values they were made from, for all shapes of indexes.
func TestKeysAreInTheOrderOfTuples(t *testing.T) {
	seed := rounds.Seed(t)
	random := rand.New(rand.NewPCG(seed, 2))
	values := parseValues(t)
	for _, text := range indexes {
		x, err := parseIndex(text)
		if err != nil {
			t.Fatal(text, err)
		}
		tuples := randomTuples(t, random, x, values)
		if len(tuples) < 2 {
			t.Errorf("%s: only %d keys", text, len(tuples))
		}
		for _, a := range tuples {
			for _, b := range tuples {
				want := compareTuples(x, a.values, b.values)
				if x.Key[0].Hidden && !bytes.Equal(a.key[:4], b.key[:4]) {
					want = bytes.Compare(a.key[:4], b.key[:4])
				}
				if got := bytes.Compare(a.key, b.key); got != want {
					t.Fatalf("%s: %v and %v compare %d, their keys %x and %x compare %d", text, a.values, b.values,
						want, a.key, b.key, got)
				}
			}
		}
	}
}

func compareTuples(x *schema.Index, a, b []value.Value) int {
	visible := x.Visible()
	for i := range visible {
		c := compareParts(a[i], b[i])
		if visible[i].Descending {
			c = -c
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

// compareParts orders nulls first, then by type as AnyType does, then by value.
func compareParts(a, b value.Value) int {
	if a == nil || b == nil {
		return cmp.Compare(min(len(a), 1), min(len(b), 1))
	}
	if c, comparable := value.Compare(a, b); comparable {
		return c
	}
	if a.Kind() == value.Bool {
		return cmp.Compare(fmt.Sprint(a.Bool()), fmt.Sprint(b.Bool()))
	}
	return cmp.Compare(typeRank(a), typeRank(b))
}

func typeRank(v value.Value) int {
	return map[value.Kind]int{value.String: 1, value.Binary: 2}[v.Kind()]
}

// FuzzKey feeds any bytes to the functions that read keys.
func FuzzKey(f *testing.F) {
	f.Add(uint8(0), []byte{0x78, 0, 0, 0xb0, 0x0a})
	f.Add(uint8(7), []byte{2, 0x78, 0, 0, 0xfe, 1})
	f.Add(uint8(3), []byte{0xdf, 0x9e, 0xff, 0xff, 0x9e, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, shape uint8, key []byte) {
		x, err := parseIndex(indexes[int(shape)%len(indexes)])
		if err != nil {
			t.Fatal(err)
		}
		var values []value.Value
		rest, err := Values(x, key, nil, func(_ *schema.KeyPart, v value.Value) error {
			values = append(values, v)
			return v.Validate()
		})
		after, skipErr := Skip(x, key)
		if err == nil && (skipErr != nil || !bytes.Equal(rest, after)) {
			t.Fatalf("Values leaves %x, Skip %x, %v", rest, after, skipErr)
		}
		if err != nil || x.Key[0].Hidden {
			return
		}
		i := 0
		again, ok, err := AppendValues(nil, x, func(*schema.KeyPart) value.Value { i++; return values[i-1] })
		if err == nil && ok && !bytes.Equal(again, key[:len(key)-len(rest)]) {
			t.Fatalf("%x reads as %v, which is %x", key, values, again)
		}
	})
}

// FuzzParsePart parses any text, and what it printed.
func FuzzParsePart(f *testing.F) {
	f.Add("concat(a,'#',\"b c\")", uint8(schema.String))
	f.Add("hash8( a , b)", uint8(schema.Binary))
	f.Add("desc(\"a\"\"\")", uint8(schema.Number))
	f.Add("reverse(a)", uint8(schema.Number))
	f.Fuzz(func(t *testing.T, name string, typ uint8) {
		p, computed, err := keytext.Parse(name, schema.Type(typ%8))
		if err != nil {
			return
		}
		if p.Name != name {
			t.Fatalf("%q is called %q", name, p.Name)
		}
		canonical := keytext.Text(&p)
		q, again, err := keytext.Parse(canonical, p.Type)
		if err != nil || again != computed || keytext.Text(&q) != canonical || q.Function != p.Function ||
			q.Descending != p.Descending {
			t.Fatalf("%q prints as %q, which is %+v, %t, %v", name, canonical, q, again, err)
		}
		if strings.Join(strings.Fields(fmt.Sprint(q.Args)), "") != strings.Join(strings.Fields(fmt.Sprint(p.Args)),
			"") {
			t.Fatalf("%q has %v, its print %v", name, p.Args, q.Args)
		}
	})
}
