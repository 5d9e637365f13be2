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
