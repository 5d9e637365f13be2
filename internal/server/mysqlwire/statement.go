// SPDX-License-Identifier: Apache-2.0

package mysqlwire

import (
	"encoding/binary"
	"strconv"

	"github.com/weftdb/weft/internal/resource/memory"
	"github.com/weftdb/weft/internal/server/mysqlwire/packet"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/result"
)

// parametersMax is the number of placeholders a statement may have.
const parametersMax = 65_535

// parametersKept is up to how many of them have memory that is kept for the next execution.
const parametersKept = 1024

// statement is a prepared statement of a connection.
type statement struct {
	id       uint32
	prepared result.Prepared
	text     string // its beginning
	types    []packet.ParameterType
	bound    bool           // types are known
	long     map[int][]byte // parameters that were sent ahead
	longErr  error          // why one could not be taken; the next execution answers it
	cursor   *cursor        // nil if none is open
}

// statements holds a connection's prepared statements.
type statements struct {
	byID      map[uint32]*statement
	last      uint32
	longBytes int          // of all parameters that were sent ahead
	memory    memory.Share // of these

	parameters []datum.Datum // of the execution at work
}

// add names a statement. Numbers are used again only after all others were.
func (s *statements) add(prepared result.Prepared, text []byte) *statement {
	if s.byID == nil {
		s.byID = map[uint32]*statement{}
	}
	for {
		s.last++
		if _, taken := s.byID[s.last]; !taken && s.last != 0 {
			break
		}
	}
	added := &statement{id: s.last, prepared: prepared, text: string(text)}
	s.byID[s.last] = added
	return added
}

// forgetLong drops the parameters that were sent ahead.
func (s *statements) forgetLong(of *statement) {
	for _, value := range of.long {
		s.longBytes -= len(value)
	}
	s.memory.Shrink(int64(s.longBytes))
	of.long, of.longErr = nil, nil
}

// closeAll closes all statements.
func (s *statements) closeAll(c *connection) {
	if c.cursor != nil {
		c.giveUp(c.cursor, errClosed, fault.New(fault.Interrupted))
	}
	for _, each := range s.byID {
		c.endStatement(each)
	}
	s.memory.Release()
	*s = statements{last: s.last, memory: s.memory}
}

// endStatement closes a statement and its cursor.
func (c *connection) endStatement(s *statement) {
	c.closeCursor(s)
	c.settle(c.server.options.CursorBytesMax)
	c.statements.forgetLong(s)
	s.prepared.Close()
}

// lookUp finds the statement that a command is for. Command is its name in the error.
func (c *connection) lookUp(id uint32, command string) (*statement, error) {
	if s := c.statements.byID[id]; s != nil {
		return s, nil
	}
	return nil, fault.New(fault.UnknownStatement, strconv.FormatUint(uint64(id), 10), command)
}

// sendPrepared answers COM_STMT_PREPARE.
func (c *connection) sendPrepared(s *statement) error {
	parameters, columns := s.prepared.Parameters(), s.prepared.Columns()
	b := binary.LittleEndian.AppendUint32(append(c.out.begin(), 0), s.id)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(columns)))
	b = binary.LittleEndian.AppendUint16(b, uint16(parameters))
	if err := c.out.end(append(b, 0, 0, 0)); err != nil {
		return err
	}
	if parameters > 0 {
		placeholder, w := result.Column{Name: "?"}, packet.ParameterWire()
		for range parameters {
			if err := c.out.end(packet.AppendColumn(c.out.begin(), &placeholder, &w)); err != nil {
				return err
			}
		}
		if err := c.endDefinitions(); err != nil {
			return err
		}
	}
	if len(columns) == 0 {
		return nil
	}
	c.answer.wires = packet.WiresOf(c.answer.wires, columns)
	if err := c.sendDefinitions(columns, c.answer.wires); err != nil {
		return err
	}
	return c.endDefinitions()
}

// endDefinitions ends columns for clients that want that to be said.
func (c *connection) endDefinitions() error {
	if c.capabilities&packet.ClientDeprecateEOF != 0 {
		return nil
	}
	return c.sendEOF(0, 0)
}

const (
	cursorReadOnly = 0x01
	executeCommand = "mysqld_stmt_execute"
	fetchCommand   = "mysqld_stmt_fetch"
	resetCommand   = "mysqld_stmt_reset"
)

