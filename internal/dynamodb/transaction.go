// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"slices"
	"strconv"
	"strings"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/itemkey"
	"github.com/weftdb/weft/internal/dynamodb/layer"
)

// action is one element of a transaction: a request of its own, with its own placeholders.
type action struct {
	*request
	sort actionSort
}

// actionSort is what an action does.
type actionSort struct {
	name string // of the member that holds it, and of its row in the table of layers
	op   weft.Op
}

// transaction is a request of several actions.
type transaction struct {
	*request
	actions []action
	reasons exception.Reasons
}

// release gives all memory back.
func (t *transaction) release() {
	cause := recover()
	for i := range t.actions {
		t.actions[i].request.end(cause == nil)
	}
	t.request.end(cause == nil)
	if cause != nil {
		panic(cause) // lint:invariant the panic of a bug goes on
	}
}

// open reads the request and judges its members and expressions, up to the tables, which it opens. foreign says that an element names no action, or several.
func (t *transaction) open(body []byte, sorts []actionSort, foreign string) error {
	if err := t.read(body); err != nil {
		return err
	}
	elements, err := t.elements()
	if err != nil {
		return err
	}
	for _, element := range elements {
		if err := t.readAction(element, sorts); err != nil {
			return err
		}
	}
	if err := t.checkActions(len(elements)); err != nil {
		return t.eachFault(err, (*request).typeFaultOr)
	}
	for i := range t.actions {
		if t.actions[i].sort.name == "" {
			return t.eachFault(exception.Validation(foreign), (*request).typeFaultOr)
		}
	}
	if err := t.judgeActions(); err != nil {
		return t.eachFault(err, (*request).typeFaultOr)
	}
	if err := t.openTables(); err != nil {
		return t.eachFault(t.eachFault(err, (*request).valueFaultOr), (*request).typeFaultOr)
	}
	t.reasons = make(exception.Reasons, len(t.actions))
	return nil
}

// eachFault returns the first fault that find sees in the items and keys of the actions: DynamoDB would have found it before err.
func (t *transaction) eachFault(err error, find func(*request, error) error) error {
	for i := range t.actions {
		if fault := find(t.actions[i].request, nil); fault != nil {
			return fault
		}
	}
	return err
}

// judgeActions judges one action after the other. What is wrong with the values of an action before the faulty one is told first.
func (t *transaction) judgeActions() error {
	for i := range t.actions {
		err := t.actions[i].judge()
		if err == nil {
			continue
		}
		for j := range i {
			if fault := t.actions[j].valueFaultOr(nil); fault != nil {
				return fault
			}
		}
		return err
	}
	return nil
}

// openTables opens the tables of all actions.
func (t *transaction) openTables() error {
	for i := range t.actions {
		if _, err := t.actions[i].request.open(); err != nil {
			return err
		}
	}
	return nil
}

// elements splits TransactItems.
func (t *transaction) elements() ([][]byte, error) {
	if t.transactItems == nil {
		return nil, nil
	}
	return attributejson.Elements(t.transactItems)
}

// readAction reads one element: an object with one member. An action without a sort has none, or several.
func (t *transaction) readAction(element []byte, sorts []actionSort) error {
	members := attributejson.NewReader(element)
	if err := members.Expect(attributejson.Element(strings.TrimSuffix(t.operation, "s"))); err != nil {
		return err
	}
	t.actions = append(t.actions, action{request: t.api.request(t.operation, new(layer.Row))})
	a, count := &t.actions[len(t.actions)-1], 0
	return members.Members(func(name []byte) error {
		i := slices.IndexFunc(sorts, func(sort actionSort) bool { return sort.name == string(name) })
		if i < 0 {
			return members.Skip()
		}
		if err := members.Expect(attributejson.Field(sorts[i].name)); err != nil {
			return err
		}
		raw, err := members.Raw()
		if err != nil {
			return err
		}
		if count++; count > 1 {
			a.sort = actionSort{}
			return nil
		}
		a.sort, a.rules = sorts[i], layer.RowOf(sorts[i].name)
		return a.read(raw)
	})
}

// checkActions judges the members of the request and of all its actions.
func (t *transaction) checkActions(count int) error {
	c := t.constraints("")
	t.constrain(&c)
	switch most := t.options.TransactionMax; {
	case t.has&layer.TransactItems == 0:
	case count == 0:
		c.Add("'[]'", "transactItems", "Member must have length greater than or equal to 1")
	case count > most:
		c.Add("'["+strconv.Itoa(count)+" actions]'", "transactItems", "Member must have length less than or equal to "+strconv.Itoa(most))
	}
	for i := range t.actions {
		a := &t.actions[i]
		if a.sort.name != "" {
			c.At = "transactItems." + strconv.Itoa(i+1) + ".member." + exception.LowerFirst(a.sort.name) + "."
			a.constrain(&c)
		}
	}
	return c.Err()
}

// keyOf reads the key of an action. A key that is not the table's is a reason to cancel the transaction; any other fault is the error.
func (t *transaction) keyOf(i int) (weft.Row, error) {
	a := &t.actions[i]
	key, err := a.parseItem(a.pin, a.key, a.row[:0])
	if err != nil {
		return nil, err
	}
	a.row = key
	if !itemkey.Fits(a.pin, key) {
		t.reasons.Refuse(i, itemkey.Mismatch)
		return nil, nil
	}
	return key, itemkey.CheckValues(a.pin, key)
}

// itemKey is the encoded key of an action's item, nil if it has none: an item without one is a reason to cancel the transaction. An empty or over-long key is
// the error.
func (t *transaction) itemKey(i int, w *weft.Write) ([]byte, error) {
	if w.Row == nil {
		return nil, nil // it has a reason already
	}
	pin := t.actions[i].pin
	key, err := pin.AppendItemKey(nil, w)
	if err == nil {
		return key, nil
	}
	fault := exception.Of(itemkey.Fault(pin, w.Row, err))
	if isKeyValueFault(err) {
		return nil, fault
	}
	t.reasons.Refuse(i, fault.Message)
	return nil, nil
}

// checkDistinct refuses a second action on one item.
func checkDistinct(keys [][]byte) error {
	seen := make(map[string]bool, len(keys))
	for _, key := range keys {
		if key != nil && seen[string(key)] {
			return exception.Validation("Transaction request cannot include multiple operations on one item")
		}
		seen[string(key)] = true
	}
	return nil
}
