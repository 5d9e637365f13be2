// SPDX-License-Identifier: Apache-2.0

package exchange

import (
	"cmp"
	"context"
	"math"
	"strings"
	"time"

	"github.com/weftdb/weft/internal/background/task"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/tablemodel"
	"github.com/weftdb/weft/internal/files/archive"
	"github.com/weftdb/weft/storage"
)

// taskExport is the kind of the records of exports.
const taskExport = "export"

// What the members of an export may say.
const (
	formatJSON, formatIon  = "DYNAMODB_JSON", "ION"
	fullExport             = "FULL_EXPORT"
	incrementalExport      = "INCREMENTAL_EXPORT"
	viewNew, viewNewAndOld = "NEW_IMAGE", "NEW_AND_OLD_IMAGES"
	inProgress             = "IN_PROGRESS"
	completed              = "COMPLETED"
	failedStatus           = "FAILED"
)

// exportRequest is the body of ExportTableToPointInTime.
type exportRequest struct {
	TableArn, S3Bucket             *string                         `json:",omitempty"`
	ClientToken                    *string                         `json:",omitempty"`
	ExportFormat, ExportType       *string                         `json:",omitempty"`
	ExportTime                     *float64                        `json:",omitempty"`
	FilterSpecification            *filterSpecification            `json:",omitempty"`
	IncrementalExportSpecification *incrementalExportSpecification `json:",omitempty"`
	S3BucketOwner, S3Prefix        *string                         `json:",omitempty"`
	S3SseAlgorithm                 *string                         `json:",omitempty"`
	S3SseKmsKeyID                  *string                         `json:"S3SseKmsKeyId,omitempty"`
}

type incrementalExportSpecification struct {
	ExportFromTime, ExportToTime *float64 `json:",omitempty"`
	ExportViewType               *string  `json:",omitempty"`
}

// exportRecord is an export.
type exportRecord struct {
	home
	Request exportRequest `json:"request"`
	Table   string        `json:"table"`
	TableID uint32        `json:"tableID"`
	UUID    string        `json:"uuid"`
	AtMS    int64         `json:"atMS,omitempty"`   // of a full export
	FromMS  int64         `json:"fromMS,omitempty"` // of an incremental one
	ToMS    int64         `json:"toMS,omitempty"`
	Status  string        `json:"status"`
	EndMS   int64         `json:"endMS,omitempty"`
	Failure failure       `json:"failure,omitzero"`
	Items   int64         `json:"items,omitempty"`
	Bytes   int64         `json:"bytes,omitempty"`
}

func (e *exportRecord) about() (table string, request any, token *string) {
	return e.Table, &e.Request, e.Request.ClientToken
}

func (e *exportRecord) incremental() bool { return valueOf(e.Request.ExportType) == incrementalExport }

func (e *exportRecord) format() string { return cmp.Or(valueOf(e.Request.ExportFormat), formatJSON) }

func (e *exportRecord) view() string {
	if x := e.Request.IncrementalExportSpecification; x != nil && x.ExportViewType != nil {
		return *x.ExportViewType
	}
	return viewNewAndOld
}

// check judges the members by themselves. Texts about more than one of them are from memory.
func (r *exportRequest) check() error {
	var faults exception.Constraints
	if r.TableArn == nil {
		faults.Null("tableArn")
	}
	checkBucket(&faults, r.S3Bucket, "s3Bucket")
	checkToken(&faults, r.ClientToken)
	faults.Maybe(r.ExportFormat, "exportFormat", formatJSON, formatIon)
	faults.Maybe(r.ExportType, "exportType", fullExport, incrementalExport)
	faults.Within(r.TableArn, "tableArn", 1, exception.TableArnMax)
	faults.Within(r.S3SseKmsKeyID, "s3SseKmsKeyId", 1, kmsKeyMax)
	faults.Maybe(r.S3SseAlgorithm, "s3SseAlgorithm", "AES256", "KMS")
	checkOwner(&faults, r.S3BucketOwner, "s3BucketOwner")
	checkPrefix(&faults, r.S3Prefix, "s3Prefix")
	if x := r.IncrementalExportSpecification; x != nil {
		faults.Maybe(x.ExportViewType, "incrementalExportSpecification.exportViewType", viewNew, viewNewAndOld)
	}
	if err := faults.Err(); err != nil {
		return err
	}
	return r.checkTogether()
}

