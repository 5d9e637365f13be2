// SPDX-License-Identifier: Apache-2.0

package itemkey

import (
	"errors"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/exception"
)

// UpdateFault is Fault for an update: of an index's key that it would make empty, DynamoDB names neither the index nor
// the key. An attribute of such a key that the update sets to a value of another type is told before an operand that is
// missing.
func UpdateFault(pin database.Pinned, update *expr.Update, err error) error {
	if e, ok := errors.AsType[*expr.Error](err); ok && e.Fault == expr.FaultMissingAttribute {
		if mismatch := writtenMismatch(pin.Descriptor(), update); mismatch != nil {
			err = mismatch
		}
	}
	e, ok := errors.AsType[*database.KeyEmptyError](err)
	if !ok || indexOfPart(pin.Descriptor(), e.Part) == nil {
		return Fault(pin, nil, err)
	}
	return exception.Validationf("One or more parameter values are not valid. The update expression attempted to update a secondary index key to a value "+
		"that is not supported. The AttributeValue for a key attribute cannot contain an empty %s value.",
		emptySort(emptyKind(e.Part)))
}

// writtenMismatch finds an attribute of an index's key to which an update writes a value of another type, whatever the
// item holds.
func writtenMismatch(table *schema.Table, update *expr.Update) error {
	for i := range update.Set {
		if literal, ok := update.Set[i].To.(*expr.Literal); ok {
			if err := mismatch(table, &update.Set[i].Path, literal.Value); err != nil {
				return err
			}
		}
	}
	for i := range update.Add {
		if err := mismatch(table, &update.Add[i].Path, update.Add[i].Value); err != nil {
			return err
		}
	}
	return nil
}

func mismatch(table *schema.Table, path *expr.Path, v value.Value) error {
	if len(path.Steps) > 0 {
		return nil
	}
	for i := range table.Indexes {
		x := &table.Indexes[i]
		if x.Internal || x.Search {
			continue
		}
		for j := range x.Key {
			if p := &x.Key[j]; !p.Hidden && p.Column() == path.Name && !takes(p.Type, v) {
				return &database.KeyTypeError{Part: p, Column: path.Name, Want: p.Type, Got: v.Kind()}
			}
		}
	}
	return nil
}
