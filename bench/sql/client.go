// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
)

// client is as little of a MySQL client as measuring needs, so that what is measured is the server: it asks, and reads answers without keeping
// them. User root, no password. One goroutine at a time.
type client struct {
	conn   net.Conn
	reader *bufio.Reader
	packet []byte // of the request being built, with room for its header
	header [4]byte
	answer []byte // of the last packet read
}

// What the client says it can do, by MySQL's protocol: long passwords, protocol 4.1, secure connection, transactions, authentication plugins, a database.
const (
	capabilities    = 1 | 1<<3 | 1<<9 | 1<<13 | 1<<15 | 1<<19
	packetMax       = 1<<24 - 1
	commandQuery    = 0x03
	commandPrepare  = 0x16
	commandExecute  = 0x17
	typeBigint      = 0x08
	typeVarchar     = 0xfd
	charsetUTF8MB4  = 45
	answerOK        = 0x00
	answerEnd       = 0xfe
	answerFault     = 0xff
	endPacketLength = 9 // an end packet is shorter
)

// dial signs in at a server.
func dial(network, address, database string) (*client, error) {
	conn, err := net.Dial(network, address)
	if err != nil {
		return nil, err
	}
	c := &client{conn: conn, reader: bufio.NewReaderSize(conn, 64<<10)}
	if err := c.signIn(database); err != nil {
		return nil, errors.Join(fmt.Errorf("signing in at %s: %w", address, err), conn.Close())
	}
	return c, nil
}

func (c *client) signIn(database string) error {
	if err := c.read(); err != nil { // the greeting
		return err
	}
	c.begin()
	c.packet = binary.LittleEndian.AppendUint32(c.packet, capabilities)
	c.packet = binary.LittleEndian.AppendUint32(c.packet, packetMax)
	c.packet = append(append(c.packet, charsetUTF8MB4), make([]byte, 23)...)
	c.packet = append(c.packet, "root\x00\x00"...) // no password
	c.packet = append(append(c.packet, database...), 0)
	c.packet = append(c.packet, "mysql_native_password\x00"...)
	if err := c.send(1); err != nil {
		return err
	}
	if err := c.read(); err != nil {
		return err
	}
	if c.answer[0] == answerEnd { // another way to sign in is wanted: an empty password is the same in all
		c.begin()
		if err := c.send(c.header[3] + 1); err != nil {
			return err
		}
		return c.read()
	}
	return nil
}

// begin begins a packet, send sends it.
func (c *client) begin(command ...byte) {
	c.packet = append(append(c.packet[:0], 0, 0, 0, 0), command...)
}

func (c *client) send(sequence byte) error {
	n := len(c.packet) - 4
	c.packet[0], c.packet[1], c.packet[2], c.packet[3] = byte(n), byte(n>>8), byte(n>>16), sequence
	_, err := c.conn.Write(c.packet)
	return err
}

// read reads a packet; an error packet is an error.
func (c *client) read() error {
	if _, err := io.ReadFull(c.reader, c.header[:]); err != nil {
		return err
	}
	n := int(c.header[0]) | int(c.header[1])<<8 | int(c.header[2])<<16
	if cap(c.answer) < n {
		c.answer = make([]byte, n, 2*n)
	}
	c.answer = c.answer[:n]
	if _, err := io.ReadFull(c.reader, c.answer); err != nil {
		return err
	}
	if n == 0 {
		return errors.New("an empty packet")
	}
	if c.answer[0] == answerFault {
		return fmt.Errorf("the server says %s", c.answer[min(9, n):])
	}
	return nil
}

// skip reads an answer to its end and returns how many rows it had.
func (c *client) skip() (rows int, err error) {
	if err := c.read(); err != nil || c.answer[0] == answerOK {
		return 0, err
	}
	for ends := 0; ends < 2; { // behind the columns, and behind the rows
		if err := c.read(); err != nil {
			return rows, err
		}
		switch {
		case c.answer[0] == answerEnd && len(c.answer) < endPacketLength:
			ends++
		case ends == 1:
			rows++
		}
	}
	return rows, nil
}

// query asks by text.
func (c *client) query(statement string) (rows int, err error) {
	c.begin(commandQuery)
	c.packet = append(c.packet, statement...)
	if err := c.send(0); err != nil {
		return 0, err
	}
	return c.skip()
}

// statement is a prepared one.
type statement struct {
	id     uint32
	params int
}

func (c *client) prepare(text string) (statement, error) {
	c.begin(commandPrepare)
	c.packet = append(c.packet, text...)
	if err := c.send(0); err != nil {
		return statement{}, err
	}
	if err := c.read(); err != nil {
		return statement{}, err
	}
	s := statement{binary.LittleEndian.Uint32(c.answer[1:]), int(binary.LittleEndian.Uint16(c.answer[7:]))}
	columns := int(binary.LittleEndian.Uint16(c.answer[5:]))
	for _, n := range []int{s.params, columns} {
		for i := 0; n > 0 && i <= n; i++ { // and the end of the list
			if err := c.read(); err != nil {
				return s, err
			}
		}
	}
	return s, nil
}

// execute runs a prepared statement with int64 and string arguments.
func (c *client) execute(s statement, args ...any) (rows int, err error) {
	if len(args) != s.params {
		return 0, fmt.Errorf("%d arguments for %d parameters", len(args), s.params)
	}
	c.begin(commandExecute)
	c.packet = binary.LittleEndian.AppendUint32(c.packet, s.id)
	c.packet = append(c.packet, 0, 1, 0, 0, 0) // no cursor, once
	if len(args) > 0 {
		c.packet = append(append(c.packet, make([]byte, (len(args)+7)/8)...), 1)
	}
	for _, a := range args {
		kind := byte(typeBigint)
		if _, text := a.(string); text {
			kind = typeVarchar
		}
		c.packet = append(c.packet, kind, 0)
	}
	for _, a := range args {
		switch a := a.(type) {
		case int64:
			c.packet = binary.LittleEndian.AppendUint64(c.packet, uint64(a))
		case string:
			c.packet = append(append(c.packet, byte(len(a))), a...) // up to 250 bytes
		}
	}
	if err := c.send(0); err != nil {
		return 0, err
	}
	return c.skip()
}

// Close closes the connection.
func (c *client) Close() error { return c.conn.Close() }
