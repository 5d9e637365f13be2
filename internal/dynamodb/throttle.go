// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"errors"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/tablemodel"
	"github.com/weftdb/weft/internal/dynamodb/throttle"
)

// This file holds requests to the limits of package throttle. A request asks for the least that it can cost before it
// begins, and is charged what it has cost. One that exceeds a limit and is done all the same, since limits are only
// reported, is charged nothing: it would not have been done.

// float is the number of whole units.
func (u capacityUnits) float() float64 { return float64(u) / 2 }

// needsSizes reports whether a write must find out what it costs.
func (r *request) needsSizes(wanted *returnConsumedCapacity) bool {
	return wanted.isWanted() || r.api.Limiter != nil
}

// admit asks for what one read or write of an item or a partition costs at least. key returns the key of that, for
// those who watch what is throttled. The error is a throttling exception.
func (t *target) admit(index string, d throttle.Direction, least capacityUnits, key func() []byte) error {
	l := t.api.Limiter
	if l == nil {
		return nil
	}
	table := t.pin.Descriptor()
	if t.limitedKey = nil; l.LimitsKeys() {
		t.limitedKey, t.limitedUnits = key(), least
	}
	excess := l.Admit(table, index, d, least.float(), t.limitedKey)
	if t.over = len(excess) > 0; !t.over {
		return nil
	}
	if t.limitedKey == nil {
		t.limitedKey = key()
	}
	l.Tell(table, excess, t.limitedKey)
	if l.Reports() {
		return nil
	}
	account := tablemodel.Account{Region: t.api.region(), ID: t.api.account()}
	return throttleFault(account.TableARN(table.Name), excess)
}

// admitAlone is admit for a request that is nothing else.
func (t *target) admitAlone(index string, d throttle.Direction, least capacityUnits, key func() []byte) error {
	err := t.admit(index, d, least, key)
	if t.over {
		t.api.Limiter.Refuse(t.pin.Descriptor(), t.operation)
	}
	return err
}

// admitRead is admitAlone for the read of an item.
func (t *target) admitRead(key value.Row, consistent bool) error {
	if t.api.Limiter == nil {
		return nil
	}
	return t.admitAlone("", throttle.Read, readUnits(0, consistent), t.keyOf(&database.Write{Op: database.OpCheck,
		Row: key}))
}

// admitWrite is admitAlone for the write of an item.
func (t *target) admitWrite(w *database.Write) error {
	if t.api.Limiter == nil {
		return nil
	}
	return t.admitAlone("", throttle.Write, leastOf(w), t.keyOf(w))
}

// leastOf is the least cost of a write: of a put, the new item is known.
func leastOf(w *database.Write) capacityUnits {
	if w.Op == database.OpPut {
		return writeUnits(w.Row.Size())
	}
	return writeUnits(0)
}

// keyOf returns the key of a write's item once it is wanted.
func (t *target) keyOf(w *database.Write) func() []byte {
	return func() []byte {
		key, _ := t.pin.AppendItemKey(nil, w) // without one, nobody sees what was throttled
		return key
	}
}

// admitWalk is admitAlone for a page of a Query or Scan.
func (w *walk) admitWalk(q *database.Query) error {
	return w.admitAlone(w.indexName.value, throttle.Read, readUnits(0, w.consistent.on), func() []byte {
		plan, err := w.pin.Plan(*q)
		if err != nil || !plan.Bounds {
			return nil
		}
		return plan.Start()
	})
}

// charge takes what a read or a write has cost.
func (t *target) charge(d throttle.Direction, cost *tableCapacity) {
	l := t.api.Limiter
	if t.over || l == nil {
		return
	}
	cost.charge(l, t.pin.Descriptor(), d)
	if t.limitedKey != nil {
		units := cost.total()
		if d == throttle.Write {
			units = cost.table // entries of indexes have keys of their own
		}
		l.TakeOfKey(t.limitedKey, d, (units - t.limitedUnits).float())
	}
}

// chargeFailure takes what a write has cost whose condition is false.
func (t *target) chargeFailure(err error, result *database.WriteResult) {
	if errors.Is(err, database.ErrConditionFailed) {
		t.charge(throttle.Write, &tableCapacity{table: writeUnits(result.Change.Before)})
	}
}

// charge takes the units of a table, if there are limits.
func (c *tableCapacity) charge(l *throttle.Limiter, table *schema.Table, d throttle.Direction) {
	if l == nil {
		return
	}
	l.Take(table, "", d, c.table.float())
	for i := range c.indexes {
		l.Take(table, c.indexes[i].index.Name, d, c.indexes[i].units.float())
	}
}

