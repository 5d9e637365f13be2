// SPDX-License-Identifier: Apache-2.0

package bulkload

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// killedIn names the folder in which a child process loads.
const killedIn = "WEFT_TEST_LOAD_IN"

const killedRows = 12_000

// TestKilled kills a process that loads into a folder, several times, and lets the last one finish.
func TestKilled(t *testing.T) {
	rounds.SkipRace(t)
	if dir := os.Getenv(killedIn); dir != "" {
		loadIn(t, dir)
		return
	}
	dir := t.TempDir()
	var lines strings.Builder
	for i := range killedRows {
		fmt.Fprintf(&lines, `{"pk":"p%d","sk":%d,"n":%d,"s":"s","text":"%s"}`+"\n", i%7, i*7919%killedRows, i,
			strings.Repeat("x", 2000))
	}
	write(t, dir+"/rows.jsonl.gz", true, lines.String())
	killed := 0
	for runs := 2; ; runs += 3 {
		child := exec.Command(os.Args[0], "-test.run=^TestKilled$", "-test.count=1")
		child.Env = append(os.Environ(), killedIn+"="+dir)
		var out bytes.Buffer
		child.Stdout, child.Stderr = &out, &out
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- child.Wait() }()
		err, wasKilled := killAfter(t, child, ended, dir, runs)
		if !wasKilled {
			if err != nil {
				t.Fatalf("%v\n%s", err, out.String())
			}
			break
		}
		killed++
	}
	if t.Logf("killed %d times", killed); killed < 2 {
		t.Errorf("the load was too quick to be killed in its middle")
	}
	db := testdb.OpenPebbleDir(t, dir+"/data")
	report := sound(t, db, "items")
	if want := int64(killedRows); report.Rows != want || report.Entries != 5*want-want {
		t.Errorf("%d rows and %d entries", report.Rows, report.Entries)
	}
}

// killAfter kills the child as soon as its load has so many runs on disk.
func killAfter(t *testing.T, child *exec.Cmd, ended chan error, dir string, runs int) (err error, killed bool) {
	t.Helper()
	for {
		select {
		case err := <-ended:
			return err, false
		case <-time.After(time.Millisecond):
		}
		found, err := filepath.Glob(dir + "/load/*.run")
		if err != nil {
			t.Fatal(err)
		}
		if len(found) >= runs {
			_ = child.Process.Kill() // it may have ended
			return <-ended, true
		}
	}
}

// loadIn is the child.
func loadIn(t *testing.T, dir string) {
	db := testdb.OpenPebbleDir(t, dir+"/data")
	if len(db.Tables("default", "", 1)) == 0 {
		create(t, db, itemsSpec(t, false))
	}
	result := mustRun(t, Options{DB: db, Table: "items", Dir: dir + "/load", Sources: []string{dir + "/rows.jsonl.gz"},
		MemoryBytes: memoryBytesMin})
	if result.Records != killedRows || !result.Ingested {
		t.Errorf("%+v", result)
	}
}
