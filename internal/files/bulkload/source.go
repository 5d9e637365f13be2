// SPDX-License-Identifier: Apache-2.0

package bulkload

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/weftdb/weft/internal/dynamodb/attributeion"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/storage"
)

// Format is the file format of a source.
type Format string

// The formats.
const (
	Auto     Format = "auto"     // by the name of the file; JSON by its first record
	JSONL    Format = "jsonl"    // an object a line, whose members are the attributes
	Ion      Format = "ion"      // an item a struct, alone or as {Item:{..}}
	DynamoDB Format = "dynamodb" // an item a line, in DynamoDB's JSON, alone or as {"Item":{..}}
	CSV      Format = "csv"      // with a header
	TSV      Format = "tsv"      // CSV with tabs
	Parquet  Format = "parquet"  // a file on disk, with columns that are not nested
)

// Compression is how a source is packed.
type Compression string

// The packings. The zero value looks at the first bytes of a source.
const (
	Plain Compression = "none"
	Gzip  Compression = "gzip"
	Zstd  Compression = "zstd"
)

// recordBytesMax bounds a record: more is no row, or a quote that is not closed.
const recordBytesMax = 8 << 20

// blockBytes is about how much of a source one goroutine decodes at a time.
const blockBytes = 256 << 10

// source is one file, or the standard input.
type source struct {
	name   string // as errors show it
	path   string // "" for the standard input
	stdin  io.Reader
	from   storage.Storage // of an object; nil for a file
	etag   string          // of an object
	size   int64
	atNS   int64
	md5    string // base64, as an export's manifest has it; "" if unknown
	items  int64  // that the manifest promises; -1 if unknown
	format Format
}

func (s *source) identity() identity {
	return identity{Name: s.name + s.etag, Size: s.size, AtNS: s.atNS}
}

// findSources finds the sources of a load.
func (l *loader) findSources(ctx context.Context) (all []source, err error) {
	if l.From == nil {
		return findSources(l.Sources, l.Stdin)
	}
	for _, name := range l.Sources {
		found := false
		for o, err := range l.From.List(ctx, name, "") {
			if err != nil {
				return nil, err
			}
			if o.Name == name {
				found, all = true, append(all,
					source{name: name, from: l.From, size: o.Size, etag: o.ETag, atNS: o.Modified.UnixNano(),
						items: -1})
			}
			break
		}
		if !found {
			return nil, fmt.Errorf("%w: %s", storage.ErrNotFound, name)
		}
	}
	return all, nil
}

// findSources turns what the user named into files: "-" is the standard input, a folder or a manifest an export of
// DynamoDB.
func findSources(names []string, stdin io.Reader) (all []source, err error) {
	for _, name := range names {
		if name == "-" {
			all = append(all, source{name: "standard input", stdin: stdin, items: -1})
			continue
		}
		info, err := os.Stat(name)
		if err != nil {
			return nil, err
		}
		base := filepath.Base(name)
		switch {
		case info.IsDir() || base == manifestSummary || base == manifestFiles:
			dir := name
			if !info.IsDir() {
				dir = filepath.Dir(name)
			}
			files, err := readExport(dir)
			if err != nil {
				return nil, err
			}
			all = append(all, files...)
		default:
			all = append(all, source{name: name, path: name, size: info.Size(), atNS: info.ModTime().UnixNano(),
				items: -1})
		}
	}
	if len(all) == 0 {
		return nil, errors.New("name at least one file, an export's folder, or - for standard input")
	}
	return all, nil
}

// input is an open source, unpacked.
type input struct {
	*bufio.Reader
	close func() error
}

// countingReader counts the compressed bytes that are read.
type countingReader struct {
	io.Reader
	n *atomic.Int64
}

func (c countingReader) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.n.Add(int64(n))
	return n, err
}

