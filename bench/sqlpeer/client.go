// SPDX-License-Identifier: Apache-2.0

package sqlpeer

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
)

// Client is as little of a MySQL client as measuring needs, so that what is measured is the server: it asks, and reads
// answers without keeping them. User root, no password. One goroutine at a time.
type Client struct {
	conn   net.Conn
	reader *bufio.Reader
	packet []byte // of the request being built, with room for its header
	header [4]byte
	answer []byte // of the last packet read
}

// What the client says it can do, by MySQL's protocol: long passwords, protocol 4.1, secure connection, transactions,
// authentication plugins, a database.
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

// Dial signs in at a server; database may be empty.
func Dial(network, address, database string) (*Client, error) {
	conn, err := net.Dial(network, address)
	if err != nil {
		return nil, err
	}
	c := &Client{conn: conn, reader: bufio.NewReaderSize(conn, 64<<10)}
	if err := c.signIn(database); err != nil {
		return nil, errors.Join(fmt.Errorf("signing in at %s: %w", address, err), conn.Close())
	}
	return c, nil
}

func (c *Client) signIn(database string) error {
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
func (c *Client) begin(command ...byte) {
	c.packet = append(append(c.packet[:0], 0, 0, 0, 0), command...)
}

func (c *Client) send(sequence byte) error {
	n := len(c.packet) - 4
	c.packet[0], c.packet[1], c.packet[2], c.packet[3] = byte(n), byte(n>>8), byte(n>>16), sequence
	_, err := c.conn.Write(c.packet)
	return err
}

// read reads a packet; an error packet is an error.
func (c *Client) read() error {
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
func (c *Client) skip() (rows int, err error) {
	err = c.each(func([]byte) { rows++ })
	return rows, err
}

// each reads an answer to its end and calls visit with the packet of each row, which is valid during the call.
func (c *Client) each(visit func(row []byte)) error {
	if err := c.read(); err != nil || c.answer[0] == answerOK {
		return err
	}
	for ends := 0; ends < 2; { // behind the columns, and behind the rows
		if err := c.read(); err != nil {
			return err
		}
		switch {
		case c.answer[0] == answerEnd && len(c.answer) < endPacketLength:
			ends++
		case ends == 1:
			visit(c.answer)
		}
	}
	return nil
}

// Query asks by text, and returns how many rows the answer had.
func (c *Client) Query(statement string) (rows int, err error) {
	if err := c.ask(statement); err != nil {
		return 0, err
	}
	return c.skip()
}

func (c *Client) ask(statement string) error {
	c.begin(commandQuery)
	c.packet = append(c.packet, statement...)
	return c.send(0)
}

// Rows asks by text and returns the rows, their values as text. NULL is empty.
func (c *Client) Rows(statement string) (rows [][]string, err error) {
	if err := c.ask(statement); err != nil {
		return nil, err
	}
	err = c.each(func(row []byte) { rows = append(rows, cutRow(row)) })
	return rows, err
}

// cutRow cuts the values of a row in MySQL's text form.
func cutRow(row []byte) (values []string) {
	for len(row) > 0 {
		n, skip := 0, 1
		switch {
		case row[0] < 0xfb:
			n = int(row[0])
		case row[0] == 0xfc && len(row) >= 3:
			n, skip = int(binary.LittleEndian.Uint16(row[1:])), 3
		case row[0] == 0xfd && len(row) >= 4:
			n, skip = int(row[1])|int(row[2])<<8|int(row[3])<<16, 4
		}
		row = row[skip:]
		n = min(n, len(row))
		values, row = append(values, string(row[:n])), row[n:]
	}
	return values
}

// Statement is a prepared one.
type Statement struct {
	id     uint32
	params int
}

// Prepare prepares a statement.
func (c *Client) Prepare(text string) (Statement, error) {
	c.begin(commandPrepare)
	c.packet = append(c.packet, text...)
	if err := c.send(0); err != nil {
		return Statement{}, err
	}
	if err := c.read(); err != nil {
		return Statement{}, err
	}
	s := Statement{binary.LittleEndian.Uint32(c.answer[1:]), int(binary.LittleEndian.Uint16(c.answer[7:]))}
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

// Execute runs a prepared statement with int64 and string arguments.
func (c *Client) Execute(s Statement, args ...any) (rows int, err error) {
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
func (c *Client) Close() error { return c.conn.Close() }
