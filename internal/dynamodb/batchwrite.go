// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"context"
	"errors"
	"fmt"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/itemkey"
	"github.com/weftdb/weft/internal/dynamodb/throttle"
)

// batchWriteItem is a request to put and delete items of several tables.
type batchWriteItem struct {
	batch
	metrics returnItemCollectionMetrics
}

// tableWrites is the part of a BatchWriteItem for one table.
type tableWrites struct{ batchTable }

// batchWriteItem puts and deletes items of several tables. They are one commit, unless that is more than the engine
// takes at once.
func (a *API) batchWriteItem(ctx context.Context, body, dst []byte) (_ []byte, err error) {
	b := take[batchWriteItem](a, &a.pools.batchWrite, "BatchWriteItem")
	defer b.release(&err)
	if err := b.read(ctx, body); err != nil {
		return nil, err
	}
	if err := b.check(); err != nil {
		return nil, err
	}
	if err := b.openTables(ctx); err != nil {
		return nil, err
	}
	writes, places, err := b.writes()
	if err != nil {
		return nil, err
	}
	if writes, places, err = b.admit(writes, places); err != nil {
		return nil, err
	}
	if err := b.commit(b.tally.waiting(ctx), writes); err != nil {
		return nil, err
	}
	b.tally.Written = int64(len(writes))
	dst = b.appendUndone(dst)
	for i := range writes {
		places[i].settle(&writes[i])
	}
	dst = b.appendCapacities(dst)
	var sizes collections
	if b.metrics.isWanted() {
		for i := range writes {
			places[i].table.addCollection(&sizes, writes[i].Row)
		}
	}
	return append(sizes.append(dst, b.metrics.value), '}'), nil
}

// readTables reads RequestItems.
func (b *batchWriteItem) readTables() error {
	return b.readMap(attributejson.MapOfLists("WriteRequest"), b.limits.BatchWriteMax,
		func() (*batchTable, func() error) {
			t := take[tableWrites](b.api, &b.api.pools.tableWrites, b.operation)
			return &t.batchTable, func() error {
				if err := t.reader.Expect(attributejson.ListInMap()); err != nil {
					return err
				}
				return t.readList(t.readWrite)
			}
		})
}

const severalRequests = "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"

// readWrite reads {"PutRequest":{"Item":{..}}} or {"DeleteRequest":{"Key":{..}}}.
func (t *tableWrites) readWrite(e *element) error {
	if err := t.reader.Expect(attributejson.Element("WriteRequest")); err != nil {
		return err
	}
	puts, deletes := false, false
	err := t.reader.Members(func(name []byte) error {
		switch string(name) {
		case "PutRequest":
			puts, e.op = true, database.OpPut
			return t.readRequest(e, "PutRequest", "Item")
		case "DeleteRequest":
			deletes, e.op = true, database.OpDelete
			return t.readRequest(e, "DeleteRequest", "Key")
		}
		return t.reader.Skip()
	})
	switch {
	case e.wrong != nil:
	case puts && deletes:
		e.wrong = exception.Validation(severalRequests)
	case !puts && !deletes:
		e.wrong = exception.Validation("Supplied AttributeValue is empty, must contain exactly one of the supported datatypes")
	}
	return err
}

// readRequest reads an object with one member, an item or a key, which must be there.
func (t *tableWrites) readRequest(e *element, request, member string) error {
	if err := t.reader.Expect(attributejson.Field(request)); err != nil {
		return err
	}
	has := false
	err := t.reader.Members(func(name []byte) error {
		if string(name) != member {
			return t.reader.Skip()
		}
		has = true
		return t.readItem(e, t.limits.BatchWriteMax)
	})
	if !has && e.wrong == nil {
		e.wrong = exception.Validationf(
			"1 validation error detected: Value null at 'requestItems.%s.member.%d.member.%s.%s' failed to satisfy constraint: "+
				"Member must not be null", t.table.value, t.count, exception.LowerFirst(request),
			exception.LowerFirst(member))
	}
	return err
}

// checkPresence wants RequestItems.
func (b *batchWriteItem) checkPresence() error {
	if !b.requested.has {
		return exception.Validation("The requestItems parameter is required for BatchWriteItem")
	}
	return nil
}

// checkCounts judges how many writes there are.
func (b *batchWriteItem) checkCounts() error {
	most := b.limits.BatchWriteMax
	for _, t := range b.requested.tables {
		if n := t.count; n > 0 && (n <= most || len(b.requested.tables) > 1) {
			continue
		}
		var c exception.Constraints
		c.Add(b.shownTables(), "requestItems",
			fmt.Sprintf("Map value must satisfy constraint: [Member must have length less than or equal to %d, "+
				"Member must have length greater than or equal to 1]", most))
		return c.Err()
	}
	if b.count() > most {
		return exception.Validation("Too many items requested for the BatchWriteItem call")
	}
	return nil
}

