// SPDX-License-Identifier: Apache-2.0

package control

import (
	"context"
	"maps"
	"slices"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/tablemodel"
)

// updateTable changes a table's settings, and adds or removes indexes. Settings are changed at once and in one
// transaction; indexes are built and removed in the background.
func (a *API) updateTable(ctx context.Context, in *tablemodel.Update) (any, error) {
	if err := a.resolve(in.TableName, "UpdateTable"); err != nil {
		return nil, err
	}
	if err := in.Check(a.Limits); err != nil {
		return nil, err
	}
	name := *in.TableName
	var change *tablemodel.Change
	err := a.look(name, func(table *schema.Table) (err error) {
		change, err = in.Against(table, a.Limits)
		return err
	})
	if err != nil {
		return nil, tableError(name, err)
	}
	d, err := a.apply(ctx, name, change)
	if err == nil {
		err = a.split(ctx, name, in.Splits())
	}
	if err != nil {
		return nil, tableError(name, err)
	}
	return tableAnswer{d}, nil
}

// split splits a table ("") and its indexes into regions where they have fewer.
func (a *API) split(ctx context.Context, name string, counts map[string]int) error {
	if len(counts) == 0 {
		return nil
	}
	table, err := a.Open(name)
	if err != nil {
		return err
	}
	for _, index := range slices.Sorted(maps.Keys(counts)) {
		pin, err := table.Pin()
		if err != nil {
			return err
		}
		regions, err := pin.Regions(ctx, index)
		pin.Release()
		if err != nil {
			return err
		}
		if len(regions) >= counts[index] {
			continue
		}
		if _, err := table.Split(ctx, index, database.RegionSpec{Count: counts[index]}); err != nil {
			return err
		}
	}
	return nil
}

// apply changes the table and describes it as it is at the beginning of the change, however quickly that is done.
func (a *API) apply(ctx context.Context, name string, change *tablemodel.Change) (*tablemodel.Description, error) {
	table, err := a.Open(name)
	if err != nil {
		return nil, err
	}
	for i := range change.AddIndexes {
		if err := table.AddIndex(ctx, change.AddIndexes[i]); err != nil {
			return nil, err
		}
	}
	d, err := a.describe(ctx, name, true)
	if err != nil {
		return nil, err
	}
	for _, index := range change.DropIndexes {
		if err := table.DropIndex(ctx, index); err != nil {
			return nil, err
		}
	}
	if change.Settings {
		if err := table.Edit(ctx, change.Edit(a.DB, a.nowMS())); err != nil {
			return nil, err
		}
	}
	return d, a.look(name, func(after *schema.Table) error { return d.MarkChanging(change, after) })
}
