// SPDX-License-Identifier: Apache-2.0

package thriftwire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/testing/rounds"
)

func protocols() []Protocol { return []Protocol{Binary, Compact} }

// value is a field with anything: bool, int8, int16, int32, int64, []byte, or lists, maps and structures of these.
type value struct {
	id int16
	of any
}

type pair struct{ key, value []byte }

// randomStruct is a structure of random fields.
func randomStruct(random *rand.Rand, depth int) (list []value) {
	id := int16(random.IntN(3))
	for range random.IntN(6) {
		id += int16(1 + random.IntN(20))
		if random.IntN(9) == 0 {
			id = int16(random.IntN(math.MaxInt16))
		}
		list = append(list, value{id, randomValue(random, depth)})
	}
	return list
}

func randomValue(random *rand.Rand, depth int) any {
	n := int64(random.Uint64()) >> random.IntN(64)
	switch kind := random.IntN(9); {
	case kind == 0:
		return n&1 == 0
	case kind == 1:
		return int8(n)
	case kind == 2:
		return int16(n)
	case kind == 3:
		return int32(n)
	case kind == 4:
		return n
	case kind == 5 && depth > 0:
		list := make([][]value, random.IntN(20))
		for i := range list {
			list[i] = randomStruct(random, depth-1)
		}
		return list
	case kind == 6:
		list := make([]pair, random.IntN(3))
		for i := range list {
			list[i] = pair{randomBytes(random), randomBytes(random)}
		}
		return list
	case kind == 7 && depth > 0:
		return randomStruct(random, depth-1)
	}
	return randomBytes(random)
}

func randomBytes(random *rand.Rand) []byte {
	text := make([]byte, []int{0, 1, 5, 127, 128, 300}[random.IntN(6)])
	for i := range text {
		text[i] = byte(random.Uint32())
	}
	return text
}

func write(w *Writer, list []value) {
	outer := w.Open()
	for _, v := range list {
		switch of := v.of.(type) {
		case bool:
			w.Bool(v.id, of)
		case int8:
			w.Byte(v.id, of)
		case int16:
			w.I16(v.id, of)
		case int32:
			w.I32(v.id, of)
		case int64:
			w.I64(v.id, of)
		case []byte:
			w.Binary(v.id, of)
		case [][]value:
			w.List(v.id, Struct, len(of))
			for _, s := range of {
				write(w, s)
			}
		case []pair:
			w.Map(v.id, Bytes, Bytes, len(of))
			for _, p := range of {
				w.PutBytes(p.key)
				w.PutBytes(p.value)
			}
		case []value:
			w.Field(Struct, v.id)
			write(w, of)
		}
	}
	w.Close(outer)
}

func read(r *Reader) (list []value) {
	for f := (Field{}); r.Field(&f); {
		v := value{id: f.ID}
		switch f.Type {
		case Bool:
			v.of = r.Bool()
		case Byte:
			v.of = r.Byte()
		case I16:
			v.of = r.I16()
		case I32:
			v.of = r.I32()
		case I64:
			v.of = r.I64()
		case Bytes:
			v.of = r.Bytes()
		case List:
			structs := make([][]value, r.List(Struct))
			for i := range structs {
				structs[i] = read(r)
			}
			v.of = structs
		case Map:
			pairs := make([]pair, r.Map(Bytes, Bytes))
			for i := range pairs {
				pairs[i] = pair{r.Bytes(), r.Bytes()}
			}
			v.of = pairs
		case Struct:
			v.of = read(r)
		}
		list = append(list, v)
	}
	return list
}

