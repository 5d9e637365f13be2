// SPDX-License-Identifier: Apache-2.0

package hbasethrift

import (
	"bytes"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"time"
)

// logged is a log that several goroutines write.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// TestNativeClients checks that clients of HBase's native RPC are turned away, and that the log says once what to do.
func TestNativeClients(t *testing.T) {
	var log logged
	_, addr := serve(t, Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	for range 3 {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.SetDeadline(time.Now().Add(time.Minute))
		if _, err := conn.Write([]byte("HBas\x00\x50")); err != nil {
			t.Fatal(err)
		}
		if answer, err := io.ReadAll(conn); err != nil && !strings.Contains(err.Error(), "reset") || len(answer) > 0 {
			t.Errorf("the answer is %q, %v", answer, err)
		}
		if err := conn.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(log.String(), "ThriftConnection"); n != 1 {
		t.Errorf("the log says %d times what to do:\n%s", n, log.String())
	}
}
