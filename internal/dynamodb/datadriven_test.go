// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/data/cell"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// TestItems runs the scripts of testdata/items on each engine. A script has the commands
//
//	table NAME     makes a table of the lines "key pk:S sk:N", "lsi NAME pk:S x:N [keys|include:a,b]" and "gsi NAME x:S ..", each
//	               "search NAME analyzer x y", the keys
//	               with ";hash:2" behind the key for two partition attributes, and "hash" for a table distributed by hash
//	op NAME        runs an operation on a JSON body and shows the answer
//	partiql        runs the statement of each line, with the members of ExecuteStatement that follow it behind " ;; "; NextToken is $next, of the answer before
//	explain NAME   explains it, with analyze as far as it goes without the time
//	pages NAME     runs it again and again with ExclusiveStartKey until there is no LastEvaluatedKey, and shows each page in a line
//	limit NAME=N   sets an option; beyond=N those of BeyondAWS
//	set NAME       runs an operation that shows nothing worth showing
//	indexes NAME   shows the indexes of a table once they are built
func TestItems(t *testing.T) {
	for _, engine := range []struct {
		name string
		open func(testing.TB) *database.DB
	}{{"mem", testdb.Open}, {"pebble", testdb.OpenPebble}, {celled, testdb.Open}} {
		t.Run(engine.name, func(t *testing.T) {
			datadriven.Walk(t, "testdata/items", func(t *testing.T, path string) {
				if engine.name == celled && strings.HasSuffix(path, "/explain") {
					t.Skip("estimates are of the bytes in the store, histories among them")
				}
				if engine.name == celled && strings.HasSuffix(path, "/beyond") {
					t.Skip("such tables have no unique indexes")
				}
				api := &API{DB: engine.open(t)}
				datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
					return runCommand(t, api, d)
				})
			})
		})
	}
}

// celled is the run in which tables keep times and versions of their cells, of which DynamoDB's API shows nothing:
// every answer is the same.
const celled = "celled"

func runCommand(t *testing.T, api *API, d *datadriven.TestData) string {
	t.Helper()
	switch d.Cmd {
	case "table":
		return makeTable(t, api, d.CmdArgs[0].Key, d.Input)
	case "op":
		return show(run(t, api, d.CmdArgs[0].Key, d.Input))
	case "set":
		must(t, api, d.CmdArgs[0].Key, d.Input)
		return ""
	case "indexes":
		return showIndexes(t, api, d.CmdArgs[0].Key)
	case "explain":
		return explain(t, api, d)
	case "partiql":
		return runStatements(t, api, d)
	case "pages":
		return pages(t, api, d.CmdArgs[0].Key, d.Input)
	case "limit":
		var page, item, batch, beyond int
		d.MaybeScanArgs(t, "page", &page)
		d.MaybeScanArgs(t, "item", &item)
		d.MaybeScanArgs(t, "batch", &batch)
		d.MaybeScanArgs(t, "beyond", &beyond)
		api.Options = Options{PageBytesMax: page, ItemBytesMax: item, BatchBytesMax: batch}
		if beyond > 0 {
			api.Options = BeyondAWS(beyond)
		}
		return ""
	}
	t.Fatalf("unknown command %s", d.Cmd)
	return ""
}

// showIndexes shows the indexes of a table that DescribeTable and the schema know, once no work goes on.
func showIndexes(t *testing.T, api *API, name string) string {
	t.Helper()
	table, err := api.DB.Table(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := api.DB.WaitJobs(t.Context()); err != nil {
		t.Fatal(err)
	}
	var described struct {
		Table struct{ GlobalSecondaryIndexes []struct{ IndexName string } }
	}
	if err := json.Unmarshal(must(t, api, "DescribeTable", `{"TableName":"`+name+`"}`), &described); err != nil {
		t.Fatal(err)
	}
	text := "global"
	for _, x := range described.Table.GlobalSecondaryIndexes {
		text += " " + x.IndexName
	}
	pin, err := table.Pin()
	if err != nil {
		t.Fatal(err)
	}
	defer pin.Release()
	for i := range pin.Descriptor().Indexes {
		x := &pin.Descriptor().Indexes[i]
		text += fmt.Sprintf("\n%s (%s) unique %t, search %t", x.Name, x.Key[0].Name, x.Unique, x.Search)
	}
	return text
}

func run(t *testing.T, api *API, operation, body string) ([]byte, error) {
	t.Helper()
	answer, err := api.Do(context.Background(), operation, []byte(body), nil)
	if err == nil && !json.Valid(answer) {
		t.Fatalf("%s %s: no JSON: %s", operation, body, answer)
	}
	return answer, err
}

const shownLine = 150

func show(answer []byte, err error) string {
	if e, ok := errors.AsType[*exception.Error](err); ok {
		text := fmt.Sprintf("%d %s: %s", e.Status(), e.Name(), e.Message)
		if e.Extra != nil {
			text += "\n" + string(e.Extra)
		}
		return text
	}
	if err != nil {
		return "no *exception.Error: " + err.Error()
	}
	if len(answer) <= shownLine {
		return string(answer)
	}
	var members []string
	decoder := json.NewDecoder(bytes.NewReader(answer))
	_, _ = decoder.Token()
	for decoder.More() {
		name, _ := decoder.Token()
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return err.Error()
		}
		members = append(members, fmt.Sprintf("%q: %s", name, showList(value)))
	}
	return "{" + strings.Join(members, ",\n ") + "}"
}