func (r *exportRequest) checkTogether() error {
	incremental, x := valueOf(r.ExportType) == incrementalExport, r.IncrementalExportSpecification
	switch {
	case !strings.HasPrefix(*r.TableArn, "arn:"):
		return exception.Validation("Invalid Request: TableArn is no ARN of a table: " + *r.TableArn)
	case incremental && x == nil:
		return exception.Validation("IncrementalExportSpecification is required when ExportType is INCREMENTAL_EXPORT")
	case incremental && x.ExportFromTime == nil:
		return exception.Validation("ExportFromTime is required for an incremental export")
	case incremental && r.ExportTime != nil:
		return exception.Validation("ExportTime can only be specified when ExportType is FULL_EXPORT")
	case !incremental && x != nil:
		return exception.Validation("IncrementalExportSpecification can only be specified when ExportType is INCREMENTAL_EXPORT")
	}
	const advice = "leave it out, and let the bucket encrypt its objects"
	if err := absent("S3SseAlgorithm", r.S3SseAlgorithm != nil, "encryption of single objects", advice); err != nil {
		return err
	}
	return absent("S3SseKmsKeyId", r.S3SseKmsKeyID != nil, "keys of KMS", advice)
}

// exportTable begins an export.
func (a *API) exportTable(ctx context.Context, in *exportRequest) (any, error) {
	const operation = "ExportTableToPointInTime"
	if err := in.check(); err != nil {
		return nil, err
	}
	name, err := a.account().Table(*in.TableArn, operation)
	if err == nil {
		err = tablemodel.TableNameError(&name)
	}
	if err == nil {
		err = a.ask(ctx, operation, name, "")
	}
	if err == nil {
		err = a.askToWrite(ctx, in.S3Bucket,
			strings.TrimPrefix(strings.Trim(valueOf(in.S3Prefix), "/")+"/"+exportFolder, "/"))
	}
	if err == nil {
		err = a.errNoBuckets("S3Bucket")
	}
	if err != nil {
		return nil, err
	}
	reused := exception.New(exception.KindExportConflict, reusedToken("An export"))
	known, err := again(ctx, a, taskExport, &exportRecord{Request: *in}, reused, a.showExport)
	if err != nil || known != nil {
		return known, err
	}
	e, err := a.newExport(name, in)
	if err != nil {
		return nil, err
	}
	id := a.DB.Tasks().NewID()
	if err := a.DB.Tasks().File(ctx, taskExport, id, e); err != nil {
		return nil, err
	}
	return a.showExport(id, e), nil
}

// reusedToken is the text of the error for a token that stands for another request.
func reusedToken(work string) string {
	return work + " with the same client token and other parameters was begun before: use another token"
}

// newExport judges what is asked for by the table. The texts are from memory.
func (a *API) newExport(name string, in *exportRequest) (*exportRecord, error) {
	pin, err := a.Pin(name)
	if err != nil {
		return nil, exception.New(exception.KindTableNotFound, "Table not found: "+name)
	}
	defer pin.Release()
	from, to, ok := pin.Changes().Restorable()
	if !ok {
		return nil, exception.New(exception.KindRecoveryUnavailable,
			"Point in time recovery is not enabled for table '"+name+"'")
	}
	e := &exportRecord{home: a.home(), Request: *in, Table: name, TableID: pin.Descriptor().ID,
		UUID: pin.Descriptor().UUID, Status: inProgress}
	within := func(at *float64, otherwise time.Time) (int64, error) {
		if at == nil {
			return otherwise.UnixMilli(), nil
		}
		ms := int64(math.Round(*at * 1000))
		if ms < from.UnixMilli() || ms > to.UnixMilli() {
			return 0, exception.New(exception.KindExportTimeInvalid,
				"Specified export time is outside of the point in time recovery window, which is from "+
					from.UTC().Format(time.RFC3339Nano)+" to "+to.UTC().Format(time.RFC3339Nano))
		}
		return ms, nil
	}
	if e.incremental() {
		x := in.IncrementalExportSpecification
		if e.FromMS, err = within(x.ExportFromTime, from); err == nil {
			e.ToMS, err = within(x.ExportToTime, to)
		}
		if err == nil {
			err = a.checkIncrement(time.Duration(e.ToMS-e.FromMS) * time.Millisecond)
		}
	} else {
		e.AtMS, err = within(in.ExportTime, to)
	}
	if err == nil {
		_, err = in.FilterSpecification.compile(pin)
	}
	return e, err
}

// incrementMax is the longest time that an incremental export may be of.
const incrementMax = 24 * time.Hour

// checkIncrement judges the time between the ends of an incremental export. The texts are from memory.
func (a *API) checkIncrement(length time.Duration) error {
	switch {
	case length <= 0:
		return exception.Validation("ExportFromTime must be before ExportToTime")
	case length < a.IncrementMin || length > incrementMax:
		return exception.Validation("The time from ExportFromTime to ExportToTime must be at least 15 minutes and at most 24 hours")
	}
	return nil
}

