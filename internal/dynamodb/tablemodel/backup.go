// SPDX-License-Identifier: Apache-2.0

package tablemodel

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/history/recovery"
	"github.com/weftdb/weft/internal/security/permission"
)

// CreateBackup is the body of that operation.
type CreateBackup struct{ TableName, BackupName *string }

// Check judges the backup's name.
func (r *CreateBackup) Check() error {
	var faults constraints
	faults.name(r.BackupName, "backupName")
	return faults.Err()
}

// BackupARN is the name of a backup of a table.
func (a Account) BackupARN(table, id string) string { return a.TableARN(table) + "/backup/" + id }

// Backup reads the ARN of a backup. Errors: those of Part.
func (a Account) Backup(text *string, operation string) (table, id string, err error) {
	return a.Part(text, "backup", operation)
}

// tablePart is a thing that belongs to a table: the member with its ARN, what errors call it, and the exception for one
// that is not there.
type tablePart struct {
	member, noun string
	notFound     exception.Kind
}

// belongings are the things that belong to tables, by their kind. // immutable
var belongings = map[string]tablePart{
	"backup":         {"backupArn", "Backup", exception.KindBackupNotFound},
	"export":         {"exportArn", "Export", exception.KindExportNotFound},
	"import":         {"importArn", "Import", exception.KindImportNotFound},
	"bulk-operation": {"bulkOperationArn", "Bulk operation", exception.KindResourceNotFound},
}

// Part reads the ARN of something of a kind that belongs to a table. Errors: a ValidationException for what is none, an
// AccessDeniedException for one of another account, the exception of the kind for one of another region.
func (a Account) Part(text *string, kind, operation string) (table, id string, err error) {
	member := belongings[kind].member
	var faults constraints
	if text == nil {
		faults.Null(member)
	}
	faults.Within(text, member, exception.ArnMin, exception.ArnMax)
	if err := faults.Err(); err != nil {
		return "", "", err
	}
	whole, id, found := strings.Cut(*text, "/"+kind+"/")
	x, ok := parseARN(whole)
	switch {
	case !found || !ok || x.part != "" || id == "" || strings.IndexFunc(id, foreign) >= 0: // the text is from memory
		return "", "", exception.Validation("Invalid Request: Invalid ARN " + *text)
	case x.account.ID != a.ID:
		return "", "", a.AccessDenied(*text, operation)
	case x.account.Region != a.Region:
		return "", "", exception.New(belongings[kind].notFound, belongings[kind].noun+" not found: "+*text)
	}
	return x.table, id, nil
}

// BackupNotFound is the answer for a backup that is not there.
func BackupNotFound(arn string) error {
	return exception.New(exception.KindBackupNotFound, "Backup not found: "+arn)
}

// BackupDetails describes a backup by itself.
type BackupDetails struct {
	BackupArn              string
	BackupName             string
	BackupSizeBytes        int64
	BackupStatus           string
	BackupType             string
	BackupCreationDateTime seconds
}

// Backup statuses.
const (
	backupCreating  = "CREATING"
	backupAvailable = "AVAILABLE"
	backupDeleted   = "DELETED"
)

// DescribeBackupDetails describes a backup by itself.
func DescribeBackupDetails(b *recovery.Backup, account Account) BackupDetails {
	d := BackupDetails{
		BackupArn: account.BackupARN(b.Schema.Name, b.ID), BackupName: b.Name, BackupSizeBytes: b.Bytes,
		BackupStatus: backupCreating, BackupType: "USER",
		BackupCreationDateTime: seconds(b.MadeMS),
	}
	switch {
	case b.Gone || b.Failed != "":
		d.BackupStatus = backupDeleted
	case b.Ready:
		d.BackupStatus = backupAvailable
	}
	return d
}

// BackupSummary is a backup in a list.
type BackupSummary struct {
	BackupDetails
	TableArn, TableName string
	TableID             string `json:"TableId"`
}

// SummarizeBackup describes a backup in a list.
func SummarizeBackup(b *recovery.Backup, account Account) BackupSummary {
	return BackupSummary{DescribeBackupDetails(b, account), account.TableARN(b.Schema.Name), b.Schema.Name,
		b.Schema.UUID}
}

// BackupDescription describes a backup with its table.
type BackupDescription struct {
	BackupDetails             BackupDetails
	SourceTableDetails        sourceDetails
	SourceTableFeatureDetails sourceFeatures
}

type sourceDetails struct {
	TableName             string
	TableID               string `json:"TableId"`
	TableArn              string
	TableSizeBytes        int64
	KeySchema             []Key
	TableCreationDateTime seconds
	ProvisionedThroughput units
	OnDemandThroughput    *OnDemand `json:",omitempty"`
	ItemCount             int64
	BillingMode           string
}

