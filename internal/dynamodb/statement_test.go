// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/advice/digest"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/expression"
	"github.com/weftdb/weft/internal/security/permission"
	"github.com/weftdb/weft/internal/testing/testdb"
	"github.com/weftdb/weft/internal/testing/testdoc"
)

// TestStatements runs scripts and shows what statements their requests are counted as. Besides those of TestItems, it
// has the commands
//
//	run            runs operations, one a line before its JSON body, and shows their statements: times, failed, examined, returned, written; then the text
func TestStatements(t *testing.T) {
	datadriven.Walk(t, "testdata/statements", func(t *testing.T, path string) {
		api := &API{DB: testdb.Open(t)}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd != "run" {
				return runCommand(t, api, d)
			}
			api.Statements = digest.New()
			lines := strings.Split(d.Input, "\n")
			for _, line := range lines {
				runStatement(t, api, line)
			}
			shown := showStatements(api.Statements.Digests())
			checkFound(t, api, lines)
			return shown
		})
	})
}

func runStatement(t *testing.T, api *API, line string) {
	operation, body, _ := strings.Cut(line, " ")
	if operation == "explain" {
		_, _ = api.Explain(t.Context(), "Query", []byte(body), true, nil) // it must not be counted
		return
	}
	_, _ = api.Do(t.Context(), operation, []byte(body), nil) // what fails is counted, too
}

// checkFound runs each read again, alone: it is found as what it was counted as when it was new, and as that only.
func checkFound(t *testing.T, api *API, lines []string) {
	texts := func() map[string]int64 {
		counts := map[string]int64{}
		for _, s := range api.Statements.Digests() {
			counts[s.Text] = s.Count
		}
		return counts
	}
	for _, line := range lines {
		if !strings.Contains(line, "Get") && !strings.HasPrefix(line, "Query") && !strings.HasPrefix(line, "Scan") {
			continue
		}
		before := texts()
		runStatement(t, api, line)
		found := texts()
		known := api.Statements
		api.Statements = digest.New()
		runStatement(t, api, line)
		text := api.Statements.Digests()[0].Text
		api.Statements = known
		if len(found) != len(before) || found[text] != before[text]+1 {
			t.Errorf("%s is counted as another statement than %s", line, text)
		}
	}
}

func showStatements(list []digest.Digest) string {
	slices.SortFunc(list, func(a, b digest.Digest) int { return cmp.Compare(a.Text, b.Text) })
	var lines strings.Builder
	for _, s := range list {
		fmt.Fprintf(&lines, "%d %d %d %d %d  %s\n", s.Count, s.Failed, s.Examined, s.Returned, s.Written, s.Text)
	}
	return lines.String()
}

// TestStatementsAreBounded: whatever expressions a client sends, a statement is not much longer than digest.TextMax.
func TestStatementsAreBounded(t *testing.T) {
	api := &API{DB: testdb.Open(t), Statements: digest.New()}
	makeTable(t, api, "users", "key pk:S\n")
	name := strings.Repeat("n", 60_000)
	long := strings.TrimSuffix(strings.Repeat("#n.#n.#n <> :v OR ", 90), " OR ")
	body := fmt.Sprintf(`{"TableName":"users","FilterExpression":%q,"ExpressionAttributeNames":{"#n":%q},"ExpressionAttributeValues":{":v":{"N":"1"}}}`, long, name)
	if _, err := api.Do(t.Context(), "Scan", []byte(body), nil); err != nil {
		t.Fatal(err)
	}
	var actions []string
	for i := range 100 {
		actions = append(actions, fmt.Sprintf(
			`{"Delete":{"TableName":"users","Key":{"pk":{"S":"%d"}},"ConditionExpression":"attribute_not_exists(a%d)"}}`, i, i))
	}
	if _, err := api.Do(t.Context(), "TransactWriteItems", []byte(`{"TransactItems":[`+strings.Join(actions, ",")+`]}`),
		nil); err != nil {
		t.Fatal(err)
	}
	list := api.Statements.Digests()
	for i := range list {
		if n := len(list[i].Text); n > digest.TextMax+len("…") {
			t.Errorf("%d bytes: %.80s", n, list[i].Text)
		}
	}
	if len(list) != 2 {
		t.Errorf("%d statements", len(list))
	}
	var names expression.Substitutions
	names.AddName("#n", name)
	names.AddValue(":v", value.AppendInt(nil, 1))
	filter, err := expression.ParseFilter(long, &names)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(appendCondition(nil, " FILTER ", filter)); n > 3*digest.TextMax {
		t.Errorf("%d bytes were written to keep %d of them", n, digest.TextMax)
	}
}

// TestStatementsWait: a write that waits for another one's item says so.
func TestStatementsWait(t *testing.T) {
	api := &API{DB: testdb.Open(t), Statements: digest.New()}
	makeTable(t, api, "users", "key pk:S\n")
	tx, err := api.DB.BeginWith(t.Context(), database.TxOptions{Locks: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := testdoc.PutIn(t.Context(), tx, "users", testdoc.Document{"pk": "a"}); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		_, err := api.Do(t.Context(), "DeleteItem", []byte(`{"TableName":"users","Key":{"pk":{"S":"a"}}}`), nil)
		done <- err
	}()
	for now, _ := api.DB.Waits(); len(now) == 0; now, _ = api.DB.Waits() {
		time.Sleep(time.Millisecond)
	}
	tx.Rollback()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if list := api.Statements.Digests(); len(list) != 1 || list[0].Waited <= 0 || list[0].Waited > list[0].Took {
		t.Errorf("%+v", list)
	}
}

// TestSlowRequests: a slow request is kept with its body and its user; of a long one the beginning, and of a Search its
// statement.
func TestSlowRequests(t *testing.T) {
	api := &API{DB: testdb.Open(t), Statements: digest.New()}
	makeTable(t, api, "users", "key pk:S\nsearch words standard title\n")
	api.Slow = func() time.Duration { return time.Hour }
	ctx := permission.NewContext(t.Context(), &permission.Principal{User: "ann"})
	do := func(operation, body string) {
		t.Helper()
		if _, err := api.Do(ctx, operation, []byte(body), nil); err != nil {
			t.Fatal(err)
		}
	}
	scan := `{"TableName":"users","Limit":5}`
	do("Scan", scan)
	if list := api.Statements.Slow(); len(list) != 0 {
		t.Errorf("quick ones are kept: %+v", list)
	}
	api.Slow = func() time.Duration { return 0 }
	do("Scan", scan)
	long := `{"TableName":"users","Item":{"pk":{"S":"` + strings.Repeat("é", digest.SlowTextMax) + `"}}}`
	if _, err := api.Do(ctx, "PutItem", []byte(long), nil); err == nil {
		t.Error("the key is too long")
	}
	do("Search", `{"TableName":"users","SearchAttributes":["title"],"SearchText":"secret"}`)
	list := api.Statements.Slow()
	if len(list) != 3 {
		t.Fatalf("%d are kept", len(list))
	}
	search, put, scanned := &list[0], &list[1], &list[2]
	if search.Text != "Search users ON title" || scanned.Text != "Scan "+scan || scanned.User != "ann" ||
		scanned.API != digest.DynamoDB || scanned.Database != "default" || scanned.Begun.IsZero() {
		t.Errorf("%+v\n%+v", search, scanned)
	}
	if n := len(put.Text); !put.Failed || n > digest.SlowTextMax || n < digest.SlowTextMax-2 ||
		!utf8.ValidString(put.Text) {
		t.Errorf("%d bytes of a long one are kept", n)
	}
}
