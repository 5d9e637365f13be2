// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"context"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/layer"
	"github.com/weftdb/weft/internal/dynamodb/metering"
)

// readSorts are the actions of TransactGetItems. // immutable
var readSorts = []actionSort{{name: "Get"}}

// transactGetItems reads several items of several tables at one snapshot.
func (a *API) transactGetItems(ctx context.Context, body, dst []byte) ([]byte, error) {
	t := transaction{request: a.request("TransactGetItems", layer.RowOf("TransactGetItems"))}
	defer t.release()
	if err := t.open(body, readSorts, "TransactItems must contain Get"); err != nil {
		return nil, err
	}
	reads, err := t.reads()
	if err != nil {
		return nil, t.eachFault(t.eachFault(err, (*request).valueFaultOr), (*request).typeFaultOr)
	}
	answers, sizes, total := make([][]byte, len(reads)), make([]int, len(reads)), 0
	if _, err = a.DB.GetAll(ctx, reads, func(i int, row weft.Row) (err error) {
		sizes[i] = sizeOf(row)
		if total += sizes[i]; total > t.options.TransactionBytes {
			return exception.Validationf("The items of the transaction exceed %d bytes", t.options.TransactionBytes)
		}
		answers[i], err = t.actions[i].appendRead(row)
		return err
	}); err != nil {
		return nil, err
	}
	dst = append(dst, `{"Responses":[`...)
	var cost metering.Costs
	returned := int64(0)
	for i, answer := range answers {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, answer...)
		returned += present(sizes[i] > 0)
		cost.Of(t.actions[i].pin.Descriptor().Name, "ReadCapacityUnits").Table += 2 * metering.ReadUnits(int64(sizes[i]), true)
	}
	a.observe("TransactGetItems", int64(len(reads)), returned)
	return append(cost.Append(append(dst, ']'), t.returnCapacity), '}'), nil
}

func (t *transaction) reads() ([]weft.KeyRead, error) {
	reads, keys := make([]weft.KeyRead, len(t.actions)), make([][]byte, len(t.actions))
	for i := range t.actions {
		row, err := t.keyOf(i)
		if err != nil {
			return nil, err
		}
		reads[i] = weft.KeyRead{Table: t.actions[i].pin, Key: row}
		if keys[i], err = t.itemKey(i, &weft.Write{Op: weft.OpCheck, Row: row}); err != nil {
			return nil, err
		}
	}
	if err := checkDistinct(keys); err != nil {
		return nil, err
	}
	return reads, t.reasons.Err()
}

// appendRead makes an element of Responses. An item of which the projection finds nothing is left out, as an absent one is.
func (a *action) appendRead(row weft.Row) ([]byte, error) {
	if row == nil {
		return []byte("{}"), nil
	}
	shown, err := a.project(row, a.pin.Names())
	if err != nil {
		return nil, err
	}
	if shown.Len() == 0 && row.Len() > 0 {
		return []byte("{}"), nil
	}
	return append(attributejson.AppendItem([]byte(`{"Item":`), shown, a.pin.Names()), '}'), nil
}
