// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"context"
	"errors"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/itemkey"
	"github.com/weftdb/weft/internal/dynamodb/throttle"
)

const (
	itemTooLarge   = "Item size has exceeded the maximum allowed size"
	updateTooLarge = "Item size to update has exceeded the maximum allowed size"
)

func sizeOf(row value.Row) int {
	if row == nil {
		return 0
	}
	return row.Size()
}

// itemWrite is the common part of requests that write one item.
type itemWrite struct {
	target
	condition    conditionExpression
	names        nameMap
	values       valueMap
	expected     expected
	operator     text
	returnValues text
	onFailure    returnOnFailure
	capacity     returnConsumedCapacity
	metrics      returnItemCollectionMetrics

	write  database.Write
	result database.WriteResult
}

// putItem is a request to replace an item.
type putItem struct {
	itemWrite
	item attributes
}

// deleteItem is a request to remove an item.
type deleteItem struct {
	itemWrite
	key attributes
}

// parseLegacy reads Expected as a condition.
func (w *itemWrite) parseLegacy() (err error) {
	if hasAny(w.order.legacy) {
		w.condition.tree, err = w.expected.Condition(w.operator.value)
	}
	return err
}

func (a *API) putItem(ctx context.Context, body, dst []byte) (_ []byte, err error) {
	p := take[putItem](a, &a.pools.put, "PutItem")
	defer p.release(&err)
	if err := p.prepare(ctx, body); err != nil {
		return nil, err
	}
	p.row = p.itemRow(p.row[:0])
	p.write = database.Write{Op: database.OpPut, Row: p.row}
	return p.run(ctx, dst)
}

func (a *API) deleteItem(ctx context.Context, body, dst []byte) (_ []byte, err error) {
	d := take[deleteItem](a, &a.pools.delete, "DeleteItem")
	defer d.release(&err)
	if err := d.prepare(ctx, body); err != nil {
		return nil, err
	}
	key, err := d.keyRow()
	if err != nil {
		return nil, err
	}
	d.write = database.Write{Op: database.OpDelete, Row: key}
	return d.run(ctx, dst)
}

// run does w.write and answers.
func (w *itemWrite) run(ctx context.Context, dst []byte) ([]byte, error) {
	w.write.Condition = w.condition.tree
	w.write.NeedOld = w.write.NeedOld || w.returnValues.value == "ALL_OLD" || w.onFailure.wantsItem()
	w.write.NeedSizes = w.needsSizes(&w.capacity)
	if w.write.Condition != nil || w.write.Op == database.OpUpdate || w.write.NeedOld {
		w.tally.Examined = 1
	}
	if err := w.admitWrite(&w.write); err != nil {
		return nil, err
	}
	if err := w.pin.Write(w.tally.waiting(ctx), &w.write, &w.result); err != nil {
		w.chargeFailure(err, &w.result)
		return nil, w.fault(err)
	}
	w.tally.Written = 1
	dst = append(dst, '{')
	if row, err := w.shownRow(); err != nil {
		return nil, err
	} else if row != nil {
		dst = appendItemMember(dst, "Attributes", row, w.pin.Names())
	}
	var cost tableCapacity
	cost.addWrite(&w.result.Change)
	w.charge(throttle.Write, &cost)
	dst = w.capacity.append(dst, w.pin.Descriptor().Name, &cost)
	if w.metrics.isWanted() && itemkey.HasLocal(w.pin.Descriptor()) {
		dst = w.appendCollection(attributejson.AppendMember(dst, "ItemCollectionMetrics"), w.row)
	}
	return append(dst, '}'), nil
}

// fault puts the error of a write into words; after a false condition it shows the item if the request wants it.
func (w *itemWrite) fault(err error) error {
	return w.conditionFault(&w.write, &w.result, w.onFailure.wantsItem(), err)
}

// conditionFault puts the error of a write into words; after a false condition it shows the item if that is wanted.
func (t *target) conditionFault(w *database.Write, result *database.WriteResult, wantsItem bool, err error) error {
	if database.KindOf(err) != database.KindConditionFailed || !errors.Is(err, database.ErrConditionFailed) {
		if w.Op == database.OpUpdate {
			return itemkey.UpdateFault(t.pin, w.Update, err)
		}
		return itemkey.Fault(t.pin, w.Row, err)
	}
	e := exception.Of(err)
	if wantsItem && result.Old != nil {
		e.Extra = appendItemMember([]byte("{"), "Item", result.Old, t.pin.Names())[1:]
	}
	return e
}

// shownRow returns the row for ReturnValues, nil if there is none.
func (w *itemWrite) shownRow() (value.Row, error) {
	return w.returnedRow(w.returnValues.value, &w.write, &w.result)
}

// returnedRow returns the part of a written item that a value of ReturnValues names, nil if there is none.
func (r *request) returnedRow(returned string, w *database.Write, result *database.WriteResult) (value.Row, error) {
	row := result.Old
	switch returned {
	case "ALL_OLD":
		return row, nil
	case "ALL_NEW":
		return result.New, nil
	case "UPDATED_OLD":
	case "UPDATED_NEW":
		row = result.New
	default:
		return nil, nil
	}
	if row == nil {
		return nil, nil
	}
	paths := w.Update.Touched()
	if paths == nil {
		return row, nil
	}
	row, err := r.pick(paths, row)
	if err != nil || row.Len() == 0 {
		return nil, err
	}
	return row, nil
}
