// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/layer"
	"github.com/weftdb/weft/internal/dynamodb/metering"
)

// batchTable is what a batch wants of one table. It is a request of its own, with its own placeholders.
type batchTable struct {
	*request
	raw      []byte // as it stands in the batch
	elements [][]byte
	answer   []byte // BatchGetItem: the items found
	undone   []byte // the elements that were left out
	cost     metering.Capacity
}

// batch is a request over several tables.
type batch struct {
	*request
	sort   *batchSort
	tables []batchTable
}

// release gives all memory back.
func (b *batch) release() {
	cause := recover()
	for i := range b.tables {
		b.tables[i].request.end(cause == nil)
	}
	b.request.end(cause == nil)
	if cause != nil {
		panic(cause) // lint:invariant the panic of a bug goes on
	}
}

// batchSort is what batches of one sort have of a table, and how it is read.
type batchSort struct {
	shape attributejson.Shape // of RequestItems
	rules *layer.Row          // of a table's part
	split func(*batchTable) error
	// walk looks through an element and calls read where an item or a key comes next.
	walk func(r *attributejson.Reader, read func() error) error
	// count judges how many elements there are.
	count func(*batch) error
}

// open reads RequestItems and judges it as far as that takes no tables. JSON of the wrong type anywhere is told first.
func (b *batch) open(body []byte) error {
	if err := b.read(body); err != nil {
		return err
	}
	if b.requestItems != nil {
		if err := b.readTables(); err != nil {
			return err
		}
	}
	for _, judge := range [...]func() error{b.checkMembers, b.judge, b.checkNames, func() error { return b.sort.count(b) }} {
		if err := judge(); err != nil {
			return b.faultIn(err, (*attributejson.Reader).CheckItem)
		}
	}
	return nil
}

func (b *batch) readTables() error {
	items := attributejson.NewReader(b.requestItems)
	if err := items.Expect(b.sort.shape); err != nil {
		return err
	}
	if err := items.BeginObject(); err != nil {
		return err
	}
	for {
		name, ok, err := items.NextKey()
		if err != nil || !ok {
			return err
		}
		b.tables = append(b.tables, batchTable{request: b.api.request(b.operation, b.sort.rules)})
		t := &b.tables[len(b.tables)-1]
		t.tableName = string(name)
		if t.raw, err = items.Raw(); err != nil {
			return err
		}
		if err := b.sort.split(t); err != nil {
			return err
		}
	}
}

// checkNames wants at least one table, and names that tables can have.
func (b *batch) checkNames() error {
	c := exception.Constraints{Terse: true}
	if len(b.tables) == 0 {
		c.Add("'{}'", "RequestItems", "Member must have length greater than or equal to 1")
	}
	c.Terse = false
	for i := range b.tables {
		t, name := &b.tables[i], exception.Constraints{}
		if t.constrainTable(&name); name.Err() != nil {
			c.Add(exception.Shown(b.requestItems), "requestItems", "Map keys must satisfy constraint: ["+exception.TableNameLong+", "+
				exception.TableNameShort+", "+exception.TableNameRule+"]")
			break
		}
	}
	return c.Err()
}

// pinAll finds all tables.
func (b *batch) pinAll() error {
	for i := range b.tables {
		if _, err := b.tables[i].request.open(); err != nil {
			return err
		}
	}
	return nil
}

// faultOr returns what is wrong with the items and keys of the batch, JSON of the wrong type first: DynamoDB would have found it before err.
func (b *batch) faultOr(err error) error {
	return b.faultIn(b.faultIn(err, b.checkValues), (*attributejson.Reader).CheckItem)
}

// faultIn returns the first fault that check finds in the items and keys of the batch, or else err.
func (b *batch) faultIn(err error, check func(*attributejson.Reader) error) error {
	for i := range b.tables {
		for _, element := range b.tables[i].elements {
			r := attributejson.NewReader(element)
			if fault := b.sort.walk(r, func() error { return check(r) }); fault != nil {
				return fault
			}
		}
	}
	return err
}

// checkValues reads an item for its faults alone.
func (r *request) checkValues(reader *attributejson.Reader) error {
	r.builder.Reset(nil)
	return reader.Item(&r.builder)
}

// count is how many elements the batch has, over all tables.
func (b *batch) count() (n int) {
	for i := range b.tables {
		n += len(b.tables[i].elements)
	}
	return n
}

// leaveOut notes an element that was not done.
func (t *batchTable) leaveOut(element []byte) {
	if len(t.undone) > 0 {
		t.undone = append(t.undone, ',')
	}
	t.undone = append(t.undone, element...)
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

// appendCapacities appends the list of what each table cost.
func (b *batch) appendCapacities(dst []byte) []byte {
	if !b.wantsCapacity() {
		return dst
	}
	dst = append(attributejson.AppendMember(dst, "ConsumedCapacity"), '[')
	for i := range b.tables {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = b.tables[i].cost.Append(dst, b.returnCapacity, b.tables[i].pin.Descriptor().Name)
	}
	return append(dst, ']')
}
