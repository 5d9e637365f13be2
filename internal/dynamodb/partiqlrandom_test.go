// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// statementWriter writes one random condition twice: as PartiQL, with literals and question marks, and as a
// FilterExpression.
type statementWriter struct {
	random     *rand.Rand
	values     map[string]json.RawMessage // of the FilterExpression
	parameters []json.RawMessage
}

// value returns a value as both languages write it.
func (w *statementWriter) value(name string) (statement, expression string) {
	literals := map[string][][2]string{
		"pk": {{"'p0'", `{"S":"p0"}`}, {"'p1'", `{"S":"p1"}`}, {"'p2'", `{"S":"p2"}`}},
		"sk": {{"1", `{"N":"1"}`}, {"2.0", `{"N":"2"}`}, {"3e0", `{"N":"3"}`}, {"5", `{"N":"5"}`}},
		"x":  {{"'x1'", `{"S":"x1"}`}, {"'x2'", `{"S":"x2"}`}, {"'x'", `{"S":"x"}`}},
		"y":  {{"1", `{"N":"1"}`}, {"-2", `{"N":"-2"}`}, {"7", `{"N":"7"}`}},
		"z": {{"TRUE", `{"BOOL":true}`}, {"NULL", `{"NULL":true}`}, {"<<'b', 'a'>>", `{"SS":["a","b"]}`},
			{"{'k': [1, 'q']}", `{"M":{"k":{"L":[{"N":"1"},{"S":"q"}]}}}`}, {"3", `{"N":"3"}`}},
	}[name]
	one := literals[w.random.IntN(len(literals))]
	placeholder := ":v" + strconv.Itoa(len(w.values))
	w.values[placeholder] = json.RawMessage(one[1])
	if w.random.IntN(3) == 0 {
		w.parameters = append(w.parameters, json.RawMessage(one[1]))
		return "?", placeholder
	}
	return one[0], placeholder
}

// leaf writes a condition on one attribute.
func (w *statementWriter) leaf() (statement, expression string) {
	name := []string{"pk", "sk", "x", "y", "z"}[w.random.IntN(5)]
	op := []string{"=", "<>"}[w.random.IntN(2)]
	if name != "z" {
		op = []string{"=", "=", "=", "<>", "<", "<=", ">", ">=", "BETWEEN", "IN", "exists",
			"missing"}[w.random.IntN(12)]
	}
	switch op {
	case "BETWEEN":
		low, high := "'x'", "'x1'"
		a, b := `{"S":"x"}`, `{"S":"x1"}`
		if name == "sk" || name == "y" {
			low, high, a, b = "-1", "3", `{"N":"-1"}`, `{"N":"3"}`
		}
		n := strconv.Itoa(len(w.values))
		w.values[":a"+n], w.values[":b"+n] = json.RawMessage(a), json.RawMessage(b)
		return name + " BETWEEN " + low + " AND " + high, name + " BETWEEN :a" + n + " AND :b" + n
	case "IN":
		a, x := w.value(name)
		b, y := w.value(name)
		return name + " IN [" + a + ", " + b + "]", name + " IN (" + x + ", " + y + ")"
	case "exists":
		return name + " IS NOT MISSING", "attribute_exists(" + name + ")"
	case "missing":
		return name + " IS MISSING", "attribute_not_exists(" + name + ")"
	}
	a, b := w.value(name)
	return name + " " + op + " " + a, name + " " + op + " " + b
}

// condition writes a condition that nests so deep at most.
func (w *statementWriter) condition(depth int) (statement, expression string) {
	if depth == 0 || w.random.IntN(3) == 0 {
		return w.leaf()
	}
	a, x := w.condition(depth - 1)
	if w.random.IntN(6) == 0 {
		return "NOT " + a, "NOT " + x
	}
	b, y := w.condition(depth - 1)
	word := []string{" AND ", " AND ", " OR "}[w.random.IntN(3)]
	return "(" + a + word + b + ")", "(" + x + word + y + ")"
}

