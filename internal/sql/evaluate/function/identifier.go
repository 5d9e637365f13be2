// SPDX-License-Identifier: Apache-2.0

package function

import (
	"encoding/binary"
	"encoding/hex"
	"slices"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
)

// identifiers are the functions of UUIDs, and of random bytes. // immutable
var identifiers = map[string]Function{
	"uuid":         {Result: isText, Apply: uuid, Volatile: true},
	"random_bytes": {Min: 1, Max: 1, Result: isBinary, Apply: randomBytes, Volatile: true},
	"uuid_short":   {Result: isUnsigned, Apply: uuidShort, Volatile: true},
	"uuid_to_bin":  {Min: 1, Max: 2, Result: isBinary, Apply: uuidToBinary},
	"bin_to_uuid":  {Min: 1, Max: 2, Result: isText, Apply: binaryToUUID},
	"is_uuid":      {Min: 1, Max: 1, Result: isBoolean, Apply: isUUID},
}

// gregorian is the number of steps of 100 ns 1970 that is behind the day from which UUIDs count.
const gregorian = 0x01b21dd213814000

// uuid makes one of version 1, as MySQL does: of the present, and of random bits in the places of the clock's sequence
// and the node.
func uuid(e *Environment, _ []datum.Datum) (datum.Datum, error) {
	now := e.NowUS
	if clock, ok := e.Session.(Clock); ok {
		now = clock.PresentUS()
	}
	ticks := uint64(now)*10 + gregorian + e.random()%10
	var raw [16]byte
	binary.BigEndian.PutUint32(raw[0:], uint32(ticks))
	binary.BigEndian.PutUint16(raw[4:], uint16(ticks>>32))
	binary.BigEndian.PutUint16(raw[6:], uint16(ticks>>48)&0x0fff|0x1000)
	binary.BigEndian.PutUint64(raw[8:], e.random())
	raw[8] = raw[8]&0x3f | 0x80
	raw[10] |= 1 // no address of a network card
	return e.text(appendUUID(e.arena, raw[:])), nil
}

// ShortIDs is a Session that gives out numbers for UUID_SHORT, none twice.
type ShortIDs interface{ ShortID() uint64 }

func uuidShort(e *Environment, _ []datum.Datum) (datum.Datum, error) {
	if ids, ok := e.Session.(ShortIDs); ok {
		return datum.Uint(ids.ShortID()), nil
	}
	return datum.Null, nil
}

func appendUUID(dst, raw []byte) []byte {
	for _, part := range [...][]byte{raw[:4], raw[4:6], raw[6:8], raw[8:10]} {
		dst = append(hex.AppendEncode(dst, part), '-')
	}
	return hex.AppendEncode(dst, raw[10:])
}

// turned has the parts of the time of a UUID in their order, so that UUIDs of version 1 grow; turnedBack undoes it.
func turned(raw []byte) []byte {
	return slices.Concat(raw[6:8], raw[4:6], raw[:4], raw[8:])
}

func turnedBack(raw []byte) []byte {
	return slices.Concat(raw[4:8], raw[2:4], raw[:2], raw[8:])
}

func swaps(a []datum.Datum) bool { return len(a) == 2 && a[1].NumberInt() != 0 }

// parseUUID reads one with or without dashes and braces.
func parseUUID(text []byte) (raw []byte, ok bool) {
	if len(text) == 38 && text[0] == '{' && text[37] == '}' {
		text = text[1:37]
	}
	if len(text) == 36 {
		if text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-' {
			return nil, false
		}
		text = slices.Concat(text[:8], text[9:13], text[14:18], text[19:23], text[24:])
	}
	if len(text) != 32 {
		return nil, false
	}
	raw, err := hex.AppendDecode(nil, text)
	return raw, err == nil
}

func uuidToBinary(e *Environment, a []datum.Datum) (datum.Datum, error) {
	raw, ok := parseUUID(e.TextOf(a[0]))
	if !ok {
		return datum.Null, fault.New(fault.FunctionArgument, "string", string(e.TextOf(a[0])), "uuid_to_bin")
	}
	if swaps(a) {
		raw = turned(raw)
	}
	return datum.Binary(raw), nil
}

func binaryToUUID(e *Environment, a []datum.Datum) (datum.Datum, error) {
	raw := e.TextOf(a[0])
	if len(raw) != 16 {
		return datum.Null, fault.New(fault.FunctionArgument, "string", string(raw), "bin_to_uuid")
	}
	if swaps(a) {
		raw = turnedBack(raw)
	}
	return e.text(appendUUID(e.arena, raw)), nil
}

func isUUID(e *Environment, a []datum.Datum) (datum.Datum, error) {
	_, ok := parseUUID(e.TextOf(a[0]))
	return datum.Bool(ok), nil
}

// randomMax is the number of bytes RANDOM_BYTES gives.
const randomMax = 1024

// RandomBytes is a Session that has bytes which nobody can guess.
type RandomBytes interface{ RandomBytes(into []byte) error }

// randomBytes is NULL without a session that can do so.
func randomBytes(e *Environment, a []datum.Datum) (datum.Datum, error) {
	n := a[0].NumberInt()
	if n < 1 || n > randomMax {
		return datum.Null, fault.New(fault.DataOutOfRange, "length", "random_bytes")
	}
	from, ok := e.Session.(RandomBytes)
	if !ok {
		return datum.Null, nil
	}
	start := len(e.arena)
	dst := append(e.arena, make([]byte, n)...)
	if err := from.RandomBytes(dst[start:]); err != nil {
		return datum.Null, err
	}
	return datum.Binary(e.Keep(dst)), nil
}