// units is throughput; zeros for PAY_PER_REQUEST.
type units struct{ ReadCapacityUnits, WriteCapacityUnits int64 }

func unitsOf(t *Throughput) (u units) {
	if t != nil {
		u = units{*t.ReadCapacityUnits, *t.WriteCapacityUnits}
	}
	return u
}

type sourceFeatures struct {
	GlobalSecondaryIndexes []sourceIndex `json:",omitempty"`
	LocalSecondaryIndexes  []sourceIndex `json:",omitempty"`
	TimeToLiveDescription  sourceExpiry
}

type sourceIndex struct {
	IndexName             string
	KeySchema             []Key
	Projection            Projection
	ProvisionedThroughput *units    `json:",omitempty"`
	OnDemandThroughput    *OnDemand `json:",omitempty"`
}

type sourceExpiry struct {
	TimeToLiveStatus string
	AttributeName    string `json:",omitempty"`
}

// DescribeBackup describes a backup with its table.
func DescribeBackup(b *recovery.Backup, account Account) (*BackupDescription, error) {
	table := b.Schema
	s, err := SettingsOf(table)
	if err != nil {
		return nil, err
	}
	d := &BackupDescription{BackupDetails: DescribeBackupDetails(b, account), SourceTableDetails: sourceDetails{
		TableName: table.Name, TableID: table.UUID, TableArn: account.TableARN(table.Name), TableSizeBytes: b.Bytes,
		KeySchema:             keysOf(&table.Primary),
		TableCreationDateTime: seconds(table.CreatedAtMS), ProvisionedThroughput: unitsOf(s.Throughput),
		OnDemandThroughput: s.OnDemand.describe(),
		ItemCount:          b.Rows, BillingMode: s.billing(),
	}}
	d.SourceTableFeatureDetails.TimeToLiveDescription.TimeToLiveStatus = "DISABLED"
	if e := database.ExpiryOf(table); e.State == database.ExpiryActive {
		d.SourceTableFeatureDetails.TimeToLiveDescription = sourceExpiry{"ENABLED", e.Attribute}
	}
	for _, x := range indexesOf(table) {
		one := sourceIndex{IndexName: x.Name, KeySchema: keysOf(x), Projection: projectionOf(x)}
		if x.Local {
			d.SourceTableFeatureDetails.LocalSecondaryIndexes = append(
				d.SourceTableFeatureDetails.LocalSecondaryIndexes, one)
			continue
		}
		own, err := settingsOfIndex(x)
		if err != nil {
			return nil, err
		}
		throughput := unitsOf(own.Throughput)
		one.ProvisionedThroughput, one.OnDemandThroughput = &throughput, own.OnDemand.describe()
		d.SourceTableFeatureDetails.GlobalSecondaryIndexes = append(d.SourceTableFeatureDetails.GlobalSecondaryIndexes,
			one)
	}
	return d, nil
}

// ListBackups is the body of that operation.
type ListBackups struct {
	TableName, BackupType, ExclusiveStartBackupArn *string
	Limit                                          *int32
	TimeRangeLowerBound, TimeRangeUpperBound       *float64
}

// listBackupsMax is the number of backups one answer lists.
const listBackupsMax = 100

// Check judges the members. It returns the most that are to be listed.
func (r *ListBackups) Check() (limit int, err error) {
	var faults constraints
	faults.Maybe(r.BackupType, "backupType", "USER", "SYSTEM", "AWS_BACKUP", "ALL")
	faults.Within(r.ExclusiveStartBackupArn, "exclusiveStartBackupArn", exception.ArnMin, exception.ArnMax)
	limit = listBackupsMax
	if r.Limit != nil {
		limit = int(*r.Limit)
		faults.Between(true, int64(*r.Limit), "limit", 1, listBackupsMax)
	}
	return limit, faults.Err()
}

// Wants reports whether a list has a backup.
func (r *ListBackups) Wants(b *recovery.Backup) bool {
	at := float64(b.MadeMS) / 1000
	kind := valueOf(r.BackupType)
	return !IsHidden(b.Schema) && b.Failed == "" && (kind == "" || kind == "USER" || kind == "ALL") &&
		(r.TableName == nil || *r.TableName == b.Schema.Name) &&
		(r.TimeRangeLowerBound == nil || at >= *r.TimeRangeLowerBound) &&
		(r.TimeRangeUpperBound == nil || at < *r.TimeRangeUpperBound)
}

// RestoreFromBackup is the body of RestoreTableFromBackup.
type RestoreFromBackup struct {
	BackupArn *string
	restore
}

