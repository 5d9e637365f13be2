// SPDX-License-Identifier: Apache-2.0

package dynamohttp

import (
	"bufio"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
)

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
