// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"context"
	"slices"
	"strconv"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/itemkey"
	"github.com/weftdb/weft/internal/dynamodb/throttle"
)

// batchGetItem is a request to read items of several tables.
type batchGetItem struct {
	batch
	tables []*tableKeys
}

// tableKeys is the part of a BatchGetItem for one table.
type tableKeys struct {
	batchTable
	consistent flag
	projection
	names nameMap
}

// batchGetItem reads items of several tables, all at one snapshot.
func (a *API) batchGetItem(ctx context.Context, body, dst []byte) (_ []byte, err error) {
	b := take[batchGetItem](a, &a.pools.batchGet, "BatchGetItem")
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
	reads, places, err := b.reads()
	if err != nil {
		return nil, err
	}
	var over throttled
	size, returned := 0, int64(0)
	consistent := slices.ContainsFunc(b.tables, func(t *tableKeys) bool { return t.consistent.on })
	ctx = a.DB.Reading(ctx, consistent)
	view, release := a.Faults.View(ctx, consistent)
	defer release()
	get := a.DB.GetAll
	if view != nil {
		get = view.GetAll
	}
	failed, err := get(ctx, reads, func(i int, row value.Row) error {
		t := b.tables[places[i].table]
		err := t.admitKey(reads[i].Key)
		if over.note(&t.batchTable, err); err != nil || row != nil && size+row.Size() > b.limits.BatchBytesMax {
			t.leaveOut(&t.elements[places[i].element])
			return nil
		}
		size += sizeOf(row)
		returned += countOf(row != nil)
		return t.add(row)
	})
	if err != nil && failed >= 0 {
		return nil, itemkey.Fault(reads[failed].Table, nil, err)
	}
	if err != nil {
		return nil, err
	}
	if err := over.whole(len(reads)); err != nil {
		return nil, err
	}
	b.observe(int64(len(reads)), returned)
	return b.appendAnswer(dst), nil
}

// readTables reads RequestItems.
func (b *batchGetItem) readTables() error {
	b.tables = nil
	return b.readMap(attributejson.MapOf("KeysAndAttributes"), b.limits.BatchGetMax,
		func() (*batchTable, func() error) {
			t := take[tableKeys](b.api, &b.api.pools.tableKeys, b.operation)
			if len(b.tables) < b.limits.BatchGetMax+partsMax {
				b.tables = append(b.tables, t)
			}
			return &t.batchTable, func() error {
				if err := t.reader.Expect(attributejson.Element("KeysAndAttributes")); err != nil {
					return err
				}
				return t.readMembers()
			}
		})
}

// readKeys reads Keys.
func (t *tableKeys) readKeys() error {
	return t.readList(func(e *element) error {
		if err := t.reader.Expect(attributejson.MapInList()); err != nil {
			return err
		}
		return t.readItem(e, t.limits.BatchGetMax)
	})
}

// checkKeys judges the members of each table, and how many keys there are of all.
func (b *batchGetItem) checkKeys() error {
	most := b.limits.BatchGetMax
	c := b.beginConstraints()
	for _, t := range b.tables {
		c.At = "RequestItems." + t.table.value + ".member."
		t.constrain(c)
		switch n := t.count; {
		case !t.hasList:
		case n == 0:
			c.Add("'[]'", "Keys", "Member must have length greater than or equal to 1")
		case n > most && len(b.tables) == 1:
			c.Add("'[..]'", "Keys", "Member must have length less than or equal to "+strconv.Itoa(most))
		}
	}
	if err := c.Err(); err != nil || b.count() <= most {
		return err
	}
	return exception.Validation("Too many items requested for the BatchGetItem call")
}

// checkTables judges what is asked of each table. Expressions for one and the older parameter for another are a
// mixture, too.
func (b *batchGetItem) checkTables() error {
	if slices.ContainsFunc(b.tables, func(t *tableKeys) bool { return t.attributesToGet.IsGiven() }) {
		if err := mixtureFault(func(name string) bool {
			return slices.ContainsFunc(b.tables, func(t *tableKeys) bool { return t.order.has(name) })
		}); err != nil {
			return err
		}
	}
	for _, t := range b.tables {
		if err := t.takeSteps(); err != nil {
			return err
		}
	}
	return nil
}

// checkElements judges the keys, none of which may come twice.
func (b *batchGetItem) checkElements() error {
	return b.batch.checkElements(func(t *batchTable) func(*element) error {
		met := make(duplicates, len(t.elements))
		return func(e *element) error { return met.add(e.row) }
	})
}

// place says where in a batch something stands.
type place struct{ table, element int }

func (b *batchGetItem) reads() (reads []database.KeyRead, places []place, err error) {
	reads, places = make([]database.KeyRead, 0, b.count()), make([]place, 0, b.count())
	for i, t := range b.tables {
		for j := range t.elements {
			key := t.elements[j].row
			if err := itemkey.Check(t.pin, key); err != nil {
				return nil, nil, err
			}
			reads, places = append(reads, database.KeyRead{Table: t.pin, Key: key}), append(places, place{i, j})
		}
	}
	return reads, places, nil
}

// admitKey asks for the least cost of reading one item.
func (t *tableKeys) admitKey(key value.Row) error {
	if t.api.Limiter == nil {
		return nil
	}
	return t.admit("", throttle.Read, readUnits(0, t.consistent.on), t.keyOf(&database.Write{Op: database.OpCheck,
		Row: key}))
}

// add appends an item to its table's part of the answer; nil is an absent one.
func (t *tableKeys) add(row value.Row) error {
	one := tableCapacity{table: readUnits(int64(sizeOf(row)), t.consistent.on)}
	t.charge(throttle.Read, &one)
	t.cost.add(&one)
	if row == nil {
		return nil
	}
	shown, err := t.projection.apply(&t.request, row)
	if err != nil {
		return err
	}
	if len(t.answer) > 0 {
		t.answer = append(t.answer, ',')
	}
	t.answer = attributejson.AppendItem(t.answer, shown, t.pin.Names())
	return nil
}

func (b *batchGetItem) appendAnswer(dst []byte) []byte {
	dst = append(dst, `{"Responses":{`...)
	for _, t := range b.tables {
		dst = append(t.appendName(dst), '[')
		dst = append(append(dst, t.answer...), ']')
	}
	dst = append(dst, `},"UnprocessedKeys":{`...)
	for _, t := range b.tables {
		if len(t.undone) > 0 {
			dst = t.appendUndoneKeys(t.appendName(dst))
		}
	}
	return append(b.appendCapacities(append(dst, '}')), '}')
}

// appendName begins the table's member in an object of all tables.
func (t *batchTable) appendName(dst []byte) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	return append(attributejson.AppendString(dst, []byte(t.table.value)), ':')
}

// appendUndoneKeys appends the keys that were left out as a request for them would have it: with the table's other
// members as they were.
func (t *batchTable) appendUndoneKeys(dst []byte) []byte {
	dst = append(append(append(dst, `{"Keys":[`...), t.undone...), ']')
	members := attributejson.NewReader(t.text)
	if members.BeginObject() != nil {
		return append(dst, '}')
	}
	for {
		name, ok, err := members.NextMember()
		if err != nil || !ok {
			return append(dst, '}')
		}
		keep := string(name) != "Keys"
		if keep {
			dst = append(attributejson.AppendString(append(dst, ','), name), ':')
		}
		value, err := members.Raw()
		if err != nil {
			return append(dst, "null}"...)
		}
		if keep {
			dst = append(dst, value...)
		}
	}
}