// RestoreAt is the body of RestoreTableToPointInTime.
type RestoreAt struct {
	SourceTableName, SourceTableArn *string
	UseLatestRestorableTime         *bool
	RestoreDateTime                 *float64
	restore
}

// Check judges the members by themselves. The texts about the moment are from memory.
func (r *RestoreAt) Check(limits Limits) error {
	var faults constraints
	if r.SourceTableName != nil && !strings.HasPrefix(*r.SourceTableName, "arn:") {
		faults.Named(r.SourceTableName, "sourceTableName")
	}
	faults.Within(r.SourceTableArn, "sourceTableArn", 1, exception.TableArnMax)
	if err := r.judge(&faults, limits); err != nil {
		return err
	}
	latest := valueOf(r.UseLatestRestorableTime)
	switch {
	case r.SourceTableName == nil && r.SourceTableArn == nil:
		return exception.Validation("SourceTableName or SourceTableArn must be specified")
	case r.SourceTableName != nil && r.SourceTableArn != nil:
		return exception.Validation("Only one of SourceTableName and SourceTableArn may be specified")
	case latest && r.RestoreDateTime != nil:
		return exception.Validation("Only one of UseLatestRestorableTime and RestoreDateTime may be specified")
	case !latest && r.RestoreDateTime == nil:
		return exception.Validation("UseLatestRestorableTime or RestoreDateTime must be specified")
	}
	return nil
}

// Source is the table that is restored.
func (r *RestoreAt) Source(account Account, operation string) (string, error) {
	name := r.SourceTableArn
	name = cmp.Or(name, r.SourceTableName)
	table, err := account.Table(*name, operation)
	if err == nil {
		err = TableNameError(&table)
	}
	return table, err
}

// restore is the common part of the requests that restore a table.
type restore struct {
	TargetTableName     *string
	BillingModeOverride *string
	// A nil list takes all indexes.
	GlobalSecondaryIndexOverride, LocalSecondaryIndexOverride []IndexMember
	ProvisionedThroughputOverride                             *Throughput
	OnDemandThroughputOverride                                *OnDemand
	SSESpecificationOverride                                  *EncryptionMember
	VectorIndexOverride                                       []json.RawMessage
}

// Check judges the members by themselves.
func (r *restore) Check(limits Limits) error { return r.judge(new(constraints), limits) }

// judge is Check for a request in which some faults were found already.
func (r *restore) judge(faults *constraints, limits Limits) error {
	faults.name(r.TargetTableName, "targetTableName")
	faults.Maybe(r.BillingModeOverride, "billingModeOverride", provisioned, payPerRequest)
	faults.throughput(r.ProvisionedThroughputOverride, "provisionedThroughputOverride")
	faults.indexes(r.GlobalSecondaryIndexOverride, "globalSecondaryIndexOverride", keysMax)
	faults.indexes(r.LocalSecondaryIndexOverride, "localSecondaryIndexOverride", 2)
	faults.encryption(r.SSESpecificationOverride, "sSESpecificationOverride")
	if err := faults.Err(); err != nil {
		return err
	}
	if valueOf(r.BillingModeOverride) == payPerRequest && r.ProvisionedThroughputOverride != nil {
		return checkBilling(payPerRequest, r.ProvisionedThroughputOverride)
	}
	if len(r.VectorIndexOverride) > 0 {
		return missing("VectorIndexOverride", "vector indexes", "leave it out")
	}
	return r.SSESpecificationOverride.Check("SSESpecificationOverride", limits.Encryption)
}

// Edit makes the schema of a backup that of the restored table: as at AWS, without tags, time to live, resource policy,
// and protection from deletion. Tags that say how the table lies stay with it.
func (r *restore) Edit(source, backup string, nowMS int64) func(*schema.Table) error {
	return func(table *schema.Table) error {
		s, err := SettingsOf(table)
		if err != nil {
			return err
		}
		if err := r.override(&s); err != nil {
			return err
		}
		s.DeletionRefused, s.History, s.Warm, s.Insights = false, history{}, nil, nil
		s.Encryption = r.SSESpecificationOverride.after(s.Encryption)
		s.Tags = slices.DeleteFunc(s.Tags,
			func(tag Tag) bool { return !strings.HasPrefix(*tag.Key, schema.InternalPrefix) })
		s.Restored = &origin{BackupArn: backup, TableArn: source, AtMS: nowMS}
		if table.Dialect, err = permission.SetPolicy(keep(table.Dialect, &s), nil); err != nil {
			return err
		}
		if x, ok := table.Expiry(); ok {
			id := x.ID
			table.Indexes = slices.DeleteFunc(table.Indexes, func(x schema.Index) bool { return x.ID == id })
		}
		return r.overrideIndexes(table, s.billing())
	}
}

