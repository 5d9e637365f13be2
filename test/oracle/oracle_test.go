// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// target runs one operation. failure says that the answer is the body of an exception.
type target func(operation, body string) (answer []byte, failure bool)

// inProcess returns a target that runs operations on a database in this process.
func inProcess(ctx context.Context, db *database.DB) target {
	api := &dynamodb.API{DB: db}
	return func(operation, body string) ([]byte, bool) {
		answer, err := api.Do(ctx, operation, []byte(body), nil)
		if err == nil {
			return answer, false
		}
		if e, ok := err.(interface{ AppendJSON([]byte) []byte }); ok {
			return e.AppendJSON(nil), true
		}
		return []byte(`{"__type":"` + err.Error() + `"}`), true
	}
}

// stepsMax is how long a history is, over tables of its own.
const stepsMax = 1000

// TestRandom compares answers to random operations: three quarters of them on kv/mem, the others on Pebble.
func TestRandom(t *testing.T) {
	total, seed := max(rounds.Of(t, 8000), 1500), rounds.Seed(t)
	testdb.Each(t, func(t *testing.T, db *database.DB) {
		do, share, done := inProcess(t.Context(), db), total/4, 0
		if strings.HasSuffix(t.Name(), "mem") {
			share = total - share
		}
		for ; done < share; seed++ {
			steps := min(stepsMax, share-done)
			if difference := tryHistory(do, newHistory(seed, "t"+strconv.FormatUint(seed, 36)),
				steps); difference != nil {
				t.Fatal(difference.report(t))
			}
			done += steps
		}
		t.Logf("%d operations, the last seed was %d", done, seed-1)
	})
}

// history is a random sequence of operations on three tables.
type history struct {
	seed      uint64
	generator *generator
	model     *Model
	done      []*Request
}

func newHistory(seed uint64, prefix string) *history {
	g := newGenerator(seed)
	for _, t := range g.tables {
		t.Name = prefix + t.Name
	}
	g.transactions = dynamodb.FindOperation("TransactWriteItems") != nil
	g.model = NewModel(g.tables)
	return &history{seed: seed, generator: g, model: g.model}
}

// difference is where a database and the model part.
type difference struct {
	history *history
	text    string
}

// tryHistory makes tables, and requests until one is answered differently, and drops the tables.
func tryHistory(do target, h *history, steps int) *difference {
	if text := makeTables(do, h.generator.tables); text != "" {
		return &difference{h, text}
	}
	defer dropTables(do, h.generator.tables)
	for range steps {
		r := h.generator.request()
		h.done = append(h.done, r)
		want, text := step(do, h.model, r)
		if text != "" {
			return &difference{h, text}
		}
		h.generator.goOn(r, want.Next)
	}
	return nil
}

// step makes a request of both and says how the answers differ.
func step(do target, model *Model, r *Request) (want *Answer, text string) {
	if r.Segments > 0 {
		return stepSegments(do, model, r)
	}
	if r.Verb == "SELECT" {
		return stepStatement(do, model, r)
	}
	want = model.Do(r)
	got, failure := do(r.Operation, r.Body)
	text = Compare(r, want, got, failure)
	if text == "" || !isKnown(r, want, string(got)) {
		return want, text
	}
	resync(do, model, r)
	return want, ""
}

// resync takes over what the database has where it is known to be wrong, so that the history can go on.
func resync(do target, model *Model, r *Request) {
	for _, part := range append([]*Request{r}, r.Parts...) {
		t := model.tables[part.Table]
		if t == nil || part.Key == nil && part.Item == nil {
			continue
		}
		key := t.target(part)
		answer, failure := do("GetItem", `{"TableName":`+quote(t.Name)+`,"Key":`+string(key.appendJSON(nil, true))+`}`)
		if failure {
			continue
		}
		var found struct{ Item map[string]any }
		if json.Unmarshal(answer, &found) == nil {
			delete(t.items, key.String())
			if found.Item != nil {
				t.items[key.String()] = readItem(found.Item)
			}
		}
	}
}

