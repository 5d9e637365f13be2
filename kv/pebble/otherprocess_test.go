// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"os"
	"os/exec"
	"testing"
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
