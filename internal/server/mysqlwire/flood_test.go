// SPDX-License-Identifier: Apache-2.0

package mysqlwire

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/resource/memory"
	"github.com/weftdb/weft/internal/server/mysqlwire/packet"
	"github.com/weftdb/weft/internal/testing/rounds"
)

// panics counts what a server logs at level error: a flood must bring none.
type panics struct{ count atomic.Int64 }

func (p *panics) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelError }
func (p *panics) Handle(context.Context, slog.Record) error        { p.count.Add(1); return nil }
func (p *panics) WithAttrs([]slog.Attr) slog.Handler               { return p }
func (p *panics) WithGroup(string) slog.Handler                    { return p }

// commandSeeds are commands as clients send them, for floods and for fuzzing.
func commandSeeds() [][]byte {
	text := func(command byte, rest string) []byte { return append([]byte{command}, rest...) }
	return [][]byte{
		text(packet.ComQuery, "select a; insert; rows 3 10"), text(packet.ComQuery, "types"),
		text(packet.ComQuery, "fail"), text(packet.ComInitDB, "other"),
		text(packet.ComFieldList, "t\x00%"), {packet.ComPing}, {packet.ComStatistics}, {packet.ComProcessInfo},
		{packet.ComProcessKill, 0xff, 0xff, 0xff, 0xff},
		{packet.ComDebug}, {packet.ComSetOption, 0, 0}, {packet.ComResetConnection},
		text(packet.ComStmtPrepare, "echo ? ? ?"),
		text(packet.ComStmtPrepare, "rows 3 10"), text(packet.ComStmtExecute, "\x01\x00\x00\x00\x00\x01\x00\x00\x00"),
		text(packet.ComStmtExecute, "\x01\x00\x00\x00\x00\x01\x00\x00\x00\x00\x01\x08\x00\xfd\x00\xf6\x00\x05\x00\x00\x00\x00\x00\x00\x00\x03abc\x041.50"),
		text(packet.ComStmtExecute, "\x01\x00\x00\x00\x01\x01\x00\x00\x00\x00\x01\x0c\x00\x0b\x00\x05\x00\x04\xe8\x07\x02\x1d\x08\x00\x01\x00\x00\x00\x02\x03\x04\x00\x00\x00\x00\x00\x00\xf8\x3f"),
		text(packet.ComStmtExecute, "\x02\x00\x00\x00\x01\x01\x00\x00\x00"),
		text(packet.ComStmtFetch, "\x02\x00\x00\x00\x02\x00\x00\x00"),
		text(packet.ComStmtSendLong, "\x01\x00\x00\x00\x01\x00long data"),
		text(packet.ComStmtReset, "\x01\x00\x00\x00"), text(packet.ComStmtClose, "\x01\x00\x00\x00"),
		text(packet.ComChangeUser, "root\x00\x00d\x00\x2d\x00mysql_native_password\x00\x04\x01a\x01b"),
	}
}

// loginSeeds are logins as clients send them.
func loginSeeds() [][]byte {
	attributes := "\x1a\x0c_client_name\x0c_client_name"
	return [][]byte{
		login(packet.Offered, "root", "d", packet.PluginCaching),
		append(login(packet.Offered, "root", "d", packet.PluginNative), attributes...),
		login(packet.ClientProtocol41, "root", "", ""), login(packet.Offered|packet.ClientSSL, "", "", "")[:32],
	}
}

// mangle makes a malformed packet, its header included, of one that is right.
func mangle(r *rand.Rand, payload []byte, sequence byte) []byte {
	p := bytes.Clone(payload)
	for range 1 + r.IntN(3) {
		switch at := r.IntN(len(p) + 1); r.IntN(5) {
		case 0:
			p = p[:at]
		case 1:
			p = append(p[:at:at], append(make([]byte, r.IntN(40)), p[at:]...)...)
		case 2:
			p = append(p, []byte{0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}...)
		default:
			if at < len(p) {
				p[at] = []byte{0, 1, 0x7f, 0x80, 0xfb, 0xfc, 0xfd, 0xfe, 0xff, byte(r.Uint32())}[r.IntN(10)]
			}
		}
	}
	if len(p) > 0 && p[0] == packet.ComQuit {
		p[0] = packet.ComPing
	}
	length := len(p)
	switch r.IntN(50) {
	case 0:
		length = r.IntN(1 << 24)
	case 1:
		sequence++
	}
	return append([]byte{byte(length), byte(length >> 8), byte(length >> 16), sequence}, p...)
}

