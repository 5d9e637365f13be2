// SPDX-License-Identifier: Apache-2.0

package backup_test

import (
	"context"
	"crypto/cipher"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/history/backup"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/pebble"
	"github.com/weftdb/weft/storage"
)

// away is a storage that does not answer at times.
type away struct {
	storage.Storage
	gone atomic.Bool
	puts atomic.Int64
}

var errAway = errors.New("the bucket is away")

func (a *away) Put(ctx context.Context, name string, body io.Reader, size int64) (storage.Object, error) {
	if n := a.puts.Add(1); a.gone.Load() || n%7 == 0 {
		return storage.Object{}, errAway
	}
	return a.Storage.Put(ctx, name, body, size)
}

func sealed(to io.Writer) (io.WriteCloser, error) {
	return xor{cipher.StreamWriter{S: stream(), W: to}}, nil
}

func opened(from io.Reader) (io.Reader, error) { return cipher.StreamReader{S: stream(), R: from}, nil }

// shipped is a store that is shipped, with what it held at some moments.
type shipped struct {
	t       *testing.T
	random  *rand.Rand
	dir     string
	to      *away
	options backup.ShipOptions
	moments []shippedMoment
	value   int
	from    int // of the next keys to ingest
	// unusable is what a check of what was restored returns.
	unusable error
}

type shippedMoment struct {
	at   time.Time
	dump string
}

// live opens the store, ships it while there are so many moments, and closes it.
func (s *shipped) live(moments int, ingest bool) {
	s.t.Helper()
	store := openPebble(s.t, s.dir)
	ship, err := backup.Ship(s.t.Context(), store, s.to, s.options)
	if err != nil {
		s.t.Fatal(err)
	}
	s.wait(ship, func(now backup.ShippingState) bool { return now.Bases > 0 })
	for i := range moments {
		s.write(store)
		if ingest && i == moments/2 {
			s.ingest(store)
			ingested := time.Now().UnixMilli()
			s.wait(ship, func(now backup.ShippingState) bool { return now.Chains > 1 && now.SafeMS > ingested })
		}
		<-time.After(2 * time.Millisecond) // so that the next commit is of a later millisecond
		s.moments = append(s.moments, shippedMoment{time.Now(), dump(s.t, store)})
		<-time.After(2 * time.Millisecond)
	}
	ship.Close()
	if err := store.Close(); err != nil {
		s.t.Fatal(err)
	}
}

func (s *shipped) wait(ship *backup.Shipper, done func(backup.ShippingState) bool) {
	s.t.Helper()
	for range 6000 {
		if done(ship.Shipping()) {
			return
		}
		<-time.After(10 * time.Millisecond)
	}
	s.t.Fatalf("a minute was not enough: %+v", ship.Shipping())
}

