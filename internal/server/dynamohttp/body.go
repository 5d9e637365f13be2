// SPDX-License-Identifier: Apache-2.0

package dynamohttp

import (
	"bufio"
	"context"
	"crypto/sha256"
	"hash"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
)

// paceBytes is the number of bytes of a transfer after which the deadline moves on.
const paceBytes = 64 << 10

// deadliner is implemented by net/http's ResponseWriter.
type deadliner interface {
	SetReadDeadline(time.Time) error
	SetWriteDeadline(time.Time) error
}

// pacer reads a body with a deadline that moves on as bytes arrive: a client that falls behind the least rate is cut
// off.
type pacer struct {
	body  io.Reader
	conn  deadliner // nil: no deadlines, as under a test's recorder
	begun time.Time
	grace time.Duration
	rate  int64 // bytes per second
	read  int64
	next  int64 // value of read at which the deadline moves on

	digest  hash.Hash // of the bytes, if they are compressed and a signature is of them; else nil
	owner   *exchange
	failure error // why no more bytes come, unless they have all come
}

// Read reads from the body.
func (p *pacer) Read(b []byte) (int, error) {
	n, err := p.body.Read(b)
	p.read += int64(n)
	if p.digest != nil {
		p.digest.Write(b[:n])
	}
	if err != nil && err != io.EOF {
		p.failure = err
	}
	if p.read >= p.next && p.conn != nil && err == nil && !p.owner.stalled.Load() {
		p.owner.moved.Store(time.Now().UnixNano())
		p.next = p.read + paceBytes
		// fails only on a closed connection
		_ = p.conn.SetReadDeadline(transferDeadline(p.begun, p.read, p.grace, p.rate))
	}
	return n, err
}

// transferDeadline is when the next part of a transfer must be through: at the least rate over all, and never later
// than grace from now, so that a client that was quick at first can't rest on it.
func transferDeadline(begun time.Time, done int64, grace time.Duration, rate int64) time.Time {
	overall := begun.Add(grace + time.Duration(float64(done)/float64(rate)*float64(time.Second)))
	if soon := time.Now().Add(grace); soon.Before(overall) {
		return soon
	}
	return overall
}

// readBody reads the whole body into x.body and reserves the memory for it as it comes. Errors: errTooLong,
// errNoMemory, errEncoding, net/http's.
func (x *exchange) readBody(r *http.Request) error {
	limit := x.server.options.BodyBytesMax
	if r.ContentLength > limit {
		return errTooLong
	}
	o := &x.server.options
	x.pacer = pacer{body: r.Body, conn: x.conn, begun: x.begun, grace: o.TransferGrace, rate: o.TransferBytesPerSecond,
		next: paceBytes, owner: x}
	var err error
	if encodings := r.Header["Content-Encoding"]; len(encodings) > 0 &&
		!(len(encodings) == 1 && encodings[0] == "identity") {
		if o.Signers != nil {
			x.pacer.digest = sha256.New()
		}
		err = x.inflate(r, encodings, limit)
	} else {
		err = x.fill(r, &x.pacer, r.ContentLength, limit)
	}
	if x.isLong() && x.server.transfers.end(x) && err != nil {
		err = errStalled
	}
	if err == nil && x.conn != nil {
		// or net/http takes the deadline for the client's going away while the operation runs
		_ = x.conn.SetReadDeadline(time.Time{})
	}
	return err
}

// inflate reads a compressed body. However long it would become, no more than limit bytes of it are unpacked.
func (x *exchange) inflate(r *http.Request, encodings []string, limit int64) error {
	if err := x.reserve(r.Context(), inflateBytes); err != nil {
		return err
	}
	i := x.server.inflaters.Get().(*inflater)
	err := i.open(&x.pacer, encodings)
	if err == nil {
		err = x.fill(r, i, -1, limit)
	}
	i.close()
	x.server.inflaters.Put(i)
	return err
}

