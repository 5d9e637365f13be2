// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"bytes"
	"context"
	"encoding/base64"
	"slices"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/itemkey"
	"github.com/weftdb/weft/internal/dynamodb/throttle"
)

// wantIndexed finds the index of a SELECT.
func (s *partiqlStatement) wantIndexed(table *schema.Table) error { return s.wantIndex(table) }

// enterSelect judges a SELECT by its index, and finds what must be read back from the table.
func (s *partiqlStatement) enterSelect() error {
	if err := s.takeApart(); err != nil {
		return err
	}
	s.bound, s.single, s.whole = s.where.Bound, s.where.One, s.tree.Columns == nil
	s.filter.tree = s.where.Filter
	if err := s.checkOrderBy(); err != nil {
		return err
	}
	return s.enterIndex()
}

// checkOrderBy judges ORDER BY: the sort key of one partition, or of several.
func (s *partiqlStatement) checkOrderBy() error {
	if len(s.tree.Order) > 0 && !s.where.Bound {
		return exception.Validation("Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY clause.")
	}
	for _, o := range s.tree.Order {
		if !itemkey.Has(s.index.Stated(), o.Name) {
			return exception.Validationf("Variable reference %s in ORDER BY clause must be part of the primary key",
				o.Name)
		}
	}
	return nil
}

// isReversed reports whether items are wanted in the opposite of the index's order.
func (s *partiqlStatement) isReversed() bool {
	n := len(s.tree.Order)
	if n == 0 {
		return false
	}
	last := &s.tree.Order[n-1]
	at := slices.IndexFunc(s.index.Stated(), func(part schema.KeyPart) bool { return itemkey.Means(&part, last.Name) })
	return last.Descending != (at >= 0 && s.index.Stated()[at].Descending)
}

// isGet reports whether the statement reads one item of the table by its key.
func (s *partiqlStatement) isGet() bool { return s.where.One && len(s.where.Key) > 0 }

// keyOfWhere makes the key that the condition names.
func (s *partiqlStatement) keyOfWhere() (value.Row, error) {
	s.builder.Reset(s.pin.Names())
	for i := range s.where.Key {
		if err := s.builder.Set(value.ReadOnly(s.where.Key[i].Attribute), s.where.Key[i].A); err != nil {
			return nil, err
		}
	}
	s.row = s.builder.AppendTo(s.row[:0])
	return s.row, itemkey.Check(s.pin, s.row)
}

// selects reports whether the rest of the condition is true for an item that was found by its key.
func (s *partiqlStatement) selects(row value.Row) (bool, error) {
	return expr.Match(s.where.Filter, expr.Source{Row: row, Names: s.pin.Names()})
}

// columnsOf returns what the statement shows of an item. It lives until the next call.
func (s *partiqlStatement) columnsOf(row value.Row) (value.Row, error) {
	if s.tree.Columns == nil {
		return row, nil
	}
	source := expr.Source{Row: row, Names: s.pin.Names()}
	s.builder.Reset(s.pin.Names())
	for i := range s.tree.Columns {
		c := &s.tree.Columns[i]
		v, ok := c.Path.Lookup(source)
		if !ok {
			continue
		}
		if err := s.builder.Set(value.ReadOnly(c.Name), v); err != nil && err != value.ErrDuplicateName {
			return nil, err
		}
	}
	s.shown = s.builder.AppendTo(s.shown[:0])
	return s.shown, nil
}

// inPageMax is the number of items in a page of a SELECT that lists several partition keys.
const inPageMax = 10

// answerRead answers a SELECT.
func (e *executeStatement) answerRead(ctx context.Context, dst []byte) ([]byte, error) {
	if err := e.enterSelect(); err != nil {
		return nil, err
	}
	after, err := e.after()
	if err != nil {
		return nil, err
	}
	if e.isGet() && after == nil && e.how == carriedOut {
		return e.get(ctx, dst)
	}
	e.of = e
	if e.where.Members > 1 && (!e.limit.has || e.limit.n > inPageMax) {
		e.limit = integer{inPageMax, true}
	}
	q := database.Query{Reverse: e.isReversed(), After: after}
	if q.Where, err = e.where.Bounds(e.index); err != nil {
		return nil, err
	}
	return e.run(ctx, q, dst)
}

// get answers a SELECT of one item.
func (e *executeStatement) get(ctx context.Context, dst []byte) ([]byte, error) {
	key, err := e.keyOfWhere()
	if err != nil {
		return nil, err
	}
	if err := e.admitRead(key, e.consistent.on); err != nil {
		return nil, err
	}
	row, ok, err := e.pin.Get(ctx, key, e.stored[:0])
	if err != nil {
		return nil, itemkey.Fault(e.pin, nil, err)
	}
	cost := tableCapacity{table: readUnits(int64(sizeOf(row)), e.consistent.on)}
	e.charge(throttle.Read, &cost)
	dst = append(dst, `{"Items":[`...)
	if ok {
		e.stored = row
		if row, err = e.find(row); err != nil {
			return nil, err
		}
		ok = row != nil
	}
	e.observe(1, countOf(ok))
	if ok {
		dst = attributejson.AppendItem(dst, row, e.pin.Names())
	}
	return append(e.capacity.append(append(dst, ']'), e.pin.Descriptor().Name, &cost), '}'), nil
}

// appendNextToken appends the member NextToken: what it belongs to, and the key to go on from.
func (e *executeStatement) appendNextToken(dst []byte, last value.Row) []byte {
	digest := e.tokenDigest()
	token := attributejson.AppendItem(digest[:], last, e.pin.Names())
	dst = append(attributejson.AppendMember(dst, "NextToken"), '"')
	return append(base64.StdEncoding.AppendEncode(dst, token), '"')
}

// tokenDigest is the digest of the statement and its parameters, to which a token belongs.
func (e *executeStatement) tokenDigest() attributejson.Digest {
	text := attributejson.AppendString([]byte("["), []byte(e.text.value))
	for _, v := range e.parameters.list {
		text = attributejson.AppendValue(append(text, ','), v)
	}
	d, _ := attributejson.NewReader(append(text, ']')).Digest() // of JSON that was written here
	return d
}

// after is the key that NextToken says to go on from, nil if there is none.
func (e *executeStatement) after() (value.Row, error) {
	if !e.nextToken.has {
		return nil, nil
	}
	token, err := base64.StdEncoding.DecodeString(e.nextToken.value)
	digest := e.tokenDigest()
	if err != nil || len(token) < len(digest) {
		return nil, exception.Validation("Invalid NextToken")
	}
	if !bytes.Equal(token[:len(digest)], digest[:]) {
		return nil, exception.Validation("NextToken does not match request")
	}
	e.builder.Reset(nil)
	fault, err := attributejson.NewReader(token[len(digest):]).TakeItem(&e.builder)
	if fault != nil || err != nil {
		return nil, exception.Validation("Invalid NextToken")
	}
	e.startKey.has = true
	after, err := e.startRow()
	if err != nil {
		return nil, exception.Validation("Invalid NextToken")
	}
	return after, nil
}
