// SPDX-License-Identifier: Apache-2.0

// Package encode holds SQL's functions that write values in other letters and digits: hexadecimal, base64, digests,
// numbers of other bases, ciphers, compressed texts, addresses.
//
// Knows: codes and digests.
// Never: trees, rows, sessions.
package encode

import (
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"math"
	"math/bits"
	"net/netip"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/evaluate/function"
)

// All returns the functions of this package.
func All() function.Families { return function.Families{codes, ciphers, addresses} }

// These give the same type whatever the arguments. // immutable
var (
	isText    = function.Always(datum.Varchar)
	isInteger = function.Always(datum.BigInt)
)

// codes are the functions that write values in other letters and digits, and digests. // immutable
var codes = map[string]function.Function{
	"hex":         {Min: 1, Max: 1, Result: isText, Apply: hexOf},
	"unhex":       {Min: 1, Max: 1, Result: isBinary, Apply: unhex},
	"to_base64":   {Min: 1, Max: 1, Result: isText, Apply: toBase64},
	"from_base64": {Min: 1, Max: 1, Result: isBinary, Apply: fromBase64},
	"md5": {Min: 1, Max: 1, Result: isText,
		Apply: digest(func(b []byte) []byte { d := md5.Sum(b); return d[:] })},
	"sha":  {Min: 1, Max: 1, Result: isText, Apply: digest(sha1Of)},
	"sha1": {Min: 1, Max: 1, Result: isText, Apply: digest(sha1Of)},
	"sha256": {Min: 1, Max: 1, Result: isText,
		Apply: digest(func(b []byte) []byte { d := sha256.Sum256(b); return d[:] })},
	"sha2":          {Min: 2, Max: 2, Result: isText, Apply: sha2},
	"crc32":         {Min: 1, Max: 1, Result: isInteger, Apply: checksum},
	"ascii":         {Min: 1, Max: 1, Result: isInteger, Apply: ascii},
	"ord":           {Min: 1, Max: 1, Result: isInteger, Apply: ord},
	"char":          {Min: 1, Max: -1, Result: isText, Apply: char, Nulls: true},
	"bin":           {Min: 1, Max: 1, Result: isText, Apply: inBase(2)},
	"oct":           {Min: 1, Max: 1, Result: isText, Apply: inBase(8)},
	"conv":          {Min: 3, Max: 3, Result: isText, Apply: conv},
	"bit_count":     {Min: 1, Max: 1, Result: isInteger, Apply: bitCount},
	"weight_string": {Min: 1, Max: 3, Result: isBinary, Apply: weightString},
	"weight_text":   {Min: 2, Max: 2, Result: isText, Apply: weightText},
	"quote":         {Min: 1, Max: 1, Result: isText, Apply: quote, Nulls: true},
	"soundex":       {Min: 1, Max: 1, Result: isText, Apply: soundex},
	"format":        {Min: 2, Max: 3, Result: isText, Apply: format, Nulls: true},
	"inet_aton":     {Min: 1, Max: 1, Result: isInteger, Apply: inetToNumber},
	"inet_ntoa":     {Min: 1, Max: 1, Result: isText, Apply: inetToText},
}

// isBinary is the type of bytes. // immutable
var isBinary = function.Always(datum.Varbinary)

func sha1Of(b []byte) []byte { d := sha1.Sum(b); return d[:] }

// isBytes reports whether a value is shown byte by byte; else it is a number.
func isBytes(d datum.Datum) bool {
	switch d.Kind() {
	case datum.KindInt, datum.KindUint, datum.KindBool, datum.KindFloat, datum.KindDecimal:
		return false
	}
	return true
}

func hexOf(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
	start := len(e.Arena())
	var dst []byte
	if isBytes(a[0]) {
		text := e.TextOf(a[0])
		start = len(e.Arena())
		dst = hex.AppendEncode(e.Arena(), text)
	} else {
		dst = strconv.AppendUint(e.Arena(), a[0].Bits(), 16)
	}
	capitals(dst[start:])
	return datum.Text(e.Keep(dst)), nil
}

