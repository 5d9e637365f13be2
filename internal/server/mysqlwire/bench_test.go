// SPDX-License-Identifier: Apache-2.0

package mysqlwire

import (
	"io"
	"net"
	"testing"

	"github.com/weftdb/weft/internal/server/mysqlwire/packet"
)

// Benchmarks of the server alone: the session's answer is a constant row, and the client reads bytes without looking at
// them. What is left is mostly the operating system's work of passing the packets on.

func BenchmarkPing(b *testing.B) { benchmarkCommand(b, []byte{packet.ComPing}) }

func BenchmarkPointRow(b *testing.B) {
	b.Run("text", func(b *testing.B) { benchmarkCommand(b, []byte("\x03SELECT 1")) })
	b.Run("binary", func(b *testing.B) {
		benchmarkCommand(b, []byte("\x17\x01\x00\x00\x00\x00\x01\x00\x00\x00\x00\x01\x08\x00\x05\x00\x00\x00\x00\x00\x00\x00"))
	})
}

// benchmarkCommand sends a command again and again, each after the answer of the last, on as many connections as there
// are processors.
func benchmarkCommand(b *testing.B, command []byte) {
	_, address := serve(b, newDialect(), Options{})
	b.ReportAllocs()
	b.RunParallel(func(p *testing.PB) {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			b.Error(err)
			return
		}
		defer func() { _ = conn.Close() }()
		send, answer := prepareCommand(b, conn, command)
		for p.Next() {
			if _, err := conn.Write(send); err != nil {
				b.Error(err)
				return
			}
			if _, err := io.ReadFull(conn, answer); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

// prepareCommand logs in, and returns the packet to send and a buffer of its answer's length.
func prepareCommand(b *testing.B, conn net.Conn, command []byte) (send, answer []byte) {
	r := newRaw(conn)
	if _, err := r.logIn(packet.Offered, "root", "d", packet.PluginCaching); err != nil {
		b.Error(err)
		return nil, nil
	}
	if _, err := r.exchange([]byte("\x16SELECT ?")); err != nil {
		b.Error(err)
	}
	packets, err := r.exchange(command)
	if err != nil {
		b.Error(err)
	}
	length := 0
	for _, p := range packets {
		length += headerBytes + len(p)
	}
	return append([]byte{byte(len(command)), 0, 0, 0}, command...), make([]byte, length)
}

// BenchmarkRows measures rows of a long answer: one operation is a row of a number and 20 bytes.
func BenchmarkRows(b *testing.B) {
	for _, binary := range []bool{false, true} {
		b.Run(map[bool]string{false: "text", true: "binary"}[binary], func(b *testing.B) {
			s := New(Options{})
			client, server := net.Pipe()
			go func() { _, _ = io.Copy(io.Discard, client) }()
			defer func() { _ = client.Close() }()
			c := newConnection(s, 1, timeless{server}, s.started)
			c.capabilities = packet.Offered
			a := c.answer.start(binary)
			row := typeRows()[0][4:5]
			row = append(row, textOf("twenty bytes of text"))
			if err := a.Columns(append(typeColumns[4:5:5], typeColumns[10])); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := a.Row(row); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