// TestRoundTrip writes random messages, reads them, whole and byte by byte, and passes over them. Each beginning of
// one is a fault.
func TestRoundTrip(t *testing.T) {
	random := rounds.Random(t)
	for range rounds.Of(t, 300) {
		want, head := randomStruct(random, 3), Message{fmt.Sprint("call", random.IntN(100)), Kind(1 + random.IntN(4)),
			int32(random.Uint32())}
		for _, p := range protocols() {
			w := NewWriter(p)
			w.Message(head)
			write(w, want)
			message := w.Bytes()
			r := NewReader(ProtocolOf(message[0]), message)
			if got := r.Message(); got != head {
				t.Fatalf("%x: the head is %+v, not %+v", message, got, head)
			}
			if got := read(&r); r.Err() != nil || r.Len() > 0 || !reflect.DeepEqual(got, want) {
				t.Fatalf("%.200x: %.200v, not %.200v; %v", message, got, want, r.Err())
			}
			whole, from := []byte(nil), bytes.NewReader(append(message[:len(message):len(message)], 1, 2, 3))
			s := NewStream(p, func(rest []byte, n int) ([]byte, error) {
				begin := len(whole) - len(rest)
				more := make([]byte, n-len(rest))
				_, err := io.ReadFull(from, more)
				whole = append(whole, more...)
				return whole[begin:], err
			})
			s.Message()
			if s.SkipStruct(); s.Err() != nil || !bytes.Equal(whole, message) {
				t.Fatalf("%x is passed over as %x, %v", message, whole, s.Err())
			}
			if n := random.IntN(len(message)); n > 0 {
				cut := NewReader(p, message[:n])
				cut.Message()
				if cut.SkipStruct(); cut.Err() == nil {
					t.Fatalf("%x is taken for a message", message[:n])
				}
			}
		}
	}
}

// TestOldForm reads a message of the binary protocol without a version.
func TestOldForm(t *testing.T) {
	r := NewReader(Binary, []byte("\x00\x00\x00\x03get\x01\x00\x00\x00\x09\x00"))
	if got := r.Message(); got != (Message{"get", Call, 9}) || r.Err() != nil {
		t.Errorf("%+v, %v", got, r.Err())
	}
	if r.SkipStruct(); r.Err() != nil || r.Len() > 0 {
		t.Errorf("%v, %d bytes are left", r.Err(), r.Len())
	}
}

// TestShape passes over fields that are unknown or of another type, and wants those that are required.
func TestShape(t *testing.T) {
	shape := &Shape{Name: "S", Required: 1 << 2, Types: []Type{1: Bool, 2: I32, 4: Bytes}}
	for _, p := range protocols() {
		w := NewWriter(p)
		write(w, []value{{1, true}, {2, int32(7)}, {3, false}, {4, int64(1)}, {5, []value{{2, []byte("x")}}},
			{-1, []byte("y")}})
		r, seen := NewReader(p, w.Bytes()), []int16(nil)
		for f := (Field{}); r.Next(&f, shape); {
			seen = append(seen, f.ID)
			r.Skip(f)
		}
		if r.Err() != nil || r.Len() > 0 || fmt.Sprint(seen) != "[1 2]" {
			t.Errorf("%v are read, %d bytes are left: %v", seen, r.Len(), r.Err())
		}
		w.Truncate(0)
		write(w, []value{{1, true}, {2, int64(7)}})
		r = NewReader(p, w.Bytes())
		for f := (Field{}); r.Next(&f, shape); {
			r.Skip(f)
		}
		if r.Err() == nil || !strings.Contains(r.Err().Error(), "S has no field 2, which is required") {
			t.Errorf("a field that is required is missing: %v", r.Err())
		}
	}
}

