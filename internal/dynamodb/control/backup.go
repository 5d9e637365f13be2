// SPDX-License-Identifier: Apache-2.0

package control

import (
	"context"
	"errors"
	"slices"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/tablemodel"
	"github.com/weftdb/weft/internal/history/recovery"
	"github.com/weftdb/weft/internal/security/permission"
)

// backupError words the error for a missing table as the operations on backups do.
func backupError(name string, err error) error {
	if detail, ok := errors.AsType[*database.Error](err); ok && detail.Kind == database.KindNotFound {
		return exception.New(exception.KindTableNotFound, "Table not found: "+name)
	}
	return err
}

// createBackupRequest is the body of CreateBackup.
type createBackupRequest struct{ tablemodel.CreateBackup }

func (r *createBackupRequest) table() *string { return r.TableName }

// createBackup begins a backup, which is AVAILABLE as soon as the table is copied.
func (a *API) createBackup(ctx context.Context, in *createBackupRequest) (any, error) {
	if err := in.Check(); err != nil {
		return nil, err
	}
	name := *in.TableName
	if err := a.find(name); err != nil {
		return nil, backupError(name, err)
	}
	b, err := a.DB.Recovery().Backup(ctx, a.Name(), name, *in.BackupName)
	if err != nil {
		return nil, backupError(name, err)
	}
	return struct{ BackupDetails tablemodel.BackupDetails }{tablemodel.DescribeBackupDetails(&b, a.account())}, nil
}

// backupRequest is the body of requests about one backup.
type backupRequest struct{ BackupArn *string }

func (r *backupRequest) part() (arn *string, kind string) { return r.BackupArn, "backup" }

// findBackup returns the backup of an ARN.
func (a *API) findBackup(ctx context.Context, arn *string, operation string) (b recovery.Backup, err error) {
	table, id, err := a.account().Backup(arn, operation)
	if err != nil {
		return b, err
	}
	b, err = a.DB.Recovery().Find(ctx, id)
	if err == nil && (b.Schema.Name != table || b.Schema.Database != a.Name()) {
		err = recovery.ErrBackupNotFound
	}
	return b, lostBackup(*arn, err)
}

// lostBackup words the errors of backups.
func lostBackup(arn string, err error) error {
	switch {
	case errors.Is(err, recovery.ErrBackupNotFound):
		return tablemodel.BackupNotFound(arn)
	case errors.Is(err, recovery.ErrBackupInUse): // the text is from memory
		return exception.New(exception.KindBackupInUse, "Backup is in use: "+arn)
	}
	return err
}

func (a *API) describeBackup(ctx context.Context, in *backupRequest) (any, error) {
	b, err := a.findBackup(ctx, in.BackupArn, "DescribeBackup")
	if err != nil {
		return nil, err
	}
	return a.showBackup(&b)
}

func (a *API) showBackup(b *recovery.Backup) (any, error) {
	d, err := tablemodel.DescribeBackup(b, a.account())
	return struct{ BackupDescription *tablemodel.BackupDescription }{d}, err
}

// deleteBackup removes a backup at once. Its answer says DELETED.
func (a *API) deleteBackup(ctx context.Context, in *backupRequest) (any, error) {
	b, err := a.findBackup(ctx, in.BackupArn, "DeleteBackup")
	if err != nil {
		return nil, err
	}
	if b, err = a.DB.Recovery().DeleteBackup(ctx, b.ID); err != nil {
		return nil, lostBackup(*in.BackupArn, err)
	}
	b.Gone = true
	return a.showBackup(&b)
}

// listBackups lists backups of all tables or of one, oldest first.
func (a *API) listBackups(ctx context.Context, in *tablemodel.ListBackups) (any, error) {
	limit, err := in.Check()
	if err == nil {
		err = a.resolveOptional(in.TableName, "ListBackups")
	}
	if err != nil {
		return nil, err
	}
	after := ""
	if in.ExclusiveStartBackupArn != nil {
		if _, after, err = a.account().Backup(in.ExclusiveStartBackupArn, "ListBackups"); err != nil {
			return nil, err
		}
	}
	all, err := a.DB.Recovery().Backups(ctx)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(b recovery.Backup) bool {
		return b.ID <= after || b.Schema.Database != a.Name() || !in.Wants(&b)
	})
	answer := struct {
		BackupSummaries        []tablemodel.BackupSummary
		LastEvaluatedBackupArn string `json:",omitempty"`
	}{BackupSummaries: []tablemodel.BackupSummary{}}
	for i := range all {
		if i == limit {
			answer.LastEvaluatedBackupArn = answer.BackupSummaries[i-1].BackupArn
			break
		}
		answer.BackupSummaries = append(answer.BackupSummaries, tablemodel.SummarizeBackup(&all[i], a.account()))
	}
	return answer, nil
}

// resolveOptional is resolve for a member that can be left out.
func (a *API) resolveOptional(name *string, operation string) error {
	if name == nil {
		return nil
	}
	return a.resolve(name, operation)
}

// restoreRequest is the body of RestoreTableFromBackup.
type restoreRequest struct{ tablemodel.RestoreFromBackup }

func (r *restoreRequest) part() (arn *string, kind string) { return r.BackupArn, "backup" }

// restoreTableFromBackup begins to make a table of a backup, which is CREATING until all of it is there.
func (a *API) restoreTableFromBackup(ctx context.Context, in *restoreRequest) (any, error) {
	if err := in.Check(a.Limits); err != nil {
		return nil, err
	}
	b, err := a.findBackup(ctx, in.BackupArn, "RestoreTableFromBackup")
	if err != nil {
		return nil, err
	}
	name := *in.TargetTableName
	if err := a.authorizeTarget(ctx, "dynamodb:RestoreTableFromBackup", name); err != nil {
		return nil, err
	}
	arrival, err := a.DB.Recovery().Restore(ctx, b.ID, a.Name(), name,
		in.Edit(a.account().TableARN(b.Schema.Name), *in.BackupArn, a.nowMS()))
	if err != nil {
		if database.KindOf(err) == database.KindExists {
			return nil, exception.New(exception.KindTableExists, "Table already exists: "+name)
		}
		return nil, tableError(name, lostBackup(*in.BackupArn, err))
	}
	d, err := a.describeArrival(arrival.Schema)
	return tableAnswer{d}, err
}

// authorizeTarget wants the caller to be allowed to restore to a table of that name.
func (a *API) authorizeTarget(ctx context.Context, action, name string) error {
	if a.Guard == nil {
		return nil
	}
	request, err := a.requestOn(action, name, "")
	if err != nil {
		return err
	}
	return exception.Authorization(a.Guard.Check(ctx, permission.FromContext(ctx), request))
}

// describeArrival describes a table that is being restored or imported.
func (a *API) describeArrival(table *schema.Table) (*tablemodel.Description, error) {
	d, err := tablemodel.Describe(table, a.account(), tablemodel.Sizes{Indexes: map[string]database.Estimate{}},
		a.nowMS())
	if err == nil && table.Filling {
		d.MarkCreating()
	} else if err == nil {
		d.MarkRestoring()
	}
	return d, err
}

// arriving returns the table of that name that is being restored or imported; nil if there is none.
func (a *API) arriving(ctx context.Context, name string) (*schema.Table, error) {
	for _, table := range a.DB.Fillings() {
		if table.Database == a.Name() && table.Name == name {
			return table, nil
		}
	}
	all, err := a.DB.Recovery().Arrivals(ctx)
	for i := range all {
		if table := all[i].Schema; table.Database == a.Name() && table.Name == name &&
			all[i].Failed == "" {
			return table, err
		}
	}
	return nil, err
}
