// SPDX-License-Identifier: Apache-2.0

// Package tikv is the engine on a TiKV cluster, by way of client-go. Any number of stores, in any number of processes,
// may share a cluster and a prefix.
//
// # How it keeps kv's promises
//
//   - A snapshot is a timestamp from the cluster's placement driver; every read carries it. A Txn takes its timestamp
//     at Begin.
//   - A Txn buffers its writes here and sends them at Commit, as an optimistic transaction under its first timestamp:
//     each key is checked against commits since. Guarded keys go along as lock records and are checked the same way, so
//     a guard takes effect at Commit alone, and two transactions that guard the same key conflict. A blind write
//     conflicts like any other.
//   - A conflict ends the transaction; running it again under a new timestamp is kv.Update's job. Nothing ever commits
//     under a timestamp older than a lock it waited for.
//   - A commit in one region takes one request, others one to each region: they are asynchronous, and stand once all
//     keys are locked. docs/tikv.md tells its meaning for reads, stamps and fences.
//   - A commit whose answer was lost is kv.ErrUnknownOutcome; every other error means that nothing was written.
//   - GetMany sends one request for each region that its keys lie in, side by side, each with retries of its own.
//   - Scans fetch pages, which start small and grow up to a number of entries and of bytes; Seek inside the current
//     page costs no request. After some pages the next one is asked for while the one at hand is read.
//
// # What is stored
//
// Each key stands behind Options.Prefix, so that an empty key is none for the cluster. Each value stands behind one
// byte that names its form, since the cluster takes no empty values.
//
// Somebody must run the cluster's garbage collection: Collect does, which one store at a time should call; so does
// TiDB, where it shares the cluster.
//
// Knows: client-go and the placement driver's client, timestamps, prefixes, pages.
// Never: keyspace, schema, the other engines.
package tikv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	clientkv "github.com/tikv/client-go/v2/kv"
	"github.com/tikv/client-go/v2/oracle"
	"github.com/tikv/client-go/v2/tikv"

	"github.com/weftdb/weft/kv"
)

// The cluster's own limits with their default settings, and what is left of them for a key and a value.
const (
	entryBytesMax  = 6 << 20   // key and value as stored
	keyBytesMax    = 7 << 10   // 8 KiB, less what TiKV's own key encoding adds (an eighth) and the prefix
	prefixBytesMax = 64        // bytes of Options.Prefix
	txnBytesMax    = 100 << 20 // keys and values of one transaction

	collectDefault = 10 * time.Minute // how far back garbage collection stays
	collectMin     = time.Second
)

// Options configures a Store. The zero value works for FromClient; Open needs PD.
type Options struct {
	// PD holds the addresses of the placement drivers, host:port each. Default: none, which Open refuses.
	PD []string
	// CAPath, CertPath and KeyPath are PEM files for TLS towards the cluster. Default: no TLS.
	CAPath, CertPath, KeyPath string
	// Prefix stands before every key, so that a cluster can be shared; 1 to 64 bytes. Default: "w".
	Prefix []byte
	// TwoPhases makes every commit take two rounds of writes. Default: a transaction of one region commits in one round
	// (1PC), and others answer before their commit records are written (async commit), which needs TiKV 5.0.
	TwoPhases bool
	// ReplicaReads lets reads in contexts of kv.FromReplicas go to any replica of their region instead of the leader
	// alone. A follower asks its leader how far the region is before it answers, so it shows the same.
	ReplicaReads bool
	// KeepVersions is the age up to which Collect leaves old versions; the same for all stores of a prefix.
	// Snapshots and transactions live nine tenths of it. At least a second. Default: 10 minutes.
	KeepVersions time.Duration
	// Now is the clock by which snapshots and transactions grow too old. Default: time.Now.
	Now func() time.Time
}

// Validate reports all faults at once. Open and FromClient call it.
func (o Options) Validate() error {
	var faults []error
	if len(o.Prefix) > prefixBytesMax {
		faults = append(faults, fmt.Errorf("tikv: the prefix has %d bytes; use at most %d", len(o.Prefix),
			prefixBytesMax))
	}
	if o.KeepVersions != 0 && o.KeepVersions < collectMin {
		faults = append(faults, fmt.Errorf("tikv: old versions are kept for %v; keep them for at least %v",
			o.KeepVersions, collectMin))
	}
	if (o.CertPath == "") != (o.KeyPath == "") {
		faults = append(faults, errors.New("tikv: a certificate needs its key; set both CertPath and KeyPath"))
	}
	if o.CertPath != "" && o.CAPath == "" {
		faults = append(faults, errors.New("tikv: a certificate needs CAPath too"))
	}
	return errors.Join(faults...)
}

// Store is a connection to a cluster. It implements kv.Store and kv.Admin.
type Store struct {
	client    *tikv.KVStore
	prefix    []byte
	twoPhases bool
	replicas  bool          // may be asked
	keep      time.Duration // of old versions
	// of snapshots and transactions; shorter than keep, so that a request under way is not overtaken
	lifetime time.Duration
	now      func() time.Time
	until    atomic.Pointer[func() int64] // the fence
	closed   atomic.Bool
}

var (
	_ kv.Store     = (*Store)(nil)
	_ kv.Admin     = (*Store)(nil)
	_ kv.Shared    = (*Store)(nil)
	_ kv.Collector = (*Store)(nil)
)