// execute runs a prepared statement.
func (c *connection) execute(arguments []byte) bool {
	f := packet.Cutter{Rest: arguments}
	id, flags := f.Uint32(), f.Uint8()
	f.Uint32() // how often: always 1
	if f.Failed {
		return c.refuse(errMalformed())
	}
	s, err := c.lookUp(id, executeCommand)
	if err != nil {
		return c.conclude(err)
	}
	c.closeCursor(s)
	c.settle(c.server.options.CursorBytesMax)
	c.describe(s.text)
	defer c.statements.forgetLong(s)
	if flags&cursorReadOnly != 0 {
		return c.openCursor(s, f.Rest)
	}
	if c.statements.parameters, err = s.cutParameters(c.statements.parameters, f.Rest); err != nil {
		return c.conclude(err)
	}
	a := c.answer.start(true)
	err = s.prepared.Execute(c.context(), c.statements.parameters, a)
	if cap(c.statements.parameters) > parametersKept {
		c.statements.parameters = nil
	}
	return a.conclude(err)
}

// cutParameters reads the parameters of an execution into the reusable part of dst. They alias the packet, and
// what was sent ahead.
func (s *statement) cutParameters(dst []datum.Datum, sent []byte) ([]datum.Datum, error) {
	count := s.prepared.Parameters()
	dst = dst[:0]
	if s.longErr != nil {
		return dst, s.longErr
	}
	if count == 0 {
		return dst, nil
	}
	f := packet.Cutter{Rest: sent}
	nulls := f.Take(uint64(count+7) / 8)
	if f.Uint8() == 1 && !f.Failed {
		if uint64(len(f.Rest)) < 2*uint64(count) {
			return dst, fault.New(fault.WrongArguments, executeCommand)
		}
		if len(s.types) != count {
			s.types = make([]packet.ParameterType, count)
		}
		s.bound = packet.CutTypes(&f, s.types)
	}
	if !s.bound || f.Failed {
		return dst, fault.New(fault.WrongArguments, executeCommand)
	}
	for i, t := range s.types {
		value, ahead := s.long[i]
		switch {
		case ahead:
			dst = append(dst, packet.BytesParameter(t, value))
		case nulls[i/8]&(1<<(i%8)) != 0:
			dst = append(dst, datum.Null)
		default:
			dst = append(dst, packet.CutParameter(&f, t))
		}
	}
	if f.Failed {
		return dst[:0], fault.New(fault.WrongArguments, executeCommand)
	}
	return dst, nil
}

// longData takes a piece of a parameter that is sent ahead. It is not answered; a fault in it is reported when the
// statement is executed.
func (c *connection) longData(arguments []byte) bool {
	f := packet.Cutter{Rest: arguments}
	id, parameter := f.Uint32(), int(f.Uint16())
	s := c.statements.byID[id]
	switch {
	case f.Failed || s == nil:
		return true
	case parameter >= s.prepared.Parameters():
		s.longErr = fault.New(fault.WrongArguments, "mysqld_stmt_send_long_data")
	case c.statements.longBytes+len(f.Rest) > c.server.options.PacketBytesMax:
		c.statements.forgetLong(s)
		s.longErr = fault.New(fault.PacketTooLarge)
	case s.longErr == nil && !c.statements.memory.Grow(int64(len(f.Rest))):
		c.statements.forgetLong(s)
		s.longErr = errNoMemory("parameters sent ahead")
	case s.longErr == nil:
		if s.long == nil {
			s.long = map[int][]byte{}
		}
		s.long[parameter] = append(s.long[parameter], f.Rest...)
		c.statements.longBytes += len(f.Rest)
	}
	return true
}

// resetStatement drops what was sent ahead, and the cursor.
func (c *connection) resetStatement(arguments []byte) bool {
	s, err := c.lookUp((&packet.Cutter{Rest: arguments}).Uint32(), resetCommand)
	if err == nil {
		c.closeCursor(s)
		c.statements.forgetLong(s)
	}
	return c.conclude(err)
}

// closeStatement closes a statement. It is not answered.
func (c *connection) closeStatement(arguments []byte) bool {
	id := (&packet.Cutter{Rest: arguments}).Uint32()
	if s := c.statements.byID[id]; s != nil {
		delete(c.statements.byID, id)
		c.endStatement(s)
	}
	return true
}