// showList gives each element of a list a line.
func showList(value json.RawMessage) string {
	var list []json.RawMessage
	if json.Unmarshal(value, &list) != nil || len(value) < shownLine/2 {
		return string(value)
	}
	var lines []string
	for _, element := range list {
		lines = append(lines, "    "+string(element))
	}
	return "[\n" + strings.Join(lines, ",\n") + "]"
}

func pages(t *testing.T, api *API, operation, body string) string {
	t.Helper()
	var request map[string]json.RawMessage
	if err := json.Unmarshal([]byte(body), &request); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for len(lines) < 100 {
		text, err := json.Marshal(request)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := run(t, api, operation, string(text))
		if err != nil {
			return strings.Join(append(lines, show(nil, err)), "\n")
		}
		var page struct {
			Items               []map[string]map[string]any
			Count, ScannedCount int
			LastEvaluatedKey    json.RawMessage
		}
		if err := json.Unmarshal(answer, &page); err != nil {
			t.Fatal(err)
		}
		line := fmt.Sprintf("%d/%d:", page.Count, page.ScannedCount)
		for _, item := range page.Items {
			line += " " + showItem(item)
		}
		lines = append(lines, line)
		if page.LastEvaluatedKey == nil {
			return strings.Join(lines, "\n")
		}
		lines[len(lines)-1] += " -> " + string(page.LastEvaluatedKey)
		request["ExclusiveStartKey"] = page.LastEvaluatedKey
	}
	return strings.Join(lines, "\n") + "\nendless"
}

// showItem shows an item without its types.
func showItem(item map[string]map[string]any) string {
	plain := map[string]any{}
	for name, value := range item {
		for _, inner := range value {
			plain[name] = inner
		}
	}
	text, _ := json.Marshal(plain)
	return strings.ReplaceAll(string(text), `"`, "")
}

// wordsOf splits a line at the blanks that stand outside of parentheses.
func wordsOf(line string) []string {
	depth := 0
	return strings.FieldsFunc(line, func(c rune) bool {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		}
		return depth == 0 && (c == ' ' || c == '\n')
	})
}

func makeTable(t testing.TB, api *API, name, lines string) string {
	t.Helper()
	spec := database.TableSpec{Name: name}
	if strings.Contains(t.Name(), "/"+celled+"/") {
		spec.Cells = &cell.Rules{Versions: 2, LifeMS: 1 << 40, MarkersMS: 1 << 30}
	}
	for line := range strings.Lines(lines) {
		words := wordsOf(line)
		switch words[0] {
		case "key":
			spec.Key, spec.PartitionParts = parseKey(t, words[1:])
		case "hash":
			spec.HashDistributed = true
		case "search", "async":
			index := database.IndexSpec{Name: words[1], Search: true}
			if words[0] == "async" {
				index.Async = new(schema.Async)
			}
			part, err := database.Words(words[2], words[3:]...)
			if err != nil {
				t.Fatal(err)
			}
			index.Key = []schema.KeyPart{part}
			spec.Indexes = append(spec.Indexes, index)
		case "lsi", "gsi":
			index := database.IndexSpec{Name: words[1], Local: words[0] == "lsi"}
			words = words[2:]
			switch last := words[len(words)-1]; {
			case last == "keys":
				index.Projection, words = schema.ProjectKeys, words[:len(words)-1]
			case strings.HasPrefix(last, "include:"):
				index.Projection, index.Include = schema.ProjectInclude, strings.Split(last[len("include:"):], ",")
				words = words[:len(words)-1]
			}
			index.Key, index.PartitionParts = parseKey(t, words)
			spec.Indexes = append(spec.Indexes, index)
		}
	}
	if _, err := api.DB.CreateTable(context.Background(), spec); err != nil {
		return err.Error()
	}
	return "ok"
}

func parseKey(t testing.TB, words []string) (parts []schema.KeyPart, partition int) {
	t.Helper()
	partition = 1
	for _, word := range words {
		if word == ";hash:2" {
			partition = 2
			continue
		}
		at := strings.LastIndexByte(word, ':')
		part, err := database.Part(word[:at],
			map[string]schema.Type{"S": schema.String, "N": schema.Number, "B": schema.Binary,
				"int": schema.Int, "float": schema.Float, "timestamp": schema.Timestamp}[word[at+1:]])
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, part)
	}
	return parts, partition
}
