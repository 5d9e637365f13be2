// SPDX-License-Identifier: Apache-2.0

// Package idempotency makes transactions happen once, however often clients repeat them: it stores the token of each
// with its writes, in the same commit. Tokens stand in buckets of time, of which old ones are deleted as a whole.
//
// Knows: tokens, digests, when they were used.
// Never: what a transaction does.
package idempotency

import (
	"context"
	"encoding/binary"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/kv"
)

// Window is the time the token of a transaction is remembered after its commit.
const Window = 10 * time.Minute

// Token makes a transaction happen once, however often a client asks for it because it did not hear the answer.
type Token struct {
	ID string // chosen by the client; at most 255 bytes
	// Digest is of everything that the transaction does: another transaction with the same token is refused.
	Digest [16]byte
}

// Errors of tokens.
var (
	// ErrReused is the error of a transaction whose token belongs to one that does something else.
	ErrReused = errors.New("weft: the token belongs to another transaction")
	// ErrInUse is the error of a transaction that is asked for while it is being done.
	ErrInUse = errors.New("weft: the transaction with this token is being done")
)

// Options configures a Book. All fields are required.
type Options struct {
	Now    func() time.Time
	Logger *slog.Logger
	// Clear deletes all keys of a range that nobody reads or writes any more.
	Clear func(context.Context, kv.Range) error
}

// Book knows the transactions with tokens that are being done in this process, and forgets the records of old ones.
type Book struct {
	Options
	mu    sync.Mutex
	inUse map[string]struct{}
	// swept is the bucket before which all records have been deleted, or are being deleted now.
	swept  uint64
	sweeps sync.WaitGroup
	life   context.Context // ends with Close
	cancel context.CancelFunc
}

// Open makes a Book, which must be closed.
func Open(ctx context.Context, options Options) *Book {
	b := &Book{Options: options, inUse: map[string]struct{}{}}
	b.life, b.cancel = context.WithCancel(context.WithoutCancel(ctx))
	return b
}

// Close stops deleting. Nothing begins to be deleted later.
func (b *Book) Close() {
	b.mu.Lock()
	b.cancel()
	b.mu.Unlock()
	b.sweeps.Wait()
}

// Begin notes that the transaction with a token is being done; false if it is already. End takes the note back.
func (b *Book) Begin(id string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, twice := b.inUse[id]; twice {
		return false
	}
	b.inUse[id] = struct{}{}
	return true
}

// End says that the transaction with a token is done, or not to be done.
func (b *Book) End(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.inUse, id)
}

// tokenBytes is the length of a record: the time of the commit in Unix milliseconds, and the digest.
const tokenBytes = 8 + 16

// Use looks a token up and notes it if it is new. A bucket spans Window, so what is still remembered stands in the
// current bucket or in the one before; old buckets are deleted as a whole. The older key is guarded: a gateway whose
// clock is a little behind may be writing it. done says that the transaction was done before. Errors: ErrReused.
func (b *Book) Use(ctx context.Context, txn kv.Txn, token *Token) (done bool, err error) {
	now := b.Now()
	bucket := uint64(now.UnixNano()) / uint64(Window)
	current, before := keyspace.AppendToken(nil, bucket, token.ID), keyspace.AppendToken(nil, bucket-1, token.ID)
	for _, key := range [][]byte{current, before} {
		record, ok, err := txn.Get(ctx, key, nil)
		if err != nil {
			return false, err
		}
		if !ok || len(record) != tokenBytes {
			continue
		}
		if at := time.UnixMilli(int64(binary.BigEndian.Uint64(record))); now.Sub(at) > Window {
			continue
		}
		if string(record[8:]) != string(token.Digest[:]) {
			return false, ErrReused
		}
		return true, nil
	}
	if err := txn.Guard(before); err != nil {
		return false, err
	}
	b.sweep(bucket - 1)
	record := binary.BigEndian.AppendUint64(make([]byte, 0, tokenBytes), uint64(now.UnixMilli()))
	return false, txn.Set(current, append(record, token.Digest[:]...))
}

// sweep deletes the buckets before one, in the background, once for each.
func (b *Book) sweep(bucket uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if bucket <= b.swept || b.life.Err() != nil {
		return
	}
	b.swept = bucket
	b.sweeps.Go(func() {
		err := b.Clear(b.life, kv.Range{Start: keyspace.AppendAllTokens(nil), End: keyspace.AppendTokens(nil, bucket)})
		if err != nil && b.life.Err() == nil {
			b.Logger.Warn("failed to delete old transaction tokens; will retry in ten minutes", "error", err)
		}
	})
}
