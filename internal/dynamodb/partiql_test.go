// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// runStatements runs the statement of each line.
func runStatements(t *testing.T, api *API, d *datadriven.TestData) string {
	t.Helper()
	var out strings.Builder
	next := ""
	for line := range strings.Lines(d.Input) {
		line = strings.TrimSuffix(line, "\n")
		text, members, _ := strings.Cut(line, " ;; ")
		members = strings.ReplaceAll(members, "$next", next)
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		if members != "" {
			members = "," + members
		}
		answer, err := run(t, api, "ExecuteStatement", `{"Statement":`+string(quoted)+members+`}`)
		var page struct{ NextToken string }
		if err == nil && json.Unmarshal(answer, &page) == nil {
			next = page.NextToken
		}
		answer = tokenText.ReplaceAll(answer, []byte(`"NextToken":".."`))
		out.WriteString(line + "\n  " + strings.ReplaceAll(show(answer, err), "\n", "\n  ") + "\n")
	}
	return out.String()
}

var tokenText = regexp.MustCompile(`"NextToken":"[^"]*"`)
