// SPDX-License-Identifier: Apache-2.0

package datum_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/index/indexkey"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/order"
)

// keyTypes are the types that stand in keys.
var keyTypes = []datum.Type{
	{Base: datum.Boolean}, {Base: datum.TinyInt}, {Base: datum.SmallInt}, {Base: datum.Integer}, {Base: datum.BigInt},
	{Base: datum.BigIntUnsigned},
	{Base: datum.Float}, {Base: datum.Double}, {Base: datum.DecimalBase, Precision: 10, Scale: 2},
	{Base: datum.DecimalBase}, {Base: datum.Char, Length: 8},
	{Base: datum.Varchar}, {Base: datum.BinaryBase, Length: 4}, {Base: datum.Varbinary}, {Base: datum.Date},
	{Base: datum.Time}, {Base: datum.Timestamp},
}

func randomDecimal(r *rand.Rand) order.Decimal {
	exponent := []string{"e0", "e-1", "e-2", "e-9", "e5", "e30", "e-30"}[r.IntN(7)]
	sign := []string{"", "-"}[r.IntN(2)]
	digits := []byte{'0' + byte(r.IntN(10))}
	for range r.IntN(20) {
		digits = append(digits, '0'+byte(r.IntN(10)))
	}
	x, _ := order.ParseDecimal([]byte(sign + string(digits) + exponent))
	return x
}

// randomDatum is a value of any kind, mostly near the edges of kinds.
func randomDatum(r *rand.Rand) datum.Datum {
	n := []int64{0, 1, -1, 5, 127, 128, -129, 1 << 31, -1 << 31, 1 << 53, 1<<53 + 1, math.MaxInt64, math.MinInt64,
		r.Int64N(1000) - 500, int64(r.Uint64())}[r.IntN(15)]
	text := []string{"", "a", "ab", "a\x00", "a\x00b", "b", "é", "zz", "12", "2024-01-31", "10:11:12",
		"-5.5"}[r.IntN(12)]
	switch r.IntN(11) {
	case 0:
		return datum.Bool(n&1 == 1)
	case 1:
		return datum.Int(n)
	case 2:
		return datum.Uint(uint64(n))
	case 3:
		f := []float64{0, math.Copysign(0, -1), 0.1, -0.1, 1.5, 1e300, -1e300, 1e-300, 5, 1 << 53, 3.4e38,
			math.Float64frombits(r.Uint64())}[r.IntN(12)]
		if math.IsNaN(f) || math.IsInf(f, 0) {
			f = 0
		}
		return datum.Float64(f)
	case 4:
		return datum.Decimal(randomDecimal(r))
	case 5:
		return datum.TextString(text)
	case 6:
		return datum.Binary([]byte(text))
	case 7:
		return datum.TimestampUS(max(min(n, datum.TimestampMax), datum.TimestampMin))
	case 8:
		return datum.DateDays(max(min(n, datum.DateMax), datum.DateMin))
	case 9:
		return datum.TimeUS(max(min(n, datum.TimeMax), -datum.TimeMax))
	}
	return datum.Null
}

// TestKeyOrder holds that values compare as their keys do, for every type that stands in keys, and that they read back.
func TestKeyOrder(t *testing.T) {
	seed := rounds.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	for _, of := range keyTypes {
		keyType, ok := definition.KeyType(of)
		if !ok {
			t.Fatalf("%s stands in no key", of)
		}
		x := &schema.Index{KeepNulls: true,
			Key: []schema.KeyPart{{Name: "c", Type: keyType, Args: []schema.Argument{{Column: "c", Type: keyType}}}}}
		var values []datum.Datum
		var keys [][]byte
		for tries := 0; len(values) < 60 && tries < 5_000; tries++ {
			d, err := datum.Store(randomDatum(r), of)
			if err != nil || d.IsNull() {
				continue
			}
			stored, err := datum.AppendValue(nil, d, of)
			if err != nil {
				t.Fatalf("%s as %s: %v", d, of, err)
			}
			back, ok := datum.FromValue(stored, of)
			if !ok || datum.Order(back, d) != 0 || back.String() != d.String() && d.Float() != 0 {
				t.Fatalf("%s as %s came back as %s %v", d, of, back, ok)
			}
			var again datum.Datum
			if again.SetStored(stored, &of); again.Kind() != back.Kind() || datum.Order(again, back) != 0 {
				t.Fatalf("%s as %s was set to %s", d, of, again)
			}
			key, ok, err := indexkey.AppendColumns(nil, x, func(string) value.Value { return stored })
			if err != nil || !ok {
				t.Fatalf("%s as %s: no key: %v", d, of, err)
			}
			values, keys = append(values, d), append(keys, key)
		}
		if len(values) < 2 {
			t.Fatalf("%s: no values", of)
		}
		for i := range values {
			for j := range values {
				order, null := datum.Compare(values[i], values[j])
				if null || order != bytes.Compare(keys[i], keys[j]) {
					t.Fatalf("%s: %s and %s compare as %d, their keys as %d", of, values[i], values[j], order,
						bytes.Compare(keys[i], keys[j]))
				}
			}
		}
	}
}

// TestOrder holds that Order is total and that equal values have equal keys for GROUP BY, over values of all kinds
// together.
func TestOrder(t *testing.T) {
	seed := rounds.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	for range rounds.Of(t, 60_000) {
		a, b, c := randomDatum(r), randomDatum(r), randomDatum(r)
		ab, bc, ac := datum.Order(a, b), datum.Order(b, c), datum.Order(a, c)
		if ab != -datum.Order(b, a) {
			t.Fatalf("%s, %s: %d and %d", a, b, ab, datum.Order(b, a))
		}
		if ab <= 0 && bc <= 0 && ac > 0 || ab <= 0 && bc < 0 && ac >= 0 {
			t.Fatalf("%s (%d), %s (%d), %s (%d): %d %d %d", a, a.Kind(), b, b.Kind(), c, c.Kind(), ab, bc, ac)
		}
		if (ab == 0) != bytes.Equal(a.AppendKey(nil), b.AppendKey(nil)) {
			t.Fatalf("%s (%d), %s (%d): order %d, keys %x %x", a, a.Kind(), b, b.Kind(), ab, a.AppendKey(nil),
				b.AppendKey(nil))
		}
	}
}

// TestComparable holds that a value converted for a comparison compares as it does itself.
func TestComparable(t *testing.T) {
	seed := rounds.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	for range rounds.Of(t, 20_000) {
		of := keyTypes[r.IntN(len(keyTypes))]
		d, err := datum.Store(randomDatum(r), of)
		with := randomDatum(r)
		if err != nil || d.IsNull() || with.IsNull() {
			continue
		}
		want, null := datum.Compare(d, with)
		converted, ok := datum.Comparable(with, of)
		if !ok {
			if !null {
				t.Fatalf("%s %s with %s: %d, but not comparable", of, d, with, want)
			}
			continue
		}
		if got, gotNull := datum.Compare(d, converted); gotNull != null || !null && got != want {
			t.Fatalf("%s %s with %s: %d %v, converted to %s %d %v", of, d, with, want, null, converted, got, gotNull)
		}
	}
}
