// SPDX-License-Identifier: Apache-2.0

package tablefile_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/dynamodb/tablefile"
)

func options() tablefile.Options {
	return tablefile.Options{Region: "eu-west-1", AccountID: "111122223333", Stack: "shop"}
}

// TestRead prints the requests that files become.
func TestRead(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			tables, err := tablefile.Read([]byte(strings.ReplaceAll(d.Input, "<tab>", "\t")), options())
			if err != nil {
				return err.Error() + "\n"
			}
			var out strings.Builder
			for _, table := range tables {
				fmt.Fprintf(&out, "%s, line %d, without %q\n", table.Name, table.Line, table.Passed)
				for _, r := range table.Requests {
					fmt.Fprintf(&out, "  %s %s\n", r.Operation, r.Body)
				}
			}
			return out.String()
		})
	})
}

// FuzzRead: any text is read or refused.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{`{"TableName":"t"}`, "TableName: &a t\nKeySchema: [*a]", "a: &a [*a]",
		"Resources: {T: {Type: AWS::DynamoDB::Table, Properties: {TableName: !Sub \"${X}\"}}}",
		`{"planned_values":{"root_module":{"resources":[{"type":"aws_dynamodb_table","values":{"name":"t"}}]}}}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tables, err := tablefile.Read([]byte(text), options())
		if err == nil && len(tables) == 0 {
			t.Error("neither a table nor an error")
		}
	})
}
