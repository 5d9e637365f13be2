// SPDX-License-Identifier: Apache-2.0

package indexkey

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/weftdb/weft/internal/data/keytext"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/valuetest"
	"github.com/weftdb/weft/zorder"
	"github.com/weftdb/weft/zorder/codec"
)

// curveKinds are declarations of attributes, without names, and values at the edges of their codes.
var curveKinds = []struct {
	declaration string
	values      []string
}{
	{"u8", []string{"0", "1", "2", "3.5", "127", "128", "255", "256", "-1", "1e30", "7i", "7.25f", "NaNf", "-0.0f"}},
	{"u16", []string{"0", "1", "255", "256", "257", "65535", "65536", "65535.5", "-5", "300i"}},
	{"u64", []string{"0", "1", "18446744073709551615", "18446744073709551616", "9223372036854775808", "1e125",
		"-1e-130", "+Inff"}},
	{"i8", []string{"-129", "-128", "-127", "-1", "-0.5", "0", "0.5", "1", "126", "127", "128", "-2i"}},
	{"i32", []string{"-2147483649", "-2147483648", "-1", "0", "1", "2147483647", "2147483648", "9.5f"}},
	{"i64", []string{"-9223372036854775808", "-9223372036854775809", "-1", "0", "1", "9223372036854775807", "1e20",
		"5t"}},
	{"f32", []string{"-1e39", "-1e38", "-1.1", "-1e-46", "0", "-0.0f", "1e-46", "0.1", "16777216", "16777217", "1e38",
		"1e39", "NaNf", "-Inff"}},
	{"f64", []string{"-1e125", "-2.5", "-1e-130", "0", "1e-130", "2.5", "2.5000000000000000001",
		"2.5000000000000000002", "1e125", "NaNf", "+Inff", "-0.0f"}},
	{"number", []string{"0", "1", "-1", "12345678901234567890123456789012345678",
		"12345678901234567890123456789012345679", "-12345678901234567890123456789012345678",
		"9.9999999999999999999999999999999999999e125", "1e-130", "-1e-130", "0.1",
		"0.10000000000000000000000000000000000001", "1e300f", "-1e300f", "NaNf"}},
	{"bool", []string{"true", "false"}},
	{"timestamp(s)", []string{"0", "-1", "1", "1469566800", "1469566801", "-62135596800", "1e18", "-1e18",
		"1469566800.5", "4000000000"}},
	{"lat", []string{"-90.1", "-90", "-45", "0", "40.749207", "40.749208", "90", "91", "NaNf"}},
	{"lon", []string{"-180.5", "-180", "-73.985174", "-73.985173", "0", "179.999999", "180", "200"}},
	{"linear(-40,60)", []string{"-41", "-40", "-5", "0", "20.25", "20.26", "59.9", "60", "61"}},
	{"text[4]", []string{`""`, `"candor"`, `"candy"`, `"car"`, `"cart"`, `"cartographer"`, `"carton"`, `"cat"`,
		`"car\x00"`, "\"\u00e9\"", "\"e\u0301\"", "\"\u00e9t\u00e9\"", "\"\U0010ffff\U0010ffff\""}},
	{"text[1]", []string{`""`, `"a"`, `"b"`, `"ba"`, `"c"`, "\"\u6771\u4eac\"", "\"\U0010ffff\""}},
	{"binary[2]", []string{`x""`, `x"00"`, `x"0000"`, `x"0001"`, `x"00ff"`, `x"01"`, `x"ff"`, `x"ffff"`, `x"ffffff"`}},
	{"iso8601(s)", []string{`"2024-05-06T07:08:09Z"`, `"1969-12-31T23:59:59Z"`, `"1970-01-01T00:00:00Z"`,
		`"2024-02-29T00:00:00Z"`, `"0000-01-01T00:00:00Z"`, `"9999-12-31T23:59:59Z"`}},
}

// strangers are values that bounds have and rows have not: of other types, and texts that are no index's form of ISO
// 8601.
var strangers = []string{`"2024-05-06"`, `"2024-W19-1"`, `"2024-05-06T09:08:09+02:00"`, `"20"`, `"x"`, `x"00"`, "true",
	"5", "null", "-7.5f", `[1]`}

