// SPDX-License-Identifier: Apache-2.0

package backup

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/storage"
)

// The log of a store is its changes since a backup, as they are shipped: objects beside those of backups.
//
//	log/bases/<time>-<chain>                  a backup from which the changes of a chain lead on: base, JSON
//	log/chains/<chain>/<first>-<count>-<until>-<digest>   changes: segment; with .sealed behind it if it is encrypted
//
// What a restore relies on:
//
//   - A chain is changes without a hole, numbered from 0, in the order in which they were made. Where changes are
//     missing, another chain begins.
//   - Only durable changes are shipped, so a chain never has what the store itself lost with its power.
//   - The backup of a base has all changes before its From, none after Ready, and perhaps some between. Changes are
//     absolute: made again from From on, up to Ready at least, they leave what the store had.
//   - A base and a segment are whole or not there, and a segment's digest is in its name.
const (
	basesPrefix  = "log/bases/"
	chainsPrefix = "log/chains/"
)

// base is a backup from which changes lead on.
type base struct {
	Backup string `json:"backup"` // id
	Chain  string `json:"chain"`
	From   int64  `json:"from"`  // the number of the first change that the backup may lack
	Ready  int64  `json:"ready"` // how many changes the backup may have
	AtMS   int64  `json:"atMS"`  // by then the first Ready changes were durable: Unix milliseconds
	Sealed bool   `json:"sealed,omitempty"`
}

const baseBytesMax = 64 << 10

func (b *base) name() string { return fmt.Sprintf("%s%013d-%s", basesPrefix, b.AtMS, b.Chain) }

// bases lists all bases, oldest first.
func bases(ctx context.Context, from storage.Storage) (all []base, err error) {
	for o, err := range from.List(ctx, basesPrefix, "") {
		if err != nil {
			return nil, err
		}
		text, err := storage.ReadAll(ctx, from, o.Name, baseBytesMax)
		if err != nil {
			return nil, err
		}
		var b base
		if err := json.Unmarshal(text, &b); err != nil || b.name() != o.Name || b.Chain == "" ||
			strings.ContainsAny(b.Chain, "/\\") || b.From < 0 || b.Ready < b.From {
			return nil, fmt.Errorf("backup: %s is damaged: remove it, and another base is used; %w", o.Name,
				errors.Join(err))
		}
		all = append(all, b)
	}
	return all, nil
}

// segment is changes of a chain.
type segment struct {
	chain   string
	first   int64
	count   int64
	untilMS int64 // it has all changes from first on that were durable by then: Unix milliseconds
	digest  string
	sealed  bool
}

func (s *segment) next() int64 { return s.first + s.count }

func (s *segment) name() string {
	name := fmt.Sprintf("%s%s/%012d-%06d-%013d-%s", chainsPrefix, s.chain, s.first, s.count, s.untilMS, s.digest)
	if s.sealed {
		name += sealedSuffix
	}
	return name
}

// parseSegment reads a name. ok is false for one that name did not make.
func parseSegment(name string) (s segment, ok bool) {
	rest, ok := strings.CutPrefix(name, chainsPrefix)
	if !ok {
		return s, false
	}
	s.chain, rest, _ = strings.Cut(rest, "/")
	rest, s.sealed = strings.CutSuffix(rest, sealedSuffix)
	_, err := fmt.Sscanf(rest, "%d-%d-%d-%s", &s.first, &s.count, &s.untilMS, &s.digest)
	return s, err == nil && s.first >= 0 && s.count >= 0 && s.name() == name
}

// segmentsOf lists the segments of a chain, or of all chains if it is "", in the order of their first changes.
func segmentsOf(ctx context.Context, from storage.Storage, chain string) (all []segment, err error) {
	prefix := chainsPrefix
	if chain != "" {
		prefix += chain + "/"
	}
	for o, err := range from.List(ctx, prefix, "") {
		if err != nil {
			return nil, err
		}
		s, ok := parseSegment(o.Name)
		if !ok {
			return nil, fmt.Errorf("backup: %s is no part of a log: remove it", o.Name)
		}
		all = append(all, s)
	}
	return all, nil
}

// appendChange appends a change's form in a segment: its time, its length, its bytes.
func appendChange(dst []byte, c *kv.Change) []byte {
	dst = binary.AppendUvarint(dst, uint64(c.MS))
	dst = binary.AppendUvarint(dst, uint64(len(c.Bytes)))
	return append(dst, c.Bytes...)
}

// changeBytesMax bounds one change.
const changeBytesMax = 256 << 20

// parseChanges reads what appendChange wrote, count times. Errors: errSegment.
func parseChanges(b []byte, count int64) (changes []kv.Change, err error) {
	for range count {
		ms, n := binary.Uvarint(b)
		if n <= 0 || ms > 1<<50 {
			return nil, errSegment
		}
		size, k := binary.Uvarint(b[n:])
		if k <= 0 || size > uint64(len(b)-n-k) {
			return nil, errSegment
		}
		b = b[n+k:]
		changes = append(changes, kv.Change{MS: int64(ms), Bytes: b[:size]})
		b = b[size:]
	}
	if len(b) > 0 {
		return nil, errSegment
	}
	return changes, nil
}

// pack makes the object of changes, before it is encrypted, and its digest.
func pack(encoder *zstd.Encoder, changes []kv.Change) (packed []byte, digest string) {
	var plain []byte
	for i := range changes {
		plain = appendChange(plain, &changes[i])
	}
	packed = encoder.EncodeAll(plain, nil)
	sum := sha256.Sum256(packed)
	return packed, hex.EncodeToString(sum[:])
}

// readSegment returns the changes of a segment, checked.
func readSegment(ctx context.Context, from storage.Storage, s *segment,
	open func(io.Reader) (io.Reader, error)) (changes []kv.Change, err error) {
	body, err := from.Get(ctx, s.name(), 0, -1)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, body.Close()) }()
	plain := io.Reader(body)
	if s.sealed {
		if open == nil {
			return nil, fmt.Errorf("backup: %s is encrypted: give the key", s.name())
		}
		if plain, err = open(body); err != nil {
			return nil, fmt.Errorf("backup: %s can't be decrypted: %w", s.name(), err)
		}
	}
	packed, err := io.ReadAll(io.LimitReader(plain, changeBytesMax+1))
	if err != nil {
		return nil, fmt.Errorf("backup: %s: %w", s.name(), err)
	}
	if sum := sha256.Sum256(packed); hex.EncodeToString(sum[:]) != s.digest {
		return nil, fmt.Errorf("backup: %s is damaged: its SHA-256 is %x", s.name(), sum)
	}
	unpack, err := zstd.NewReader(bytes.NewReader(packed), zstd.WithDecoderConcurrency(1),
		zstd.WithDecoderMaxMemory(2*changeBytesMax))
	if err != nil {
		return nil, err
	}
	defer unpack.Close()
	text, err := io.ReadAll(io.LimitReader(unpack, 2*changeBytesMax))
	if err != nil {
		return nil, fmt.Errorf("backup: %s: %w", s.name(), err)
	}
	return parseChanges(text, s.count)
}