// isKnown reports whether a difference is on the list of those that are passed over.
func isKnown(r *Request, want *Answer, got string) bool {
	return slices.ContainsFunc(known, func(k Known) bool { return k.Matches(r, want, got) })
}

// stepSegments scans in segments, page by page: together they are what the model finds in one scan.
func stepSegments(do target, model *Model, r *Request) (want *Answer, text string) {
	whole := *r
	whole.Limit, whole.Capacity = 0, ""
	want = model.Do(&whole)
	var wanted, found []string
	scanned := [2]int{}
	for a := want; ; a = model.Do(&whole) {
		if a.Failure != nil {
			break
		}
		wanted, scanned[0] = append(wanted, elements(a.Members["Items"])...), scanned[0]+atoi(a.Members["ScannedCount"])
		if whole.Start = a.Next; a.Next == nil {
			break
		}
	}
	for segment := range r.Segments {
		start := ""
		for pages := 0; ; pages++ {
			got, failure := do(r.Operation, segmentBody(r, segment, start))
			if failure || want.Failure != nil {
				return want, Compare(r, want, got, failure)
			}
			var page struct {
				Items            json.RawMessage
				ScannedCount     int
				LastEvaluatedKey json.RawMessage
			}
			if err := json.Unmarshal(got, &page); err != nil || pages > 2000 {
				return want, fmt.Sprintf("no end, or no page: %v: %s", err, got)
			}
			found, scanned[1] = append(found, elements(string(page.Items))...), scanned[1]+page.ScannedCount
			if start = string(page.LastEvaluatedKey); start == "" {
				break
			}
		}
	}
	slices.Sort(wanted)
	slices.Sort(found)
	if !slices.Equal(wanted, found) || scanned[0] != scanned[1] {
		return want, fmt.Sprintf("segments: want %d %s\n got %d %s", scanned[0], wanted, scanned[1], found)
	}
	return &Answer{Members: map[string]string{}}, ""
}

