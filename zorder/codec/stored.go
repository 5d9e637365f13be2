// SPDX-License-Identifier: Apache-2.0

package codec

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"math"
	"slices"
	"strings"
)

// The stored form of a codec. Numbers are uvarints unless a size is given.
//
//	2 bytes   "zc"
//	1 byte    the format, 1
//	1 byte    kind
//	1 byte    1 with nulls=first, plus 2 with codec=quantile
//	number    version
//	number    bits
//	...       what the kind takes: bytes (and for nfc the Unicode edition's length and text); unit; unit and zone+1439; 8 bytes min, 8 bytes max
//	...       with codec=quantile: 1 byte spare, rows, buckets, for each bucket but the first the rows more than below the one before it; then for each edge how many bytes
//	          it shares with the one before, how many follow, and these
//	4 bytes   CRC-32C of all that, big endian
const (
	storedMagic  = "zc"
	storedFormat = 1

	storedNulls    = 1
	storedQuantile = 2

	textMark = "zcodec1:"
)

// rowsMax is the largest sample. Far larger ones would give two buckets one first word.
const rowsMax = 1 << 40

// storedMax bounds what is decoded: edges of the longest and the most.
const storedMax = 64 << 20

func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// AppendBinary appends the stored form of c: 10 to 30 bytes, and for each bucket of a quantile codec about as many as
// its separators differ in. It never fails.
func (c *Codec) AppendBinary(dst []byte) ([]byte, error) {
	start := len(dst)
	t := c.attribute.Type
	var flags byte
	if c.nulls {
		flags |= storedNulls
	}
	if c.quantile != nil {
		flags |= storedQuantile
	}
	dst = append(dst, storedMagic...)
	dst = append(dst, storedFormat, byte(t.Kind), flags)
	dst = binary.AppendUvarint(dst, uint64(c.version))
	dst = binary.AppendUvarint(dst, uint64(c.bits))
	dst = t.appendParameters(dst)
	if c.quantile != nil {
		dst = c.quantile.append(dst)
	}
	return binary.BigEndian.AppendUint32(dst, checksum(dst[start:])), nil
}

func (t Type) appendParameters(dst []byte) []byte {
	switch {
	case t.Kind.isBytes():
		dst = binary.AppendUvarint(dst, uint64(t.Bytes))
		if t.Kind == NFC {
			dst = append(binary.AppendUvarint(dst, uint64(len(UnicodeVersion))), UnicodeVersion...)
		}
	case t.Kind == Timestamp:
		dst = append(dst, byte(t.Unit))
	case t.Kind == ISO8601:
		dst = binary.AppendUvarint(append(dst, byte(t.Unit)), uint64(t.Zone+zoneMax))
	case t.Kind == Linear:
		dst = binary.BigEndian.AppendUint64(dst, math.Float64bits(t.Min))
		dst = binary.BigEndian.AppendUint64(dst, math.Float64bits(t.Max))
	}
	return dst
}

func (q *quantile) append(dst []byte) []byte {
	dst = binary.AppendUvarint(append(dst, q.spare), q.rows)
	dst = binary.AppendUvarint(dst, uint64(len(q.counts)))
	for i := 1; i < len(q.counts); i++ {
		dst = binary.AppendUvarint(dst, q.counts[i]-q.counts[i-1])
	}
	var before []byte
	for _, edge := range q.edges {
		n := commonPrefix(before, edge)
		dst = binary.AppendUvarint(dst, uint64(n))
		dst = binary.AppendUvarint(dst, uint64(len(edge)-n))
		dst = append(dst, edge[n:]...)
		before = edge
	}
	return dst
}

// MarshalBinary returns the stored form of c.
func (c *Codec) MarshalBinary() ([]byte, error) { return c.AppendBinary(nil) }

// MarshalText returns the stored form of c as a word of ASCII: a mark and base64 without padding.
func (c *Codec) MarshalText() ([]byte, error) {
	stored, err := c.AppendBinary(nil)
	return base64.RawURLEncoding.AppendEncode([]byte(textMark), stored), err
}

// DecodeText reads what MarshalText wrote. Errors are those of Decode.
func DecodeText(text string) (*Codec, error) {
	rest, ok := strings.CutPrefix(text, textMark)
	if !ok || len(rest) > storedMax/3*4 || strings.ContainsAny(rest, "\r\n") {
		return nil, ErrCorrupt
	}
	stored, err := base64.RawURLEncoding.Strict().DecodeString(rest)
	if err != nil {
		return nil, ErrCorrupt
	}
	return Decode(stored)
}

