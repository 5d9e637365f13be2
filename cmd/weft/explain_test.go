// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"testing"
)

// TestExplainRequest: the flags of `weft explain` become a Query, a Scan or a statement, or an error that names the
// flag.
func TestExplainRequest(t *testing.T) {
	for _, one := range []struct {
		flags explainFlags
		want  string
	}{
		{explainFlags{}, "--table is missing: name a table; see weft explain --help"},
		{explainFlags{table: "t", filter: "a = :a", values: `{":a":{"N":"1"}}`},
			`Scan {"ExpressionAttributeValues":{":a":{"N":"1"}},"FilterExpression":"a = :a","TableName":"t"}`},
		{explainFlags{table: "t", keyCondition: "a = b", reverse: true},
			`Query {"KeyConditionExpression":"a = b","ScanIndexForward":false,"TableName":"t"}`},
		{explainFlags{table: "t", parameters: "[]"}, "--parameters needs --partiql; the other flag is --values"},
		{explainFlags{partiql: "SELECT a FROM t"}, `ExecuteStatement {"Statement":"SELECT a FROM t"}`},
		{explainFlags{partiql: "SELECT a FROM t WHERE a = ?", parameters: `[{"N":"1"}]`},
			`ExecuteStatement {"Parameters":[{"N":"1"}],"Statement":"SELECT a FROM t WHERE a = ?"}`},
		{explainFlags{partiql: "SELECT a FROM t", parameters: "x"},
			`--parameters is no JSON: write, for example, '[{"S":"ann"}]'`},
		{explainFlags{partiql: "SELECT a FROM t", table: "t"},
			"--partiql says which table is read, and how: leave out the other flags of the query"},
	} {
		operation, members, err := one.flags.request()
		body, marshalErr := json.Marshal(members)
		if marshalErr != nil {
			t.Fatal(marshalErr)
		}
		got := operation + " " + string(body)
		if err != nil {
			got = err.Error()
		}
		if got != one.want {
			t.Errorf("%+v\n got %s\nwant %s", one.flags, got, one.want)
		}
	}
}
