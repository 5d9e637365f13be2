// SPDX-License-Identifier: Apache-2.0

package fault

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/dynamodb/exception"
)

// TestAsk: the tables that requests name, in all the ways that there are.
func TestAsk(t *testing.T) {
	const arn = "arn:aws:dynamodb:us-east-1:000000000000:table/abc"
	for _, one := range []struct{ operation, body, tables, actions string }{
		{"PutItem", `{"TableName": "abc"}`, "abc", ""},
		{"Query", `{"TableName": "` + arn + `"}`, "abc", ""},
		{"BatchGetItem", `{"RequestItems": {"x": {"Keys": []}, "` + arn + `": {"Keys": []}}}`, "abc x", ""},
		{"BatchWriteItem", `{"RequestItems": {"x": [], "y": []}}`, "x y", ""},
		{"TransactWriteItems", `{"TransactItems": [{"Put": {"TableName": "x"}}, {"Check": {"TableName": "y"}}]}`, "x y", "x y"},
		{"ExecuteStatement", `{"Statement": "select * from \"abc\".\"index\" where a = 1"}`, "abc", ""},
		{"ExecuteStatement", `{"Statement": "UPDATE abc SET a = 1"}`, "abc", ""},
		{"BatchExecuteStatement", `{"Statements": [{"Statement": "INSERT INTO \"x\" VALUE {}"}, {"Statement": "DELETE FROM y"}]}`, "x y", ""},
		{"ExecuteTransaction", `{"TransactStatements": [{"Statement": "INSERT INTO \"x\" VALUE {}"}]}`, "x", "x"},
		{"DescribeStream", `{"StreamArn": "` + arn + `/stream/2026"}`, "abc", ""},
		{"GetRecords", `{"ShardIterator": "` + arn + `/stream/2026|1|AAAA"}`, "abc", ""},
		{"TagResource", `{"ResourceArn": "` + arn + `"}`, "abc", ""},
		{"ListTables", `{}`, "", ""},
		{"PutItem", `{"TableName": 1}`, "", ""},
		{"ExecuteStatement", `{"Statement": "FROM"}`, "", ""},
		{"ExecuteStatement", `{"Statement": "SELECT * /* FROM x */ FROM\nabc WHERE a = 'INTO y'"}`, "abc", ""},
	} {
		asked := ask(one.operation, []byte(one.body))
		if got := join(asked.tables); got != one.tables {
			t.Errorf("%s names %q, not %q", one.body, got, one.tables)
		}
		if got := join(asked.actions); got != one.actions {
			t.Errorf("%s has actions on %q, not %q", one.body, got, one.actions)
		}
	}
}

func join(names []string) (text string) {
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "" })
	slices.Sort(names)
	for i, name := range names {
		if i > 0 {
			text += " "
		}
		text += name
	}
	return text
}

// TestOrder: the first error counts, latencies add up, and rules end.
func TestOrder(t *testing.T) {
	var p Plan
	if err := p.Add(Rule{Latency: Duration(time.Microsecond)}, Rule{Error: Throttling, Times: 1},
		Rule{Error: Internal, Latency: Duration(time.Microsecond), Share: 1}); err != nil {
		t.Fatal(err)
	}
	request := Request{Operation: "ListTables", Body: []byte("{}"),
		ReadOnly: true, Run: func(context.Context, []byte, []byte) ([]byte, error) { return []byte("done"), nil }}
	for i, want := range []exception.Kind{exception.KindThrottled, exception.KindInternal, exception.KindInternal} {
		var fault *exception.Error
		if _, err := p.Run(t.Context(), request, nil); !errors.As(err, &fault) || fault.Kind != want {
			t.Errorf("request %d: %v", i, err)
		}
	}
	text, err := json.Marshal(p.Rules())
	if want := `[{"latency":"1µs","met":3},{"error":"Throttling","times":1,"met":1},{"error":"InternalServerError","share":1,"latency":"1µs","met":2}]`; err != nil ||
		string(text) != want {
		t.Errorf("the rules are %s, %v; want %s", text, err, want)
	}
	p.Clear()
	if answer, err := p.Run(t.Context(), request, nil); err != nil || string(answer) != "done" {
		t.Errorf("without rules: %s, %v", answer, err)
	}
	if err := p.Add(Rule{Latency: Duration(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Run(ctx, request, nil); err == nil {
		t.Error("a request whose client is gone waits")
	}
}

// TestCheck: rules that make no sense.
func TestCheck(t *testing.T) {
	for _, r := range []Rule{{}, {Error: "x"}, {Error: Internal, Share: -1}, {Error: Internal, Share: 1.5},
		{Error: Internal, Times: -1}, {Error: Unprocessed, Done: true}, {Latency: -1}, {Lag: -1},
		{Lag: 1, Error: Internal}} {
		if new(Plan).Add(r) == nil {
			t.Errorf("%+v is taken", r)
		}
	}
}