func (s *shipped) write(store kv.Store) {
	s.t.Helper()
	for range 1 + s.random.IntN(5) {
		err := kv.Update(s.t.Context(), store, func(txn kv.Txn) error {
			for range 1 + s.random.IntN(5) {
				s.value++
				if err := txn.Set(key(s.random.IntN(50)),
					fmt.Append(nil, s.value, strings.Repeat("x", s.random.IntN(2000)))); err != nil {
					return err
				}
				if err := txn.Delete(key(s.random.IntN(50))); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			s.t.Fatal(err)
		}
	}
}

// ingest adds keys beside commits.
func (s *shipped) ingest(store kv.Admin) {
	s.t.Helper()
	s.from += 1000
	i := s.from
	err := store.Ingest(s.t.Context(), func() (k, v []byte, err error) {
		if i++; i > s.from+100 {
			return nil, nil, io.EOF
		}
		return key(i), []byte("ingested"), nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *shipped) restore(at time.Time) (held string, reached time.Time, err error) {
	s.t.Helper()
	dir := filepath.Join(s.t.TempDir(), "restored")
	reopen := func(_ context.Context, dir string) (kv.Store, error) { return openPebble(s.t, dir), nil }
	o := backup.RestoreOptions{Dir: dir, Reopen: reopen, Open: opened, Check: s.check}
	if _, reached, err = backup.RestoreAt(s.t.Context(), s.to, at, o); err != nil {
		if _, gone := os.Stat(dir); !errors.Is(gone, os.ErrNotExist) {
			s.t.Errorf("a restore that failed (%v) left the folder %s", err, dir)
		}
		return "", reached, err
	}
	store := openPebble(s.t, dir)
	held = dump(s.t, store)
	if err := errors.Join(store.Close(), os.RemoveAll(dir)); err != nil {
		s.t.Fatal(err)
	}
	return held, reached, nil
}

// check reads a folder that was restored, as its user may.
func (s *shipped) check(_ context.Context, dir string) error {
	store, err := pebble.Open(pebble.Options{Dir: dir, ReadOnly: true})
	if err != nil {
		return err
	}
	dump(s.t, store)
	return errors.Join(store.Close(), s.unusable)
}

func newShipped(t *testing.T) *shipped {
	t.Helper()
	seed := rounds.Seed(t)
	return &shipped{t: t, random: rand.New(rand.NewPCG(seed, 0)), dir: filepath.Join(t.TempDir(), "data"),
		to:      &away{Storage: storage.Folder(t.TempDir())},
		options: backup.ShipOptions{Interval: 5 * time.Millisecond, RetryPause: 5 * time.Millisecond, Seal: sealed}}
}

// TestRestoreShipped ships a store that is closed and opened again, to a storage that fails now and then, and restores
// it at random moments: each restore must hold what the store held at the moment.
func TestRestoreShipped(t *testing.T) {
	s := newShipped(t)
	s.options.BaseInterval = 300 * time.Millisecond // so that some chains have several
	s.live(30, false)
	s.live(30, true)
	s.live(10, false)
	refused := 0
	restores := rounds.Of(t, 30)
	for range restores {
		m := s.moments[s.random.IntN(len(s.moments))]
		held, _, err := s.restore(m.at)
		switch {
		case err != nil && strings.Contains(err.Error(), "nothing was shipped between"):
			refused++ // it lies behind the ingestion
		case err != nil:
			t.Fatal(err)
		case held != m.dump:
			t.Fatalf("as of %s the store is another one", m.at)
		}
	}
	if refused > restores/5 {
		t.Errorf("%d of %d moments could not be restored", refused, restores)
	}
	last := s.moments[len(s.moments)-1]
	if held, reached, err := s.restore(time.Time{}); err != nil || held != last.dump || reached.Before(last.at) {
		t.Errorf("the newest moment: as of %s, %v", reached, err)
	}
	s.unusable = errors.New("it can't be used")
	if _, _, err := s.restore(time.Time{}); !errors.Is(err, s.unusable) {
		t.Errorf("what can't be used was restored: %v", err)
	}
	if _, _, err := s.restore(s.moments[0].at.Add(-time.Hour)); err == nil ||
		!strings.Contains(err.Error(), "the earliest moment") {
		t.Errorf("a moment before all: %v", err)
	}
}

// TestShipAway: a storage that is away for longer than changes can wait costs the moments of that time, and nothing
// else.
func TestShipAway(t *testing.T) {
	s := newShipped(t)
	s.options.WaitingBytes = 50_000
	store := openPebble(t, s.dir)
	ship, err := backup.Ship(t.Context(), store, s.to, s.options)
	if err != nil {
		t.Fatal(err)
	}
	s.wait(ship, func(now backup.ShippingState) bool { return now.Bases > 0 })
	s.write(store)
	<-time.After(2 * time.Millisecond)
	before := shippedMoment{time.Now(), dump(t, store)}
	s.wait(ship, func(now backup.ShippingState) bool { return now.SafeMS > before.at.UnixMilli() })
	s.to.gone.Store(true)
	for range 100 {
		s.write(store)
	}
	lost := time.Now()
	if ship.Shipping().SafeMS > lost.UnixMilli() {
		t.Error("what is not shipped counts as safe")
	}
	s.to.gone.Store(false)
	s.wait(ship, func(now backup.ShippingState) bool { return now.Chains > 1 && now.SafeMS > lost.UnixMilli() })
	s.write(store)
	after := dump(t, store)
	ship.Close()
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if held, _, err := s.restore(before.at); err != nil || held != before.dump {
		t.Errorf("a moment before: %v", err)
	}
	if _, _, err := s.restore(lost); err == nil || !strings.Contains(err.Error(), "nothing was shipped between") {
		t.Errorf("a moment meanwhile: %v", err)
	}
	if held, _, err := s.restore(time.Time{}); err != nil || held != after {
		t.Errorf("the newest moment: %v", err)
	}
}

// TestShipKeeps: what nobody can want any more is removed, and what is kept can be restored.
func TestShipKeeps(t *testing.T) {
	s := newShipped(t)
	s.options.Keep = time.Millisecond
	s.options.BaseInterval = 50 * time.Millisecond
	store := openPebble(t, s.dir)
	ship, err := backup.Ship(t.Context(), store, s.to, s.options)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		bases := ship.Shipping().Bases
		s.write(store)
		s.wait(ship, func(now backup.ShippingState) bool { return now.Bases > bases+1 })
	}
	ship.Close()
	made, held := ship.Shipping().Bases, dump(t, store)
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	ids, err := backup.IDs(t.Context(), s.to)
	if err != nil || int64(len(ids)) >= made {
		t.Errorf("%d of %d backups are kept, %v", len(ids), made, err)
	}
	if got, _, err := s.restore(time.Time{}); err != nil || got != held {
		t.Errorf("restored: %v", err)
	}
}
