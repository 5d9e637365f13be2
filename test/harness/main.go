// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// Main runs the tests of a package beside one server, which start starts with a folder of its own, and returns the exit
// code: not 0 either if the server did not stop well or has logged errors.
func Main(m *testing.M, start func(dir string) (*Server, error)) int {
	dir, err := os.MkdirTemp("", "weft-test")
	var server *Server
	if err == nil {
		defer os.RemoveAll(dir)
		server, err = start(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer server.Kill()
	code := m.Run()
	if err := server.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, "the server did not stop well:", err)
		return 1
	}
	if strings.Contains(server.Log(), `"level":"ERROR"`) {
		fmt.Fprintln(os.Stderr, "the server has logged errors:\n"+server.Log())
		return 1
	}
	return code
}

// Fresh compiles the binary into dir and serves an empty folder below it, with args as more arguments of `weft serve`.
func Fresh(dir string, args ...string) (binary string, server *Server, err error) {
	if binary, err = Compile(dir); err != nil {
		return "", nil, err
	}
	server, err = Launch(binary, Options{Data: dir + "/data", Args: args})
	return binary, server, err
}
