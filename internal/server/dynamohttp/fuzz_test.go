// SPDX-License-Identifier: Apache-2.0

package dynamohttp

import (
	"bytes"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// FuzzFraming sends any bytes. The server answers or hangs up; it meets no bug of its own, and gives all memory back.
func FuzzFraming(f *testing.F) {
	chunked := "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: " + typeJSON + "\r\nX-Amz-Target: " + "DynamoDB_20120810." +
		"GetItem\r\nTransfer-Encoding: chunked\r\n"
	for _, seed := range []string{
		header("GetItem", 2) + "{}",
		header("GetItem", 2) + "{}" + header("PutItem", 3) + "{ }",
		header("Nothing", 2) + "{}",
		header("GetItem", 900) + strings.Repeat("x", 900),
		"GET / HTTP/1.0\r\n\r\n",
		chunked + "\r\n2\r\n{}\r\n0\r\n\r\n",
		chunked + "Trailer: x\r\n\r\nffffffffffffffff\r\n{}\r\n0\r\nx: y\r\n\r\n",
		chunked + "Content-Encoding: gzip\r\nExpect: 100-continue\r\n\r\n3\r\n\x1f\x8b\x08\r\n0\r\n\r\n",
		"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n",
	} {
		f.Add([]byte(seed))
	}
	var log guarded
	listener := newPipes()
	s := serveOn(f, Options{API: newFakeAPI(), BodyBytesMax: 1000, HeaderTimeout: 50 * time.Millisecond,
		TransferGrace: 50 * time.Millisecond,
		Logger:        slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelError}))}, listener)
	f.Fuzz(func(t *testing.T, sent []byte) {
		if bytes.Contains(sent, []byte("block")) || bytes.Contains(sent, []byte("panic")) ||
			bytes.Contains(sent, []byte("length ")) {
			return // the API of this test would do as it is told
		}
		client, gone := listener.dial()
		go func() { _, _ = io.Copy(io.Discard, client) }()
		_, _ = client.Write(sent) // fails if the server hangs up
		_ = client.Close()
		<-gone
		if text := log.take(); strings.Contains(text, "a bug ended") {
			t.Fatal(text)
		}
		s.memory.mu.Lock()
		defer s.memory.mu.Unlock()
		if s.memory.used != 0 {
			t.Fatalf("%d bytes of memory were not given back", s.memory.used)
		}
	})
}
