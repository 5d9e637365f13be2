// SPDX-License-Identifier: Apache-2.0

package sortkey

import (
	"bytes"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/google/uuid"
)

// FuzzUUID compares with another implementation, and holds order and inverse.
func FuzzUUID(f *testing.F) {
	f.Add(int64(0), int64(1), []byte("0123456789"))
	f.Add(int64(millisMax), int64(millisMax-1), bytes.Repeat([]byte{0xFF}, 10))
	f.Add(int64(-1), int64(millisMax+1), []byte{})
	f.Fuzz(func(t *testing.T, a, b int64, bits []byte) {
		var random [10]byte
		copy(random[:], bits)
		u, err := UUIDFromBits(time.UnixMilli(a), random)
		if valid := a >= 0 && a <= millisMax; valid != (err == nil) || err != nil && !errors.Is(err, ErrTime) {
			t.Fatalf("%d ms: %v", a, err)
		}
		if err != nil {
			return
		}
		other := uuid.UUID(u)
		if other.Version() != 7 || other.Variant() != uuid.RFC4122 || other.String() != u.String() {
			t.Fatalf("%s: version %d, variant %s, text %s", u, other.Version(), other.Variant(), other)
		}
		if !u.IsV7() || u.IsInverse() || u.Inverse().IsV7() || !u.Inverse().IsInverse() || u.Inverse().Inverse() != u {
			t.Fatalf("%s and its inverse %s are not told apart", u, u.Inverse())
		}
		for _, text := range []string{u.String(), other.String()} {
			if parsed, err := ParseUUID(text); err != nil || parsed != u {
				t.Fatalf("%s parsed as %s, %v", text, parsed, err)
			}
		}
		for _, v := range []UUID{u, u.Inverse()} {
			if at, err := v.Time(); err != nil || at.UnixMilli() != a {
				t.Fatalf("%s: time %v, %v; want %d ms", v, at, err, a)
			}
		}
		first, _ := FirstUUID(time.UnixMilli(a))
		last, _ := LastUUID(time.UnixMilli(a))
		if bytes.Compare(first[:], u[:]) > 0 || bytes.Compare(u[:], last[:]) > 0 {
			t.Fatalf("%s is not in %s..%s", u, first, last)
		}
		v, err := UUIDFromBits(time.UnixMilli(b), random)
		if err != nil || a == b {
			return
		}
		ui, vi := u.Inverse(), v.Inverse()
		if before := a < b; before != (bytes.Compare(u[:], v[:]) < 0) || before != (u.String() < v.String()) ||
			before != (bytes.Compare(ui[:], vi[:]) > 0) {
			t.Fatalf("%d and %d ms: %s and %s are out of order", a, b, u, v)
		}
	})
}

func TestNewUUIDDiffers(t *testing.T) {
	at := time.UnixMilli(1_704_067_200_000)
	a, errA := NewUUID(at)
	b, errB := NewUUID(at)
	if errA != nil || errB != nil || a == b || !a.IsV7() || !b.IsV7() {
		t.Fatalf("%s, %v; %s, %v", a, errA, b, errB)
	}
}

func TestUUIDErrors(t *testing.T) {
	for _, at := range []time.Time{{}, time.UnixMilli(-1), time.UnixMilli(millisMax + 1),
		time.Unix(math.MaxInt64/2, 0)} {
		if u, err := NewUUID(at); !errors.Is(err, ErrTime) {
			t.Errorf("%v: %s, %v", at, u, err)
		}
	}
	for _, text := range []string{
		"", "0190a4cd", "0190a4cdd3e772229f99fdb74feee752", "{0190a4cd-d3e7-7222-9f99-fdb74feee752}",
		"0190a4cd-d3e7-7222-9f99-fdb74feee75g", "0190a4cd-d3e7-7222-9f99+fdb74feee752",
		"0190a4cd-d3e7-7222-9f99-fdb74feee75",
	} {
		if u, err := ParseUUID(text); !errors.Is(err, ErrUUID) {
			t.Errorf("%q: %s, %v", text, u, err)
		}
	}
	four, err := ParseUUID("6BA7B810-9DAD-41D1-80B4-00C04FD430C8")
	if err != nil {
		t.Fatal(err)
	}
	if at, err := four.Time(); !errors.Is(err, ErrUUID) {
		t.Errorf("a random UUID has the time %v, %v", at, err)
	}
}
