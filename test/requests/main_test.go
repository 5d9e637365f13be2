// SPDX-License-Identifier: Apache-2.0

package requests

import (
	"os"
	"testing"

	"github.com/weftdb/weft/kv/tikv/tikvtest"
)

func TestMain(m *testing.M) {
	restore := tikvtest.Quiet()
	code := m.Run()
	restore()
	os.Exit(code)
}
