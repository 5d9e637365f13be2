// SPDX-License-Identifier: Apache-2.0

// Package fault lets requests fail or wait on purpose, in AWS's words, so that people can test what their programs do
// then.
//
// Knows: rules, the tables that a request names, exceptions of requests that come too fast, in conflict, or in vain.
// Never: what operations do, HTTP.
package fault

import (
	"errors"
	"fmt"
	"time"

	"github.com/weftdb/weft/internal/dynamodb/exception"
)

// The errors that a Rule can name.
const (
	// ThroughputExceeded is ProvisionedThroughputExceededException, of a table with provisioned throughput.
	ThroughputExceeded = "ProvisionedThroughputExceeded"
	// Throttling is ThrottlingException, of a table that is paid for by request, and of operations on tables.
	Throttling = "Throttling"
	// RequestLimit is RequestLimitExceeded, of an account.
	RequestLimit = "RequestLimitExceeded"
	// Conflict is TransactionConflictException: a transaction has the item.
	Conflict = "TransactionConflict"
	// Internal is InternalServerError, with the status 500.
	Internal = "InternalServerError"
	// Unavailable is ServiceUnavailableException, with the status 503.
	Unavailable = "ServiceUnavailable"
	// Unprocessed leaves requests of a batch undone: BatchWriteItem and BatchGetItem answer them as unprocessed.
	Unprocessed = "Unprocessed"
)

// Rule says which requests fail or wait, and how. The zero value meets all and does nothing to them.
type Rule struct {
	// Table is the name of a table that requests name. "": any, or none.
	Table string `json:"table,omitempty"`
	// Operation is the name of an operation, such as PutItem. "": any.
	Operation string `json:"operation,omitempty"`
	// Error is one of the constants. "": they only wait.
	Error string `json:"error,omitempty"`
	// Share is the share of the requests that meet it, 0 to 1; with Unprocessed, of those in a batch. Default: all.
	Share float64 `json:"share,omitempty"`
	// Times is the number of requests that it counts for; it is over after them. 0: it is not.
	Times int `json:"times,omitempty"`
	// Latency is for how long requests wait before they are carried out, or fail.
	Latency Duration `json:"latency,omitempty"`
	// Lag is for how long eventually consistent reads do not show what was written: GetItem, BatchGetItem, Query and
	// Scan show items as they were so long ago.
	Lag Duration `json:"lag,omitempty"`
	// Done carries requests out before they fail: as if the answer were lost.
	Done bool `json:"done,omitempty"`
	// Met is the number of requests that met it so far.
	Met int `json:"met"`
}

// Duration is a time.Duration that JSON has as text, such as "250ms".
type Duration time.Duration

// MarshalText writes it as Go does.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText reads what MarshalText writes.
func (d *Duration) UnmarshalText(text []byte) error {
	read, err := time.ParseDuration(string(text))
	*d = Duration(read)
	return err
}

// Check reports what is wrong with a rule.
func (r *Rule) Check() error {
	switch {
	case r.Error != "" && classes[r.Error].message == "" && r.Error != Unprocessed:
		return fmt.Errorf("there is no error %q: use %s, %s, %s, %s, %s, %s or %s", r.Error, ThroughputExceeded,
			Throttling, RequestLimit, Conflict, Internal, Unavailable, Unprocessed)
	case r.Share < 0 || r.Share > 1:
		return fmt.Errorf("the share is %v: use 0 to 1", r.Share)
	case r.Times < 0 || r.Latency < 0 || r.Lag < 0:
		return errors.New("times, latency and lag can't be negative")
	case r.Error == "" && r.Latency == 0 && r.Lag == 0:
		return errors.New("name an error, a latency or a lag")
	case r.Error != "" && r.Lag > 0:
		return errors.New("what fails does not lag: use two rules")
	case r.Error == Unprocessed && r.Done:
		return errors.New("what is unprocessed is not done")
	}
	return nil
}

// class is how AWS tells an error: the exception of a request, and the reason why a transaction was cancelled, which
// most have.
type class struct {
	kind    exception.Kind
	message string
	code    string // of the reason
}

const (
	exceeded = "The level of configured provisioned throughput for the table was exceeded. " +
		"Consider increasing your provisioning level with the UpdateTable API."
	throttled = "Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your " +
		"table or index so please try again shortly. If exceptions persist, check if you have a hot key: " +
		"https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html"
	controlled = "Rate of requests exceeds the allowed throughput."
)

// classes is the table of errors by their names. // immutable
var classes = map[string]class{
	ThroughputExceeded: {exception.KindThroughputExceeded, exceeded, "ProvisionedThroughputExceeded"},
	Throttling:         {exception.KindThrottled, throttled, "ThrottlingError"},
	RequestLimit: {exception.KindRequestLimit, "Throughput exceeds the current throughput limit for your account. " +
		"Please contact AWS Support at https://aws.amazon.com/support to request a limit increase.", ""},
	Conflict:    {exception.KindTransactionConflict, "Transaction is ongoing for the item", "TransactionConflict"},
	Internal:    {exception.KindInternal, "Internal server error", ""},
	Unavailable: {exception.KindUnavailable, "The service is unavailable; try again", ""},
}

// fault is the exception of a request that meets a rule.
func (r *Rule) fault(asked *asked) error {
	c := classes[r.Error]
	if len(asked.actions) > 0 && c.code != "" {
		reasons := make(exception.Reasons, len(asked.actions))
		for i, table := range asked.actions {
			if r.Table == "" || r.Table == table {
				reasons[i] = exception.Reason{Code: c.code, Message: c.message}
				if r.Error == Conflict { // one item is enough
					break
				}
			}
		}
		return reasons.Err()
	}
	if r.Error == Throttling && !asked.items {
		return exception.New(c.kind, controlled)
	}
	return exception.New(c.kind, c.message)
}
