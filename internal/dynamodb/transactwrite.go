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

// transactWriteItems is a request to do several writes of several tables.
type transactWriteItems struct {
	transaction[*writeAction]
	token   text
	metrics returnItemCollectionMetrics
}

// writeAction is the common part of the actions of TransactWriteItems.
type writeAction struct {
	action
	condition conditionExpression
	values    valueMap
	onFailure returnOnFailure
	update    *updateExpression // of an Update
}

// The actions.
type (
	checkAction  struct{ writeAction }
	putAction    struct{ writeAction }
	deleteAction struct{ writeAction }
	updateAction struct {
		writeAction
		updateExpression updateExpression
	}
)

// readActions reads TransactItems.
func (t *transactWriteItems) readActions() error {
	const name = "TransactWriteItems"
	return t.readItems("TransactWriteItem", []actionKind[*writeAction]{
		{"ConditionCheck", database.OpCheck,
			func(a *API) *writeAction { return &take[checkAction](a, &a.pools.checkAction, name).writeAction }},
		{"Put", database.OpPut, func(a *API) *writeAction {
			return &take[putAction](a, &a.pools.putAction,
				name).writeAction
		}},
		{"Delete", database.OpDelete, func(a *API) *writeAction {
			return &take[deleteAction](a, &a.pools.deleteAction,
				name).writeAction
		}},
		{"Update", database.OpUpdate, func(a *API) *writeAction {
			u := take[updateAction](a, &a.pools.updateAction, name)
			u.update = &u.updateExpression
			return &u.writeAction
		}},
	})
}

// transactWriteItems does several writes of several tables, all of them or none.
func (a *API) transactWriteItems(ctx context.Context, body, dst []byte) (_ []byte, err error) {
	t := take[transactWriteItems](a, &a.pools.transactWrite, "TransactWriteItems")
	defer t.release(&err)
	if err := t.open(ctx, body, "TransactItems can only contain one of Check, Put, Update or Delete"); err != nil {
		return nil, err
	}
	writes, err := t.writes()
	if err != nil {
		return nil, err
	}
	token, err := transactionToken(a.tokens(), &t.token, t.items.text)
	if err != nil {
		return nil, err
	}
	over := admitWrites(t.reasons, writes, func(i int) *target { return &t.items.actions[i].target })
	if err := refusal(t.reasons, over); err != nil {
		return nil, err
	}
	done, err := a.DB.Transact(t.tally.waiting(ctx), writes, token)
	if err != nil {
		return nil, transactionFault(t.reasons, writes, err, func(i int, w *database.TableWrite, refusal error) error {
			return addReason(t.reasons, i, w, t.items.actions[i].onFailure.wantsItem(), refusal)
		})
	}
	t.tally.countWrites(writes)
	cost, err := a.transactionCost(ctx, writes, done, over)
	if err != nil {
		return nil, err
	}
	dst = cost.append(append(dst, '{'), t.capacity.value)
	var sizes collections
	if t.metrics.isWanted() {
		for i, a := range t.items.actions {
			a.addCollection(&sizes, writes[i].Row)
		}
	}
	return append(sizes.append(dst, t.metrics.value), '}'), nil
}

// countWrites counts the writes, and the items that were read for them.
func (t *tally) countWrites(writes []database.TableWrite) {
	for i := range writes {
		w := &writes[i]
		t.Written += countOf(w.Op != database.OpCheck)
		t.Examined += countOf(w.Condition != nil || w.Op == database.OpUpdate || w.Op == database.OpCheck || w.NeedOld)
	}
}

// writes makes the writes of the actions.
func (t *transactWriteItems) writes() ([]database.TableWrite, error) {
	actions := t.items.actions
	writes, keys, payload := make([]database.TableWrite, len(actions)), make([][]byte, len(actions)), 0
	for i, a := range actions {
		w := &writes[i]
		w.Table, w.Op, w.Condition = a.pin, a.op, a.condition.tree
		w.NeedOld, w.NeedSizes = a.onFailure.wantsItem(), t.needsSizes(&t.capacity)
		var err error
		if w.Row, err = a.rowOf(i, t.reasons); err != nil {
			return nil, err
		}
		if keys[i], err = a.encodedKey(i, &w.Write, t.reasons); err != nil {
			return nil, err
		}
		if a.update != nil {
			a.prepareUpdate(i, w, t.reasons)
		}
		payload += a.payload(w)
	}
	if payload > t.limits.TransactionBytes {
		return nil, exception.Validationf("The items, keys and expressions of the transaction exceed %d bytes",
			t.limits.TransactionBytes)
	}
	if err := checkDistinct(keys); err != nil {
		return nil, err
	}
	return writes, t.reasons.Err()
}

// rowOf is the item of a Put, or the key of another action.
func (w *writeAction) rowOf(i int, reasons exception.Reasons) (value.Row, error) {
	if w.op != database.OpPut {
		return w.keyOf(i, reasons)
	}
	w.row = w.itemRow(w.row[:0])
	return w.row, w.checkSize()
}

// prepareUpdate completes the write of an Update.
func (w *writeAction) prepareUpdate(i int, write *database.TableWrite, reasons exception.Reasons) {
	most := w.limits.ItemBytesMax
	write.Update = w.update.tree
	write.Validate = func(_, updated value.Row) error {
		if updated.Size() > most {
			return exception.Validation(updateTooLarge)
		}
		return nil
	}
	if err := checkTouched(w.pin.Descriptor(), w.update.tree); err != nil {
		reasons.Refuse(i, exception.Of(err).Message)
	}
}

