// SPDX-License-Identifier: Apache-2.0

package control

import (
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/dynamodb/tablemodel"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// TestContributors: the keys of a table are shown while its insights are on, and only if accessed keys are asked for.
func TestContributors(t *testing.T) {
	api := &API{Space: tablemodel.Space{DB: testdb.Open(t)}, Limits: tablemodel.Limits{GlobalIndexes: 20,
		LocalIndexes: 5, IncludedNames: 100, TableList: 100}, Contributors: func(table, index string) []Contributor {
		return []Contributor{{Key: table + index, Direction: "reads", Count: 60, Share: 0.5}}
	}}
	do := func(name, body string) string {
		for _, o := range Operations() {
			if o.Name == name {
				answer, err := o.Run(api, t.Context(), []byte(body), nil)
				if err != nil {
					t.Fatal(name, err)
				}
				return string(answer)
			}
		}
		t.Fatal(name)
		return ""
	}
	do("CreateTable", `{"TableName":"abc","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"a","AttributeType":"S"}],"KeySchema":[{"AttributeName":"a","KeyType":"HASH"}]}`)
	const shown = `"Contributors":[{"Key":"abc","Direction":"reads","Count":60,"Share":0.5}]`
	for _, one := range []struct {
		update string
		want   bool
	}{
		{`"ContributorInsightsAction":"ENABLE"`, true},
		{`"ContributorInsightsAction":"ENABLE","ContributorInsightsMode":"THROTTLED_KEYS"`, false},
		{`"ContributorInsightsAction":"ENABLE","ContributorInsightsMode":"ACCESSED_AND_THROTTLED_KEYS"`, true},
		{`"ContributorInsightsAction":"DISABLE"`, false},
	} {
		do("UpdateContributorInsights", `{"TableName":"abc",`+one.update+`}`)
		if answer := do("DescribeContributorInsights", `{"TableName":"abc"}`); strings.Contains(answer,
			shown) != one.want {
			t.Errorf("after %s: %s", one.update, answer)
		}
	}
}
