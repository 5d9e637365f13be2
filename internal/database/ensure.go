// SPDX-License-Identifier: Apache-2.0

package database

import (
	"context"
	"time"

	"github.com/weftdb/weft/internal/data/schema"
)

// EnsureTable makes a table as CreateTable does, or, where one of its name is there, what it lacks of spec:
// indexes, a stream, days of recovery. Indexes, streams and attributes that spec does not ask for stay. It returns
// once all indexes of spec answer queries. Errors: KindExists for a table that differs from spec, which says in
// what; those of CreateTable and AddIndex, and of WaitIndex.
func (db *DB) EnsureTable(ctx context.Context, spec TableSpec) (*Table, error) {
	t := db.TableNamed(spec.Database, spec.Name)
	if _, err := t.id(); KindOf(err) == KindNotFound {
		made, err := db.CreateTable(ctx, spec)
		if KindOf(err) != KindExists {
			return made, err
		}
		if _, gone := t.id(); gone != nil { // it was not another process that has just made it
			return nil, err
		}
	}
	if err := t.complete(ctx, &spec); err != nil {
		return nil, err
	}
	return t, nil
}

// complete makes what a table lacks of a spec.
func (t *Table) complete(ctx context.Context, spec *TableSpec) error {
	p, err := t.Pin()
	if err != nil {
		return err
	}
	is := p.Descriptor().Clone()
	p.Release()
	if fault := schema.Difference(is, t.db.describe(spec)); fault != "" {
		return t.differs(fault)
	}
	for _, index := range spec.Indexes {
		if _, ok := is.Index(index.Name); ok {
			continue
		}
		if err := t.AddIndex(ctx, index); err != nil && KindOf(err) != KindExists {
			return err
		}
	}
	if err := t.switchOn(ctx, is, spec); err != nil {
		return err
	}
	for _, index := range spec.Indexes {
		if err := t.WaitIndex(ctx, index.Name); err != nil {
			return err
		}
	}
	return nil
}

// differs is the error for a table that is there and is another one.
func (t *Table) differs(fault string) error {
	detail := "the table is there, but differs from what is asked for: " + fault
	return &Error{Kind: KindExists, Table: t.name, Detail: detail}
}

// switchOn switches a stream and recovery on, if a spec asks for them.
func (t *Table) switchOn(ctx context.Context, is *schema.Table, spec *TableSpec) error {
	if spec.RecoveryDays > 0 && is.Recovery == nil {
		err := t.Edit(ctx, func(d *schema.Table) error { return t.db.recovery.Keep(d, spec.RecoveryDays) })
		if err != nil {
			return err
		}
	}
	if spec.Stream == nil {
		return nil
	}
	if s, on := is.Stream(); on {
		if s.Images != *spec.Stream {
			return t.differs("its stream shows other images; switch it off first")
		}
		return nil
	}
	err := t.Edit(ctx, func(d *schema.Table) error { return t.db.changes.StreamOn(d, *spec.Stream) })
	if KindOf(err) == KindExists {
		return nil
	}
	return err
}

// indexPoll is the interval between two looks of WaitIndex.
const indexPoll = 5 * time.Millisecond

// WaitIndex returns once an index answers queries; at once in a database that does no work in the background.
// Errors: KindNotFound; KindInvalid if the build makes no progress because of items that the index can't have,
// which it names; ctx's.
func (t *Table) WaitIndex(ctx context.Context, index string) error {
	for {
		p, err := t.Pin()
		if err != nil {
			return err
		}
		progress, building, err := p.BuildProgress(ctx, index)
		p.Release()
		switch {
		case err != nil || !building || t.db.options.Idle:
			return err
		case progress.Misfit || progress.Duplicate != nil:
			return invalid(t.name, "index %s can't be built: %s", index, progress.Fault)
		}
		select {
		case <-ctx.Done():
			return wrap(t.name, ctx.Err())
		case <-time.After(indexPoll):
		}
	}
}
