// SPDX-License-Identifier: Apache-2.0

package control

import (
	"context"
	"maps"
	"slices"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/tablemodel"
)

// createTable makes a table, whose answer says CREATING; it is ACTIVE at once.
func (a *API) createTable(ctx context.Context, in *tablemodel.Create) (any, error) {
	if err := a.unpack(in.TableName, "CreateTable"); err != nil {
		return nil, err
	}
	spec, err := in.Spec(a.Limits, a.nowMS())
	if err != nil {
		return nil, err
	}
	spec.Database = a.Database
	if err := a.Make(ctx); err != nil {
		return nil, err
	}
	if _, err := a.DB.CreateTable(ctx, spec); err != nil {
		return nil, tableError(spec.Name, err)
	}
	d, err := a.describe(ctx, spec.Name, false)
	if err != nil {
		return nil, tableError(spec.Name, err)
	}
	d.MarkCreating()
	return tableAnswer{d}, nil
}

// tableAnswer is the answer of the operations that change a table.
type tableAnswer struct{ TableDescription *tablemodel.Description }

func (a *API) describeTable(ctx context.Context, in *tableRequest) (any, error) {
	d, err := a.describe(ctx, *in.TableName, true)
	if database.KindOf(err) == database.KindNotFound && err != nil {
		switch table, lost := a.arriving(ctx, *in.TableName); {
		case lost != nil:
			err = lost
		case table != nil:
			d, err = a.describeArrival(table)
		default: // it may have arrived between the two looks
			d, err = a.describe(ctx, *in.TableName, true)
		}
	}
	if err != nil {
		return nil, tableError(*in.TableName, err)
	}
	return struct{ Table *tablemodel.Description }{d}, nil
}

// describe describes the table as it is now, with its sizes if they are asked for.
func (a *API) describe(ctx context.Context, name string, sized bool) (*tablemodel.Description, error) {
	pin, err := a.Pin(name)
	if err != nil {
		return nil, err
	}
	defer pin.Release()
	table, sizes := pin.Descriptor(), tablemodel.Sizes{Indexes: map[string]database.Estimate{}}
	if sized {
		if sizes.Table, err = pin.Estimate(ctx, ""); err != nil {
			return nil, err
		}
		for _, index := range tablemodel.Indexes(table) {
			if sizes.Indexes[index], err = pin.Estimate(ctx, index); err != nil {
				return nil, err
			}
		}
	}
	return tablemodel.Describe(table, a.account(), sizes, a.nowMS())
}

// listRequest is the body of ListTables.
type listRequest struct {
	ExclusiveStartTableName *string
	Limit                   *int32
}

func (a *API) listTables(ctx context.Context, in *listRequest) (any, error) {
	most := int64(a.Limits.TableList)
	limit, after := most, ""
	var c exception.Constraints
	if in.ExclusiveStartTableName != nil {
		after = *in.ExclusiveStartTableName
		tablemodel.CheckStartName(&c, after)
	}
	if in.Limit != nil {
		limit = int64(*in.Limit)
		c.Between(true, limit, "limit", 1, most)
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	var answer struct {
		TableNames             []string
		LastEvaluatedTableName string `json:",omitempty"`
	}
	arrivals, err := a.DB.Recovery().Arrivals(ctx)
	if err != nil {
		return nil, err
	}
	answer.TableNames = a.Names(after, int(limit)+1)
	for i := range arrivals {
		if table := arrivals[i].Schema; table.Database == a.Name() && table.Name > after &&
			arrivals[i].Failed == "" {
			answer.TableNames = append(answer.TableNames, table.Name)
		}
	}
	for _, table := range a.DB.Fillings() {
		if table.Database == a.Name() && table.Name > after {
			answer.TableNames = append(answer.TableNames, table.Name)
		}
	}
	slices.Sort(answer.TableNames)
	answer.TableNames = slices.Compact(answer.TableNames)
	if len(answer.TableNames) > int(limit) {
		answer.TableNames = answer.TableNames[:limit]
		answer.LastEvaluatedTableName = answer.TableNames[limit-1]
	}
	return answer, nil
}

// deleteTable makes a table vanish. Its answer says DELETING; there is no such table from then on.
func (a *API) deleteTable(ctx context.Context, in *tableRequest) (any, error) {
	name := *in.TableName
	if err := a.checkDelete(name); err != nil {
		if table, lost := a.arriving(ctx, name); table != nil && lost == nil {
			err = exception.New(exception.KindResourceInUse,
				"Attempt to change a resource which is still in use: Table is being created: "+name)
		}
		return nil, tableError(name, err)
	}
	d, err := a.describe(ctx, name, false)
	if err != nil {
		return nil, tableError(name, err)
	}
	if err := a.DB.DropTable(ctx, a.Name(), name); err != nil {
		return nil, tableError(name, err)
	}
	d.MarkDeleting()
	return tableAnswer{d}, nil
}

// purge removes all items of a table at once; the table stays, with its indexes and settings. It is refused where a
// deletion of the table is.
func (a *API) purge(ctx context.Context, in *tableRequest) (any, error) {
	name := *in.TableName
	if err := a.checkDelete(name); err != nil {
		return nil, tableError(name, err)
	}
	if err := a.DB.TruncateTable(ctx, a.Name(), name, nil); err != nil {
		return nil, tableError(name, err)
	}
	d, err := a.describe(ctx, name, false)
	if err != nil {
		return nil, tableError(name, err)
	}
	return tableAnswer{d}, nil
}

// checkDelete refuses to delete a table that is protected, or on whose indexes work goes on.
func (a *API) checkDelete(name string) error {
	return a.look(name, func(table *schema.Table) error {
		settings, err := tablemodel.SettingsOf(table)
		switch {
		case err != nil:
			return err
		case settings.DeletionRefused:
			return exception.Validation(
				"Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.")
		case tablemodel.IsChanging(table):
			return tablemodel.InUse(name)
		}
		return a.checkUnreferred(table)
	})
}

// checkUnreferred refuses to delete a table to which foreign keys of another one refer.
func (a *API) checkUnreferred(table *schema.Table) error {
	for _, r := range table.Rules.Referrers {
		p, err := a.DB.PinIn(r.Database, r.Table)
		if database.KindOf(err) == database.KindNotFound {
			continue
		}
		if err != nil {
			return err
		}
		p.Release()
		return exception.New(exception.KindResourceInUse,
			"Attempt to change a resource which is still in use: a foreign key of table "+r.Database+"."+r.Table+
				" refers to Table: "+table.Name+
				". Delete that table first, or drop the foreign key over SQL: ALTER TABLE "+
				r.Database+"."+r.Table+" DROP FOREIGN KEY ..")
	}
	return nil
}

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
