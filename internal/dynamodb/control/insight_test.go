// SPDX-License-Identifier: Apache-2.0

package control

import (
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/dynamodb/tablemodel"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// TestContributors: the keys of a table are shown while its insights are on: those that are accessed, or only those
// that are throttled.
func TestContributors(t *testing.T) {
	api := &API{Space: tablemodel.Space{DB: testdb.Open(t)}, Limits: tablemodel.Limits{GlobalIndexes: 20,
		LocalIndexes: 5, IncludedNames: 100, TableList: 100}, Contributors: func(table, index string) []Contributor {
		return []Contributor{{Key: table + index, Direction: "reads", Count: 60, Share: 0.5},
			{Key: "hot", Direction: Throttles, Count: 3, Share: 1}}
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
	const read = `{"Key":"abc","Direction":"reads","Count":60,"Share":0.5}`
	const throttled = `{"Key":"hot","Direction":"throttles","Count":3,"Share":1}`
	for _, one := range []struct{ update, want string }{
		{`"ContributorInsightsAction":"ENABLE"`, read + "," + throttled},
		{`"ContributorInsightsAction":"ENABLE","ContributorInsightsMode":"THROTTLED_KEYS"`, throttled},
		{`"ContributorInsightsAction":"ENABLE","ContributorInsightsMode":"ACCESSED_AND_THROTTLED_KEYS"`,
			read + "," + throttled},
		{`"ContributorInsightsAction":"DISABLE"`, ""},
	} {
		do("UpdateContributorInsights", `{"TableName":"abc",`+one.update+`}`)
		answer := do("DescribeContributorInsights", `{"TableName":"abc"}`)
		if _, list, _ := strings.Cut(answer, `"Contributors":[`); strings.TrimRight(list, "]}") != strings.TrimRight(
			one.want, "]}") {
			t.Errorf("after %s: %s", one.update, answer)
		}
	}
}
