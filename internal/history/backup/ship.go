// SPDX-License-Identifier: Apache-2.0

package backup

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/storage"
)

// ShipOptions are the settings of a Shipper. The zero value works.
type ShipOptions struct {
	// Seal and Program are the same as a backup's.
	Seal    func(to io.Writer) (io.WriteCloser, error)
	Program string
	// Keep is the time moments stay restorable. Default: 7 days.
	Keep time.Duration
	// Interval is the time between two segments, BaseInterval that between two backups. Default: 1 second, 1 day.
	Interval, BaseInterval time.Duration
	// RetryPause is the time it waits after an error; twice as long after the next one, up to half a minute. Default: 1
	// second.
	RetryPause time.Duration
	// WaitingBytes bounds the changes in memory that wait to be shipped. Default: 128 MiB.
	WaitingBytes int64
	Logger       *slog.Logger // default: nothing is logged
}

func (o ShipOptions) withDefaults() ShipOptions {
	o.Keep = cmp.Or(o.Keep, 7*24*time.Hour)
	o.Interval = cmp.Or(o.Interval, time.Second)
	o.BaseInterval = cmp.Or(o.BaseInterval, 24*time.Hour)
	o.RetryPause = cmp.Or(o.RetryPause, time.Second)
	o.WaitingBytes = cmp.Or(o.WaitingBytes, 128<<20)
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	return o
}

const (
	shipBytes   = 4 << 20          // about what a segment has, before compression
	shipIdle    = time.Minute      // how often a chain without changes says so
	retryLast   = 30 * time.Second // the longest pause after an error
	goodbyeTime = 5 * time.Second  // what Close takes at most to ship what is left
)

// ShippingState is how a Shipper does.
type ShippingState struct {
	// SafeMS is the newest moment that can be restored: Unix milliseconds; when the Shipper began if there is none.
	SafeMS                        int64
	Segments, Bytes, Bases, Fails int64 // so far
	Chains                        int64 // begun: more than one says that changes were missing
}

// Shipper ships the changes of a store to a storage while they are made, and a backup to begin with and then each day.
// Its memory is bounded: if the storage is away for so long that too many changes wait, it gives them up and begins
// again with a backup as soon as the storage is back.
type Shipper struct {
	ShipOptions
	store    kv.Store
	followed kv.Followed
	to       storage.Storage
	encoder  *zstd.Encoder
	cancel   context.CancelFunc
	ended    sync.WaitGroup
	closing  chan struct{}

	safeMS                                atomic.Int64
	segments, sent, bases, fails, chained atomic.Int64
}

// ErrCannotShip is the error of Ship for engines whose commits can't be followed.
var ErrCannotShip = errors.New("backup: the commits of this engine can't be shipped: only those of a folder can; a cluster keeps its own replicas, and weft backup copies it at any time")

// Ship begins to ship in the background. Errors: ErrCannotShip.
func Ship(ctx context.Context, store kv.Store, to storage.Storage, o ShipOptions) (*Shipper, error) {
	followed, ok := kv.FollowedOf(store)
	if _, copied := kv.CopierOf(store); !ok || !copied {
		return nil, ErrCannotShip
	}
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		return nil, err
	}
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s := &Shipper{ShipOptions: o.withDefaults(), store: store, followed: followed, to: to, encoder: encoder,
		cancel: cancel, closing: make(chan struct{})}
	s.safeMS.Store(time.Now().UnixMilli())
	s.ended.Go(func() { s.run(life) })
	return s, nil
}

// Shipping returns the state of shipping.
func (s *Shipper) Shipping() ShippingState {
	return ShippingState{SafeMS: s.safeMS.Load(), Segments: s.segments.Load(), Bytes: s.sent.Load(),
		Bases: s.bases.Load(), Fails: s.fails.Load(), Chains: s.chained.Load()}
}

// Close ships what is left, if the storage answers soon, and ends. Nobody commits any more.
func (s *Shipper) Close() {
	close(s.closing)
	late := time.AfterFunc(goodbyeTime, s.cancel)
	s.ended.Wait()
	late.Stop()
	s.cancel()
}

func (s *Shipper) isClosing() bool {
	select {
	case <-s.closing:
		return true
	default:
		return false
	}
}

