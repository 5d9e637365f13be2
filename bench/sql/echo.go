// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/weftdb/weft/bench/loadgen"
	"github.com/weftdb/weft/bench/sqlpeer"
	"github.com/weftdb/weft/internal/server/mysqlwire/packet"
)

// echoServer answers sysbench's statements without a database: rows from memory, and for each commit 400 bytes in a log
// that is synced, by one sync for all that wait. So its rate is the most that a server written in Go reaches on the
// machine; it shows how much of a figure is protocol, disk and client.
type echoServer struct{ log *groupLog }

// echoArgument makes this program the echo server: echo ADDRESS FILE.
const echoArgument = "echo"

// openEcho starts the server in a process of its own.
func openEcho(ctx context.Context, c *config, name string) (*peer, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	address, err := loadgen.FreeAddress()
	if err != nil {
		return nil, err
	}
	server, err := sqlpeer.Start(ctx, exec.Command(self, echoArgument, address, filepath.Join(c.Dir, name+".log")),
		address)
	return &peer{server, name, c}, err
}

// serveEcho serves until the process is ended.
func serveEcho(address, path string) error {
	log, err := newGroupLog(path)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	for {
		conn, err := listener.Accept()
		if err != nil {
			return err
		}
		go (&echoConn{server: &echoServer{log}, conn: conn, reader: bufio.NewReaderSize(conn, 16<<10)}).serve()
	}
}

// echoConn is one connection.
type echoConn struct {
	server      *echoServer
	conn        net.Conn
	reader      *bufio.Reader
	header      [4]byte
	request     []byte
	answer      []byte
	sequence    byte // of the next packet
	endsAsOK    bool // the client wants no EOF packets
	transaction bool
	wrote       bool // the transaction did
	statements  []echoStatement
}

// echoStatement is the echo server's prepared statement.
type echoStatement struct {
	rows   int // that it answers
	writes bool
	begins bool
	ends   bool
}

// endPacket begins the packet that ends a list.
const endPacket = 0xfe

const echoCapabilities = packet.Offered &^ (packet.ClientSessionTrack | packet.ClientMultiStatements)

func (c *echoConn) serve() {
	defer func() { _ = c.conn.Close() }() // the client has gone
	err := c.signIn()
	for err == nil {
		if err = c.read(); err != nil || len(c.request) == 0 || c.request[0] == packet.ComQuit {
			break
		}
		c.answer, c.sequence = c.answer[:0], 1
		if err = c.handle(); err == nil && len(c.answer) > 0 {
			_, err = c.conn.Write(c.answer)
		}
	}
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, net.ErrClosed) {
		fmt.Fprintln(os.Stderr, "echo:", err)
	}
}

// signIn lets everybody in, by the plugin that needs no second answer.
func (c *echoConn) signIn() error {
	nonce := packet.Nonce([]byte("abcdefghijklmnopqrst"))
	if err := c.greet(packet.AppendGreeting(nil, "8.0.0-echo", 1, nonce, echoCapabilities)); err != nil {
		return err
	}
	asked, ok := packet.CutLogin(c.request, echoCapabilities)
	if !ok {
		return errors.New("this is not a login")
	}
	c.endsAsOK = asked.Capabilities&packet.ClientDeprecateEOF != 0
	if err := c.greet(packet.AppendSwitch(nil, packet.PluginNative, nonce)); err != nil {
		return err
	}
	c.answer, c.sequence = c.answer[:0], c.header[3]+1
	c.addOK(0)
	_, err := c.conn.Write(c.answer)
	return err
}

// greet sends a packet of the login and reads the answer.
func (c *echoConn) greet(payload []byte) error {
	if len(c.request) > 0 {
		c.sequence = c.header[3] + 1
	}
	c.answer = c.answer[:0]
	c.add(payload...)
	if _, err := c.conn.Write(c.answer); err != nil {
		return err
	}
	return c.read()
}

