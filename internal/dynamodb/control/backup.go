// SPDX-License-Identifier: Apache-2.0

package control

import (
	"context"
	"errors"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/tablemodel"
)

// backupError words the error for a missing table as the operations on backups do.
func backupError(name string, err error) error {
	if detail, ok := errors.AsType[*weft.Error](err); ok && detail.Kind == weft.KindNotFound {
		return exception.New(exception.KindTableNotFound, "Table not found: "+name)
	}
	return err
}

// describeContinuousBackups says that a table has none; there is no operation yet that restores.
func (a *API) describeContinuousBackups(_ context.Context, body, dst []byte) ([]byte, error) {
	name, err := a.tableName(body, "DescribeContinuousBackups")
	if err != nil {
		return nil, err
	}
	return a.appendNoBackups(dst, name)
}

// appendNoBackups describes the backups of a table that must be there.
func (a *API) appendNoBackups(dst []byte, name string) ([]byte, error) {
	if err := a.look(name, func(*weft.Descriptor) error { return nil }); err != nil {
		return nil, backupError(name, err)
	}
	return appendJSON(dst, struct{ ContinuousBackupsDescription tablemodel.Backups }{tablemodel.NoBackups()})
}

// updateContinuousBackups can only switch off what is off.
func (a *API) updateContinuousBackups(_ context.Context, body, dst []byte) ([]byte, error) {
	var in struct {
		TableName                        *string
		PointInTimeRecoverySpecification *tablemodel.Recovery
	}
	if err := read(body, &in); err != nil {
		return nil, err
	}
	if err := a.resolve(in.TableName, "UpdateContinuousBackups"); err != nil {
		return nil, err
	}
	if err := in.PointInTimeRecoverySpecification.Check(); err != nil {
		return nil, err
	}
	return a.appendNoBackups(dst, *in.TableName)
}
