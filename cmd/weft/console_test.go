// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/hbase"
)

// askConsole sends a request as the web console does.
func askConsole(t *testing.T, s *server, method, path, token, body string) (status int, text string) {
	t.Helper()
	path, operation, ok := strings.Cut(path, "#") // an operation of DynamoDB's API, perhaps in a database
	operation, within, _ := strings.Cut(operation, "@")
	if !ok {
		operation = "ListTables"
	}
	r, err := http.NewRequest(method, "http://"+admin(s).Addr().String()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Weft-Console", "1")
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
	r.Header.Set("X-Weft-Database", within)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(content)
}

// TestConsole: both languages work without access control, also where their own ports are off.
func TestConsole(t *testing.T) {
	for _, settings := range []map[string]string{{}, {"mysql-addr": off, "dynamodb-addr": off}} {
		s, _ := openServer(t, settings)
		for _, one := range []struct{ method, path, body, want string }{
			{"POST", "/api/sql", `{"statement": "CREATE TABLE t (id BIGINT PRIMARY KEY)"}`,
				`{"done":{"rows":0,"affected":0}}`},
			{"POST", "/api/sql", `{"statement": "SHOW PROCESSLIST"}`, "SHOW PROCESSLIST"},
			{"POST", "/api/dynamodb", `{}`, `{"TableNames":["t"]}`},
			{"POST", "/api/dynamodb#PutItem", `{"TableName": "t", "Item": {"id": {"N": "1"}}}`, `{}`},
			{"POST", "/api/sql", `{"statement": "CREATE DATABASE shop; CREATE TABLE shop.t (id BIGINT PRIMARY KEY, s VARCHAR); INSERT INTO shop.t VALUES (7, 'x')"}`, `"affected":1`},
			{"POST", "/api/dynamodb#Scan@shop", `{"TableName": "t"}`, `"Items":[{"id":{"N":"7"},"s":{"S":"x"}}]`},
			{"POST", "/api/dynamodb#Scan@default", `{"TableName": "t"}`, `"Items":[{"id":{"N":"1"}}]`},
			{"POST", "/api/dynamodb#Scan@nowhere", `{"TableName": "things"}`, `ResourceNotFoundException`},
			{"POST", "/api/dynamodb#UpdateItem@shop",
				`{"TableName": "t", "Key": {"id": {"N": "7"}}, "UpdateExpression": "SET s = :y", "ExpressionAttributeValues": {":y": {"S": "y"}}}`, `{}`},
			{"POST", "/api/dynamodb#BatchWriteItem@shop",
				`{"RequestItems": {"t": [{"PutRequest": {"Item": {"id": {"N": "8"}}}}]}}`, `{}`},
			{"POST", "/api/dynamodb#BatchGetItem@shop", `{"RequestItems": {"t": {"Keys": [{"id": {"N": "7"}}]}}}`,
				`"s":{"S":"y"}`},
			{"POST", "/api/dynamodb#DeleteTable@shop", `{"TableName": "t"}`,
				`is only for tables of the default database`},
			{"POST", "/api/dynamodb#TransactWriteItems@shop", `{"TransactItems": []}`,
				`is only for tables of the default database`},
			{"POST", "/api/hbase/scan", `{"table": "nothing"}`, `TableNotFoundException`},
			{"POST", "/api/advise", `{"Table": {"TableName": "x"}, "Nonsense": 1}`, "Nonsense"},
			{"POST", "/api/advise", `{"Table": {"TableName": "o", "ItemCount": 1000000, "AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}], "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}]}, "Patterns": [{"Name": "by b", "PerSecond": 20, "Where": {"b": "="}}], "Attributes": {"b": {"Type": "S", "Distinct": 1000}}}`, `"Statements"`},
			{"GET", "/api/tables", "", `"name":"t","key":[{"name":"id","type":"int","sql":"BIGINT"}]`},
			{"GET", "/api/work", "", `[]`},
			{"GET", "/api/session", "", `{"auth":"off","user":"","protocols":{"admin":"127.0.0.1:`},
			{"POST", "/api/session", `{"user":"ann","password":"x"}`, "access control is off"},
			{"GET", "/api/overview", "", `"protocols"`},
		} {
			if _, got := askConsole(t, s, one.method, one.path, "", one.body); !strings.Contains(got, one.want) {
				t.Errorf("%s %s %s: %s", one.method, one.path, one.body, got)
			}
		}
	}
}

// TestConsoleSignIn: with access control, data is for who has signed in, as far as that user's rights go.
func TestConsoleSignIn(t *testing.T) {
	s, _ := openServer(t, map[string]string{"auth": "required"})
	accounts := s.database.(*openedDatabase).db.Accounts()
	if status, text := askConsole(t, s, "POST", "/api/dynamodb", "", "{}"); status != 401 ||
		!strings.Contains(text, "no users") {
		t.Errorf("before there is a user: %d %s", status, text)
	}
	for _, user := range []string{"root", "ann"} {
		if err := accounts.Add(t.Context(), user, "secret "+user); err != nil {
			t.Fatal(err)
		}
	}
	for _, wrong := range []string{`{"user":"ann","password":"x"}`, `{"user":"ann","password":""}`,
		`{"user":"nobody","password":"x"}`, `{"user":"nobody","password":""}`} {
		if status, text := askConsole(t, s, "POST", "/api/session", "", wrong); status != 401 ||
			strings.Contains(text, "token") {
			t.Errorf("%s: %d %s", wrong, status, text)
		}
	}
	signIn := func(user string) string {
		status, text := askConsole(t, s, "POST", "/api/session", "", `{"user":"`+user+`","password":"secret `+user+`"}`)
		var got struct{ Token string }
		if err := json.Unmarshal([]byte(text), &got); err != nil || status != 200 {
			t.Fatalf("%d %s", status, text)
		}
		return got.Token
	}
	root, ann := signIn("root"), signIn("ann")
	families := []hbase.Family{{Name: "f", Versions: 1}}
	if err := (&hbase.API{DB: s.database.(*openedDatabase).db}).CreateTable(t.Context(),
		&hbase.Table{TableName: hbase.TableName{Namespace: "default", Name: "h"}, Families: families},
		nil); err != nil {
		t.Fatal(err)
	}
	for _, one := range []struct {
		token, path, body string
		status            int
		want              string
	}{
		{"", "/api/dynamodb", `{}`, 401, "sign in"}, {"", "/api/sql", `{"statement":"SELECT 1"}`, 401, "sign in"},
		{"session-x", "/api/sql", `{"statement":"SELECT 1"}`, 401, "no such token"},
		{root, "/api/sql", `{"statement":"CREATE TABLE t (id BIGINT PRIMARY KEY)"}`, 200, "done"},
		{root, "/api/dynamodb", `{}`, 200, "TableNames"},
		{ann, "/api/dynamodb", `{}`, 400, "AccessDeniedException"},
		{ann, "/api/sql", `{"statement":"SELECT * FROM t"}`, 200, "error"},
		{ann, "/api/sql", `{"statement":"SELECT CURRENT_USER()"}`, 200, "ann@"},
		{root, "/api/sql", `{"statement":"CREATE DATABASE shop; CREATE TABLE shop.t (id BIGINT PRIMARY KEY)"}`, 200,
			"done"},
		{root, "/api/dynamodb#Scan@shop", `{"TableName":"t"}`, 200, `"Count":0`},
		{"", "/api/dynamodb#Scan@shop", `{"TableName":"t"}`, 401, "sign in"},
		{ann, "/api/dynamodb#Scan@shop", `{"TableName":"t"}`, 400, "database/shop/table/t"},
		{ann, "/api/dynamodb#PutItem@shop", `{"TableName":"t","Item":{"id":{"N":"1"}}}`, 400, "AccessDeniedException"},
		{ann, "/api/dynamodb#Scan@nowhere", `{"TableName":"things"}`, 400, "AccessDeniedException"},
		{"", "/api/hbase/scan", `{"table":"t"}`, 401, "sign in"},
		{ann, "/api/hbase/scan", `{"table":"h"}`, 200, "AccessDeniedException"},
		{root, "/api/hbase/scan", `{"table":"h"}`, 200, `{"done":{"limited":false,"rows":0}}`},
		{ann, "/api/hbase/scan", `{"table":"h","explain":"analyze"}`, 200, "AccessDeniedException"},
		{root, "/api/hbase/scan", `{"table":"h","explain":"analyze"}`, 200, `{"plan":{"ranges":[`},
		{ann, "/users", `{"do":"list"}`, 403, "not an administrator"},
		{root, "/users", `{"do":"list"}`, 200, "ann"},
	} {
		if status, got := askConsole(t, s, "POST", one.path, one.token, one.body); status != one.status ||
			!strings.Contains(got, one.want) {
			t.Errorf("%.12s %s %s: %d %s", one.token, one.path, one.body, status, got)
		}
	}
	for token, wanted := range map[string]int{"": 401, ann: 403, root: 200} {
		if status, got := askConsole(t, s, "GET", "/api/users", token, ""); status != wanted ||
			wanted == 200 && (!strings.Contains(got, `{"name":"ann"`) || strings.Contains(got, "sha")) {
			t.Errorf("users: %d %s", status, got)
		}
	}
	if _, got := askConsole(t, s, "GET", "/api/session", ann, ""); !strings.HasPrefix(got,
		`{"auth":"required","user":"ann","protocols":{`) {
		t.Error(got)
	}
	askConsole(t, s, "DELETE", "/api/session", root, "")
	if err := accounts.Drop(t.Context(), "ann"); err != nil {
		t.Fatal(err)
	}
	for _, token := range []string{root, ann} {
		if status, _ := askConsole(t, s, "POST", "/api/sql", token, `{"statement":"SELECT 1"}`); status != 401 {
			t.Errorf("after its end: %d", status)
		}
	}
}
