// SPDX-License-Identifier: Apache-2.0

package hbasethrift

import (
	"bytes"
	"context"
	"encoding/binary"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/thrift/lib/go/thrift"

	"github.com/weftdb/weft/internal/hbase"
	"github.com/weftdb/weft/internal/hbase/filter"
	"github.com/weftdb/weft/internal/rounds"
	"github.com/weftdb/weft/internal/server/hbasethrift/hbase2"
)

// withCall is a context as a message has it.
func withCall(ctx context.Context) (context.Context, *call) {
	x := &call{}
	return context.WithValue(ctx, callKey{}, x), x
}

// marks are the bytes by which messages of both protocols begin.
func marks() []byte { return []byte{binaryMark, compactMark} }

func randomBytes(random *rand.Rand) []byte {
	text := make([]byte, []int{0, 1, 5, 20, 127, 128, 300}[random.IntN(7)])
	for i := range text {
		text[i] = byte(random.Uint32())
	}
	return text
}

func randomResult(random *rand.Rand) (r hbase.Result) {
	if random.IntN(5) > 0 {
		r.Row = randomBytes(random)
	}
	r.Partial = random.IntN(4) == 0
	for range []int{0, 1, 5, 14, 15, 16, 200}[random.IntN(7)] {
		at := int64(random.Uint64() >> random.IntN(64))
		if random.IntN(9) == 0 {
			at = -at
		}
		r.Cells = append(r.Cells, filter.Cell{Family: randomBytes(random), Qualifier: randomBytes(random), Value: randomBytes(random), AtMS: at})
	}
	return r
}

// TestResults writes random results at once and by Thrift's own code: the bytes are the same.
func TestResults(t *testing.T) {
	seed := rounds.Seed(t)
	random := rand.New(rand.NewPCG(seed, 0))
	s := New(Options{})
	defer func() { _ = s.Shutdown(t.Context()) }()
	for range 300 {
		var results []hbase.Result
		theirs := &hbase2.THBaseServiceGetScannerResultsResult{Success: []*hbase2.TResult_{}}
		for range []int{0, 1, 3, 14, 15, 40}[random.IntN(6)] {
			results = append(results, randomResult(random))
			theirs.Success = append(theirs.Success, resultTwo(&results[len(results)-1]))
		}
		for _, mark := range marks() {
			ctx, _ := withCall(t.Context())
			want, got := thrift.NewTMemoryBuffer(), thrift.NewTMemoryBuffer()
			if err := theirs.Write(ctx, s.protocolOf(want, mark)); err != nil {
				t.Fatal(err)
			}
			ours := &hbase2.THBaseServiceGetScannerResultsResult{Success: answerWith(ctx, results)}
			if err := ours.Write(ctx, s.protocolOf(got, mark)); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(want.Bytes(), got.Bytes()) {
				t.Fatalf("protocol %x, results %v:\n%x, by Thrift's code\n%x", mark, results, got.Bytes(), want.Bytes())
			}
			if n := roomOf(results) + 16; got.Len() > n {
				t.Fatalf("room for %d bytes was taken for %d", n, got.Len())
			}
		}
	}
}

func randomPut(random *rand.Rand) *hbase2.TPut {
	p := &hbase2.TPut{Row: randomBytes(random), ColumnValues: []*hbase2.TColumnValue{}}
	at := func() *int64 {
		if random.IntN(500) == 0 {
			return new(-random.Int64N(2)) // can't be stored
		}
		return new([]int64{1, 1700000000000, latest}[random.IntN(3)])
	}
	if random.IntN(9) == 0 {
		p.Timestamp = at()
	}
	if random.IntN(4) == 0 {
		p.Durability = new(hbase2.TDurability_SYNC_WAL)
	}
	if random.IntN(20) == 0 {
		p.Attributes = map[string][]byte{lifeAttribute: binary.BigEndian.AppendUint64(nil, 60_000)}
	}
	for range []int{0, 1, 5, 14, 15, 200}[random.IntN(6)] {
		v := &hbase2.TColumnValue{Family: randomBytes(random), Qualifier: randomBytes(random), Value: randomBytes(random)}
		if random.IntN(3) == 0 {
			v.Timestamp = at()
		}
		if random.IntN(3) == 0 {
			v.Type = new(int8(4))
		}
		p.ColumnValues = append(p.ColumnValues, v)
	}
	return p
}

