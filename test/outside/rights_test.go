// SPDX-License-Identifier: Apache-2.0

package outside

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weftdb/weft/internal/dynamodb"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/security/account"
	"github.com/weftdb/weft/internal/security/permission"
	"github.com/weftdb/weft/internal/sql"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// equivalents are statements and requests that do the same, on the table {t} whose key is k.
var equivalents = []struct{ statement, operation, body string }{
	{"SELECT v FROM %[1]s WHERE k = %[2]s", "GetItem",
		`{"TableName": "%[1]s", "Key": {"k": %[3]s}, "ProjectionExpression": "v, k"}`},
	{"SELECT v FROM %[1]s WHERE k = %[2]s", "Query",
		`{"TableName": "%[1]s", "KeyConditionExpression": "k = :k", "ExpressionAttributeValues": {":k": %[3]s}, "ProjectionExpression": "v, k"}`},
	{"UPSERT INTO %[1]s(k, v) VALUES (%[2]s, 1)", "PutItem",
		`{"TableName": "%[1]s", "Item": {"k": %[3]s, "v": {"N": "1"}}}`},
	{"UPDATE %[1]s SET v = 2 WHERE k = %[2]s", "UpdateItem",
		`{"TableName": "%[1]s", "Key": {"k": %[3]s}, "UpdateExpression": "SET v = :v", "ExpressionAttributeValues": {":v": {"N": "2"}}}`},
	{"DELETE FROM %[1]s WHERE k = %[2]s", "DeleteItem", `{"TableName": "%[1]s", "Key": {"k": %[3]s}}`},
}

// TestRightsAgree gives a user random grants and policies, and asks of SQL and of DynamoDB's API whether the user may
// do the same things.
func TestRightsAgree(t *testing.T) {
	seed := rounds.Seed(t)
	random := rand.New(rand.NewPCG(seed, 0))
	for range 60 {
		synctest.Test(t, func(t *testing.T) { rightsAgree(t, random) })
	}
}

