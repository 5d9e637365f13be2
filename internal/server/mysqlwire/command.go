// SPDX-License-Identifier: Apache-2.0

package mysqlwire

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/weftdb/weft/internal/server/mysqlwire/packet"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/result"
)

// carryOut carries out a command. False ends the connection.
func (c *connection) carryOut(command byte, arguments []byte) bool {
	switch command {
	case packet.ComQuery:
		return c.query(arguments)
	case packet.ComStmtExecute:
		return c.execute(arguments)
	case packet.ComStmtFetch:
		return c.fetch(arguments)
	case packet.ComStmtPrepare:
		return c.prepare(arguments)
	case packet.ComStmtClose:
		return c.closeStatement(arguments)
	case packet.ComStmtReset:
		return c.resetStatement(arguments)
	case packet.ComStmtSendLong:
		return c.longData(arguments)
	case packet.ComPing:
		return c.conclude(nil)
	case packet.ComQuit:
		return false
	case packet.ComInitDB:
		return c.use(string(arguments))
	case packet.ComFieldList:
		return c.fieldList(arguments)
	case packet.ComStatistics:
		return c.statistics()
	case packet.ComProcessInfo:
		return c.processInfo()
	case packet.ComProcessKill:
		return c.processKill(arguments)
	case packet.ComSetOption:
		return c.setOption(arguments)
	case packet.ComResetConnection:
		return c.resetConnection()
	case packet.ComChangeUser:
		return c.changeUser(arguments)
	case packet.ComDebug:
		return c.conclude(fault.New(fault.Privilege, "SUPER"))
	}
	return c.conclude(fault.New(fault.UnknownCommand))
}

// conclude answers a command that is done, or failed.
func (c *connection) conclude(err error) bool {
	if err != nil {
		return c.sendError(err) == nil
	}
	return c.sendOK(result.Done{}) == nil
}

func (c *connection) query(text []byte) bool {
	c.settle(c.server.options.CursorBytesMax)
	a := c.answer.start(false)
	return a.conclude(c.session.Query(c.context(), text, a)) && !c.sessionState().Released
}

func (c *connection) use(database string) bool {
	c.settle(c.server.options.CursorBytesMax)
	return c.conclude(c.session.Use(c.context(), database))
}

// fieldList answers the columns of a table. The pattern that may follow its name is not looked at, as clients filter
// themselves.
func (c *connection) fieldList(arguments []byte) bool {
	c.settle(c.server.options.CursorBytesMax)
	table := (&packet.Cutter{Rest: arguments}).UntilNul()
	columns, err := c.session.Fields(c.context(), string(table))
	if err != nil {
		return c.conclude(err)
	}
	for i := range columns {
		w := packet.WireOf(columns[i].Type)
		b := packet.AppendColumn(c.out.begin(), &columns[i], &w)
		if c.out.end(append(b, packet.NullText)) != nil { // no default
			return false
		}
	}
	return c.sendEOF(0, 0) == nil
}

func (c *connection) statistics() bool {
	s := c.server
	seconds := max(1, int64(time.Since(s.started)/time.Second))
	text := fmt.Sprintf("Uptime: %d  Threads: %d  Questions: %d  Slow queries: 0  Opens: 0  Flush tables: 0  Open tables: 0  Queries per second avg: %.3f",
		seconds, len(s.Processes()), s.questions.Load(), float64(s.questions.Load())/float64(seconds))
	return c.out.end(append(c.out.begin(), text...)) == nil
}

func (c *connection) processInfo() bool {
	text := func(name string) result.Column {
		return result.Column{Name: name, Type: datum.Type{Base: datum.Varchar, Length: 256}}
	}
	integer := func(name string) result.Column {
		return result.Column{Name: name, Type: datum.Type{Base: datum.BigInt}}
	}
	a := c.answer.start(false)
	err := a.Columns([]result.Column{integer("Id"), text("User"), text("Host"), text("db"), text("Command"),
		integer("Time"), text("State"), text("Info")})
	own := c.see(time.Now()).User
	for _, p := range c.server.Processes() {
		if err != nil {
			break
		}
		if c.server.options.Authenticate != nil && p.User != own { // SHOW PROCESSLIST knows who may see all
			continue
		}
		err = a.Row([]datum.Datum{datum.Int(int64(p.ID)), textOf(p.User), textOf(p.Host), textOrNull(p.Database),
			textOf(p.Command),
			datum.Int(p.Seconds), textOf(p.State), textOrNull(p.Info)})
	}
	return a.conclude(err)
}

func textOf(s string) datum.Datum { return datum.TextString(s) }

func textOrNull(s string) datum.Datum {
	if s == "" {
		return datum.Null
	}
	return textOf(s)
}

// processKill kills a connection of the same user.
func (c *connection) processKill(arguments []byte) bool {
	f := packet.Cutter{Rest: arguments}
	id := f.Uint32()
	if f.Failed {
		return c.refuse(errMalformed())
	}
	return c.conclude(c.server.killAs(c.process.user, id))
}

func (c *connection) setOption(arguments []byte) bool {
	f := packet.Cutter{Rest: arguments}
	option := f.Uint16()
	if f.Failed {
		return c.refuse(errMalformed())
	}
	if option > 1 {
		return c.conclude(fault.New(fault.UnknownCommand))
	}
	c.settle(c.server.options.CursorBytesMax)
	if session, ok := c.session.(multiStatementSetter); ok {
		session.SetMultiStatements(option == 0)
	}
	return c.sendEOF(0, 0) == nil
}

func (c *connection) resetConnection() bool {
	c.statements.closeAll(c)
	c.settle(0)
	err := c.session.Reset(c.context())
	if err == nil {
		c.state = c.session.State()
	}
	return c.conclude(err)
}

// prepare compiles a statement and answers what it takes and gives.
func (c *connection) prepare(text []byte) bool {
	c.settle(c.server.options.CursorBytesMax)
	if limit := c.server.options.StatementsMax; len(c.statements.byID) >= limit {
		return c.conclude(errTooManyStatements(limit))
	}
	prepared, err := c.session.Prepare(c.context(), text)
	if err != nil {
		return c.conclude(err)
	}
	if prepared.Parameters() > parametersMax {
		prepared.Close()
		return c.conclude(fault.New(fault.TooManyPlaceholders))
	}
	s := c.statements.add(prepared, bytes.Clone(text[:min(len(text), infoBytesMax)]))
	return c.sendPrepared(s) == nil
}

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
