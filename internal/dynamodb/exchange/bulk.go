// SPDX-License-Identifier: Apache-2.0

package exchange

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/weftdb/weft/internal/background/task"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/tablemodel"
	"github.com/weftdb/weft/storage"
)

// taskBulk is the kind of the records of bulk operations.
const taskBulk = "bulk"

// bulkPart stands in the ARN of a bulk operation behind its table's.
const bulkPart = "bulk-operation"

// The statuses of bulk operations that exports and imports do not have.
const (
	completedWithErrors = "COMPLETED_WITH_ERRORS"
	cancelling          = "CANCELLING"
	cancelled           = "CANCELLED"
)

// What the output of a bulk operation has.
const (
	outputErrors     = "ERROR"
	outputConditions = "CONDITION_CHECK_FAILURE"
)

// unitsMin is the least that MaxWriteRequestUnits may be.
const unitsMin = 1024

// bulkRequest is the body of StartBulkPutItems.
type bulkRequest struct {
	ClientToken           *string     `json:",omitempty"`
	InputS3Configuration  *bulkInput  `json:",omitempty"`
	MaxWriteRequestUnits  *int64      `json:",omitempty"`
	OutputS3Configuration *bulkOutput `json:",omitempty"`
	PerformanceTier       *string     `json:",omitempty"`
	TableName             *string     `json:",omitempty"`
}

type bulkInput struct {
	InputCompressionType *string `json:",omitempty"`
	InputFormat          *string `json:",omitempty"`
	bucketSource
}

type bulkOutput struct {
	OutputType []string `json:",omitempty"`
	bucketSource
	S3SseAlgorithm *string `json:",omitempty"`
	S3SseKmsKeyID  *string `json:"S3SseKmsKeyId,omitempty"`
}

// check judges the members by themselves.
func (r *bulkRequest) check() error {
	var faults exception.Constraints
	if r.TableName == nil {
		faults.Null("tableName")
	}
	checkToken(&faults, r.ClientToken)
	if r.MaxWriteRequestUnits != nil && *r.MaxWriteRequestUnits < unitsMin {
		faults.Add("'"+strconv.FormatInt(*r.MaxWriteRequestUnits, 10)+"'", "maxWriteRequestUnits",
			"Member must have value greater than or equal to "+strconv.Itoa(unitsMin))
	}
	faults.Maybe(r.PerformanceTier, "performanceTier", "STANDARD", "ACCELERATED")
	r.InputS3Configuration.check(&faults)
	r.OutputS3Configuration.check(&faults)
	if err := faults.Err(); err != nil {
		return err
	}
	const advice = "leave it out, and let the bucket encrypt its objects"
	if err := absent("OutputS3Configuration.S3SseAlgorithm", r.OutputS3Configuration.S3SseAlgorithm != nil,
		"encryption of single objects", advice); err != nil {
		return err
	}
	return absent("OutputS3Configuration.S3SseKmsKeyId", r.OutputS3Configuration.S3SseKmsKeyID != nil, "keys of KMS",
		advice)
}

func (i *bulkInput) check(faults *exception.Constraints) {
	const own = "inputS3Configuration."
	if i == nil {
		faults.Null("inputS3Configuration")
		return
	}
	faults.Maybe(i.InputCompressionType, own+"inputCompressionType", "GZIP", "ZSTD", "NONE")
	faults.Must(i.InputFormat, own+"inputFormat", formatJSON, formatIon)
	i.bucketSource.check(faults, own)
}

func (i *bulkInput) compression() string { return compressionOf(i.InputCompressionType) }

func (o *bulkOutput) check(faults *exception.Constraints) {
	const own = "outputS3Configuration."
	if o == nil {
		faults.Null("outputS3Configuration")
		return
	}
	switch {
	case o.OutputType == nil:
		faults.Null(own + "outputType")
	case len(o.OutputType) == 0:
		faults.Add("'[]'", own+"outputType", "Member must have length greater than or equal to 1")
	}
	for _, one := range o.OutputType {
		faults.OneOf(true, one, own+"outputType", []string{outputErrors, outputConditions})
	}
	o.bucketSource.check(faults, own)
	faults.Maybe(o.S3SseAlgorithm, own+"s3SseAlgorithm", "AES256", "KMS")
	faults.Within(o.S3SseKmsKeyID, own+"s3SseKmsKeyId", 1, kmsKeyMax)
}