// curveCase is a random index with a Z-order, its rows and what its columns can hold.
type curveCase struct {
	t       *testing.T
	random  *rand.Rand
	index   *schema.Index
	curve   *schema.KeyPart
	columns []string
	pools   [][]value.Value // of each column
	strange []value.Value
	rows    []curveRow // by their keys
}

type curveRow struct {
	key     []byte
	columns map[string]value.Value
}

// TestCurvePlans makes random Z-order indexes (types, widths, codecs, orders of bits, parts before and behind), rows
// and bounds, and looks whether a scan meets all rows that match the bounds, in both directions, whatever it seeks and
// whatever it steps over; and no more of them than the codes of the bounds call for.
func TestCurvePlans(t *testing.T) {
	seed := rounds.Seed(t)
	cases := rounds.Of(t, 600)
	var total walkCounts
	for i := range cases {
		c := newCurveCase(t, rand.New(rand.NewPCG(seed, uint64(i))))
		for range 6 {
			c.check(i, &total)
			if t.Failed() {
				return
			}
		}
	}
	t.Logf("with boxes: %+v", total)
	if total.matched == 0 || total.called < total.matched || total.looked > total.rows/2 {
		t.Error("nothing was tested")
	}
}

// walkCounts are sums over the walks that had boxes: of all entries, of those looked at, of those called candidates, of
// those that match.
type walkCounts struct{ rows, looked, called, matched int }

func parseAll(t *testing.T, texts []string) (values []value.Value) {
	for _, text := range texts {
		v, err := valuetest.ParseText(text)
		if err != nil {
			t.Fatal(text, err)
		}
		values = append(values, v)
	}
	return values
}

func newCurveCase(t *testing.T, random *rand.Rand) *curveCase {
	c := &curveCase{t: t, random: random, strange: parseAll(t, strangers)}
	attributes := make([]codec.Attribute, 1+random.IntN(4))
	learned := make([]*codec.Codec, len(attributes))
	for i := range attributes {
		kind := curveKinds[random.IntN(len(curveKinds))]
		name := string(rune('a' + i))
		c.columns, c.pools = append(c.columns, name), append(c.pools, parseAll(t, kind.values))
		attributes[i], learned[i] = c.attribute(name, kind.declaration, c.pools[i])
	}
	part, err := keytext.Curve("zorder(..)", attributes, learned)
	if err != nil {
		t.Fatal(attributes, err)
	}
	if random.IntN(2) == 0 {
		part.Curve.Plan = shuffled(t, random, part.Curve.Plan)
	}
	c.index = &schema.Index{ID: uint32(random.IntN(2)), PartitionParts: 1, Key: []schema.KeyPart{part}}
	if random.IntN(3) > 0 {
		c.index.Key = []schema.KeyPart{plainPart("p", "p", schema.String, random.IntN(3) == 0), part}
	}
	if random.IntN(3) == 0 {
		c.index.Key = append(c.index.Key, plainPart("q", "q", schema.Number, random.IntN(2) == 0))
	}
	if random.IntN(4) == 0 {
		c.index.Key = append([]schema.KeyPart{keytext.HashDistribution(c.index.Key, 1)}, c.index.Key...)
	}
	if random.IntN(8) == 0 {
		c.index.ID, c.index.KeepNulls = 1, true
	}
	c.curve = &c.index.Key[slices.IndexFunc(c.index.Key,
		func(p schema.KeyPart) bool { return p.Function == schema.ZOrder })]
	c.addRows()
	return c
}

