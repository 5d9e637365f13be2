// SPDX-License-Identifier: Apache-2.0

package weftsql

import (
	"context"
	"errors"
	"fmt"

	"github.com/weftdb/weft/internal/sql/fault"
)

// Error is the error of a statement, with MySQL's numbers: errors.As finds it in what database/sql returns. It has the
// fields and the text of go-sql-driver's MySQLError. It wraps its cause, such as context.Canceled, if there is one.
type Error struct {
	Number   uint16  // 1062 for a duplicate key, 1213 for a transaction that may be run again, ..
	SQLState [5]byte // such as 23000
	Message  string

	cause error
}

// Error returns the message after the number and the state, as in "Error 1062 (23000): Duplicate entry ..".
func (e *Error) Error() string {
	return fmt.Sprintf("Error %d (%s): %s", e.Number, e.SQLState[:], e.Message)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

// errorOf makes an error of a session one of this package. ctx is the statement's.
func (c *connector) errorOf(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	f, ok := fault.Of(err)
	if !ok {
		f = fault.Because(err, fault.Unknown)
		f.Message = err.Error()
	}
	e := &Error{Number: uint16(f.Code), Message: f.Message, cause: f.Err}
	copy(e.SQLState[:], f.State)
	if ended := ctx.Err(); ended != nil && f.Code == fault.Interrupted && !errors.Is(f.Err, ended) {
		e.cause = errors.Join(ended, f.Err)
	}
	if c.options.Error != nil {
		return c.options.Error(e)
	}
	return e
}
