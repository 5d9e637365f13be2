// SPDX-License-Identifier: Apache-2.0

package mysqlwire

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/server/mysqlwire/packet"
)

// pipes is a listener whose connections are pipes in memory: nothing is buffered between the two ends, and they are
// many times faster to make than those of TCP.
type pipes struct {
	made     chan net.Conn
	done     chan struct{}
	once     sync.Once
	timeless bool // the connections ignore deadlines
}

func newPipes() *pipes { return &pipes{made: make(chan net.Conn), done: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.made:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.done) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }

// timeless is one end of a pipe without deadlines: a pipe's timers would hold it long after its end.
type timeless struct{ net.Conn }

func (timeless) SetDeadline(time.Time) error      { return nil }
func (timeless) SetReadDeadline(time.Time) error  { return nil }
func (timeless) SetWriteDeadline(time.Time) error { return nil }

// dial makes a connection.
func (p *pipes) dial() net.Conn {
	client, server := net.Pipe()
	if p.timeless {
		client, server = timeless{client}, timeless{server}
	}
	select {
	case p.made <- server:
	case <-p.done:
		_ = server.Close()
	}
	return client
}

// raw is a client that sends what a test wants.
type raw struct {
	conn     net.Conn
	in       *bufio.Reader
	sequence byte
}

func newRaw(conn net.Conn) *raw { return &raw{conn: conn, in: bufio.NewReader(conn)} }

// read reads one part of a packet.
func (r *raw) read() ([]byte, error) {
	var header [headerBytes]byte
	if _, err := io.ReadFull(r.in, header[:]); err != nil {
		return nil, err
	}
	if header[3] != r.sequence {
		return nil, fmt.Errorf("packet %d arrived as number %d", header[3], r.sequence)
	}
	r.sequence++
	payload := make([]byte, int(header[0])|int(header[1])<<8|int(header[2])<<16)
	_, err := io.ReadFull(r.in, payload)
	return payload, err
}

// write sends a packet of one part.
func (r *raw) write(payload []byte) error {
	b := append([]byte{byte(len(payload)), byte(len(payload) >> 8), byte(len(payload) >> 16), r.sequence}, payload...)
	r.sequence++
	_, err := r.conn.Write(b)
	return err
}

// command sends a packet that begins an exchange.
func (r *raw) command(payload []byte) error {
	r.sequence = 0
	return r.write(payload)
}

// login is a client's answer to the greeting, without a password.
func login(capabilities uint32, user, database, plugin string) []byte {
	b := binary.LittleEndian.AppendUint32(nil, capabilities)
	b = binary.LittleEndian.AppendUint32(b, 1<<24)
	b = append(append(b, 45), make([]byte, 23)...)
	b = append(append(b, user...), 0, 0)
	if capabilities&packet.ClientConnectWithDB != 0 {
		b = append(append(b, database...), 0)
	}
	if capabilities&packet.ClientPluginAuth != 0 {
		b = append(append(b, plugin...), 0)
	}
	return b
}

// logIn goes through the login to its last packet, which it returns.
func (r *raw) logIn(capabilities uint32, user, database, plugin string) ([]byte, error) {
	greeting, err := r.read()
	if err != nil {
		return nil, err
	}
	if greeting[0] == 0xff {
		return greeting, nil
	}
	if err := r.write(login(capabilities, user, database, plugin)); err != nil {
		return nil, err
	}
	for {
		answer, err := r.read()
		if err != nil || answer[0] == 0 || answer[0] == 0xff {
			return answer, err
		}
		if answer[0] == 0xfe { // asked again with another plugin: the password is still empty
			if err := r.write(nil); err != nil {
				return nil, err
			}
		}
	}
}

// sentinel is a command whose answer looks like no other's.
var sentinel = []byte{packet.ComStatistics}

// exchange sends a command and returns all that it is answered, which ends where the answer of the next command begins.
func (r *raw) exchange(payload []byte) (answer [][]byte, err error) {
	if err := r.command(payload); err != nil {
		return nil, err
	}
	failed := make(chan error, 1)
	go func() { failed <- (&raw{conn: r.conn}).command(sentinel) }() // a pipe's two ends must not both write
	defer func() { <-failed }()
	for {
		p, err := r.read()
		if err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) {
				err = io.EOF
			}
			return answer, err
		}
		if strings.HasPrefix(string(p), "Uptime: ") {
			return answer, nil
		}
		answer = append(answer, p)
		if b, err := r.in.Peek(headerBytes); err == nil && b[3] == 1 && r.sequence != 1 {
			r.sequence = 1 // the next answer's
		}
	}
}

// show writes a packet for people: the i-th of those that answer a command.
func show(p []byte, i int, command byte, capabilities uint32) string {
	c := packet.Cutter{Rest: p}
	switch first := c.Uint8(); {
	case len(p) == 0:
		return "empty"
	case first == 0xff && capabilities&packet.ClientProtocol41 != 0:
		return fmt.Sprintf("error %d %s %s", c.Uint16(), c.Take(6), c.Rest)
	case first == 0xff:
		return fmt.Sprintf("error %d %s", c.Uint16(), c.Rest)
	case first == 0xfe && len(p) == 5:
		return fmt.Sprintf("end warnings=%d status=%04x", c.Uint16(), c.Uint16())
	case first == 0xfe && len(p) > 20:
		return fmt.Sprintf("switch %q and %d bytes", c.UntilNul(), len(c.Rest))
	case first == 0 && command == packet.ComStmtPrepare:
		return fmt.Sprintf("prepared id=%d columns=%d parameters=%d", c.Uint32(), c.Uint16(), c.Uint16())
	case first == 0 && i > 0 && command == packet.ComStmtExecute, first == 0 && command == packet.ComStmtFetch:
		return fmt.Sprintf("row %q", p)
	case first == 0 || first == 0xfe:
		return fmt.Sprintf("ok %02x affected=%d id=%d status=%04x warnings=%d %q", first, c.Length(), c.Length(),
			c.Uint16(), c.Uint16(), c.Rest)
	case first == 3 && strings.HasPrefix(string(p), "\x03def"):
		return showColumn(p)
	}
	return fmt.Sprintf("%q", p)
}

func showColumn(p []byte) string {
	c := packet.Cutter{Rest: p}
	c.Text()
	database, table, original, name := c.Text(), c.Text(), c.Text(), c.Text()
	c.Text()
	c.Uint8()
	return fmt.Sprintf("column %q of %q.%q (%q) charset=%d length=%d type=%02x flags=%04x decimals=%d %q", name,
		database, table, original, c.Uint16(), c.Uint32(),
		c.Uint8(), c.Uint16(), c.Uint8(), c.Rest)
}

// servePipes starts a server on pipes, and ends it with the test.
func servePipes(t testing.TB, d *dialect, o Options) (*Server, *pipes) {
	t.Helper()
	if o.Open == nil {
		o.Open = d.open
	}
	s, listener := New(o), newPipes()
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(listener) }()
	t.Cleanup(func() { endServer(t, s, ended, d) })
	return s, listener
}

// enter logs a raw client in.
func enter(t testing.TB, conn net.Conn, capabilities uint32) *raw {
	t.Helper()
	r := newRaw(conn)
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if p, err := r.logIn(capabilities, "root", "d", packet.PluginCaching); err != nil || p[0] != 0 {
		t.Fatalf("%q, %v", p, err)
	}
	return r
}
