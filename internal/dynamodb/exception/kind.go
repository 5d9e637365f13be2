// SPDX-License-Identifier: Apache-2.0

package exception

import "strings"

// Kind tells which exception an Error is.
type Kind uint8

// The kinds. The zero value is a failure of the server's own.
const (
	KindInternal Kind = iota
	KindValidation
	KindSerialization
	KindConditionFailed
	KindDuplicateItem // of an INSERT
	KindTransactionConflict
	KindTransactionCanceled
	KindTransactionInProgress
	KindTokenReused
	KindResourceNotFound
	KindResourceInUse
	KindTableNotFound
	KindPolicyNotFound
	KindBackupNotFound
	KindBackupInUse
	KindTableExists // the target of a restore
	KindTableInUse  // the table of a backup
	KindExportNotFound
	KindExportConflict
	KindExportTimeInvalid
	KindRecoveryUnavailable // point-in-time recovery
	KindImportNotFound
	KindImportConflict
	KindRestoreTime // out of reach
	KindNoRecovery  // point-in-time recovery is off
	KindIteratorExpired
	KindTrimmed // what is asked for was kept for 24 hours
	KindLimitExceeded
	KindUnavailable
	KindUnknownOperation
	KindAccessDenied
	KindForeignOrigin // a web page of an origin that is not allowed
	KindTokenMissing  // a request without a signature
	KindSignatureInvalid
	KindSignatureIncomplete
	KindClientUnrecognized // the access key is not known
	KindClientThrottled    // its signatures were wrong too often
	KindThroughputExceeded // what is provisioned
	KindThrottled          // by a bound of on-demand throughput
	KindRequestLimit       // of the account
	KindTooLong            // of the body
	KindTimeout
	kindsEnd
)

// The name spaces of exceptions: DynamoDB's own, and those of the framework below it.
const (
	dynamoSpace   = "com.amazonaws.dynamodb.v20120810#"
	validateSpace = "com.amazon.coral.validate#"
	serviceSpace  = "com.amazon.coral.service#"
)

// class is how a client sees exceptions of one kind.
type class struct {
	status int    // of HTTP
	name   string // with its name space
	title  bool   // the message's member is called Message, not message
}

// classes is the table of all exceptions. // immutable
var classes = [kindsEnd]class{
	KindInternal:              {status: 500, name: dynamoSpace + "InternalServerError"},
	KindValidation:            {status: 400, name: validateSpace + "ValidationException"},
	KindSerialization:         {status: 400, name: serviceSpace + "SerializationException", title: true},
	KindConditionFailed:       {status: 400, name: dynamoSpace + "ConditionalCheckFailedException"},
	KindDuplicateItem:         {status: 400, name: dynamoSpace + "DuplicateItemException"},
	KindTransactionConflict:   {status: 400, name: dynamoSpace + "TransactionConflictException"},
	KindTransactionCanceled:   {status: 400, name: dynamoSpace + "TransactionCanceledException", title: true},
	KindTransactionInProgress: {status: 400, name: dynamoSpace + "TransactionInProgressException"},
	KindTokenReused:           {status: 400, name: dynamoSpace + "IdempotentParameterMismatchException"},
	KindResourceNotFound:      {status: 400, name: dynamoSpace + "ResourceNotFoundException"},
	KindResourceInUse:         {status: 400, name: dynamoSpace + "ResourceInUseException"},
	KindTableNotFound:         {status: 400, name: dynamoSpace + "TableNotFoundException"},
	KindPolicyNotFound:        {status: 400, name: dynamoSpace + "PolicyNotFoundException"},
	KindBackupNotFound:        {status: 400, name: dynamoSpace + "BackupNotFoundException"},
	KindBackupInUse:           {status: 400, name: dynamoSpace + "BackupInUseException"},
	KindTableExists:           {status: 400, name: dynamoSpace + "TableAlreadyExistsException"},
	KindTableInUse:            {status: 400, name: dynamoSpace + "TableInUseException"},
	KindExportNotFound:        {status: 400, name: dynamoSpace + "ExportNotFoundException"},
	KindExportConflict:        {status: 400, name: dynamoSpace + "ExportConflictException"},
	KindExportTimeInvalid:     {status: 400, name: dynamoSpace + "InvalidExportTimeException"},
	KindRecoveryUnavailable:   {status: 400, name: dynamoSpace + "PointInTimeRecoveryUnavailableException"},
	KindImportNotFound:        {status: 400, name: dynamoSpace + "ImportNotFoundException"},
	KindImportConflict:        {status: 400, name: dynamoSpace + "ImportConflictException"},
	KindRestoreTime:           {status: 400, name: dynamoSpace + "InvalidRestoreTimeException"},
	KindNoRecovery:            {status: 400, name: dynamoSpace + "PointInTimeRecoveryUnavailableException"},
	KindIteratorExpired:       {status: 400, name: dynamoSpace + "ExpiredIteratorException"},
	KindTrimmed:               {status: 400, name: dynamoSpace + "TrimmedDataAccessException"},
	KindLimitExceeded:         {status: 400, name: dynamoSpace + "LimitExceededException"},
	KindUnavailable:           {status: 503, name: serviceSpace + "ServiceUnavailableException"},
	KindUnknownOperation:      {status: 400, name: serviceSpace + "UnknownOperationException"},
	KindAccessDenied:          {status: 400, name: serviceSpace + "AccessDeniedException", title: true},
	KindForeignOrigin:         {status: 403, name: serviceSpace + "AccessDeniedException", title: true},
	KindTokenMissing:          {status: 400, name: serviceSpace + "MissingAuthenticationTokenException"},
	KindSignatureInvalid:      {status: 400, name: serviceSpace + "InvalidSignatureException"},
	KindSignatureIncomplete:   {status: 400, name: serviceSpace + "IncompleteSignatureException"},
	KindClientUnrecognized:    {status: 400, name: serviceSpace + "UnrecognizedClientException"},
	KindClientThrottled:       {status: 400, name: "com.amazon.coral.availability#ThrottlingException"},
	KindThroughputExceeded:    {status: 400, name: dynamoSpace + "ProvisionedThroughputExceededException"},
	KindThrottled:             {status: 400, name: dynamoSpace + "ThrottlingException"},
	KindRequestLimit:          {status: 400, name: dynamoSpace + "RequestLimitExceeded"},
	KindTooLong:               {status: 413, name: serviceSpace + "RequestEntityTooLargeException"},
	KindTimeout:               {status: 408, name: serviceSpace + "RequestTimeoutException"},
}

// Status returns the HTTP status with which exceptions of the kind are answered.
func (k Kind) Status() int { return classes[k].status }

// Type returns the exception with its name space, such as "com.amazon.coral.validate#ValidationException".
func (k Kind) Type() string { return classes[k].name }

// Name returns the exception without its name space.
func (k Kind) Name() string { return k.Type()[strings.IndexByte(k.Type(), '#')+1:] }

// IsThrottle reports whether a limit of throughput is the cause.
func (k Kind) IsThrottle() bool { return k == KindThroughputExceeded || k == KindThrottled }

// IsConflict reports whether other writers of the same items are the cause, or the conditions of a transaction.
func (k Kind) IsConflict() bool { return k == KindTransactionConflict || k == KindTransactionCanceled }
