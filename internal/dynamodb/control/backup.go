// SPDX-License-Identifier: Apache-2.0

package control

import (
	"context"
	"errors"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/tablemodel"
)

// backupError words the error for a missing table as the operations on backups do.
func backupError(name string, err error) error {
	if detail, ok := errors.AsType[*database.Error](err); ok && detail.Kind == database.KindNotFound {
		return exception.New(exception.KindTableNotFound, "Table not found: "+name)
	}
	return err
}

// describeContinuousBackups says that a table has none; there is no operation yet that restores.
func (a *API) describeContinuousBackups(_ context.Context, in *tableRequest) (any, error) {
	return a.describeNoBackups(*in.TableName)
}

// describeNoBackups describes the backups of a table that must be there.
func (a *API) describeNoBackups(name string) (any, error) {
	if err := a.find(name); err != nil {
		return nil, backupError(name, err)
	}
	return struct{ ContinuousBackupsDescription tablemodel.Backups }{tablemodel.NoBackups()}, nil
}

// backupsRequest is the body of UpdateContinuousBackups.
type backupsRequest struct {
	tableRequest
	PointInTimeRecoverySpecification *tablemodel.Recovery
}

// updateContinuousBackups can only switch off what is off.
func (a *API) updateContinuousBackups(_ context.Context, in *backupsRequest) (any, error) {
	if err := in.PointInTimeRecoverySpecification.Check(); err != nil {
		return nil, err
	}
	return a.describeNoBackups(*in.TableName)
}
