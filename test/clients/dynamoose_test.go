// SPDX-License-Identifier: Apache-2.0

package clients

import "testing"

// TestDynamoose runs dynamoose.
func TestDynamoose(t *testing.T) { runScript(t, "dynamoose.mjs", "dynamoose", "dynamoose") }
