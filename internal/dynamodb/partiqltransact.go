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
	"github.com/weftdb/weft/internal/dynamodb/partiql"
	"github.com/weftdb/weft/internal/dynamodb/throttle"
)

// partiqlTokens stands in front of the tokens of ExecuteTransaction, which are none of TransactWriteItems'.
const partiqlTokens = "ExecuteTransaction:"

// executeTransaction is a request for several statements that read or write together.
type executeTransaction struct {
	partiqlList
	token   text
	reasons exception.Reasons
}

func (t *executeTransaction) checks() checkOrder {
	return checkOrder{members: []field{
		required("TransactStatements", part{t.readStatements, t.statements.IsGiven}),
		withLength("ClientRequestToken", &t.token, tokenMax), capacity(&t.capacity),
	}}
}

func (t *executeTransaction) readStatements() error { return t.readParts("ParameterizedStatement") }

func (a *API) executeTransaction(ctx context.Context, body, dst []byte) (_ []byte, err error) {
	t := take[executeTransaction](a, &a.pools.transactExecute, "ExecuteTransaction")
	defer t.release(&err)
	if err := t.read(ctx, body); err != nil {
		return nil, err
	}
	if err := t.checkParts("transactStatements", t.limits.TransactionMax); err != nil {
		return nil, err
	}
	if err := t.prepareAll(ctx); err != nil {
		return nil, err
	}
	if t.writesItems() {
		return t.answerWrites(ctx, dst)
	}
	return t.answerReads(ctx, dst)
}

// prepareAll judges the statements up to their keys, no two of which may be the same.
func (t *executeTransaction) prepareAll(ctx context.Context) error {
	for i, s := range t.statements.list {
		if err := s.takeSteps(); err != nil {
			return partFault(i, err)
		}
		switch {
		case s.tree.Returning != "":
			return exception.Validation("RETURNING clause is not supported in ExecuteTransaction")
		case s.indexName.has:
			return exception.Validation("Reads on indices are not supported within transactions")
		}
	}
	if err := t.checkMixture(); err != nil {
		return err
	}
	for _, s := range t.statements.list {
		if err := s.target.open(ctx, enclosure{t.operation, t.capacity.value}); err != nil {
			return err
		}
	}
	keys, payload := make([][]byte, len(t.statements.list)), 0
	for i, s := range t.statements.list {
		key, err := s.prepare()
		if err != nil {
			return partFault(i, itemkey.Fault(s.pin, s.write.Row, err))
		}
		keys[i] = key
		payload += sizeOf(s.write.Row) + len(s.text.value) + len(s.arena)
	}
	if payload > t.limits.TransactionBytes {
		return exception.Validationf("The items, keys and expressions of the transaction exceed %d bytes",
			t.limits.TransactionBytes)
	}
	t.reasons = make(exception.Reasons, len(t.statements.list))
	return checkDistinct(keys)
}

// partFault names the statement that a fault is in.
func partFault(i int, err error) error {
	if e := exception.Of(err); e.Kind == exception.KindValidation {
		return exception.Validationf("Validation failed in TransactStatements[%d]: %s", i, e.Message)
	}
	return err
}

// answerReads reads all items at one snapshot.
func (t *executeTransaction) answerReads(ctx context.Context, dst []byte) ([]byte, error) {
	list, returned, total := t.statements.list, int64(0), 0
	reads, answers := make([]database.KeyRead, len(list)), make([][]byte, len(list))
	var cost tableCosts
	for i, s := range list {
		reads[i] = database.KeyRead{Table: s.pin, Key: s.write.Row}
	}
	over := admitReads(t.reasons, reads, t.targetOf)
	if err := refusal(t.reasons, over); err != nil {
		return nil, err
	}
	if _, err := t.api.DB.GetAll(ctx, reads, func(i int, row value.Row) error {
		if total += sizeOf(row); total > t.limits.TransactionBytes {
			return exception.Validationf("The items of the transaction exceed %d bytes", t.limits.TransactionBytes)
		}
		cost.of(list[i].pin.Descriptor(), "ReadCapacityUnits").table += 2 * readUnits(int64(sizeOf(row)), true)
		shown, err := list[i].find(row)
		answers[i] = []byte("{}")
		if shown != nil {
			returned++
			answers[i] = append(attributejson.AppendItem([]byte(`{"Item":`), shown, list[i].pin.Names()), '}')
		}
		return err
	}); err != nil {
		return nil, err
	}
	dst = append(dst, `{"Responses":[`...)
	for i, answer := range answers {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, answer...)
	}
	if !over {
		cost.charge(t.api.Limiter, throttle.Read)
	}
	t.observe(int64(len(reads)), returned)
	return append(cost.append(append(dst, ']'), t.capacity.value), '}'), nil
}

// answerWrites does all writes or none.
func (t *executeTransaction) answerWrites(ctx context.Context, dst []byte) ([]byte, error) {
	writes := make([]database.TableWrite, len(t.statements.list))
	for i, s := range t.statements.list {
		writes[i] = database.TableWrite{Table: s.pin, Write: s.write}
		writes[i].NeedSizes = t.needsSizes(&t.capacity)
	}
	token, err := transactionToken(t.api.tokens()+partiqlTokens, &t.token, t.statements.text)
	if err != nil {
		return nil, err
	}
	over := admitWrites(t.reasons, writes, t.targetOf)
	if err := refusal(t.reasons, over); err != nil {
		return nil, err
	}
	done, err := t.api.DB.Transact(t.tally.waiting(ctx), writes, token)
	if err != nil {
		return nil, transactionFault(t.reasons, writes, err, t.addReason)
	}
	t.tally.countWrites(writes)
	cost, err := t.api.transactionCost(ctx, writes, done, over)
	if err != nil {
		return nil, err
	}
	return append(cost.append(append(dst, `{"Responses":[]`...), t.capacity.value), '}'), nil
}

// targetOf is the request that a statement is by itself.
func (t *executeTransaction) targetOf(i int) *target { return &t.statements.list[i].target }

// addReason notes why one write was refused.
func (t *executeTransaction) addReason(i int, w *database.TableWrite, refusal error) error {
	s := t.statements.list[i]
	if s.tree.Verb == partiql.Insert && errors.Is(refusal, database.ErrConditionFailed) {
		t.reasons[i] = exception.Reason{Code: "DuplicateItem", Message: duplicateItem}
		return nil
	}
	return addReason(t.reasons, i, w, s.onFailure.wantsItem(), refusal)
}
