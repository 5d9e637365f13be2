// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"strings"
	"testing"
)

// bulk runs a command on a folder and returns what it prints.
func bulkRun(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	p := &program{stdout: &out, stderr: &errs, readFile: os.ReadFile}
	code = p.run(t.Context(), append(args, "--log-level", "error"))
	return code, out.String(), errs.String()
}

// TestImport makes a table with an index by the command line alone, fills it, checks it, and puts more rows over it.
func TestImport(t *testing.T) {
	dir := t.TempDir()
	file := dir + "/orders.csv"
	text := "id,day,amount\n1,2024-05-01,2.50\n2,2024-05-02,x\n3,2024-05-03,7\n3,2024-05-04,8\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	expect := func(want int, texts string, args ...string) {
		t.Helper()
		code, stdout, stderr := bulkRun(t, append(args, "--data", dir+"/data")...)
		if all := stdout + stderr; code != want || !strings.Contains(all, texts) {
			t.Errorf("%v: exit %d, %s", args, code, all)
		}
	}
	expect(exitUsage, "there is no store in "+dir+"/data", "import", "orders", file)
	expect(exitFailed, "no such file", "import", "--key", "id:string", "orders", dir+"/none.csv")
	expect(exitUsage, "there is no type \"money\"", "import", "--types", "amount:money", "orders", file)
	expect(exitUsage, "can't be of type \"json\"", "import", "--key", "id:json", "orders", file)
	expect(exitUsage, "Incorrect table name 'my orders '", "import", "--key", "id:string", "my orders ", file)
	expect(exitUsage, "Incorrect index name 'by day '", "import", "--key", "id:string", "--index", "by day =day:string",
		"orders", file)
	expect(exitUsage, "is no COLUMN:TYPE", "import", "--key", "id", "orders", file)
	if _, err := os.Stat(dir + "/data"); !os.IsNotExist(err) {
		t.Errorf("a command that was refused made the store: %v", err)
	}
	expect(exitFailed, file+":3: column amount: \"x\" is not a valid number", "import", "--key", "id:string", "--index",
		"by-day=day:string,desc(amount):number", "orders", file)
	expect(0, "orders: 3 records, 2 rows and 2 index entries ingested", "import", "--bad-rows", "1", "orders", file)
	expect(0, "orders: 2 rows, 2 index entries, 0 faults", "verify")
	expect(exitUsage, "there is no table others", "import", "others", file)
	expect(exitFailed, "there is no table order; did you mean orders?", "export", dir+"/export", "order")
	expect(0, "the table has rows: rows are put in batches", "import", "--bad-rows=1", "--types", "other:date",
		"orders", file)
	expect(0, "orders: 2 rows, 2 index entries, 0 faults", "verify")
	expect(0, "4 records, 3 rows and 3 index entries ingested", "import", "--key", "id:string", "--hash", "--index",
		"x=concat(id,',',day):string", "--bad-rows=1", "more", file)
	expect(0, "checked 2 tables, 5 rows and 5 index entries in ", "verify")
	if _, err := os.Stat(dir + "/data/weft-import"); !os.IsNotExist(err) {
		t.Errorf("a folder is left: %v", err)
	}
}

