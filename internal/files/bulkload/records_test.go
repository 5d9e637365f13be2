// SPDX-License-Identifier: Apache-2.0

package bulkload

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/storage"
)

// object is a storage with one object.
type object struct {
	storage.Storage
	text []byte
}

func (o object) Get(_ context.Context, _ string, offset, _ int64) (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(o.text[min(offset, int64(len(o.text))):])), nil
}

// TestEmptyLines: an object of nothing but empty lines is given up.
func TestEmptyLines(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	for range blankMax>>20 + 2 {
		if _, err := w.Write(bytes.Repeat([]byte("\n"), 1<<20)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := OpenRecords(t.Context(), object{text: packed.Bytes()}, "x.gz", DynamoDB, Gzip, Place{})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, ok, err := r.Next(); ok || err == nil || !strings.Contains(err.Error(), "empty lines") {
		t.Errorf("%t, %v", ok, err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// FuzzRecords reads objects of any bytes, plain and packed, from any place on. What is read is at most the object.
func FuzzRecords(f *testing.F) {
	f.Add([]byte(`{"Item":{"id":{"S":"1"},"n":{"NS":["1","2"]}}}`+"\n\n{}\n"), uint8(0), int64(0))
	f.Add([]byte("$ion_1_0 {Item:{id:\"1\",b:{{aGk=}}}}\n$ion_1_0 {Item:{n:1.5d3}}"), uint8(1), int64(9))
	f.Add([]byte("\x1f\x8b\x08\x00"), uint8(2), int64(0))
	f.Add([]byte("\x28\xb5\x2f\xfd"), uint8(5), int64(1))
	f.Fuzz(func(t *testing.T, text []byte, how uint8, offset int64) {
		format, packing := []Format{DynamoDB, Ion}[how%2], []Compression{Plain, Gzip, Zstd}[how/2%3]
		r, err := OpenRecords(t.Context(), object{text: text}, "x", format, packing, Place{Offset: max(offset, 0)})
		if err != nil {
			return
		}
		defer r.Close()
		read := int64(0)
		for {
			record, line, ok, err := r.Next()
			if err != nil || !ok {
				break
			}
			if read += int64(len(record)); line < 1 || read > r.Place().Offset {
				t.Fatalf("line %d, %d bytes of records up to %d", line, read, r.Place().Offset)
			}
			_ = r.Decode(record, new(value.RowBuilder))
		}
	})
}
