// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"context"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/itemkey"
	"github.com/weftdb/weft/internal/dynamodb/legacy"
)

// updateItem is a request to change an item, or to make one of its key.
type updateItem struct {
	itemWrite
	key     attributes
	update  updateExpression
	updates attributeUpdates
}

// parseLegacyUpdate reads AttributeUpdates as an update.
func (u *updateItem) parseLegacyUpdate() (err error) {
	if u.updates.IsGiven() {
		u.update.tree, err = u.updates.Update()
	}
	return err
}

func (a *API) updateItem(ctx context.Context, body, dst []byte) (_ []byte, err error) {
	u := take[updateItem](a, &a.pools.update, "UpdateItem")
	defer u.release(&err)
	if err := u.prepare(ctx, body); err != nil {
		return nil, err
	}
	key, err := u.keyRow()
	if err != nil {
		return nil, err
	}
	if u.update.tree == nil {
		u.update.tree = new(expr.Update)
	}
	if err := checkTouched(u.pin.Descriptor(), u.update.tree); err != nil {
		return nil, err
	}
	returned := u.returnValues.value
	u.write = database.Write{
		Op: database.OpUpdate, Row: key, Update: u.update.tree, Validate: u.checkUpdated,
		NeedOld: returned == "UPDATED_OLD", NeedNew: returned == "UPDATED_NEW" || returned == "ALL_NEW",
	}
	dst, err = u.run(ctx, dst)
	if err != nil && u.updates.IsGiven() {
		err = legacy.Wording(err)
	}
	return dst, err
}

// checkTouched refuses an update of a key attribute. The inputs of a computed key part may be set to the values that
// the key has.
func checkTouched(table *schema.Table, update *expr.Update) error {
	for path := range update.Paths() {
		if itemkey.Has(table.Primary.Visible(), path.Name) {
			return exception.InvalidValue("Cannot update attribute %s. This attribute is part of the key", path.Name)
		}
	}
	return nil
}

// The size charged for each action of an update besides its name and value, in bytes.
const (
	statementBytes = 3
	setActionBytes = 19
	removeBytes    = 2
)

// checkUpdated refuses an item that has become too large. The update itself counts, too: what it writes, with the
// documents around, and something for each action.
func (u *updateItem) checkUpdated(_, updated value.Row) error {
	if updated.Size() > u.limits.ItemBytesMax ||
		updateBytes(u.update.tree, updated, u.pin.Names()) > u.limits.ItemBytesMax {
		return exception.Validation(updateTooLarge)
	}
	return nil
}

func updateBytes(u *expr.Update, updated value.Row, dictionary value.Names) int {
	source := expr.Source{Row: updated, Names: dictionary}
	total := statementBytes + removeBytes*len(u.Remove)
	for i := range u.Set {
		total += setActionBytes + pathBytes(&u.Set[i].Path)
		if v, ok := u.Set[i].Path.Lookup(source); ok {
			total += v.Size()
		}
	}
	for i := range u.Add {
		total += setActionBytes + pathBytes(&u.Add[i].Path) + u.Add[i].Value.Size()
	}
	for i := range u.Delete {
		total += removeBytes + pathBytes(&u.Delete[i].Path) + u.Delete[i].Value.Size()
	}
	return total
}

// pathBytes is the size of what a path alone makes: an attribute's name, and for each step a document with one element.
func pathBytes(path *expr.Path) int {
	total := len(path.Name)
	for i := range path.Steps {
		total += value.DocumentOverhead + value.ElementOverhead + len(path.Steps[i].Field)
	}
	return total
}
