// SPDX-License-Identifier: Apache-2.0

package weft

import (
	"context"
	"iter"
	"time"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/history/feed"
)

// Stream reports whether a table's changes are kept for programs to read, and what they show of an item besides its
// key.
type Stream uint8

// The streams.
const (
	StreamOff  Stream = iota
	StreamKeys        // the key alone
	StreamNew         // the item as it is after the change
	StreamOld         // the item as it was
	StreamBoth        // both
)

// internal returns the images of a stream; nil if there is none.
func (s Stream) internal() *schema.Images {
	var images schema.Images
	switch s {
	case StreamKeys:
	case StreamNew:
		images = schema.NewImage
	case StreamOld:
		images = schema.OldImage
	case StreamBoth:
		images = schema.NewImage | schema.OldImage
	default:
		return nil
	}
	return &images
}

// SetStream switches the stream of the table's changes on, or off. What a stream has can be read for 24 hours, also
// once it is off. Errors: KindNotFound; KindExists if one is on that shows something else: switch it off first.
func (t *Table) SetStream(ctx context.Context, stream Stream) error {
	if err := t.outside(ctx, "SetStream"); err != nil {
		return err
	}
	p, err := t.pin()
	if err != nil {
		return err
	}
	is, on := p.Descriptor().Stream()
	p.Release()
	images := stream.internal()
	switch {
	case images == nil && !on, images != nil && on && is.Images == *images:
		return nil
	case images == nil:
		return public(t.table.Edit(ctx, t.db.db.Changes().StreamOff))
	}
	return public(t.table.Edit(ctx, func(d *schema.Table) error { return t.db.db.Changes().StreamOn(d, *images) }))
}

// ChangeKind is the kind of an item's change.
type ChangeKind uint8

// The kinds of changes.
const (
	Insert ChangeKind = iota + 1
	Modify
	Remove
)

// String returns the kind's name, as in DynamoDB Streams: "INSERT", "MODIFY" or "REMOVE".
func (k ChangeKind) String() string {
	if k >= Insert && k <= Remove {
		return [...]string{"INSERT", "MODIFY", "REMOVE"}[k-Insert]
	}
	return "none"
}

// Change is a change of an item, which was committed. Its items stay valid.
type Change struct {
	Kind    ChangeKind
	Expired bool      // the item's time had come
	At      time.Time // of the commit, by the clock of the store
	Key     Item      // the attributes of the key
	// Old and New are the item before and after the change, as far as the stream shows them: an Item that does not
	// exist otherwise.
	Old, New Item
	// Position is behind the change.
	Position Position
}

// Position is a place between changes of a table. It can be kept, in the same transaction as what the changes led
// to, so that each counts once. nil is before the oldest change that can be read.
//
// A consumer reads its position in the transaction that moves it, and stops if it has moved: so a change counts once,
// also after a commit whose outcome it did not learn.
type Position []byte

// changesPage is the number of changes that are read at once.
const changesPage = 256

// Changes returns the changes behind a position, up to the last one there is. Those of an item come in the order of
// their commits; in a folder and in memory, all do. Nothing of the table is held while the loop runs, so that it
// may write, for instance the position that it has come to. Errors: ErrChangesGone; KindInvalid if the table has no
// stream.
func (t *Table) Changes(ctx context.Context, from Position) iter.Seq2[Change, error] {
	return t.changes(ctx, from, false)
}

// Follow is Changes that waits for more at the end, until ctx ends: it then returns an error of KindCanceled.
func (t *Table) Follow(ctx context.Context, from Position) iter.Seq2[Change, error] {
	return t.changes(ctx, from, true)
}

// followPause is the time that Follow waits at the end of the stream.
const followPause = 5 * time.Millisecond

func (t *Table) changes(ctx context.Context, at Position, follow bool) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		for at := at; ; {
			count, next, goOn := t.page(ctx, at, yield)
			if !goOn || count == 0 && !follow {
				return
			}
			if at = next; count > 0 {
				continue
			}
			select {
			case <-ctx.Done():
				yield(Change{}, public(&database.Error{Kind: database.KindCanceled, Err: ctx.Err()}))
				return
			case <-time.After(followPause):
			}
		}
	}
}

// page yields the next changes; goOn is false if that was the end.
func (t *Table) page(ctx context.Context, from Position, yield func(Change, error) bool) (
	count int, next Position, goOn bool,
) {
	p, err := t.pin()
	if err != nil {
		return 0, nil, yield(Change{}, err) && false
	}
	records, after, err := feed.Read(ctx, p.Changes(), from, changesPage)
	p.Release()
	if err != nil {
		return 0, nil, yield(Change{}, public(err)) && false
	}
	for i := range records {
		if !yield(changeOf(&records[i]), nil) {
			return 0, nil, false
		}
	}
	return len(records), after, true
}

func changeOf(r *feed.Record) Change {
	item := func(row value.Row) Item {
		if row == nil {
			return Item{}
		}
		return Item{database.Item{Row: row, Names: r.Names}}
	}
	c := Change{
		Kind: Modify, Expired: r.ByExpiry, At: time.UnixMilli(r.AtMS).UTC(),
		Key: item(r.Key), Old: item(r.Old), New: item(r.New), Position: r.After,
	}
	switch {
	case !r.WasThere:
		c.Kind = Insert
	case !r.IsThere:
		c.Kind = Remove
	}
	return c
}

// StreamEnd returns the position behind the last change, for a reader that wants only later changes. A
// reader that kept no position for 24 hours, since there was no change, keeps the one that StreamEnd returned
// before its last loop. Errors: KindInvalid if the table has no stream.
func (t *Table) StreamEnd(ctx context.Context) (Position, error) {
	p, err := t.pin()
	if err != nil {
		return nil, err
	}
	defer p.Release()
	end, err := feed.End(ctx, p.Changes())
	return end, public(err)
}
