// SPDX-License-Identifier: Apache-2.0

package mysqlwire

import (
	"context"
	"errors"

	"github.com/weftdb/weft/internal/server/mysqlwire/packet"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/result"
)

// Errors of dialects that break the contract of result.Sink.
var (
	errRowLength = errors.New("mysqlwire: a row is not as long as its columns")
	errAfterDone = errors.New("mysqlwire: an answer goes on after its end")
)

// answer is the sink that writes to the connection, in the text or in the binary protocol's form.
type answer struct {
	c      *connection
	binary bool
	wires  []packet.Wire
	open   bool // columns were sent, rows may follow
	ended  bool // Done without More was sent
}

// start makes the answer ready for the next command.
func (a *answer) start(binary bool) *answer {
	a.binary, a.open, a.ended = binary, false, false
	return a
}

// EndBy breaks the connection if it is still sending rows a second after the context has ended, until stop is called.
func (a *answer) EndBy(ctx context.Context) (stop func() bool) {
	c := a.c
	c.mu.Lock()
	began := c.process.since
	c.mu.Unlock()
	return context.AfterFunc(ctx, func() { c.unblock(began) })
}

// Columns sends the head of a result set.
func (a *answer) Columns(columns []result.Column) error {
	if a.open || a.ended {
		return errAfterDone
	}
	a.open = true
	a.wires = packet.WiresOf(a.wires, columns)
	if err := a.c.sendColumns(columns, a.wires); err != nil {
		return err
	}
	if a.c.capabilities&packet.ClientDeprecateEOF != 0 {
		return nil
	}
	return a.c.sendEOF(0, 0)
}

// sendColumns sends the number of columns and their definitions.
func (c *connection) sendColumns(columns []result.Column, wires []packet.Wire) error {
	if err := c.out.end(packet.AppendLength(c.out.begin(), uint64(len(columns)))); err != nil {
		return err
	}
	return c.sendDefinitions(columns, wires)
}

func (c *connection) sendDefinitions(columns []result.Column, wires []packet.Wire) error {
	for i := range columns {
		if err := c.out.end(packet.AppendColumn(c.out.begin(), &columns[i], &wires[i])); err != nil {
			return err
		}
	}
	return nil
}

// Row sends a row.
func (a *answer) Row(row []datum.Datum) error {
	if !a.open || len(row) != len(a.wires) {
		return errRowLength
	}
	bytes := 0
	for i := range row {
		bytes += row[i].Len()
	}
	if bytes > bufferBytesKept {
		if err := a.c.out.grow(bytes + bytes/8); err != nil {
			return err
		}
	}
	b := a.c.out.begin()
	if a.binary {
		return a.c.out.end(packet.AppendBinaryRow(b, a.wires, row))
	}
	return a.c.out.end(packet.AppendTextRow(b, a.wires, row))
}

// Done ends a result set, or is the whole answer of a statement without rows.
func (a *answer) Done(d result.Done) error {
	if a.ended {
		return errAfterDone
	}
	a.ended = !d.More
	if !a.open {
		return a.c.sendOK(d)
	}
	a.open = false
	var more uint16
	if d.More {
		more = packet.StatusMoreResults
	}
	return a.c.sendEOF(d.Warnings, more)
}

// conclude sends what the statement left out: its error, or an end. False ends the connection.
func (a *answer) conclude(err error) bool {
	switch {
	case a.c.out.err != nil:
		return false
	case err != nil && a.ended:
		a.c.server.options.Logger.Error("a statement failed after its answer", "error", err)
		return true
	case err != nil:
		return a.c.sendError(err) == nil
	case !a.ended:
		return a.Done(result.Done{}) == nil
	}
	return true
}