// argumentsOf reads the arguments of putMultiple: at once, if they can be, and by Thrift's own code.
func argumentsOf(ctx context.Context, s *Server, mark byte, message []byte) (atOnce []*hbase.Put, theirs []*hbase.Put, left [2]int, errs [2]error) {
	for i, hasPuts := range []bool{true, false} {
		ctx, x := withCall(ctx)
		from := &thrift.TMemoryBuffer{Buffer: bytes.NewBuffer(message)}
		in := s.protocolOf(from, mark)
		in.hasPuts = hasPuts
		var arguments hbase2.THBaseServicePutMultipleArgs
		errs[i] = arguments.Read(ctx, in)
		left[i] = from.Len()
		var puts []*hbase.Put
		for _, p := range arguments.Tputs {
			put, err := putTwo(p)
			if err != nil && errs[i] == nil {
				errs[i] = err
			}
			puts = append(puts, put)
		}
		if hasPuts {
			atOnce = append(x.puts, puts...)
		} else {
			theirs = puts
		}
	}
	return atOnce, theirs, left, errs
}

// faultOf is an error without the number of the field whose head could not be read: Thrift's code takes it from what it has read before.
func faultOf(err error) string {
	before, after, ok := strings.Cut(err.Error(), " field ")
	number := strings.TrimLeft(after, "-0123456789")
	if !ok || !strings.HasPrefix(number, " read error: ") {
		return err.Error()
	}
	return before + number
}

// comparePuts wants the arguments to be the same in both ways.
func comparePuts(t *testing.T, s *Server, mark byte, message []byte) {
	atOnce, theirs, left, errs := argumentsOf(t.Context(), s, mark, message)
	if (errs[0] == nil) != (errs[1] == nil) || errs[0] != nil && faultOf(errs[0]) != faultOf(errs[1]) {
		t.Fatalf("protocol %x, %x: %v, by Thrift's code %v", mark, message, errs[0], errs[1])
	}
	if errs[0] != nil {
		return
	}
	if len(atOnce) != len(theirs) || left[0] != left[1] {
		t.Fatalf("protocol %x, %x: %d puts, %d bytes are left; by Thrift's code %d puts, %d bytes", mark, message, len(atOnce), left[0], len(theirs), left[1])
	}
	for i := range atOnce {
		if !reflect.DeepEqual(atOnce[i], theirs[i]) {
			t.Fatalf("protocol %x, %x: put %d is %v, by Thrift's code %v", mark, message, i, atOnce[i], theirs[i])
		}
	}
}

// TestPuts reads random puts at once and by Thrift's own code.
func TestPuts(t *testing.T) {
	seed := rounds.Seed(t)
	random := rand.New(rand.NewPCG(seed, 0))
	s := New(Options{})
	defer func() { _ = s.Shutdown(t.Context()) }()
	atOnce := 0
	for range 500 {
		arguments := &hbase2.THBaseServicePutMultipleArgs{Table: []byte("t")}
		for range 1 + random.IntN(4) {
			arguments.Tputs = append(arguments.Tputs, randomPut(random))
		}
		for _, mark := range marks() {
			to := thrift.NewTMemoryBuffer()
			ctx, x := withCall(t.Context())
			if err := arguments.Write(ctx, s.protocolOf(to, mark)); err != nil {
				t.Fatal(err)
			}
			message := bytes.Clone(to.Bytes())
			comparePuts(t, s, mark, message)
			for range 5 { // damaged
				damaged := bytes.Clone(message)
				damaged[random.IntN(len(damaged))] = byte(random.Uint32())
				comparePuts(t, s, mark, damaged[:len(damaged)-random.IntN(2)*random.IntN(len(damaged))])
			}
			in := s.protocolOf(to, mark)
			in.hasPuts = true
			if err := new(hbase2.THBaseServicePutMultipleArgs).Read(ctx, in); err == nil && x.puts != nil {
				atOnce++
			}
		}
	}
	if atOnce < 100 {
		t.Errorf("%d of 1,000 messages were read at once", atOnce)
	}
}

// FuzzPuts reads the arguments of putMultiple in both ways.
func FuzzPuts(f *testing.F) {
	random := rand.New(rand.NewPCG(1, 1))
	s := New(Options{MessageBytesMax: 1 << 16})
	f.Cleanup(func() { _ = s.Shutdown(context.Background()) })
	for _, mark := range marks() {
		ctx, _ := withCall(f.Context())
		to := thrift.NewTMemoryBuffer()
		arguments := &hbase2.THBaseServicePutMultipleArgs{Table: []byte("t"), Tputs: []*hbase2.TPut{randomPut(random), randomPut(random)}}
		if err := arguments.Write(ctx, s.protocolOf(to, mark)); err != nil {
			f.Fatal(err)
		}
		f.Add(mark == compactMark, to.Bytes())
	}
	f.Fuzz(func(t *testing.T, compact bool, message []byte) {
		mark := byte(binaryMark)
		if compact {
			mark = compactMark
		}
		comparePuts(t, s, mark, message)
	})
}
