// SPDX-License-Identifier: Apache-2.0

package mysqlwire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/resource/memory"
	"github.com/weftdb/weft/internal/server/mysqlwire/packet"
)

// waitForNone waits until the server has no connection left.
func waitForNone(t *testing.T, s *Server) {
	t.Helper()
	if !s.waitFor(time.Minute) {
		t.Fatalf("a connection that should have ended is still there: %+v", s.Processes())
	}
}

// TestTimeouts lets clients stop at each point where the server waits for them: it closes the connection.
func TestTimeouts(t *testing.T) {
	const brief = time.Millisecond
	half := []byte{100, 0, 0, 0, packet.ComQuery}
	for _, c := range []struct {
		name    string
		options Options
		act     func(t *testing.T, r *raw)
	}{
		{"before the login", Options{LoginTimeout: brief},
			func(_ *testing.T, r *raw) { _, _ = io.Copy(io.Discard, r.in) }},
		{"in the login", Options{LoginTimeout: brief}, func(_ *testing.T, r *raw) {
			_, _ = r.read()
			_, _ = r.conn.Write(half)
			_, _ = io.Copy(io.Discard, r.in)
		}},
		{"idle", Options{IdleTimeout: brief},
			func(t *testing.T, r *raw) { enterRaw(t, r); _, _ = io.Copy(io.Discard, r.in) }},
		{"idle, as the session says", Options{}, func(t *testing.T, r *raw) {
			enterRaw(t, r)
			_ = r.command([]byte("\x03hurry"))
			_, _ = io.Copy(io.Discard, r.in)
		}},
		{"in a command", Options{ReadTimeout: brief, PacketBytesMax: 1000}, func(t *testing.T, r *raw) {
			enterRaw(t, r)
			_, _ = r.conn.Write(half)
			_, _ = io.Copy(io.Discard, r.in)
		}},
		{"reading an answer", Options{WriteTimeout: brief}, func(t *testing.T, r *raw) {
			enterRaw(t, r)
			_ = r.command([]byte("\x03rows 1000000 1000"))
		}},
		{"changing the user", Options{LoginTimeout: 100 * brief}, func(t *testing.T, r *raw) {
			enterRaw(t, r)
			_ = r.command([]byte("\x11root\x00\x00d\x00"))
			_, _ = io.Copy(io.Discard, r.in)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, listener := servePipes(t, newDialect(), c.options)
			r := newRaw(listener.dial())
			c.act(t, r)
			waitForNone(t, s)
			_ = r.conn.Close()
		})
	}
}

func enterRaw(t *testing.T, r *raw) {
	t.Helper()
	if p, err := r.logIn(packet.Offered, "root", "d", packet.PluginCaching); err != nil || p[0] != 0 {
		t.Fatalf("%q, %v", p, err)
	}
}

// TestRowsStream reads a long answer piece by piece: the statement is never further than what the connection may hold,
// so an answer's length needs no memory. A pipe holds nothing itself.
func TestRowsStream(t *testing.T) {
	const rows, rowBytes = 60_000, 1 << 10
	for _, command := range []byte{packet.ComQuery, packet.ComStmtExecute} {
		d := newDialect()
		s, listener := servePipes(t, d, Options{})
		r := enter(t, listener.dial(), packet.Offered)
		text := fmt.Sprintf("rows %d %d", rows, rowBytes)
		send := append([]byte{packet.ComQuery}, text...)
		if command == packet.ComStmtExecute {
			if _, err := r.exchange(append([]byte{packet.ComStmtPrepare}, text...)); err != nil {
				t.Fatal(err)
			}
			send = []byte("\x17\x01\x00\x00\x00\x00\x01\x00\x00\x00")
		}
		if err := r.command(send); err != nil {
			t.Fatal(err)
		}
		for i := range rows {
			if _, err := r.read(); err != nil {
				t.Fatal(i, err)
			}
			if ahead := (d.produced.Load() - int64(i)) * rowBytes; ahead > 2*flushBytes {
				t.Fatalf("the statement is %d bytes ahead of its client", ahead)
			}
		}
		for _, c := range s.all() {
			if size := cap(c.out.buffer) + len(c.in.buffer); size > keptBytesMax+bufferBytesMax {
				t.Errorf("the connection holds %d bytes", size)
			}
		}
		_ = r.conn.Close()
		waitForNone(t, s)
	}
}

