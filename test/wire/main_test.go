// SPDX-License-Identifier: Apache-2.0

// Package wire talks HTTP to the real server as it stands in text files, byte for byte as far as that can be seen: requests that no SDK
// would send, and what every answer says beside its body.
//
// A file is a row of `request <name>` blocks. All requests of a file go over one connection for as long as the server keeps it open, and
// once more, all files' together, one behind the other without waiting. What a block does not write, a plain request has:
//
//	request put-item                 names are unique within a file
//	PutItem                          the operation; or a line such as POST /path?query
//	X-Amz-Date: -                    headers, to add, to replace or, with -, to leave out
//	                                 an empty line before a body
//	{"TableName":"things"}
//	----
//	200                              the status, and `closed` if the server ends the connection
//	Content-Type: ...                headers except those which every answer has: these are checked and not shown
//	{}
//
// Arguments of a request: chunked, gzip or deflate say how its body travels, repeat=n how often it stands there; brief keeps the answer's body
// out of the file.
//
// Knows: HTTP, how a plain request of the DynamoDB API looks.
// Never: packages inside the server.
package wire

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/weftdb/weft/test/harness"
)

// server is what all tests share; each file has tables of its own and deletes them.
var server *harness.Server

func TestMain(m *testing.M) { os.Exit(serve(m)) }

func serve(m *testing.M) int {
	dir, err := os.MkdirTemp("", "weft-wire")
	var binary string
	if err == nil {
		defer os.RemoveAll(dir)
		binary, err = harness.Compile(dir)
	}
	if err == nil {
		server, err = harness.Launch(binary, harness.Options{Data: dir + "/data"})
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