func (s *Shipper) run(ctx context.Context) {
	pause := s.RetryPause
	for ctx.Err() == nil && !s.isClosing() {
		began := time.Now()
		err := s.chain(ctx)
		if ctx.Err() != nil || err == nil {
			return
		}
		s.Logger.Warn("shipping begins anew with a backup; moments before it is made may be out of reach", "error",
			err.Error())
		if time.Since(began) > time.Minute {
			pause = s.RetryPause // nothing is wrong with the place: a table was loaded in one step
			continue
		}
		s.rest(ctx, pause)
		pause = min(2*pause, retryLast)
	}
}

// rest waits, but not longer than until the end.
func (s *Shipper) rest(ctx context.Context, pause time.Duration) {
	select {
	case <-time.After(pause):
	case <-s.closing:
	case <-ctx.Done():
	}
}

// insist does something until it works. It gives up with ctx.
func (s *Shipper) insist(ctx context.Context, what string, do func() error) error {
	for pause := s.RetryPause; ; pause = min(2*pause, retryLast) {
		err := do()
		if err == nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		s.fails.Add(1)
		s.Logger.Warn(what+" failed; will retry", "error", err.Error(), "seconds", pause.Seconds())
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
}

// chain is one chain, from its beginning to its end.
type chain struct {
	*Shipper
	id       string
	follower kv.Follower
	next     int64         // the number of the next change to ship
	shipped  atomic.Int64  // next, for others than its goroutine
	hurry    chan struct{} // asks for the next segment at once
	said     time.Time
	based    atomic.Bool
}

func (s *Shipper) chain(ctx context.Context) error {
	follower, err := s.followed.Follow(s.WaitingBytes)
	if err != nil {
		return err
	}
	defer follower.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var random [4]byte
	_, _ = rand.Read(random[:]) // it never fails
	c := &chain{Shipper: s, id: time.Now().UTC().Format(timeLayout) + "-" + hex.EncodeToString(random[:]),
		follower: follower, hurry: make(chan struct{}, 1)}
	s.chained.Add(1)
	var basing sync.WaitGroup
	basing.Go(func() { c.keepBases(ctx) })
	err = c.ship(ctx)
	cancel()
	basing.Wait()
	return err
}

// ship ships segments until the end, or until changes are missing.
func (c *chain) ship(ctx context.Context) error {
	for {
		closing := c.isClosing()
		for more := true; more; {
			changes, untilMS, left, err := c.follower.Next(shipBytes)
			if err := errors.Join(err, c.segment(ctx, changes, untilMS, closing || err != nil)); err != nil {
				return err
			}
			more = left
		}
		if closing {
			return nil
		}
		select {
		case <-time.After(c.Interval):
		case <-c.hurry:
		case <-c.closing:
		case <-ctx.Done():
		}
	}
}

// segment ships changes, with which the chain has all that were durable by a moment. last says that none may follow for
// now, so that the moment is shipped without any changes, too.
func (c *chain) segment(ctx context.Context, changes []kv.Change, untilMS int64, last bool) error {
	if len(changes) == 0 && time.Since(c.said) < shipIdle && !last {
		if c.based.Load() {
			c.safeMS.Store(untilMS)
		}
		return nil
	}
	packed, digest := pack(c.encoder, changes)
	s := segment{chain: c.id, first: c.next, count: int64(len(changes)), untilMS: untilMS, digest: digest,
		sealed: c.Seal != nil}
	err := c.insist(ctx, "shipping changes", func() error { return c.put(ctx, s.name(), packed) })
	if err != nil {
		return err
	}
	c.next, c.said = s.next(), time.Now()
	c.shipped.Store(c.next)
	c.segments.Add(1)
	c.sent.Add(int64(len(packed)))
	if c.based.Load() {
		c.safeMS.Store(untilMS)
	}
	return nil
}

func (c *chain) put(ctx context.Context, name string, packed []byte) error {
	body, size := packed, int64(len(packed))
	if c.Seal != nil {
		var sealed bytes.Buffer
		if err := seal(c.Seal, &sealed, bytes.NewReader(packed)); err != nil {
			return err
		}
		body, size = sealed.Bytes(), int64(sealed.Len())
	}
	_, err := c.to.Put(ctx, name, bytes.NewReader(body), size)
	return err
}

// keepBases makes a backup at once, and then each day, and removes what is too old.
func (c *chain) keepBases(ctx context.Context) {
	for ctx.Err() == nil {
		if c.insist(ctx, "the backup to ship changes after", func() error { return c.base(ctx) }) != nil {
			return
		}
		if err := c.prune(ctx); err != nil && ctx.Err() == nil {
			c.fails.Add(1)
			c.Logger.Warn("removing expired shipments failed", "error", err.Error())
		}
		c.rest(ctx, c.BaseInterval)
		if c.isClosing() {
			return
		}
	}
}

// notingStorage is a store whose copies are noted.
type notingStorage struct {
	kv.Store
	copy func(ctx context.Context) (kv.Files, error)
}

// Copy implements kv.Copier.
func (n notingStorage) Copy(ctx context.Context) (kv.Files, error) { return n.copy(ctx) }

// until waits until a condition holds.
func until(ctx context.Context, holds func() bool) error {
	for !holds() {
		select {
		case <-time.After(time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// base makes a backup that changes of the chain lead on from.
func (c *chain) base(ctx context.Context) error {
	copier, _ := kv.CopierOf(c.store)
	b := base{Chain: c.id, Sealed: c.Seal != nil}
	store := notingStorage{c.store, func(ctx context.Context) (files kv.Files, err error) {
		_, b.From = c.follower.Counts()
		if files, err = copier.Copy(ctx); err != nil {
			return nil, err
		}
		b.Ready, _ = c.follower.Counts()
		err = until(ctx, func() bool {
			_, durable := c.follower.Counts()
			return durable >= b.Ready
		})
		if err != nil {
			return nil, errors.Join(err, files.Close())
		}
		b.AtMS = time.Now().UnixMilli()
		return files, nil
	}}
	begun := time.Now()
	result, err := Make(ctx, store, c.to, Options{Seal: c.Seal, Program: c.Program})
	if err != nil {
		return err
	}
	// Without the changes that were made meanwhile, the backup can't be restored: a reader finds it only with
	// them.
	select {
	case c.hurry <- struct{}{}:
	default: // somebody has asked
	}
	if err := until(ctx, func() bool { return c.shipped.Load() >= b.Ready }); err != nil {
		return err
	}
	b.Backup = result.ID
	text, err := json.Marshal(&b)
	if err != nil {
		return err
	}
	if _, err := c.to.Put(ctx, b.name(), bytes.NewReader(text), int64(len(text))); err != nil {
		return err
	}
	c.based.Store(true)
	c.bases.Add(1)
	c.Logger.Info("a backup to ship changes after is made", "id", b.Backup, "bytes", result.Bytes(), "new_bytes",
		result.WrittenBytes, "seconds", time.Since(begun).Seconds())
	return nil
}

// prune removes the bases from which no moment leads on that is to be kept, and what only they need.
func (c *chain) prune(ctx context.Context) error {
	all, err := bases(ctx, c.to)
	if err != nil {
		return err
	}
	oldest := 0 // base that is needed
	for i := range all {
		if all[i].AtMS <= time.Now().Add(-c.Keep).UnixMilli() {
			oldest = i
		}
	}
	if oldest == 0 {
		return nil
	}
	for i := range all[:oldest] {
		if err := c.to.Delete(ctx, all[i].name()); err != nil {
			return err
		}
		if err := c.to.Delete(ctx, backupsPrefix+all[i].Backup); err != nil {
			return err
		}
	}
	segments, err := segmentsOf(ctx, c.to, "")
	if err != nil {
		return err
	}
	for i := range segments {
		if needed := segments[i].chain == all[oldest].Chain && segments[i].next() > all[oldest].From; !needed &&
			segments[i].untilMS < all[oldest].AtMS {
			if err := c.to.Delete(ctx, segments[i].name()); err != nil {
				return err
			}
		}
	}
	m := &maker{Options: Options{Now: time.Now}, to: c.to}
	ids, err := IDs(ctx, c.to)
	if err != nil {
		return err
	}
	needed, err := m.needed(ctx, ids)
	if err != nil {
		return err
	}
	return m.removeFiles(ctx, needed)
}
