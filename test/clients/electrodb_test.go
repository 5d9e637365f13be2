// SPDX-License-Identifier: Apache-2.0

package clients

import "testing"

// TestElectroDB runs electrodb.
func TestElectroDB(t *testing.T) { runScript(t, "electrodb.mjs", "electrodb", "electrodb") }