// TestStatementsAnswerAsScans: a SELECT over the table or an index finds, in pages of any size, what a Scan with the
// same filter finds; also where the table is distributed by hash, sorts downwards, or has several partition attributes.
func TestStatementsAnswerAsScans(t *testing.T) {
	for name, table := range map[string]string{
		"plain":      "key pk:S sk:N\nlsi l pk:S y:N\ngsi g x:S y:N\n",
		"hash":       "key pk:S sk:N\nhash\nlsi l pk:S y:N\ngsi g x:S y:N\n",
		"descending": "key pk:S desc(sk):N\nlsi l pk:S y:N\ngsi g x:S desc(y):N\n",
		"several":    "key pk:S sk:N\nlsi l pk:S y:N\ngsi g x:S y:N pk:S ;hash:2\n",
	} {
		t.Run(name, func(t *testing.T) { compareStatements(t, table) })
	}
}

// compareStatements fills a table and compares random statements with scans.
func compareStatements(t *testing.T, table string) {
	api, random := &API{DB: testdb.Open(t)}, rounds.Random(t)
	makeTable(t, api, "t", table)
	for pk := range 3 {
		for sk := range 6 {
			item := fmt.Sprintf(`"pk":{"S":"p%d"},"sk":{"N":"%d"}`, pk, sk)
			if n := random.IntN(4); n > 0 {
				item += fmt.Sprintf(`,"x":{"S":"x%d"}`, n)
			}
			if n := random.IntN(10); n > 2 {
				item += fmt.Sprintf(`,"y":{"N":"%d"}`, n-5)
			}
			item += []string{"", `,"z":{"BOOL":true}`, `,"z":{"NULL":true}`, `,"z":{"SS":["b","a"]}`,
				`,"z":{"M":{"k":{"L":[{"N":"1"},{"S":"q"}]}}}`}[random.IntN(5)]
			must(t, api, "PutItem", `{"TableName":"t","Item":{`+item+`}}`)
		}
	}
	queries, refused := 0, 0
	for range rounds.Of(t, 600) {
		w := statementWriter{random: random, values: map[string]json.RawMessage{}}
		statement, expression := w.condition(3)
		index := []string{"", "", "l", "g"}[random.IntN(4)]
		got, err := w.find(t, api, index, statement)
		if fault, ok := errors.AsType[*exception.Error](err); ok &&
			strings.HasPrefix(fault.Message, "Overlapping conditions") {
			refused++
			continue
		}
		if fault, ok := errors.AsType[*exception.Error](err); ok && strings.Contains(fault.Message, "BETWEEN") {
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
		queries++
		if want := w.scan(t, api, index, expression); !slices.Equal(got, want) {
			t.Fatalf("%s on index %q\n got %v\nwant %v", statement, index, got, want)
		}
	}
	if queries < 10*refused {
		t.Errorf("%d statements were answered, and %d refused", queries, refused)
	}
}

// find runs a SELECT page by page and returns its items, sorted.
func (w *statementWriter) find(t *testing.T, api *API, index, condition string) (found []string, err error) {
	t.Helper()
	request := map[string]any{"Statement": `SELECT * FROM "t" WHERE ` + condition, "Limit": 1 + w.random.IntN(8)}
	if index != "" {
		request["Statement"] = `SELECT * FROM "t"."` + index + `" WHERE ` + condition
	}
	if len(w.parameters) > 0 {
		request["Parameters"] = w.parameters
	}
	for {
		body, err := json.Marshal(request)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := api.Do(t.Context(), "ExecuteStatement", body, nil)
		if err != nil {
			return nil, err
		}
		next := ""
		if found, next = itemsOf(t, found, answer); next == "" {
			slices.Sort(found)
			return found, nil
		}
		request["NextToken"] = next
	}
}

// scan returns the items that a filter leaves, sorted.
func (w *statementWriter) scan(t *testing.T, api *API, index, filter string) []string {
	t.Helper()
	request := map[string]any{"TableName": "t", "FilterExpression": filter}
	if len(w.values) > 0 {
		request["ExpressionAttributeValues"] = w.values
	}
	if index != "" {
		request["IndexName"] = index
	}
	body, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	found, _ := itemsOf(t, nil, must(t, api, "Scan", string(body)))
	slices.Sort(found)
	return found
}

// itemsOf appends the items of an answer, as texts, and returns its NextToken.
func itemsOf(t *testing.T, found []string, answer []byte) ([]string, string) {
	t.Helper()
	var page struct {
		Items     []map[string]any
		NextToken string
	}
	if err := json.Unmarshal(answer, &page); err != nil {
		t.Fatal(err)
	}
	for _, item := range page.Items {
		text, err := json.Marshal(item)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, string(text))
	}
	return found, page.NextToken
}
