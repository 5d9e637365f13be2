// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/testing/testdb"
)

// TestPurge: Purge removes the items of a table and of its indexes and nothing else, unless the table is protected.
func TestPurge(t *testing.T) {
	api := &API{DB: testdb.Open(t)}
	makeTable(t, api, "abc", "key pk:S sk:N\ngsi g v:S\n")
	const arn = `"arn:aws:dynamodb:us-east-1:000000000000:table/abc"`
	must(t, api, "PutItem", `{"TableName":"abc","Item":{"pk":{"S":"a"},"sk":{"N":"1"},"v":{"S":"x"}}}`)
	must(t, api, "TagResource", `{"ResourceArn":`+arn+`,"Tags":[{"Key":"kept","Value":"yes"}]}`)
	must(t, api, "UpdateTable", `{"TableName":"abc","DeletionProtectionEnabled":true}`)
	if _, err := api.Do(t.Context(), "Purge", []byte(`{"TableName":"abc"}`), nil); err == nil ||
		!strings.Contains(err.Error(), "protected against deletion") {
		t.Errorf("a protected table: %v", err)
	}
	const all, byIndex = `{"TableName":"abc","Select":"COUNT"}`, `{"TableName":"abc","IndexName":"g","Select":"COUNT"}`
	expect := func(count string) {
		t.Helper()
		for _, body := range [...]string{all, byIndex} {
			if answer := string(must(t, api, "Scan", body)); !strings.Contains(answer, `"Count":`+count) {
				t.Errorf("%s: %s, want %s", body, answer, count)
			}
		}
	}
	expect("1")
	must(t, api, "UpdateTable", `{"TableName":"abc","DeletionProtectionEnabled":false}`)
	if answer := string(must(t, api, "Purge", `{"TableName":"abc"}`)); !strings.Contains(answer,
		`"TableStatus":"ACTIVE"`) || !strings.Contains(answer, `"IndexName":"g"`) {
		t.Errorf("Purge answers %s", answer)
	}
	expect("0")
	must(t, api, "PutItem", `{"TableName":"abc","Item":{"pk":{"S":"a"},"sk":{"N":"2"},"v":{"S":"y"}}}`)
	expect("1")
	if tags := string(must(t, api, "ListTagsOfResource", `{"ResourceArn":`+arn+`}`)); !strings.Contains(tags, "kept") {
		t.Errorf("the tags are %s", tags)
	}
	if _, err := api.Do(t.Context(), "Purge", []byte(`{"TableName":"none"}`), nil); err == nil ||
		!strings.HasPrefix(err.Error(), "ResourceNotFoundException") {
		t.Errorf("no table: %v", err)
	}
}
