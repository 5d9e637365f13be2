// SPDX-License-Identifier: Apache-2.0

package dynamohttp

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/weftdb/weft/internal/dynamodb"
)

// TestPack packs answers of many lengths with the same packer, also such as do not become shorter.
func TestPack(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2)) // always the same bytes
	var p packer
	var packed []byte
	for _, length := range []int{0, 1, 1023, 70_000, 1024, 5_000_000, 3000} {
		plain := bytes.Repeat([]byte("attribute "), length/10+1)[:length]
		got, err := p.pack(packed[:0], plain)
		packed = got
		if length < 10 {
			if !errors.Is(err, errLonger) {
				t.Errorf("%d bytes: %v", length, err)
			}
			continue
		}
		if err != nil || len(got) >= length {
			t.Fatalf("%d bytes became %d, %v", length, len(got), err)
		}
		if unpacked := unpack(t, got); !bytes.Equal(unpacked, plain) {
			t.Errorf("%d bytes came back as others", length)
		}
		noise := make([]byte, max(length, 1))
		for i := range noise {
			noise[i] = byte(random.Uint32())
		}
		if got, err = p.pack(packed[:0], noise); !errors.Is(err, errLonger) || len(got) > len(noise) {
			t.Errorf("noise of %d bytes became %d, %v", len(noise), len(got), err)
		}
	}
}

func unpack(t *testing.T, packed []byte) []byte {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

// TestPackedStayApart asks for compressed answers from many clients at once.
func TestPackedStayApart(t *testing.T) {
	s := New(Options{API: echo{}, MemoryBytes: 1 << 30})
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			for i := range 30 {
				want := strings.Repeat(string(rune('a'+(worker+i)%26)), []int{500, 2000, 90_000, 400_000}[(worker+i)%4])
				w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/", strings.NewReader(want))
				r.Header = http.Header{"Content-Type": {typeJSON}, "X-Amz-Target": {"DynamoDB_20120810." + "GetItem"},
					"Accept-Encoding": {"gzip"}}
				s.ServeHTTP(w, r)
				got := w.Body.Bytes()
				if len(want) >= packBytesMin {
					got = unpack(t, got)
				}
				if string(got) != want {
					t.Errorf("worker %d got another answer", worker)
				}
			}
		})
	}
	group.Wait()
	if s.memory.used != 0 {
		t.Errorf("%d bytes of memory were not given back", s.memory.used)
	}
}

// TestPackWithoutRoom sends an answer as it is when there is no room to compress it.
func TestPackWithoutRoom(t *testing.T) {
	s := New(Options{API: newFakeAPI(), MemoryBytes: 16 << 20})
	s.operations["GetItem"] = newOperation(&dynamodb.Operation{Name: "GetItem", Service: "DynamoDB_20120810",
		ReadOnly: true}, nil)
	w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/", strings.NewReader("length 15000000"))
	r.Header = http.Header{"Content-Type": {typeJSON}, "X-Amz-Target": {"DynamoDB_20120810." + "GetItem"},
		"Accept-Encoding": {"gzip"}}
	s.ServeHTTP(w, r)
	if w.Code != http.StatusOK || w.Body.Len() != 15_000_000 || w.Header().Get("Content-Encoding") != "" {
		t.Errorf("status %d, %d bytes, %v", w.Code, w.Body.Len(), w.Header())
	}
}
