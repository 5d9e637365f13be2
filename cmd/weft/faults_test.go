// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
)

// TestFaultsOfServer: an unknown table is named with the nearest one that there is, a wrong port is called one, and no
// message is a status of HTTP.
func TestFaultsOfServer(t *testing.T) {
	s, _ := openServer(t, map[string]string{"dynamodb-addr": "127.0.0.1:0", "mysql-addr": "127.0.0.1:0"})
	spec := database.TableSpec{Name: "cities", Key: database.Columns("id", schema.String)}
	if _, err := s.database.(*openedDatabase).db.CreateTable(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	adminAddr, api, sqlAddr := addressAt(t, s, "admin"), addressAt(t, s, "dynamodb"), addressAt(t, s, "mysql")
	const meant = "weft: there is no table citis; did you mean cities?\n"
	for _, one := range []struct{ args, want string }{
		{"hot citis --admin-addr " + adminAddr, meant}, {"indexes citis --admin-addr " + adminAddr, meant},
		{"regions citis --admin-addr " + adminAddr, meant}, {"advise citis --admin-addr " + adminAddr, meant},
		{"explain --table citis --endpoint http://" + api, meant}, {"tail citis --endpoint http://" + api, meant},
		{"explain --partiql SELECT*FROM\"citis\" --endpoint http://" + api, "names a table that does not exist\n"},
		{"tail cities --endpoint http://" + api, "weft: table cities has no stream: switch one on with "},
		{"explain --table cities --endpoint http://" + adminAddr, "is not the DynamoDB port of a Weft server: set --endpoint"},
		{"tail cities --endpoint http://" + adminAddr, "is not the DynamoDB port of a Weft server: set --endpoint"},
		{"hot cities --admin-addr " + sqlAddr, "is not the admin port of a Weft server of this version: set --admin-addr"},
		{"explain --table cities --endpoint http://" + sqlAddr, "is not the DynamoDB port of a Weft server: set --endpoint"},
		{"sql --server " + api + " -e SHOW", "does not speak MySQL's protocol: set --server to the address of"},
		{"hot cities --admin-addr " + api, "is not the admin port of a Weft server of this version: set --admin-addr"},
	} {
		var out, errs strings.Builder
		p := &program{stdout: &out, stderr: &errs, readFile: os.ReadFile}
		if code := p.run(t.Context(), strings.Fields(one.args)); code != exitFailed || out.Len() > 0 ||
			!strings.Contains(errs.String(), one.want) || strings.Count(errs.String(), "\n") != 1 {
			t.Errorf("weft %s: exit %d, %s%s", one.args, code, &out, &errs)
		}
	}
}

// TestCompletion: names of tables are completed, as long as one is missing and a server answers.
func TestCompletion(t *testing.T) {
	s, _ := openServer(t, nil)
	spec := database.TableSpec{Name: "cities", Key: database.Columns("id", schema.String)}
	if _, err := s.database.(*openedDatabase).db.CreateTable(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	at := addressAt(t, s, "admin")
	const found, none = "cities\n:4\n", ":4\n"
	for args, want := range map[string]string{"hot --admin-addr " + at: found, "indexes --admin-addr " + at: found,
		"advise cities --admin-addr " + at: none, "regions --admin-addr 127.0.0.1:1": none} {
		var out, errs strings.Builder
		p := &program{stdout: &out, stderr: &errs, readFile: os.ReadFile}
		if code := p.run(t.Context(), append([]string{"__complete"}, append(strings.Fields(args), "")...)); code != 0 ||
			out.String() != want {
			t.Errorf("weft %s: exit %d, %s", args, code, &out)
		}
	}
}

// TestQuietOffline: commands on a folder log nothing when all goes well, although nobody reads a terminal.
func TestQuietOffline(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/t.csv", []byte("id\n1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{"import --key id:string t DIR/t.csv --data DIR/data", "verify --data DIR/data",
		"export DIR/export --data DIR/data", "user list --data DIR/data", "backup DIR/backups --data DIR/data",
		"backup list DIR/backups", "restore DIR/backups --data DIR/restored", "copy --from DIR/data --to DIR/copy"} {
		var out, errs strings.Builder
		p := &program{stdout: &out, stderr: &errs, readFile: os.ReadFile}
		code := p.run(t.Context(), strings.Fields(strings.ReplaceAll(args, "DIR", dir)))
		if code != 0 || errs.Len() > 0 || out.Len() == 0 {
			t.Errorf("weft %s: exit %d, %s%s", args, code, &out, &errs)
		}
	}
}

// TestJSONOffline: with --json, standard output is one value of JSON that has what the text says.
func TestJSONOffline(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/t.csv", []byte("id,n\n1,5\n2,6\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, one := range []struct{ args, want string }{
		{"import --key id:string --index n=n:string t DIR/t.csv --data DIR/data",
			`"tables":[{"table":"t","records":2,"rows":2,"indexEntries":2,"ingested":true}],"rows":2`},
		{"verify --data DIR/data", `"tables":[{"table":"t","rows":2,"indexEntries":2}],"rows":2,"indexEntries":2,"faults":0`},
		{"export DIR/export --data DIR/data", `"tables":[{"table":"t","rows":2}],"rows":2`},
		{"import DIR/export --data DIR/other", `"tables":[{"table":"t","records":2,"rows":2,"indexEntries":2,"ingested":true}]`},
		{"copy --from DIR/data --to DIR/copy", `{"part":"default.t","entries":2,"checksum":"`},
		{"user list --data DIR/data", `[]`},
		{"backup DIR/backups --data DIR/data", `"removed":0}`},
		{"backup list DIR/backups", `"kind":"files",`},
		{"version", `{"version":"` + version},
	} {
		var out, errs strings.Builder
		p := &program{stdout: &out, stderr: &errs, readFile: os.ReadFile}
		code := p.run(t.Context(), append(strings.Fields(strings.ReplaceAll(one.args, "DIR", dir)), "--json"))
		var flat bytes.Buffer
		err := json.Compact(&flat, []byte(out.String()))
		if code != 0 || err != nil || errs.Len() > 0 || !strings.Contains(flat.String(), one.want) {
			t.Errorf("weft %s: exit %d, %v, %s%s", one.args, code, err, &flat, &errs)
		}
	}
}