// TestCursorsStream opens a cursor over a long answer: the statement waits for the client to fetch.
func TestCursorsStream(t *testing.T) {
	const rowBytes = 1 << 10
	d := newDialect()
	_, listener := servePipes(t, d, Options{CursorBytesMax: 1 << 20})
	r := enter(t, listener.dial(), packet.Offered)
	mustAnswer(t, r, []byte("\x16rows 60000 1024"), 1)
	mustAnswer(t, r, []byte("\x17\x01\x00\x00\x00\x01\x01\x00\x00\x00"), 4)
	fetched := int64(0)
	for range 100 {
		mustAnswer(t, r, []byte("\x1c\x01\x00\x00\x00\x0a\x00\x00\x00"), 11)
		fetched += 10
		if ahead := (d.produced.Load() - fetched) * rowBytes; ahead > 4*chunkBytes {
			t.Fatalf("the statement is %d bytes ahead of its client", ahead)
		}
	}
	// Another statement needs the session: what is left is more than may be held, so the cursor ends.
	mustAnswer(t, r, []byte("\x03insert"), 1)
	if ahead := (d.produced.Load() - fetched) * rowBytes; ahead > 1<<20+8*chunkBytes {
		t.Fatalf("%d bytes were made for a cursor that may hold 1 MiB", ahead)
	}
	var last []byte
	for range 10 { // the chunk at hand comes first
		answer := mustAnswer(t, r, []byte("\x1c\x01\x00\x00\x00\xff\x00\x00\x00"), -1)
		if last = answer[len(answer)-1]; last[0] == 0xff {
			break
		}
	}
	if !bytes.Contains(last, []byte("fetch them first")) {
		t.Fatalf("%q", last)
	}
}

// mustAnswer sends a command whose answer must have a number of packets, any if negative.
func mustAnswer(t *testing.T, r *raw, command []byte, count int) [][]byte {
	t.Helper()
	answer, err := r.exchange(command)
	if err != nil || (count >= 0 && len(answer) != count) {
		t.Fatalf("%.20q: %d packets, %v; the last is %.200q", command, len(answer), err,
			append(answer, nil)[max(0, len(answer)-1)])
	}
	return answer
}

// TestIdleConnectionsAreSmall measures what a connection holds that does nothing, its goroutine's stack and the
// client's side included.
func TestIdleConnectionsAreSmall(t *testing.T) {
	const count, perConnection = 200, 128 << 10
	_, listener := servePipes(t, newDialect(), Options{})
	inUse := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc + m.StackInuse
	}
	before := inUse()
	var all []*raw
	for range count {
		r := enter(t, listener.dial(), packet.Offered)
		mustAnswer(t, r, append([]byte("\x03select "), bytes.Repeat([]byte("x"), 50_000)...), -1)
		mustAnswer(t, r, append([]byte("\x03select "), bytes.Repeat([]byte("x"), 1<<20)...), -1)
		r.in = nil
		all = append(all, r)
	}
	each := (int64(inUse()) - int64(before)) / count
	if each > perConnection {
		t.Errorf("an idle connection holds %d bytes", each)
	}
	t.Logf("%d bytes for each of %d connections", each, len(all))
}

// TestLongPackets sends packets that are longer than may be: the client reads why, even if it sends all of them first.
func TestLongPackets(t *testing.T) {
	s := New(Options{Open: newDialect().open, PacketBytesMax: 1 << 20})
	listener := listen(t)
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(listener) }()
	t.Cleanup(func() { endServer(t, s, ended, newDialect()) })
	for _, size := range []int{1<<20 + 1, 8 << 20, partBytesMax} {
		conn, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		r := enter(t, conn, packet.Offered)
		long := make([]byte, size)
		long[0] = packet.ComQuery
		if err := r.command(long); err != nil {
			t.Fatal(err)
		}
		p, err := r.read()
		if err != nil || binary.LittleEndian.Uint16(p[1:]) != 1153 {
			t.Fatalf("%d bytes: %q, %v", size, p, err)
		}
		if _, err := r.read(); !errors.Is(err, io.EOF) {
			t.Fatal("the connection goes on: ", err)
		}
		_ = conn.Close()
	}
}

