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
	"github.com/weftdb/weft/internal/dynamodb/metering"
)

// writeSorts are the actions of TransactWriteItems. // immutable
var writeSorts = []actionSort{{"ConditionCheck", weft.OpCheck}, {"Put", weft.OpPut}, {"Delete", weft.OpDelete}, {"Update", weft.OpUpdate}}

// transactWriteItems does several writes of several tables, all of them or none.
func (a *API) transactWriteItems(ctx context.Context, body, dst []byte) ([]byte, error) {
	t := transaction{request: a.request("TransactWriteItems", layer.RowOf("TransactWriteItems"))}
	defer t.release()
	if err := t.open(body, writeSorts, "TransactItems can only contain one of Check, Put, Update or Delete"); err != nil {
		return nil, err
	}
	writes, err := t.writes()
	if err != nil {
		return nil, t.eachFault(t.eachFault(err, (*request).valueFaultOr), (*request).typeFaultOr)
	}
	token, err := t.tokenOf()
	if err != nil {
		return nil, err
	}
	done, err := a.DB.Transact(ctx, writes, token)
	if err != nil {
		return nil, t.failed(writes, err)
	}
	var cost metering.Costs
	if done {
		err = t.addReads(ctx, writes, &cost)
	} else {
		t.addWrites(writes, &cost)
	}
	if err != nil {
		return nil, err
	}
	dst = cost.Append(append(dst, '{'), t.returnCapacity)
	var sizes metering.Collections
	if t.returnSizes == "SIZE" {
		for i := range t.actions {
			t.actions[i].noteCollection(&sizes, writes[i].Row)
		}
	}
	return append(sizes.Append(dst, t.returnSizes), '}'), nil
}

// writes makes the writes of the actions.
func (t *transaction) writes() ([]weft.TableWrite, error) {
	writes, keys, payload := make([]weft.TableWrite, len(t.actions)), make([][]byte, len(t.actions)), 0
	for i := range t.actions {
		a := &t.actions[i]
		w := &writes[i]
		w.Table, w.Op, w.Condition = a.pin, a.sort.op, a.conditionTree
		w.NeedOld, w.NeedSizes = a.returnOnFailure == "ALL_OLD", t.wantsCapacity()
		var err error
		if a.sort.op == weft.OpPut {
			err = t.put(i, w)
		} else {
			w.Row, err = t.keyOf(i)
		}
		if err != nil {
			return nil, err
		}
		if keys[i], err = t.itemKey(i, &w.Write); err != nil {
			return nil, err
		}
		if a.sort.op == weft.OpUpdate {
			t.update(i, w)
		}
		payload += a.payload(w)
	}
	if payload > t.options.TransactionBytes {
		return nil, exception.Validationf("The items, keys and expressions of the transaction exceed %d bytes", t.options.TransactionBytes)
	}
	if err := checkDistinct(keys); err != nil {
		return nil, err
	}
	return writes, t.reasons.Err()
}

// put reads the item of a Put.
func (t *transaction) put(i int, w *weft.TableWrite) (err error) {
	a := &t.actions[i]
	if a.row, err = a.parseItem(a.pin, a.item, a.row[:0]); err != nil {
		return err
	}
	w.Row = a.row
	if w.Row.Size() > t.options.ItemBytesMax {
		return exception.Validation(itemTooLarge)
	}
	return nil
}

// update completes the write of an Update.
func (t *transaction) update(i int, w *weft.TableWrite) {
	a := &t.actions[i]
	w.Update = a.updateTree
	w.Validate = func(_, updated weft.Row) error {
		if updated.Size() > a.options.ItemBytesMax {
			return exception.Validation(updateTooLarge)
		}
		return nil
	}
	if err := checkTouched(a.pin, a.updateTree); err != nil {
		t.reasons.Refuse(i, exception.Of(err).Message)
	}
}

// payload is how much of a transaction's limit an action takes: its item or key, and its expressions with their values.
func (a *action) payload(w *weft.TableWrite) int {
	return sizeOf(w.Row) + len(a.condition) + len(a.update) + len(a.arena)
}

