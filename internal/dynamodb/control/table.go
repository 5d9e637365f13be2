// SPDX-License-Identifier: Apache-2.0

package control

import (
	"context"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/tablemodel"
)

// createTable makes a table, whose answer says CREATING; it is ACTIVE at once.
func (a *API) createTable(ctx context.Context, body, dst []byte) ([]byte, error) {
	var in tablemodel.Create
	if err := read(body, &in); err != nil {
		return nil, err
	}
	if err := a.unpack(in.TableName, "CreateTable"); err != nil {
		return nil, err
	}
	spec, err := in.Spec(a.Limits)
	if err != nil {
		return nil, err
	}
	if _, err := a.DB.CreateTable(ctx, spec); err != nil {
		return nil, tableError(spec.Name, err)
	}
	d, err := a.describe(ctx, spec.Name, false)
	if err != nil {
		return nil, tableError(spec.Name, err)
	}
	d.Created()
	return appendTable(dst, d)
}

// appendTable appends the answer of the operations that change a table.
func appendTable(dst []byte, d *tablemodel.Description) ([]byte, error) {
	return appendJSON(dst, struct{ TableDescription *tablemodel.Description }{d})
}

// tableName reads a request that names a table and no more, or no more that matters.
func (a *API) tableName(body []byte, operation string) (string, error) {
	var in struct{ TableName *string }
	if err := read(body, &in); err != nil {
		return "", err
	}
	if err := a.resolve(in.TableName, operation); err != nil {
		return "", err
	}
	return *in.TableName, nil
}

func (a *API) describeTable(ctx context.Context, body, dst []byte) ([]byte, error) {
	name, err := a.tableName(body, "DescribeTable")
	if err != nil {
		return nil, err
	}
	d, err := a.describe(ctx, name, true)
	if err != nil {
		return nil, tableError(name, err)
	}
	return appendJSON(dst, struct{ Table *tablemodel.Description }{d})
}

// describe describes the table as it is now, with its sizes if they are asked for.
func (a *API) describe(ctx context.Context, name string, sized bool) (*tablemodel.Description, error) {
	pin, err := a.DB.Pin(name)
	if err != nil {
		return nil, err
	}
	defer pin.Release()
	table, sizes := pin.Descriptor(), tablemodel.Sizes{Indexes: map[string]weft.Estimate{}}
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

func (a *API) listTables(_ context.Context, body, dst []byte) ([]byte, error) {
	var in struct {
		ExclusiveStartTableName *string
		Limit                   *int32
	}
	if err := read(body, &in); err != nil {
		return nil, err
	}
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
	names := a.DB.Tables(weft.DefaultDatabase, after, int(limit)+1)
	more := len(names) > int(limit)
	if more {
		names = names[:limit]
	}
	return appendNames(dst, names, more), nil
}

func appendNames(dst []byte, names []string, more bool) []byte {
	dst = append(dst, `{"TableNames":[`...)
	for i, name := range names {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = attributejson.AppendString(dst, []byte(name))
	}
	dst = append(dst, ']')
	if more {
		dst = attributejson.AppendString(attributejson.AppendMember(dst, "LastEvaluatedTableName"), []byte(names[len(names)-1]))
	}
	return append(dst, '}')
}

// deleteTable makes a table vanish. Its answer says DELETING; there is no such table from then on.
func (a *API) deleteTable(ctx context.Context, body, dst []byte) ([]byte, error) {
	name, err := a.tableName(body, "DeleteTable")
	if err != nil {
		return nil, err
	}
	if err := a.checkDelete(name); err != nil {
		return nil, tableError(name, err)
	}
	d, err := a.describe(ctx, name, false)
	if err != nil {
		return nil, tableError(name, err)
	}
	if err := a.DB.DropTable(ctx, weft.DefaultDatabase, name); err != nil {
		return nil, tableError(name, err)
	}
	d.Deleted()
	return appendTable(dst, d)
}

// checkDelete refuses to delete a table that is protected, or on whose indexes work goes on.
func (a *API) checkDelete(name string) error {
	return a.look(name, func(table *weft.Descriptor) error {
		settings, err := tablemodel.SettingsOf(table)
		switch {
		case err != nil:
			return err
		case settings.DeletionRefused:
			return exception.Validation("Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.")
		case tablemodel.IsChanging(table):
			return tablemodel.InUse(name)
		}
		return a.checkUnreferred(table)
	})
}

// checkUnreferred refuses to delete a table to which foreign keys of another one refer.
func (a *API) checkUnreferred(table *weft.Descriptor) error {
	for _, r := range table.Rules.Referrers {
		p, err := a.DB.PinIn(r.Database, r.Table)
		if weft.KindOf(err) == weft.KindNotFound {
			continue
		}
		if err != nil {
			return err
		}
		p.Release()
		return exception.New(exception.KindResourceInUse, "Attempt to change a resource which is still in use: a foreign key of table "+r.Database+"."+r.Table+
			" refers to Table: "+table.Name+". Delete that table first, or drop the foreign key over SQL: ALTER TABLE "+r.Database+"."+r.Table+" DROP FOREIGN KEY ..")
	}
	return nil
}