// attack sends malformed packets on one connection after another, at most count of them, and logs in first if inside is
// set. Between two packets it never waits for an answer.
func attack(r *rand.Rand, listener *pipes, inside bool, count int) {
	seeds := loginSeeds()
	if inside {
		seeds = commandSeeds()
	}
	for count > 0 {
		conn := listener.dial()
		c := newRaw(conn)
		if inside {
			if _, err := c.logIn(packet.Offered, "attacker", "d", packet.PluginCaching); err != nil {
				_ = conn.Close()
				continue
			}
		}
		drained := make(chan struct{})
		go func() {
			defer close(drained)
			_, _ = io.Copy(io.Discard, c.in)
		}()
		for perConnection := 200; perConnection > 0 && count > 0; perConnection-- {
			count--
			var sequence byte
			if !inside {
				sequence = byte(200 - perConnection + 1)
			}
			if _, err := conn.Write(mangle(r, seeds[r.IntN(len(seeds))], sequence)); err != nil {
				break
			}
		}
		_ = conn.Close()
		<-drained
	}
}

// TestFlood sends 100,000 malformed packets (a tenth of them under the race detector), half of them to be logged in
// with, half of them as commands. No connection panics, another session is served all the time, and no memory is left
// taken.
func TestFlood(t *testing.T) {
	seed := rounds.Seed(t)
	packets := rounds.Of(t, 20_000)
	log := new(panics)
	// who may kill none but their own connections
	anyone := func(string) (Verifier, bool) { return VerifierOf(""), true }
	s, listener := servePipes(t, newDialect(),
		Options{Logger: slog.New(log), Memory: memory.New(8 << 20), PacketBytesMax: 4 << 20, StatementsMax: 8,
			Authenticate: anyone})
	listener.timeless = true
	other := enter(t, listener.dial(), packet.Offered)
	before := heap()
	done := make(chan struct{})
	go func() {
		defer close(done)
		attack(rand.New(rand.NewPCG(seed, 0)), listener, false, packets)
		attack(rand.New(rand.NewPCG(seed, 1)), listener, true, packets)
	}()
	peak, rounds := uint64(0), 0
	for attacked := true; attacked; rounds++ {
		select {
		case <-done:
			attacked = false
		default:
		}
		answer, err := other.exchange([]byte("\x03select a"))
		if err != nil || len(answer) != 4 || string(answer[2]) != "\x01a" {
			t.Fatalf("another session was answered %q, %v", answer, err)
		}
		if rounds%1000 == 0 {
			peak = max(peak, heap())
		}
	}
	if n := log.count.Load(); n > 0 {
		t.Errorf("%d errors were logged", n)
	}
	for len(s.Processes()) > 1 { // the last connections end when they notice
		runtime.Gosched()
	}
	if left := s.memory.Used(); left != 0 {
		t.Errorf("%d bytes of the shared memory are still taken", left)
	}
	if grown := int64(max(peak, heap())) - int64(before); grown > 16<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
	t.Logf("%d rounds of the other session", rounds)
}

// heap is the number of bytes that are in use, after what is not was collected.
func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// fuzzServer is a server whose connections see what a fuzzer makes up.
func fuzzServer(f *testing.F) (*panics, *pipes) {
	log := new(panics)
	_, listener := servePipes(f, newDialect(),
		Options{Logger: slog.New(log), Memory: memory.New(8 << 20), PacketBytesMax: 1 << 20})
	return log, listener
}

// send writes what a fuzzer made up and reads what comes back, until the server has nothing more to say.
func send(t *testing.T, conn net.Conn, in io.Reader, p []byte, log *panics) {
	t.Helper()
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		_, _ = io.Copy(io.Discard, in)
	}()
	_, _ = conn.Write(p)
	_ = conn.Close()
	<-drained
	if log.count.Load() > 0 {
		t.Fatal("the connection panicked")
	}
}

func FuzzHandshake(f *testing.F) {
	for _, seed := range loginSeeds() {
		f.Add(append([]byte{byte(len(seed)), 0, 0, 1}, seed...))
	}
	log, listener := fuzzServer(f)
	f.Fuzz(func(t *testing.T, p []byte) {
		conn := listener.dial()
		_ = conn.SetDeadline(time.Now().Add(time.Minute))
		send(t, conn, conn, p, log)
	})
}

func FuzzCommands(f *testing.F) {
	for _, seed := range commandSeeds() {
		f.Add(append([]byte{byte(len(seed)), 0, 0, 0}, seed...))
	}
	log, listener := fuzzServer(f)
	f.Fuzz(func(t *testing.T, p []byte) {
		if bytes.Contains(p, []byte("panic")) || bytes.Contains(p, []byte("sleep")) ||
			bytes.Contains(p, []byte("rows")) && len(p) > 40 {
			return // the scripted dialect would do so
		}
		r := enter(t, listener.dial(), packet.Offered)
		for i, seed := range [][]byte{[]byte("\x16echo ? ? ?"), []byte("\x16types")} {
			if _, err := r.exchange(seed); err != nil {
				t.Fatal(i, err)
			}
		}
		send(t, r.conn, r.in, p, log)
	})
}
