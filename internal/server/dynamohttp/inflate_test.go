// SPDX-License-Identifier: Apache-2.0

package dynamohttp

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/testing/rounds"
)

// packedBody compresses a body with the standard library, in the format that Content-Encoding calls by name.
func packedBody(t testing.TB, encoding string, body io.Reader) []byte {
	var packed bytes.Buffer
	var w io.WriteCloser = gzip.NewWriter(&packed)
	if encoding == "deflate" {
		w = zlib.NewWriter(&packed)
	}
	if _, err := io.Copy(w, body); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// zeros is a body of n bytes.
func zeros(n int64) io.Reader { return io.LimitReader(zeroReader{}, n) }

type zeroReader struct{}

func (zeroReader) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// TestBomb sends a small body that would become 64 MiB. It is unpacked to the limit and no further.
func TestBomb(t *testing.T) {
	rounds.SkipRace(t)
	for _, encoding := range []string{"gzip", "deflate"} {
		bomb := packedBody(t, encoding, zeros(64<<20))
		s := New(Options{API: newFakeAPI(), BodyBytesMax: 1 << 20})
		x := new(exchange)
		r := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(bomb))
		r.Header.Set("Content-Encoding", encoding)
		x.begin(s, httptest.NewRecorder(), r)
		if err := x.readBody(r); err != errTooLong {
			t.Errorf("%s: %v", encoding, err)
		}
		if got := cap(x.body); got > 1<<20+64<<10 {
			t.Errorf("%s: %d bytes were allocated for the body", encoding, got)
		}
		if x.pacer.read > 1<<14 {
			t.Errorf("%s: %d bytes were read of what came", encoding, x.pacer.read)
		}
		x.end()
		if s.memory.used != 0 {
			t.Errorf("%d bytes of memory were not given back", s.memory.used)
		}
	}
}

// TestInflaterIsUsedAgain unpacks bodies one after another with the same inflater, broken ones among them.
func TestInflaterIsUsedAgain(t *testing.T) {
	i := &inflater{packed: bufio.NewReader(nil)}
	for round := range 20 {
		for _, encoding := range []string{"gzip", "deflate"} {
			want := strings.Repeat(fmt.Sprint("body ", round), round*1000)
			body := packedBody(t, encoding, strings.NewReader(want))
			if err := i.open(&pacer{body: bytes.NewReader(body)}, []string{encoding}); err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(i); err != nil || string(got) != want {
				t.Fatalf("%d bytes instead of %d, %v", len(got), len(want), err)
			}
			i.close()
			if err := i.open(&pacer{body: bytes.NewReader(body[:len(body)/2])}, []string{encoding}); err == nil {
				if _, err = io.ReadAll(i); !errors.Is(err, errEncoding) {
					t.Fatalf("a body cut short: %v", err)
				}
			}
			i.close()
		}
	}
}

// TestInflaterTellsWhoFailed lets the connection end within a compressed body: that is not the body's fault.
func TestInflaterTellsWhoFailed(t *testing.T) {
	for length := range 40 {
		_, listener := startServer(t, Options{API: newFakeAPI()})
		conn, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		body := packedBody(t, "gzip", strings.NewReader("some body"))[:min(length, 30)]
		head := strings.Replace(header("GetItem", 100), "Content-Length", "Content-Encoding: gzip\r\nContent-Length", 1)
		if _, err := io.WriteString(conn, head+string(body)); err != nil {
			t.Fatal(err)
		}
		_ = conn.(*net.TCPConn).CloseWrite()
		reply, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || reply.StatusCode != http.StatusRequestTimeout {
			t.Errorf("after %d bytes: %v, %v", length, reply, err)
		}
		_ = conn.Close()
	}
}

// FuzzInflate unpacks anything. What the standard library packs comes back; the rest is refused or unpacked within the
// limit.
func FuzzInflate(f *testing.F) {
	f.Add([]byte("{}"), true, true)
	f.Add([]byte("{}"), false, true)
	f.Add(packedBody(f, "gzip", zeros(5000)), true, false)
	f.Add(packedBody(f, "deflate", zeros(5000)), false, false)
	f.Add([]byte("\x1f\x8b\x08\x1c\x00\x00\x00\x00\x00\x00\xff\xff"), true, false)
	s := New(Options{API: newFakeAPI(), BodyBytesMax: 4000})
	f.Fuzz(func(t *testing.T, data []byte, zipped, whole bool) {
		encoding, sent := "deflate", data
		if zipped {
			encoding = "gzip"
		}
		if whole {
			sent = packedBody(t, encoding, bytes.NewReader(data))
		}
		r := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(sent))
		r.Header["Content-Encoding"] = []string{encoding}
		x := new(exchange)
		x.begin(s, httptest.NewRecorder(), r)
		err := x.readBody(r)
		switch {
		case whole && len(data) <= 4000 && (err != nil || !bytes.Equal(x.body, data)):
			t.Errorf("%q became %q, %v", data, x.body, err)
		case whole && len(data) > 4000 && err != errTooLong, r.ContentLength <= 4000 && err != nil &&
			err != errTooLong && err != errEncoding:
			t.Error(err)
		case cap(x.body) > bodyBytesKept:
			t.Errorf("%d bytes were allocated", cap(x.body))
		}
		x.end()
	})
}
