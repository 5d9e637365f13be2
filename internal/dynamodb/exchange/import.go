// SPDX-License-Identifier: Apache-2.0

package exchange

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/weftdb/weft/internal/background/task"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/control"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/tablemodel"
)

// taskImport is the kind of the records of imports.
const taskImport = "import"

const formatCSV = "CSV"

// importRequest is the body of ImportTable.
type importRequest struct {
	ClientToken             *string             `json:",omitempty"`
	InputCompressionType    *string             `json:",omitempty"`
	InputFormat             *string             `json:",omitempty"`
	InputFormatOptions      *inputFormatOptions `json:",omitempty"`
	S3BucketSource          *bucketSource       `json:",omitempty"`
	TableCreationParameters json.RawMessage     `json:",omitempty"`
}

type bucketSource struct {
	S3Bucket, S3BucketOwner, S3KeyPrefix *string `json:",omitempty"`
}

// check judges the members; at is the member that holds them, with a dot behind it.
func (s *bucketSource) check(faults *exception.Constraints, at string) {
	checkBucket(faults, s.S3Bucket, at+"s3Bucket")
	checkOwner(faults, s.S3BucketOwner, at+"s3BucketOwner")
	checkPrefix(faults, s.S3KeyPrefix, at+"s3KeyPrefix")
}

type inputFormatOptions struct {
	Csv *csvOptions `json:",omitempty"`
}

type csvOptions struct {
	Delimiter  *string  `json:",omitempty"`
	HeaderList []string `json:",omitempty"`
}

// importRecord is an import.
type importRecord struct {
	home
	Request  importRequest `json:"request"`
	Table    string        `json:"table"`
	TableID  uint32        `json:"tableID"`
	UUID     string        `json:"uuid"`
	Status   string        `json:"status"`
	EndMS    int64         `json:"endMS,omitempty"`
	Failure  failure       `json:"failure,omitzero"`
	Read     int64         `json:"read,omitempty"` // records, bad ones among them
	Bad      int64         `json:"bad,omitempty"`
	Imported int64         `json:"imported,omitempty"`
	Bytes    int64         `json:"bytes,omitempty"` // of the objects, as they are
}

func (e *importRecord) about() (table string, request any, token *string) {
	return e.Table, &e.Request, e.Request.ClientToken
}

// check judges the members by themselves.
func (r *importRequest) check() error {
	var faults exception.Constraints
	checkToken(&faults, r.ClientToken)
	faults.Maybe(r.InputCompressionType, "inputCompressionType", "GZIP", "ZSTD", "NONE")
	faults.Must(r.InputFormat, "inputFormat", formatJSON, formatIon, formatCSV)
	if r.S3BucketSource == nil {
		faults.Null("s3BucketSource")
	} else {
		r.S3BucketSource.check(&faults, "s3BucketSource.")
	}
	if r.TableCreationParameters == nil {
		faults.Null("tableCreationParameters")
	}
	r.checkCSV(&faults)
	if err := faults.Err(); err != nil {
		return err
	}
	if r.csv() != nil && *r.InputFormat != formatCSV { // the text is from memory
		return exception.Validation("InputFormatOptions.Csv can only be specified when InputFormat is CSV")
	}
	return nil
}

func (r *importRequest) csv() *csvOptions {
	if r.InputFormatOptions == nil {
		return nil
	}
	return r.InputFormatOptions.Csv
}

// headersMax is the number of columns a request may name, headerMax that of the characters in one's name.
const headersMax, headerMax = 255, 65536

