// SPDX-License-Identifier: Apache-2.0

package datum

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/order"
)

// TestMirror holds the layout that mirror supposes against what order.Decimal prints.
func TestMirror(t *testing.T) {
	seed := rounds.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 2_000 {
		n := new(big.Int).SetUint64(r.Uint64())
		n.Mul(n, big.NewInt(r.Int64N(1e18)+1))
		if r.IntN(2) == 0 {
			n.Neg(n)
		}
		exponent := r.IntN(60) - 40
		want := new(big.Rat).SetInt(n)
		if exponent >= 0 {
			want.Mul(want, new(big.Rat).SetInt(powerOfTen(exponent)))
		} else {
			want.Quo(want, new(big.Rat).SetInt(powerOfTen(-exponent)))
		}
		x, err := decimalOfBig(n, exponent)
		if err != nil {
			t.Fatal(err)
		}
		p := partsOf(x)
		got := new(big.Rat).SetInt(p.big())
		if p.exponent >= 0 {
			got.Mul(got, new(big.Rat).SetInt(powerOfTen(p.exponent)))
		} else {
			got.Quo(got, new(big.Rat).SetInt(powerOfTen(-p.exponent)))
		}
		if got.Cmp(want) != 0 && len(n.String()) <= order.DecimalDigitsMax {
			t.Fatalf("%s e%d: %s", n, exponent, x)
		}
		if d := Decimal(x); d.Decimal() != x {
			t.Fatalf("%s came back as %s", x, d.Decimal())
		}
	}
}