// FromClient makes a Store of an open client, which it closes in the end. PD and TLS of options don't count.
func FromClient(client *tikv.KVStore, options Options) (*Store, error) {
	if err := options.Validate(); err != nil {
		return nil, err
	}
	s := &Store{client: client, prefix: bytes.Clone(options.Prefix), twoPhases: options.TwoPhases,
		replicas: options.ReplicaReads, now: options.Now}
	if len(s.prefix) == 0 {
		s.prefix = []byte("w")
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.keep = options.KeepVersions; s.keep == 0 {
		s.keep = collectDefault
	}
	s.lifetime = s.keep * 9 / 10
	return s, nil
}

// Get appends the latest committed value of key to dst. It reads at a new timestamp: the cluster answers a read without
// one even while the key's transaction is between its timestamp and its commit, and then shows less than another read
// may have seen before. Errors: kv.ErrClosed, kv.ErrFormat, ctx's error, the cluster's.
func (s *Store) Get(ctx context.Context, key, dst []byte) ([]byte, bool, error) {
	v, err := s.view(ctx)
	if err != nil {
		return dst, false, err
	}
	return v.get(ctx, key, dst)
}

// Read opens a snapshot at a new timestamp. Errors: kv.ErrClosed, ctx's error, the cluster's.
func (s *Store) Read(ctx context.Context) (kv.Reader, error) {
	v, err := s.view(ctx)
	if err != nil {
		return nil, err
	}
	return &Reader{view: v}, nil
}

// Begin starts a transaction at a new timestamp. Errors: kv.ErrClosed, ctx's error, the cluster's.
func (s *Store) Begin(ctx context.Context) (kv.Txn, error) {
	v, err := s.view(ctx)
	if err != nil {
		return nil, err
	}
	return newTxn(v), nil
}

// Limits returns what a cluster with default settings takes.
func (s *Store) Limits() kv.Limits {
	return kv.Limits{
		KeyBytesMax:      keyBytesMax,
		ValueBytesMax:    entryBytesMax - keyBytesMax - prefixBytesMax - formBytes,
		TxnBytesMax:      txnBytesMax,
		TxnLifetimeMS:    s.lifetime.Milliseconds(),
		SnapshotLifetime: s.lifetime.Milliseconds(),
	}
}

// Close closes the connection. Calls under way return kv.ErrClosed or their result. Errors: the client's.
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	return s.client.Close()
}

// check returns the reason why the store can't be used, if any.
func (s *Store) check(ctx context.Context) error {
	if s.closed.Load() {
		return kv.ErrClosed
	}
	return ctx.Err()
}

// view takes a timestamp.
func (s *Store) view(ctx context.Context) (*view, error) {
	if err := s.check(ctx); err != nil {
		return nil, err
	}
	began := s.now()
	timestamp, err := s.timestamp(ctx)
	if err != nil {
		return nil, err
	}
	v := &view{store: s, timestamp: timestamp, began: began}
	if s.replicas && kv.MayAskReplicas(ctx) {
		v.replicas = clientkv.ReplicaReadMixed
	}
	return v, nil
}

// ReadsReplicas implements kv.Replicated.
func (s *Store) ReadsReplicas() bool { return s.replicas }

// timestampBackoffMS bounds the waiting for a timestamp: the placement driver has another leader by then.
const timestampBackoffMS = 30_000

// timestamp asks the placement driver.
func (s *Store) timestamp(ctx context.Context) (uint64, error) {
	backoff := tikv.NewBackofferWithVars(ctx, timestampBackoffMS, nil)
	timestamp, err := s.client.GetTimestampWithRetry(backoff, oracle.GlobalTxnScope)
	return timestamp, s.readError(ctx, err)
}

// storedKey returns key as it is stored, in new memory.
func (s *Store) storedKey(key []byte) []byte {
	return append(append(make([]byte, 0, len(s.prefix)+len(key)), s.prefix...), key...)
}

// storedEnd returns the stored form of an exclusive upper bound; nil stands for the end of the prefix.
func (s *Store) storedEnd(end []byte) []byte {
	if end != nil {
		return s.storedKey(end)
	}
	return prefixEnd(s.prefix)
}

// storedRange returns the stored form of r.
func (s *Store) storedRange(r kv.Range) (start, end []byte) {
	return s.storedKey(r.Start), s.storedEnd(r.End)
}

// prefixEnd returns the first key after all that start with prefix; nil if there is none.
func prefixEnd(prefix []byte) []byte {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] != 0xff {
			end := bytes.Clone(prefix[:i+1])
			end[i]++
			return end
		}
	}
	return nil
}

// formPlain is the form of a value that follows as it is. Other first bytes are free for later forms.
const formPlain = 0x01

// formBytes is the number of bytes a stored value is longer.
const formBytes = 1

// appendValue appends the stored form of value to dst.
func appendValue(dst, value []byte) []byte {
	return append(append(dst, formPlain), value...)
}

// cutValue returns the value in a stored one, which it aliases. Errors: kv.ErrFormat.
func cutValue(stored []byte) ([]byte, error) {
	if len(stored) == 0 || stored[0] != formPlain {
		return nil, fmt.Errorf("tikv: a value starts with %x; the prefix is used by another program or a newer one: %w",
			stored[:min(1, len(stored))], kv.ErrFormat)
	}
	return stored[formBytes:len(stored):len(stored)], nil
}
