// SPDX-License-Identifier: Apache-2.0

package zorder

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// attributes are what random Z-orders are made of: how a key names them, and values that their codecs treat in
// different ways.
var attributes = []struct {
	declaration string
	values      []string
}{
	{"lat lat", []string{`{"N":"-91"}`, `{"N":"-90"}`, `{"N":"-0"}`, `{"N":"0"}`, `{"N":"40.749207"}`,
		`{"N":"40.7492071"}`, `{"N":"90"}`, `{"N":"1E+20"}`}},
	{"lon lon:12", []string{`{"N":"-180"}`, `{"N":"-73.985174"}`, `{"N":"-73.98"}`, `{"N":"0"}`, `{"N":"-1E-130"}`,
		`{"N":"179.99"}`, `{"N":"180"}`, `{"N":"181"}`}},
	{"pop u32", []string{`{"N":"0"}`, `{"N":"1"}`, `{"N":"1.5"}`, `{"N":"2"}`, `{"N":"-3"}`, `{"N":"4294967295"}`,
		`{"N":"4294967296"}`, `{"N":"9.99E+125"}`}},
	{"small u8", []string{`{"N":"0"}`, `{"N":"7"}`, `{"N":"7.25"}`, `{"N":"254.9"}`, `{"N":"255"}`, `{"N":"256"}`,
		`{"N":"-1"}`}},
	{"step i16:6", []string{`{"N":"-32769"}`, `{"N":"-32768"}`, `{"N":"-1"}`, `{"N":"-0.5"}`, `{"N":"0"}`, `{"N":"1"}`,
		`{"N":"1024"}`, `{"N":"32767"}`, `{"N":"40000"}`}},
	{"exact number", []string{`{"N":"12345678901234567890123456789012345678"}`,
		`{"N":"12345678901234567890123456789012345679"}`, `{"N":"-12345678901234567890123456789012345678"}`,
		`{"N":"0.10000000000000000000000000000000000001"}`, `{"N":"0.1"}`, `{"N":"0"}`, `{"N":"1E-130"}`,
		`{"N":"-1E-130"}`, `{"N":"9.9999999999999999999999999999999999999E+125"}`}},
	{"real f64", []string{`{"N":"-2.5"}`, `{"N":"-0"}`, `{"N":"1E-130"}`, `{"N":"2.5"}`,
		`{"N":"2.5000000000000000000000000000000000001"}`, `{"N":"2.5000000000000000000000000000000000002"}`,
		`{"N":"1E+125"}`}},
	{"single f32:9", []string{`{"N":"-1E+39"}`, `{"N":"-1"}`, `{"N":"0"}`, `{"N":"16777216"}`, `{"N":"16777217"}`,
		`{"N":"1E+38"}`, `{"N":"1E+39"}`}},
	{"heat linear(-40,60):10", []string{`{"N":"-41"}`, `{"N":"-40"}`, `{"N":"-5"}`, `{"N":"-4.9"}`, `{"N":"21.3"}`,
		`{"N":"60"}`, `{"N":"61"}`}},
	{"moment timestamp(s)", []string{`{"N":"-1"}`, `{"N":"0"}`, `{"N":"1469566800"}`, `{"N":"1469566800.25"}`,
		`{"N":"1469566801"}`, `{"N":"-99999999999"}`, `{"N":"1E+20"}`}},
	{"word text[4]", []string{`{"S":"candor"}`, `{"S":"candy"}`, `{"S":"car"}`, `{"S":"cart"}`, `{"S":"cartographer"}`,
		`{"S":"carton"}`, `{"S":"cat"}`, `{"S":""}`, `{"S":"zebra"}`}},
	{"title text[3]:17", []string{`{"S":"\u00e9t\u00e9"}`, `{"S":"e\u0301te\u0301"}`, `{"S":"ete"}`,
		`{"S":"\u6771\u4eac"}`, `{"S":"\u6771"}`, `{"S":"\ud83d\ude00"}`, `{"S":"f"}`}},
	{"blob binary[2]", []string{`{"B":""}`, `{"B":"AA=="}`, `{"B":"AAA="}`, `{"B":"AAAB"}`, `{"B":"AP8="}`,
		`{"B":"AQ=="}`, `{"B":"//8="}`, `{"B":"////"}`}},
	{"flag bool", []string{`{"BOOL":true}`, `{"BOOL":false}`}},
	{"day iso8601(s)", []string{`{"S":"1969-12-31T23:59:59Z"}`, `{"S":"1970-01-01T00:00:00Z"}`,
		`{"S":"2024-02-29T12:00:00Z"}`, `{"S":"2024-02-29T12:00:01Z"}`, `{"S":"9999-12-31T23:59:59Z"}`}},
}