// tokenOf is the transaction's token, nil if it has none.
func (t *transaction) tokenOf() (*weft.Token, error) {
	if t.has&layer.ClientRequestToken == 0 {
		return nil, nil
	}
	digest, err := attributejson.NewReader(t.transactItems).Digest()
	return &weft.Token{ID: t.token, Digest: digest}, err
}

// failed words the error of a transaction.
func (t *transaction) failed(writes []weft.TableWrite, err error) error {
	refused, ok := errors.AsType[*weft.TransactionError](err)
	switch {
	case errors.Is(err, weft.ErrTokenReused):
		return exception.New(exception.KindTokenReused,
			"The ClientRequestToken was used within the last ten minutes for a transaction with other actions; send a new token with new actions")
	case errors.Is(err, weft.ErrTokenInUse):
		return exception.New(exception.KindTransactionInProgress, "The transaction with the given request token is already in progress.")
	case !ok:
		return err
	}
	for i, refusal := range refused.Refusals {
		if refusal == nil {
			continue
		}
		if fault := t.judge(i, &writes[i], refusal); fault != nil {
			return fault
		}
	}
	return t.reasons.Err()
}

// judge notes why one write was refused. What DynamoDB finds before it begins is an error instead.
func (t *transaction) judge(i int, w *weft.TableWrite, refusal error) error {
	switch weft.KindOf(refusal) {
	case weft.KindConflict:
		t.reasons[i] = exception.Reason{Code: "TransactionConflict", Message: "Transaction is ongoing for the item"}
	case weft.KindConditionFailed:
		t.reasons[i] = exception.Reason{Code: "ConditionalCheckFailed", Message: "The conditional request failed"}
		if duplicate, ok := errors.AsType[*weft.DuplicateError](refusal); ok {
			t.reasons[i].Message = exception.DuplicateText(duplicate)
		}
		if t.actions[i].returnOnFailure == "ALL_OLD" && w.Result.Old != nil {
			t.reasons[i].Item = attributejson.AppendItem(nil, w.Result.Old, w.Table.Names())
		}
	default:
		err := itemkey.Fault(w.Table, w.Row, refusal)
		if w.Op == weft.OpUpdate {
			err = itemkey.UpdateFault(w.Table, refusal)
		}
		if isKeyValueFault(refusal) {
			return err
		}
		t.reasons.Refuse(i, exception.Of(err).Message)
	}
	return nil
}

// isKeyValueFault says whether an error is about an empty or over-long key attribute.
func isKeyValueFault(err error) bool {
	if _, empty := errors.AsType[*weft.KeyEmptyError](err); empty {
		return true
	}
	_, long := errors.AsType[*weft.KeySizeError](err)
	return long
}

// addWrites adds up what the writes cost. A transaction pays twice for the item, once for entries of indexes.
func (t *transaction) addWrites(writes []weft.TableWrite, cost *metering.Costs) {
	for i := range writes {
		c, change := cost.Of(t.actions[i].pin.Descriptor().Name, "WriteCapacityUnits"), &writes[i].Result.Change
		c.AddWrite(change)
		c.Table += metering.WriteUnits(max(change.Before, change.After))
	}
}

// addReads adds up what a transaction costs that was done before: a read of each of its items.
func (t *transaction) addReads(ctx context.Context, writes []weft.TableWrite, cost *metering.Costs) error {
	reads := make([]weft.KeyRead, len(writes))
	for i := range writes {
		key := writes[i].Row
		if writes[i].Op == weft.OpPut {
			var err error
			if key, err = writes[i].Table.KeyOf(nil, key); err != nil {
				return err
			}
		}
		reads[i] = weft.KeyRead{Table: writes[i].Table, Key: key}
	}
	sizes := make([]int, len(reads))
	if _, err := t.api.DB.GetAll(ctx, reads, func(i int, row weft.Row) error {
		sizes[i] = sizeOf(row)
		return nil
	}); err != nil {
		return err
	}
	for i, size := range sizes {
		cost.Of(t.actions[i].pin.Descriptor().Name, "ReadCapacityUnits").Table += 2 * metering.ReadUnits(int64(size), true)
	}
	return nil
}