// TestHostileLengths refuses lengths that are greater than the message, and what lies too deep, and takes no memory
// for them.
func TestHostileLengths(t *testing.T) {
	for name, c := range map[string]struct {
		p       Protocol
		message string
		want    error
	}{
		"text":              {Binary, "\x0b\x00\x01\x7f\xff\xff\xff", errShort},
		"negative text":     {Binary, "\x0b\x00\x01\xff\xff\xff\xff", errLength},
		"list":              {Binary, "\x0f\x00\x01\x0c\x7f\xff\xff\xff\x00", errElements},
		"map":               {Binary, "\x0d\x00\x01\x0b\x0b\x7f\xff\xff\xff\x00", errElements},
		"long text":         {Compact, "\x18\xff\xff\xff\xff\x07", errShort},
		"longer text":       {Compact, "\x18\xff\xff\xff\xff\x0f", errLength},
		"endless length":    {Compact, "\x18" + strings.Repeat("\xff", 20), errNumber},
		"compact list":      {Compact, "\x19\xfc\xff\xff\xff\xff\x07\x00", errElements},
		"compact map":       {Compact, "\x1b\xff\xff\xff\xff\x07\x88\x00", errElements},
		"deep structures":   {Binary, strings.Repeat("\x0c\x00\x01", 1000), errDepth},
		"deep lists":        {Binary, "\x0f\x00\x01" + strings.Repeat("\x0f\x00\x00\x00\x01", 1000), errDepth},
		"deep compact":      {Compact, strings.Repeat("\x1c", 1000), errDepth},
		"compact deep maps": {Compact, "\x1b" + strings.Repeat("\x01\xbb", 1000), errDepth},
		"no type":           {Binary, "\x05\x00\x01\x00", errType},
		"no compact type":   {Compact, "\x40\x00", errType},
		"nothing":           {Compact, "", errShort},
	} {
		r := NewReader(c.p, []byte(c.message))
		if r.SkipStruct(); !errors.Is(r.Err(), c.want) {
			t.Errorf("%s: %v, not %v", name, r.Err(), c.want)
		}
	}
	nested := func(n int) []byte { return append(bytes.Repeat([]byte{0x1c}, n), make([]byte, n+1)...) }
	for n, want := range map[int]error{depthMax - 1: nil, depthMax: errDepth} {
		r := NewReader(Compact, nested(n))
		if r.SkipStruct(); r.Err() != want {
			t.Errorf("%d structures in one another: %v, not %v", n+1, r.Err(), want)
		}
	}
}

// FuzzReader reads any bytes in both protocols: as a message, field by field and passed over. Nothing fails of
// itself, both ways end at the same byte, and no more memory is taken than a part of what there is.
func FuzzReader(f *testing.F) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 10 {
		for _, p := range protocols() {
			w := NewWriter(p)
			w.Message(Message{"get", Call, 1})
			write(w, randomStruct(random, 2))
			f.Add(w.Bytes())
		}
	}
	f.Add([]byte("\x00\x00\x00\x03get\x01\x00\x00\x00\x09\x0b\x00\x01\x7f\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, message []byte) {
		if len(message) == 0 {
			return
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		p := ProtocolOf(message[0])
		passed, taken := NewReader(p, message), NewReader(p, message)
		passed.Message()
		passed.SkipStruct()
		taken.Message()
		walk(&taken, Struct, depthMax)
		if (passed.Err() == nil) != (taken.Err() == nil) || passed.Len() != taken.Len() {
			t.Errorf("%x: %v, %d bytes are left; passed over %v, %d bytes", message, taken.Err(), taken.Len(),
				passed.Err(), passed.Len())
		}
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 1<<16+uint64(4*len(message)) {
			t.Errorf("%d bytes took %d", len(message), took)
		}
	})
}

// walk reads a value by the functions for its type, which allocate where those that pass over it don't.
func walk(r *Reader, t Type, depth int) {
	if depth == 0 {
		r.Fail(errDepth)
		return
	}
	switch t {
	case Bytes:
		_ = r.Text()
	case Struct:
		for f := (Field{}); r.Field(&f); {
			if f.Type == Bool {
				r.Bool()
				continue
			}
			walk(r, f.Type, depth-1)
		}
	case List, Set:
		of, n := r.list()
		for ; n > 0 && r.Err() == nil; n-- {
			walk(r, of, depth-1)
		}
	default:
		r.skip(t, depth)
	}
}
