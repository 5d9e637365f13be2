// SPDX-License-Identifier: Apache-2.0

package clients

import "testing"

// TestToolbox runs dynamodb-toolbox.
func TestToolbox(t *testing.T) { runScript(t, "toolbox.mjs", "dynamodb-toolbox", "toolbox") }
