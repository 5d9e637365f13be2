// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/weftdb/weft/kv"
)

// otherProcessEnv is set in the processes that inOtherProcess starts.
const otherProcessEnv = "WEFT_PEBBLE_OTHER_PROCESS"

// inOtherProcess runs the calling test again in a process of its own and returns false; there it returns true.
func inOtherProcess(t *testing.T) bool {
	t.Helper()
	if os.Getenv(otherProcessEnv) != "" {
		return true
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v", "-test.timeout=10m")
	cmd.Env = append(os.Environ(), otherProcessEnv+"=1")
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Fatal(err)
	}
	return false
}

// lockedEnv is the folder that TestLocked has open, in the process that it starts.
const lockedEnv = "WEFT_PEBBLE_LOCKED"

// TestLocked: a folder that is open is refused by name, in the same process and in another one, which can't read it
// either. A folder that can't be made is another error.
func TestLocked(t *testing.T) {
	dir := os.Getenv(lockedEnv)
	if dir == "" {
		dir = t.TempDir()
		opened(t, Options{Dir: dir})
		t.Setenv(lockedEnv, dir)
	}
	if _, err := Open(Options{Dir: dir}); !errors.Is(err, kv.ErrLocked) {
		t.Errorf("an open folder returns %v", err)
	}
	if !inOtherProcess(t) {
		return
	}
	if _, err := Open(Options{Dir: dir, ReadOnly: true}); !errors.Is(err, kv.ErrLocked) {
		t.Errorf("an open folder, to be read, returns %v", err)
	}
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	if _, err := Open(Options{Dir: file}); err == nil || errors.Is(err, kv.ErrLocked) {
		t.Errorf("a file for a folder returns %v", err)
	}
}