// charge takes the units of all tables.
func (c tableCosts) charge(l *throttle.Limiter, d throttle.Direction) {
	for i := range c {
		c[i].tableCapacity.charge(l, c[i].table, d)
	}
}

// What throttling exceptions say. That about a bound is from memory.
const (
	tableExceeded = "The level of configured provisioned throughput for the table was exceeded. Consider increasing your provisioning level with the UpdateTable API."
	indexExceeded = "The level of configured provisioned throughput for one or more global secondary indexes of the table was exceeded. " +
		"Consider increasing your provisioning level for the under-provisioned global secondary indexes with the UpdateTable API"
	keyExceeded = "Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your table or index so please try again shortly. " +
		"If exceptions persist, check if you have a hot key: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html"
	boundExceeded = "Throughput exceeds the maximum OnDemandThroughput configured on table or index"
)

// throttleFault is the exception for limits that a request exceeds; arn is the table's.
func throttleFault(arn string, list []throttle.Excess) *exception.Error {
	e, member := exception.New(exception.KindThroughputExceeded, tableExceeded), "ThrottlingReasons"
	switch first := &list[0]; {
	case first.OnDemand:
		e, member = exception.New(exception.KindThrottled, boundExceeded), "throttlingReasons"
		if first.Key {
			e.Message = keyExceeded
		}
	case first.Index != "":
		e.Message = indexExceeded
	}
	reasons := append(attributejson.AppendMember([]byte("{"), member), '[')
	for i := range list {
		if i > 0 {
			reasons = append(reasons, ',')
		}
		resource := arn
		if list[i].Index != "" {
			resource += "/index/" + list[i].Index
		}
		reasons = attributejson.AppendString(append(reasons, `{"reason":`...), []byte(list[i].Reason()))
		reasons = append(attributejson.AppendString(append(reasons, `,"resource":`...), []byte(resource)), '}')
	}
	e.Extra = append(reasons, ']')[1:]
	return e
}

// throttled counts the elements of a batch that exceed a limit.
type throttled struct {
	count int
	first error // nil: limits are only reported
	table *batchTable
}

// note notes an element that was asked for.
func (n *throttled) note(t *batchTable, err error) {
	if !t.over {
		return
	}
	if n.count++; n.first == nil {
		n.first, n.table = err, t
	}
}

// whole is the exception for a batch of which nothing was done, since all of it exceeds limits.
func (n *throttled) whole(elements int) error {
	if n.count < elements || n.count == 0 {
		return nil
	}
	n.table.api.Limiter.Refuse(n.table.pin.Descriptor(), n.table.operation)
	return n.first
}

// admitReads asks for what each read of a transaction costs at least, which is noted as reasons not to do it. over says
// that one exceeds a limit.
func admitReads(reasons exception.Reasons, reads []database.KeyRead, of func(i int) *target) (over bool) {
	for i := range reads {
		t := of(i)
		if t.api.Limiter == nil {
			return false
		}
		key := t.keyOf(&database.Write{Op: database.OpCheck, Row: reads[i].Key})
		over = t.noteAdmission(reasons, i, over, t.admit("", throttle.Read, 2*readUnits(0, true), key)) || over
	}
	return over
}

// admitWrites is admitReads for writes.
func admitWrites(reasons exception.Reasons, writes []database.TableWrite, of func(i int) *target) (over bool) {
	for i := range writes {
		t, w := of(i), &writes[i].Write
		if t.api.Limiter == nil {
			return false
		}
		over = t.noteAdmission(reasons, i, over, t.admit("", throttle.Write, 2*leastOf(w), t.keyOf(w))) || over
	}
	return over
}

// noteAdmission notes what came of asking for one action of a transaction; the first that exceeds a limit makes the
// transaction one that does.
func (t *target) noteAdmission(reasons exception.Reasons, i int, before bool, err error) (over bool) {
	if t.over && !before {
		t.api.Limiter.Refuse(t.pin.Descriptor(), t.operation)
	}
	if err != nil {
		e := exception.Of(err)
		reasons[i] = exception.Reason{Code: slotCode(e), Message: e.Message}
	}
	return t.over
}

// refusal is the exception of a transaction that exceeds a limit; nil if it does not, or limits are only reported.
func refusal(reasons exception.Reasons, over bool) error {
	if !over {
		return nil
	}
	return reasons.Err()
}
