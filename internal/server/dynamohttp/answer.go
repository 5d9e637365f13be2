// SPDX-License-Identifier: Apache-2.0

package dynamohttp

import (
	"errors"
	"hash/crc32"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/weftdb/weft/internal/dynamodb/exception"
)

// Content types. AWS's SDKs send the second.
const (
	typePlainJSON = "application/json"
	typeJSON      = "application/x-amz-json-1.0"
)

// serverName is the header Server.
const serverName = "Weft"

// answerFault sends an error reply.
func (x *exchange) answerFault(w http.ResponseWriter, contentType string, fault *exception.Error) {
	x.dropAnswer()
	x.answer = fault.AppendJSON(x.answer[:0])
	x.send(w, fault.Status(), contentType)
}

// send sends x.answer, compressed if the client asks for that, with the headers that every reply has. The checksum is
// of the bytes that are sent. An empty contentType is not sent.
func (x *exchange) send(w http.ResponseWriter, status int, contentType string) {
	body, packed := x.answer, x.pack()
	if packed {
		body = x.packed
	}
	x.sent = int64(len(body))
	x.text = strconv.AppendUint(x.text[:requestIDLength], uint64(crc32.ChecksumIEEE(body)), 10)
	sumEnd := len(x.text)
	x.text = strconv.AppendInt(x.text, x.sent, 10)
	text := string(x.text)
	x.values = [6]string{contentType, text[sumEnd:], serverName, text[:requestIDLength], text[requestIDLength:sumEnd],
		"close"}
	// The keys are as they go over the wire. net/http copies keys and values before it returns.
	header := w.Header()
	header["Content-Type"] = nil // or net/http guesses one
	if contentType != "" {
		header["Content-Type"] = x.values[0:1:1]
	}
	if packed {
		header["Content-Encoding"] = gzipEncoding
	}
	x.allowOrigin(header)
	header["Content-Length"] = x.values[1:2:2]
	header["Server"] = x.values[2:3:3]
	header["x-amzn-RequestId"] = x.values[3:4:4]
	header["x-amz-crc32"] = x.values[4:5:5]
	if x.closing {
		header["Connection"] = x.values[5:6:6]
	}
	x.status = status
	now := time.Now()
	if x.conn != nil && (len(body) > paceBytes || now.Sub(x.begun) > x.server.options.TransferGrace) {
		w.WriteHeader(status)
		x.sendPaced(w, body, now)
		return
	}
	w.WriteHeader(status)
	_, _ = w.Write(body) // if it fails, the client is gone, and net/http ends the connection
}

// sendPaced sends rest with a deadline that moves on as the client takes it.
func (x *exchange) sendPaced(w http.ResponseWriter, rest []byte, begun time.Time) {
	o := &x.server.options
	if x.reserved.Load() > overheadBytes+answerBytesKept {
		x.sending = true
		x.server.transfers.begin(x)
		defer x.server.transfers.end(x)
	}
	for sent := int64(0); len(rest) > 0; {
		part := rest[:min(len(rest), paceBytes)]
		// fails only on a closed connection
		_ = x.conn.SetWriteDeadline(transferDeadline(begun, sent, o.TransferGrace, o.TransferBytesPerSecond))
		n, err := w.Write(part)
		if err != nil || x.stalled.Load() {
			x.closing = true
			return
		}
		x.moved.Store(time.Now().UnixNano())
		sent += int64(n)
		rest = rest[n:]
	}
}

const (
	requestIDLength = 52
	idDigits        = "0123456789ABCDEFGHIJKLMNOPQRSTUV"
)

// appendRequestID appends 52 random characters of 0-9 and A-V. They name a request in answers and logs; they are no
// secret.
func appendRequestID(dst []byte) []byte {
	for n := 0; n < requestIDLength; {
		bits := rand.Uint64()
		for i := 0; i < 12 && n < requestIDLength; i++ {
			dst = append(dst, idDigits[bits&31])
			bits >>= 5
			n++
		}
	}
	return dst
}

// packBytesMin is the length from which on answers are compressed for clients that ask for it. Shorter ones fit into
// one packet as they are.
const packBytesMin = 1 << 10

// gzipEncoding is the header Content-Encoding of compressed answers.
var gzipEncoding = []string{"gzip"} // immutable

// errLonger says that compression does not make an answer shorter.
var errLonger = errors.New("dynamohttp: the answer does not become shorter")

// packer compresses answers, one at a time. There are as many as processors, and each takes about a megabyte from when
// it is first used.
type packer struct {
	gzip  *gzip.Writer
	out   []byte
	limit int // of len(out)
}

// Write takes compressed bytes.
func (p *packer) Write(b []byte) (int, error) {
	if len(p.out)+len(b) > p.limit {
		return 0, errLonger
	}
	p.out = append(p.out, b...)
	return len(b), nil
}

// pack appends plain, compressed, to dst. Errors: errLonger.
func (p *packer) pack(dst, plain []byte) ([]byte, error) {
	p.out, p.limit = dst, len(plain)
	defer func() { p.out = nil }()
	if p.gzip == nil {
		p.gzip, _ = gzip.NewWriterLevel(p, gzip.BestSpeed) // fails only for levels that do not exist
	} else {
		p.gzip.Reset(p)
	}
	_, err := p.gzip.Write(plain)
	if err == nil {
		err = p.gzip.Close()
	}
	return p.out, err
}

// pack compresses x.answer into x.packed if the client asks for it, it is worth it and there is memory for it.
func (x *exchange) pack() bool {
	if len(x.answer) < packBytesMin || !acceptsGzip(x.requestHeader["Accept-Encoding"]) {
		return false
	}
	if extra := int64(len(x.answer)); extra > answerBytesKept {
		if !x.server.memory.squeeze(extra) {
			return false
		}
		x.reserved.Add(extra)
	}
	p := <-x.server.packers
	defer func() { x.server.packers <- p }()
	packed, err := p.pack(slices.Grow(x.packed[:0], len(x.answer)/4), x.answer)
	x.packed = packed
	return err == nil
}

// acceptsGzip reports whether the header Accept-Encoding names gzip, and not only to refuse it.
func acceptsGzip(values []string) bool {
	for _, value := range values {
		for choice := range strings.SplitSeq(value, ",") {
			name, weight, weighted := strings.Cut(choice, ";")
			if strings.EqualFold(strings.TrimSpace(name), "gzip") {
				return !weighted || !isZero(weight)
			}
		}
	}
	return false
}

// isZero recognizes the weight of an unwanted encoding, as q=0 or q=0.000.
func isZero(weight string) bool {
	digits, ok := strings.CutPrefix(strings.ToLower(strings.TrimSpace(weight)), "q=")
	return ok && strings.HasPrefix(digits, "0") && strings.Trim(digits, "0.") == ""
}
