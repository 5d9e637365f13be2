// SPDX-License-Identifier: Apache-2.0

package codec

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"reflect"
	"testing"
)

// TestStored: every codec is read back as it was written, in both forms, and no bit of the stored form can change
// unnoticed.
func TestStored(t *testing.T) {
	r := newRandom(t)
	for i, declaration := range declarations {
		a := mustParse(t, declaration)
		a.Nulls = Nulls(i % 2)
		if least, _ := a.BitsRange(); a.width() < least {
			a.Bits = 0
		}
		raw, err := New(a, uint32(i)<<20)
		if err != nil {
			t.Fatal(err)
		}
		checkStored(t, raw)
		checkStored(t, learned(t, r, a, 200))
	}
}

func checkStored(t *testing.T, c *Codec) {
	t.Helper()
	stored, err := c.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Decode(stored)
	if err != nil || !reflect.DeepEqual(again, c) {
		t.Fatalf("%v: read back as %v, %v", c.attribute, again, err)
	}
	text, err := c.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := DecodeText(string(text)); err != nil || !reflect.DeepEqual(again, c) {
		t.Fatalf("%v: %s read back as %v, %v", c.attribute, text, again, err)
	}
	for i := range stored {
		for bit := range 8 {
			stored[i] ^= 1 << bit
			if _, err := Decode(stored); !errors.Is(err, ErrCorrupt) {
				t.Fatalf("%v: accepted with bit %d of byte %d changed", c.attribute, bit, i)
			}
			stored[i] ^= 1 << bit
		}
		if _, err := Decode(stored[:i]); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("%v: accepted cut at %d", c.attribute, i)
		}
	}
}

// TestStoredForms holds the format to what stores already have: if this fails, the format's number must change.
func TestStoredForms(t *testing.T) {
	for _, c := range []struct{ declaration, want string }{
		{"x i8", "7a63010500010846e3022c"},
		{"x timestamp(s)", "7a63010d000140016aca7c73"},
		{"x iso8601(ms,+09:00):40 nulls=first", "7a63011101012802bb0ff2260460"},
		{"x text[4]", "7a630112000120043d94296f"},
		{"x linear(-40,60):16", "7a630110000110c044000000000000404e000000000000f9a46750"},
	} {
		stored, err := declared(t, c.declaration).MarshalBinary()
		if got := hex.EncodeToString(stored); err != nil || got != c.want {
			t.Errorf("%s: got %s, want %s, %v", c.declaration, got, c.want, err)
		}
		if len(stored) > 40 {
			t.Errorf("%s: %d bytes", c.declaration, len(stored))
		}
	}
	values := []Value{String("car"), String("cart"), String("carton"), String("cash")}
	c, err := Learn(Attribute{Type: Type{Kind: UTF8}, Bits: 8}, 7, values, LearnOptions{Buckets: 4})
	if err != nil {
		t.Fatal(err)
	}
	stored, err := c.MarshalBinary()
	if got, want := hex.EncodeToString(stored),
		"7a63011202070800060404010101000363617203017404016f020173030168916ee9ee"; err != nil || got != want {
		t.Errorf("quantile: got %s, want %s, %v", got, want, err)
	}
}

// TestSecondSpellings: what AppendBinary would have written otherwise is refused, though its checksum is right.
func TestSecondSpellings(t *testing.T) {
	for _, c := range []struct{ name, body string }{
		{"a number with a byte too many", "7a63010500810008"},
		{"no bits", "7a630105000100"},
		{"too many bits", "7a630105000109"},
		{"an unknown kind", "7a630163000108"},
		{"an unknown flag", "7a630105040108"},
		{"another format", "7a630205000108"},
		{"something behind the end", "7a63010500010800"},
		{"linear from -0", "7a6301100001108000000000000000404e000000000000"},
		{"no buckets", "7a630112020708000604000003636172"},
		{"no rows", "7a63011202070800060001000363617203017404"},
		{"a shared byte written again", "7a6301120207080006040401010100036361720202727404016f020173030168"},
		{"edges that descend", "7a63011202070800060404010101000363617203017404016f020161030168"},
		{"more rows below than there are", "7a63011202070800060404010105000363617203017404016f020173030168"},
		{"spare codes only", "7a63011202070800010404010101000363617203017404016f020173030168"},
	} {
		body, err := hex.DecodeString(c.body)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Decode(binary.BigEndian.AppendUint32(body, checksum(body))); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	body, _ := hex.DecodeString("7a63011202070800060404010101000363617203017404016f020173030168")
	if _, err := Decode(binary.BigEndian.AppendUint32(body, checksum(body))); err != nil {
		t.Errorf("the one spelling: %v", err)
	}
}

// TestUnicodeEdition: an nfc codec of another Unicode edition is refused with an error of its own.
func TestUnicodeEdition(t *testing.T) {
	stored, err := declared(t, "x nfc[8]").MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	body := stored[:len(stored)-4]
	body[len(body)-1] = '1' // of 15.0.0
	sum := checksum(body)
	stored = append(body, byte(sum>>24), byte(sum>>16), byte(sum>>8), byte(sum))
	if _, err := Decode(stored); !errors.Is(err, ErrUnicode) {
		t.Error(err)
	}
}

// TestDecodeText: other texts are errors.
func TestDecodeText(t *testing.T) {
	for _, text := range []string{"", "zcodec1:", "zcodec2:AAAA", "zcodec1:!!!!", "zcodec1:AAAA"} {
		if _, err := DecodeText(text); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
