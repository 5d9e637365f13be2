// SPDX-License-Identifier: Apache-2.0

package control

import (
	"context"
	"errors"
	"strings"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/tablemodel"
)

// resolve makes a table's name of a member TableName, which may be an ARN, in place, and judges it.
func (a *API) resolve(name *string, operation string) error {
	if err := a.unpack(name, operation); err != nil {
		return err
	}
	return tablemodel.TableNameError(name)
}

// unpack is resolve for a name that is judged elsewhere.
func (a *API) unpack(name *string, operation string) error {
	if name == nil {
		return nil
	}
	resolved, err := a.account().Table(*name, operation)
	if err == nil {
		*name = resolved
	}
	return err
}

// tableError words the errors of requests about the table of that name.
func tableError(name string, err error) error {
	if detail, ok := errors.AsType[*database.Error](err); ok {
		switch detail.Kind {
		case database.KindNotFound:
			return tablemodel.NotFound(name)
		case database.KindExists:
			return exception.New(exception.KindResourceInUse, "Table already exists: "+name)
		case database.KindInvalid:
			if detail.Err != nil {
				return exception.InvalidValue("%s", strings.TrimPrefix(detail.Err.Error(), "schema: "))
			}
			return exception.InvalidValue("%s", detail.Detail)
		}
	}
	return err
}

// look shows the schema of the table of that name. The schema must not be kept: changes wait for its release.
func (a *API) look(name string, at func(*schema.Table) error) error {
	pin, err := a.Pin(name)
	if err != nil {
		return err
	}
	defer pin.Release()
	return at(pin.Descriptor())
}

// find wants the table of that name to be there.
func (a *API) find(name string) error {
	return a.look(name, func(*schema.Table) error { return nil })
}

// change changes the settings of the table of that name in a transaction; edit may run more than once.
func (a *API) change(ctx context.Context, name string, edit func(*tablemodel.Settings) error) error {
	table, err := a.Open(name)
	if err != nil {
		return err
	}
	return table.Edit(ctx, tablemodel.EditSettings(edit))
}