func (c *echoConn) read() error {
	if _, err := io.ReadFull(c.reader, c.header[:]); err != nil {
		return err
	}
	n := int(c.header[0]) | int(c.header[1])<<8 | int(c.header[2])<<16
	c.request = append(c.request[:0], make([]byte, n)...)
	_, err := io.ReadFull(c.reader, c.request)
	return err
}

// handle appends the answer to a request.
func (c *echoConn) handle() error {
	switch c.request[0] {
	case packet.ComStmtPrepare:
		c.prepare(string(c.request[1:]))
		return nil
	case packet.ComStmtClose:
		return nil
	case packet.ComStmtExecute:
		if len(c.request) < 5 {
			return io.ErrUnexpectedEOF
		}
		id := int(binary.LittleEndian.Uint32(c.request[1:]))
		if id < 1 || id > len(c.statements) {
			return fmt.Errorf("statement %d was not prepared", id)
		}
		return c.execute(c.statements[id-1])
	}
	if s := echoStatementOf(string(c.request[1:])); s.writes {
		return c.execute(s)
	}
	c.addOK(0)
	return nil
}

// echoStatementOf tells sysbench's statements from each other.
func echoStatementOf(text string) (s echoStatement) {
	verb, _, _ := strings.Cut(text, " ")
	switch verb {
	case "SELECT":
		s.rows = 1
		if strings.Contains(text, "BETWEEN") && !strings.Contains(text, "SUM(") {
			s.rows = rangeRows
		}
	case "INSERT", "UPDATE", "DELETE":
		s.writes = true
	case "BEGIN":
		s.begins = true
	case "COMMIT":
		s.ends = true
	}
	return s
}

func (c *echoConn) prepare(text string) {
	parameters, s := strings.Count(text, "?"), echoStatementOf(text)
	c.statements = append(c.statements, s)
	columns := min(s.rows, 1)
	head := binary.LittleEndian.AppendUint32([]byte{0}, uint32(len(c.statements)))
	head = binary.LittleEndian.AppendUint16(head, uint16(columns))
	c.add(append(binary.LittleEndian.AppendUint16(head, uint16(parameters)), 0, 0, 0)...)
	for _, n := range []int{parameters, columns} {
		for range n {
			c.add(echoColumn...)
		}
		if n > 0 && !c.endsAsOK {
			c.addEnd()
		}
	}
}

func (c *echoConn) execute(s echoStatement) error {
	switch {
	case s.rows > 0:
		c.addRows(s.rows)
		return nil
	case s.begins:
		c.transaction = true
	case s.writes:
		c.wrote = true
	}
	if c.wrote && (s.ends || !c.transaction) {
		c.wrote = false
		if err := c.server.log.commit(); err != nil {
			return err
		}
	}
	c.transaction = c.transaction && !s.ends
	c.addOK(0)
	return nil
}

// echoColumn describes a column c CHAR(120), echoRow is a row of it. // immutable
var (
	echoColumn = []byte("\x03def\x04echo\x04echo\x04echo\x01c\x01c\x0c\x2d\x00\xe0\x01\x00\x00\xfe\x01\x00\x00\x00\x00")
	echoRow    = append([]byte{0, 0, 120}, strings.Repeat("x", 120)...)
)

func (c *echoConn) addRows(n int) {
	c.add(1)
	c.add(echoColumn...)
	if !c.endsAsOK {
		c.addEnd()
	}
	for range n {
		c.add(echoRow...)
	}
	if c.endsAsOK {
		c.addOK(endPacket)
		return
	}
	c.addEnd()
}

// add appends a packet.
func (c *echoConn) add(payload ...byte) {
	c.answer = append(c.answer, byte(len(payload)), byte(len(payload)>>8), byte(len(payload)>>16), c.sequence)
	c.answer = append(c.answer, payload...)
	c.sequence++
}

func (c *echoConn) addOK(header byte) { c.add(header, 0, 0, packet.StatusAutocommit, 0, 0, 0) }

func (c *echoConn) addEnd() { c.add(endPacket, 0, 0, packet.StatusAutocommit, 0) }
