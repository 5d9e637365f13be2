// SPDX-License-Identifier: Apache-2.0

package mysqlwire

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

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

// faultOf is what the client is told of an error of a command that ran in ctx.
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

// status is what the session's state is on the wire.
func status(s result.State) uint16 {
	var flags uint16
	if s.InTransaction {
		flags |= statusInTransaction
		if s.ReadOnly {
			flags |= statusReadOnly
		}
	}
	if s.Autocommit {
		flags |= statusAutocommit
	}
	return flags
}

// appendError appends an error packet. Before a client has said what it can do, its state is left out.
func appendError(dst []byte, e *fault.Error, capabilities uint32) []byte {
	dst = append(dst, 0xff)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(e.Code))
	if capabilities&clientProtocol41 != 0 {
		state := e.State
		if len(state) != 5 {
			state = "HY000"
		}
		dst = append(append(dst, '#'), state...)
	}
	return append(dst, e.Message[:min(len(e.Message), errorMessageMax)]...)
}

// appendOK appends an OK packet; header is 0xfe where it ends rows. schema is the database that became the current one, if track is set.
func appendOK(dst []byte, header byte, d result.Done, flags uint16, warnings int, track bool, schema string) []byte {
	dst = appendLength(append(dst, header), d.Affected)
	dst = appendLength(dst, d.LastInsertID)
	if track {
		flags |= statusSessionChanged
	}
	dst = binary.LittleEndian.AppendUint16(dst, flags)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(min(max(warnings, 0), 0xffff)))
	if !track {
		if d.Info != "" {
			dst = appendText(dst, d.Info)
		}
		return dst
	}
	const trackSchema = 1
	dst = appendText(dst, d.Info)
	change := appendText(nil, schema)
	dst = appendLength(dst, uint64(1+len(appendLength(nil, uint64(len(change))))+len(change)))
	return appendText(append(dst, trackSchema), change)
}

// sendOK answers a command, or a statement, that has no rows.
func (c *connection) sendOK(d result.Done) error {
	s := c.sessionState()
	flags := status(s)
	if d.More {
		flags |= statusMoreResults
	}
	track := c.capabilities&clientSessionTrack != 0 && s.Database != c.tracked
	c.tracked = s.Database
	return c.out.end(appendOK(c.out.begin(), 0, d, flags, d.Warnings, track, s.Database))
}

// sendEOF ends columns or rows, in the form that the client wants. extra are more status flags.
func (c *connection) sendEOF(warnings int, extra uint16) error {
	flags := status(c.sessionState()) | extra
	b := c.out.begin()
	if c.capabilities&clientDeprecateEOF != 0 {
		return c.out.end(appendOK(b, 0xfe, result.Done{}, flags, warnings, false, ""))
	}
	b = binary.LittleEndian.AppendUint16(append(b, 0xfe), uint16(min(max(warnings, 0), 0xffff)))
	return c.out.end(binary.LittleEndian.AppendUint16(b, flags))
}

// sendError answers with an error.
func (c *connection) sendError(err error) error {
	return c.out.end(appendError(c.out.begin(), faultOf(c.context(), err), c.capabilities))
}

// refuse sends an error and ends the connection: it returns false.
func (c *connection) refuse(err error) bool {
	c.out.abandon()
	if c.sendError(err) == nil {
		_ = c.out.flush()
	}
	return false
}
