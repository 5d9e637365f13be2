// SPDX-License-Identifier: Apache-2.0

package dynamohttp

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// echo answers with the request.
type echo struct{}

func (echo) Do(_ context.Context, _ string, body, dst []byte) ([]byte, error) {
	return append(dst, body...), nil
}

// echoHandler is the least that a net/http handler can do with a body.
func echoHandler(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", typeJSON)
	_, _ = w.Write(body)
}

// BenchmarkEcho sends 1 KiB there and back over TCP, through the door and through a bare handler. The client is as lean as can be and
// counts in both.
func BenchmarkEcho(b *testing.B) {
	for _, size := range []int{200, 1024, 65536} {
		b.Run(fmt.Sprintf("size=%d/door", size), func(b *testing.B) {
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