// startBulkPutItems begins to put items of objects into a table.
func (a *API) startBulkPutItems(ctx context.Context, in *bulkRequest) (any, error) {
	const operation = "StartBulkPutItems"
	if err := in.check(); err != nil {
		return nil, err
	}
	name, err := a.account().Table(*in.TableName, operation)
	if err == nil {
		err = tablemodel.TableNameError(&name)
	}
	if err == nil {
		err = a.ask(ctx, operation, name, "")
	}
	if err == nil {
		err = a.askToRead(ctx, in.InputS3Configuration.S3Bucket, in.InputS3Configuration.S3KeyPrefix)
	}
	if out := in.OutputS3Configuration; err == nil {
		err = a.askToWrite(ctx, out.S3Bucket, strings.Trim(storage.Join(valueOf(out.S3KeyPrefix), exportFolder), "/"))
	}
	if err == nil {
		err = a.errNoBuckets("InputS3Configuration.S3Bucket")
	}
	if err != nil {
		return nil, err
	}
	reused := exception.New(exception.KindTokenReused, reusedToken("A bulk operation"))
	known, err := again(ctx, a, taskBulk, &bulkRecord{Request: *in}, reused, a.showBulk)
	if err != nil || known != nil {
		return known, err
	}
	pin, err := a.Pin(name)
	if database.KindOf(err) == database.KindNotFound && err != nil {
		return nil, exception.New(exception.KindResourceNotFound,
			"Requested resource not found: Table: "+name+" not found")
	}
	if err != nil {
		return nil, err
	}
	e := &bulkRecord{home: a.home(), Request: *in, Table: name, TableID: pin.Descriptor().ID,
		UUID: pin.Descriptor().UUID, Status: inProgress}
	pin.Release()
	id := a.DB.Tasks().NewID()
	if err := a.DB.Tasks().File(ctx, taskBulk, id, e); err != nil {
		return nil, err
	}
	return a.showBulk(id, e), nil
}

// bulkDescription describes a bulk operation.
type bulkDescription struct {
	BulkOperationArn      string
	BulkOperationStatus   string
	BulkOperationUsage    []bulkUsageShown `json:",omitempty"`
	ClientToken           *string          `json:",omitempty"`
	EndTime               seconds          `json:",omitempty"`
	FailedItemCount       int64
	FailureCode           string      `json:",omitempty"`
	FailureMessage        string      `json:",omitempty"`
	InputS3Configuration  *bulkInput  `json:",omitempty"`
	MaxWriteRequestUnits  *int64      `json:",omitempty"`
	OutputS3Configuration *bulkOutput `json:",omitempty"`
	PerformanceTier       string
	ProcessedInputBytes   int64
	ProcessedItemCount    int64
	StartTime             seconds
	TableDetails          []bulkTable
	TotalInputBytes       *int64 `json:",omitempty"`
}

type bulkTable struct {
	TableName string
	TableID   string `json:"TableId"`
}

type bulkUsageShown struct {
	TableName              string
	BulkPutBytes           int64
	Table                  bulkBytes
	LocalSecondaryIndexes  map[string]bulkBytes `json:",omitempty"`
	GlobalSecondaryIndexes map[string]bulkBytes `json:",omitempty"`
}

type bulkBytes struct{ BulkPutBytes int64 }

func (a *API) bulkARN(table, id string) string {
	return a.account().TableARN(table) + "/" + bulkPart + "/" + id
}

func (a *API) showBulk(id string, e *bulkRecord) any {
	arn := a.account().TableARN(e.Table)
	d := bulkDescription{
		BulkOperationArn: a.bulkARN(e.Table, id), BulkOperationStatus: e.Status, ClientToken: e.Request.ClientToken,
		EndTime: seconds(e.EndMS), FailedItemCount: e.Failed,
		FailureCode: e.Failure.Code, FailureMessage: e.Failure.Message,
		InputS3Configuration: e.Request.InputS3Configuration, MaxWriteRequestUnits: e.Request.MaxWriteRequestUnits,
		OutputS3Configuration: e.Request.OutputS3Configuration, PerformanceTier: "STANDARD",
		ProcessedInputBytes: e.Bytes, ProcessedItemCount: e.Processed, StartTime: seconds(task.BornMS(id)),
		TableDetails: []bulkTable{{arn, e.UUID}}, TotalInputBytes: e.Total,
	}
	if e.Request.PerformanceTier != nil {
		d.PerformanceTier = *e.Request.PerformanceTier
	}
	if e.Total != nil {
		d.BulkOperationUsage = []bulkUsageShown{e.Usage.show(arn)}
	}
	return struct{ BulkOperationDescription bulkDescription }{d}
}

