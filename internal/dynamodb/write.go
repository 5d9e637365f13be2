// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"context"
	"errors"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/itemkey"
	"github.com/weftdb/weft/internal/dynamodb/layer"
	"github.com/weftdb/weft/internal/dynamodb/legacy"
	"github.com/weftdb/weft/internal/dynamodb/metering"
	"github.com/weftdb/weft/internal/expr"
)

const (
	itemTooLarge   = "Item size has exceeded the maximum allowed size"
	updateTooLarge = "Item size to update has exceeded the maximum allowed size"
)

func sizeOf(row weft.Row) int {
	if row == nil {
		return 0
	}
	return row.Size()
}

// putItem replaces an item.
func (a *API) putItem(ctx context.Context, body, dst []byte) ([]byte, error) {
	r := a.request("PutItem", layer.RowOf("PutItem"))
	defer r.release()
	pin, err := r.prepare(body)
	if err != nil {
		return nil, err
	}
	item, err := r.parseItem(pin, r.item, r.row[:0])
	if err != nil {
		return nil, err
	}
	r.row = item
	if item.Size() > r.options.ItemBytesMax {
		return nil, exception.Validation(itemTooLarge)
	}
	r.write = weft.Write{Op: weft.OpPut, Row: item}
	return r.writeItem(ctx, pin, dst)
}

// deleteItem removes an item.
func (a *API) deleteItem(ctx context.Context, body, dst []byte) ([]byte, error) {
	r := a.request("DeleteItem", layer.RowOf("DeleteItem"))
	defer r.release()
	pin, err := r.prepare(body)
	if err != nil {
		return nil, err
	}
	key, err := r.keyRow(pin, r.key, r.row[:0])
	if err != nil {
		return nil, err
	}
	r.row = key
	r.write = weft.Write{Op: weft.OpDelete, Row: key}
	return r.writeItem(ctx, pin, dst)
}

// prepare does what the operations on one item begin with: it takes the body apart, judges it and opens the table.
func (r *request) prepare(body []byte) (pin weft.Pinned, err error) {
	if err := r.read(body); err != nil {
		return pin, err
	}
	if err := r.checkMembers(); err != nil {
		return pin, err
	}
	if err := r.judge(); err != nil {
		return pin, err
	}
	return r.open()
}

// writeItem does r.write and answers.
func (r *request) writeItem(ctx context.Context, pin weft.Pinned, dst []byte) ([]byte, error) {
	w := &r.write
	w.Condition = r.conditionTree
	w.NeedOld = w.NeedOld || r.returnValues == "ALL_OLD" || r.returnOnFailure == "ALL_OLD"
	w.NeedSizes = r.wantsCapacity()
	if err := pin.Write(ctx, w, &r.result); err != nil {
		return nil, r.failedWrite(pin, err)
	}
	dst, err := r.appendAttributes(append(dst, '{'), pin)
	if err != nil {
		return nil, err
	}
	var cost metering.Capacity
	cost.AddWrite(&r.result.Change)
	dst = r.appendCapacity(dst, pin.Descriptor().Name, &cost)
	if r.returnSizes == "SIZE" && itemkey.HasLocal(pin.Descriptor()) {
		dst = r.appendCollection(attributejson.AppendMember(dst, "ItemCollectionMetrics"), r.row)
	}
	return append(dst, '}'), nil
}

// failedWrite words the error of a write; after a false condition it shows the item if the request wants it.
func (r *request) failedWrite(pin weft.Pinned, err error) error {
	if r.has&layer.AttributeUpdates != 0 {
		err = legacy.Wording(err)
	}
	if weft.KindOf(err) != weft.KindConditionFailed || !errors.Is(err, weft.ErrConditionFailed) {
		if r.write.Op == weft.OpUpdate {
			return itemkey.UpdateFault(pin, err)
		}
		return itemkey.Fault(pin, r.write.Row, err)
	}
	e := exception.Of(err)
	if r.returnOnFailure == "ALL_OLD" && r.result.Old != nil {
		e.Extra = appendItemMember([]byte("{"), "Item", r.result.Old, pin.Names())[1:]
	}
	return e
}

// appendAttributes appends what ReturnValues asks for.
func (r *request) appendAttributes(dst []byte, pin weft.Pinned) ([]byte, error) {
	var paths []expr.Path // nil: the whole item
	row := r.result.Old
	switch r.returnValues {
	case "ALL_OLD":
	case "ALL_NEW":
		row = r.result.New
	case "UPDATED_OLD":
		paths = r.updateTree.Touched()
	case "UPDATED_NEW":
		row, paths = r.result.New, r.updateTree.Touched()
	default:
		return dst, nil
	}
	if row == nil {
		return dst, nil
	}
	if paths != nil {
		var err error
		if row, err = r.pick(paths, row, pin.Names()); err != nil || row.Len() == 0 {
			return dst, err
		}
	}
	return appendItemMember(dst, "Attributes", row, pin.Names()), nil
}