// attribute declares an attribute at random; the codec is nil if it is coded from the value alone.
func (c *curveCase) attribute(name, declaration string, pool []value.Value) (codec.Attribute, *codec.Codec) {
	list, err := codec.Parse(name + " " + declaration)
	if err != nil {
		c.t.Fatal(err)
	}
	a := list[0]
	a.Nulls = codec.Nulls(c.random.IntN(2))
	if learn := c.random.IntN(3) == 0; learn {
		a.Codec = codec.ChoiceQuantile
	}
	if least, most := a.BitsRange(); c.random.IntN(2) == 0 {
		a.Bits = least + c.random.IntN(min(most-least, 20)+1)
	}
	if a.Codec != codec.ChoiceQuantile {
		return a, nil
	}
	var sample []codec.Value
	raw := a
	raw.Bits, raw.Codec = 0, codec.ChoiceRaw
	part, err := keytext.Curve("zorder(..)", []codec.Attribute{raw}, nil)
	if err != nil {
		c.t.Fatal(a, err)
	}
	for _, v := range pool {
		if x, ok := codecValue(v, part.Args[0].Type); ok && c.random.IntN(3) > 0 {
			sample = append(sample, x)
		}
	}
	if len(sample) == 0 {
		a.Codec = codec.ChoiceRaw
		if _, most := a.BitsRange(); a.Bits > most {
			a.Bits = 0
		}
		return a, nil
	}
	one, err := codec.Learn(a, 2, sample, codec.LearnOptions{Buckets: 1 + c.random.IntN(8)})
	if err != nil {
		c.t.Fatal(a, err)
	}
	return a, one
}

