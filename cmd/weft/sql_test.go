// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestSQLFolder runs weft sql on a folder that no server has open, as it does on a server: indexes are built, and rows
// stay.
func TestSQLFolder(t *testing.T) {
	dir := t.TempDir()
	s, _ := openServer(t, map[string]string{"engine": "pebble", "data": dir + "/data"})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	run := func(wantCode int, want string, args ...string) {
		t.Helper()
		var out bytes.Buffer
		p := &program{stdout: &out, stderr: &out, readFile: os.ReadFile, environ: []string{"WEFT_AUTH=required", "WEFT_PASSWORD=x"}}
		code := p.run(t.Context(), append([]string{"sql", "--data", dir + "/data"}, args...))
		if code != wantCode || !strings.Contains(out.String(), want) {
			t.Errorf("%v: exit %d, %s", args, code, out.String())
		}
	}
	run(0, "", "-e", "CREATE TABLE t (id INT PRIMARY KEY, s VARCHAR); INSERT INTO t VALUES (1, 'a'), (2, 'b')")
	run(0, "id\n2\n", "-e", "CREATE INDEX by_s ON t(s); SELECT id FROM t WHERE s = 'b'")
	run(0, "[\n{\"user\":\"root@localhost\"}\n]\n", "--format=json", "-e", "SELECT USER() AS user")
	run(exitFailed, "ERROR 1049 (42000): Unknown database 'shop'", "-D", "shop", "-e", "SELECT 1")
	if err := os.WriteFile(dir+"/t.sql", []byte("SELECT 1;\n\nSELECT x FROM t;\nSELECT 2;\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run(exitFailed, dir+"/t.sql:3: ERROR 1054 (42S22): Unknown column 'x' in 'field list'", dir+"/t.sql")
}

// TestSQLServer runs weft sql on a server.
func TestSQLServer(t *testing.T) {
	s, _ := openServer(t, map[string]string{"mysql-addr": "127.0.0.1:0"})
	address := ""
	for _, d := range s.protocols {
		if d.Name() == "mysql" {
			address = d.Addr().String()
		}
	}
	var out bytes.Buffer
	p := &program{stdout: &out, stderr: &out, readFile: os.ReadFile}
	if code := p.run(t.Context(), []string{"sql", "--server", address, "-e", "SHOW PROCESSLIST"}); code != 0 ||
		!strings.Contains(out.String(), "SHOW PROCESSLIST") {
		t.Errorf("exit %d: %s", code, out.String())
	}
}
