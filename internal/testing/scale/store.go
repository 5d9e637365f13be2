// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"bytes"
	"context"
	"encoding/binary"
	"time"

	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/mem"
)

// Store is the cluster as one gateway has it: kv.Store, kv.Shared, kv.Stamps and kv.Admin.
type Store struct {
	*mem.Shared
	cluster *Cluster
}

var (
	_ kv.Shared = (*Store)(nil)
	_ kv.Stamps = (*Store)(nil)
	_ kv.Admin  = (*Store)(nil)
)

// Open returns the cluster for one more gateway.
func (c *Cluster) Open() *Store { return &Store{c.data.Share(), c} }

// NowMS asks the placement driver.
func (s *Store) NowMS(ctx context.Context) (int64, error) {
	s.cluster.driver(1)
	return s.Shared.NowMS(ctx)
}

// StampsInOrder is false, as in package kv/tikv, so that changes go through the outbox.
func (s *Store) StampsInOrder() bool { return false }

// Get is a timestamp and a read.
func (s *Store) Get(ctx context.Context, key, dst []byte) ([]byte, bool, error) {
	s.cluster.driver(1)
	s.cluster.read(key)
	return s.Shared.Get(ctx, key, dst)
}

// Read is a timestamp.
func (s *Store) Read(ctx context.Context) (kv.Reader, error) {
	s.cluster.driver(1)
	reader, err := s.Shared.Read(ctx)
	if err != nil {
		return nil, err
	}
	return &countedReader{counted{reader, s.cluster}, reader}, nil
}

// Begin is a timestamp.
func (s *Store) Begin(ctx context.Context) (kv.Txn, error) {
	s.cluster.driver(1)
	txn, err := s.Shared.Begin(ctx)
	if err != nil {
		return nil, err
	}
	return &countedTxn{Txn: txn, counted: counted{txn, s.cluster}}, nil
}

// counted is a snapshot whose reads are counted.
type counted struct {
	view    kv.Snapshot
	cluster *Cluster
}

func (v counted) Get(ctx context.Context, key, dst []byte) ([]byte, bool, error) {
	v.cluster.read(key)
	return v.view.Get(ctx, key, dst)
}

func (v counted) GetMany(ctx context.Context, keys [][]byte, found func(int, []byte, bool) error) error {
	v.cluster.read(keys...)
	return v.view.GetMany(ctx, keys, func(i int, value []byte, ok bool) error {
		v.cluster.mu.Lock()
		v.cluster.usage.Bytes += int64(len(value))
		v.cluster.mu.Unlock()
		return found(i, value, ok)
	})
}

func (v counted) Scan(ctx context.Context, r kv.Range, reverse bool) kv.Cursor {
	c := &countedCursor{Cursor: v.view.Scan(ctx, r, reverse), cluster: v.cluster, reverse: reverse}
	c.place(r)
	return c
}

type countedReader struct {
	counted
	reader kv.Reader
}

func (r *countedReader) Close() error { return r.reader.Close() }

// countedTxn is a transaction whose requests are counted. It is no kv.Renewer, as those of a cluster.
type countedTxn struct {
	kv.Txn
	counted
	keys, deleted []string
}

func (t *countedTxn) Get(ctx context.Context, key, dst []byte) ([]byte, bool, error) {
	return t.counted.Get(ctx, key, dst)
}

func (t *countedTxn) GetMany(ctx context.Context, keys [][]byte, found func(int, []byte, bool) error) error {
	return t.counted.GetMany(ctx, keys, found)
}

func (t *countedTxn) Scan(ctx context.Context, r kv.Range, reverse bool) kv.Cursor {
	return t.counted.Scan(ctx, r, reverse)
}

func (t *countedTxn) Set(key, value []byte) error {
	t.keys = append(t.keys, string(key))
	return t.Txn.Set(key, value)
}

func (t *countedTxn) Delete(key []byte) error {
	t.keys, t.deleted = append(t.keys, string(key)), append(t.deleted, string(key))
	return t.Txn.Delete(key)
}

func (t *countedTxn) Guard(key []byte) error {
	t.keys = append(t.keys, string(key))
	return t.Txn.Guard(key)
}

func (t *countedTxn) StampsInOrder() bool { return false }

func (t *countedTxn) Stamped(key []byte) ([]byte, bool) { return t.Txn.(kv.Stamper).Stamped(key) }

