// SPDX-License-Identifier: Apache-2.0

package weft

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/weftdb/weft/internal/history/backup"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/pebble"
	"github.com/weftdb/weft/storage"
)

// ShipOptions are the settings of shipping. The zero value works.
type ShipOptions struct {
	// Seal encrypts what is written to the writer that it returns; Close ends it. Default: nothing is encrypted.
	Seal func(to io.Writer) (io.WriteCloser, error)
	// Program is the name of the program that ships.
	Program string
	// Keep is the time moments stay restorable. Default: 7 days.
	Keep time.Duration
	// WaitingBytes bounds the changes in memory that wait while the storage does not answer. Default: 128 MiB.
	WaitingBytes int64
}

// Ship begins to copy all changes of a folder to a storage, about a second after their commits, and a backup now and
// each day, until Close. RestoreShipped brings any moment of the last days back. While the storage does not answer, the
// database goes on, and what waits is shipped later. Errors: KindInvalid for what is no folder, KindExists if it ships
// already; KindDenied.
func (db *DB) Ship(ctx context.Context, to storage.Storage, o ShipOptions) error {
	db.shipping.Lock()
	defer db.shipping.Unlock()
	if db.shipper != nil {
		return &Error{Kind: KindExists, Detail: "the database is being shipped already"}
	}
	s, err := db.db.Recovery().ShipStore(ctx, to, backup.ShipOptions{
		Seal: o.Seal, Program: o.Program, Keep: o.Keep, WaitingBytes: o.WaitingBytes, Logger: db.logger,
	})
	if err != nil {
		return public(err)
	}
	db.shipper, db.shipped = s, s.Shipping().SafeMS
	return nil
}

// Shipped returns the newest moment that RestoreShipped can bring back; ok is false as long as there is none.
func (db *DB) Shipped() (at time.Time, ok bool) {
	db.shipping.Lock()
	defer db.shipping.Unlock()
	if db.shipper == nil {
		return time.Time{}, false
	}
	ms := db.shipper.Shipping().SafeMS
	return time.UnixMilli(ms).UTC(), ms > db.shipped
}

// endShipping ships what is left, if the storage answers soon.
func (db *DB) endShipping() {
	db.shipping.Lock()
	defer db.shipping.Unlock()
	if db.shipper != nil {
		db.shipper.Close()
		db.shipper = nil
	}
}

// RestoreShipped makes a folder, which must be empty or missing, of what Ship has shipped: as the database was at a
// moment, or, for the zero time, at the newest. reached is the moment: all that was committed by then is there, and
// nothing that was later. The ID of the options is not looked at.
func RestoreShipped(ctx context.Context, from storage.Storage, dir string, at time.Time, o RestoreOptions) (
	reached time.Time, err error,
) {
	if dir == "" {
		return time.Time{}, public(errors.New("name the folder to restore to"))
	}
	_, reached, err = backup.RestoreAt(ctx, from, at, backup.RestoreOptions{
		Dir: dir, Open: o.Open, Progress: progressOf(o.Progress),
		Reopen: func(_ context.Context, dir string) (kv.Store, error) { return pebble.Open(pebble.Options{Dir: dir}) },
	})
	return reached, public(err)
}
