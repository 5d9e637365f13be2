// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"context"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/itemkey"
	"github.com/weftdb/weft/internal/dynamodb/layer"
	"github.com/weftdb/weft/internal/expr"
	"github.com/weftdb/weft/internal/value"
)

// updateItem changes an item, or makes one of its key.
func (a *API) updateItem(ctx context.Context, body, dst []byte) ([]byte, error) {
	r := a.request("UpdateItem", layer.RowOf("UpdateItem"))
	defer r.release()
	pin, err := r.prepare(body)
	if err != nil {
		return nil, err
	}
	key, err := r.keyRow(pin, r.key, r.row[:0])
	if err != nil {
		return nil, err
	}
	r.row = key
	if r.updateTree == nil {
		r.updateTree = new(expr.Update)
	}
	if err := checkTouched(pin, r.updateTree); err != nil {
		return nil, err
	}
	r.write = weft.Write{
		Op: weft.OpUpdate, Row: key, Update: r.updateTree, Validate: r.checkUpdated,
		NeedOld: r.returnValues == "UPDATED_OLD", NeedNew: r.returnValues == "UPDATED_NEW" || r.returnValues == "ALL_NEW",
	}
	return r.writeItem(ctx, pin, dst)
}

// checkTouched refuses an update of a key attribute. What a computed key part is computed of may be set, to the value that the key has.
func checkTouched(pin weft.Pinned, update *expr.Update) error {
	for _, path := range update.Touched() {
		if itemkey.Has(pin.Descriptor().Primary.Visible(), path.Name) {
			return exception.InvalidValue("Cannot update attribute %s. This attribute is part of the key", path.Name)
		}
	}
	return nil
}

// What an update is charged for each action beside its name and value, in bytes.
const (
	statementBytes = 3
	setActionBytes = 19
	removeBytes    = 2
)

// checkUpdated refuses an item that has become too large. The update itself counts, too: what it writes, with the documents around, and
// something for each action.
func (r *request) checkUpdated(_, updated weft.Row) error {
	if updated.Size() > r.options.ItemBytesMax || updateBytes(r.updateTree, updated, r.pin.Names()) > r.options.ItemBytesMax {
		return exception.Validation(updateTooLarge)
	}
	return nil
}

func updateBytes(u *expr.Update, updated weft.Row, dictionary weft.Names) int {
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
