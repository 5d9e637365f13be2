// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"context"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/throttle"
)

// transactGetItems is a request to read several items of several tables.
type transactGetItems struct{ transaction[*getAction] }

// getAction is Get, an action of TransactGetItems.
type getAction struct {
	action
	projection
}

// transactGetItems reads several items of several tables at one snapshot.
func (a *API) transactGetItems(ctx context.Context, body, dst []byte) (_ []byte, err error) {
	t := take[transactGetItems](a, &a.pools.transactGet, "TransactGetItems")
	defer t.release(&err)
	if err := t.open(ctx, body, "TransactItems must contain Get"); err != nil {
		return nil, err
	}
	reads, err := t.reads()
	if err != nil {
		return nil, err
	}
	over := admitReads(t.reasons, reads, func(i int) *target { return &t.items.actions[i].target })
	if err := refusal(t.reasons, over); err != nil {
		return nil, err
	}
	answers, sizes, total := make([][]byte, len(reads)), make([]int, len(reads)), 0
	if _, err = a.DB.GetAll(ctx, reads, func(i int, row value.Row) (err error) {
		sizes[i] = sizeOf(row)
		if total += sizes[i]; total > t.limits.TransactionBytes {
			return exception.Validationf("The items of the transaction exceed %d bytes", t.limits.TransactionBytes)
		}
		answers[i], err = t.items.actions[i].appendAnswer(row)
		return err
	}); err != nil {
		return nil, err
	}
	dst = append(dst, `{"Responses":[`...)
	var cost tableCosts
	returned := int64(0)
	for i, answer := range answers {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, answer...)
		returned += countOf(sizes[i] > 0)
		cost.of(t.items.actions[i].pin.Descriptor(), "ReadCapacityUnits").table += 2 * readUnits(int64(sizes[i]),
			true)
	}
	if !over {
		cost.charge(a.Limiter, throttle.Read)
	}
	t.observe(int64(len(reads)), returned)
	return append(cost.append(append(dst, ']'), t.capacity.value), '}'), nil
}

// readActions reads TransactItems.
func (t *transactGetItems) readActions() error {
	return t.readItems("TransactGetItem", []actionKind[*getAction]{
		{"Get", database.OpCheck, func(a *API) *getAction {
			return take[getAction](a, &a.pools.getAction,
				"TransactGetItems")
		}},
	})
}

func (t *transactGetItems) reads() ([]database.KeyRead, error) {
	reads, keys := make([]database.KeyRead, len(t.items.actions)), make([][]byte, len(t.items.actions))
	for i, a := range t.items.actions {
		row, err := a.keyOf(i, t.reasons)
		if err != nil {
			return nil, err
		}
		reads[i] = database.KeyRead{Table: a.pin, Key: row}
		if keys[i], err = a.encodedKey(i, &database.Write{Op: database.OpCheck, Row: row}, t.reasons); err != nil {
			return nil, err
		}
	}
	if err := checkDistinct(keys); err != nil {
		return nil, err
	}
	return reads, t.reasons.Err()
}

// appendAnswer makes an element of Responses. An item of which the projection finds nothing is left out, as an absent
// one is.
func (g *getAction) appendAnswer(row value.Row) ([]byte, error) {
	if row == nil {
		return []byte("{}"), nil
	}
	shown, err := g.projection.apply(&g.request, row)
	if err != nil {
		return nil, err
	}
	if shown.Len() == 0 && row.Len() > 0 {
		return []byte("{}"), nil
	}
	return append(attributejson.AppendItem([]byte(`{"Item":`), shown, g.pin.Names()), '}'), nil
}
