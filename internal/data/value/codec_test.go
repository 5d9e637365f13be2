// SPDX-License-Identifier: Apache-2.0

package value

import (
	"encoding/hex"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/weftdb/weft/internal/testing/rounds"
)

// TestCodecs holds bytes that Java's Bytes.toBytes writes, and what they read as; "" is an error.
func TestCodecs(t *testing.T) {
	for _, test := range []struct {
		codec       Codec
		bytes, want string
	}{
		{JavaLong, "0000000000000001", "1i"}, {JavaLong, "ffffffffffffffff", "-1i"}, {JavaLong, "8000000000000000", "-9223372036854775808i"}, {JavaLong, "00000001", ""},
		{JavaInteger, "80000000", "-2147483648i"}, {JavaInteger, "7fffffff", "2147483647i"}, {JavaInteger, "", ""},
		{JavaShort, "fffe", "-2i"}, {JavaShort, "7f", ""},
		{JavaFloat, "3dcccccd", "0.1f"}, {JavaFloat, "c2280000", "-42f"}, {JavaFloat, "7f800000", ""}, {JavaFloat, "7fc00000", ""}, {JavaFloat, "00", ""},
		{JavaDouble, "3fb999999999999a", "0.1f"}, {JavaDouble, "7ff8000000000000", ""}, {JavaDouble, "fff0000000000000", ""}, {JavaDouble, "3dcccccd", ""},
		{JavaString, "68c3a9", `"hé"`}, {JavaString, "", `""`}, {JavaString, "ff", ""},
		{JavaBoolean, "ff", "true"}, {JavaBoolean, "00", "false"}, {JavaBoolean, "01", "true"}, {JavaBoolean, "0000", ""},
		{AsIs, "0102", "x\"0102\""},
	} {
		raw, err := hex.DecodeString(test.bytes)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if v, ok := test.codec.Decode(nil, AppendBinary(nil, raw)); ok {
			got = v.String()
		}
		if want, err := ParseText(test.want); test.want != "" && (err != nil || got != want.String()) || test.want == "" && got != "" {
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
		for c := AsIs; int(c) < len(codecNames); c++ {
			for _, v := range []Value{AppendInt(nil, x), AppendFloat(nil, f), AppendBool(nil, x < 0), AppendString(nil, []byte(hex.EncodeToString(make([]byte, x&7)))), AppendNull(nil)} {
				encoded, ok := c.Append(nil, v)
				if !ok {
					continue
				}
				decoded, ok := c.Decode(nil, encoded)
				again, written := c.Append(nil, decoded)
				if !ok || !written || string(again) != string(encoded) || c != JavaFloat && !Equal(decoded, v) && v.Kind() == decoded.Kind() {
					t.Fatalf("%s writes %v as %v, which reads as %v, and that is written as %v", c, v, Value(encoded), decoded, Value(again))
				}
			}
		}
	}
}

func TestCodecNames(t *testing.T) {
	for c := AsIs; int(c) < len(codecNames); c++ {
		text, _ := c.MarshalText()
		var back Codec
		if err := back.UnmarshalText(text); err != nil || back != c {
			t.Errorf("%s reads as %s: %v", text, back, err)
		}
	}
	var c Codec
	if c.UnmarshalText([]byte("hdecimal")) == nil {
		t.Error("hdecimal is a codec")
	}
}
