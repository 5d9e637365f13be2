// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdb"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/mem"
)

// TestKeyBytes: keys may be 2,048 and 1,024 bytes long, wherever they are given.
func TestKeyBytes(t *testing.T) {
	api := &API{DB: testdb.Open(t)}
	makeTable(t, api, "t", "key pk:S sk:S\ngsi g h:S r:S\n")
	item := func(member string, pk, sk int) string {
		return fmt.Sprintf(`{"TableName":"t","%s":{"pk":{"S":"%s"},"sk":{"S":"%s"}}}`, member, strings.Repeat("x", pk),
			strings.Repeat("x", sk))
	}
	indexed := func(_ string, h, r int) string {
		return fmt.Sprintf(`{"TableName":"t","Item":{"pk":{"S":"a"},"sk":{"S":"a"},"h":{"S":"%s"},"r":{"S":"%s"}}}`,
			strings.Repeat("x", h), strings.Repeat("x", r))
	}
	query := func(index string, h, r int) string {
		names := []string{"pk", "sk"}
		if index != "" {
			names, index = []string{"h", "r"}, `"IndexName":"g",`
		}
		return fmt.Sprintf(`{"TableName":"t",%s"KeyConditionExpression":"%s = :h and %s > :r","ExpressionAttributeValues":{":h":{"S":"%s"},":r":{"S":"%s"}}}`,
			index, names[0], names[1], strings.Repeat("x", h), strings.Repeat("x", r))
	}
	for _, try := range []struct {
		operation, argument string
		body                func(argument string, hash, sorted int) string
	}{
		{"GetItem", "Key", item}, {"DeleteItem", "Key", item}, {"UpdateItem", "Key", item}, {"PutItem", "Item", item},
		{"PutItem", "", indexed},
		{"Query", "", query}, {"Query", "g", query},
	} {
		must(t, api, try.operation, try.body(try.argument, 2048, 1024))
		for _, over := range []struct {
			hash, sorted int
			want         string
		}{
			{2049, 1, "Size of hashkey has exceeded the maximum size limit of2048 bytes"},
			{1, 1025, "Aggregated size of all range keys has exceeded the size limit of 1024 bytes"},
		} {
			_, err := api.Do(t.Context(), try.operation, []byte(try.body(try.argument, over.hash, over.sorted)), nil)
			if err == nil || !strings.Contains(err.Error(), over.want) {
				t.Errorf("%s of %d and %d: %v", try.operation, over.hash, over.sorted, err)
			}
		}
	}
}

// TestItemBytes: an item may have 409,600 bytes.
func TestItemBytes(t *testing.T) {
	api := &API{DB: testdb.Open(t)}
	makeTable(t, api, "t", "key pk:S\n")
	put := func(bytes int) string {
		return `{"TableName":"t","Item":{"pk":{"S":"a"},"s":{"S":"` + strings.Repeat("x", bytes-4) + `"}}}`
	}
	must(t, api, "PutItem", put(409600))
	if _, err := api.Do(t.Context(), "PutItem", []byte(put(409601)), nil); err == nil ||
		!strings.Contains(err.Error(), itemTooLarge) {
		t.Error(err)
	}
	must(t, api, "UpdateItem", `{"TableName":"t","Key":{"pk":{"S":"a"}},"UpdateExpression":"REMOVE zz"}`)
	if _, err := api.Do(t.Context(), "UpdateItem",
		[]byte(`{"TableName":"t","Key":{"pk":{"S":"a"}},"UpdateExpression":"SET z = :z","ExpressionAttributeValues":{":z":{"BOOL":true}}}`), nil); err == nil ||
		!strings.Contains(err.Error(), updateTooLarge) {
		t.Error(err)
	}
}

