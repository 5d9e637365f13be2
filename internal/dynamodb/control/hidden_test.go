// SPDX-License-Identifier: Apache-2.0

package control_test

import (
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// TestHidden asks for an HBase table: whatever the operation, the answer is that of a table that is absent. The table
// stays.
func TestHidden(t *testing.T) {
	db := testdb.Open(t)
	api := &dynamodb.API{DB: db}
	for _, name := range []string{"aaa", "hidden", "zzz"} {
		spec := database.TableSpec{Name: name, Key: database.Columns("ROW", schema.Binary)}
		if name == "hidden" {
			spec.Rules = schema.Rules{Dialect: "HBase", Puts: true, Deletes: true}
		}
		if _, err := db.CreateTable(t.Context(), spec); err != nil {
			t.Fatal(err)
		}
	}
	const key, arn = `{"ROW":{"B":"eA=="}}`, `"arn:aws:dynamodb:us-east-1:000000000000:table/hidden"`
	for _, c := range [][2]string{
		{"DescribeTable", `{"TableName":"hidden"}`}, {"DeleteTable", `{"TableName":"hidden"}`},
		{"UpdateTable", `{"TableName":"hidden","BillingMode":"PAY_PER_REQUEST"}`},
		{"GetItem", `{"TableName":"hidden","Key":` + key + `}`},
		{"PutItem", `{"TableName":"hidden","Item":` + key + `}`},
		{"DeleteItem", `{"TableName":"hidden","Key":` + key + `}`},
		{"UpdateItem", `{"TableName":"hidden","Key":` + key + `}`}, {"Scan", `{"TableName":"hidden"}`},
		{"Query", `{"TableName":"hidden","KeyConditionExpression":"#r = :x","ExpressionAttributeNames":{"#r":"ROW"},"ExpressionAttributeValues":{":x":{"B":"eA=="}}}`},
		{"BatchGetItem", `{"RequestItems":{"hidden":{"Keys":[` + key + `]}}}`},
		{"BatchWriteItem", `{"RequestItems":{"hidden":[{"DeleteRequest":{"Key":` + key + `}}]}}`},
		{"TransactWriteItems", `{"TransactItems":[{"Delete":{"TableName":"hidden","Key":` + key + `}}]}`},
		{"TransactGetItems", `{"TransactItems":[{"Get":{"TableName":"hidden","Key":` + key + `}}]}`},
		{"DescribeTimeToLive", `{"TableName":"hidden"}`},
		{"UpdateTimeToLive", `{"TableName":"hidden","TimeToLiveSpecification":{"AttributeName":"a","Enabled":true}}`},
		{"TagResource", `{"ResourceArn":` + arn + `,"Tags":[{"Key":"a","Value":"b"}]}`},
		{"ListTagsOfResource", `{"ResourceArn":` + arn + `}`},
	} {
		_, err := api.Do(t.Context(), c[0], []byte(c[1]), nil)
		_, absent := api.Do(t.Context(), c[0], []byte(strings.ReplaceAll(c[1], "hidden", "absent")), nil)
		if err == nil || absent == nil || show(err) != strings.ReplaceAll(show(absent), "absent", "hidden") {
			t.Errorf("%s: %v, but a table that is absent: %v", c[0], err, absent)
		}
	}
	for _, limit := range []string{"1", "2", "100"} {
		var names []string
		for after := ""; ; {
			request := `{"Limit":` + limit + `}`
			if after != "" {
				request = `{"Limit":` + limit + `,"ExclusiveStartTableName":"` + after + `"}`
			}
			answer, err := api.Do(t.Context(), "ListTables", []byte(request), nil)
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, string(answer))
			if _, rest, ok := strings.Cut(string(answer), `"LastEvaluatedTableName":"`); ok {
				after, _, _ = strings.Cut(rest, `"`)
				continue
			}
			break
		}
		if all := strings.Join(names, ""); strings.Contains(all, "hidden") || !strings.Contains(all, "aaa") ||
			!strings.Contains(all, "zzz") {
			t.Errorf("pages of %s have %s", limit, all)
		}
	}
	if _, err := db.Table("hidden"); err != nil {
		t.Error(err)
	}
}
