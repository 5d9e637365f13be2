// SPDX-License-Identifier: Apache-2.0

package console

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// TestSlowReaders: clients that ask for /metrics and don't take the answer keep nobody else from reading it.
func TestSlowReaders(t *testing.T) {
	registry := prometheus.NewRegistry()
	many := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "many", Help: "Fills more than sockets hold."},
		[]string{"n"})
	registry.MustRegister(many)
	for i := range 10_000 {
		many.WithLabelValues(strconv.Itoa(i) + strings.Repeat(" and more", 100)).Set(1)
	}
	server := httptest.NewServer(Handler(Options{Metrics: registry, Ready: func() error { return nil }}))
	t.Cleanup(server.CloseClientConnections)
	for range 2 * scrapesMax {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		// Its answer has begun, so its slot is taken, or is free again.
		for begun := make([]byte, 1); ; {
			if n, err := conn.Read(begun); n == 1 {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
	}
	reply, err := http.Get(server.URL + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	if n, err := io.Copy(io.Discard, reply.Body); err != nil || reply.StatusCode != http.StatusOK || n < 5<<20 {
		t.Errorf("status %d, %d bytes, %v", reply.StatusCode, n, err)
	}
}
