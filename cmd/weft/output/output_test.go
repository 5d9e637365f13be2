// SPDX-License-Identifier: Apache-2.0

package output

import "testing"

func TestThousands(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 135_233: "135,233",
		1_234_567_890: "1,234,567,890", -999: "-999", -1000: "-1,000"} {
		if got := Thousands(n); got != want {
			t.Errorf("%d is %s, not %s", n, got, want)
		}
	}
}

// TestAbout: what was counted is shown as it is, what was estimated by two digits.
func TestAbout(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 50_000: "50,000", 50_001: "50,000", 132_283: "130,000",
		135_233: "140,000", 999_999: "1,000,000"} {
		if got := About(n); got != want {
			t.Errorf("%d is about %s, want %s", n, got, want)
		}
	}
}
