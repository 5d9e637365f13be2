// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"math/rand/v2"
	"strings"
)

// generator makes random requests about a few tables. Everything in it is chosen so that requests meet: few keys, few
// names, few values.
type generator struct {
	rng    *rand.Rand
	tables []*Table
	huge   bool // items of about 400 KB, now and then
	next   *Request
	tokens []*Request // transactions that may be sent again
	model  *Model     // what is stored
	sample Item       // an item whose paths and values expressions take now, nil for none
	// transactions says that the database knows them.
	transactions bool
}

func pickOne[T any](g *generator, list []T) T { return list[g.rng.IntN(len(list))] }

// one is true once in n times.
func (g *generator) one(n int) bool { return g.rng.IntN(n) == 0 }

// The few values. // immutable
var (
	texts = []string{"a", "b", "ab", "abc", "ü", "z\x01", "S", "N", "L", "SS", "bad type", "ééé", "😀", "a😀",
		"e\u0301"}
	numbers = []string{"0", "1", "-1", "2", "10", "1.5", "100", "-0.5", "1e20",
		"99999999999999999999999999999999999999",
		"-12345678901234567.890123", "0e125", "0.0e-129", "1E-130", "9.9999999999999999999999999999999999999E125", "3",
		"4", "5", "100.5", "0.00101"}
	blobs = []string{"\x00", "\x00\x01", "a", "\xff", "\xffa", "a\x00"}
	// attributes are the names of attributes that are not keys of tables, and mostly what type they have.
	attributes = []Part{{"a", "N"}, {"b", "S"}, {"c", "B"}, {"d", "N"}, {"e", "S"}, {"m", "M"}, {"l", "L"},
		{"ss", "SS"}, {"ns", "NS"}, {"bs", "BS"},
		{"x", ""}, {"y", "N"}, {"pad", "S"}, {"name", "N"}, {"x y", "S"}, {"ü.é", ""}}
	kinds = []string{"S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS"}
)

// spelled is a number in one of its spellings.
func (g *generator) spelled(text string) *Value {
	v := Number(text)
	if g.one(3) || strings.ContainsAny(text, "eE") {
		return v
	}
	sign := ""
	if text[0] == '-' {
		sign, text = "-", text[1:]
	}
	variants := []string{sign + "0" + text, sign + text + "E0", sign + text + "e+0"}
	if sign == "" {
		variants = append(variants, "+"+text)
	}
	if strings.Contains(text, ".") {
		variants = append(variants, sign+text+"00")
	} else {
		variants = append(variants, sign+text+".0", sign+text+".", sign+text+"0E-1")
	}
	v.Raw = `{"N":"` + pickOne(g, variants) + `"}`
	return v
}

// scalar is a value of one of the types S, N and B.
func (g *generator) scalar(kind string) *Value {
	switch kind {
	case "S":
		return Text(pickOne(g, texts))
	case "N":
		if g.one(20) { // as the clients of most languages write it: the usual order of magnitude
			return g.spelled(strings.Repeat("9", 1+g.rng.IntN(38)))
		}
		return g.spelled(pickOne(g, numbers))
	}
	return Bytes(pickOne(g, blobs))
}

// value is a value of a type, or of any.
func (g *generator) value(kind string, depth int) *Value {
	if kind == "" {
		kind = pickOne(g, kinds)
	}
	switch kind {
	case "BOOL":
		return Bool(g.one(2))
	case "NULL":
		return Null()
	case "SS", "NS", "BS":
		members := make([]*Value, 1+g.rng.IntN(3))
		for i := range members {
			members[i] = g.scalar(kind[:1])
		}
		return Set(members...)
	case "L":
		list := make([]*Value, g.rng.IntN(4))
		for i := range list {
			list[i] = g.nested(depth)
		}
		return List(list...)
	case "M":
		fields := map[string]*Value{}
		for range g.rng.IntN(4) {
			fields[pickOne(g, fieldNames)] = g.nested(depth)
		}
		return Map(fields)
	}
	if g.one(15) && kind != "N" {
		return &Value{Type: kind} // the empty one
	}
	return g.scalar(kind)
}

// fieldNames are the names in maps. // immutable
var fieldNames = []string{"x", "y", "m", "l", "ss"}

func (g *generator) nested(depth int) *Value {
	if depth > 2 {
		return g.scalar(pickOne(g, []string{"S", "N", "B"}))
	}
	switch g.rng.IntN(5) {
	case 0:
		return g.value("M", depth+1)
	case 1:
		return g.value("L", depth+1)
	case 2:
		return g.value("", depth+1)
	}
	return g.scalar(pickOne(g, []string{"S", "N"}))
}

// attribute is a value for an attribute, mostly of its usual type.
func (g *generator) attribute(part Part) *Value {
	switch {
	case part.Type != "" && isScalar(part.Type) && !g.one(40):
		return g.scalar(part.Type)
	case part.Type == "" || g.one(30):
		return g.value("", 0)
	}
	return g.value(part.Type, 0)
}

