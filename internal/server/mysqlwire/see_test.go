// SPDX-License-Identifier: Apache-2.0

package mysqlwire

import (
	"strings"
	"testing"
	"time"
)

// TestPasswordsAreNotSeen shows others a connection whose statement holds a password.
func TestPasswordsAreNotSeen(t *testing.T) {
	c := &connection{}
	for _, text := range []string{"CREATE USER ann IDENTIFIED BY 'hunter2'", "SET PASSWORD = 'hunter2'"} {
		c.process.info = []byte(text)
		if seen := c.see(time.Now()).Info; strings.Contains(seen, "hunter2") || !strings.HasPrefix(text, seen[:3]) {
			t.Errorf("%s is shown as %s", text, seen)
		}
	}
}
