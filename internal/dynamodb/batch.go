// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"cmp"
	"context"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/dynamodb/exception"
)

// batch is the common part of requests over several tables.
type batch struct {
	request
	requested requestItems
	capacity  returnConsumedCapacity
}

// release counts the batch and gives all memory back.
func (b *batch) release(err *error) {
	cause := recover()
	if cause == nil {
		b.addCost(*err)
	}
	b.requested.free(cause == nil)
	b.free(cause == nil)
	if cause != nil {
		panic(cause) // lint:invariant the panic of a bug goes on
	}
}

// requestItems is RequestItems: what a batch wants of each table.
type requestItems struct {
	has    bool
	text   []byte // as it stands in the request
	tables []*batchTable
	// dropped is the number of further tables, for which the batch will be refused: there can't be an element for each.
	dropped int
}

func (m *requestItems) IsGiven() bool { return m.has }

func (m *requestItems) free(orderly bool) {
	for _, t := range m.tables {
		t.free(orderly)
	}
	m.tables, m.dropped = nil, 0
}

// batchTable is the part of a batch for one table. It is a request of its own, with its own placeholders.
type batchTable struct {
	target
	hasList  bool   // it has elements, if only an empty list
	count    int    // of elements
	text     []byte // as it stands in the batch
	notFound error  // what is wrong with the table
	answer   []byte // BatchGetItem: the items found
	undone   []byte // the elements that were left out
	cost     tableCapacity
}

func (t *batchTable) hasElements() bool { return t.hasList }

// element is a key or a write.
type element struct {
	text  []byte
	op    database.Op
	row   value.Row // nil: see fault and wrong
	fault error     // a faulty value
	wrong error     // what is wrong with it besides
}

// readMap reads RequestItems. take takes memory for what there is for a table and says how that is read. The table is
// pinned by then, if there is one, so that items are read with its dictionary.
func (b *batch) readMap(shape attributejson.Shape, most int, take func() (*batchTable, func() error)) error {
	b.requested.free(true)
	b.reader.Peek()
	start := b.reader.Offset()
	err := readMap(b.reader, shape, func(name string) error {
		t, read := take()
		b.requested.tables = append(b.requested.tables, t)
		t.table.value, t.limits, t.reader = name, b.limits, b.reader
		if len(b.requested.tables) <= most {
			t.notFound = t.pinTable()
		}
		b.reader.Peek()
		begin := b.reader.Offset()
		err := read()
		t.text = b.reader.Since(begin)
		if last := len(b.requested.tables) - 1; last >= most+partsMax {
			t.free(err == nil)
			b.requested.tables = b.requested.tables[:last]
			b.requested.dropped++
		}
		return err
	})
	b.requested.has, b.requested.text = true, b.reader.Since(start)
	return err
}

// readItem reads an item or a key that is an element, or is in one.
func (t *batchTable) readItem(e *element, most int) error {
	if t.count > most {
		return t.reader.CheckItem() // the batch will be refused
	}
	t.builder.Reset(nil)
	if t.pinned {
		t.builder.Reset(t.pin.Names())
	}
	fault, err := t.reader.TakeItem(&t.builder)
	e.fault = cmp.Or(e.fault, fault)
	if fault == nil && err == nil {
		start := len(t.row)
		t.row = t.builder.AppendTo(t.row)
		e.row = t.row[start:len(t.row):len(t.row)]
	}
	return err
}

// readList reads an array: one reads an element.
func (t *batchTable) readList(one func(e *element) error) error {
	t.hasList = true
	if err := t.reader.BeginArray(); err != nil {
		return err
	}
	for {
		ok, err := t.reader.NextElement()
		if err != nil || !ok {
			return err
		}
		if t.count++; t.count <= max(elementsMax, t.limits.BatchGetMax, t.limits.BatchWriteMax) {
			t.elements = append(t.elements, element{})
		}
		e := &t.elements[len(t.elements)-1]
		t.reader.Peek()
		start := t.reader.Offset()
		if err := one(e); err != nil {
			return err
		}
		e.text = t.reader.Since(start)
	}
}

// checkNames wants at least one table, and names that tables can have.
func (b *batch) checkNames() error {
	c := exception.Constraints{Terse: true}
	if len(b.requested.tables) == 0 {
		c.Add("'{}'", "RequestItems", "Member must have length greater than or equal to 1")
	}
	c.Terse = false
	for _, t := range b.requested.tables {
		name := exception.Constraints{}
		if t.table.constrain(&t.request, &name, "TableName"); name.Err() != nil {
			c.Add(exception.Quote(b.requested.text), "requestItems",
				"Map keys must satisfy constraint: ["+exception.TableNameLong+", "+
					exception.TableNameShort+", "+exception.TableNameRule+"]")
			break
		}
	}
	return c.Err()
}

// checkElements tells the first fault of an element: of a value, or another one that the judge of its table's elements
// finds.
func (b *batch) checkElements(begin func(t *batchTable) (judge func(e *element) error)) error {
	for _, t := range b.requested.tables {
		judge := begin(t)
		for i := range t.elements {
			fault := t.elements[i].fault
			if e, ok := fault.(*attributejson.ValueError); ok {
				return b.order.valueFault(e)
			}
			if err := cmp.Or(fault, judge(&t.elements[i])); err != nil {
				return err
			}
		}
	}
	return nil
}

// openTables wants all tables to be there, and the principal to be allowed the batch on each.
func (b *batch) openTables(ctx context.Context) error {
	for _, t := range b.requested.tables {
		if err := t.enter(ctx, enclosure{capacity: b.capacity.value}, t.notFound); err != nil {
			return err
		}
	}
	return nil
}

// elementRows are the items and keys of the elements.
func (t *batchTable) elementRows() (rows []value.Row) {
	for i := range t.elements {
		if row := t.elements[i].row; row != nil {
			rows = append(rows, row)
		}
	}
	return rows
}

// count is the number of elements the batch has, over all tables.
func (b *batch) count() (n int) {
	for _, t := range b.requested.tables {
		n += t.count
	}
	return n + b.requested.dropped
}

// leaveOut adds an element to those that were not done.
func (t *batchTable) leaveOut(e *element) {
	if len(t.undone) > 0 {
		t.undone = append(t.undone, ',')
	}
	t.undone = append(t.undone, e.text...)
}

// duplicates remembers keys.
type duplicates map[string]bool

// add refuses a key that was there before.
func (d duplicates) add(key []byte) error {
	if d[string(key)] {
		return exception.Validation("Provided list of item keys contains duplicates")
	}
	d[string(key)] = true
	return nil
}

// appendCapacities appends the list of each table's cost.
func (b *batch) appendCapacities(dst []byte) []byte {
	if !b.capacity.isWanted() {
		return dst
	}
	dst = append(attributejson.AppendMember(dst, "ConsumedCapacity"), '[')
	for i, t := range b.requested.tables {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = t.cost.append(dst, b.capacity.value, t.pin.Descriptor().Name)
	}
	return append(dst, ']')
}