// strangers are bounds that no value of most attributes is near: other types, texts that an index of instants does not
// take.
var strangers = []string{`{"S":"2024-02"}`, `{"S":"2024-02-29T13:00:00+01:00"}`, `{"S":"x"}`, `{"N":"3"}`,
	`{"B":"AA=="}`, `{"BOOL":true}`, `{"NULL":true}`, `{"L":[]}`}

// used is an attribute of the Z-order under test.
type used struct {
	name, declaration string
	values            []string
	nulls             bool // rows without it are in the index
}

// round is one random Z-order on random items, in several tables.
type round struct {
	t          *testing.T
	random     *rand.Rand
	api        *dynamodb.API
	number     int
	rows       int
	attributes []used
	curve      string // the name of the key part
	projection string // of the indexes
	paths      []path
}

// path is a way to read items through a Z-order, and the table that holds the same items without.
type path struct {
	table, index, twin string
	query              bool // by the partition key kind; otherwise Scan only
	other              bool // filters may name the attribute other
}

// TestRandomQueries makes random tables whose Z-orders are global and local indexes, alone or below a partition key,
// the table's own key, ordered or distributed by hash, and asks random filters of each: pages, counts, both directions
// and parallel segments must answer what a scan of a table without Z-order does.
func TestRandomQueries(t *testing.T) {
	seed := rounds.Seed(t)
	run := func(t *testing.T, db *database.DB, rounds, rows int) {
		found, looked := 0, 0
		for i := range rounds {
			r := newRound(t, rand.New(rand.NewPCG(seed, uint64(i))), db, i, rows)
			for range 12 {
				for _, p := range r.paths {
					n, m := r.ask(p)
					found, looked = found+n, looked+m
				}
			}
			if t.Failed() {
				t.Fatalf("round %d: %s, projection %s, page %d", i, r.curve, r.projection, r.api.Options.PageBytesMax)
			}
		}
		t.Logf("%d found in %d looked at", found, looked)
		if found == 0 || looked <= found {
			t.Error("nothing was asked")
		}
	}
	testdb.Each(t, func(t *testing.T, db *database.DB) { run(t, db, rounds.Of(t, 30), 50) })
	t.Run("learned", func(t *testing.T) { run(t, testdb.Open(t), rounds.Of(t, 10), learnedRows) })
}

// learnedRows are enough for codecs to be learned from them.
const learnedRows = 1000

func newRound(t *testing.T, random *rand.Rand, db *database.DB, number, rows int) *round {
	r := &round{t: t, random: random, api: &dynamodb.API{DB: db}, number: number, rows: rows}
	if random.IntN(3) == 0 {
		r.api.Options.PageBytesMax = 300 + random.IntN(1500)
	}
	var list []string
	for _, at := range random.Perm(len(attributes))[:1+random.IntN(4)] {
		a := attributes[at]
		name, _, _ := strings.Cut(a.declaration, " ")
		one := used{name, a.declaration, a.values, random.IntN(4) == 0}
		if one.nulls {
			one.declaration += " nulls=first"
		}
		r.attributes, list = append(r.attributes, one), append(list, one.declaration)
	}
	r.curve = "zorder(" + strings.Join(list, ", ") + ")"
	projections := []string{`{"ProjectionType":"ALL"}`, `{"ProjectionType":"KEYS_ONLY"}`,
		`{"ProjectionType":"INCLUDE","NonKeyAttributes":["other"]}`}
	r.projection = projections[random.IntN(3)]
	r.createTables()
	r.fill()
	if rows >= learnedRows && r.curve != "zorder(flag bool)" && r.curve != "zorder(flag bool nulls=first)" {
		r.learn()
	}
	return r
}