// open opens a source; read counts the bytes read of it.
func (s *source) open(ctx context.Context, packing Compression, read *atomic.Int64) (*input, error) {
	var from io.Reader = s.stdin
	shut := func() error { return nil }
	if s.from != nil {
		object, err := s.from.Get(ctx, s.name, 0, -1)
		if err != nil {
			return nil, err
		}
		from, shut = object, object.Close
	} else if s.path != "" {
		file, err := os.Open(s.path)
		if err != nil {
			return nil, err
		}
		from, shut = file, file.Close
	}
	in := bufio.NewReaderSize(countingReader{from, read}, 1<<20)
	if packing == "" {
		packing = packingOf(in)
	}
	switch packing {
	case Gzip:
	case Zstd:
		return s.openZstd(in, shut)
	default:
		return &input{in, shut}, nil
	}
	unpacked, err := gzip.NewReader(in)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", s.name, err), shut())
	}
	return &input{bufio.NewReaderSize(unpacked, 1<<20), func() error { return errors.Join(unpacked.Close(), shut()) }},
		nil
}

// packingOf looks at the first bytes of a source. One that is too short for them is not packed.
func packingOf(in *bufio.Reader) Compression {
	magic, _ := in.Peek(4)
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		return Gzip
	case bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return Zstd
	}
	return Plain
}

// zstdWindowMax bounds the memory that a packed source can ask for.
const zstdWindowMax = 64 << 20

func (s *source) openZstd(in *bufio.Reader, shut func() error) (*input, error) {
	unpacked, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(zstdWindowMax))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", s.name, err), shut())
	}
	return &input{bufio.NewReaderSize(unpacked, 1<<20), func() error { unpacked.Close(); return shut() }}, nil
}

// formatOf decides how a source is written. peek is its beginning.
func (s *source) formatOf(asked Format, peek []byte) (Format, error) {
	if s.format != "" {
		return s.format, nil
	}
	if asked != Auto && asked != "" {
		return asked, nil
	}
	name := strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(s.name), ".gz"), ".zst")
	switch filepath.Ext(name) {
	case ".csv":
		return CSV, nil
	case ".tsv", ".tab":
		return TSV, nil
	case ".ion":
		return Ion, nil
	case ".parquet":
		return Parquet, nil
	}
	compact := bytes.Join(bytes.Fields(peek[:min(len(peek), 64)]), nil)
	switch {
	case bytes.HasPrefix(compact, []byte(attributeion.Version)):
		return Ion, nil
	case bytes.HasPrefix(peek, []byte("PAR1")):
		return Parquet, nil
	case bytes.HasPrefix(compact, []byte(`{"Item":{`)), attributejson.LooksTyped(peek):
		return DynamoDB, nil
	case bytes.HasPrefix(compact, []byte(`{`)):
		return JSONL, nil
	}
	return "", fmt.Errorf("%s: its format is not clear: add --format jsonl, dynamodb, ion, csv, tsv or parquet", s.name)
}

// block is whole records of one source.
type block struct {
	source  *source
	line    int64  // lines before it
	ordinal uint64 // records before it, of all sources
	data    []byte
	decode  *blueprint
}

// blueprint is shared by the decoders of all blocks of a source.
type blueprint struct {
	format Format
	part   byte // between fields of CSV; 0: a comma
	given  bool // the header is not in the source
	header []byte
	sample []byte // whole records from the beginning of the source
}

// comma parts the fields of a record.
func (b *blueprint) comma() byte {
	switch {
	case b.format == TSV:
		return '\t'
	case b.part != 0:
		return b.part
	}
	return ','
}

func (b *blueprint) quoted() bool { return b.format == CSV || b.format == TSV }

// cut takes the first record of a block, and says how many line breaks are in front of it and how many up to its end.
func (b *blueprint) cut(data []byte) (record, rest []byte, before, lines int64) {
	if b.format == Parquet {
		record, rest, _ = cutFrame(data)
		return record, rest, 0, 1
	}
	if b.format != Ion {
		record, rest, lines = cutRecord(data, b.quoted())
		return record, rest, 0, lines
	}
	record, rest, ok := attributeion.CutRecord(data)
	if !ok {
		record, rest = bytes.TrimSpace(rest), nil
	}
	start := cap(data) - cap(record) // which is a part of data
	return record, rest, int64(bytes.Count(data[:start], []byte("\n"))),
		int64(bytes.Count(data[:len(data)-len(rest)], []byte("\n")))
}

