// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"fmt"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/advice/digest"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// benchmark repeats one request on a table of 100 items of about 200 bytes in one partition.
func benchmark(b *testing.B, operation, body string) {
	api := &API{DB: testdb.Open(b), Statements: digest.New()}
	table := "key pk:S sk:N\n"
	if strings.Contains(b.Name(), "Indexed") {
		table += "gsi g owner:S score:N\n"
	}
	makeTable(b, api, "users", table)
	for i := range 100 {
		must(b, api, "PutItem", fmt.Sprintf(`{"TableName":"users","Item":{"pk":{"S":"user-1"},"sk":{"N":"%d"},%s}}`, i,
			fields))
	}
	bytes := []byte(body)
	var answer []byte
	var err error
	b.ReportAllocs()
	for b.Loop() {
		if answer, err = api.Do(b.Context(), operation, bytes, answer[:0]); err != nil {
			b.Fatal(err)
		}
	}
}

const fields = `"owner":{"S":"somebody@example.com"},"score":{"N":"42.5"},"text":{"S":"The quick brown fox jumps over the lazy dog, again and again."},` +
	`"active":{"BOOL":true},"tags":{"SS":["blue","green","red"]},"address":{"M":{"city":{"S":"Nara"},"zip":{"N":"6308213"}}}`

func BenchmarkGetItem(b *testing.B) {
	benchmark(b, "GetItem", `{"TableName":"users","Key":{"pk":{"S":"user-1"},"sk":{"N":"5"}}}`)
}

func BenchmarkPutItem(b *testing.B) {
	benchmark(b, "PutItem", `{"Item":{"pk":{"S":"user-1"},"sk":{"N":"5"},`+fields+`},"TableName":"users"}`)
}

func BenchmarkPutItemIndexed(b *testing.B) {
	benchmark(b, "PutItem", `{"Item":{"pk":{"S":"user-1"},"sk":{"N":"5"},`+fields+`},"TableName":"users"}`)
}

func BenchmarkUpdateItemConditional(b *testing.B) {
	benchmark(b, "UpdateItem", `{"TableName":"users","Key":{"pk":{"S":"user-1"},"sk":{"N":"5"}},"UpdateExpression":"SET score = score + :one",`+
		`"ConditionExpression":"attribute_exists(pk) AND #o = :o","ExpressionAttributeNames":{"#o":"owner"},`+
		`"ExpressionAttributeValues":{":one":{"N":"1"},":o":{"S":"somebody@example.com"}}}`)
}

func BenchmarkQuery100(b *testing.B) {
	benchmark(b, "Query", `{"TableName":"users","KeyConditionExpression":"pk = :p","ExpressionAttributeValues":{":p":{"S":"user-1"}}}`)
}

func BenchmarkQuery100Filtered(b *testing.B) {
	benchmark(b, "Query", `{"TableName":"users","KeyConditionExpression":"pk = :p","FilterExpression":"score > :s","ProjectionExpression":"#t",`+
		`"ExpressionAttributeNames":{"#t":"text"},"ExpressionAttributeValues":{":p":{"S":"user-1"},":s":{"N":"50"}}}`)
}

func BenchmarkExecuteStatementGet(b *testing.B) {
	benchmark(b, "ExecuteStatement", `{"Statement":"SELECT * FROM users WHERE pk = ? AND sk = ?","Parameters":[{"S":"user-1"},{"N":"5"}]}`)
}

func BenchmarkExecuteStatementPut(b *testing.B) {
	benchmark(b, "ExecuteStatement", `{"Statement":"UPDATE users SET score = score + ? WHERE pk = ? AND sk = ?","Parameters":[{"N":"1"},{"S":"user-1"},{"N":"5"}]}`)
}

func BenchmarkExecuteStatementQuery100(b *testing.B) {
	benchmark(b, "ExecuteStatement", `{"Statement":"SELECT * FROM users WHERE pk = ?","Parameters":[{"S":"user-1"}]}`)
}

func BenchmarkExecuteStatementQuery100Filtered(b *testing.B) {
	benchmark(b, "ExecuteStatement", `{"Statement":"SELECT text FROM users WHERE pk = ? AND score > 50","Parameters":[{"S":"user-1"}]}`)
}

func BenchmarkBatchGetItem25(b *testing.B) {
	var keys []string
	for i := range 25 {
		keys = append(keys, fmt.Sprintf(`{"pk":{"S":"user-1"},"sk":{"N":"%d"}}`, 3*i))
	}
	benchmark(b, "BatchGetItem", `{"RequestItems":{"users":{"Keys":[`+strings.Join(keys, ",")+`]}}}`)
}

func BenchmarkTransactWriteItems25(b *testing.B) {
	var actions []string
	for i := range 25 {
		actions = append(actions, fmt.Sprintf(
			`{"Put":{"TableName":"users","Item":{"pk":{"S":"user-1"},"sk":{"N":"%d"},%s}}}`, 3*i, fields))
	}
	benchmark(b, "TransactWriteItems", `{"TransactItems":[`+strings.Join(actions, ",")+`]}`)
}

// BenchmarkTransactDigest is what a token adds to the transaction of 25 items.
func BenchmarkTransactDigest(b *testing.B) {
	body := []byte(`[` + strings.TrimSuffix(
		strings.Repeat(`{"Put":{"TableName":"users","Item":{"pk":{"S":"user-1"},"sk":{"N":"5"},`+fields+`}}},`, 25),
		",") + `]`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := attributejson.NewReader(body).Digest(); err != nil {
			b.Fatal(err)
		}
	}
}
