// SPDX-License-Identifier: Apache-2.0

package value_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/valuetest"
	"github.com/weftdb/weft/order"
)

// newRandom returns a random source whose seed is logged, and can be set by WEFT_TEST_SEED.
func newRandom(t testing.TB) *rand.Rand {
	seed := rounds.Seed(t)
	return rand.New(rand.NewPCG(seed, 0))
}

// dictionary is a Names over a list: name i has id i+1.
type dictionary []string

func (d dictionary) ID(name []byte) (uint32, bool) {
	for i, s := range d {
		if s == string(name) {
			return uint32(i + 1), true
		}
	}
	return 0, false
}

func (d dictionary) Name(id uint32) (string, bool) {
	if id == 0 || int(id) > len(d) {
		return "", false
	}
	return d[id-1], true
}

func mustParse(t testing.TB, text string) value.Value {
	t.Helper()
	v, err := valuetest.ParseText(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// random values: small alphabets, so that equal ones occur.

func randomBytes(r *rand.Rand) []byte {
	b := make([]byte, r.IntN(5))
	for i := range b {
		b[i] = "ab\x00z"[r.IntN(4)]
	}
	if r.IntN(20) == 0 {
		b = bytes.Repeat([]byte("long"), 20+r.IntN(6000))
	}
	return b
}

func randomDecimal(r *rand.Rand) order.Decimal {
	text := fmt.Sprintf("%de%d", r.IntN(200)-100, r.IntN(5)-2)
	if r.IntN(4) == 0 {
		text = fmt.Sprintf("%d%018de%d", r.Int64N(1e18)-5e17, r.Uint64N(1e18), r.IntN(200)-120)
	}
	d, err := order.ParseDecimal([]byte(text))
	if err != nil {
		panic(err)
	}
	return d
}

func appendRandomScalar(dst []byte, r *rand.Rand, kind value.Kind) []byte {
	switch kind {
	case value.Null:
		return value.AppendNull(dst)
	case value.Bool:
		return value.AppendBool(dst, r.IntN(2) == 0)
	case value.String:
		return value.AppendString(dst, randomBytes(r))
	case value.Binary:
		return value.AppendBinary(dst, randomBytes(r))
	case value.Int:
		return value.AppendInt(dst, r.Int64N(200)-100)
	case value.Float:
		return value.AppendFloat(dst, float64(r.IntN(200)-100)/4)
	case value.Timestamp:
		return value.AppendTimestamp(dst, r.Int64N(200)-100)
	}
	return value.AppendNumber(dst, randomDecimal(r))
}

func appendRandom(t testing.TB, dst []byte, r *rand.Rand, depth int) []byte {
	kind := value.Kind(1 + r.IntN(int(value.Timestamp)))
	start, n := len(dst), r.IntN(6)
	var err error
	switch {
	case kind.IsSet():
		dst = value.BeginSet(dst, kind)
		seen := map[string]bool{}
		for range n + 1 {
			member := string(appendRandomScalar(nil, r, kind.MemberKind()))
			if !seen[member] {
				dst = append(dst, member...)
			}
			seen[member] = true
		}
		dst, err = value.EndSet(dst, start)
	case kind == value.List && depth > 0:
		dst = value.BeginList(dst)
		for range n {
			dst = appendRandom(t, dst, r, depth-1)
		}
		dst, err = value.EndList(dst, start)
	case kind == value.Map && depth > 0:
		dst = value.BeginMap(dst)
		for i := range n {
			dst = value.AppendName(dst, binary.AppendUvarint(randomBytes(r), uint64(i)))
			dst = appendRandom(t, dst, r, depth-1)
		}
		dst, err = value.EndMap(dst, start)
	default:
		dst = appendRandomScalar(dst, r, kind)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dst
}
