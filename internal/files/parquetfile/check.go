// SPDX-License-Identifier: Apache-2.0

package parquetfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// plainDictionary is the encoding PLAIN_DICTIONARY, which writers before version 2 of the format use for RLE_DICTIONARY
// and, in dictionaries, for PLAIN.
const plainDictionary format.Encoding = 2

// What a file may ask for.
const (
	footerBytesMax = 32 << 20
	headerBytesMax = 1 << 20 // of a page
	pageBytesMax   = 64 << 20
	pageValuesMax  = 1 << 24
	groupMemoryMax = 1 << 30 // of the largest pages of all columns
	valueBytes     = 32      // that a value of a page takes in memory
	columnsMax     = 10_000
	elementsMax    = 1 << 19 // of lists in the footer
	elementsPage   = 1 << 10
	windowMax      = 8 << 20 // of zstd
)

// errDamaged is wrapped by errors about files that are not what they say.
var errDamaged = errors.New("the file is damaged")

func damaged(text string, args ...any) error {
	return fmt.Errorf("%w: %s", errDamaged, fmt.Sprintf(text, args...))
}

// readFooter reads what a file says of itself.
func readFooter(from io.ReaderAt, size int64) (*format.FileMetaData, error) {
	var tail [8]byte
	if size < 12 {
		return nil, damaged("it has %d bytes", size)
	}
	if _, err := from.ReadAt(tail[:], size-8); err != nil {
		return nil, err
	}
	length := int64(binary.LittleEndian.Uint32(tail[:4]))
	switch {
	case string(tail[4:]) == "PARE":
		return nil, errors.New("the file is encrypted, which is not supported")
	case string(tail[4:]) != "PAR1":
		return nil, damaged("its end is not that of a Parquet file")
	case length > footerBytesMax || length > size-12:
		return nil, damaged("its footer has %d bytes", length)
	}
	footer := make([]byte, length)
	if _, err := from.ReadAt(footer, size-8-length); err != nil {
		return nil, err
	}
	budget := elementsMax
	if rest, err := skipStruct(footer, 0, &budget); err != nil || len(rest) > 0 {
		return nil, damaged("its footer can't be read")
	}
	meta := new(format.FileMetaData)
	if err := thrift.Unmarshal(new(thrift.CompactProtocol), footer, meta); err != nil {
		return nil, damaged("its footer can't be read: %v", err)
	}
	return meta, checkFooter(meta)
}

// checkFooter wants flat columns, and groups of rows that have them all.
func checkFooter(meta *format.FileMetaData) error {
	if len(meta.Schema) < 2 || len(meta.Schema) > columnsMax {
		return fmt.Errorf("the file has %d columns; 1 to %d can be read", max(len(meta.Schema)-1, 0), columnsMax)
	}
	for i := 1; i < len(meta.Schema); {
		e := &meta.Schema[i]
		if e.NumChildren.Valid || !e.Type.Valid {
			return fmt.Errorf("column %s is nested (a list, a map or a structure), which is not supported: write it as JSON text, and import it with --types %s:json", e.Name, e.Name)
		}
		if e.RepetitionType.V == format.Repeated {
			return fmt.Errorf("column %s is repeated, which is not supported: write it as JSON text, and import it with --types %s:json", e.Name, e.Name)
		}
		if e.TypeLength.V < 0 || e.TypeLength.V > pageBytesMax ||
			e.Type.V == format.FixedLenByteArray && e.TypeLength.V == 0 {
			return damaged("the values of column %s have %d bytes", e.Name, e.TypeLength.V)
		}
		i++
	}
	columns := len(meta.Schema) - 1
	if int(meta.Schema[0].NumChildren.V) != columns {
		return damaged("its columns are %d and not %d", columns, meta.Schema[0].NumChildren.V)
	}
	left := meta.NumRows
	for i := range meta.RowGroups {
		g := &meta.RowGroups[i]
		if left -= g.NumRows; len(g.Columns) != columns || g.NumRows < 0 || left < 0 {
			return damaged("a group of rows has %d columns and %d rows", len(g.Columns), g.NumRows)
		}
		for j := range g.Columns {
			if c := &g.Columns[j]; c.FilePath != "" || c.MetaData.Type != meta.Schema[j+1].Type.V {
				return damaged("the values of column %s are elsewhere, or of another type", meta.Schema[j+1].Name)
			}
		}
	}
	if left != 0 {
		return damaged("its groups have %d rows less than the %d that it says", left, meta.NumRows)
	}
	return nil
}

// checker looks at the pages of a group of rows before they are decoded.
type checker struct {
	from   io.ReaderAt
	size   int64
	header []byte
	page   []byte
	plain  []byte
	gzip   *gzip.Reader
	zstd   *zstd.Decoder
}

// group looks at all pages of a group.
func (c *checker) group(meta *format.FileMetaData, g *format.RowGroup) error {
	memory := int64(0)
	for i := range g.Columns {
		e := &meta.Schema[i+1]
		most, err := c.chunk(e, &g.Columns[i].MetaData, g.NumRows)
		if err != nil {
			return fmt.Errorf("column %s: %w", e.Name, err)
		}
		if memory += most; memory > groupMemoryMax {
			return fmt.Errorf("a group of rows needs more than %d MiB of memory: write the file with smaller pages",
				groupMemoryMax>>20)
		}
	}
	return nil
}

