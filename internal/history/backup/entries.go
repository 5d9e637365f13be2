// SPDX-License-Identifier: Apache-2.0

package backup

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zstd"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/kv"
)

// A segment is entries in the order of their keys, each as the lengths of its key and value and then both; all of it
// compressed by zstd. A segment ends behind a key that its hash chooses, so that a change of some entries changes the
// segments that they are in and no other.
const (
	segmentBytesMin = 4 << 20
	segmentBytesMax = 64 << 20 // before compression
	cutMask         = 1<<10 - 1
)

// entryBytesMax bounds a key and a value: engines take no larger ones.
const entryBytesMax = 33 << 20

// entries makes a backup of a snapshot.
func (m *maker) entries(ctx context.Context, store kv.Store) (err error) {
	m.result.Kind = kindEntries
	reader, err := store.Read(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	pack, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	cursor := reader.Scan(ctx, kv.Range{}, false)
	defer func() { err = errors.Join(err, cursor.Close()) }()
	var plain, packed []byte
	flush := func() error {
		packed = pack.EncodeAll(plain, packed[:0])
		plain = plain[:0]
		return m.putSegment(ctx, packed)
	}
	for cursor.Next() {
		if keyspace.IsOfProcess(cursor.Key()) {
			continue
		}
		plain = appendEntry(plain, cursor.Key(), cursor.Value())
		if isCut(len(plain), cursor.Key()) {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if err := cursor.Close(); err != nil || len(plain) == 0 {
		return err
	}
	return flush()
}

// isCut reports whether a segment of so many bytes ends behind a key.
func isCut(size int, key []byte) bool {
	return size >= segmentBytesMin && (xxhash.Sum64(key)&cutMask == 0 || size >= segmentBytesMax)
}

func appendEntry(dst, key, value []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(key)))
	dst = binary.AppendUvarint(dst, uint64(len(value)))
	return append(append(dst, key...), value...)
}

// errSegment is the error of a segment that no program of this format wrote.
var errSegment = errors.New("backup: a segment is malformed")

// cutEntry takes the first entry off a segment.
func cutEntry(b []byte) (key, value, rest []byte, err error) {
	keySize, n := binary.Uvarint(b)
	if n <= 0 || keySize > entryBytesMax {
		return nil, nil, nil, errSegment
	}
	valueSize, k := binary.Uvarint(b[n:])
	if k <= 0 || valueSize > entryBytesMax {
		return nil, nil, nil, errSegment
	}
	b = b[n+k:]
	if uint64(len(b)) < keySize+valueSize {
		return nil, nil, nil, errSegment
	}
	return b[:keySize], b[keySize : keySize+valueSize], b[keySize+valueSize:], nil
}

func (m *maker) putSegment(ctx context.Context, packed []byte) error {
	digest := sha256.Sum256(packed)
	f := File{Name: fmt.Sprintf("%08d", len(m.result.Files)), Size: int64(len(packed)),
		SHA256: hex.EncodeToString(digest[:])}
	m.result.Files = append(m.result.Files, f)
	err := m.put(ctx, &f, func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(packed)), nil })
	if err == nil {
		m.tell(len(m.result.Files) - 1)
	}
	return err
}