// shownTables is RequestItems as faults show it: {table=[write, write]}.
func (b *batchWriteItem) shownTables() string {
	text, separator := []byte{'{'}, ""
	for _, t := range b.requested.tables {
		text = append(append(append(text, separator...), t.table.value...), "=["...)
		separator = ""
		for i := range t.elements {
			text = append(append(text, separator...), exception.Truncate(t.elements[i].text)...)
			if separator = ", "; len(text) > exception.QuoteMax {
				return exception.Quote(text)
			}
		}
		text, separator = append(text, ']'), ", "
	}
	return exception.Quote(append(text, '}'))
}

// checkElements judges the writes.
func (b *batchWriteItem) checkElements() error {
	return b.batch.checkElements(func(t *batchTable) func(*element) error { return t.checkWrite })
}

// checkWrite judges a write as far as that does not need the table.
func (t *batchTable) checkWrite(e *element) error {
	if e.wrong == nil && e.op == database.OpPut && sizeOf(e.row) > t.limits.ItemBytesMax {
		return exception.Validation(itemTooLarge)
	}
	return e.wrong
}

// writePlace says what a write of a batch was made of.
type writePlace struct {
	table   *batchTable
	element *element
	over    bool          // it exceeds a limit of throughput, and is done all the same
	taken   capacityUnits // of the table, before it was done
}

// writes makes the writes of all tables, and says what each was made of.
func (b *batchWriteItem) writes() (writes []database.TableWrite, places []writePlace, err error) {
	writes, places = make([]database.TableWrite, 0, b.count()), make([]writePlace, 0, b.count())
	for _, t := range b.requested.tables {
		met := make(duplicates, len(t.elements))
		for i := range t.elements {
			write, err := t.writeOf(&t.elements[i])
			if err != nil {
				return nil, nil, err
			}
			write.NeedSizes = b.needsSizes(&b.capacity)
			if t.stored, err = t.pin.AppendItemKey(t.stored[:0], &write); err != nil {
				return nil, nil, itemkey.BatchFault(t.pin, write.Row, err)
			}
			if err := met.add(t.stored); err != nil {
				return nil, nil, err
			}
			writes = append(writes, database.TableWrite{Table: t.pin, Write: write})
			places = append(places, writePlace{table: t, element: &t.elements[i]})
		}
	}
	return writes, places, nil
}

// admit asks for the least cost of each write, takes that, and leaves out the writes that exceed a limit. If all do,
// that is the error.
func (b *batchWriteItem) admit(writes []database.TableWrite, places []writePlace) ([]database.TableWrite, []writePlace,
	error) {
	limiter, all := b.api.Limiter, len(writes)
	if limiter == nil {
		return writes, places, nil
	}
	var over throttled
	kept := 0
	for i := range writes {
		p, w := &places[i], &writes[i].Write
		err := p.table.admit("", throttle.Write, leastOf(w), p.table.keyOf(w))
		if over.note(p.table, err); err != nil {
			p.table.leaveOut(p.element)
			continue
		}
		if p.over = p.table.over; !p.over {
			p.taken = leastOf(w)
			limiter.Take(p.table.pin.Descriptor(), "", throttle.Write, p.taken.float())
		}
		writes[kept], places[kept] = writes[i], *p
		kept++
	}
	return writes[:kept], places[:kept], over.whole(all)
}

// settle adds up what a write has cost, and takes what was not taken before.
func (p *writePlace) settle(w *database.TableWrite) {
	var one tableCapacity
	one.addWrite(&w.Result.Change)
	p.table.cost.add(&one)
	if one.table -= p.taken; !p.over {
		one.charge(p.table.api.Limiter, p.table.pin.Descriptor(), throttle.Write)
	}
}

// appendUndone begins the answer with the writes that were left out.
func (b *batchWriteItem) appendUndone(dst []byte) []byte {
	dst = append(dst, `{"UnprocessedItems":{`...)
	for _, t := range b.requested.tables {
		if len(t.undone) > 0 {
			dst = append(append(append(t.appendName(dst), '['), t.undone...), ']')
		}
	}
	return append(dst, '}')
}

// writeOf is the write of an element.
func (t *batchTable) writeOf(e *element) (database.Write, error) {
	if e.op == database.OpDelete {
		return database.Write{Op: database.OpDelete, Row: e.row}, itemkey.Check(t.pin, e.row)
	}
	return database.Write{Op: database.OpPut, Row: e.row}, nil
}

// commit writes all at once, or in two halves if that is too much.
func (b *batchWriteItem) commit(ctx context.Context, writes []database.TableWrite) error {
	failed, err := b.api.DB.WriteAll(ctx, writes)
	if err == nil {
		return nil
	}
	if database.KindOf(err) == database.KindTooLarge && len(writes) > 1 {
		half := len(writes) / 2
		return errors.Join(b.commit(ctx, writes[:half]), b.commit(ctx, writes[half:]))
	}
	if failed < 0 {
		return err
	}
	return itemkey.Fault(writes[failed].Table, writes[failed].Row, err)
}