// TestMemoryIsShared fills the memory that long packets share: who finds no room is refused, others go on, and it is
// given back.
func TestMemoryIsShared(t *testing.T) {
	s, listener := servePipes(t, newDialect(), Options{Memory: memory.New(2 << 20)})
	first, second := enter(t, listener.dial(), packet.Offered), enter(t, listener.dial(), packet.Offered)
	header := []byte{0, 0, 12, 0, packet.ComQuery} // 768 KiB
	if _, err := first.conn.Write(append(header, make([]byte, 700<<10)...)); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = second.conn.Write(append(header, make([]byte, 12<<16-1)...)) }()
	second.sequence = 1
	p, err := second.read()
	if err != nil || p[0] != 0xff || !bytes.Contains(p, []byte("no memory left")) {
		t.Fatalf("%q, %v", p, err)
	}
	rest := make([]byte, 12<<16-1-700<<10)
	go func() { _, _ = first.conn.Write(rest) }()
	first.sequence = 1
	if p, err := first.read(); err != nil || p[0] == 0xff {
		t.Fatalf("%q, %v", p, err)
	}
	_ = first.conn.Close()
	_ = second.conn.Close()
	waitForNone(t, s)
	if left := s.memory.Used(); left != 0 {
		t.Fatalf("%d bytes are still taken", left)
	}
}

// TestOrder sends a packet with a wrong number.
func TestOrder(t *testing.T) {
	_, listener := servePipes(t, newDialect(), Options{})
	r := enter(t, listener.dial(), packet.Offered)
	go func() { _, _ = r.conn.Write([]byte{1, 0, 0, 3, packet.ComPing}) }()
	r.sequence = 4
	p, err := (&raw{in: r.in, sequence: r.sequence}).read()
	if err != nil || binary.LittleEndian.Uint16(p[1:]) != 1156 {
		t.Fatalf("%q, %v", p, err)
	}
}

// TestFailuresStayAlone ends connections in every way there is while others are at work, which must not notice.
func TestFailuresStayAlone(t *testing.T) {
	d := newDialect()
	s, listener := servePipes(t, d, Options{})
	other := enter(t, listener.dial(), packet.Offered)
	mustAnswer(t, other, []byte("\x16echo ?"), -1)
	for i, act := range []func(r *raw){
		func(r *raw) { _, _ = r.exchange([]byte("\x03panic")) },
		func(r *raw) {
			_, _ = r.exchange([]byte("\x16panic"))
			_, _ = r.exchange([]byte("\x17\x01\x00\x00\x00\x01\x01\x00\x00\x00")) // in a cursor's goroutine
		},
		func(r *raw) { _ = r.command([]byte("\x03rows 100000 1000")) }, // hangs up in the middle of an answer
		func(r *raw) { _, _ = r.conn.Write([]byte{200, 0, 0, 0, 3}) },  // in the middle of a command
		func(r *raw) {
			_, _ = r.exchange([]byte("\x16rows 100000 1000"))
			_, _ = r.exchange([]byte("\x17\x01\x00\x00\x00\x01\x01\x00\x00\x00")) // with an open cursor
		},
		func(r *raw) { _, _ = r.exchange([]byte("\x03begin")) },
	} {
		r := newRaw(listener.dial())
		enterRaw(t, r)
		act(r)
		_ = r.conn.Close()
		answer := mustAnswer(t, other, []byte(
			"\x17\x01\x00\x00\x00\x00\x01\x00\x00\x00\x00\x01\x08\x00\x05\x00\x00\x00\x00\x00\x00\x00"), -1)
		if !bytes.Contains(answer[len(answer)-2], []byte("5")) {
			t.Fatalf("after %d: %q", i, answer)
		}
	}
	_ = other.conn.Close()
	waitForNone(t, s)
}
