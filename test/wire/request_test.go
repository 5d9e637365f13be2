// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// plain are the headers of a request that does not write them.
var plain = []string{
	"Host: dynamodb.us-east-1.amazonaws.com",
	"Content-Type: application/x-amz-json-1.0",
	"Authorization: AWS4-HMAC-SHA256 Credential=test/20260921/us-east-1/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature=0f",
	"X-Amz-Date: 20260921T101112Z",
}

// request makes the bytes of a block and says which method they have.
func request(t *testing.T, d *datadriven.TestData) (method string, sent []byte) {
	head, body, _ := strings.Cut(d.Input, "\n\n")
	lines := strings.Split(head, "\n")
	headers := slices.Clone(plain)
	start := lines[0]
	if !strings.Contains(start, " ") {
		start, headers = "POST /", append(headers, "X-Amz-Target: DynamoDB_20120810."+start)
	}
	for _, line := range lines[1:] {
		headers = replace(headers, line)
	}
	repeat := 1
	d.MaybeScanArgs(t, "repeat", &repeat)
	content, more := travel(t, d, []byte(strings.Repeat(body, repeat)))
	headers = append(headers, more...)
	method, _, _ = strings.Cut(start, " ")
	if !strings.Contains(start, "HTTP/") {
		start += " HTTP/1.1"
	}
	return method, append([]byte(start+"\r\n"+strings.Join(headers, "\r\n")+"\r\n\r\n"), content...)
}

// replace adds a header in place of those of its name.
func replace(headers []string, line string) []string {
	name, value, _ := strings.Cut(line, ":")
	headers = slices.DeleteFunc(headers, func(other string) bool {
		given, _, _ := strings.Cut(other, ":")
		return strings.EqualFold(given, name) && slices.Contains(plain, other)
	})
	if strings.TrimSpace(value) == "-" {
		return headers
	}
	return append(headers, line)
}

// travel makes a body ready to be sent, and the headers that say how.
func travel(t *testing.T, d *datadriven.TestData, body []byte) (sent []byte, headers []string) {
	for _, encoding := range []string{"gzip", "deflate"} {
		if d.HasArg(encoding) {
			body, headers = compress(t, encoding, body), append(headers, "Content-Encoding: "+encoding)
		}
	}
	switch {
	case !d.HasArg("chunked") && strings.Contains(d.Input, "\nContent-Length:"):
		return body, headers
	case !d.HasArg("chunked"):
		return body, append(headers, fmt.Sprintf("Content-Length: %d", len(body)))
	}
	for chunk := range slices.Chunk(body, 7000) {
		sent = append(append(fmt.Appendf(sent, "%x\r\n", len(chunk)), chunk...), "\r\n"...)
	}
	return append(sent, "0\r\n\r\n"...), append(headers, "Transfer-Encoding: chunked")
}

func compress(t *testing.T, encoding string, body []byte) []byte {
	var packed bytes.Buffer
	var w io.WriteCloser = gzip.NewWriter(&packed)
	if encoding == "deflate" {
		w = zlib.NewWriter(&packed)
	}
	if _, err := w.Write(body); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}
