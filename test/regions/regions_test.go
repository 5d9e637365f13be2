// SPDX-License-Identifier: Apache-2.0

// Package regions asks the real server for tables that begin with several regions, over SQL and over DynamoDB's API,
// fills them, and reads what `weft regions` prints of them.
//
// Knows: the binary, DDL, CreateTable, the JSON of `weft regions`.
// Never: packages inside the server.
package regions

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"net"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	_ "github.com/go-sql-driver/mysql"

	"github.com/weftdb/weft/test/harness"
)

type region struct {
	ID, Table, Index string
	Start, End       []struct{ Name, Value string }
	Rows             int64
	Preset           bool
}

// TestRegions makes tables through both protocols, before and after a restart.
func TestRegions(t *testing.T) {
	binary, folder, admin := harness.Build(t), t.TempDir(), freeAddress(t)
	s := harness.Start(t, binary, harness.Options{Data: folder, Args: []string{"--admin-addr", admin}})
	overSQL(t, s.SQL())
	overDynamoDB(t, s.Addr())
	want := map[string]string{
		"orders/":        "4 regions, [0 100 0 100] rows",
		"orders/by_note": "4 regions, 200 rows",
		"items/":         "16 regions, 160 rows",
		"warm/":          "5 regions, 0 rows",
	}
	check(t, binary, admin, want)
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	harness.Start(t, binary, harness.Options{Data: folder, Args: []string{"--admin-addr", admin}})
	check(t, binary, admin, want)
}

func overSQL(t *testing.T, address string) {
	t.Helper()
	db, err := sql.Open("mysql", "root@tcp("+address+")/default?interpolateParams=true")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	exec := func(statement string, args ...any) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), statement, args...); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	exec("CREATE TABLE orders (channel VARCHAR, id BIGINT, note VARCHAR, PRIMARY KEY (channel, id)) WITH (SPLITKEYS='alipay,unionpay,wechat')")
	exec("CREATE INDEX by_note ON orders (hash32(note), note) WITH (NUMREGIONS='4')")
	for i := range 100 {
		exec("INSERT INTO orders (channel, id, note) VALUES (?, ?, ?), (?, ?, ?)", "alipay", i, fmt.Sprint("a", i),
			"wechat", i, fmt.Sprint("w", i))
	}
	var shown int
	rows, err := db.QueryContext(t.Context(), "SHOW REGIONS FROM orders")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		shown++
	}
	if err := rows.Err(); err != nil || shown != 8 {
		t.Errorf("SHOW REGIONS has %d rows, %v", shown, err)
	}
	var count int
	if err := db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM orders").Scan(&count); err != nil || count != 200 {
		t.Errorf("%d rows, %v", count, err)
	}
}

func overDynamoDB(t *testing.T, address string) {
	t.Helper()
	client := dynamodb.New(dynamodb.Options{
		BaseEndpoint: aws.String("http://" + address), Region: "us-east-1",
		Credentials: credentials.NewStaticCredentialsProvider("a", "b", ""),
	})
	create := func(in *dynamodb.CreateTableInput) {
		t.Helper()
		in.BillingMode = types.BillingModePayPerRequest
		in.AttributeDefinitions = []types.AttributeDefinition{{AttributeName: aws.String("id"),
			AttributeType: types.ScalarAttributeTypeS}}
		in.KeySchema = []types.KeySchemaElement{{AttributeName: aws.String("id"), KeyType: types.KeyTypeHash}}
		if _, err := client.CreateTable(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	create(&dynamodb.CreateTableInput{TableName: aws.String("items"), Tags: []types.Tag{
		{Key: aws.String("weft:regions"), Value: aws.String("16")},
		{Key: aws.String("weft:distribution"), Value: aws.String("hash")},
	}})
	create(&dynamodb.CreateTableInput{TableName: aws.String("warm"),
		WarmThroughput: &types.WarmThroughput{WriteUnitsPerSecond: aws.Int64(5000)}})
	for i := range 160 {
		item := map[string]types.AttributeValue{"id": &types.AttributeValueMemberS{Value: fmt.Sprint(i)}}
		if _, err := client.PutItem(t.Context(),
			&dynamodb.PutItemInput{TableName: aws.String("items"), Item: item}); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[string]bool{}
	for segment := range int32(7) {
		pages := dynamodb.NewScanPaginator(client, &dynamodb.ScanInput{
			TableName: aws.String("items"), Segment: aws.Int32(segment), TotalSegments: aws.Int32(7),
			Limit: aws.Int32(5),
		})
		for pages.HasMorePages() {
			page, err := pages.NextPage(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, item := range page.Items {
				id := item["id"].(*types.AttributeValueMemberS).Value
				if seen[id] {
					t.Errorf("%s is met twice", id)
				}
				seen[id] = true
			}
		}
	}
	if len(seen) != 160 {
		t.Errorf("%d items are met", len(seen))
	}
}

// check compares what `weft regions --json` prints with what is wanted of each table and index.
func check(t *testing.T, binary, admin string, want map[string]string) {
	t.Helper()
	command := harness.Command(t.Context(), binary, "regions", "--json", "--admin-addr", admin)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	output, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	var all []region
	if err := json.Unmarshal(output, &all); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	rows := map[string][]int64{}
	for _, r := range all {
		rows[r.Table+"/"+r.Index] = append(rows[r.Table+"/"+r.Index], r.Rows)
	}
	for of, text := range want {
		sum := int64(0)
		for _, n := range rows[of] {
			sum += n
		}
		if a, b := fmt.Sprintf("%d regions, %d rows", len(rows[of]), sum), fmt.Sprintf("%d regions, %v rows",
			len(rows[of]), rows[of]); a != text && b != text {
			t.Errorf("%s: %s; want %s", of, b, text)
		}
	}
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}