func atoi(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

// elements are the items of a list, each in its canonical form.
func elements(list string) (texts []string) {
	var items []json.RawMessage
	_ = json.Unmarshal([]byte(list), &items) // absent with Select COUNT
	for _, item := range items {
		text, _ := canonical(&Request{}, item, nil)
		texts = append(texts, text)
	}
	return texts
}

func segmentBody(r *Request, segment int, start string) string {
	members := map[string]json.RawMessage{}
	_ = json.Unmarshal([]byte(r.Body), &members) // the generator's own
	members["Segment"], members["TotalSegments"] = json.RawMessage(strconv.Itoa(segment)),
		json.RawMessage(strconv.Itoa(r.Segments))
	if start != "" {
		members["ExclusiveStartKey"] = json.RawMessage(start)
	}
	body, _ := json.Marshal(members)
	return string(body)
}

const activeTimeout = 30 * time.Second

// makeTables makes tables and waits until they are active.
func makeTables(do target, tables []*Table) string {
	for _, t := range tables {
		if answer, failure := do("CreateTable", t.describe()); failure {
			return fmt.Sprintf("%s: %s", t.describe(), answer)
		}
	}
	for _, t := range tables {
		for begun := time.Now(); ; time.Sleep(time.Millisecond) {
			answer, failure := do("DescribeTable", `{"TableName":"`+t.Name+`"}`)
			if !failure && strings.Contains(string(answer), `"TableStatus":"ACTIVE"`) &&
				!strings.Contains(string(answer), "CREATING") {
				break
			}
			if time.Since(begun) > activeTimeout {
				return "not active: " + string(answer)
			}
		}
	}
	return ""
}

func dropTables(do target, tables []*Table) {
	for _, t := range tables {
		do("DeleteTable", `{"TableName":"`+t.Name+`"}`)
	}
}

// shrinkTime is the time to look for a shorter history.
const shrinkTime = 20 * time.Second

// report is the difference with the shortest history that shows it.
func (d *difference) report(t *testing.T) string {
	t.Helper()
	short, text := shrink(d, func() target { return inProcess(t.Context(), testdb.Open(t)) })
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d, after %d operations:\n%s\n", d.history.seed, len(d.history.done), d.text)
	if text != d.text {
		fmt.Fprintf(&b, "and, shortened:\n%s\n", text)
	}
	for _, table := range d.history.generator.tables {
		if slices.ContainsFunc(short, func(r *Request) bool { return strings.Contains(r.Body, table.Name) }) {
			fmt.Fprintf(&b, "CreateTable %s\n", table.describe())
		}
	}
	for _, r := range short {
		fmt.Fprintf(&b, "%s %s\n", r.Operation, shortened(r.Body))
	}
	return b.String()
}

// shrink drops operations that do not matter: reads and those on other tables first, then larger groups before smaller
// ones.
func shrink(d *difference, open func() target) (short []*Request, text string) {
	deadline := time.Now().Add(shrinkTime)
	tables := d.history.generator.tables
	short = d.history.done
	if len(short) == 0 {
		return short, d.text
	}
	if text = replay(open(), tables, short); text == "" {
		return short, "(it does not happen again on a database of its own)"
	}
	try := func(list []*Request) bool {
		shorter := replay(open(), tables, list)
		if shorter != "" {
			short, text = list, shorter
		}
		return shorter != ""
	}
	last := short[len(short)-1]
	try(append(slices.DeleteFunc(slices.Clone(short[:len(short)-1]), func(r *Request) bool {
		write := r.Item != nil || r.Parts != nil || r.Key != nil && r.Operation != "GetItem"
		return !write || !slices.ContainsFunc(tables,
			func(t *Table) bool { return strings.Contains(last.Body, t.Name) && strings.Contains(r.Body, t.Name) })
	}), last))
	for size := len(short) / 2; size > 0; size /= 2 {
		for at := 0; at < len(short)-1 && time.Now().Before(deadline); {
			if end := min(at+size, len(short)-1); !try(slices.Concat(short[:at], short[end:])) {
				at = end
			}
		}
	}
	return short, text
}

// replay repeats requests on new tables and returns the difference of the last one; others must not differ.
func replay(do target, tables []*Table, list []*Request) (text string) {
	if text := makeTables(do, tables); text != "" {
		return text
	}
	model := NewModel(tables)
	for i, r := range list {
		_, text = step(do, model, r)
		if text != "" && i < len(list)-1 {
			return ""
		}
	}
	return text
}

// readItem is an item of an answer.
func readItem(tree map[string]any) Item {
	item := Item{}
	for name, v := range tree {
		item[name] = readValue(v.(map[string]any))
	}
	return item
}

func readValue(tree map[string]any) *Value {
	for _, kind := range slices.Collect(maps.Keys(tree)) {
		switch content := tree[kind]; kind {
		case "S":
			return Text(content.(string))
		case "N":
			return plain(Number(content.(string)))
		case "B":
			return Bytes(decode64(content.(string)))
		case "BOOL":
			return Bool(content.(bool))
		case "M":
			return Map(readItem(content.(map[string]any)))
		case "L":
			var list []*Value
			for _, element := range content.([]any) {
				list = append(list, readValue(element.(map[string]any)))
			}
			return List(list...)
		case "SS", "NS", "BS":
			var members []*Value
			for _, member := range content.([]any) {
				members = append(members, readValue(map[string]any{kind[:1]: member}))
			}
			return Set(members...)
		}
	}
	return Null()
}

func plain(v *Value) *Value { return ofDecimal(v.Number) }

func decode64(text string) string {
	b, _ := base64.StdEncoding.DecodeString(text)
	return string(b)
}