// TestFullPage: a page ends with the item that exceeds 1 MB, in a table and in an index, and costs what all its items
// do.
func TestFullPage(t *testing.T) {
	api := &API{DB: testdb.Open(t)}
	makeTable(t, api, "t", "key pk:S sk:N\ngsi g pk:S\n")
	const items, bytes, first = 300, 4000, 263 // 263 * 4,000 are more than 2^20, 262 * 4,000 are not
	for i := range items {
		sk := fmt.Sprint(100 + i) // up to 3 bytes in an item
		pad := strings.Repeat("x", bytes-len("pk")-len("a")-len("sk")-3-len("p"))
		must(t, api, "PutItem", `{"TableName":"t","Item":{"pk":{"S":"a"},"sk":{"N":"`+sk+`"},"p":{"S":"`+pad+`"}}}`)
	}
	for _, index := range []string{"", `"IndexName":"g",`} {
		for _, backward := range []string{"", `"ScanIndexForward":false,`} {
			body := func(start string) string {
				return `{"TableName":"t",` + index + backward + start +
					`"KeyConditionExpression":"pk = :p","Select":"COUNT","ReturnConsumedCapacity":"TOTAL",` +
					`"ExpressionAttributeValues":{":p":{"S":"a"}}}`
			}
			var page struct {
				Count            int
				ConsumedCapacity struct{ CapacityUnits float64 }
				LastEvaluatedKey json.RawMessage
			}
			for i, want := range []struct {
				count int
				units float64
			}{{first, 128.5}, {items - first, 18.5}} {
				start := ""
				if i > 0 {
					start = `"ExclusiveStartKey":` + string(page.LastEvaluatedKey) + `,`
				}
				page.LastEvaluatedKey = nil
				if err := json.Unmarshal(must(t, api, "Query", body(start)), &page); err != nil {
					t.Fatal(err)
				}
				if page.Count != want.count || page.ConsumedCapacity.CapacityUnits != want.units ||
					(page.LastEvaluatedKey != nil) != (i == 0) {
					t.Errorf("page %d of %s%s: %+v, want %+v", i+1, index, backward, page, want)
				}
			}
		}
	}
}

// TestUpdateBytes: an update may write 409,600 bytes, with something for each action and with the documents around what
// it writes.
func TestUpdateBytes(t *testing.T) {
	api := &API{DB: testdb.Open(t)}
	makeTable(t, api, "t", "key pk:S\n")
	must(t, api, "PutItem", `{"TableName":"t","Item":{"pk":{"S":"k"},"m":{"M":{"m":{"M":{}},"l":{"L":[]}}},"r":{"NULL":true}}}`)
	for _, try := range []struct {
		update string
		most   int // of the value
	}{
		{"SET p = :p", 409577},
		{"SET p = :p REMOVE r", 409575},
		{"SET p = :p REMOVE r, #long", 409573},
		{"SET m.p = :p", 409572},
		{"SET m.m.p = :p", 409567},
		{"SET m.l[0] = :p", 409568},
	} {
		names := ""
		if strings.Contains(try.update, "#long") {
			names = `"ExpressionAttributeNames":{"#long":"` + strings.Repeat("n", 1000) + `"},`
		}
		body := func(bytes int) string {
			return `{"TableName":"t","Key":{"pk":{"S":"k"}},"UpdateExpression":"` + try.update + `",` + names +
				`"ExpressionAttributeValues":{":p":{"S":"` +
				strings.Repeat("x", bytes) + `"}}}`
		}
		if _, err := api.Do(t.Context(), "UpdateItem", []byte(body(try.most+1)), nil); err == nil ||
			!strings.Contains(err.Error(), updateTooLarge) {
			t.Errorf("%s of %d bytes: %v", try.update, try.most+1, err)
		}
		must(t, api, "UpdateItem", body(try.most))
		must(t, api, "PutItem", `{"TableName":"t","Item":{"pk":{"S":"k"},"m":{"M":{"m":{"M":{}},"l":{"L":[]}}},"r":{"NULL":true}}}`)
	}
}

// TestNameBytes: the name of an attribute has 1 to 65,535 bytes, wherever it stands.
func TestNameBytes(t *testing.T) {
	api := &API{DB: testdb.Open(t)}
	makeTable(t, api, "t", "key pk:S\n")
	for _, try := range []struct{ operation, body string }{
		{"PutItem", `{"TableName":"t","Item":{"pk":{"S":"a"},"?":{"S":"x"}}}`},
		{"PutItem", `{"TableName":"t","Item":{"pk":{"S":"a"},"m":{"M":{"?":{"S":"x"}}}}}`},
		{"PutItem", `{"TableName":"t","Item":{"pk":{"S":"a"}},"Expected":{"?":{"Exists":false}}}`},
		{"UpdateItem", `{"TableName":"t","Key":{"pk":{"S":"a"}},"AttributeUpdates":{"?":{"Action":"PUT","Value":{"S":"x"}}}}`},
		{"UpdateItem", `{"TableName":"t","Key":{"pk":{"S":"a"}},"UpdateExpression":"SET v = :v","ExpressionAttributeValues":{":v":{"M":{"?":{"S":"x"}}}}}`},
		{"UpdateItem", `{"TableName":"t","Key":{"pk":{"S":"a"}},"UpdateExpression":"REMOVE #n","ExpressionAttributeNames":{"#n":"?"}}`},
		{"GetItem", `{"TableName":"t","Key":{"pk":{"S":"a"}},"AttributesToGet":["?"]}`},
		{"BatchGetItem", `{"RequestItems":{"t":{"Keys":[{"pk":{"S":"a"}}],"AttributesToGet":["?"]}}}`},
		{"Scan", `{"TableName":"t","ScanFilter":{"?":{"ComparisonOperator":"NULL"}}}`},
		{"Query", `{"TableName":"t","KeyConditions":{"?":{"ComparisonOperator":"EQ","AttributeValueList":[{"S":"a"}]}}}`},
	} {
		for bytes, want := range map[int]string{0: "Empty attribute name", 65536: "Attribute name is too large"} {
			body := strings.ReplaceAll(try.body, "?", strings.Repeat("n", bytes))
			if _, err := api.Do(t.Context(), try.operation, []byte(body), nil); err == nil ||
				!strings.Contains(err.Error(), want) {
				t.Errorf("%s with a name of %d bytes: %v, want %s", try.body, bytes, err, want)
			}
		}
		if try.operation != "Query" { // it wants the key's name
			must(t, api, try.operation, strings.ReplaceAll(try.body, "?", strings.Repeat("n", 65535)))
		}
	}
}

