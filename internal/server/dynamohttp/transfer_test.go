// SPDX-License-Identifier: Apache-2.0

package dynamohttp

import (
	"bufio"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"
)

// slowClients is the number of clients that are slow at once. Together they ask for several times the memory that there
// is.
const slowClients = 12

// patient are options under which slow clients have all the time, and nobody else is refused for want of memory before
// they gave way.
func patient() Options {
	return Options{API: newFakeAPI(), MemoryBytes: 16 << 20, WaitMax: time.Minute, TransferGrace: time.Hour}
}

// ask sends a request whose body is text and returns the status of the answer, which it reads to the end.
func ask(t *testing.T, listener *pipes, operation, text string) int {
	t.Helper()
	client, _ := listener.dial()
	defer client.Close()
	go func() { _, _ = io.WriteString(client, header(operation, len(text))+text) }()
	reply, err := http.ReadResponse(bufio.NewReader(client), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	if _, err := io.Copy(io.Discard, reply.Body); err != nil {
		t.Fatal(err)
	}
	return reply.StatusCode
}

// waitFull returns when large requests have taken all the memory that they may have, but for what none of them could
// use.
func waitFull(s *Server) {
	for {
		s.large.mu.Lock()
		full := len(s.large.line) > 0 || s.large.used > s.large.limit-largeBytes
		s.large.mu.Unlock()
		if full {
			return
		}
		runtime.Gosched()
	}
}

// TestSlowSenders: clients that send half of a long body and stop hold nobody up. A small request is answered while
// they hold what they have, and a large one takes their place.
func TestSlowSenders(t *testing.T) {
	listener := newPipes()
	s := serveOn(t, patient(), listener)
	for range slowClients {
		client, _ := listener.dial()
		defer client.Close()
		go func() { _, _ = io.Copy(io.Discard, client) }()
		go func() { _, _ = io.WriteString(client, header("PutItem", 5<<20)+strings.Repeat("x", 3<<20)) }()
	}
	waitFull(s)
	if status := ask(t, listener, "GetItem", "{}"); status != http.StatusOK {
		t.Errorf("a small request gets %d", status)
	}
	if status := ask(t, listener, "PutItem", strings.Repeat("x", 5<<20)); status != http.StatusOK {
		t.Errorf("a large request gets %d", status)
	}
}

// TestSlowReaders: the same of clients that ask for long answers and don't take them.
func TestSlowReaders(t *testing.T) {
	listener := newPipes()
	s := serveOn(t, patient(), listener)
	s.operations["BatchGetItem"].answerBytes.Store(3 << 20)
	for range slowClients {
		client, _ := listener.dial()
		defer client.Close()
		go func() { _, _ = io.WriteString(client, header("BatchGetItem", 14)+"length 3000000") }()
	}
	waitFull(s)
	if status := ask(t, listener, "GetItem", "{}"); status != http.StatusOK {
		t.Errorf("a small request gets %d", status)
	}
	if status := ask(t, listener, "BatchGetItem", "length 3000000"); status != http.StatusOK {
		t.Errorf("a large request gets %d", status)
	}
}

// TestNothingIsHeldForABodyThatDoesNotCome: the room for a long answer is taken when the request has come.
func TestNothingIsHeldForABodyThatDoesNotCome(t *testing.T) {
	listener := newPipes()
	s := serveOn(t, patient(), listener)
	s.operations["BatchGetItem"].answerBytes.Store(8 << 20)
	for range slowClients {
		client, _ := listener.dial()
		defer client.Close()
		if _, err := io.WriteString(client, header("BatchGetItem", 10)+"five5"); err != nil {
			t.Fatal(err)
		}
	}
	s.memory.mu.Lock()
	used := s.memory.used
	s.memory.mu.Unlock()
	if used > slowClients*(overheadBytes+answerBytesKept) {
		t.Errorf("%d bytes are held", used)
	}
}
