// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"context"
	"strconv"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/itemkey"
	"github.com/weftdb/weft/internal/dynamodb/layer"
	"github.com/weftdb/weft/internal/dynamodb/metering"
)

// getSort is what a BatchGetItem has of a table. // immutable
var getSort = batchSort{attributejson.MapOf("KeysAndAttributes"), layer.RowOf("BatchGetItem.Table"), splitKeys, walkKey, (*batch).checkKeys}

// batchGetItem reads items of several tables, all at one snapshot.
func (a *API) batchGetItem(ctx context.Context, body, dst []byte) ([]byte, error) {
	b := batch{sort: &getSort, request: a.request("BatchGetItem", layer.RowOf("BatchGetItem"))}
	defer b.release()
	if err := b.open(body); err != nil {
		return nil, err
	}
	if err := b.judgeTables(); err != nil {
		return nil, b.faultIn(err, (*attributejson.Reader).CheckItem)
	}
	if err := b.pinAll(); err != nil {
		return nil, b.faultOr(err)
	}
	reads, places, err := b.keyReads()
	if err != nil {
		return nil, b.faultOr(err)
	}
	size, returned := 0, int64(0)
	failed, err := a.DB.GetAll(ctx, reads, func(i int, row weft.Row) error {
		t := &b.tables[places[i].table]
		if row != nil && size+row.Size() > b.options.BatchBytesMax {
			t.leaveOut(t.elements[places[i].element])
			return nil
		}
		size += sizeOf(row)
		returned += present(row != nil)
		return t.found(row)
	})
	if err != nil && failed >= 0 {
		return nil, itemkey.Fault(reads[failed].Table, nil, err)
	}
	if err != nil {
		return nil, err
	}
	a.observe("BatchGetItem", int64(len(reads)), returned)
	return b.appendFound(dst), nil
}

// judgeTables judges what is asked of each table. Expressions for one and the older parameter for another are a mixture, too.
func (b *batch) judgeTables() error {
	var all layer.Given
	for i := range b.tables {
		all.Has |= b.tables[i].has
	}
	if fault := b.rules.Fault(layer.CheckForms, &all); fault != "" {
		return exception.Validation(fault)
	}
	for i := range b.tables {
		if err := b.tables[i].judge(); err != nil {
			return err
		}
	}
	return nil
}

// splitKeys reads what a BatchGetItem has for one table.
func splitKeys(t *batchTable) (err error) {
	if err := attributejson.NewReader(t.raw).Expect(attributejson.Element("KeysAndAttributes")); err != nil {
		return err
	}
	if err := t.read(t.raw); err != nil || t.keys == nil {
		return err
	}
	t.elements, err = attributejson.Elements(t.keys)
	return err
}

// checkKeys judges the members of each table, and how many keys there are of all.
func (b *batch) checkKeys() error {
	most := b.options.BatchGetMax
	c := b.constraints("")
	for i := range b.tables {
		t := &b.tables[i]
		c.At = "RequestItems." + t.tableName + ".member."
		t.constrain(&c)
		switch n := len(t.elements); {
		case t.keys == nil:
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

// walkKey looks through one element of Keys.
func walkKey(r *attributejson.Reader, read func() error) error {
	if err := r.Expect(attributejson.MapInList()); err != nil {
		return err
	}
	return read()
}

// place says where in a batch something stands.
type place struct{ table, element int }

func (b *batch) keyReads() (reads []weft.KeyRead, places []place, err error) {
	reads, places = make([]weft.KeyRead, 0, b.count()), make([]place, 0, b.count())
	for i := range b.tables {
		t, seen := &b.tables[i], make(duplicates, len(b.tables[i].elements))
		for j, element := range t.elements {
			key, err := t.keyRow(t.pin, element, t.arena)
			if err != nil {
				return nil, nil, err
			}
			t.arena = append(t.arena, key...)
			if err := seen.add(key); err != nil {
				return nil, nil, err
			}
			reads, places = append(reads, weft.KeyRead{Table: t.pin, Key: t.arena[len(t.arena)-len(key):]}), append(places, place{i, j})
		}
	}
	return reads, places, nil
}

// found appends an item to its table's part of the answer; nil is an absent one.
func (t *batchTable) found(row weft.Row) error {
	t.cost.Table += metering.ReadUnits(int64(sizeOf(row)), t.consistent)
	if row == nil {
		return nil
	}
	shown, err := t.project(row, t.pin.Names())
	if err != nil {
		return err
	}
	if len(t.answer) > 0 {
		t.answer = append(t.answer, ',')
	}
	t.answer = attributejson.AppendItem(t.answer, shown, t.pin.Names())
	return nil
}

func (b *batch) appendFound(dst []byte) []byte {
	dst = append(dst, `{"Responses":{`...)
	for i := range b.tables {
		dst = append(b.tables[i].appendName(dst), '[')
		dst = append(append(dst, b.tables[i].answer...), ']')
	}
	dst = append(dst, `},"UnprocessedKeys":{`...)
	for i := range b.tables {
		if t := &b.tables[i]; len(t.undone) > 0 {
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
	return append(attributejson.AppendString(dst, []byte(t.tableName)), ':')
}

// appendUndoneKeys appends the keys that were left out as a request for them would have it: with the table's other members as they were.
func (t *batchTable) appendUndoneKeys(dst []byte) []byte {
	dst = append(append(append(dst, `{"Keys":[`...), t.undone...), ']')
	members := attributejson.NewReader(t.raw)
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
