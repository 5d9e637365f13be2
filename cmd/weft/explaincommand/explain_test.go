// SPDX-License-Identifier: Apache-2.0

package explaincommand

import (
	"encoding/json"
	"testing"
)

// TestExplainRequest: the flags of `weft explain` become a Query, a Scan or a statement, or an error that names the
// flag.
func TestExplainRequest(t *testing.T) {
	for _, one := range []struct {
		given flags
		want  string
	}{
		{flags{}, "--table is missing: name a table; see weft explain --help"},
		{flags{table: "t", filter: "a = :a", values: `{":a":{"N":"1"}}`},
			`Scan {"ExpressionAttributeValues":{":a":{"N":"1"}},"FilterExpression":"a = :a","TableName":"t"}`},
		{flags{table: "t", keyCondition: "a = b", reverse: true},
			`Query {"KeyConditionExpression":"a = b","ScanIndexForward":false,"TableName":"t"}`},
		{flags{table: "t", parameters: "[]"}, "--parameters needs --partiql; the other flag is --values"},
		{flags{partiql: "SELECT a FROM t"}, `ExecuteStatement {"Statement":"SELECT a FROM t"}`},
		{flags{partiql: "SELECT a FROM t WHERE a = ?", parameters: `[{"N":"1"}]`},
			`ExecuteStatement {"Parameters":[{"N":"1"}],"Statement":"SELECT a FROM t WHERE a = ?"}`},
		{flags{partiql: "SELECT a FROM t", parameters: "x"},
			`--parameters is no JSON: write, for example, '[{"S":"ann"}]'`},
		{flags{partiql: "SELECT a FROM t", table: "t"},
			"--partiql says which table is read, and how: leave out the other flags of the query"},
	} {
		operation, members, err := one.given.request()
		body, marshalErr := json.Marshal(members)
		if marshalErr != nil {
			t.Fatal(marshalErr)
		}
		got := operation + " " + string(body)
		if err != nil {
			got = err.Error()
		}
		if got != one.want {
			t.Errorf("%+v\n got %s\nwant %s", one.given, got, one.want)
		}
	}
}
