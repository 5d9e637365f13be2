// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"bytes"
	"encoding/json"
	"regexp"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// timeTaken is what differs from run to run.
var timeTaken = regexp.MustCompile(`"Milliseconds": [0-9.]+`) // immutable

// explain shows the tree of a Query or Scan.
func explain(t *testing.T, api *API, d *datadriven.TestData) string {
	t.Helper()
	answer, err := api.Explain(t.Context(), d.CmdArgs[0].Key, []byte(d.Input), d.HasArg("analyze"), nil)
	if err != nil {
		return show(nil, err)
	}
	var text bytes.Buffer
	if err := json.Indent(&text, answer, "", " "); err != nil {
		t.Fatalf("no JSON: %s: %v", answer, err)
	}
	return timeTaken.ReplaceAllString(text.String(), `"Milliseconds": (some)`)
}
