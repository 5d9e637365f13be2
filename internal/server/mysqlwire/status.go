// SPDX-License-Identifier: Apache-2.0

package mysqlwire

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/weftdb/weft/internal/server/mysqlwire/packet"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/result"
)

// Why contexts of commands end before the command does.
var (
	errKilled   = errors.New("mysqlwire: the statement was killed")
	errGone     = errors.New("mysqlwire: the client is gone")
	errShutdown = errors.New("mysqlwire: the server is shutting down")
)

// Errors that only the protocol knows.
func errMalformed() *fault.Error {
	return &fault.Error{Code: 1835, State: "HY000", Message: "Malformed communication packet."}
}

func errOrder() *fault.Error {
	return &fault.Error{Code: 1156, State: "08S01", Message: "Got packets out of order"}
}

func errTooManyStatements(limit int) *fault.Error {
	return &fault.Error{Code: 1461, State: "42000",
		Message: fmt.Sprintf("Can't create more than max_prepared_stmt_count statements (current value: %d)", limit)}
}

func errNotOwner(id uint32) *fault.Error {
	return &fault.Error{Code: 1095, State: "HY000", Message: fmt.Sprintf("You are not owner of thread %d", id)}
}

// faultOf returns the error that the client receives for an error of a command that ran in ctx.
func faultOf(ctx context.Context, err error) *fault.Error {
	stopped := ctx.Err() != nil
	if e, ok := fault.Of(err); ok && (!stopped || !errors.Is(err, context.Canceled)) {
		return e
	}
	switch {
	case stopped && errors.Is(context.Cause(ctx), errShutdown):
		return fault.New(fault.ShuttingDown)
	case stopped:
		return fault.New(fault.Interrupted)
	case errors.Is(err, context.DeadlineExceeded):
		return fault.New(fault.StatementTimeout)
	}
	return fault.New(fault.Unknown, err.Error())
}

// sendOK answers a command, or a statement, that has no rows.
func (c *connection) sendOK(d result.Done) error {
	s := c.sessionState()
	flags := packet.Status(s)
	if d.More {
		flags |= packet.StatusMoreResults
	}
	track := c.capabilities&packet.ClientSessionTrack != 0 && s.Database != c.tracked
	c.tracked = s.Database
	return c.out.end(packet.AppendOK(c.out.begin(), 0, d, flags, d.Warnings, track, s.Database))
}

// sendEOF ends columns or rows, in the form that the client wants. extra are more status flags.
func (c *connection) sendEOF(warnings int, extra uint16) error {
	flags := packet.Status(c.sessionState()) | extra
	b := c.out.begin()
	if c.capabilities&packet.ClientDeprecateEOF != 0 {
		return c.out.end(packet.AppendOK(b, 0xfe, result.Done{}, flags, warnings, false, ""))
	}
	b = binary.LittleEndian.AppendUint16(append(b, 0xfe), uint16(min(max(warnings, 0), 0xffff)))
	return c.out.end(binary.LittleEndian.AppendUint16(b, flags))
}

// sendError answers with an error.
func (c *connection) sendError(err error) error {
	return c.out.end(packet.AppendError(c.out.begin(), faultOf(c.context(), err), c.capabilities))
}

// refuse sends an error and ends the connection: it returns false.
func (c *connection) refuse(err error) bool {
	c.out.abandon()
	if c.sendError(err) == nil {
		_ = c.out.flush()
	}
	return false
}