// TestImportServed: a folder that a server has open is left alone.
func TestImportServed(t *testing.T) {
	dir := t.TempDir()
	openServer(t, map[string]string{"engine": "pebble", "data": dir})
	code, _, stderr := bulkRun(t, "import", "--data", dir, "--key", "id:string", "t", "-")
	if code != exitFailed || !strings.Contains(stderr, dir) {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

// TestMistypedFolder: no command that reads a store makes a folder of a name that was mistyped.
func TestMistypedFolder(t *testing.T) {
	dir := t.TempDir()
	for _, args := range [][]string{
		{"verify", "--data", dir + "/none"}, {"verify", "--data", dir},
		{"copy", "--from", dir + "/none", "--to", dir + "/copy"},
		{"explain", "--table", "t", "--data", dir + "/none"}, {"advise", "t", "--data", dir + "/none"},
		{"user", "list", "--data", dir + "/none"},
	} {
		var out, errs strings.Builder
		p := &program{stdout: &out, stderr: &errs, readFile: os.ReadFile}
		code := p.run(t.Context(), args)
		if code != exitFailed || !strings.Contains(errs.String(), "there is no store in "+dir) {
			t.Errorf("%v: exit %d, %s%s", args, code, &out, &errs)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("%v, %v", entries, err)
	}
}

// TestCopy copies a folder, refuses to do it twice, and checks what it made.
func TestCopy(t *testing.T) {
	dir := t.TempDir()
	file := dir + "/a.jsonl"
	if err := os.WriteFile(file, []byte("{\"id\":1}\n{\"id\":2}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		code  int
		texts string
		args  []string
	}{
		{0, "2 rows", []string{"import", "--data", dir + "/a", "--key", "id:number", "--index", "again=id:number", "t",
			file}},
		{exitUsage, "two different stores", []string{"copy", "--from", dir + "/a"}},
		{0, "default.t.again  2", []string{"copy", "--from", dir + "/a", "--to", dir + "/b"}},
		{exitFailed, "--again", []string{"copy", "--from", dir + "/a", "--to", dir + "/b"}},
		{0, "copied and compared", []string{"copy", "--from", dir + "/a", "--to", dir + "/b", "--again"}},
		{0, "t: 2 rows, 2 index entries, 0 faults", []string{"verify", "--data", dir + "/b"}},
	} {
		if code, stdout, stderr := bulkRun(t, c.args...); code != c.code || !strings.Contains(stdout+stderr, c.texts) {
			t.Errorf("%v: exit %d, %s%s", c.args, code, stdout, stderr)
		}
	}
}

// TestExport exports a store in each format, makes the same store of it, and loads one table into another one; what
// can't be is refused.
func TestExport(t *testing.T) {
	dir := t.TempDir()
	file := dir + "/a.jsonl"
	if err := os.WriteFile(file, []byte(
		"{\"id\":\"1\",\"n\":2.5,\"l\":[1,\"x\",null]}\n{\"id\":\"2\",\"n\":\"text\"}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	type step struct {
		code  int
		texts string
		args  []string
	}
	steps := []step{
		{0, "2 rows", []string{"import", "--data", dir + "/a", "--key", "id:string", "--index", "again=id:string", "t",
			file}},
		{exitUsage, "is no folder that weft export wrote", []string{"import", "--data", dir + "/a", dir}},
		{exitFailed, "there is no table other", []string{"export", "--data", dir + "/a", dir + "/none", "other"}},
		{exitFailed, "there is no format \"xml\"",
			[]string{"export", "--data", dir + "/a", "--format", "xml", dir + "/none"}},
		{exitFailed, "there is no store in", []string{"export", "--data", dir + "/b", dir + "/none"}},
	}
	for _, format := range []string{"dynamodb", "csv", "parquet"} {
		out, store := dir+"/"+format, dir+"/store-"+format
		steps = append(steps,
			step{0, "exported 1 tables with 2 rows", []string{"export", "--data", dir + "/a", "--format", format, out}},
			step{exitFailed, "must be empty", []string{"export", "--data", dir + "/a", out}},
			step{0, "imported 1 tables with 2 rows", []string{"import", "--data", store, out}},
			step{exitFailed, "there is a table default.t already", []string{"import", "--data", store, out}},
			step{exitUsage, "--key has no meaning", []string{"import", "--data", store, "--key", "id:string", out}},
			step{0, "u: 2 records, 2 rows",
				[]string{"import", "--data", store, "--key", "id:string", "u", out + "/default/t"}},
			step{0, "checked 2 tables, 4 rows and 2 index entries", []string{"verify", "--data", store}},
			step{0, "exported 1 tables with 2 rows", []string{"export", "--data", store, out + "-u", "u"}},
		)
	}
	for _, s := range steps {
		if code, stdout, stderr := bulkRun(t, s.args...); code != s.code || !strings.Contains(stdout+stderr, s.texts) {
			t.Errorf("%v: exit %d, %s%s", s.args, code, stdout, stderr)
		}
	}
	want := ""
	for _, format := range []string{"dynamodb", "csv", "parquet"} { // the copies of the copies are alike
		packed, err := os.ReadFile(dir + "/" + format + "-u/default/u/data/000000.json.gz")
		if err != nil {
			t.Fatal(err)
		}
		if want == "" {
			want = string(packed)
		} else if want != string(packed) {
			t.Errorf("what came back through %s differs", format)
		}
	}
}
