// SPDX-License-Identifier: Apache-2.0

package bulkload

import (
	"crypto/md5"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/testing/testdb"
)

func md5Of(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sum := md5.Sum(data)
	return base64.StdEncoding.EncodeToString(sum[:])
}

// TestExportFaults: what is wrong with an export is said before anything is read.
func TestExportFaults(t *testing.T) {
	item := `{"pk":{"S":"a"},"sk":{"N":"1"}}`
	for want, damage := range map[string]func(dir string){
		"its MD5 is": func(dir string) { write(t, dir+"/data/part0.json.gz", true, "{}") },
		"is missing": func(dir string) { remove(t, dir+"/data/part0.json.gz") },
		"an incremental export": func(dir string) {
			write(t, dir+"/"+manifestSummary, false,
				`{"exportType":"INCREMENTAL_EXPORT"}`)
		},
		"in the format XML": func(dir string) {
			write(t, dir+"/"+manifestSummary, false,
				`{"outputFormat":"XML"}`)
		},
		"not a line of a manifest": func(dir string) { write(t, dir+"/"+manifestFiles, false, "{}") },
		"has no manifest":          func(dir string) { remove(t, dir+"/"+manifestFiles) },
		"holds 2 exports": func(dir string) {
			remove(t, dir+"/"+manifestFiles)
			exportOf(t, dir+"/AWSDynamoDB/a", []string{item})
			exportOf(t, dir+"/AWSDynamoDB/b", []string{item})
		},
	} {
		dir := t.TempDir()
		exportOf(t, dir, []string{item})
		damage(dir)
		db := testdb.Open(t)
		create(t, db, itemsSpec(t, false))
		_, err := Run(t.Context(), Options{DB: db, Table: "items", Dir: filepath.Join(t.TempDir(), "load"),
			Sources: []string{dir}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func remove(t testing.TB, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}