// bulkOperationRequest is the body of DescribeBulkOperation and of CancelBulkOperation.
type bulkOperationRequest struct{ BulkOperationArn *string }

// findBulk finds the operation that a request is about.
func (a *API) findBulk(ctx context.Context, in *bulkOperationRequest, operation string) (task.Task, *bulkRecord,
	error) {
	missing := exception.New(exception.KindResourceNotFound, "Bulk operation not found: ")
	return find[bulkRecord](ctx, a, taskBulk, bulkPart, operation, in.BulkOperationArn, missing)
}

// describeBulkOperation describes an operation by its ARN.
func (a *API) describeBulkOperation(ctx context.Context, in *bulkOperationRequest) (any, error) {
	one, e, err := a.findBulk(ctx, in, "DescribeBulkOperation")
	if err != nil {
		return nil, err
	}
	return a.showBulk(one.ID, e), nil
}

// cancelBulkOperation ends an operation: at once if it has not begun, else with the batch that is being put.
func (a *API) cancelBulkOperation(ctx context.Context, in *bulkOperationRequest) (any, error) {
	one, _, err := a.findBulk(ctx, in, "CancelBulkOperation")
	if err != nil {
		return nil, err
	}
	err = a.DB.Tasks().Change(ctx, taskBulk, one.ID, func(t *task.Task) (err error) {
		var e bulkRecord
		if err := t.Read(&e); err != nil {
			return err
		}
		switch {
		case !t.Open: // the text is this server's own
			return exception.Validation("The bulk operation is over: it is " + e.Status)
		case e.Total != nil:
			e.Status = cancelling
		default:
			e.cancel(a.DB.Tasks().Now())
			t.Open = false
		}
		t.Detail, err = json.Marshal(&e)
		return err
	})
	if err != nil {
		return nil, err
	}
	return struct{ BulkOperationArn, BulkOperationStatus string }{*in.BulkOperationArn, cancelling}, nil
}

// listBulkRequest is the body of ListBulkOperations.
type listBulkRequest struct {
	MaxResults *int32
	NextToken  *string
}

type bulkSummary struct {
	BulkOperationArn    string
	BulkOperationStatus string
	StartTime           seconds
	EndTime             seconds `json:",omitempty"`
}

// bulkPageDefault is the number of summaries a page has if the request does not say.
const bulkPageDefault = 10

// listBulkOperations lists operations, the newest first.
func (a *API) listBulkOperations(ctx context.Context, in *listBulkRequest) (any, error) {
	var faults exception.Constraints
	limit := pageOf(in.MaxResults, "maxResults", bulkPageDefault, &faults)
	after, ok := bulkOfToken(in.NextToken)
	if !ok {
		faults.Add("'"+*in.NextToken+"'", "nextToken",
			"Member must satisfy regular expression pattern: ([0-9a-f]{16})+")
	}
	if _, err := a.askToList(ctx, "ListBulkOperations", nil, &faults); err != nil {
		return nil, err
	}
	since := a.DB.Tasks().Now().Add(-rememberedFor).UnixMilli()
	some, next, err := list(ctx, a, taskBulk, after, limit, func(id string, e *bulkRecord) (bulkSummary, bool) {
		born := task.BornMS(id)
		return bulkSummary{a.bulkARN(e.Table, id), e.Status, seconds(born), seconds(e.EndMS)}, born >= since
	})
	if next != "" {
		next = tokenOfBulk(next)
	}
	return struct {
		BulkOperationsSummaryList []bulkSummary
		NextToken                 string `json:",omitempty"`
	}{some, next}, err
}

// Ids as tokens: AWS's have hexadecimal digits, sixteen or a multiple of that.
const (
	idTimeDigits = 14
	idDigits     = idTimeDigits + 8
	tokenDigits  = 32
)

func tokenOfBulk(id string) string {
	digits := strings.Replace(id, "-", "", 1)
	return digits + strings.Repeat("0", max(0, tokenDigits-len(digits)))
}

func bulkOfToken(token *string) (id *string, ok bool) {
	if token == nil {
		return nil, true
	}
	if len(*token) != tokenDigits || strings.Trim(*token, "0123456789abcdef") != "" {
		return nil, false
	}
	text := (*token)[:idTimeDigits] + "-" + (*token)[idTimeDigits:idDigits]
	return &text, true
}

// cancel ends the operation of a record.
func (e *bulkRecord) cancel(now time.Time) {
	e.Status, e.EndMS = cancelled, now.UnixMilli()
	e.Failure = failure{"Cancelled", "CancelBulkOperation ended the operation; items that it had put stay"}
}
