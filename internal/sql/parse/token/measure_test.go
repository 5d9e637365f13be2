// SPDX-License-Identifier: Apache-2.0

package token_test

import (
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/sql/parse/token"
)

// TestCheck: a million words and symbols pass, one more does not; comments and texts count as little as they are read.
func TestCheck(t *testing.T) {
	for _, one := range []struct {
		text   string
		passes bool
	}{
		{"SELECT " + strings.Repeat("1,", 499_999) + "1", true},
		{"SELECT " + strings.Repeat("1,", 499_999) + "1;", false},
		{"SELECT " + strings.Repeat("/* ( */", 300_000), true},
		{"SELECT '" + strings.Repeat("((((", 300_000) + "'", true},
		{strings.Repeat("(", 2_000_000), false},
		{"SELECT '" + strings.Repeat("1,", 600_000), true}, // its reader refuses it
	} {
		if err := token.Mode(0).Check([]byte(one.text)); (err == nil) != one.passes {
			t.Errorf("%.20s.., %d bytes: %v", one.text, len(one.text), err)
		}
	}
}
