// SPDX-License-Identifier: Apache-2.0

package httpwire

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

func (v verdict) String() string { return [...]string{"partial", "whole", "foreign"}[v] }

// unescape makes bytes of a test's text: its lines end as HTTP wants it, \n and \r are bare ones, \t and \x7f what they
// are in Go.
func unescape(text string) string {
	return strings.NewReplacer("\n", "\r\n", `\n`, "\n", `\r`, "\r", `\t`, "\t", `\x7f`, "\x7f", `\xe4`, "\xe4").
		Replace(text)
}

// TestHead reads heads one after the other over one connection, as they stand in the files. "read open" leaves out the
// empty line at the end.
func TestHead(t *testing.T) {
	datadriven.Walk(t, "testdata/heads", func(t *testing.T, path string) {
		var h head
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			text := unescape(d.Input)
			if !d.HasArg("open") {
				text += "\r\n\r\n"
			}
			size, v := h.read([]byte(text))
			if v != whole {
				return v.String() + "\n"
			}
			var out strings.Builder
			fmt.Fprintf(&out, "%s %d of %d, host %s, length %d, closing %t\n", v, size, len(text), h.host, h.length,
				h.closing)
			for _, key := range slices.Sorted(maps.Keys(h.header)) {
				fmt.Fprintf(&out, "%s: %q\n", key, h.header[key])
			}
			return out.String()
		})
	})
}

// heads are heads that come again and again, or that someone makes up to be read in two ways.
func heads() []string {
	const start = "POST / HTTP/1.1\r\nHost: x\r\n"
	return []string{
		start + "Content-Length: 2\r\n\r\n{}",
		start + "Content-Length: 2\r\nConnection: keep-alive\r\nX-Amz-Target: DynamoDB_20120810.GetItem\r\n\r\n{}",
		start + "content-length:2 \r\nconnection:\tClose\r\n\r\n{}POST / HTTP/1.1\r\n",
		start + "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
		start + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		start + "Content-Length : 2\r\n\r\n{}",
		start + "Content-Length: +2\r\n\r\n{}",
		start + "Content-Length: 02\r\n\r\n{}",
		start + "Content-Length: 2\nX: y\r\n\r\n{}",
		start + "X: a\r\n b\r\nContent-Length: 2\r\n\r\n{}",
		start + "X: a\rContent-Length: 2\r\n\r\n{}",
		start + "X\x00: a\r\nContent-Length: 2\r\n\r\n{}",
		start + "Pragma: no-cache\r\nContent-Length: 2\r\n\r\n{}",
		"POST / HTTP/1.1\r\nHost: x\r\nHost: y\r\nContent-Length: 0\r\n\r\n",
		"POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n",
		"POST / HTTP/1.1\r\n\r\n",
		"GET / HTTP/1.1\r\n\r\n",
	}
}

// FuzzHead: what is read here, net/http reads alike, whatever was read before over the same connection, and however
// much of it had come at first.
func FuzzHead(f *testing.F) {
	for i, text := range heads() {
		f.Add([]byte(text), []byte(heads()[i/2]), uint16(i*7))
	}
	f.Fuzz(func(t *testing.T, sent, before []byte, cut uint16) {
		var h, kept head
		if _, v := kept.read(before); v == foreign { // the connection would be net/http's
			kept = head{}
		}
		part := sent[:min(len(sent), int(cut))]
		if _, v := h.read(part); v == foreign {
			h = head{}
			if _, later := h.read(sent); later == whole {
				t.Fatalf("of %q, %q is foreign", sent, part)
			}
			return
		}
		h = head{}
		size, v := h.read(sent)
		keptSize, keptVerdict := kept.read(sent)
		if v != keptVerdict || size != keptSize {
			t.Fatalf("%v, %d bytes; after others %v, %d bytes", v, size, keptVerdict, keptSize)
		}
		if v != whole {
			return
		}
		compareReadings(t, &h, sent, size)
		compareReadings(t, &kept, sent, size)
	})
}

// compareReadings compares a head of so many bytes with net/http's reading.
func compareReadings(t *testing.T, h *head, sent []byte, size int) {
	t.Helper()
	from := bufio.NewReader(bytes.NewReader(sent))
	r, err := http.ReadRequest(from)
	if err != nil {
		t.Fatalf("net/http refuses what is read here: %v", err)
	}
	if r.Method != http.MethodPost || r.URL.String() != "/" || r.Proto != "HTTP/1.1" || r.TransferEncoding != nil ||
		r.Trailer != nil || r.Header.Get("Expect") != "" {
		t.Fatalf("net/http reads %+v", r)
	}
	if r.Host != h.host || r.ContentLength != h.length || r.Close != h.closing ||
		!reflect.DeepEqual(r.Header, h.header) {
		t.Fatalf("%q, %d, %t, %q; net/http: %q, %d, %t, %q", h.host, h.length, h.closing, h.header, r.Host,
			r.ContentLength, r.Close, r.Header)
	}
	body, err := io.ReadAll(r.Body)
	want := sent[size:]
	whole := int64(len(want)) >= h.length
	if want = want[:min(int64(len(want)), h.length)]; !bytes.Equal(body, want) || whole != (err == nil) {
		t.Fatalf("body %q; net/http: %q, %v", want, body, err)
	}
	if rest, _ := io.ReadAll(from); !bytes.Equal(rest, sent[size+len(want):]) {
		t.Fatalf("%q follows; net/http: %q", sent[size+len(want):], rest)
	}
}

// BenchmarkHead reads the head of a signed request, of which three headers differ from the one before.
func BenchmarkHead(b *testing.B) {
	var texts [2][]byte
	for i := range texts {
		texts[i] = fmt.Appendf(nil, "POST / HTTP/1.1\r\nHost: localhost:8000\r\nUser-Agent: aws-sdk-go-v2/1.30 os/linux lang/go#1.26 md/GOARCH#amd64 api/dynamodb#1.34\r\n"+
			"Content-Length: 67\r\nAccept-Encoding: identity\r\nAmz-Sdk-Invocation-Id: 1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4be%d\r\n"+
			"Amz-Sdk-Request: attempt=1; max=3\r\nAuthorization: AWS4-HMAC-SHA256 Credential=key/20261128/us-east-1/dynamodb/aws4_request, "+
			"SignedHeaders=accept-encoding;amz-sdk-invocation-id;content-length;content-type;host;x-amz-date;x-amz-target, Signature=%s%d\r\n"+
			"Content-Type: application/x-amz-json-1.0\r\nX-Amz-Date: 20261128T10111%dZ\r\nX-Amz-Target: DynamoDB_20120810.GetItem\r\n\r\n",
			i, strings.Repeat("0123456789abcde", 4), i, i)
	}
	var h head
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, v := h.read(texts[i&1]); v != whole {
			b.Fatal(v)
		}
	}
}
