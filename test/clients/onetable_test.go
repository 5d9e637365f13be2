// SPDX-License-Identifier: Apache-2.0

package clients

import "testing"

// TestOneTable runs dynamodb-onetable.
func TestOneTable(t *testing.T) { runScript(t, "onetable.mjs", "dynamodb-onetable", "onetable") }
