// SPDX-License-Identifier: Apache-2.0

package weftdynamo

import "github.com/weftdb/weft/internal/dynamodb/fault"

// Faults let requests fail or wait on purpose, so that programs can be tested for it: the rules of a Handler's
// Options.Faults. The zero value has none. Add adds some, Rules lists them with how often they were met, Clear drops
// all. It is safe for concurrent use.
type Faults = fault.Plan

// Fault says which requests fail or wait, and how.
type Fault = fault.Rule

// Duration is a time.Duration that JSON has as text, such as "250ms".
type Duration = fault.Duration

// The errors that a Fault can name. SDKs repeat all but TransactionConflict by themselves, as often as they are told.
const (
	ThroughputExceeded  = fault.ThroughputExceeded // of a table with provisioned throughput
	Throttling          = fault.Throttling         // of a table that is paid for by request, or of changes of tables
	RequestLimit        = fault.RequestLimit       // of an account
	TransactionConflict = fault.Conflict           // a transaction has the item
	InternalServerError = fault.Internal           // with the status 500
	ServiceUnavailable  = fault.Unavailable        // with the status 503
	Unprocessed         = fault.Unprocessed        // of requests in a batch, which answers them as unprocessed
)