// TestBatchCounts: 100 keys, 25 writes, over all tables.
func TestBatchCounts(t *testing.T) {
	api := &API{DB: testdb.Open(t)}
	makeTable(t, api, "t", "key pk:N\n")
	makeTable(t, api, "u", "key pk:N\n")
	list := func(n int, format string) string {
		var elements []string
		for i := range n {
			elements = append(elements, fmt.Sprintf(format, i))
		}
		return "[" + strings.Join(elements, ",") + "]"
	}
	gets := func(t, u int) string {
		const key = `{"pk":{"N":"%d"}}`
		body := `{"RequestItems":{"t":{"Keys":` + list(t, key) + `}`
		if u > 0 {
			body += `,"u":{"Keys":` + list(u, key) + `}`
		}
		return body + `}}`
	}
	writes := func(t, u int) string {
		const put = `{"PutRequest":{"Item":{"pk":{"N":"%d"}}}}`
		body := `{"RequestItems":{"t":` + list(t, put)
		if u > 0 {
			body += `,"u":` + list(u, put)
		}
		return body + `}}`
	}
	must(t, api, "BatchWriteItem", writes(20, 5))
	must(t, api, "BatchGetItem", gets(50, 50))
	for _, try := range []struct{ operation, body, want string }{
		{"BatchWriteItem", writes(20, 6), "Too many items"},
		{"BatchWriteItem", writes(26, 0), "less than or equal to 25"},
		{"BatchGetItem", gets(51, 50), "Too many items"},
		{"BatchGetItem", gets(101, 0), "less than or equal to 100"},
	} {
		if _, err := api.Do(t.Context(), try.operation, []byte(try.body), nil); err == nil ||
			!strings.Contains(err.Error(), try.want) {
			t.Errorf("%s: %v", try.operation, err)
		}
	}
}

// TestBatchTooLarge: a batch that is more than the engine takes in one commit is written in several.
func TestBatchTooLarge(t *testing.T) {
	store := mem.Open(mem.Options{Limits: kv.Limits{TxnBytesMax: 2000}})
	db, err := database.Open(t.Context(), store, database.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close(); store.Close() })
	api := &API{DB: db}
	makeTable(t, api, "t", "key pk:N\n")
	put := func(n, bytes int) string {
		return fmt.Sprintf(`{"PutRequest":{"Item":{"pk":{"N":"%d"},"s":{"S":"%s"}}}}`, n, strings.Repeat("x", bytes))
	}
	var puts []string
	for n := range 20 {
		puts = append(puts, put(n, 500))
	}
	must(t, api, "BatchWriteItem", `{"RequestItems":{"t":[`+strings.Join(puts, ",")+`]}}`)
	if answer := string(must(t, api, "Scan",
		`{"TableName":"t","Select":"COUNT"}`)); answer != `{"Count":20,"ScannedCount":20}` {
		t.Error(answer)
	}
	_, err = api.Do(t.Context(), "BatchWriteItem", []byte(`{"RequestItems":{"t":[`+put(30, 10)+`,`+put(31, 3000)+`]}}`),
		nil)
	if e, ok := err.(*exception.Error); !ok || e.Name() != "ValidationException" {
		t.Errorf("an item larger than a commit: %v", err)
	}
}