func (t *countedTxn) SetStamped(key []byte, at int, value []byte) error {
	stamped := bytes.Clone(key)
	binary.BigEndian.PutUint64(stamped[at:], kv.StampOf(time.Now().UnixMilli()))
	t.keys = append(t.keys, string(stamped))
	return t.Txn.(kv.Stamper).SetStamped(key, at, value)
}

func (t *countedTxn) Commit(ctx context.Context) error {
	err := t.Txn.Commit(ctx)
	if len(t.keys) > 0 {
		t.cluster.commit(t.keys, t.deleted, err)
	}
	return err
}

// countedCursor counts the pages of a scan, and what lies in them.
type countedCursor struct {
	kv.Cursor
	cluster *Cluster
	reverse bool
	r       kv.Range
	at      string // where the walk is
	region  int
	size    int // of the page
	left    int // in the page; 0: the next step asks for one
}

func (c *countedCursor) place(r kv.Range) {
	c.r, c.size, c.left, c.at = r, pageFirst, 0, string(r.Start)
	if c.reverse {
		c.at = string(r.End)
	}
}

// Move takes the walk to another range, which is another scan.
func (c *countedCursor) Move(r kv.Range) {
	c.place(r)
	c.Cursor.Move(r)
}

// Seek begins another page, unless it is a short way.
func (c *countedCursor) Seek(key []byte) {
	c.at, c.left = string(key), 0
	c.Cursor.Seek(key)
}

// Next counts a request where a page or a region begins, and all that is stepped over.
func (c *countedCursor) Next() bool {
	more := c.Cursor.Next()
	to := string(c.r.End)
	switch {
	case more:
		to = string(c.Key())
	case c.reverse:
		to = string(c.r.Start)
	case c.r.End == nil:
		to = "\xff\xff"
	}
	c.cluster.count(func(u *Usage) {
		if region := c.cluster.regionOf(c.at); c.left == 0 || region != c.region {
			if c.left == 0 {
				c.left, c.size = c.size, min(c.size*pageGrowth, pageMax)
			}
			c.region = region
			u.Scans++
			c.cluster.at(region, ReadCost)
		}
		c.left--
		stepped := c.cluster.rank(max(c.at, to)) - c.cluster.rank(min(c.at, to))
		u.Stepped += int64(stepped)
		c.cluster.at(c.region, time.Duration(stepped)*SteppedCost)
		if more {
			u.Entries++
			u.Bytes += int64(len(c.Key()) + len(c.Value()))
			c.cluster.at(c.region, EntryCost)
		}
	})
	c.at = to
	return more
}

// DeleteRange removes a range, and what is stepped over in it.
func (s *Store) DeleteRange(ctx context.Context, r kv.Range) error {
	s.cluster.count(func(u *Usage) {
		u.Writes++
		s.cluster.at(s.cluster.regionOf(string(r.Start)), WriteCost)
		for at := s.cluster.rank(string(r.Start)); at < s.cluster.deleted.Len(); {
			key, _, _ := s.cluster.deleted.GetAt(at)
			if r.End != nil && key >= string(r.End) {
				break
			}
			s.cluster.deleted.DeleteAt(at)
		}
	})
	return s.cluster.data.DeleteRange(ctx, r)
}

// Regions lists regions from the placement driver.
func (s *Store) Regions(_ context.Context, r kv.Range) ([]kv.Region, error) {
	if r.End != nil && bytes.Compare(r.Start, r.End) >= 0 {
		return nil, nil
	}
	return s.cluster.list(r), nil
}

// Split splits regions: a request for each, and one to the placement driver to spread it.
func (s *Store) Split(_ context.Context, keys [][]byte) error {
	texts := make([]string, len(keys))
	for i, key := range keys {
		texts[i] = string(key)
	}
	s.cluster.Split(texts...)
	s.cluster.count(func(u *Usage) { u.Writes += int64(len(keys)); u.Driver += int64(len(keys)) })
	return nil
}

// Checkpoint returns kv.ErrUnsupported.
func (s *Store) Checkpoint(context.Context, string) error { return kv.ErrUnsupported }

// Ingest returns kv.ErrUnsupported.
func (s *Store) Ingest(context.Context, func() (key, value []byte, err error)) error {
	return kv.ErrUnsupported
}

// Compact returns kv.ErrUnsupported.
func (s *Store) Compact(context.Context, kv.Range) error { return kv.ErrUnsupported }

// ApproximateSize returns kv.ErrUnsupported.
func (s *Store) ApproximateSize(context.Context, kv.Range) (int64, error) {
	return 0, kv.ErrUnsupported
}
