// SPDX-License-Identifier: Apache-2.0

package control

import (
	"context"
	"errors"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/dynamodb/definition"
	"github.com/weftdb/weft/internal/dynamodb/exception"
)

// backupError words the error for a missing table as the operations on backups do.
func backupError(name string, err error) error {
	if detail, ok := errors.AsType[*weft.Error](err); ok && detail.Kind == weft.KindNotFound {
		return exception.Modelled("TableNotFoundException", "Table not found: "+name)
	}
	return err
}

func appendBackups(dst []byte, s *definition.Settings, nowMS int64) ([]byte, error) {
	return appendJSON(dst, struct{ ContinuousBackupsDescription definition.Backups }{s.Backups(nowMS)})
}

// describeContinuousBackups shows whether a table is to be restorable to any moment of the past days, and to which. The setting is kept and
// described; there is no operation yet that restores.
func (a *API) describeContinuousBackups(_ context.Context, body, dst []byte) ([]byte, error) {
	name, err := a.tableName(body, "DescribeContinuousBackups")
	if err != nil {
		return nil, err
	}
	s, err := a.settings(name)
	if err != nil {
		return nil, backupError(name, err)
	}
	return appendBackups(dst, &s, a.nowMS())
}

// updateContinuousBackups changes the setting that describeContinuousBackups shows.
func (a *API) updateContinuousBackups(ctx context.Context, body, dst []byte) ([]byte, error) {
	var in struct {
		TableName                        *string
		PointInTimeRecoverySpecification *definition.Recovery
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
	var kept definition.Settings
	nowMS := a.nowMS()
	err := a.change(ctx, *in.TableName, func(s *definition.Settings) error {
		s.SetRecovery(in.PointInTimeRecoverySpecification, nowMS)
		kept = *s
		return nil
	})
	if err != nil {
		return nil, backupError(*in.TableName, err)
	}
	return appendBackups(dst, &kept, nowMS)
}
