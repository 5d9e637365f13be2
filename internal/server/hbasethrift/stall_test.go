// SPDX-License-Identifier: Apache-2.0

package hbasethrift

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"runtime"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/resource/memory"
)

// strangers is the number of clients that do nobody any good at once.
const strangers = 12

// framed is the head of a framed message that says to have so many bytes.
func framed(n int, call string) []byte {
	head := binary.BigEndian.AppendUint32(nil, uint32(n))
	head = append(head, 0x80, 1, 0, 1)
	return append(append(binary.BigEndian.AppendUint32(head, uint32(len(call))), call...), 0, 0, 0, 1)
}

// TestStrangers: of those who may not come in no more is read than which call they make, however much they send.
func TestStrangers(t *testing.T) {
	signIn := func(_ context.Context, user, _, _ string) (string, error) {
		if user == "" {
			return "", errors.New("sign in")
		}
		return user, nil
	}
	budget := memory.New(1 << 20)
	_, addr := serve(t, Options{SignIn: signIn, Memory: NewMemory(budget), TransferGrace: time.Hour,
		IdleTimeout: time.Hour, HeaderTimeout: time.Minute})
	for _, head := range [][]byte{framed(16<<20, "get"), framed(16<<20, "get")[4:]} {
		for range strangers {
			conn, err := net.Dial("tcp", addr)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			go func() { _, _ = conn.Write(append(head, make([]byte, 9<<20)...)) }() // it is cut off before the end
			answer := make([]byte, 512)
			n, err := io.ReadAtLeast(conn, answer, len(head)+len("sign in"))
			if err != nil || !bytes.Contains(answer[:n], []byte("sign in")) {
				t.Fatalf("a stranger is told %q, %v", answer[:n], err)
			}
		}
	}
	if used, refused := budget.Used(), budget.Refused(); used != 0 || refused != 0 {
		t.Errorf("strangers hold %d bytes, and somebody found none %d times", used, refused)
	}
	client := connect(t, addr, "http binary", Two)
	client.exchange = func(message []byte) ([]byte, error) { return post(addr, "ann", message) }
	if _, err := client.call("get", getOf("t", "r")); err != nil {
		t.Error(err)
	}
}

// patient are options under which slow clients have all the time, and nobody else is refused for want of memory before
// they gave way.
func patient() Options {
	return Options{Memory: NewMemory(memory.New(24 << 20)), WaitMax: time.Minute, TransferGrace: time.Hour,
		IdleTimeout: time.Hour, HeaderTimeout: time.Hour}
}

// waitFull returns when there is not room for a call of n bytes any more.
func waitFull(of *memory.Budget, n int64) {
	for of.Used() < of.Limit()-n {
		runtime.Gosched()
	}
}

// putLong puts a value that takes a good part of the memory.
func putLong(t *testing.T, addr string) {
	t.Helper()
	long := putOf("t", "long", cellOf("f", "q", string(make([]byte, 2<<20))))
	if _, err := connect(t, addr, "framed binary", Two).call("put", long); err != nil {
		t.Fatal(err)
	}
}

// TestSlowSenders: clients that send a part of a long message and stop hold nobody up, whatever way they take.
func TestSlowSenders(t *testing.T) {
	for name, head := range map[string][]byte{
		"framed": framed(2<<20, "get"), "unframed": append(framed(0, "get")[4:], "\x0b\x00\x01\x00\xf0\x00\x00"...),
		"http":    []byte("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2000000\r\n\r\n"),
		"chunked": []byte("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n200000\r\n"),
	} {
		t.Run(name, func(t *testing.T) {
			o := patient()
			_, addr := serve(t, o)
			for range strangers {
				conn, err := net.Dial("tcp", addr)
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				go func() { _, _ = conn.Write(append(head, make([]byte, 1<<20)...)) }()
			}
			waitFull(o.Memory.budget, 9<<20)
			putLong(t, addr)
		})
	}
}

// TestSlowReaders: the same of clients that ask for long answers and don't take them.
func TestSlowReaders(t *testing.T) {
	o := patient()
	s, addr := serve(t, o)
	putLong(t, addr)
	args := append(framed(0, "get")[4:],
		"\x0b\x00\x01\x00\x00\x00\x01t\x0c\x00\x02\x0b\x00\x01\x00\x00\x00\x04long\x00\x00"...)
	for range strangers {
		ours, theirs := net.Pipe()
		defer theirs.Close()
		s.accept(ours)
		go func() { _, _ = theirs.Write(args) }()
	}
	waitFull(o.Memory.budget, 9<<20)
	putLong(t, addr)
}
