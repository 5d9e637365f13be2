// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// FuzzDo sends mutated bodies to all operations on items: nothing panics, an answer is JSON, and an error is the
// client's.
func FuzzDo(f *testing.F) {
	for _, seed := range scriptedRequests(f) {
		f.Add(seed[0], []byte(seed[1]))
	}
	for _, text := range [...]string{"SELECT * FROM t WHERE pk = ? OR pk IN ['a', 'b'] AND NOT sk < 5",
		"UPDATE t SET l[0] = l[0] + 1 REMOVE m.x WHERE pk = 'a' AND sk = 1 RETURNING ALL OLD *",
		"INSERT INTO t VALUE {'pk': ?, 'sk': 2, 's': <<1, 2>>}", "DELETE FROM t WHERE pk = 'a' AND sk = 1 AND v = 'v'",
		"SELECT w FROM t.g WHERE v = 'v' ORDER BY sk DESC"} {
		f.Add("ExecuteStatement", []byte(`{"Statement":"`+text+
			`","Parameters":[{"S":"a"}],"Limit":2,"ReturnConsumedCapacity":"INDEXES"}`))
	}
	api := &API{DB: testdb.Open(f)}
	var known []string
	for _, o := range itemOperations {
		known = append(known, o.Name)
	}
	f.Fuzz(func(t *testing.T, operation string, body []byte) {
		if !slices.Contains(known, operation) {
			return
		}
		if _, err := api.DB.Table("t"); err != nil {
			makeTable(t, api, "t", "key pk:S sk:N\nlsi l pk:S v:S keys\ngsi g concat(v,'-',pk):S desc(sk):N include:w\n")
			must(t, api, "PutItem", `{"TableName":"t","Item":{"pk":{"S":"a"},"sk":{"N":"1"},"v":{"S":"v"},"l":{"L":[{"N":"1"}]},"m":{"M":{"x":{"N":"1"}}}}}`)
		}
		before := []byte("before")
		answer, err := api.Do(t.Context(), operation, body, before)
		if err != nil {
			e, ok := err.(*exception.Error)
			if !ok || e.Status() >= 500 || !json.Valid(e.AppendJSON(nil)) {
				t.Fatalf("%s: %v", operation, err)
			}
			return
		}
		if !strings.HasPrefix(string(answer), "before{") || !json.Valid(answer[len(before):]) {
			t.Fatalf("%s: %s", operation, answer)
		}
	})
}

// scriptedRequests collects operations and bodies from the scripts.
func scriptedRequests(f *testing.F) (found [][2]string) {
	paths, err := filepath.Glob("testdata/items/*")
	if err != nil || len(paths) == 0 {
		f.Fatal("no scripts", err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		lines := strings.Split(string(text), "\n")
		for i := range lines[:len(lines)-1] {
			if words := strings.Fields(lines[i]); len(words) == 2 && (words[0] == "op" || words[0] == "pages") {
				found = append(found, [2]string{words[1], lines[i+1]})
			}
		}
	}
	return found
}
