// SPDX-License-Identifier: Apache-2.0

package mysqlwire

import (
	"bytes"
	"fmt"
	"time"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/result"
)

// carryOut carries out a command. False ends the connection.
func (c *connection) carryOut(command byte, arguments []byte) bool {
	switch command {
	case comQuery:
		return c.query(arguments)
	case comStmtExecute:
		return c.execute(arguments)
	case comStmtFetch:
		return c.fetch(arguments)
	case comStmtPrepare:
		return c.prepare(arguments)
	case comStmtClose:
		return c.closeStatement(arguments)
	case comStmtReset:
		return c.resetStatement(arguments)
	case comStmtSendLong:
		return c.longData(arguments)
	case comPing:
		return c.conclude(nil)
	case comQuit:
		return false
	case comInitDB:
		return c.use(string(arguments))
	case comFieldList:
		return c.fieldList(arguments)
	case comStatistics:
		return c.statistics()
	case comProcessInfo:
		return c.processInfo()
	case comProcessKill:
		return c.processKill(arguments)
	case comSetOption:
		return c.setOption(arguments)
	case comResetConnection:
		return c.resetConnection()
	case comChangeUser:
		return c.changeUser(arguments)
	case comDebug:
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
	return a.conclude(c.session.Query(c.context(), text, a))
}

func (c *connection) use(database string) bool {
	c.settle(c.server.options.CursorBytesMax)
	return c.conclude(c.session.Use(c.context(), database))
}

// fieldList answers the columns of a table. The pattern that may follow its name is not looked at, as clients filter themselves.
func (c *connection) fieldList(arguments []byte) bool {
	c.settle(c.server.options.CursorBytesMax)
	table := (&cutter{rest: arguments}).untilNul()
	columns, err := c.session.Fields(c.context(), string(table))
	if err != nil {
		return c.conclude(err)
	}
	for i := range columns {
		w := wireOf(columns[i].Type)
		b := appendColumn(c.out.begin(), &columns[i], &w)
		if c.out.end(append(b, nullText)) != nil { // no default
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
	err := a.Columns([]result.Column{integer("Id"), text("User"), text("Host"), text("db"), text("Command"), integer("Time"), text("State"), text("Info")})
	for _, p := range c.server.Processes() {
		if err != nil {
			break
		}
		err = a.Row([]datum.Datum{datum.Int(int64(p.ID)), textOf(p.User), textOf(p.Host), textOrNull(p.Database), textOf(p.Command),
			datum.Int(p.Seconds), textOf(p.State), textOrNull(p.Info)})
	}
	return a.conclude(err)
}

func textOf(s string) datum.Datum { return datum.Text([]byte(s)) }

func textOrNull(s string) datum.Datum {
	if s == "" {
		return datum.Null
	}
	return textOf(s)
}

// processKill kills a connection of the same user.
func (c *connection) processKill(arguments []byte) bool {
	f := cutter{rest: arguments}
	id := f.uint32()
	if f.failed {
		return c.refuse(errMalformed())
	}
	return c.conclude(c.server.killAs(c.process.user, id))
}

func (c *connection) setOption(arguments []byte) bool {
	f := cutter{rest: arguments}
	option := f.uint16()
	if f.failed {
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