// exportDescription describes an export.
type exportDescription struct {
	ExportArn                      string
	ExportStatus                   string
	StartTime                      seconds
	EndTime                        seconds `json:",omitempty"`
	ExportManifest                 string  `json:",omitempty"`
	TableArn                       string
	TableID                        string  `json:"TableId"`
	ExportTime                     seconds `json:",omitempty"`
	ClientToken                    *string `json:",omitempty"`
	S3Bucket                       *string `json:",omitempty"`
	S3BucketOwner                  *string `json:",omitempty"`
	S3Prefix                       *string `json:",omitempty"`
	FailureCode                    string  `json:",omitempty"`
	FailureMessage                 string  `json:",omitempty"`
	ExportFormat                   string
	ExportType                     string
	BilledSizeBytes                *int64                `json:",omitempty"`
	ItemCount                      *int64                `json:",omitempty"`
	FilterSpecification            *filterSpecification  `json:",omitempty"`
	IncrementalExportSpecification *describedIncremental `json:",omitempty"`
}

type describedIncremental struct {
	ExportFromTime, ExportToTime seconds
	ExportViewType               string
}

func (a *API) exportARN(table, id string) string {
	return a.account().TableARN(table) + "/export/" + id
}

func (a *API) showExport(id string, e *exportRecord) any {
	d := exportDescription{
		ExportArn: a.exportARN(e.Table, id), ExportStatus: e.Status, StartTime: seconds(task.BornMS(id)),
		EndTime:  seconds(e.EndMS),
		TableArn: a.account().TableARN(e.Table), TableID: e.UUID, ExportTime: seconds(e.AtMS),
		ClientToken: e.Request.ClientToken,
		S3Bucket:    e.Request.S3Bucket, S3BucketOwner: e.Request.S3BucketOwner, S3Prefix: e.Request.S3Prefix,
		FailureCode: e.Failure.Code, FailureMessage: e.Failure.Message, ExportFormat: e.format(),
		ExportType: fullExport, FilterSpecification: e.Request.FilterSpecification,
	}
	if e.incremental() {
		d.ExportType, d.IncrementalExportSpecification = incrementalExport, &describedIncremental{seconds(e.FromMS),
			seconds(e.ToMS), e.view()}
	}
	if e.Status == completed {
		d.BilledSizeBytes, d.ItemCount, d.ExportManifest = &e.Bytes, &e.Items, storage.Join(valueOf(e.Request.S3Prefix),
			exportFolder, id, archive.ManifestSummary)
	}
	return struct{ ExportDescription exportDescription }{d}
}

// describeExport describes an export by its ARN.
func (a *API) describeExport(ctx context.Context, in *struct{ ExportArn *string }) (any, error) {
	missing := exception.New(exception.KindExportNotFound, "Export not found: ")
	one, e, err := find[exportRecord](ctx, a, taskExport, "export", "DescribeExport", in.ExportArn, missing)
	if err != nil {
		return nil, err
	}
	return a.showExport(one.ID, e), nil
}

// listExportsRequest is the body of ListExports.
type listExportsRequest struct {
	TableArn, NextToken *string
	MaxResults          *int32
}

type exportSummary struct{ ExportArn, ExportStatus, ExportType string }

// pageMax is the number of summaries a page has.
const pageMax = 25

// listExports lists exports, the newest first.
func (a *API) listExports(ctx context.Context, in *listExportsRequest) (any, error) {
	var faults exception.Constraints
	limit := pageOf(in.MaxResults, "maxResults", pageMax, &faults)
	table, err := a.askToList(ctx, "ListExports", in.TableArn, &faults)
	if err != nil {
		return nil, err
	}
	var answer struct {
		ExportSummaries []exportSummary
		NextToken       string `json:",omitempty"`
	}
	answer.ExportSummaries, answer.NextToken, err = list(ctx, a, taskExport, in.NextToken, limit,
		func(id string, e *exportRecord) (exportSummary, bool) {
			kind := fullExport
			if e.incremental() {
				kind = incrementalExport
			}
			return exportSummary{a.exportARN(e.Table, id), e.Status, kind}, table == "" || e.Table == table
		})
	return answer, err
}

// askToList wants the client to be allowed an operation that lists work, of one table or of all: table is "".
func (a *API) askToList(ctx context.Context, operation string, arn *string,
	faults *exception.Constraints) (table string, err error) {
	faults.Within(arn, "tableArn", 1, exception.TableArnMax)
	err = faults.Err()
	if err == nil && arn != nil {
		table, err = a.account().Table(*arn, operation)
	}
	if err == nil {
		err = a.askAll(ctx, operation)
	}
	return table, err
}