// last returns where the last whole record of data ends, and how many there may be at most.
func (b *blueprint) last(data []byte) (end int, records uint64) {
	if b.format == Parquet {
		for rest, ok := data, true; ok; {
			if _, rest, ok = cutFrame(rest); ok {
				end, records = len(data)-len(rest), records+1
			}
		}
		return end, records
	}
	if b.format != Ion {
		end = lastRecord(data, b.quoted())
		return end, uint64(bytes.Count(data[:end], []byte("\n"))) + 1
	}
	for {
		_, rest, ok := attributeion.CutRecord(data[end:])
		if !ok {
			return end, records + 1
		}
		end, records = len(data)-len(rest), records+1
	}
}

// lines is the number of lines whole records that have.
func (b *blueprint) lines(data []byte, records uint64) int64 {
	if b.format == Parquet {
		return int64(records)
	}
	return int64(bytes.Count(data, []byte("\n")))
}

// cutter cuts a source into blocks.
type cutter struct {
	source *source
	in     *input
	plan   *blueprint
	at     position
	rest   []byte // read, but not whole records
	ended  bool
	blank  int64 // bytes since the last record
}

// blankMax is the number of bytes that may stand between two records: a packed object may have any number of empty
// lines, which would keep others waiting.
const blankMax = 64 << 20

// passBlank counts the bytes of blocks without a record.
func (c *cutter) passBlank(data []byte) error {
	if c.plan.format == Parquet || len(bytes.TrimSpace(data)) > 0 {
		c.blank = 0
		return nil
	}
	if c.blank += int64(len(data)); c.blank > blankMax {
		return fmt.Errorf("%s:%d: more than %d MiB of empty lines", c.source.name, c.at.Line+1, blankMax>>20)
	}
	return nil
}

// readHeader reads the first line.
func (c *cutter) readHeader() (header []byte, err error) {
	for {
		part, err := c.in.ReadSlice('\n')
		if header = append(header, part...); len(header) > recordBytesMax {
			return nil, fmt.Errorf("%s: a header of more than %d MiB: is it CSV?", c.source.name, recordBytesMax>>20)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return header, err
		}
	}
}

// peekBytes is the number of bytes of a source's beginning that may tell its format: many attributes of its first
// record.
const peekBytes = 64 << 10

// newCutter opens the source of a position and goes there.
func newCutter(ctx context.Context, s *source, o *Options, at position, read *atomic.Int64) (*cutter, error) {
	before := read.Load()
	in, err := s.open(ctx, o.Packing, read)
	if err != nil {
		return nil, err
	}
	c := &cutter{source: s, in: in, at: at}
	peek, err := in.Peek(peekBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, errors.Join(fmt.Errorf("%s: %w", s.name, err), in.close())
	}
	c.plan = &blueprint{part: o.Comma, given: o.Header != nil}
	if len(peek) == 0 {
		c.ended, c.plan.format = true, JSONL
		return c, nil
	}
	if c.plan.format, err = s.formatOf(o.Format, peek); err == nil {
		if c.plan.format == Parquet {
			read.Store(before)
			if in, err = s.unrolled(in, o, read); err != nil {
				return nil, err
			}
			c.in = in
		}
		c.plan.header = appendHeader(nil, o.Header, c.plan.comma())
		err = c.begin()
	}
	if err != nil {
		return nil, errors.Join(err, in.close())
	}
	return c, nil
}

