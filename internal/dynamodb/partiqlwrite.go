// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"context"
	"errors"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/partiql"
	"github.com/weftdb/weft/internal/dynamodb/throttle"
)

// duplicateItem is DynamoDB's message about an INSERT of a key that is there.
const duplicateItem = "Duplicate primary key exists in table"

// answerWrite does an INSERT, UPDATE or DELETE and answers.
func (e *executeStatement) answerWrite(ctx context.Context, dst []byte) ([]byte, error) {
	if err := e.prepareWrite(); err != nil {
		return nil, err
	}
	e.write.NeedSizes = e.needsSizes(&e.capacity)
	if err := e.runWrite(ctx); err != nil {
		return nil, err
	}
	dst = append(dst, `{"Items":[`...)
	row, err := e.returnedRow(string(e.tree.Returning), &e.write, &e.result)
	if err != nil {
		return nil, err
	}
	if row != nil {
		dst = attributejson.AppendItem(dst, row, e.pin.Names())
	}
	var cost tableCapacity
	cost.addWrite(&e.result.Change)
	e.charge(throttle.Write, &cost)
	return append(e.capacity.append(append(dst, ']'), e.pin.Descriptor().Name, &cost), '}'), nil
}

// prepareWrite makes the write of the statement.
func (s *partiqlStatement) prepareWrite() error {
	if s.tree.Verb == partiql.Insert {
		if err := s.buildItem(); err != nil {
			return err
		}
		s.write = database.Write{Op: database.OpPut, Row: s.item, Condition: &expr.NotExists{Path: s.keyPath()}}
		return nil
	}
	key, err := s.writtenKey()
	if err != nil {
		return err
	}
	s.write = database.Write{Op: database.OpDelete, Row: key, Condition: s.where.Filter}
	switch s.tree.Verb {
	case partiql.Update:
		s.prepareUpdate()
		err = checkTouched(s.pin.Descriptor(), s.tree.Update)
	case partiql.Exists:
		if s.write.Op = database.OpCheck; s.where.Filter == nil {
			err = exception.Validation("EXISTS() must contain a single item read with additional condition")
		}
	}
	returned := s.tree.Returning
	s.write.NeedOld = returned == "ALL_OLD" || returned == "UPDATED_OLD" || s.onFailure.wantsItem()
	s.write.NeedNew = returned == "ALL_NEW" || returned == "UPDATED_NEW"
	return err
}

// prepareUpdate makes the write an update of an item that is there.
func (s *partiqlStatement) prepareUpdate() {
	most := s.limits.ItemBytesMax
	s.write.Op, s.write.Update = database.OpUpdate, s.tree.Update
	s.write.Condition = expr.Both(&expr.Exists{Path: s.keyPath()}, s.where.Filter)
	s.write.Validate = func(_, updated value.Row) error {
		if updated.Size() > most {
			return exception.Validation(updateTooLarge)
		}
		return nil
	}
}

// writtenKey is the key of the item to write, all of which the condition must give.
func (s *partiqlStatement) writtenKey() (value.Row, error) {
	if err := s.takeApart(); err != nil {
		return nil, err
	}
	if !s.isGet() {
		return nil, exception.Validation("Where clause does not contain a mandatory equality on all key attributes")
	}
	return s.keyOfWhere()
}

// keyPath leads to an attribute that every item has: the first of the key's.
func (s *partiqlStatement) keyPath() expr.Path {
	for _, part := range s.pin.Descriptor().Primary.Visible() {
		for _, a := range part.Args {
			if a.Column != "" {
				return expr.Path{Name: a.Column}
			}
		}
	}
	return expr.Path{}
}

// buildItem makes the item of an INSERT, once.
func (s *partiqlStatement) buildItem() error {
	if s.item != nil {
		return nil
	}
	s.builder.Reset(s.target.names())
	for _, a := range s.tree.Item {
		if err := s.builder.Set(value.ReadOnly(a.Name), a.Value); err != nil {
			return exception.Validation("The same name comes twice in the item: " + a.Name)
		}
	}
	if err := s.checkSize(); err != nil {
		return err
	}
	s.row = s.builder.AppendTo(s.row[:0])
	s.item = s.row
	return nil
}

// runWrite does the write.
func (s *partiqlStatement) runWrite(ctx context.Context) error {
	if s.write.Condition != nil || s.write.NeedOld {
		s.tally.Examined = 1
	}
	if err := s.admitWrite(&s.write); err != nil {
		return err
	}
	if err := s.pin.Write(s.tally.waiting(ctx), &s.write, &s.result); err != nil {
		s.chargeFailure(err, &s.result)
		return s.writeFault(err)
	}
	s.tally.Written = 1
	return nil
}

// writeFault puts the error of a write into words.
func (s *partiqlStatement) writeFault(err error) error {
	if s.write.Op == database.OpPut && errors.Is(err, database.ErrConditionFailed) {
		return exception.New(exception.KindDuplicateItem, duplicateItem)
	}
	return s.conditionFault(&s.write, &s.result, s.onFailure.wantsItem(), err)
}