// capitals makes digits beyond 9 those that MySQL writes.
func capitals(digits []byte) {
	for i, c := range digits {
		if c >= 'a' {
			digits[i] = c - 0x20
		}
	}
}

func unhex(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
	text := e.TextOf(a[0])
	dst := e.Arena()
	if len(text)%2 == 1 {
		text = append([]byte{'0'}, text...)
	}
	dst, err := hex.AppendDecode(dst, text)
	if err != nil {
		return datum.Null, nil
	}
	return datum.Binary(e.Keep(dst)), nil
}

// toBase64 breaks lines after 76 characters.
func toBase64(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
	encoded := base64.StdEncoding.AppendEncode(nil, e.TextOf(a[0]))
	dst := e.Arena()
	for len(encoded) > 76 {
		dst = append(append(dst, encoded[:76]...), '\n')
		encoded = encoded[76:]
	}
	return e.TextOrNull(append(dst, encoded...))
}

func fromBase64(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
	var text []byte
	for _, c := range e.TextOf(a[0]) {
		if c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			text = append(text, c)
		}
	}
	dst, err := base64.StdEncoding.AppendDecode(e.Arena(), text)
	if err != nil {
		return datum.Null, nil
	}
	return datum.Binary(e.Keep(dst)), nil
}

func digest(sum func([]byte) []byte) func(*function.Environment, []datum.Datum) (datum.Datum, error) {
	return func(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
		text := e.TextOf(a[0])
		return datum.Text(e.Keep(hex.AppendEncode(e.Arena(), sum(text)))), nil
	}
}

func sha2(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
	var sum []byte
	text := e.TextOf(a[0])
	switch a[1].NumberInt() {
	case 0, 256:
		d := sha256.Sum256(text)
		sum = d[:]
	case 224:
		d := sha256.Sum224(text)
		sum = d[:]
	case 384:
		d := sha512.Sum384(text)
		sum = d[:]
	case 512:
		d := sha512.Sum512(text)
		sum = d[:]
	default:
		return datum.Null, nil
	}
	return datum.Text(e.Keep(hex.AppendEncode(e.Arena(), sum))), nil
}

func checksum(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
	return datum.Int(int64(crc32.ChecksumIEEE(e.TextOf(a[0])))), nil
}

func ascii(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
	text := e.TextOf(a[0])
	if len(text) == 0 {
		return datum.Int(0), nil
	}
	return datum.Int(int64(text[0])), nil
}

// ord is the bytes of the first character as one number.
func ord(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
	text := e.TextOf(a[0])
	if len(text) == 0 {
		return datum.Int(0), nil
	}
	_, size := utf8.DecodeRune(text)
	if a[0].Kind() == datum.KindBinary {
		size = 1
	}
	n := int64(0)
	for _, c := range text[:size] {
		n = n<<8 | int64(c)
	}
	return datum.Int(n), nil
}

// char makes bytes of numbers; zeros in front of each are left out. Bytes that are no text become a binary.
func char(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
	dst := e.Arena()
	for _, d := range a {
		if d.IsNull() {
			continue
		}
		n := uint32(d.NumberInt())
		for shift := 24; shift >= 0; shift -= 8 {
			if n>>shift != 0 || shift == 0 {
				dst = append(dst, byte(n>>shift))
			}
		}
	}
	made := e.Keep(dst)
	if !utf8.Valid(made) {
		return datum.Binary(made), nil
	}
	return datum.Text(made), nil
}

// inBase is conv from base 10.
func inBase(base int64) func(*function.Environment, []datum.Datum) (datum.Datum, error) {
	return func(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
		return conv(e, []datum.Datum{a[0], datum.Int(10), datum.Int(base)})
	}
}