// shuffled gives each bit to another attribute, so that all keep their number.
func shuffled(t *testing.T, random *rand.Rand, plan *zorder.Plan) *zorder.Plan {
	owners := plan.Owners()
	random.Shuffle(len(owners), func(i, j int) { owners[i], owners[j] = owners[j], owners[i] })
	plan, err := zorder.FromOwners(owners)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// addRows makes rows, many with the same Z-address, in the order of their keys.
func (c *curveCase) addRows() {
	for i := range 70 {
		row := curveRow{columns: map[string]value.Value{
			"p": value.AppendString(nil, []byte{"xyz"[c.random.IntN(3)]}),
			"q": value.AppendInt(nil, int64(c.random.IntN(3))),
		}}
		for j, name := range c.columns {
			if c.random.IntN(8) > 0 {
				row.columns[name] = c.pools[j][c.random.IntN(len(c.pools[j]))]
			}
		}
		key, ok, err := AppendColumns(nil, c.index, func(name string) value.Value { return row.columns[name] })
		if err != nil {
			c.t.Fatalf("%v: %v", row.columns, err)
		}
		if !ok {
			continue // an attribute is missing
		}
		row.key = binary.BigEndian.AppendUint16(key, uint16(i)) // the primary key
		c.rows = append(c.rows, row)
	}
	slices.SortFunc(c.rows, func(a, b curveRow) int { return bytes.Compare(a.key, b.key) })
}

// boundSet is bounds by column.
type boundSet map[string][]Bound

func (s boundSet) of(name string) []Bound { return s[name] }

// bounds binds some of the columns at random.
func (c *curveCase) bounds(often int) boundSet {
	set := boundSet{}
	for i, name := range c.columns {
		for range c.random.IntN(often) {
			set[name] = append(set[name], c.bound(i, 2))
		}
	}
	return set
}

func (c *curveCase) bound(column, depth int) Bound {
	b := Bound{Kind: BoundKind(c.random.IntN(6))}
	switch b.Kind {
	case Range:
		if c.random.IntN(3) > 0 {
			b.Low, b.LowOpen = c.operand(column), c.random.IntN(2) == 0
		}
		if c.random.IntN(3) > 0 {
			b.High, b.HighOpen = c.operand(column), c.random.IntN(2) == 0
		}
	case Equal, Prefix:
		b.Values = []value.Value{c.operand(column)}
		if text := b.Values[0]; b.Kind == Prefix && text.Kind() == value.String {
			cut := text.Bytes()[:c.random.IntN(len(text.Bytes())+1)]
			b.Values[0] = value.AppendString(nil, cut)
		}
	case In:
		for range c.random.IntN(4) {
			b.Values = append(b.Values, c.operand(column))
		}
	case Any:
		if depth == 0 {
			return Bound{Kind: IsNull}
		}
		for range c.random.IntN(3) {
			b.Union = append(b.Union, c.bound(column, depth-1))
		}
	}
	return b
}

// operand is mostly a value as the column's.
func (c *curveCase) operand(column int) value.Value {
	pool := c.pools[column]
	if c.random.IntN(10) == 0 {
		pool = c.strange
	}
	return pool[c.random.IntN(len(pool))]
}

// meets says, without any codes, whether a value is within a bound.
func meets(b *Bound, v value.Value) bool {
	switch b.Kind {
	case IsNull:
		return v == nil
	case Any:
		return slices.ContainsFunc(b.Union, func(one Bound) bool { return meets(&one, v) })
	case Equal, In:
		return v != nil && slices.ContainsFunc(b.Values, func(w value.Value) bool { return value.Equal(v, w) })
	case Prefix:
		p := b.Values[0]
		return v != nil && (p.Kind() == value.String || p.Kind() == value.Binary) && p.Kind() == v.Kind() &&
			bytes.HasPrefix(v.Bytes(), p.Bytes())
	}
	if v == nil {
		return false
	}
	if !b.Low.IsMissing() {
		if order, ok := value.Compare(v, b.Low); !ok || order < 0 || order == 0 && b.LowOpen {
			return false
		}
	}
	if !b.High.IsMissing() {
		if order, ok := value.Compare(v, b.High); !ok || order > 0 || order == 0 && b.HighOpen {
			return false
		}
	}
	return true
}

func (s boundSet) meet(row *curveRow) bool {
	for name, list := range s {
		for i := range list {
			if !meets(&list[i], row.columns[name]) {
				return false
			}
		}
	}
	return true
}

// check plans one random query and walks it every way.
func (c *curveCase) check(number int, total *walkCounts) {
	all := c.bounds(3)
	if c.random.IntN(2) == 0 {
		all["p"] = []Bound{{Kind: In, Values: []value.Value{value.AppendString(nil, []byte("z")),
			value.AppendString(nil, []byte("x"))}}}
	}
	choices := Choices{All: all.of}
	var alternatives []boundSet
	for range max(0, c.random.IntN(6)-2) {
		one := c.bounds(3)
		alternatives, choices.Any = append(alternatives, one), append(choices.Any, one.of)
	}
	plan, err := BindChoices(c.index, choices, 0)
	if err != nil {
		c.t.Fatal(err)
	}
	matches := func(row *curveRow) bool {
		return all.meet(row) && (alternatives == nil ||
			slices.ContainsFunc(alternatives, func(s boundSet) bool { return s.meet(row) }))
	}
	for _, patience := range []int{0, 1, 3, 1000} {
		for _, back := range []bool{false, true} {
			w := walker{c: c, plan: &plan, patience: patience, back: back}
			w.run()
			matched := c.compare(&w, matches)
			if plan.Skip != nil {
				total.rows, total.looked = total.rows+len(c.rows), total.looked+w.looked
				total.called, total.matched = total.called+len(w.found), total.matched+matched
			}
			if c.t.Failed() {
				c.t.Fatalf("case %d, patience %d, back %v: index %s, curve %s of %v\nbounds %v\nor %v", number,
					patience, back, describe(c.index), c.curve.Curve.Plan.Text(),
					attributesOf(c.curve), all, alternatives)
			}
		}
	}
}

func describe(x *schema.Index) string {
	text := fmt.Sprintf("nulls %v", x.KeepNulls)
	for i := range x.Key {
		text += "; " + x.Key[i].Name
	}
	return text
}

func attributesOf(p *schema.KeyPart) (list []codec.Attribute) {
	for i, one := range p.Curve.Codecs {
		a := one.Attribute()
		a.Name = p.Args[i].Column
		list = append(list, a)
	}
	return list
}

// compare fails if a row that matches was not called, if the walk was not in order, or if an entry was called whose
// codes are outside of all boxes.
func (c *curveCase) compare(w *walker, matches func(*curveRow) bool) (matched int) {
	c.t.Helper()
	if !slices.IsSortedFunc(w.found, func(a, b int) int { return (a - b) * w.sign() }) ||
		len(slices.Compact(slices.Clone(w.found))) != len(w.found) {
		c.t.Errorf("out of order: %v", w.found)
	}
	for i := range c.rows {
		if !matches(&c.rows[i]) {
			continue
		}
		matched++
		if !slices.Contains(w.found, i) {
			c.t.Errorf("%x with %v was passed over", c.rows[i].key, c.rows[i].columns)
		}
	}
	if w.plan.Skip == nil {
		return matched
	}
	for _, i := range w.found {
		key := c.rows[i].key
		for _, curve := range w.plan.Curves {
			if size := len(curve.Prefix) + c.curve.Curve.Plan.Bytes(); bytes.HasPrefix(key, curve.Prefix) &&
				!w.isIn(key[:size]) {
				c.t.Errorf("%x with %v is outside of %s", key, c.rows[i].columns, curve.Boxes)
			}
		}
	}
	return matched
}

// walker walks the spans of a plan over the rows as an engine would.
type walker struct {
	c        *curveCase
	plan     *Plan
	patience int // entries to step over before a seek
	back     bool
	found    []int
	looked   int
}

func (w *walker) sign() int {
	if w.back {
		return -1
	}
	return 1
}

func (w *walker) run() {
	spans := slices.Clone(w.plan.Spans)
	if w.back {
		slices.Reverse(spans)
	}
	for _, span := range spans {
		first, end := w.at(span.Start), len(w.c.rows)
		if span.End != nil {
			end = w.at(span.End)
		}
		if w.back {
			w.span(end-1, func(i int) bool { return i >= first })
		} else {
			w.span(first, func(i int) bool { return i < end })
		}
	}
}

// at is the first row at or above a key.
func (w *walker) at(key []byte) int {
	i, _ := slices.BinarySearchFunc(w.c.rows, key,
		func(row curveRow, key []byte) int { return bytes.Compare(row.key, key) })
	return i
}

// span walks rows from one on, as long as they are within.
func (w *walker) span(i int, within func(int) bool) {
	skip := w.plan.Skip
	if w.back {
		skip = w.plan.SkipBack
	}
	for within(i) {
		w.looked++
		key := w.c.rows[i].key
		if skip == nil {
			w.found = append(w.found, i)
			i += w.sign()
			continue
		}
		next, in, ok := skip(key, []byte("scratch"))
		if in {
			w.found = append(w.found, i)
			i += w.sign()
			continue
		}
		if !ok {
			return
		}
		target, fine := bytes.CutPrefix(next, []byte("scratch"))
		if !fine || bytes.Compare(target, key)*w.sign() <= 0 {
			w.c.t.Errorf("from %x a walk is sent to %x", key, target)
			return
		}
		if place := w.place(target); !w.isIn(place) {
			w.c.t.Errorf("from %x a walk is sent to %x, and %x is in no box", key, target, place)
			return
		}
		i = w.jump(i, target)
	}
}

// place is the address that a walk is sent to: forwards the target itself, backwards the last below it.
func (w *walker) place(target []byte) []byte {
	place := bytes.Clone(target)
	for i := len(place) - 1; w.back && i >= 0; i-- {
		if place[i]--; place[i] != 0xFF {
			break
		}
	}
	return place
}

// isIn reports whether an address, below the prefix of a curve, is in its boxes.
func (w *walker) isIn(key []byte) bool {
	return slices.ContainsFunc(w.plan.Curves, func(curve Curve) bool {
		address, ok := bytes.CutPrefix(key, curve.Prefix)
		return ok && curve.Boxes.In(address)
	})
}

// jump goes to the first row at or above a target, or backwards to the last below it.
func (w *walker) jump(i int, target []byte) int {
	beyond := func(i int) bool {
		order := bytes.Compare(w.c.rows[i].key, target)
		return order >= 0 && !w.back || order < 0 && w.back
	}
	for range w.patience {
		if i += w.sign(); i < 0 || i == len(w.c.rows) || beyond(i) {
			return i
		}
		w.looked++
	}
	if w.back {
		return w.at(target) - 1
	}
	return w.at(target)
}