// payload is an action's part of a transaction's limit: its item or key, and its expressions with their values.
func (w *writeAction) payload(write *database.TableWrite) int {
	total := sizeOf(write.Row) + len(w.condition.value) + len(w.arena)
	if w.update != nil {
		total += len(w.update.value)
	}
	return total
}

// tokens stands in front of the tokens of clients with tables of their own, which are not those of others.
func (a *API) tokens() string {
	if a.database == "" {
		return ""
	}
	return TokensOf(a.database)
}

// TokensOf begins the tokens of clients whose tables are in a database of their own.
func TokensOf(databaseName string) string { return databaseName + "\x00" }

// transactionToken is the token of a transaction of actions with that text, nil if it has none. space keeps the tokens
// of different operations apart.
func transactionToken(space string, token *text, actions []byte) (*database.Token, error) {
	if !token.has {
		return nil, nil
	}
	digest, err := attributejson.NewReader(actions).Digest()
	return &database.Token{ID: space + token.value, Digest: digest}, err
}

// transactionFault puts the error of a transaction into words; note adds the reason why one write was refused, or
// returns another error.
func transactionFault(reasons exception.Reasons, writes []database.TableWrite, err error,
	note func(int, *database.TableWrite, error) error) error {
	refused, ok := errors.AsType[*database.TransactionError](err)
	switch {
	case errors.Is(err, database.ErrTokenReused):
		return exception.New(exception.KindTokenReused,
			"The ClientRequestToken was used within the last ten minutes for a transaction with other actions; send a new token with new actions")
	case errors.Is(err, database.ErrTokenInUse):
		return exception.New(exception.KindTransactionInProgress,
			"The transaction with the given request token is already in progress.")
	case !ok:
		return err
	}
	for i, refusal := range refused.Refusals {
		if refusal == nil {
			continue
		}
		if fault := note(i, &writes[i], refusal); fault != nil {
			return fault
		}
	}
	return reasons.Err()
}

// addReason notes why one write was refused. Faults that DynamoDB finds before it begins are errors instead.
func addReason(reasons exception.Reasons, i int, w *database.TableWrite, wantsItem bool, refusal error) error {
	switch database.KindOf(refusal) {
	case database.KindConflict:
		reasons[i] = exception.Reason{Code: "TransactionConflict", Message: "Transaction is ongoing for the item"}
	case database.KindConditionFailed:
		reasons[i] = exception.Reason{Code: "ConditionalCheckFailed", Message: "The conditional request failed"}
		if duplicate, ok := errors.AsType[*database.DuplicateError](refusal); ok {
			reasons[i].Message = exception.DuplicateText(duplicate)
		}
		if wantsItem && w.Result.Old != nil {
			reasons[i].Item = attributejson.AppendItem(nil, w.Result.Old, w.Table.Names())
		}
	default:
		err := itemkey.Fault(w.Table, w.Row, refusal)
		if w.Op == database.OpUpdate {
			err = itemkey.UpdateFault(w.Table, w.Update, refusal)
		}
		if isKeyValueFault(refusal) {
			return err
		}
		reasons.Refuse(i, exception.Of(err).Message)
	}
	return nil
}

// isKeyValueFault reports whether an error is about an empty or over-long key attribute.
func isKeyValueFault(err error) bool {
	if _, empty := errors.AsType[*database.KeyEmptyError](err); empty {
		return true
	}
	_, long := errors.AsType[*database.KeySizeError](err)
	return long
}

// transactionCost adds up what a transaction of writes costs and charges that, unless it exceeds a limit. done says
// that it was done before.
func (a *API) transactionCost(ctx context.Context, writes []database.TableWrite, done, over bool) (cost tableCosts,
	err error) {
	d := throttle.Write
	if done {
		d, err = throttle.Read, cost.addReads(ctx, a.DB, writes)
	} else {
		cost.addWrites(writes)
	}
	if err == nil && !over {
		cost.charge(a.Limiter, d)
	}
	return cost, err
}

// addWrites adds up what the writes cost. A transaction pays twice for the item, once for entries of indexes.
func (c *tableCosts) addWrites(writes []database.TableWrite) {
	for i := range writes {
		cost, change := c.of(writes[i].Table.Descriptor(), "WriteCapacityUnits"), &writes[i].Result.Change
		cost.addWrite(change)
		cost.table += writeUnits(max(change.Before, change.After))
	}
}

// addReads adds up what a transaction costs that was done before: a read of each of its items.
func (c *tableCosts) addReads(ctx context.Context, db *database.DB, writes []database.TableWrite) error {
	reads := make([]database.KeyRead, len(writes))
	for i := range writes {
		key := writes[i].Row
		if writes[i].Op == database.OpPut {
			var err error
			if key, err = writes[i].Table.KeyOf(nil, key); err != nil {
				return err
			}
		}
		reads[i] = database.KeyRead{Table: writes[i].Table, Key: key}
	}
	sizes := make([]int, len(reads))
	if _, err := db.GetAll(ctx, reads, func(i int, row value.Row) error {
		sizes[i] = sizeOf(row)
		return nil
	}); err != nil {
		return err
	}
	for i, size := range sizes {
		c.of(writes[i].Table.Descriptor(), "ReadCapacityUnits").table += 2 * readUnits(int64(size), true)
	}
	return nil
}
