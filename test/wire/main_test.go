// SPDX-License-Identifier: Apache-2.0

// Package wire talks HTTP to the real server as it stands in text files, byte for byte as far as that can be seen:
// requests that no SDK would send, and what every answer says beside its body.
//
// A file is a row of `request <name>` blocks. All requests of a file go over one connection for as long as the server
// keeps it open, and once more, all files' together, one behind the other without waiting. What a block does not write,
// a plain request has:
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
// Arguments of a request: chunked, gzip or deflate say how its body travels, repeat=n how often it stands there; brief
// keeps the answer's body out of the file.
//
// Knows: HTTP, how a plain request of the DynamoDB API looks.
// Never: packages inside the server.
package wire

import (
	"os"
	"testing"

	"github.com/weftdb/weft/test/harness"
)

// server is what all tests share; each file has tables of its own and deletes them.
var server *harness.Server

func TestMain(m *testing.M) {
	os.Exit(harness.Main(m, func(dir string) (_ *harness.Server, err error) {
		_, server, err = harness.Fresh(dir, "--origins", "any")
		return server, err
	}))
}