// fill reads length bytes, or to the end if length is -1.
func (x *exchange) fill(r *http.Request, from io.Reader, length, limit int64) error {
	x.body, x.bodyRoom = x.body[:0], 2*bodyBytesKept
	for length < 0 || int64(len(x.body)) < length {
		if len(x.body) == cap(x.body) {
			if err := x.growBody(r, length, limit); err != nil {
				return err
			}
		}
		room := x.body[len(x.body):cap(x.body)]
		if length >= 0 {
			room = room[:min(int64(len(room)), length-int64(len(x.body)))]
		}
		n, err := from.Read(room)
		x.body = x.body[:len(x.body)+n]
		switch {
		case int64(len(x.body)) > limit:
			return errTooLong
		case err == io.EOF && (length < 0 || int64(len(x.body)) == length):
			return nil
		case err == io.EOF:
			return io.ErrUnexpectedEOF
		case err != nil:
			return err
		}
	}
	return nil
}

// growBody makes four times the room for the body, but no more than is known or allowed to come. Long bodies count
// twice: as they came, and decoded.
func (x *exchange) growBody(r *http.Request, length, limit int64) error {
	size := max(int64(cap(x.body))*4, bodyBytesKept)
	if length > bodyBytesKept {
		size = min(size, length)
	}
	size = min(size, limit+1)
	if size > bodyBytesKept {
		if x.isLong() && x.server.transfers.end(x) { // from here on it is not the client that is waited for
			return errStalled
		}
		if err := x.reserveBody(r.Context(), size, length); err != nil {
			return err
		}
	}
	if x.isLong() && x.conn != nil {
		x.server.transfers.begin(x)
	}
	x.body = append(make([]byte, 0, size), x.body...)
	return nil
}

// reserveBody takes the memory for a body of size bytes so far. One whose length is known gets all of it at once: if
// several had a part each and waited for the rest, all would wait.
func (x *exchange) reserveBody(ctx context.Context, size, length int64) error {
	room := 2 * max(size, length)
	if room <= x.bodyRoom {
		return nil
	}
	err := x.reserve(ctx, room-x.bodyRoom)
	if err == nil {
		x.bodyRoom = room
	}
	return err
}

// isLong reports whether the body has memory of its own.
func (x *exchange) isLong() bool { return x.bodyRoom > 2*bodyBytesKept }

// inflateBytes is about what an inflater takes: its window, its tables and what it has read ahead.
const inflateBytes = 64 << 10

// inflater unpacks compressed bodies. It is used again for later ones. Its decompressors are made when they are first
// needed.
type inflater struct {
	packed   *bufio.Reader
	source   *pacer
	gzip     *gzip.Reader
	zlib     io.ReadCloser
	unpacked io.Reader // one of the two
}

// open prepares to unpack what source gives. Errors: errEncoding, also for encodings that are not known, and those of
// source.
func (i *inflater) open(source *pacer, encodings []string) (err error) {
	i.source = source
	i.packed.Reset(source)
	switch {
	case len(encodings) != 1:
		return errEncoding
	case strings.EqualFold(encodings[0], "gzip"), strings.EqualFold(encodings[0], "x-gzip"):
		err = i.openGzip()
	case strings.EqualFold(encodings[0], "deflate"): // which HTTP calls the format of zlib
		err = i.openZlib()
	default:
		return errEncoding
	}
	if err != nil {
		return i.blame()
	}
	return nil
}

func (i *inflater) openGzip() (err error) {
	if i.gzip == nil {
		i.gzip = new(gzip.Reader)
	}
	i.unpacked = i.gzip
	return i.gzip.Reset(i.packed)
}

func (i *inflater) openZlib() (err error) {
	if i.zlib == nil {
		i.zlib, err = zlib.NewReader(i.packed)
	} else {
		err = i.zlib.(zlib.Resetter).Reset(i.packed, nil)
	}
	i.unpacked = i.zlib
	return err
}

// Read unpacks some bytes. Errors: io.EOF at the end of both the body and what it holds, errEncoding, those of the
// source.
func (i *inflater) Read(b []byte) (int, error) {
	n, err := i.unpacked.Read(b)
	switch err {
	case nil:
		return n, nil
	case io.EOF:
		if _, err = i.packed.ReadByte(); err == io.EOF {
			return n, io.EOF
		}
	}
	return n, i.blame()
}

// blame tells a connection that failed from a body that is not what it claims to be.
func (i *inflater) blame() error {
	if i.source.failure != nil {
		return i.source.failure
	}
	return errEncoding
}

// close lets go of the body.
func (i *inflater) close() {
	i.source, i.unpacked = nil, nil
	i.packed.Reset(nil)
}
