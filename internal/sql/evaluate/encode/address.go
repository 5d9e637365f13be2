// SPDX-License-Identifier: Apache-2.0

package encode

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"strconv"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/evaluate/function"
)

// addresses are the functions of IP addresses, but for those of numbers. // immutable
var addresses = map[string]function.Function{
	"inet6_aton":     {Min: 1, Max: 1, Result: isBinary, Apply: inet6ToBytes},
	"inet6_ntoa":     {Min: 1, Max: 1, Result: isText, Apply: inet6ToText},
	"is_ipv4":        {Min: 1, Max: 1, Result: isInteger, Apply: isIPv4, Nulls: true},
	"is_ipv6":        {Min: 1, Max: 1, Result: isInteger, Apply: isIPv6, Nulls: true},
	"is_ipv4_compat": {Min: 1, Max: 1, Result: isInteger, Apply: isCompatible, Nulls: true},
	"is_ipv4_mapped": {Min: 1, Max: 1, Result: isInteger, Apply: isMapped, Nulls: true},
}

// readIPv4 reads four numbers, which may begin with zeros.
func readIPv4(text []byte) (address [4]byte, ok bool) {
	fields := bytes.Split(text, []byte{'.'})
	if len(fields) != len(address) {
		return address, false
	}
	for i, field := range fields {
		n, err := strconv.ParseUint(string(field), 10, 8)
		if err != nil || len(field) > 3 {
			return address, false
		}
		address[i] = byte(n)
	}
	return address, true
}

func readIPv6(text []byte) (address [16]byte, ok bool) {
	read, err := netip.ParseAddr(string(text))
	if err != nil || !read.Is6() || read.Zone() != "" {
		return address, false
	}
	return read.As16(), true
}

func inet6ToBytes(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
	text := e.TextOf(a[0])
	if short, ok := readIPv4(text); ok {
		return datum.Binary(e.Keep(append(e.Arena(), short[:]...))), nil
	}
	if long, ok := readIPv6(text); ok {
		return datum.Binary(e.Keep(append(e.Arena(), long[:]...))), nil
	}
	return datum.Null, nil
}

func inet6ToText(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
	if a[0].Kind() != datum.KindBinary {
		return datum.Null, nil
	}
	raw, dst := a[0].Bytes(), e.Arena()
	address, ok := netip.AddrFromSlice(raw)
	switch {
	case !ok:
		return datum.Null, nil
	case address.Is4(), address.Is4In6():
		dst = address.AppendTo(dst)
	default:
		dst = appendIPv6(dst, raw)
	}
	return datum.Text(e.Keep(dst)), nil
}

// appendIPv6 writes an address as MySQL does: its longest run of zeros as ::, even if that is a single one, and the
// end of one that begins with 96 bits of zeros as an IPv4 address.
func appendIPv6(dst, raw []byte) []byte {
	var groups [8]uint16
	for i := range groups {
		groups[i] = binary.BigEndian.Uint16(raw[2*i:])
	}
	at, length := -1, 0
	for i := 0; i < len(groups); i++ {
		n := 0
		for i+n < len(groups) && groups[i+n] == 0 {
			n++
		}
		if n > length {
			at, length = i, n
		}
		i += n
	}
	for i := 0; i < len(groups); i++ {
		switch {
		case i == at:
			dst = append(dst, "::"...)
			i += length - 1
			continue
		case at == 0 && length == 6:
			return netip.AddrFrom4([4]byte(raw[12:])).AppendTo(dst)
		case i > 0 && dst[len(dst)-1] != ':':
			dst = append(dst, ':')
		}
		dst = strconv.AppendUint(dst, uint64(groups[i]), 16)
	}
	return dst
}

func isIPv4(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
	_, ok := readIPv4(e.TextOf(a[0]))
	return function.Bit(ok && !a[0].IsNull()), nil
}

func isIPv6(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
	_, ok := readIPv6(e.TextOf(a[0]))
	return function.Bit(ok && !a[0].IsNull()), nil
}

// isCompatibleWith reports whether the bytes are ::a.b.c.d, which neither :: nor ::1 is.
func isCompatibleWith(raw []byte) bool {
	return len(raw) == 16 && bytes.Equal(raw[:12], make([]byte, 12)) &&
		(raw[12] != 0 || raw[13] != 0 || raw[14] != 0 || raw[15] > 1)
}

func isCompatible(_ *function.Environment, a []datum.Datum) (datum.Datum, error) {
	return function.Bit(a[0].Kind() == datum.KindBinary && isCompatibleWith(a[0].Bytes())), nil
}

func isMapped(_ *function.Environment, a []datum.Datum) (datum.Datum, error) {
	if a[0].Kind() != datum.KindBinary {
		return function.Bit(false), nil
	}
	address, ok := netip.AddrFromSlice(a[0].Bytes())
	return function.Bit(ok && address.Is4In6()), nil
}
