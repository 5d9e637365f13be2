// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// written writes files into a folder, by their names below it.
func written(t *testing.T, files map[string]string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for name, text := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// TestSchemaAndSeed: a server has the tables of all kinds of files when it is ready, and the items of tables that were
// empty. What is there already stays as it is.
func TestSchemaAndSeed(t *testing.T) {
	in := written(t, map[string]string{
		"template.yaml": "Resources:\n  Orders:\n    Type: AWS::DynamoDB::Table\n    Properties:\n" +
			"      TableName: !Sub \"${AWS::StackName}-orders\"\n      BillingMode: PAY_PER_REQUEST\n" +
			"      AttributeDefinitions: [{AttributeName: id, AttributeType: S}]\n" +
			"      KeySchema: [{AttributeName: id, KeyType: HASH}]\n",
		"requests.json": `[{"TableName":"events","BillingMode":"PAY_PER_REQUEST","KeySchema":[{"AttributeName":"id","KeyType":"HASH"}],
			"AttributeDefinitions":[{"AttributeName":"id","AttributeType":"N"}]}]`,
		"tables.sql":                  "-- people;\nCREATE TABLE people (id BIGINT, name VARCHAR, PRIMARY KEY (id));\nCREATE INDEX by_name ON people (name)",
		"items/template-orders.jsonl": `{"id":{"S":"a"},"tags":{"SS":["x"]}}` + "\n",
		"items/events.jsonl":          `{"id":1,"at":12.5}` + "\n",
		"items/people.csv":            "id,name\n1,ann\n2,bob\n",
		"items/.hidden":               "",
	})
	settings := map[string]string{"engine": "pebble", "data": filepath.Join(in, "data"), "seed": filepath.Join(in, "items"),
		"dynamodb-addr": "127.0.0.1:0",
		"schema":        in + "/template.yaml," + in + "/requests.json," + in + "/tables.sql"}
	for round := range 2 {
		s, _ := openServer(t, settings)
		url := "http://" + addressAt(t, s, "dynamodb")
		for _, one := range []struct{ command, want string }{
			{"scan template-orders --typed", `{"id":{"S":"a"},"tags":{"SS":["x"]}}` + "\n"},
			{"scan events", `{"at": 12.5, "id": 1}` + "\n"},
			{"scan people --count", []string{`{"Count": 2}`, `{"Count": 1}`}[round] + "\n"},
			{`delete people {"id":2}`, []string{`{"id": 2, "name": "bob"}` + "\n", ""}[round]},
		} {
			var out bytes.Buffer
			p := &program{stdout: &out, stderr: &out}
			args := append(append([]string{"ddb"}, strings.Fields(one.command)...), "--json", "--endpoint", url)
			if code := p.run(t.Context(), args); code != 0 || out.String() != one.want {
				t.Errorf("weft ddb %s in round %d: exit %d, %s", one.command, round, code, &out)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSchemaIsServers: settings of the environment make no tables where a command works on a folder.
func TestSchemaIsServers(t *testing.T) {
	in := written(t, map[string]string{"one.sql": "CREATE TABLE one (id BIGINT, PRIMARY KEY (id))", "rows.csv": "id\n1\n"})
	for _, args := range []string{"import --key id:number rows " + in + "/rows.csv --data " + in + "/data",
		"sql --data " + in + "/data -e SHOW_TABLES"} {
		var out bytes.Buffer
		p := &program{stdout: &out, stderr: &out, readFile: os.ReadFile, environ: []string{"WEFT_SCHEMA=" + in + "/one.sql"}}
		list := strings.Fields(args)
		for i := range list {
			list[i] = strings.ReplaceAll(list[i], "_", " ")
		}
		if code := p.run(t.Context(), list); code != 0 || strings.Contains(out.String(), "one") {
			t.Errorf("weft %s: exit %d\n%s", args, code, &out)
		}
	}
}

// TestSchemaFaults: what is wrong with a file is told with its name, the line and what to do.
func TestSchemaFaults(t *testing.T) {
	for _, one := range []struct{ name, text, want string }{
		{"a.json", "[\n{\"TableName\":\"abc\"}]", "a.json:2: table abc: ValidationException: "},
		{"a.json", "{\n\"TableName\":", "a.json:2: it is no JSON"},
		{"a.yaml", "Resources:\n  T:\n    Type: AWS::DynamoDB::Table\n    Properties: {TableName: !ImportValue x}\n",
			"a.yaml:4: Fn::ImportValue is worked out by CloudFormation alone: write its value here"},
		{"a.sql", "CREATE TABLE t (a BIGINT, PRIMARY KEY (a));\n\n-- x\nINSERT INTO t VALUES (1);", "a.sql:4: INSERT can't stand here"},
		{"a.sql", "\nCREATE TABLE t (a NOTYPE, PRIMARY KEY (a));\n", "a.sql:2: "},
		{"empty", "", "empty: it defines no table"},
		{"items/nosuch.csv", "a\n", "nosuch.csv: there is no table nosuch: name the file after one, or define"},
		{"items/people.csv", "id\nx\n", "people.csv:2: "},
	} {
		in := written(t, map[string]string{one.name: one.text, "items/people.jsonl": "",
			"people.sql": "CREATE TABLE people (id BIGINT, PRIMARY KEY (id))"})
		settings := map[string]string{"engine": "mem", "dynamodb-addr": off, "mysql-addr": off, "admin-addr": off,
			"schema": in + "/people.sql"}
		if strings.HasPrefix(one.name, "items") {
			settings["seed"] = in + "/items"
		} else {
			settings["schema"] += "," + in + "/" + one.name
		}
		c, _, err := resolve(inputs{flags: settings})
		if err != nil {
			t.Fatal(err)
		}
		s := &server{config: c, log: newLogger(new(logBuffer), c), exit: func(code int) { t.Errorf("exit %d", code) }}
		if err = s.Open(t.Context()); err == nil {
			err = s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), one.want) {
			t.Errorf("%s: want %q, got %v", one.name, one.want, err)
		}
	}
}
