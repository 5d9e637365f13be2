// SPDX-License-Identifier: Apache-2.0

package tuning

import (
	"context"
	"errors"

	"github.com/weftdb/weft/internal/background/job"
	"github.com/weftdb/weft/internal/data/schema"
)

// Rebuild learns the codecs of an index from its own entries and begins to build an index with them that is to take its
// name. Errors: ErrBusy, ErrRaw, ErrNoIndex, catalog.ErrNotFound for the table.
func (k *Keeper) Rebuild(ctx context.Context, table uint32, name string) error {
	next, err := k.learnAnew(ctx, table, name)
	if err != nil {
		return err
	}
	return k.Change(ctx, table, func(table *schema.Table) ([]job.Job, error) {
		before, ok := table.Index(name)
		if !ok || before.ID != next.before || before.State != schema.Active || table.State == schema.Dropping {
			return nil, ErrBusy
		}
		kept := 0
		for other := range table.Rebuilds(name) {
			if kept++; !other.IsReplaced() || kept >= replacedLimit {
				return nil, ErrBusy
			}
		}
		x := table.AddRebuild(before, next.key, next.sample)
		return []job.Job{{Kind: job.BuildIndex, Table: table.ID, Index: x.ID}}, table.Validate()
	})
}

// learnedIndex is the key of an index to be, and the sample from which it was learned.
type learnedIndex struct {
	before uint32
	key    []schema.KeyPart
	sample *schema.Sample
}

func (k *Keeper) learnAnew(ctx context.Context, table uint32, name string) (next learnedIndex, err error) {
	version, err := k.Catalog.AcquireID(table)
	if err != nil {
		return next, err
	}
	defer version.Release() // before the change, which waits for it
	compiled := k.Compile(version)
	x, ok := compiled.Index(name)
	switch {
	case !ok:
		return next, ErrNoIndex
	case x.State != schema.Active:
		return next, ErrBusy
	case x.IsPrimary() || !CanLearn(x.Key):
		return next, ErrRaw
	}
	from, err := k.Store.Read(ctx)
	if err != nil {
		return next, err
	}
	defer from.Close()
	next.before = x.ID
	next.key, next.sample, err = Learn(ctx, from, compiled, x.Key, x, k.sizer(ctx))
	if next.sample != nil {
		next.sample.AtMS = k.Now().UnixMilli()
	}
	return next, err
}

// errRetired ends a change that has nothing to do.
var errRetired = errors.New("curve: the index is on its way out already")

// retire drops an index that was replaced.
func (k *Keeper) retire(ctx context.Context, table, id uint32) error {
	err := k.Change(ctx, table, func(table *schema.Table) ([]job.Job, error) {
		x, ok := table.IndexByID(id)
		if !ok || !x.IsReplaced() || x.State != schema.Active {
			return nil, errRetired
		}
		x.State = schema.Retiring
		return []job.Job{{Kind: job.DropIndex, Table: table.ID, Index: id}}, nil
	})
	if errors.Is(err, errRetired) {
		return nil
	}
	return err
}