// faulty is a value that DynamoDB refuses.
func (g *generator) faulty() *Value {
	const empty = "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
	raw := func(kind, json, fault string) *Value { return &Value{Type: kind, Raw: json, Fault: fault} }
	deep := g.scalar("S")
	for range 32 {
		if g.one(2) {
			deep = List(deep)
		} else {
			deep = Map(map[string]*Value{"x": deep})
		}
	}
	return pickOne(g, []*Value{
		raw("SS", `{"SS":[]}`, textInvalid+"An string set  may not be empty"),
		raw("NS", `{"NS":[]}`, textInvalid+"An number set  may not be empty"),
		raw("BS", `{"BS":[]}`, textInvalid+"Binary sets should not be empty"),
		{Type: "SS", Raw: `{"SS":["b","a","b"]}`,
			Fault:      textInvalid + `Input collection ["a", "b", "b"] contains duplicates.`,
			OlderFault: textInvalid + "Input collection [b, a, b] contains duplicates."},
		{Type: "BS", Raw: `{"BS":["/w==","AA==","AA=="]}`,
			Fault:      textInvalid + `Input collection ["AA==","/w==","AA=="]of type BS contains duplicates.`,
			OlderFault: textInvalid + "Input collection [/w==, AA==, AA==]of type BS contains duplicates."},
		{Type: "NS", Raw: `{"NS":["1","1.0"]}`, Fault: textInvalid + "Input collection contains duplicates.",
			OlderFault: "Input collection contains duplicates"},
		raw("NULL", `{"NULL":false}`, textInvalid+"Null attribute value types must have the value of true"),
		raw("S", `{}`, empty),
		raw("S", `{"S":"a","N":"1"}`, "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"),
		Number("1E126"), Number("-1e126"), Number("1E-131"), Number("123456789012345678901234567890123456789"),
		Number("abc"), Number("1+2"),
		Number(" 1"), Number("+e2"), Number("1.2.3"), Number(""), deep, deep, deep,
		Number("0e126"), Number("-0.0E127"), Number("0e-131"), Number("0.00e-129"), Number("1e9223372036854775808"),
		Number("0e-9223372036854775809"),
		raw("M", `{"M":{"":{"S":"x"}}}`, "Empty attribute name"),
		raw("L", `{"L":[{"M":{"x":{"N":"1"},"":{"NULL":true}}}]}`, "Empty attribute name"),
	})
}

// item is an item with the key, and a random choice of attributes.
func (g *generator) item(t *Table, key Item) Item {
	item := Item{}
	for name, v := range key {
		item[name] = v
	}
	for _, part := range attributes {
		if g.one(3) || isKeyName(part.Name) && g.one(3) {
			item[part.Name] = g.attribute(part)
		}
	}
	if g.one(80) {
		item[pickOne(g, attributes).Name] = g.faulty()
	}
	if g.one(5) || g.huge && g.one(3) {
		g.fill(item)
	}
	return item
}

// fill pads an item so that its size is at a border, or one byte beside it.
func (g *generator) fill(item Item) {
	size := pickOne(g, []int{1 << 10, 2 << 10, 4 << 10, 8 << 10, 4 << 10})
	if g.huge && g.one(2) {
		size = pickOne(g, []int{itemBytesMax, itemBytesMax, 300 << 10, 128 << 10})
	}
	size += g.rng.IntN(3) - 1
	delete(item, "pad")
	if rest := size - item.Size() - len("pad"); rest >= 0 {
		item["pad"] = Text(strings.Repeat("p", rest))
	}
}

// key is a key of the table: one of few.
func (g *generator) key(t *Table) Item {
	key := Item{}
	for i, part := range t.key() {
		key[part.Name] = g.keyValue(part.Type, 3+5*i)
	}
	return key
}

func (g *generator) keyValue(kind string, few int) *Value {
	switch kind {
	case "S":
		return Text(texts[g.rng.IntN(min(few, len(texts)))])
	case "N":
		return g.spelled(numbers[g.rng.IntN(min(few, len(numbers)))])
	}
	return Bytes(blobs[g.rng.IntN(min(few, len(blobs)))])
}

// badKey breaks a key.
func (g *generator) badKey(key Item, t *Table) Item {
	part := pickOne(g, t.key())
	switch g.rng.IntN(5) {
	case 0:
		key["zz"] = Text("a")
	case 1:
		delete(key, part.Name)
	case 2:
		key[part.Name] = g.value(pickOne(g, kinds), 2)
	case 3:
		key[part.Name] = &Value{Type: pickOne(g, []string{"S", "B"})}
	default:
		key[part.Name] = g.long()
	}
	return key
}

// long is a text or binary about as long as a key may be.
func (g *generator) long() *Value {
	n := pickOne(g, []int{rangeBytesMax, hashBytesMax}) + g.rng.IntN(2)
	return &Value{Type: pickOne(g, []string{"S", "B"}), Text: strings.Repeat("k", n)}
}

// schema is a random table.
func (g *generator) schema(name string) *Table {
	scalars := []string{"S", "N", "B"}
	t := &Table{Name: name, Hash: []Part{{"pk", pickOne(g, scalars)}}}
	if !g.one(4) {
		t.Range = []Part{{"sk", pickOne(g, scalars)}}
	}
	keys := attributes[:5]
	if t.Range != nil {
		for i := range g.rng.IntN(4) {
			x := &Index{Name: "local" + string(rune('0'+i)), Local: true, Hash: t.Hash, Range: []Part{pickOne(g, keys)}}
			t.Indexes = append(t.Indexes, g.projection(x))
		}
	}
	for i := range g.rng.IntN(5) {
		parts := append([]Part{}, keys...)
		if g.one(3) {
			parts = append(parts, t.key()...)
		}
		g.rng.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		hash, sorted := 1, g.rng.IntN(2)
		if g.one(3) {
			hash, sorted = 1+g.rng.IntN(2), g.rng.IntN(3)
		}
		x := &Index{Name: "global" + string(rune('0'+i)), Hash: parts[:hash:hash], Range: parts[hash : hash+sorted]}
		t.Indexes = append(t.Indexes, g.projection(x))
	}
	return t
}

func (g *generator) projection(x *Index) *Index {
	x.Projection = pickOne(g, []string{"ALL", "KEYS_ONLY", "INCLUDE"})
	if x.Projection == "INCLUDE" {
		x.Include = pickOne(g, [][]string{{"x"}, {"y", "m"}, {"x", "pad"}})
	}
	return x
}
