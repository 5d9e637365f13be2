// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"bytes"
	"encoding/json"
	"regexp"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/testdb"
)

var (
	uuidPattern = regexp.MustCompile(`"TableId": "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"`)
	timePattern = regexp.MustCompile(`DateTime": 1[0-9]{9}(\.[0-9]{1,3})?`)
	// spreadPattern finds objects and lists that fit a line.
	spreadPattern = regexp.MustCompile(`[{\[]\n[^{}\[\]]{1,200}[}\]]`)
	spacePattern  = regexp.MustCompile(`\n\s*`)
)

// TestTables runs the scripts of testdata/tables. A script has the commands
//
//	op NAME    runs an operation on a JSON body and shows the answer without what varies
//	wait       waits until no index is being built or removed
func TestTables(t *testing.T) {
	datadriven.Walk(t, "testdata/tables", func(t *testing.T, path string) {
		api := &API{DB: testdb.Open(t)}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "op":
				answer, err := run(t, api, d.CmdArgs[0].Key, d.Input)
				if err != nil {
					return show(nil, err)
				}
				return indent(t, answer)
			case "wait":
				if err := api.DB.WaitJobs(t.Context()); err != nil {
					t.Fatal(err)
				}
				return ""
			}
			d.Fatalf(t, "unknown command %s", d.Cmd)
			return ""
		})
	})
}

// indent prints JSON in lines, small objects in one.
func indent(t *testing.T, answer []byte) string {
	t.Helper()
	var out bytes.Buffer
	if err := json.Indent(&out, answer, "", " "); err != nil {
		t.Fatal(err)
	}
	text := uuidPattern.ReplaceAll(out.Bytes(), []byte(`"TableId": uuid`))
	text = timePattern.ReplaceAll(text, []byte(`DateTime": time`))
	text = spreadPattern.ReplaceAllFunc(text, func(b []byte) []byte { return spacePattern.ReplaceAll(b, nil) })
	return string(text)
}