func (r *importRequest) checkCSV(faults *exception.Constraints) {
	o := r.csv()
	if o == nil {
		return
	}
	const delimiter, list = "inputFormatOptions.csv.delimiter", "inputFormatOptions.csv.headerList"
	matched(faults, o.Delimiter, delimiter, `[,;:|\t ]`, 1, func(text string) bool {
		return len(text) == 1 && strings.Contains(",;:|\t ", text)
	})
	if o.Delimiter != nil && *o.Delimiter == "" {
		faults.Within(o.Delimiter, delimiter, 1, 1)
	}
	switch n := len(o.HeaderList); {
	case o.HeaderList == nil:
	case n == 0:
		faults.Add("'[]'", list, "Member must have length greater than or equal to 1")
	case n > headersMax:
		faults.Add("'["+strings.Join(o.HeaderList, ", ")+"]'", list,
			"Member must have length less than or equal to "+strconv.Itoa(headersMax))
	}
	for i := range o.HeaderList {
		header, member := &o.HeaderList[i], list+"."+strconv.Itoa(i+1)+".member"
		matched(faults, header, member, `[\x20-\x21\x23-\x2B\x2D-\x7E]*`, headerMax, isHeader)
		faults.Within(header, member, 1, headerMax)
	}
}

// isHeader reports whether a column of CSV can have a name: one of ASCII, without quotes and commas.
func isHeader(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == ',' })
}

// tableParameters are the members of TableCreationParameters.
type tableParameters struct {
	TableName              *string
	AttributeDefinitions   []tablemodel.AttributeMember
	KeySchema              []tablemodel.KeyMember
	GlobalSecondaryIndexes []tablemodel.IndexMember
	BillingMode            *string
	ProvisionedThroughput  *tablemodel.Throughput
	OnDemandThroughput     *tablemodel.OnDemand
	SSESpecification       *tablemodel.EncryptionMember
	VectorIndexes          []json.RawMessage
}

// spec is the table that a request asks for.
func (r *importRequest) spec(a *API) (spec database.TableSpec, err error) {
	in := new(tableParameters)
	if err := control.Read(r.TableCreationParameters, in); err != nil {
		return spec, err
	}
	if in.VectorIndexes != nil {
		return spec, absent("TableCreationParameters.VectorIndexes", true, "vector indexes", "leave it out")
	}
	create := tablemodel.Create{
		Within:    "TableCreationParameters.",
		TableName: in.TableName, AttributeDefinitions: in.AttributeDefinitions, KeySchema: in.KeySchema,
		GlobalSecondaryIndexes: in.GlobalSecondaryIndexes,
		BillingMode:            in.BillingMode, ProvisionedThroughput: in.ProvisionedThroughput,
		OnDemandThroughput: in.OnDemandThroughput, SSESpecification: in.SSESpecification,
	}
	if spec, err = create.Spec(a.Limits, a.DB.Tasks().Now().UnixMilli()); err == nil {
		spec.Filling = true
	}
	return spec, err
}

// importTable begins an import. The table is CREATING until all of it is there.
func (a *API) importTable(ctx context.Context, in *importRequest) (any, error) {
	in.TableCreationParameters = bytes.Clone(in.TableCreationParameters)
	if err := in.check(); err != nil {
		return nil, err
	}
	spec, err := in.spec(a)
	if err == nil {
		err = a.ask(ctx, "ImportTable", spec.Name, "")
	}
	if err == nil {
		err = a.askToRead(ctx, in.S3BucketSource.S3Bucket, in.S3BucketSource.S3KeyPrefix)
	}
	if err == nil {
		err = a.errNoBuckets("S3BucketSource.S3Bucket")
	}
	if err != nil {
		return nil, err
	}
	reused := exception.New(exception.KindImportConflict, reusedToken("An import"))
	known, err := again(ctx, a, taskImport, &importRecord{Request: *in}, reused, a.showImport)
	if err != nil || known != nil {
		return known, err
	}
	e, id := &importRecord{home: a.home(), Request: *in, Table: spec.Name, Status: inProgress}, a.DB.Tasks().NewID()
	spec.Task = &database.TableTask{Kind: taskImport, ID: id, Detail: func(t *schema.Table) any {
		e.TableID, e.UUID = t.ID, t.UUID
		return e
	}}
	if spec.Database, err = a.Database, a.Make(ctx); err != nil {
		return nil, err
	}
	_, err = a.DB.CreateTable(ctx, spec)
	if detail, ok := errors.AsType[*database.Error](err); ok && detail.Kind == database.KindExists {
		return nil, exception.New(exception.KindResourceInUse, "Table already exists: "+spec.Name)
	} else if ok && detail.Kind == database.KindInvalid && detail.Err != nil {
		return nil, exception.InvalidValue("%s", strings.TrimPrefix(detail.Err.Error(), "schema: "))
	}
	if err != nil {
		return nil, err
	}
	return a.showImport(id, e), nil
}

