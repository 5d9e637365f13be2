// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"context"
	"errors"
	"fmt"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/itemkey"
	"github.com/weftdb/weft/internal/dynamodb/layer"
	"github.com/weftdb/weft/internal/dynamodb/metering"
)

// writeSort is what a BatchWriteItem has of a table. // immutable
var writeSort = batchSort{attributejson.MapOfLists("WriteRequest"), new(layer.Row), splitWrites, walkWrite, (*batch).checkWrites}

// batchWriteItem puts and deletes items of several tables. They are one commit, unless that is more than the engine takes at once.
func (a *API) batchWriteItem(ctx context.Context, body, dst []byte) ([]byte, error) {
	b := batch{sort: &writeSort, request: a.request("BatchWriteItem", layer.RowOf("BatchWriteItem"))}
	defer b.release()
	if err := b.open(body); err != nil {
		return nil, err
	}
	if err := b.pinAll(); err != nil {
		return nil, b.faultOr(err)
	}
	writes, places, err := b.writes()
	if err != nil {
		return nil, b.faultOr(err)
	}
	if err := b.commit(ctx, writes); err != nil {
		return nil, err
	}
	dst = append(dst, `{"UnprocessedItems":{}`...)
	for i := range writes {
		b.tables[places[i].table].cost.AddWrite(&writes[i].Result.Change)
	}
	dst = b.appendCapacities(dst)
	var sizes metering.Collections
	if b.returnSizes == "SIZE" {
		for i := range writes {
			b.tables[places[i].table].noteCollection(&sizes, writes[i].Row)
		}
	}
	return append(sizes.Append(dst, b.returnSizes), '}'), nil
}

func splitWrites(t *batchTable) (err error) {
	if err := attributejson.NewReader(t.raw).Expect(attributejson.ListInMap()); err != nil {
		return err
	}
	t.elements, err = attributejson.Elements(t.raw)
	return err
}

// checkWrites judges how many writes there are.
func (b *batch) checkWrites() error {
	most := b.options.BatchWriteMax
	for i := range b.tables {
		if n := len(b.tables[i].elements); n > 0 && (n <= most || len(b.tables) > 1) {
			continue
		}
		var c exception.Constraints
		c.Add(b.shown(), "requestItems", fmt.Sprintf("Map value must satisfy constraint: [Member must have length less than or equal to %d, "+
			"Member must have length greater than or equal to 1]", most))
		return c.Err()
	}
	if b.count() > most {
		return exception.Validation("Too many items requested for the BatchWriteItem call")
	}
	return nil
}

// shown is RequestItems as faults show it: {table=[write, write]}.
func (b *batch) shown() string {
	text, separator := []byte{'{'}, ""
	for i := range b.tables {
		t := &b.tables[i]
		text = append(append(append(text, separator...), t.tableName...), "=["...)
		separator = ""
		for _, element := range t.elements {
			text = append(append(text, separator...), exception.Cut(element)...)
			if separator = ", "; len(text) > exception.ShownMax {
				return exception.Shown(text)
			}
		}
		text, separator = append(text, ']'), ", "
	}
	return exception.Shown(append(text, '}'))
}

func (b *batch) writes() (writes []weft.TableWrite, places []place, err error) {
	writes, places = make([]weft.TableWrite, 0, b.count()), make([]place, 0, b.count())
	for i := range b.tables {
		t, seen := &b.tables[i], make(duplicates, len(b.tables[i].elements))
		for j, element := range t.elements {
			write, err := t.parseWrite(j, element)
			if err != nil {
				return nil, nil, err
			}
			write.NeedSizes = b.wantsCapacity()
			if t.row, err = t.pin.AppendItemKey(t.row[:0], &write); err != nil {
				return nil, nil, itemkey.BatchFault(t.pin, write.Row, err)
			}
			if err := seen.add(t.row); err != nil {
				return nil, nil, err
			}
			writes, places = append(writes, weft.TableWrite{Table: t.pin, Write: write}), append(places, place{i, j})
		}
	}
	return writes, places, nil
}

// walkWrite looks through {"PutRequest":{"Item":{..}}} or {"DeleteRequest":{"Key":{..}}}.
func walkWrite(r *attributejson.Reader, read func() error) error {
	if err := r.Expect(attributejson.Element("WriteRequest")); err != nil {
		return err
	}
	return r.Members(func(request []byte) error {
		if sort := string(request); sort != "PutRequest" && sort != "DeleteRequest" {
			return r.Skip()
		}
		if err := r.Expect(attributejson.Field(string(request))); err != nil {
			return err
		}
		return r.Members(func(name []byte) error {
			if string(name) == "Item" || string(name) == "Key" {
				return read()
			}
			return r.Skip()
		})
	})
}

const oneRequest = "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"

// parseWrite reads one {"PutRequest":{"Item":{..}}} or {"DeleteRequest":{"Key":{..}}}.
func (t *batchTable) parseWrite(position int, element []byte) (w weft.Write, err error) {
	var item, key []byte
	members := attributejson.NewReader(element)
	err = members.Members(func(name []byte) (err error) {
		switch string(name) {
		case "PutRequest":
			item, err = t.onlyMember(members, position, "PutRequest", "Item")
		case "DeleteRequest":
			key, err = t.onlyMember(members, position, "DeleteRequest", "Key")
		default:
			err = members.Skip()
		}
		return err
	})
	if err != nil {
		return w, err
	}
	switch {
	case item != nil && key != nil:
		return w, exception.Validation(oneRequest)
	case item != nil:
		return t.parsePut(item)
	case key != nil:
		row, err := t.keyRow(t.pin, key, nil)
		return weft.Write{Op: weft.OpDelete, Row: row}, err
	}
	return w, exception.Validation("Supplied AttributeValue is empty, must contain exactly one of the supported datatypes")
}

func (t *batchTable) parsePut(raw []byte) (weft.Write, error) {
	row, err := t.parseItem(t.pin, raw, nil)
	if err == nil && row.Size() > t.options.ItemBytesMax {
		err = exception.Validation(itemTooLarge)
	}
	return weft.Write{Op: weft.OpPut, Row: row}, err
}

// onlyMember reads an object and returns the raw value of one member, which must be there.
func (t *batchTable) onlyMember(r *attributejson.Reader, position int, outer, wanted string) (raw []byte, err error) {
	err = r.Members(func(name []byte) error {
		found := string(name) == wanted
		value, err := r.Raw()
		if found && err == nil {
			raw = value
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if raw == nil {
		return nil, exception.Validationf("1 validation error detected: Value null at 'requestItems.%s.member.%d.member.%s.%s' failed to satisfy constraint: "+
			"Member must not be null", t.tableName, position+1, exception.LowerFirst(outer), exception.LowerFirst(wanted))
	}
	return raw, nil
}

// commit writes all at once, or in two halves if that is too much.
func (b *batch) commit(ctx context.Context, writes []weft.TableWrite) error {
	failed, err := b.api.DB.WriteAll(ctx, writes)
	if err == nil {
		return nil
	}
	if weft.KindOf(err) == weft.KindTooLarge && len(writes) > 1 {
		half := len(writes) / 2
		return errors.Join(b.commit(ctx, writes[:half]), b.commit(ctx, writes[half:]))
	}
	if failed < 0 {
		return err
	}
	return itemkey.Fault(writes[failed].Table, writes[failed].Row, err)
}