// Decode reads what AppendBinary wrote, and nothing else: whatever it accepts, AppendBinary writes again. The codec
// does not alias stored. The errors are ErrCorrupt, and ErrUnicode for nfc.
func Decode(stored []byte) (*Codec, error) {
	body := len(stored) - 4
	if body < 0 || len(stored) > storedMax || checksum(stored[:body]) != binary.BigEndian.Uint32(stored[body:]) {
		return nil, ErrCorrupt
	}
	r := reader{rest: stored[:body]}
	if string(r.take(2)) != storedMagic || r.byte() != storedFormat {
		return nil, ErrCorrupt
	}
	a := Attribute{Codec: ChoiceRaw}
	a.Type.Kind = Kind(r.byte())
	flags := r.byte()
	if flags&storedNulls != 0 {
		a.Nulls = NullsFirst
	}
	if flags&storedQuantile != 0 {
		a.Codec = ChoiceQuantile
	}
	version := uint32(r.number(math.MaxUint32))
	a.Bits = int(r.number(8 * BytesMax))
	unicode := r.parameters(&a.Type)
	if r.failed || flags > storedNulls|storedQuantile || a.Bits == 0 || a.fault() != "" {
		return nil, ErrCorrupt
	}
	var q *quantile
	if a.Codec == ChoiceQuantile {
		q = r.quantile()
	}
	switch {
	case r.failed || len(r.rest) > 0:
		return nil, ErrCorrupt
	case unicode != UnicodeVersion:
		return nil, ErrUnicode
	}
	return build(a, version, q), nil
}

// reader takes things off rest. After a failure everything is zero.
type reader struct {
	rest   []byte
	failed bool
}

func (r *reader) fail() { r.failed, r.rest = true, nil }

func (r *reader) take(n int) []byte {
	if n > len(r.rest) {
		r.fail()
		return nil
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

func (r *reader) byte() byte {
	if b := r.take(1); len(b) == 1 {
		return b[0]
	}
	return 0
}

func (r *reader) word() uint64 {
	if b := r.take(8); len(b) == 8 {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

// number reads a uvarint of at most most, in its shortest spelling.
func (r *reader) number(most uint64) uint64 {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 || v > most || n > 1 && r.rest[n-1] == 0 {
		r.fail()
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

// parameters returns the Unicode edition that the type depends on, which is ours if it depends on none.
func (r *reader) parameters(t *Type) (unicode string) {
	unicode = UnicodeVersion
	switch {
	case t.Kind.isBytes():
		t.Bytes = int(r.number(BytesMax))
		if t.Kind == NFC {
			unicode = string(r.take(int(r.number(32))))
		}
	case t.Kind == Timestamp:
		t.Unit = Unit(r.byte())
	case t.Kind == ISO8601:
		t.Unit = Unit(r.byte())
		t.Zone = int(r.number(2*zoneMax)) - zoneMax
	case t.Kind == Linear:
		t.Min = math.Float64frombits(r.word())
		t.Max = math.Float64frombits(r.word())
	}
	return unicode
}

func (r *reader) quantile() *quantile {
	spare := r.byte()
	rows := r.number(rowsMax)
	buckets := int(r.number(BucketsMax))
	counts := []uint64{0}
	for len(counts) < buckets && !r.failed {
		count := counts[len(counts)-1]
		more := r.number(rows - count)
		if more == 0 || count+more >= rows {
			r.fail()
		}
		counts = append(counts, count+more)
	}
	edges := r.edges(buckets)
	if r.failed || rows == 0 || buckets == 0 || spare > spareMax || spare != 0 && spare < spareMin {
		r.fail()
		return nil
	}
	return newQuantile(rows, counts, edges, spare)
}

// edges reads one more edge than buckets. They ascend, apart from the last, which may equal the one before.
func (r *reader) edges(buckets int) [][]byte {
	var edges [][]byte
	var before []byte
	for i := 0; i <= buckets && !r.failed; i++ {
		n := int(r.number(uint64(len(before))))
		suffix := r.take(int(r.number(uint64(edgeBytesMax - n))))
		edge := slices.Concat(before[:n], suffix)
		order := bytes.Compare(before, edge)
		if n != commonPrefix(before, edge) || i > 0 && order > 0 || i > 0 && i < buckets && order == 0 {
			r.fail()
		}
		edges = append(edges, edge)
		before = edge
	}
	return edges
}
