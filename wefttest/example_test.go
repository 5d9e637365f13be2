// SPDX-License-Identifier: Apache-2.0

package wefttest_test

import (
	"database/sql"
	"fmt"
	"net/http"
	"testing"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/wefttest"
)

// The t of these examples is that of a test.
var t *testing.T

// A test of what works with the API of package weft.
func ExampleDB() {
	db := wefttest.DB(t)
	cities, err := db.CreateTable(t.Context(), weft.TableSpec{Name: "cities", Key: weft.Key(weft.String("name"))})
	if err != nil {
		t.Fatal(err)
	}
	if err := cities.Put(t.Context(), weft.Document{"name": "Porto"}); err != nil {
		t.Error(err)
	}
}

// A client of an AWS SDK gets the endpoint, any region and any credentials:
//
//	client := dynamodb.New(dynamodb.Options{
//		BaseEndpoint: aws.String(wefttest.DynamoDB(t)),
//		Region:       "us-east-1",
//		Credentials:  credentials.NewStaticCredentialsProvider("any", "any", ""),
//	})
func ExampleDynamoDB() {
	endpoint := wefttest.DynamoDB(t)
	answer, err := http.Get(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	fmt.Println(answer.Status)
}

// What a client has written is looked at through the API of package weft.
func ExampleDynamoDBOf() {
	db := wefttest.DB(t)
	endpoint := wefttest.DynamoDBOf(t, db)
	runProgram(endpoint) // the program that is tested
	fmt.Println(db.Tables(""))
}

// The driver is that of the program, here github.com/go-sql-driver/mysql.
func ExampleMySQL() {
	db, err := sql.Open("mysql", wefttest.MySQL(t))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("CREATE TABLE cities (name VARCHAR(40), PRIMARY KEY (name))"); err != nil {
		t.Error(err)
	}
}

// A program that speaks both protocols sees one database.
func ExampleMySQLOf() {
	db := wefttest.DB(t)
	runProgram(wefttest.DynamoDBOf(t, db), wefttest.MySQLOf(t, db))
}

// Clients of Thrift2 get a host and a port; over HTTP the path is /.
func ExampleHBase() { runProgram(wefttest.HBase(t)) }

// What HBase's clients write can be read with SQL.
func ExampleHBaseOf() {
	db := wefttest.DB(t)
	runProgram(wefttest.HBaseOf(t, db), wefttest.MySQLOf(t, db))
}

// runProgram stands for the program that is tested.
func runProgram(addresses ...string) { fmt.Println(addresses) }

// Tests that need the same items share a database that was prepared once, and leave it as it was.
func ExampleRestore() {
	db := wefttest.DB(t)
	endpoint := wefttest.DynamoDBOf(t, db)
	runProgram(endpoint) // makes tables and items
	for _, name := range []string{"first", "second"} {
		t.Run(name, func(t *testing.T) {
			wefttest.Restore(t, db)
			runProgram(endpoint) // whatever it changes is undone
		})
	}
}
