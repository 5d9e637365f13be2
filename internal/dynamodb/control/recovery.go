// SPDX-License-Identifier: Apache-2.0

package control

import (
	"context"
	"errors"
	"time"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/tablemodel"
)

func (a *API) describeContinuousBackups(_ context.Context, in *tableRequest) (any, error) {
	return a.showRecovery(*in.TableName)
}

// showRecovery describes the moments that a table can be restored to.
func (a *API) showRecovery(name string) (any, error) {
	pin, err := a.Pin(name)
	if err != nil {
		return nil, backupError(name, err)
	}
	defer pin.Release()
	return struct{ ContinuousBackupsDescription tablemodel.Backups }{tablemodel.DescribeRecovery(pin)}, nil
}

// backupsRequest is the body of UpdateContinuousBackups.
type backupsRequest struct {
	tableRequest
	PointInTimeRecoverySpecification *tablemodel.Recovery
}

// updateContinuousBackups switches point-in-time recovery on or off.
func (a *API) updateContinuousBackups(ctx context.Context, in *backupsRequest) (any, error) {
	if err := in.PointInTimeRecoverySpecification.Check(); err != nil {
		return nil, err
	}
	table, err := a.Open(*in.TableName)
	if err == nil {
		err = table.Edit(ctx, func(table *schema.Table) error {
			return a.DB.Recovery().Keep(table, in.PointInTimeRecoverySpecification.Days(table))
		})
	}
	if err != nil {
		return nil, backupError(*in.TableName, err)
	}
	return a.showRecovery(*in.TableName)
}

// restoreAtRequest is the body of RestoreTableToPointInTime.
type restoreAtRequest struct{ tablemodel.RestoreAt }

// restoreTableToPointInTime begins to make a table as another one was, which is CREATING until all of it is there.
func (a *API) restoreTableToPointInTime(ctx context.Context, in *restoreAtRequest) (any, error) {
	const operation = "RestoreTableToPointInTime"
	if err := in.Check(a.Limits); err != nil {
		return nil, err
	}
	source, err := in.Source(a.account(), operation)
	if err != nil {
		return nil, err
	}
	name := *in.TargetTableName
	for _, table := range [...]string{source, name} {
		if err := a.authorizeTarget(ctx, "dynamodb:"+operation, table); err != nil {
			return nil, err
		}
	}
	from, to, err := a.restorable(source)
	if err != nil {
		return nil, err
	}
	at := to
	if in.RestoreDateTime != nil {
		at = time.UnixMilli(int64(*in.RestoreDateTime * 1000))
	}
	if at.Before(from) || at.After(to) { // the text is from memory
		return nil, exception.New(exception.KindRestoreTime,
			"Specified restore time is invalid: the table can be restored to a time between "+
				from.UTC().Format(time.RFC3339Nano)+" and "+to.UTC().Format(time.RFC3339Nano))
	}
	arrival, err := a.DB.Recovery().RestoreAt(ctx, a.Name(), source, at, name,
		in.Edit(a.account().TableARN(source), "", at.UnixMilli()))
	if err != nil {
		if database.KindOf(err) == database.KindExists {
			return nil, exception.New(exception.KindTableExists, "Table already exists: "+name)
		}
		return nil, tableError(name, err)
	}
	d, err := a.describeArrival(arrival.Schema)
	return tableAnswer{d}, err
}

// restorable is the span of moments that a table can be restored to.
func (a *API) restorable(name string) (from, to time.Time, err error) {
	pin, err := a.Pin(name)
	if err != nil {
		return from, to, backupError(name, err)
	}
	defer pin.Release()
	from, to, ok := pin.Changes().Restorable()
	if !ok { // the text is from memory
		err = exception.New(exception.KindNoRecovery, "Point in time recovery is not enabled for table '"+name+"'")
	}
	return from, to, errors.Join(err)
}
