// SPDX-License-Identifier: Apache-2.0

package dynamohttp

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/dynamodb"
)

// echo answers with the request.
type echo struct{}

func (echo) Run(_ context.Context, _ *dynamodb.Operation, body, dst []byte) ([]byte, error) {
	return append(dst, body...), nil
}

// echoHandler is the least that a net/http handler can do with a body.
func echoHandler(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", typeJSON)
	_, _ = w.Write(body)
}

// BenchmarkEcho sends 1 KiB there and back over TCP, through the server and through a bare handler. The client is as
// lean as can be and counts in both.
func BenchmarkEcho(b *testing.B) {
	for _, size := range []int{200, 1024, 65536} {
		b.Run(fmt.Sprintf("size=%d/protocol", size), func(b *testing.B) {
			_, listener := startServer(b, Options{API: echo{}})
			benchmarkEcho(b, listener.Addr(), size)
		})
		b.Run(fmt.Sprintf("size=%d/bare", size), func(b *testing.B) {
			server := httptest.NewServer(http.HandlerFunc(echoHandler))
			defer server.Close()
			benchmarkEcho(b, server.Listener.Addr(), size)
		})
	}
}

// BenchmarkRefuse measures what looking at a request costs before its operation is run: the form of its signature.
func BenchmarkRefuse(b *testing.B) {
	r := httptest.NewRequest(http.MethodPost, "/", nil)
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20260921/us-east-1/dynamodb/aws4_request, "+
		"SignedHeaders=accept-encoding;amz-sdk-invocation-id;content-length;content-type;host;x-amz-date;x-amz-target, Signature="+strings.Repeat("0f", 32))
	r.Header.Set("X-Amz-Date", "20260921T101112Z")
	for _, check := range []bool{false, true} {
		b.Run(fmt.Sprintf("check=%t", check), func(b *testing.B) {
			x := &exchange{server: New(Options{CheckAuthorization: check}), body: []byte("{}")}
			b.ReportAllocs()
			for b.Loop() {
				if fault := x.refuse(r, true); fault != nil {
					b.Fatal(fault)
				}
			}
		})
	}
}

// BenchmarkPack compresses an answer.
func BenchmarkPack(b *testing.B) {
	plain := bytes.Repeat([]byte(`{"pk":{"S":"customer#00017"},"total":{"N":"129.95"}},`), 1000)
	var p packer
	var packed []byte
	b.SetBytes(int64(len(plain)))
	b.ReportAllocs()
	for b.Loop() {
		var err error
		if packed, err = p.pack(packed[:0], plain); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(plain))/float64(len(packed)), "times-shorter")
}

// BenchmarkInflate unpacks a body.
func BenchmarkInflate(b *testing.B) {
	plain := strings.Repeat(`{"pk":{"S":"customer#00017"},"total":{"N":"129.95"}},`, 1000)
	packed := packedBody(b, "gzip", strings.NewReader(plain))
	i := &inflater{packed: bufio.NewReader(nil)}
	scratch := make([]byte, 64<<10)
	b.SetBytes(int64(len(plain)))
	b.ReportAllocs()
	for b.Loop() {
		if err := i.open(&pacer{body: bytes.NewReader(packed)}, []string{"gzip"}); err != nil {
			b.Fatal(err)
		}
		for {
			if _, err := i.Read(scratch); err == io.EOF {
				break
			} else if err != nil {
				b.Fatal(err)
			}
		}
	}
}

func benchmarkEcho(b *testing.B, address net.Addr, size int) {
	request := []byte(header("GetItem", size) + strings.Repeat("x", size))
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		conn, err := net.Dial("tcp", address.String())
		if err != nil {
			b.Error(err)
			return
		}
		defer conn.Close()
		buf := make([]byte, 128<<10)
		for pb.Next() {
			if _, err := conn.Write(request); err != nil {
				b.Error(err)
				return
			}
			got := 0
			for want := -1; want < 0 || got < want; {
				n, err := conn.Read(buf[got:])
				if err != nil {
					b.Error(err)
					return
				}
				got += n
				if end := strings.Index(string(buf[:min(got, 1024)]), "\r\n\r\n"); end >= 0 && want < 0 {
					want = end + 4 + size
				}
			}
		}
	})
}
