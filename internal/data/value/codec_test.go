// SPDX-License-Identifier: Apache-2.0

package value_test

import (
	"encoding/hex"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/valuetest"
)

// TestCodecs holds bytes that Java's Bytes.toBytes writes, and what they read as; "" is an error.
func TestCodecs(t *testing.T) {
	for _, test := range []struct {
		codec       value.Codec
		bytes, want string
	}{
		{value.JavaLong, "0000000000000001", "1i"}, {value.JavaLong, "ffffffffffffffff", "-1i"},
		{value.JavaLong, "8000000000000000", "-9223372036854775808i"}, {value.JavaLong, "00000001", ""},
		{value.JavaInteger, "80000000", "-2147483648i"}, {value.JavaInteger, "7fffffff", "2147483647i"},
		{value.JavaInteger, "", ""},
		{value.JavaShort, "fffe", "-2i"}, {value.JavaShort, "7f", ""},
		{value.JavaFloat, "3dcccccd", "0.1f"}, {value.JavaFloat, "c2280000", "-42f"}, {value.JavaFloat, "7f800000", ""},
		{value.JavaFloat, "7fc00000", ""}, {value.JavaFloat, "00", ""},
		{value.JavaDouble, "3fb999999999999a", "0.1f"}, {value.JavaDouble, "7ff8000000000000", ""},
		{value.JavaDouble, "fff0000000000000", ""}, {value.JavaDouble, "3dcccccd", ""},
		{value.JavaString, "68c3a9", `"hé"`}, {value.JavaString, "", `""`}, {value.JavaString, "ff", ""},
		{value.JavaBoolean, "ff", "true"}, {value.JavaBoolean, "00", "false"}, {value.JavaBoolean, "01", "true"},
		{value.JavaBoolean, "0000", ""},
		{value.AsIs, "0102", "x\"0102\""},
	} {
		raw, err := hex.DecodeString(test.bytes)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if v, ok := test.codec.Decode(nil, value.AppendBinary(nil, raw)); ok {
			got = v.String()
		}
		if want, err := valuetest.ParseText(test.want); test.want != "" && (err != nil || got != want.String()) ||
			test.want == "" && got != "" {
			t.Errorf("%s of %s is %q, want %q (%v)", test.codec, test.bytes, got, test.want, err)
		}
	}
}

func TestCodecsReadWhatTheyWrite(t *testing.T) {
	seed := rounds.Seed(t)
	random := rand.New(rand.NewPCG(seed, 1))
	for range rounds.Of(t, 10_000) {
		x := random.Int64() >> random.IntN(64)
		if random.IntN(2) == 0 {
			x = -x
		}
		f := math.Float64frombits(random.Uint64())
		for c := value.AsIs; int(c) < len(value.CodecNames); c++ {
			for _, v := range []value.Value{value.AppendInt(nil, x), value.AppendFloat(nil, f),
				value.AppendBool(nil, x < 0), value.AppendString(nil, []byte(hex.EncodeToString(make([]byte, x&7)))),
				value.AppendNull(nil)} {
				encoded, ok := c.Append(nil, v)
				if !ok {
					continue
				}
				decoded, ok := c.Decode(nil, encoded)
				again, written := c.Append(nil, decoded)
				if !ok || !written || string(again) != string(encoded) ||
					c != value.JavaFloat && !value.Equal(decoded, v) && v.Kind() == decoded.Kind() {
					t.Fatalf("%s writes %v as %v, which reads as %v, and that is written as %v", c, v,
						value.Value(encoded), decoded, value.Value(again))
				}
			}
		}
	}
}

func TestCodecNames(t *testing.T) {
	for c := value.AsIs; int(c) < len(value.CodecNames); c++ {
		text, _ := c.MarshalText()
		var back value.Codec
		if err := back.UnmarshalText(text); err != nil || back != c {
			t.Errorf("%s reads as %s: %v", text, back, err)
		}
	}
	var c value.Codec
	if c.UnmarshalText([]byte("hdecimal")) == nil {
		t.Error("hdecimal is a codec")
	}
}