// begin reads the header and passes over what is done.
func (c *cutter) begin() error {
	done := int64(0)
	if c.plan.quoted() {
		if !c.plan.given {
			header, err := c.readHeader()
			if err != nil && !errors.Is(err, io.EOF) {
				return fmt.Errorf("%s: the header: %w", c.source.name, err)
			}
			done = int64(len(header))
			c.plan.header = bytes.TrimRight(header, "\r\n")
		}
		if sample, err := c.in.Peek(inferBytes); errors.Is(err, io.EOF) {
			c.plan.sample = bytes.Clone(sample)
		} else { // another error comes again
			c.plan.sample = bytes.Clone(sample[:lastRecord(sample, true)])
		}
		if c.at.Offset == 0 && !c.plan.given {
			c.at.Offset, c.at.Line = done, c.at.Line+1
		}
	}
	if _, err := io.CopyN(io.Discard, c.in, c.at.Offset-done); err != nil {
		return fmt.Errorf("%s is shorter than when this import began: give the same source, or start over with --restart", c.source.name)
	}
	return nil
}

// next returns the next block; ok is false at the end of the source.
func (c *cutter) next() (b block, ok bool, err error) {
	data := make([]byte, 0, blockBytes+len(c.rest))
	data = append(data, c.rest...)
	for {
		if !c.ended {
			if data, err = c.fill(data); err != nil {
				return b, false, fmt.Errorf("%s:%d: %w", c.source.name, c.at.Line+1, err)
			}
		}
		if len(data) == 0 {
			return b, false, nil
		}
		end, records := c.plan.last(data)
		if c.ended {
			end = len(data)
		}
		if end > 0 {
			if err := c.passBlank(data[:end]); err != nil {
				return b, false, err
			}
			c.rest = bytes.Clone(data[end:])
			b = block{source: c.source, line: c.at.Line, ordinal: c.at.Ordinal, data: data[:end], decode: c.plan}
			lines := c.plan.lines(b.data, records)
			c.at.Offset, c.at.Line, c.at.Ordinal = c.at.Offset+int64(end), c.at.Line+lines, c.at.Ordinal+records+1
			return b, true, nil
		}
		if len(data) > recordBytesMax {
			return b, false, fmt.Errorf(
				"%s:%d: a record of more than %d MiB; is a quote not closed, or is the format wrong?",
				c.source.name, c.at.Line+1, recordBytesMax>>20)
		}
	}
}

// fill reads about a block more.
func (c *cutter) fill(data []byte) ([]byte, error) {
	n := len(data)
	want := n + blockBytes
	if cap(data) < want {
		data = append(make([]byte, 0, want), data...)
	}
	got, err := io.ReadFull(c.in, data[n:want])
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) && got < blockBytes && c.isWhole(err) {
		c.ended, err = true, nil
	}
	return data[:n+got], err
}

// isWhole tells the end of a source from a packed one that was cut off, which gzip calls an unexpected end, too.
func (c *cutter) isWhole(error) bool {
	_, err := c.in.ReadByte()
	return errors.Is(err, io.EOF)
}

// lastRecord returns where the last whole record of data ends, 0 if there is none. Line breaks between quotes end no
// record.
func lastRecord(data []byte, quoted bool) int {
	end := bytes.LastIndexByte(data, '\n') + 1
	if !quoted || end == 0 {
		return end
	}
	quotes := bytes.Count(data[:end], []byte{'"'})
	for end > 0 && quotes%2 == 1 {
		before := bytes.LastIndexByte(data[:end-1], '\n') + 1
		quotes -= bytes.Count(data[before:end], []byte{'"'})
		end = before
	}
	return end
}

// cutRecord takes the first record of a block, without its line break, and says how many lines it has.
func cutRecord(data []byte, quoted bool) (record, rest []byte, lines int64) {
	end, quotes := 0, 0
	for {
		n := bytes.IndexByte(data[end:], '\n')
		if n < 0 {
			return bytes.TrimSuffix(data, []byte("\r")), nil, lines + 1
		}
		lines++
		if quoted {
			quotes += bytes.Count(data[end:end+n], []byte{'"'})
		}
		if end += n + 1; quotes%2 == 0 {
			return bytes.TrimSuffix(data[:end-1], []byte("\r")), data[end:], lines
		}
	}
}