// conv writes a number of one base in another; a negative base to write in keeps the sign.
func conv(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
	from, to := a[1].NumberInt(), a[2].NumberInt()
	withSign := to < 0
	from, to = max(from, -from), max(to, -to)
	if from < 2 || from > 36 || to < 2 || to > 36 {
		return datum.Null, nil
	}
	n, ok := prefixIn(e.TextOf(a[0]), uint64(from))
	if !ok {
		return datum.Null, nil
	}
	dst := e.Arena()
	start := len(dst)
	if withSign {
		dst = strconv.AppendInt(dst, int64(n), int(to))
	} else {
		dst = strconv.AppendUint(dst, n, int(to))
	}
	capitals(dst[start:])
	return datum.Text(e.Keep(dst)), nil
}

// prefixIn reads the digits of a base that a text begins with, as far as 64 bits hold; ok is false for the empty text.
func prefixIn(text []byte, base uint64) (n uint64, ok bool) {
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return 0, false
	}
	negative := text[0] == '-'
	if negative || text[0] == '+' {
		text = text[1:]
	}
	for _, c := range text {
		digit := uint64(99)
		switch {
		case c >= '0' && c <= '9':
			digit = uint64(c - '0')
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			digit = uint64(c|0x20-'a') + 10
		}
		if digit >= base {
			return signed(n, negative), true
		}
		high, low := bits.Mul64(n, base)
		sum, carry := bits.Add64(low, digit, 0)
		if high != 0 || carry != 0 {
			return 1<<64 - 1, true
		}
		n = sum
	}
	return signed(n, negative), true
}

func signed(n uint64, negative bool) uint64 {
	if negative {
		return -n
	}
	return n
}

func bitCount(_ *function.Environment, a []datum.Datum) (datum.Datum, error) {
	if a[0].Kind() != datum.KindBinary {
		return datum.Int(int64(bits.OnesCount64(a[0].Bits()))), nil
	}
	count := 0
	for _, b := range a[0].AppendText(nil) {
		count += bits.OnesCount8(b)
	}
	return datum.Int(int64(count)), nil
}

// quote writes a text as a literal, NULL as NULL.
func quote(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
	if a[0].IsNull() {
		return datum.TextString("NULL"), nil
	}
	text := e.TextOf(a[0])
	dst := append(e.Arena(), '\'')
	for _, c := range text {
		switch c {
		case '\'', '\\':
			dst = append(dst, '\\', c)
		case 0:
			dst = append(dst, '\\', '0')
		case 26:
			dst = append(dst, '\\', 'Z')
		default:
			dst = append(dst, c)
		}
	}
	return e.TextOrNull(append(dst, '\''))
}

// soundexCodes are the codes of A to Z.
const soundexCodes = "01230120022455012623010202"

func soundex(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
	text := e.TextOf(a[0])
	dst := e.Arena()
	start := len(dst)
	last := byte(0)
	for _, c := range text {
		c &^= 0x20
		if c < 'A' || c > 'Z' {
			continue
		}
		code := soundexCodes[c-'A']
		switch {
		case len(dst) == start:
			dst = append(dst, c)
		case code != '0' && code != last:
			dst = append(dst, code)
		}
		if code != '0' || len(dst) == start+1 {
			last = code
		}
	}
	for len(dst) > start && len(dst) < start+4 {
		dst = append(dst, '0')
	}
	return datum.Text(e.Keep(dst)), nil
}

