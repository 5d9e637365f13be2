// SPDX-License-Identifier: Apache-2.0

package parquetfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/parquet-go/parquet-go"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/valuetest"
)

// dump is the rows of a file, a line each.
func dump(data []byte, typed map[string]string) (string, error) {
	r, err := Open(bytes.NewReader(data), int64(len(data)),
		ReadOptions{Type: func(name string) string { return typed[name] },
			Parse: func(dst []byte, typed string, text []byte) ([]byte, error) {
				if typed == Attribute {
					return attributejson.NewReader(text).Value(dst)
				}
				return value.AppendString(dst, fmt.Appendf(nil, "%s of %s", typed, text)), nil
			}})
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for {
		ok, fault, err := r.Next()
		if err != nil || !ok {
			return out.String(), errors.Join(err, r.Close())
		}
		if fault != nil {
			fmt.Fprintf(&out, "fault: %v\n", fault)
			continue
		}
		for i := range r.Len() {
			name, v := r.Attribute(i)
			fmt.Fprintf(&out, "%q=%s(%d) ", name, value.Value(v), value.Value(v).Kind())
		}
		out.WriteByte('\n')
	}
}

// written is a file with columns of all types, and what dump has to say of it.
func written(t testing.TB, r *rand.Rand, rows int) (data []byte, want string) {
	t.Helper()
	columns := []Column{{Name: []byte("s"), Type: Text}, {Name: []byte("n"), Type: Number, Fraction: 4},
		{Name: []byte("whole"), Type: Number, Whole: true}, {Name: []byte("long"), Type: Number, Long: true},
		{Name: []byte("b"), Type: Binary}, {Name: []byte("flag"), Type: Bool}, {Name: []byte("i"), Type: Int},
		{Name: []byte("f"), Type: Float}, {Name: []byte("t"), Type: Timestamp}, {Name: []byte("u"), Type: Timestamp6},
		{Name: []byte("d"), Type: Date}, {Name: []byte("a"), Type: Attribute}, {Name: []byte("\x00\xff"), Type: Stored},
		{Name: []byte("\x00\xfe"), Type: Text}}
	var file bytes.Buffer
	w, err := NewWriter(&file, columns)
	if err != nil {
		t.Fatal(err)
	}
	parse := func(text string) value.Value {
		v, err := valuetest.ParseText(text)
		if err != nil {
			t.Fatal(text, err)
		}
		return v
	}
	var out strings.Builder
	for range rows {
		n := r.Int64N(1<<40) - 1<<39
		row := []value.Value{parse(strconv.Quote(strings.Repeat("é", r.IntN(20)))),
			parse(fmt.Sprintf("%d.%04d", n, r.IntN(10000))), parse(fmt.Sprint(n)), parse(fmt.Sprintf("%de-60", n)),
			value.AppendBinary(nil, []byte{byte(n)}), parse("true"),
			value.AppendInt(nil, n), value.AppendFloat(nil, float64(n)/3), value.AppendTimestamp(nil, n),
			value.AppendTimestamp(nil, n), value.AppendInt(nil, int64(int32(n))), parse(`[1, {a: "x"}]`),
			parse(`{"a": 5}`), value.AppendString(nil, nil)}
		for i := range row {
			if r.IntN(4) == 0 {
				row[i] = nil
			} else {
				fmt.Fprintf(&out, "%q=%s(%d) ", columns[i].Name, row[i], row[i].Kind())
			}
		}
		out.WriteByte('\n')
		if _, err := w.Write(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes(), out.String()
}

func seeded(t testing.TB) *rand.Rand {
	t.Helper()
	seed := rounds.Seed(t)
	return rand.New(rand.NewPCG(seed, 0))
}

// TestRoundTrip: what was written is read, whatever the type.
func TestRoundTrip(t *testing.T) {
	r := seeded(t)
	for _, rows := range []int{0, 1, 1000} {
		data, want := written(t, r, rows)
		if got, err := dump(data, nil); err != nil || got != want {
			t.Fatalf("%d rows: %v\n%.2000s\nwant\n%.2000s", rows, err, got, want)
		}
	}
}

// TestFiles reads files that other programs wrote, with columns as other types, and files that are refused.
func TestFiles(t *testing.T) {
	datadriven.Walk(t, "testdata/files", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			data, err := os.ReadFile(filepath.Join("testdata", d.CmdArgs[0].Key))
			if err != nil {
				t.Fatal(err)
			}
			typed := map[string]string{}
			for _, line := range strings.Fields(d.Input) {
				name, word, _ := strings.Cut(line, ":")
				typed[name] = word
			}
			text, err := dump(data, typed)
			if err != nil {
				text += "error: " + err.Error() + "\n"
			}
			return text
		})
	})
}

// hostile reads a file that may be anything: no panic, and no more memory than the file is worth.
func hostile(t *testing.T, data []byte) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	text, err := dump(data, nil)
	runtime.ReadMemStats(&after)
	if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 256<<20+64*uint64(len(text)) && !rounds.Race {
		t.Errorf("%d MiB of memory for a file of %d bytes and %d bytes of rows: %v", bytes>>20, len(data), len(text),
			err)
	}
}

// TestDamage changes bytes of good files.
func TestDamage(t *testing.T) {
	r := seeded(t)
	good := [][]byte{}
	for _, rows := range []int{1, 3, 50} {
		data, _ := written(t, r, rows)
		good = append(good, data)
	}
	files, err := filepath.Glob("testdata/*.parquet")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		good = append(good, data)
	}
	for range rounds.Of(t, 1500) {
		data := bytes.Clone(good[r.IntN(len(good))])
		for range 1 + r.IntN(3) {
			switch at := r.IntN(len(data)); r.IntN(3) {
			case 0:
				data[at] = byte(r.Uint32())
			case 1:
				data[at] ^= 1 << r.IntN(8)
			default: // near the end is the footer
				data[len(data)-1-r.IntN(min(len(data), 600))] = byte(r.Uint32())
			}
		}
		hostile(t, data)
	}
}

// FuzzRead reads any bytes.
func FuzzRead(f *testing.F) {
	data, _ := written(f, rand.New(rand.NewPCG(1, 1)), 3)
	f.Add(data)
	files, _ := filepath.Glob("testdata/*.parquet")
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) { hostile(t, data) })
}

// TestBombs: files that are small and ask for much.
func TestBombs(t *testing.T) {
	type row struct {
		A *int64 `parquet:"a,optional"`
	}
	var file bytes.Buffer
	w := parquet.NewGenericWriter[row](&file)
	if _, err := w.Write(make([]row, 10)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	list := append([]byte{0x19, 0xfc}, binary.AppendUvarint(nil, 1<<31)...) // a list of 2^31 structures
	footer := append([]byte("PAR1"), list...)
	footer = append(binary.LittleEndian.AppendUint32(footer, uint32(len(list))), "PAR1"...)
	for _, data := range [][]byte{footer, file.Bytes()[:len(file.Bytes())-1], []byte("PAR1PAR1PAR1"),
		append([]byte("PAR1\xff\xff\xff\x7f"), "PAR1"...)} {
		if _, err := dump(data, nil); !errors.Is(err, errDamaged) {
			t.Errorf("%v", err)
		}
	}
	for _, runs := range [][]byte{binary.AppendUvarint(nil, 1<<32), binary.AppendUvarint(nil, 600<<1),
		binary.AppendUvarint(nil, 5<<1|1)} {
		if err := checkRuns(append(runs, 1, 2), 1, 8); !errors.Is(err, errDamaged) {
			t.Errorf("%x: %v", runs, err)
		}
	}
}
