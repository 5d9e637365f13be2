// SPDX-License-Identifier: Apache-2.0

package mysqlwire

import (
	"bytes"
	"io"
	"net"
	"testing"
)

// excessConn is a connection that the listener has refused.
type excessConn struct{ net.Conn }

func (excessConn) Excess() bool { return true }

// TestExcess: a connection that the listener has refused is told so in the words of the protocol, and is closed.
func TestExcess(t *testing.T) {
	client, conn := net.Pipe()
	s := New(Options{})
	go s.accept(excessConn{conn})
	answer, err := io.ReadAll(client)
	if err != nil || !bytes.Contains(answer, []byte("Too many connections")) {
		t.Errorf("%q, %v", answer, err)
	}
	if len(s.all()) > 0 {
		t.Error("the connection is kept")
	}
}