// format writes a number with commas between thousands.
func format(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
	if a[0].IsNull() || a[1].IsNull() { // a locale that is NULL is en_US
		return datum.Null, nil
	}
	places := min(max(a[1].NumberInt(), 0), 30)
	number := a[0]
	if isBytes(number) {
		number = number.Number()
	}
	if number.Kind() == datum.KindFloat { // the half of a float is rounded to even
		unit := math.Pow10(int(places))
		if rounded := math.RoundToEven(number.Float()*unit) / unit; !math.IsInf(rounded, 0) && !math.IsNaN(rounded) {
			number = datum.Float64(rounded)
		}
	}
	x, ok := number.NumberDecimal()
	if !ok {
		return datum.Null, nil
	}
	text := datum.DecimalOfScale(datum.RoundDecimal(x, int(places), false), int(places)).AppendText(nil)
	integer, fraction, _ := bytes.Cut(text, []byte{'.'})
	group, point := byte(','), byte('.')
	if len(a) > 2 && !a[2].IsNull() {
		group, point = separators(string(e.TextOf(a[2])))
	}
	dst := e.Arena()
	for i, c := range integer {
		if left := len(integer) - i; group != 0 && i > 0 && left%3 == 0 && integer[i-1] != '-' {
			dst = append(dst, group)
		}
		dst = append(dst, c)
	}
	if len(fraction) > 0 {
		dst = append(append(dst, point), fraction...)
	}
	return datum.Text(e.Keep(dst)), nil
}

// separators are a locale's signs between thousands, 0 for none, and before a fraction. One that is not known is
// en_US, as in MySQL.
func separators(locale string) (group, point byte) {
	switch strings.ToLower(locale) {
	case "de_de", "da_dk", "ru_ru":
		return '.', ','
	case "sv_se", "fi_fi", "nb_no", "no_no":
		return ' ', ','
	case "fr_fr", "es_es", "it_it", "nl_nl", "pt_br", "pt_pt", "pl_pl", "de_at":
		return 0, ','
	case "de_ch":
		return '\'', '.'
	}
	return ',', '.'
}

func inetToNumber(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
	fields := bytes.Split(e.TextOf(a[0]), []byte{'.'})
	if len(fields) > 4 {
		return datum.Null, nil
	}
	n := int64(0)
	for i, field := range fields {
		byteOf, err := strconv.ParseUint(string(field), 10, 8)
		if err != nil {
			return datum.Null, nil
		}
		if i == len(fields)-1 {
			n <<= 8 * (4 - len(fields)) // 127.1 is 127.0.0.1
		}
		n = n<<8 | int64(byteOf)
	}
	return datum.Int(n), nil
}

func inetToText(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
	n := a[0].NumberInt()
	if n < 0 || n >= 1<<32 {
		return datum.Null, nil
	}
	address := netip.AddrFrom4([4]byte(binary.BigEndian.AppendUint32(nil, uint32(n))))
	return datum.Text(e.Keep(address.AppendTo(e.Arena()))), nil
}

// weightString is the sort key of a text: its bytes. CHAR(n) fills them up with spaces, BINARY(n) with zeros.
func weightString(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
	if isBytes := a[0].Kind() == datum.KindText || a[0].Kind() == datum.KindBinary; !isBytes {
		if len(a) == 2 {
			a[0] = datum.Text(e.TextOf(a[0]))
			return weightString(e, a)
		}
		return datum.Null, nil
	}
	if len(a) == 2 {
		return datum.Binary(e.Keep(collationNamed(a[1].Bytes()).weight(e.Arena(), a[0].Bytes()))), nil
	}
	text, fill := a[0].Bytes(), byte(' ')
	if len(a) < 3 {
		return datum.Binary(text), nil
	}
	n := int(min(max(a[2].NumberInt(), 0), function.PacketMax))
	kept := text
	if string(a[1].Bytes()) == "binary" {
		fill, kept = 0, text[:min(n, len(text))]
		n -= len(kept)
	} else {
		for n > 0 && len(text) > 0 {
			_, size := utf8.DecodeRune(text)
			text, n = text[size:], n-1
		}
		kept = kept[:len(kept)-len(text)]
	}
	dst := append(e.Arena(), kept...)
	return datum.Binary(e.Keep(append(dst, bytes.Repeat([]byte{fill}, n)...))), nil
}