// chunk looks at the pages of one column, and returns how much memory the largest needs.
func (c *checker) chunk(e *format.SchemaElement, m *format.ColumnMetaData, rows int64) (most int64, err error) {
	at := m.DataPageOffset
	if m.DictionaryPageOffset != 0 {
		at = m.DictionaryPageOffset
	}
	if at < 4 || m.DataPageOffset < at || m.TotalCompressedSize < 0 || m.TotalCompressedSize > c.size ||
		at > c.size-m.TotalCompressedSize {
		return 0, damaged("its pages are beyond the end")
	}
	end, values, dictionary := at+m.TotalCompressedSize, int64(0), int64(0)
	for at < end {
		var header format.PageHeader
		n, err := c.pageHeader(at, end, &header)
		if err != nil {
			return 0, err
		}
		p := page{codec: m.Codec, optional: e.RepetitionType.V == format.Optional, kind: m.Type, PageHeader: &header}
		if err := p.checkHeader(end - at - n); err != nil {
			return 0, err
		}
		if err := c.contents(at+n, &p); err != nil {
			return 0, err
		}
		at += n + int64(header.CompressedPageSize)
		memory := int64(header.CompressedPageSize) + 2*int64(header.UncompressedPageSize) + int64(p.values)*valueBytes
		switch {
		case header.Type == format.DictionaryPage && dictionary > 0:
			return 0, damaged("it has two dictionaries")
		case header.Type == format.DictionaryPage:
			dictionary = memory
		default:
			values += int64(p.values)
			most = max(most, memory)
		}
	}
	if values != rows {
		return 0, damaged("it has %d values for %d rows", values, rows)
	}
	return most + dictionary, nil
}

// pageHeader reads the header of the page at a place, and returns its length.
func (c *checker) pageHeader(at, end int64, header *format.PageHeader) (length int64, err error) {
	for size := int64(256); ; size *= 8 {
		size = min(size, headerBytesMax, end-at)
		if int64(cap(c.header)) < size {
			c.header = make([]byte, size)
		}
		raw := c.header[:size]
		if _, err := c.from.ReadAt(raw, at); err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		budget := elementsPage
		rest, err := skipStruct(raw, 0, &budget)
		if errors.Is(err, errShort) && size < min(headerBytesMax, end-at) {
			continue
		}
		if err != nil {
			return 0, damaged("the header of a page can't be read")
		}
		raw = raw[:len(raw)-len(rest)]
		if err := thrift.Unmarshal(new(thrift.CompactProtocol), raw, header); err != nil {
			return 0, damaged("the header of a page can't be read: %v", err)
		}
		return int64(len(raw)), nil
	}
}

// page is a page that is looked at.
type page struct {
	*format.PageHeader
	codec    format.CompressionCodec
	kind     format.Type
	optional bool
	encoding format.Encoding
	values   int32 // with nulls
	levels   int   // bytes of levels in front of the packed part
	packed   bool
}

// checkHeader compares a page's header with bounds. left is the number of bytes of the column behind the
// header.
func (p *page) checkHeader(left int64) error {
	if p.CompressedPageSize < 0 || p.UncompressedPageSize < 0 || int64(p.CompressedPageSize) > left ||
		p.UncompressedPageSize > pageBytesMax || p.CompressedPageSize > pageBytesMax {
		return damaged("a page has %d bytes, %d packed; up to %d can be read", p.UncompressedPageSize,
			p.CompressedPageSize, pageBytesMax)
	}
	p.packed = p.codec != format.Uncompressed
	switch {
	case p.Type == format.DictionaryPage && p.DictionaryPageHeader.Valid:
		p.values, p.encoding = p.DictionaryPageHeader.V.NumValues, p.DictionaryPageHeader.V.Encoding
		if p.encoding != format.Plain && p.encoding != plainDictionary {
			return damaged("a dictionary has the encoding %s", p.encoding)
		}
	case p.Type == format.DataPage && p.DataPageHeader.Valid:
		h := &p.DataPageHeader.V
		p.values, p.encoding = h.NumValues, h.Encoding
		if p.optional && h.DefinitionLevelEncoding != format.RLE {
			return fmt.Errorf("its levels have the encoding %s, which is not supported", h.DefinitionLevelEncoding)
		}
	case p.Type == format.DataPageV2 && p.DataPageHeaderV2.Valid:
		h := &p.DataPageHeaderV2.V
		p.values, p.encoding, p.levels = h.NumValues, h.Encoding, int(h.DefinitionLevelsByteLength)
		if h.IsCompressed.Valid && !h.IsCompressed.V {
			p.packed = false
		}
		if h.RepetitionLevelsByteLength != 0 || p.levels < 0 ||
			p.levels > int(min(p.CompressedPageSize, p.UncompressedPageSize)) || h.NumRows != h.NumValues ||
			h.NumNulls < 0 || h.NumNulls > h.NumValues {
			return damaged("a page has impossible levels")
		}
	default:
		return damaged("a page is of the kind %d", p.Type)
	}
	if p.values < 0 || p.values > pageValuesMax {
		return damaged("a page has %d values; up to %d can be read", p.values, pageValuesMax)
	}
	return nil
}

