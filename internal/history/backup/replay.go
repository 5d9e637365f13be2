// SPDX-License-Identifier: Apache-2.0

package backup

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/storage"
)

// fetchAtOnce is the number of segments that are read before their changes are made again, some of them at once.
const fetchAtOnce = 8

// restoringName is the folder, within the target, that holds the store until the restore is complete.
const restoringName = "weft-restoring"

// RestoreAt makes a folder of a backup and of the changes that were shipped after it: what the store had at a moment,
// or, for the zero time, at the last one that was shipped. Until it returns nil, nothing opens what is there. reached
// is the moment: all commits that were acknowledged by then are there, and none that was later. o.Reopen is needed, and
// o.ID and o.Store are not looked at.
func RestoreAt(ctx context.Context, from storage.Storage, at time.Time, o RestoreOptions) (b Backup, reached time.Time,
	err error) {
	if o.Dir == "" || o.Reopen == nil {
		return b, reached, errors.New("backup: name the folder to restore to: changes are shipped for folders alone")
	}
	r := &replay{RestoreOptions: o, from: from, atMS: math.MaxInt64}
	if !at.IsZero() {
		r.atMS = at.UnixMilli()
	}
	if err := r.find(ctx); err != nil {
		return b, reached, err
	}
	made, err := claim(o.Dir)
	if err != nil {
		return b, reached, err
	}
	dir := filepath.Join(o.Dir, restoringName)
	o.ID, o.Dir, o.Store, o.Check = r.base.Backup, dir, nil, nil
	if b, err = Restore(ctx, from, o); err == nil {
		err = r.redo(ctx, dir)
	}
	if err == nil {
		err = r.checked(ctx, dir)
	}
	if err == nil {
		err = moveUp(dir, r.Dir, b.Files[len(b.Files)-1].Name)
	}
	if err != nil {
		err = errors.Join(err, os.RemoveAll(dir))
		if made {
			err = errors.Join(err, os.Remove(r.Dir))
		}
		return b, reached, err
	}
	return b, time.UnixMilli(r.reachedMS), nil
}

// replay is one RestoreAt.
type replay struct {
	RestoreOptions
	from      storage.Storage
	atMS      int64
	base      base
	segments  []segment // from the base on, without a hole
	reachedMS int64
}

// find chooses the base and the segments. Errors: those that say which moments can be restored.
func (r *replay) find(ctx context.Context) error {
	all, err := bases(ctx, r.from)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return errors.New("backup: nothing was shipped to this place; restore one of its backups, without a time")
	}
	next := -1 // the first base that is too late
	for i := range all {
		if all[i].AtMS > r.atMS {
			next = i
			break
		}
		r.base = all[i]
	}
	if next == 0 {
		return fmt.Errorf("backup: the earliest moment that can be restored from this place is %s",
			momentOf(all[0].AtMS))
	}
	if err := r.follow(ctx); err != nil {
		return err
	}
	if r.reachedMS < r.atMS && next > 0 {
		return fmt.Errorf("backup: nothing was shipped between %s and %s, as when the server or the storage is away: choose one of these two moments, or one outside",
			momentOf(r.reachedMS), momentOf(all[next].AtMS))
	}
	return nil
}

func momentOf(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z") }

// follow gathers the segments that lead on from the base.
func (r *replay) follow(ctx context.Context) error {
	all, err := segmentsOf(ctx, r.from, r.base.Chain)
	if err != nil {
		return err
	}
	next := r.base.From
	r.reachedMS = r.base.AtMS
	for i := range all {
		s := &all[i]
		if s.next() < next || s.next() == next && s.untilMS < r.base.AtMS {
			continue
		}
		if s.first > next {
			return fmt.Errorf("backup: changes %d to %d of chain %s are missing: a segment was removed", next, s.first,
				r.base.Chain)
		}
		r.segments = append(r.segments, *s)
		next, r.reachedMS = s.next(), max(r.reachedMS, s.untilMS)
		if s.untilMS >= r.atMS && next >= r.base.Ready {
			break
		}
	}
	if next < r.base.Ready {
		return fmt.Errorf("backup: the changes that were made while backup %s was are not there: restore an earlier moment", r.base.Backup)
	}
	r.reachedMS = min(r.reachedMS, r.atMS)
	return nil
}

// redo makes the changes again in the folder of a backup.
func (r *replay) redo(ctx context.Context, dir string) (err error) {
	store, err := r.Reopen(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	followed, ok := kv.FollowedOf(store)
	if !ok {
		return ErrCannotShip
	}
	for len(r.segments) > 0 {
		some := r.segments[:min(fetchAtOnce, len(r.segments))]
		r.segments = r.segments[len(some):]
		fetched := make([][]kv.Change, len(some))
		err := each(ctx, len(some), func(ctx context.Context, i int) (err error) {
			fetched[i], err = readSegment(ctx, r.from, &some[i], r.Open)
			return err
		}, func(int) {})
		if err != nil {
			return err
		}
		for i := range some {
			if err := followed.Redo(ctx, r.wanted(&some[i], fetched[i])); err != nil {
				return err
			}
		}
	}
	return nil
}

// wanted are the changes of a segment that the base may lack and that are not too late.
func (r *replay) wanted(s *segment, changes []kv.Change) []kv.Change {
	if skip := r.base.From - s.first; skip > 0 {
		changes = changes[skip:]
	}
	first := s.next() - int64(len(changes))
	for i := range changes {
		if changes[i].MS > r.atMS && first+int64(i) >= r.base.Ready {
			return changes[:i]
		}
	}
	return changes
}

// moveUp moves the files of a folder into the one that it is in: that which makes a store of them last.
func moveUp(dir, to, marker string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() != marker {
			if err := os.Rename(filepath.Join(dir, e.Name()), filepath.Join(to, e.Name())); err != nil {
				return err
			}
		}
	}
	if err := errors.Join(storage.SyncDir(dir), storage.SyncDir(to)); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(dir, marker), filepath.Join(to, marker)); err != nil {
		return err
	}
	return errors.Join(os.Remove(dir), storage.SyncDir(to))
}