func rightsAgree(t *testing.T, random *rand.Rand) {
	db := testdb.Open(t)
	accounts := db.Accounts()
	if err := accounts.Add(t.Context(), "root", "secret"); err != nil { // the first user may do everything
		t.Fatal(err)
	}
	guard := permission.New(accounts, permission.Options{Account: "000000000000", Region: "local"})
	engine := sql.New(sql.Options{DB: db, Guard: guard})
	root, err := engine.Open(t.Context(), result.Login{User: "root"})
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	ann, err := engine.Open(t.Context(), result.Login{User: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	defer ann.Close()
	api := &dynamodb.API{DB: db, Region: "local", AccountID: "000000000000", Guard: guard}
	as := func(user string) func(operation, body string) error {
		p := &permission.Principal{User: user}
		return func(operation, body string) error {
			_, err := api.Do(permission.NewContext(t.Context(), p), operation, []byte(body), nil)
			return err
		}
	}
	tables := []string{"first", "second"}
	kind, keys := "S", map[string]string{"'ann'": `{"S": "ann"}`, "'bob'": `{"S": "bob"}`}
	if random.IntN(2) == 0 {
		kind, keys = "N", map[string]string{"7": `{"N": "7"}`, "8": `{"N": "8"}`}
	}
	for _, table := range tables {
		body := fmt.Sprintf(`{"TableName": "%s", "BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": [{"AttributeName": "k", "AttributeType": "%s"}],
			"KeySchema": [{"AttributeName": "k", "KeyType": "HASH"}]}`, table, kind)
		if err := as("root")("CreateTable", body); err != nil {
			t.Fatal(err)
		}
	}
	given := giveAtRandom(t, random, root, accounts)
	if random.IntN(2) == 0 { // and a policy of a table
		document := fmt.Sprintf(`{"Statement": {"Effect": "%s", "Principal": {"AWS": "arn:aws:iam::000000000000:user/ann"}, "Action": "dynamodb:*", "Resource": "*"}}`,
			[]string{"Allow", "Deny"}[random.IntN(2)])
		body, err := json.Marshal(map[string]string{"ResourceArn": "arn:aws:dynamodb:local:000000000000:table/second",
			"Policy": document})
		if err == nil {
			err = as("root")("PutResourcePolicy", string(body))
		}
		if err != nil {
			t.Fatal(err)
		}
		given = append(given, document)
	}
	time.Sleep(time.Second) // rights are kept for so long
	for _, table := range tables {
		for literal, key := range keys {
			for _, one := range equivalents {
				statement, body := fmt.Sprintf(one.statement, table, literal), fmt.Sprintf(one.body, table, literal,
					key)
				bySQL, byAPI := isAllowed(t, ann.Query(t.Context(), []byte(statement), &answer{})), isAllowed(t,
					as("ann")(one.operation, body))
				if bySQL != byAPI {
					t.Errorf("%v\nSQL lets ann do %s: %t\nDynamoDB's API %s: %t", given, statement, bySQL, body, byAPI)
				}
			}
		}
	}
}

// giveAtRandom gives ann grants, a role and a policy.
func giveAtRandom(t *testing.T, random *rand.Rand, root *sql.Session, accounts *account.Accounts) (given []string) {
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	statements := []string{"CREATE USER ann IDENTIFIED BY 'x'", "CREATE ROLE r", "GRANT r TO ann"}
	for range random.IntN(5) {
		verb := pick("GRANT %s ON %s TO %s", "GRANT %s ON %s TO %s", "REVOKE IF EXISTS %s ON %s FROM %s")
		statements = append(statements, fmt.Sprintf(verb,
			pick("SELECT", "INSERT", "UPDATE, SELECT", "DELETE", "ALL", "DROP"),
			pick("*.*", "`default`.*", "first", "second", "`default`.second"), pick("ann", "r")))
	}
	for _, statement := range statements {
		if err := root.Query(t.Context(), []byte(statement), &answer{}); err != nil {
			t.Fatal(statement, err)
		}
	}
	action := pick(`["dynamodb:*"]`, `["dynamodb:PartiQLSelect", "dynamodb:GetItem", "dynamodb:Query"]`,
		`["dynamodb:PartiQLUpdate", "dynamodb:UpdateItem"]`,
		`["dynamodb:PartiQLInsert", "dynamodb:PutItem", "dynamodb:PartiQLDelete", "dynamodb:DeleteItem"]`)
	condition := pick("", `, "Condition": {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["${aws:username}", "7"]}}`,
		`, "Condition": {"ForAnyValue:StringEquals": {"dynamodb:LeadingKeys": ["bob", "8"]}}`,
		`, "Condition": {"ForAllValues:StringEquals": {"dynamodb:Attributes": ["k", "v"]}}`,
		`, "Condition": {"ForAllValues:StringEquals": {"dynamodb:Attributes": ["k"]}}`)
	document := fmt.Sprintf(`{"Version": "2012-10-17", "Statement": {"Effect": "%s", "Action": %s, "Resource": "%s"%s}}`, pick("Allow", "Deny"), action,
		pick("*", "arn:aws:dynamodb:*:*:table/*", "arn:aws:dynamodb:*:*:table/first"), condition)
	if random.IntN(3) > 0 {
		if err := accounts.Change(t.Context(), "ann",
			func(u *account.Account) error { return u.PutPolicy("p", document) }); err != nil {
			t.Fatal(err)
		}
		statements = append(statements, document)
	}
	return statements
}

// isAllowed reports whether an error is none about rights.
func isAllowed(t *testing.T, err error) bool {
	if err == nil {
		return true
	}
	if f, ok := fault.Of(err); ok {
		switch f.Code {
		case fault.TableDenied, fault.ColumnDenied:
			return false
		}
	} else if exception.Of(err).Kind == exception.KindAccessDenied {
		return false
	}
	t.Fatalf("an error that is not about rights: %v", err)
	return false
}