// contents unpacks a page, and looks at the lengths in it.
func (c *checker) contents(at int64, p *page) error {
	c.page = grown(c.page, int(p.CompressedPageSize))
	if _, err := c.from.ReadAt(c.page, at); err != nil {
		return damaged("it ends in the middle of a page")
	}
	levels, plain := c.page[:p.levels], c.page[p.levels:]
	if p.packed {
		var err error
		if plain, err = c.unpack(p.codec, plain, int(p.UncompressedPageSize)-p.levels); err != nil {
			return err
		}
	} else if len(c.page) != int(p.UncompressedPageSize) {
		return damaged("a page has %d bytes and not %d", len(c.page), p.UncompressedPageSize)
	}
	if p.Type == format.DictionaryPage {
		return p.plain(plain)
	}
	if p.optional {
		if p.Type == format.DataPage {
			if len(plain) < 4 || int64(binary.LittleEndian.Uint32(plain)) > int64(len(plain)-4) {
				return damaged("a page ends within its levels")
			}
			n := 4 + int(binary.LittleEndian.Uint32(plain))
			levels, plain = plain[4:n], plain[n:]
		}
		if err := checkRuns(levels, 1, int64(p.values)); err != nil {
			return err
		}
	}
	return p.data(plain)
}

// data looks at the encoded values of a page.
func (p *page) data(plain []byte) error {
	switch p.encoding {
	case format.Plain:
		return p.plain(plain)
	case plainDictionary, format.RLEDictionary:
		if len(plain) == 0 {
			return nil
		}
		return checkRuns(plain[1:], uint(plain[0]), int64(p.values))
	case format.RLE:
		if p.kind != format.Boolean {
			break
		}
		if len(plain) < 4 || int64(binary.LittleEndian.Uint32(plain)) > int64(len(plain)-4) {
			return damaged("a page ends within its values")
		}
		return checkRuns(plain[4:4+binary.LittleEndian.Uint32(plain)], 1, int64(p.values))
	case format.DeltaBinaryPacked, format.DeltaLengthByteArray:
		if len(plain) == 0 {
			return nil
		}
		return checkDelta(plain, int64(p.values))
	case format.ByteStreamSplit:
		return nil // as many bytes as there are
	}
	return fmt.Errorf("its values have the encoding %s, which is not supported: write the file with the encodings PLAIN or RLE_DICTIONARY", p.encoding)
}

// plain looks at the lengths in front of texts.
func (p *page) plain(data []byte) error {
	if p.kind != format.ByteArray {
		return nil
	}
	for n := int32(0); len(data) > 0; n++ {
		if len(data) < 4 || int64(binary.LittleEndian.Uint32(data)) > int64(len(data)-4) || n == p.values {
			return damaged("a page ends within a value")
		}
		data = data[4+binary.LittleEndian.Uint32(data):]
	}
	return nil
}

// grown is a buffer of a size.
func grown(b []byte, size int) []byte {
	if cap(b) < size {
		return make([]byte, size)
	}
	return b[:size]
}

// unpack unpacks a page of a size.
func (c *checker) unpack(codec format.CompressionCodec, packed []byte, size int) (plain []byte, err error) {
	c.plain = grown(c.plain, size)
	var from io.Reader
	switch codec {
	case format.Snappy:
		if n, err := snappy.DecodedLen(packed); err != nil || n != size {
			return nil, damaged("a page is not packed as it says")
		}
		if _, err := snappy.Decode(c.plain, packed); err != nil {
			return nil, damaged("a page can't be unpacked: %v", err)
		}
		return c.plain, nil
	case format.Gzip:
		if c.gzip == nil {
			c.gzip = new(gzip.Reader)
		}
		if err := c.gzip.Reset(bytes.NewReader(packed)); err != nil {
			return nil, damaged("a page can't be unpacked: %v", err)
		}
		from = c.gzip
	case format.Zstd:
		if c.zstd == nil {
			if c.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
				zstd.WithDecoderMaxWindow(windowMax)); err != nil {
				return nil, err
			}
		}
		if err := c.zstd.Reset(bytes.NewReader(packed)); err != nil {
			return nil, damaged("a page can't be unpacked: %v", err)
		}
		from = c.zstd
	default:
		return nil, fmt.Errorf("it is packed by %s, which is not supported: write the file with snappy, gzip or zstd",
			codec)
	}
	if _, err := io.ReadFull(from, c.plain); err != nil {
		return nil, damaged("a page can't be unpacked: %v", err)
	}
	if n, err := from.Read(make([]byte, 1)); n != 0 || !errors.Is(err, io.EOF) {
		return nil, damaged("a page is not packed as it says")
	}
	return c.plain, nil
}

// close frees what unpacking took.
func (c *checker) close() {
	if c.zstd != nil {
		c.zstd.Close()
	}
}
