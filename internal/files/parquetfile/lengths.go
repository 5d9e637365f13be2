// SPDX-License-Identifier: Apache-2.0

package parquetfile

import (
	"encoding/binary"
	"errors"
)

// paddingMax is the number of numbers that may stand behind the last value: programs fill up eight, or some groups of
// eight.
const paddingMax = 512

// checkRuns looks at runs of numbers of a width, which may be no more than there are values, and the padding.
func checkRuns(data []byte, width uint, values int64) error {
	if width > 32 {
		return damaged("numbers of %d bits", width)
	}
	for left := values + paddingMax; len(data) > 0; {
		u, n := binary.Uvarint(data)
		if n <= 0 || u>>1 > pageValuesMax {
			return damaged("a run of values has no length")
		}
		data = data[n:]
		count, size := int64(u>>1), int((width+7)/8)
		if u&1 != 0 {
			size = int(count) * int(width)
			count *= 8
		}
		if count == 0 {
			continue
		}
		if count > left || size > len(data) {
			return damaged("a run of values is longer than its page")
		}
		left -= count
		data = data[size:]
	}
	return nil
}

// checkDelta looks at the head of numbers that are stored as differences.
func checkDelta(data []byte, values int64) error {
	var head [3]uint64
	for i := range head {
		u, n := binary.Uvarint(data)
		if n <= 0 {
			return damaged("differences have no head")
		}
		head[i], data = u, data[n:]
	}
	block, blocks, count := head[0], head[1], head[2]
	if block == 0 || block%128 != 0 || block > 1<<16 || blocks == 0 || blocks > 512 || block%blocks != 0 ||
		block/blocks%32 != 0 || count > uint64(values) {
		return damaged("differences have an impossible head")
	}
	return nil
}

// errShort says that the bytes end within a value.
var errShort = errors.New("the end comes too early")

var errThrift = errors.New("not Thrift's compact protocol")

// thriftDepthMax is how deep structures of footers and headers lie in one another.
const thriftDepthMax = 16

// The types of Thrift's compact protocol.
const (
	thriftTrue, thriftFalse, thriftByte                         = 1, 2, 3
	thriftI16, thriftI32, thriftI64, thriftDouble, thriftBinary = 4, 5, 6, 7, 8
	thriftList, thriftSet, thriftMap, thriftStruct              = 9, 10, 11, 12
)

// skipStruct passes over a structure of Thrift's compact protocol, and so makes sure that no list or text in it says
// that it is longer than what is there. budget is the number of elements that all lists together may have.
func skipStruct(b []byte, depth int, budget *int) (rest []byte, err error) {
	if depth > thriftDepthMax {
		return b, errThrift
	}
	for {
		if len(b) == 0 {
			return b, errShort
		}
		head := b[0]
		if b = b[1:]; head == 0 {
			return b, nil
		}
		if head>>4 == 0 { // the field's number follows
			if _, b, err = cutVarint(b); err != nil {
				return b, err
			}
		}
		if kind := head & 15; kind != thriftTrue && kind != thriftFalse {
			if b, err = skipThrift(b, kind, depth, budget); err != nil {
				return b, err
			}
		}
	}
}

func cutVarint(b []byte) (u uint64, rest []byte, err error) {
	u, n := binary.Uvarint(b)
	switch {
	case n == 0:
		return 0, b, errShort
	case n < 0:
		return 0, b, errThrift
	}
	return u, b[n:], nil
}

// cutBytes passes over so many bytes.
func cutBytes(b []byte, n uint64) ([]byte, error) {
	if n > uint64(len(b)) {
		return b, errShort
	}
	return b[n:], nil
}

// skipThrift passes over a value that is no truth value of a field.
func skipThrift(b []byte, kind byte, depth int, budget *int) (rest []byte, err error) {
	switch kind {
	case thriftTrue, thriftFalse, thriftByte:
		return cutBytes(b, 1)
	case thriftI16, thriftI32, thriftI64:
		_, rest, err = cutVarint(b)
		return rest, err
	case thriftDouble:
		return cutBytes(b, 8)
	case thriftBinary:
		n, rest, err := cutVarint(b)
		if err != nil {
			return b, err
		}
		if n > footerBytesMax {
			return b, errThrift
		}
		return cutBytes(rest, n)
	case thriftList, thriftSet:
		return skipList(b, depth, budget)
	case thriftStruct:
		return skipStruct(b, depth+1, budget)
	}
	return b, errThrift // Parquet has no maps
}

func skipList(b []byte, depth int, budget *int) (rest []byte, err error) {
	if len(b) == 0 {
		return b, errShort
	}
	head := b[0]
	size := uint64(head >> 4)
	if b = b[1:]; size == 15 {
		if size, b, err = cutVarint(b); err != nil {
			return b, err
		}
	}
	if depth >= thriftDepthMax || size > uint64(*budget) {
		return b, errThrift
	}
	*budget -= int(size)
	for range size {
		if b, err = skipThrift(b, head&15, depth+1, budget); err != nil {
			return b, err
		}
	}
	return b, nil
}