// importDescription describes an import.
type importDescription struct {
	ImportArn               string
	ImportStatus            string
	TableArn                string
	TableID                 string        `json:"TableId"`
	ClientToken             *string       `json:",omitempty"`
	S3BucketSource          *bucketSource `json:",omitempty"`
	ErrorCount              int64
	InputFormat             *string             `json:",omitempty"`
	InputFormatOptions      *inputFormatOptions `json:",omitempty"`
	InputCompressionType    string
	TableCreationParameters json.RawMessage `json:",omitempty"`
	StartTime               seconds
	EndTime                 seconds `json:",omitempty"`
	ProcessedSizeBytes      int64
	ProcessedItemCount      int64
	ImportedItemCount       int64
	FailureCode             string `json:",omitempty"`
	FailureMessage          string `json:",omitempty"`
}

func (a *API) importARN(table, id string) string {
	return a.account().TableARN(table) + "/import/" + id
}

func (r *importRequest) compression() string { return compressionOf(r.InputCompressionType) }

// compressionOf is the compression that a request names, or none.
func compressionOf(named *string) string { return cmp.Or(valueOf(named), "NONE") }

func (a *API) showImport(id string, e *importRecord) any {
	return struct{ ImportTableDescription importDescription }{importDescription{
		ImportArn: a.importARN(e.Table, id), ImportStatus: e.Status, TableArn: a.account().TableARN(e.Table),
		TableID: e.UUID, ClientToken: e.Request.ClientToken,
		S3BucketSource: e.Request.S3BucketSource, ErrorCount: e.Bad, InputFormat: e.Request.InputFormat,
		InputFormatOptions:   e.Request.InputFormatOptions,
		InputCompressionType: e.Request.compression(), TableCreationParameters: e.Request.TableCreationParameters,
		StartTime: seconds(task.BornMS(id)), EndTime: seconds(e.EndMS),
		ProcessedSizeBytes: e.Bytes, ProcessedItemCount: e.Read, ImportedItemCount: e.Imported,
		FailureCode: e.Failure.Code, FailureMessage: e.Failure.Message,
	}}
}

// describeImport describes an import by its ARN.
func (a *API) describeImport(ctx context.Context, in *struct{ ImportArn *string }) (any, error) {
	missing := exception.New(exception.KindImportNotFound, "Import not found: ")
	one, e, err := find[importRecord](ctx, a, taskImport, "import", "DescribeImport", in.ImportArn, missing)
	if err != nil {
		return nil, err
	}
	return a.showImport(one.ID, e), nil
}

// listImportsRequest is the body of ListImports.
type listImportsRequest struct {
	TableArn, NextToken *string
	PageSize            *int32
}

type importSummary struct {
	ImportArn      string
	ImportStatus   string
	TableArn       string
	S3BucketSource *bucketSource `json:",omitempty"`
	InputFormat    *string       `json:",omitempty"`
	StartTime      seconds
	EndTime        seconds `json:",omitempty"`
}

// listImports lists imports, the newest first.
func (a *API) listImports(ctx context.Context, in *listImportsRequest) (any, error) {
	var faults exception.Constraints
	limit := pageOf(in.PageSize, "pageSize", pageMax, &faults)
	table, err := a.askToList(ctx, "ListImports", in.TableArn, &faults)
	if err != nil {
		return nil, err
	}
	var answer struct {
		ImportSummaryList []importSummary
		NextToken         string `json:",omitempty"`
	}
	answer.ImportSummaryList, answer.NextToken, err = list(ctx, a, taskImport, in.NextToken, limit,
		func(id string, e *importRecord) (importSummary, bool) {
			return importSummary{a.importARN(e.Table, id), e.Status, a.account().TableARN(e.Table),
					e.Request.S3BucketSource,
					e.Request.InputFormat, seconds(task.BornMS(id)), seconds(e.EndMS)}, table == "" ||
					e.Table == table
		})
	return answer, err
}
