// SPDX-License-Identifier: Apache-2.0

package sortkey

import (
	"crypto/rand" // lint:clock NewUUID is for callers who want the usual source; UUIDFromBits is the pure form
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"time"
)

// UUID is 16 bytes, compared as bytes; its text compares in the same way. UUIDs of other packages that are [16]byte
// convert both ways.
//
// A UUIDv7 starts with its time, 48 bits of milliseconds, so UUIDs stand in the order of their times; within a
// millisecond their 74 random bits decide. Its inverse, every bit flipped, stands in the opposite order: as an
// ascending key it lists the newest first. The two cannot be confused, for the bits that mark a UUIDv7 are flipped as
// well.
type UUID [16]byte

// millisMax is the largest time that 48 bits hold.
const millisMax = 1<<48 - 1

const (
	versionSeven = 0x70 // upper half of byte 6
	variantRFC   = 0x80 // upper two bits of byte 8
)

// UUIDFromBits returns the UUIDv7 of a time and random bits: 74 of the 80 are used, the upper 4 of random[0] and the
// upper 2 of random[2] are not. A time outside the range of 48 bits is ErrTime; what is finer than a millisecond is
// dropped.
func UUIDFromBits(t time.Time, random [10]byte) (UUID, error) {
	seconds, millis := t.Unix(), t.UnixMilli() // UnixMilli alone wraps around for times far away
	if seconds < 0 || seconds > millisMax/1000 || millis > millisMax {
		return UUID{}, fmt.Errorf("%w: %v", ErrTime, t)
	}
	var u UUID
	binary.BigEndian.PutUint64(u[:8], uint64(millis)<<16)
	copy(u[6:], random[:])
	u[6] = u[6]&0x0F | versionSeven
	u[8] = u[8]&0x3F | variantRFC
	return u, nil
}

// NewUUID returns a UUIDv7 of the time with bits from crypto/rand. Two of the same millisecond stand in random order,
// whichever was made first.
func NewUUID(t time.Time) (UUID, error) {
	var random [10]byte
	rand.Read(random[:]) // never fails: it ends the process instead
	return UUIDFromBits(t, random)
}

// FirstUUID returns the smallest UUIDv7 of t's millisecond: the lower bound of a range of times, and, inverted, the
// upper bound of the same range of inverses.
func FirstUUID(t time.Time) (UUID, error) { return UUIDFromBits(t, [10]byte{}) }

// LastUUID returns the largest UUIDv7 of t's millisecond.
func LastUUID(t time.Time) (UUID, error) {
	return UUIDFromBits(t, [10]byte{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF})
}

// ParseUUID reads the 36 characters of a UUID's text, letters in either case. Any UUID is read, not only those made
// here.
func ParseUUID(text string) (UUID, error) {
	var u UUID
	if len(text) != 36 || text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-' {
		return UUID{}, fmt.Errorf("%w: %q", ErrUUID, text)
	}
	digits := text[:8] + text[9:13] + text[14:18] + text[19:23] + text[24:]
	if _, err := hex.Decode(u[:], []byte(digits)); err != nil {
		return UUID{}, fmt.Errorf("%w: %q", ErrUUID, text)
	}
	return u, nil
}

// Inverse returns u with every bit flipped. The inverse of the inverse is u.
func (u UUID) Inverse() UUID {
	for i := range u {
		u[i] = ^u[i]
	}
	return u
}

// IsV7 reports whether u is a UUIDv7.
func (u UUID) IsV7() bool { return u[6]&0xF0 == versionSeven && u[8]&0xC0 == variantRFC }

// IsInverse reports whether u is the inverse of a UUIDv7.
func (u UUID) IsInverse() bool { return u.Inverse().IsV7() }

// Time returns the time of a UUIDv7 or of its inverse, in UTC. Any other UUID is ErrUUID.
func (u UUID) Time() (time.Time, error) {
	if u.IsInverse() {
		u = u.Inverse()
	}
	if !u.IsV7() {
		return time.Time{}, fmt.Errorf("%w: %s has no time", ErrUUID, u)
	}
	return time.UnixMilli(int64(binary.BigEndian.Uint64(u[:8]) >> 16)).UTC(), nil
}

// AppendText appends the 36 characters of u, letters in lower case. The error is always nil.
func (u UUID) AppendText(dst []byte) ([]byte, error) {
	for i, part := range [5][]byte{u[:4], u[4:6], u[6:8], u[8:10], u[10:]} {
		if i > 0 {
			dst = append(dst, '-')
		}
		dst = hex.AppendEncode(dst, part)
	}
	return dst, nil
}

// String returns the text of AppendText.
func (u UUID) String() string {
	text, _ := u.AppendText(make([]byte, 0, 36))
	return string(text)
}
