// SPDX-License-Identifier: Apache-2.0

package database_test

import (
	"os"
	"testing"

	"github.com/weftdb/weft/kv/tikv/tikvtest"
)

// TestMain silences the log of TiKV's client, which writes to standard output.
func TestMain(m *testing.M) {
	restore := tikvtest.Quiet()
	code := m.Run()
	restore()
	os.Exit(code)
}
