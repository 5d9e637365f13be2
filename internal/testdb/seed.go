// SPDX-License-Identifier: Apache-2.0

package testdb

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// Random is a generator whose seed is logged; WEFT_SEED gives another one.
func Random(t testing.TB) *rand.Rand {
	t.Helper()
	seed := rand.Uint64()
	if text := os.Getenv("WEFT_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("WEFT_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}
