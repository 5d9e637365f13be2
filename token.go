// SPDX-License-Identifier: Apache-2.0

package weft

import (
	"context"
	"encoding/binary"
	"errors"
	"sync"
	"time"

	"github.com/weftdb/weft/internal/keyspace"
	"github.com/weftdb/weft/kv"
)

// TokenWindow is how long the token of a transaction is remembered after its commit.
const TokenWindow = 10 * time.Minute

// Token makes a transaction happen once, however often a client asks for it because it did not hear the answer.
type Token struct {
	ID string // chosen by the client; at most 255 bytes
	// Digest is of everything that the transaction does: another transaction with the same token is refused.
	Digest [16]byte
}

// Errors of tokens.
var (
	// ErrTokenReused is the error of a transaction whose token belongs to one that does something else.
	ErrTokenReused = errors.New("weft: the token belongs to another transaction")
	// ErrTokenInUse is the error of a transaction that is asked for while it is being done.
	ErrTokenInUse = errors.New("weft: the transaction with this token is being done")
)

// tokens knows the transactions with tokens that are being done in this process, and forgets the records of old ones.
type tokens struct {
	mu    sync.Mutex
	inUse map[string]struct{}
	// swept is the bucket before which all records have been deleted, or are being deleted now.
	swept  uint64
	sweeps sync.WaitGroup
	life   context.Context // ends with the database
	cancel context.CancelFunc
}

// close stops deleting. Nothing begins to be deleted later.
func (t *tokens) close() {
	t.mu.Lock()
	t.cancel()
	t.mu.Unlock()
	t.sweeps.Wait()
}

func (t *tokens) begin(id string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, twice := t.inUse[id]; twice {
		return false
	}
	if t.inUse == nil {
		t.inUse = map[string]struct{}{}
	}
	t.inUse[id] = struct{}{}
	return true
}

func (t *tokens) end(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.inUse, id)
}

// tokenBytes is the length of a record: the time of the commit in Unix milliseconds, and the digest.
const tokenBytes = 8 + 16

// useToken looks a token up and notes it if it is new. A bucket spans TokenWindow, so what is still remembered stands in the current
// bucket or in the one before; old buckets are deleted as a whole. The older key is guarded: a gateway whose clock is a little behind may be
// writing it.
func (db *DB) useToken(ctx context.Context, txn kv.Txn, token *Token) (done bool, err error) {
	now := db.options.Now()
	bucket := uint64(now.UnixNano()) / uint64(TokenWindow)
	current, before := keyspace.AppendToken(nil, bucket, token.ID), keyspace.AppendToken(nil, bucket-1, token.ID)
	for _, key := range [][]byte{current, before} {
		record, ok, err := txn.Get(ctx, key, nil)
		if err != nil {
			return false, err
		}
		if !ok || len(record) != tokenBytes {
			continue
		}
		if at := time.UnixMilli(int64(binary.BigEndian.Uint64(record))); now.Sub(at) > TokenWindow {
			continue
		}
		if string(record[8:]) != string(token.Digest[:]) {
			return false, ErrTokenReused
		}
		return true, nil
	}
	if err := txn.Guard(before); err != nil {
		return false, err
	}
	db.sweepTokens(bucket - 1)
	record := binary.BigEndian.AppendUint64(make([]byte, 0, tokenBytes), uint64(now.UnixMilli()))
	return false, txn.Set(current, append(record, token.Digest[:]...))
}

// sweepTokens deletes the buckets before one, in the background, once for each.
func (db *DB) sweepTokens(bucket uint64) {
	t := &db.tokens
	t.mu.Lock()
	defer t.mu.Unlock()
	if bucket <= t.swept || t.life.Err() != nil {
		return
	}
	t.swept = bucket
	t.sweeps.Go(func() {
		err := db.jobs.Clear(t.life, kv.Range{Start: keyspace.AppendAllTokens(nil), End: keyspace.AppendTokens(nil, bucket)})
		if err != nil && t.life.Err() == nil {
			db.options.Logger.Warn("old tokens of transactions could not be deleted; the next one tries again in ten minutes", "error", err)
		}
	})
}