// TestOperations: every operation that is listed is there, once.
func TestOperations(t *testing.T) {
	api := &API{DB: testdb.Open(t)}
	var names []string
	for _, o := range Operations() {
		names = append(names, o.Name)
	}
	slices.Sort(names)
	if len(slices.Compact(slices.Clone(names))) != len(names) || len(names) < 30 {
		t.Errorf("operations listed twice: %v", names)
	}
	for _, name := range names {
		_, err := api.Do(t.Context(), name, []byte("[]"), nil)
		if e, ok := err.(*exception.Error); !ok || e.Name() != "SerializationException" {
			t.Errorf("%s of a list: %v", name, err)
		}
	}
}

// TestHostileLists: lists that are far too long are refused in the usual words, and little is kept of them meanwhile.
func TestHostileLists(t *testing.T) {
	api := &API{DB: testdb.Open(t)}
	makeTable(t, api, "t", "key pk:S\n")
	const many = 200_000
	list := func(element string, n int) string { return strings.Repeat(element+",", n-1) + element }
	var tables strings.Builder
	for i := range many {
		fmt.Fprintf(&tables, `,"t%05d":{"Keys":[{}]}`, i)
	}
	for _, one := range []struct{ operation, body, want string }{
		{"BatchWriteItem", `{"RequestItems":{"t":[` + list("{}", 5*many) + `]}}`,
			"Member must have length less than or equal to 25"},
		{"BatchGetItem", `{"RequestItems":{"t":{"Keys":[` + list("{}", 5*many) + `]}}}`,
			"Member must have length less than or equal to 100"},
		{"BatchGetItem", `{"RequestItems":{` + tables.String()[1:] + `}}`,
			"Too many items requested for the BatchGetItem call"},
		{"TransactGetItems", `{"TransactItems":[` + list(`{"Get":{}}`, many) + `]}`,
			"Member must have length less than or equal to 100"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := api.Do(t.Context(), one.operation, []byte(one.body), nil)
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), one.want) {
			t.Errorf("%s: %.300v", one.operation, err)
		}
		took := after.TotalAlloc - before.TotalAlloc
		if took > 64<<20 && !rounds.Race { // with the race detector, pools forget values at random
			t.Errorf("%s took %d MiB", one.operation, took>>20)
		}
	}
}

// TestBeyondAWS: items, transactions and statements that are larger than AWS's are read and written like others, up to
// the limits that are set.
func TestBeyondAWS(t *testing.T) {
	api := &API{DB: testdb.Open(t), Options: BeyondAWS(2 << 20)}
	makeTable(t, api, "abc", "key pk:S\ngsi g v:S\n")
	must(t, api, "UpdateTable",
		`{"TableName":"abc","StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"}}`)
	put := func(name string, bytes int) string {
		return fmt.Sprintf(`{"TableName":"abc","Item":{"pk":{"S":"%s"},"v":{"S":"x"},"t":{"S":"%s"}}}`, name,
			strings.Repeat("t", bytes))
	}
	must(t, api, "PutItem", put("a", 1<<20+1<<19))
	must(t, api, "UpdateItem", `{"TableName":"abc","Key":{"pk":{"S":"a"}},"UpdateExpression":"SET n = :n","ExpressionAttributeValues":{":n":{"N":"1"}}}`)
	if _, err := api.Do(t.Context(), "PutItem", []byte(put("b", 2<<20)), nil); err == nil ||
		!strings.Contains(err.Error(), itemTooLarge) {
		t.Errorf("an item above the limit: %v", err)
	}
	for _, request := range []string{
		`{"TableName":"abc","KeyConditionExpression":"pk = :a","ExpressionAttributeValues":{":a":{"S":"a"}}}`,
		`{"TableName":"abc","IndexName":"g","KeyConditionExpression":"v = :x","ExpressionAttributeValues":{":x":{"S":"x"}}}`,
	} {
		if answer := must(t, api, "Query", request); len(answer) < 3<<19 {
			t.Errorf("%s: an answer of %d bytes", request, len(answer))
		}
	}
	var puts []string
	for i := range 250 {
		puts = append(puts, `{"Put":`+put(fmt.Sprint(i), 10)+`}`)
	}
	must(t, api, "TransactWriteItems", `{"TransactItems":[`+strings.Join(puts, ",")+`]}`)
	if page := string(must(t, api, "Scan", `{"TableName":"abc","Select":"COUNT"}`)); !strings.Contains(page,
		`"Count":251`) {
		t.Errorf("Scan: %s", page)
	}
}
