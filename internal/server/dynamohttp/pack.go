// SPDX-License-Identifier: Apache-2.0

package dynamohttp

import (
	"errors"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"
)

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
