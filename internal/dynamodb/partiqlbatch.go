// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"context"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/itemkey"
	"github.com/weftdb/weft/internal/dynamodb/partiql"
	"github.com/weftdb/weft/internal/dynamodb/throttle"
)

// batchExecuteStatement is a request for several statements, each of which succeeds or fails by itself.
type batchExecuteStatement struct{ partiqlList }

func (b *batchExecuteStatement) checks() checkOrder {
	return checkOrder{members: []field{required("Statements", part{b.readStatements, b.statements.IsGiven}),
		capacity(&b.capacity)}}
}

func (b *batchExecuteStatement) readStatements() error { return b.readParts("BatchStatementRequest") }

func (a *API) batchExecuteStatement(ctx context.Context, body, dst []byte) (_ []byte, err error) {
	b := take[batchExecuteStatement](a, &a.pools.batchExecute, "BatchExecuteStatement")
	defer b.release(&err)
	if err := b.read(ctx, body); err != nil {
		return nil, err
	}
	if err := b.checkParts("statements", partiqlBatchMax); err != nil {
		return nil, err
	}
	faults, err := b.prepareSlots(ctx)
	if err != nil {
		return nil, err
	}
	var cost tableCosts
	dst = append(dst, `{"Responses":[`...)
	for i, s := range b.statements.list {
		if i > 0 {
			dst = append(dst, ',')
		}
		var shown value.Row
		runs := faults[i] == nil
		if runs {
			shown, faults[i] = b.runSlot(b.tally.waiting(ctx), s, &cost)
		}
		dst = s.appendSlot(dst, runs, shown, faults[i])
	}
	b.observe(b.tally.Examined, b.tally.Returned)
	return append(cost.append(append(dst, ']'), b.capacity.value), '}'), nil
}

// prepareSlots judges the statements up to their keys. faults has the fault of each; the error is about the batch
// as a whole.
func (b *batchExecuteStatement) prepareSlots(ctx context.Context) (faults []error, err error) {
	faults = make([]error, len(b.statements.list))
	for i, s := range b.statements.list {
		s.onFailure = returnOnFailure{}
		if faults[i] = s.takeSteps(); faults[i] == nil && s.tree.Verb == partiql.Exists {
			faults[i] = exception.Validation("EXISTS is only supported in ExecuteTransaction")
		}
	}
	if err := b.checkMixture(); err != nil {
		return nil, err
	}
	met := duplicates{}
	for i, s := range b.statements.list {
		if faults[i] != nil {
			continue
		}
		if faults[i] = s.target.open(ctx, enclosure{b.operation, b.capacity.value}); faults[i] != nil {
			continue
		}
		key, err := s.prepare()
		if faults[i] = itemkey.Fault(s.pin, s.write.Row, err); err != nil {
			continue
		}
		if err := met.add(key); err != nil {
			return nil, err
		}
	}
	return faults, nil
}

// runSlot does what a statement says and returns what it shows of its item.
func (b *batchExecuteStatement) runSlot(ctx context.Context, s *partiqlStatement, cost *tableCosts) (value.Row, error) {
	if s.tree.Verb != partiql.Select {
		s.write.NeedSizes = b.needsSizes(&b.capacity)
		if err := s.runWrite(ctx); err != nil {
			return nil, err
		}
		b.tally.Written++
		one := tableCapacity{}
		one.addWrite(&s.result.Change)
		s.charge(throttle.Write, &one)
		cost.of(s.pin.Descriptor(), "").add(&one)
		return s.returnedRow(string(s.tree.Returning), &s.write, &s.result)
	}
	if err := s.admitRead(s.write.Row, s.consistent.on); err != nil {
		return nil, err
	}
	row, ok, err := s.pin.Get(ctx, s.write.Row, s.stored[:0])
	if err != nil {
		return nil, itemkey.Fault(s.pin, nil, err)
	}
	one := tableCapacity{table: readUnits(int64(sizeOf(row)), s.consistent.on)}
	s.charge(throttle.Read, &one)
	cost.of(s.pin.Descriptor(), "").add(&one)
	b.tally.Examined++
	if !ok {
		return nil, nil
	}
	s.stored = row
	row, err = s.find(row)
	b.tally.Returned += countOf(row != nil)
	return row, err
}

// appendSlot appends the answer to one statement. Its table is named if it ran.
func (s *partiqlStatement) appendSlot(dst []byte, ran bool, shown value.Row, fault error) []byte {
	dst = append(dst, '{')
	if fault != nil {
		e := exception.Of(fault)
		dst = attributejson.AppendString(append(attributejson.AppendMember(dst, "Error"), `{"Code":`...),
			[]byte(slotCode(e)))
		dst = append(attributejson.AppendString(attributejson.AppendMember(dst, "Message"), []byte(e.Message)), '}')
	}
	if ran {
		dst = attributejson.AppendString(attributejson.AppendMember(dst, "TableName"), []byte(s.pin.Descriptor().Name))
	}
	if shown != nil {
		dst = appendItemMember(dst, "Item", shown, s.pin.Names())
	}
	return append(dst, '}')
}

// slotCode is a batch's code of an exception.
func slotCode(e *exception.Error) string {
	switch e.Kind {
	case exception.KindValidation:
		return "ValidationError"
	case exception.KindConditionFailed:
		return "ConditionalCheckFailed"
	case exception.KindDuplicateItem:
		return "DuplicateItem"
	case exception.KindTransactionConflict:
		return "TransactionConflict"
	case exception.KindResourceNotFound:
		return "ResourceNotFound"
	case exception.KindAccessDenied:
		return "AccessDenied"
	case exception.KindThroughputExceeded:
		return "ProvisionedThroughputExceeded"
	case exception.KindThrottled:
		return "ThrottlingError"
	}
	return "InternalServerError"
}
