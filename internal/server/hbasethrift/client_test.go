// SPDX-License-Identifier: Apache-2.0

package hbasethrift

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/server/thriftwire"
)

// client calls a service by its IDL.
type client struct {
	service  *service
	protocol thriftwire.Protocol
	isOld    bool // the binary protocol without a version
	exchange func(message []byte) (answer []byte, err error)
}

// thrown is an exception of the service.
type thrown struct {
	kind   string
	values fields
}

func (e *thrown) Error() string { return fmt.Sprint(e.kind, ": ", e.values["message"]) }

// broken is Thrift's own exception.
type broken struct {
	kind    int64
	message string
}

func (e *broken) Error() string { return e.message }

// message is a call as bytes.
func (c *client) message(name string, arguments fields) []byte {
	w := thriftwire.NewWriter(c.protocol)
	w.Message(thriftwire.Message{Name: name, Kind: thriftwire.Call, Seq: 7})
	if c.isOld {
		w = thriftwire.NewWriter(c.protocol)
		w.PutText(name)
		w.Grow(5)
		old := append(w.Bytes(), byte(thriftwire.Call), 0, 0, 0, 7)
		w = thriftwire.NewWriter(c.protocol)
		c.service.write(w, c.service.methods[name].takes, arguments)
		return append(old, w.Bytes()...)
	}
	c.service.write(w, c.service.methods[name].takes, arguments)
	return w.Bytes()
}

// call makes a call. The error is a *thrown or a *broken if the server says so.
func (c *client) call(name string, arguments fields) (result any, err error) {
	answer, err := c.exchange(c.message(name, arguments))
	if err != nil || len(answer) == 0 {
		return nil, fmt.Errorf("no answer: %w", err)
	}
	r := thriftwire.NewReader(thriftwire.ProtocolOf(answer[0]), answer)
	head := r.Message()
	if head.Kind == thriftwire.Exception {
		v := c.service.read(&r, applicationException)
		return nil, &broken{v["type"].(int64), v["message"].(string)}
	}
	p := c.service.methods[name]
	values := c.service.read(&r, p.results())
	if r.Err() != nil || r.Len() > 0 || head.Name != name || head.Seq != 7 {
		return nil, fmt.Errorf("the answer to %s is %+v: %v: %x", name, head, r.Err(), answer)
	}
	for _, e := range p.throws {
		if v, ok := values[e.name]; ok {
			return nil, &thrown{e.kind, v.(fields)}
		}
	}
	return values["success"], nil
}

// ways are those in which clients reach a port.
func ways() []string {
	return []string{"http binary", "http compact", "socket binary", "socket compact", "socket old", "framed binary",
		"framed compact", "framed old"}
}

// connect is a client of a version of the server at an address, in one of the ways.
func connect(t testing.TB, addr, way string, version Version) *client {
	t.Helper()
	var transport, protocol string
	if _, err := fmt.Sscan(way, &transport, &protocol); err != nil {
		t.Fatal(err)
	}
	c := &client{service: readService(t, version), protocol: thriftwire.Binary, isOld: protocol == "old"}
	if protocol == "compact" {
		c.protocol = thriftwire.Compact
	}
	if transport == "http" {
		c.exchange = func(message []byte) ([]byte, error) { return post(addr, "", message) }
		return c
	}
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	c.exchange = func(message []byte) ([]byte, error) {
		if transport == "framed" {
			message = append(binary.BigEndian.AppendUint32(nil, uint32(len(message))), message...)
		}
		if _, err := conn.Write(message); err != nil {
			return nil, err
		}
		return receive(conn, transport == "framed", c.protocol)
	}
	return c
}

// post sends a message over HTTP.
func post(addr, user string, message []byte) ([]byte, error) {
	r, err := http.NewRequest(http.MethodPost, "http://"+addr+"/", bytes.NewReader(message))
	if err != nil {
		return nil, err
	}
	r.Header.Set(userHeader, user)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	return io.ReadAll(answer.Body)
}

// receive reads an answer from a socket.
func receive(conn io.Reader, isFramed bool, p thriftwire.Protocol) ([]byte, error) {
	const most = 32 << 20
	if isFramed {
		head := make([]byte, 4)
		if _, err := io.ReadFull(conn, head); err != nil {
			return nil, err
		}
		return io.ReadAll(io.LimitReader(conn, int64(binary.BigEndian.Uint32(head))))
	}
	from := &stream{from: conn, most: most}
	r := thriftwire.NewStream(p, from.more)
	r.Message()
	r.SkipStruct()
	return from.whole, r.Err()
}

// cellOf is a TColumnValue.
func cellOf(family, qualifier, value string) fields {
	return fields{"family": family, "qualifier": qualifier, "value": value}
}

// putOf are the arguments of put.
func putOf(table, row string, cells ...any) fields {
	return fields{"table": table, "tput": fields{"row": row, "columnValues": cells}}
}

// getOf are the arguments of get.
func getOf(table, row string) fields {
	return fields{"table": table, "tget": fields{"row": row}}
}

// cellsOf are the cells of a TResult.
func cellsOf(result any) []any { return result.(fields)["columnValues"].([]any) }