// learn rebuilds the indexes with codecs learned from the few rows they have.
func (r *round) learn() {
	for _, index := range []string{"below", "alone", "local"} {
		if err := r.api.DB.TableNamed("", fmt.Sprint("indexed", r.number)).RebuildIndex(r.t.Context(), index); err != nil {
			r.t.Fatal(err)
		}
	}
	if err := r.api.DB.WaitJobs(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
	pin, err := r.api.DB.PinIn("", fmt.Sprint("indexed", r.number))
	if err != nil {
		r.t.Fatal(err)
	}
	defer pin.Release()
	attributes, err := pin.CurveOf(r.t.Context(), "alone")
	if err != nil || !slices.ContainsFunc(attributes,
		func(a database.CurveAttribute) bool { return a.SampleRows > 0 }) {
		r.t.Fatalf("nothing was learned: %+v, %v", attributes, err)
	}
}

func quote(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}

// createTables makes a table with indexes, one with the Z-order below its partition key and one with nothing else for a
// key, and twins of these two.
func (r *round) createTables() {
	named := func(name string) string { return fmt.Sprint(name, r.number) }
	rest := `],"BillingMode":"PAY_PER_REQUEST"`
	if r.random.IntN(2) == 0 {
		rest += `,"Tags":[{"Key":"weft:distribution","Value":"hash"}]`
	}
	curve := quote(r.curve)
	declare := func(names ...string) string {
		for i, name := range names {
			kind := "S"
			if name == curve {
				kind = "B"
			}
			names[i] = `{"AttributeName":` + name + `,"AttributeType":"` + kind + `"}`
		}
		return `","AttributeDefinitions":[` + strings.Join(names, ",") + rest
	}
	key := func(names ...string) string {
		for i, name := range names {
			names[i] = `{"AttributeName":` + name + `,"KeyType":"` + []string{"HASH", "RANGE"}[i] + `"}`
		}
		return `,"KeySchema":[` + strings.Join(names, ",") + `]`
	}
	projection := `,"Projection":` + r.projection
	r.must("CreateTable", `{"TableName":"`+named("indexed")+declare(`"id"`, `"kind"`, curve)+key(`"kind"`, `"id"`)+
		`,"GlobalSecondaryIndexes":[{"IndexName":"below"`+key(`"kind"`, curve)+projection+`},{"IndexName":"alone"`+
		key(curve)+projection+
		`}],"LocalSecondaryIndexes":[{"IndexName":"local"`+key(`"kind"`, curve)+projection+`}]}`)
	r.must("CreateTable", `{"TableName":"`+named("own")+declare(`"kind"`, curve)+key(`"kind"`, curve)+`}`)
	r.must("CreateTable", `{"TableName":"`+named("sole")+declare(curve)+key(curve)+`}`)
	for _, twin := range []string{"ownTwin", "soleTwin"} {
		r.must("CreateTable", `{"TableName":"`+named(twin)+declare(`"id"`)+key(`"id"`)+`}`)
	}
	other := !strings.Contains(r.projection, "KEYS_ONLY")
	r.paths = []path{
		{named("indexed"), "below", named("indexed"), true, other},
		{named("indexed"), "alone", named("indexed"), false, other},
		{named("indexed"), "local", named("indexed"), true, true},
		{named("own"), "", named("ownTwin"), true, true}, {named("sole"), "", named("soleTwin"), false, true},
	}
}

func (r *round) must(operation, body string) []byte {
	r.t.Helper()
	answer, err := r.api.Do(r.t.Context(), operation, []byte(body), nil)
	if err != nil {
		r.t.Fatalf("%s %s: %v", operation, body, err)
	}
	return answer
}

// fill puts items, some of which miss attributes, and replaces a few. Where the Z-order is the key, items have all of
// its attributes, and those that are alike in them replace each other.
func (r *round) fill() {
	for i := range r.rows {
		id := i
		if i > r.rows*4/5 {
			id = r.random.IntN(i)
		}
		item := map[string]json.RawMessage{
			"id":    json.RawMessage(fmt.Sprintf(`{"S":"%d"}`, id)),
			"kind":  json.RawMessage(fmt.Sprintf(`{"S":"k%d"}`, id%2)),
			"other": json.RawMessage(fmt.Sprintf(`{"N":"%d"}`, r.random.IntN(3))),
		}
		missing := false
		for _, a := range r.attributes {
			if r.random.IntN(10) == 0 {
				missing = true
				continue
			}
			item[a.name] = json.RawMessage(a.values[r.random.IntN(len(a.values))])
			missing = missing || strings.Contains(string(item[a.name]), `:""`) // no key attribute is empty
		}
		r.put("indexed", item)
		if item["id"] = json.RawMessage(fmt.Sprintf(`{"S":"%d"}`, i)); !missing {
			r.put("own", item)
			r.put("sole", item)
		}
	}
	for _, table := range []string{"own", "sole"} {
		for _, item := range r.walk("Scan", map[string]any{"TableName": fmt.Sprint(table, r.number)}).items {
			r.put(table+"Twin", item)
		}
	}
}

func (r *round) put(table string, item map[string]json.RawMessage) {
	r.t.Helper()
	b, err := json.Marshal(item)
	if err != nil {
		r.t.Fatal(err)
	}
	r.must("PutItem", fmt.Sprintf(`{"TableName":"%s%d","Item":%s}`, table, r.number, b))
}

// walked is all pages of a walk.
type walked struct {
	items            []map[string]json.RawMessage
	pages            int
	counted, scanned int
	err              error
}

// ids are those of the items, in the order of the walk.
func (w *walked) ids() (ids []string) {
	for _, item := range w.items {
		ids = append(ids, string(item["id"]))
	}
	return ids
}

// walk asks for page after page.
func (r *round) walk(operation string, request map[string]any) (w walked) {
	r.t.Helper()
	limit, _ := request["Limit"].(int)
	for {
		body, err := json.Marshal(request)
		if err != nil {
			r.t.Fatal(err)
		}
		answer, err := r.api.Do(r.t.Context(), operation, body, nil)
		if err != nil {
			w.err = err
			return w
		}
		var page struct {
			Items               []map[string]json.RawMessage
			Count, ScannedCount int
			LastEvaluatedKey    json.RawMessage
		}
		if err := json.Unmarshal(answer, &page); err != nil {
			r.t.Fatal(err)
		}
		w.items, w.pages = append(w.items, page.Items...), w.pages+1
		w.counted, w.scanned = w.counted+page.Count, w.scanned+page.ScannedCount
		isCount := request["Select"] == "COUNT"
		full := limit > 0 && page.ScannedCount == limit
		switch {
		case !isCount && page.Count != len(page.Items), page.Count > page.ScannedCount, limit > 0 &&
			page.ScannedCount > limit,
			full != (page.LastEvaluatedKey != nil) && r.api.Options.PageBytesMax == 0, page.ScannedCount == 0 &&
				page.LastEvaluatedKey != nil:
			r.t.Errorf("%s %s: %s", operation, body, answer)
		case w.pages > 1000:
			r.t.Fatalf("%s %s does not end", operation, body)
		}
		if page.LastEvaluatedKey == nil {
			return w
		}
		request["ExclusiveStartKey"] = page.LastEvaluatedKey
	}
}

// filter is a random condition.
type filter struct {
	text   string
	values map[string]json.RawMessage
}

// operand names a value.
func (f *filter) operand(v string) string {
	name := fmt.Sprintf(":v%d", len(f.values))
	f.values[name] = json.RawMessage(v)
	return name
}

func (r *round) filter(p path) *filter {
	f := &filter{values: map[string]json.RawMessage{}}
	f.text = r.condition(f, p, 3)
	return f
}

// wrapped puts a condition into parentheses if it needs them; superfluous ones are refused.
func wrapped(text string) string {
	if strings.Contains(text, " AND ") || strings.Contains(text, " OR ") {
		return "(" + text + ")"
	}
	return text
}

func (r *round) condition(f *filter, p path, depth int) string {
	if depth > 0 {
		switch r.random.IntN(8) {
		case 0, 1, 2:
			return wrapped(r.condition(f, p, depth-1)) + " AND " + wrapped(r.condition(f, p, depth-1))
		case 3, 4:
			return wrapped(r.condition(f, p, depth-1)) + " OR " + wrapped(r.condition(f, p, depth-1))
		case 5:
			if r.random.IntN(3) == 0 {
				return "NOT " + wrapped(r.condition(f, p, depth-1))
			}
		}
	}
	if p.other && r.random.IntN(12) == 0 {
		return "other = " + f.operand(`{"N":"1"}`)
	}
	a := r.attributes[r.random.IntN(len(r.attributes))]
	value := func() string {
		if r.random.IntN(15) == 0 {
			return f.operand(strangers[r.random.IntN(len(strangers))])
		}
		return f.operand(a.values[r.random.IntN(len(a.values))])
	}
	name := "#" + a.name
	switch r.random.IntN(9) {
	case 0:
		return name + " BETWEEN " + value() + " AND " + value()
	case 1:
		return name + " IN (" + value() + ", " + value() + ", " + value() + ")"
	case 2:
		return "attribute_exists(" + name + ")"
	case 3:
		return "attribute_not_exists(" + name + ")"
	case 4:
		if strings.Contains(a.values[0], `"S"`) || strings.Contains(a.values[0], `"B"`) {
			return "begins_with(" + name + ", " + value() + ")"
		}
	}
	sides := []string{name, value()}
	if r.random.IntN(6) == 0 {
		slices.Reverse(sides)
	}
	return strings.Join(sides, []string{" = ", " = ", " < ", " <= ", " > ", " >= ", " <> "}[r.random.IntN(7)])
}

// names are the substitutes of the attributes that a text has.
func (r *round) names(text string) map[string]string {
	names := map[string]string{}
	for _, a := range r.attributes {
		if strings.Contains(text, "#"+a.name) {
			names["#"+a.name] = a.name
		}
	}
	return names
}

func (r *round) request(table string, f *filter, text string) map[string]any {
	request := map[string]any{"TableName": table, "FilterExpression": text}
	if names := r.names(text); len(names) > 0 {
		request["ExpressionAttributeNames"] = names
	}
	if len(f.values) > 0 {
		request["ExpressionAttributeValues"] = maps.Clone(f.values)
	}
	return request
}

// expect is what a table without the Z-order answers, of those items that the Z-order has.
func (r *round) expect(p path, f *filter) ([]string, error) {
	text := wrapped(f.text)
	for _, a := range r.attributes {
		if !a.nulls {
			text += " AND attribute_exists(#" + a.name + ")"
		}
	}
	w := r.walk("Scan", r.request(p.twin, f, text))
	ids := w.ids()
	slices.Sort(ids)
	return ids, w.err
}

// ask asks one random filter of one path in several ways. It returns how many items were found and how many looked at.
func (r *round) ask(p path) (found, looked int) {
	r.t.Helper()
	f := r.filter(p)
	want, wantErr := r.expect(p, f)
	request := r.request(p.table, f, f.text)
	if p.index != "" {
		request["IndexName"] = p.index
	}
	if limit := r.random.IntN(8); limit > 0 {
		request["Limit"] = limit * r.rows / 50
	}
	if p.index == "local" || p.index == "" {
		request["ConsistentRead"] = r.random.IntN(2) == 0
	}
	all := r.scan(p, maps.Clone(request))
	if all.err != nil || wantErr != nil {
		if (all.err == nil) != (wantErr == nil) {
			r.t.Errorf("%s %s: %v, and without a Z-order: %v", f.text, f.values, all.err, wantErr)
		}
		return 0, 0
	}
	r.compare(p, f, "Scan", all.ids(), want)
	if !p.query {
		return len(want), all.scanned
	}
	var queried []string
	for _, kind := range []string{"k0", "k1"} {
		n, m := r.query(p, f, maps.Clone(request), kind)
		queried, looked = append(queried, n...), looked+m
	}
	r.compare(p, f, "Query", queried, want)
	return 2 * len(want), looked + all.scanned
}

// compare compares ids in any order.
func (r *round) compare(p path, f *filter, how string, got, want []string) {
	r.t.Helper()
	got = slices.Sorted(slices.Values(got))
	if !slices.Equal(got, want) {
		r.t.Errorf("%s of %s %s WHERE %s %s:\n got %v\nwant %v", how, p.table, p.index, f.text, f.values, got, want)
	}
}

// scan scans as a whole or in segments.
func (r *round) scan(p path, request map[string]any) (w walked) {
	segments := r.random.IntN(4)
	if segments == 0 {
		return r.walk("Scan", request)
	}
	for segment := range segments {
		one := maps.Clone(request)
		one["Segment"], one["TotalSegments"] = segment, segments
		part := r.walk("Scan", one)
		w.items, w.scanned, w.err = append(w.items, part.items...), w.scanned+part.scanned, errors.Join(w.err, part.err)
	}
	return w
}

// query reads one partition in both directions, and counts it.
func (r *round) query(p path, f *filter, request map[string]any, kind string) (ids []string, looked int) {
	r.t.Helper()
	values := maps.Clone(f.values)
	values[":kind"] = json.RawMessage(`{"S":` + quote(kind) + `}`)
	request["KeyConditionExpression"], request["ExpressionAttributeValues"] = "kind = :kind", values
	forward := r.walk("Query", maps.Clone(request))
	request["ScanIndexForward"] = false
	if r.random.IntN(2) == 0 {
		delete(request, "Limit")
	}
	backward := r.walk("Query", maps.Clone(request))
	request["Select"] = "COUNT"
	count := r.walk("Query", request)
	if err := errors.Join(forward.err, backward.err, count.err); err != nil {
		r.t.Errorf("Query %s %s: %v", f.text, f.values, err)
	}
	reversed := backward.ids()
	slices.Reverse(reversed)
	if !slices.Equal(forward.ids(), reversed) || count.counted != len(reversed) {
		r.t.Errorf("Query of %s %s WHERE %s %s: forwards %v, backwards %v, %d counted", p.table, p.index, f.text,
			f.values, forward.ids(), backward.ids(), count.counted)
	}
	return forward.ids(), forward.scanned
}