// override changes the capacity.
func (r *restore) override(s *Settings) error {
	billing := billingOr(r.BillingModeOverride, s.billing())
	switch {
	case billing == payPerRequest:
		if r.ProvisionedThroughputOverride != nil {
			return checkBilling(payPerRequest, r.ProvisionedThroughputOverride)
		}
		s.Throughput = nil
	case r.ProvisionedThroughputOverride != nil:
		s.Throughput, s.OnDemand = r.ProvisionedThroughputOverride, nil
	case s.Throughput == nil:
		return checkBilling(provisioned, nil)
	}
	if err := s.Throughput.check(""); err != nil {
		return err
	}
	if err := checkOnDemand(r.OnDemandThroughputOverride, billing, "table"); err != nil {
		return err
	}
	s.OnDemand = s.OnDemand.with(r.OnDemandThroughputOverride)
	return nil
}

// overrideIndexes leaves out the indexes that the request does not name, where it names any, and changes the capacity
// of the others.
func (r *restore) overrideIndexes(table *schema.Table, billing string) error {
	for _, one := range []struct {
		list  []IndexMember
		local bool
	}{{r.LocalSecondaryIndexOverride, true}, {r.GlobalSecondaryIndexOverride, false}} {
		for i := range one.list {
			if err := one.list[i].matches(table, one.local); err != nil {
				return err
			}
		}
		if one.list == nil {
			continue
		}
		table.Indexes = slices.DeleteFunc(table.Indexes, func(x schema.Index) bool {
			named := slices.ContainsFunc(one.list, func(m IndexMember) bool { return m.name() == x.Name })
			return !x.Internal && !x.Search && x.Local == one.local && !named
		})
	}
	return r.overrideCapacity(table, billing)
}

// matches wants an index of the backup that is the same. The texts are from memory.
func (x *IndexMember) matches(table *schema.Table, local bool) error {
	had, ok := indexOf(table, x.name())
	if !ok || had.Local != local {
		return exception.InvalidValue("Index %s is not in the backup: indexes can be left out of a restored table, but not added", x.name())
	}
	projection := projectionOf(had)
	if !slices.Equal(givenKeys(x.KeySchema), keysOf(had)) ||
		valueOf(x.Projection.ProjectionType) != projection.ProjectionType ||
		x.Projection.NonKeyAttributes != nil &&
			!slices.Equal(x.Projection.includedNames(), projection.NonKeyAttributes) {
		return exception.InvalidValue("Index %s has another KeySchema or Projection in the backup", x.name())
	}
	return nil
}

// overrideCapacity gives the indexes of a restored table its mode of capacity.
func (r *restore) overrideCapacity(table *schema.Table, billing string) error {
	for _, x := range indexesOf(table) {
		if x.Local {
			continue
		}
		s, err := settingsOfIndex(x)
		if err != nil {
			return err
		}
		given := IndexMember{}
		if at := slices.IndexFunc(r.GlobalSecondaryIndexOverride,
			func(m IndexMember) bool { return m.name() == x.Name }); at >= 0 {
			given = r.GlobalSecondaryIndexOverride[at]
		}
		switch {
		case billing == payPerRequest && given.ProvisionedThroughput != nil:
			return throughputOnDemand(x.Name)
		case billing == payPerRequest:
			s.Throughput = nil
		case given.ProvisionedThroughput != nil:
			s.Throughput, s.OnDemand = given.ProvisionedThroughput, nil
		case s.Throughput == nil:
			s.Throughput, s.OnDemand = r.ProvisionedThroughputOverride, nil
		}
		if err := s.Throughput.check(x.Name); err != nil {
			return err
		}
		if err := checkOnDemand(given.OnDemandThroughput, billing, "index "+x.Name); err != nil {
			return err
		}
		s.History, s.Warm, s.OnDemand = history{}, given.WarmThroughput, s.OnDemand.with(given.OnDemandThroughput)
		x.Dialect = keep(x.Dialect, &s)
	}
	return nil
}

// origin is the origin of a table.
type origin struct {
	BackupArn string `json:"backupArn,omitempty"`
	TableArn  string `json:"tableArn"`
	AtMS      int64  `json:"atMS"`
}

// restoreSummary shows it.
type restoreSummary struct {
	SourceBackupArn   string `json:",omitempty"`
	SourceTableArn    string
	RestoreDateTime   seconds
	RestoreInProgress bool
}

// MarkRestoring makes it the description of a table that is being restored.
func (d *Description) MarkRestoring() {
	d.MarkCreating()
	if d.RestoreSummary != nil {
		d.RestoreSummary.RestoreInProgress = true
	}
}
