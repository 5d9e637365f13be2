// SPDX-License-Identifier: Apache-2.0

package clients

import (
	"os/exec"
	"testing"

	"github.com/weftdb/weft/test/harness"
)

// TestParquet: what pyarrow and DuckDB write, `weft import` reads, and both read what `weft export` writes.
func TestParquet(t *testing.T) {
	skipUnlessWanted(t)
	python := ".venv-storage/bin/python3"
	if err := exec.Command(python, "-c", "import duckdb, pyarrow").Run(); err != nil {
		t.Skip("there is no pyarrow and duckdb in .venv-storage: make test-clients installs them")
	}
	command := exec.CommandContext(t.Context(), python, "parquet_client.py", t.TempDir())
	command.Env = append(harness.Environ(), "WEFT="+binary)
	if out, err := command.CombinedOutput(); err != nil || string(out) != "ok\n" {
		t.Errorf("%v: %v\n%s", command.Args, err, out)
	}
}
