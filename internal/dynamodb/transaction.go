// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"context"
	"strconv"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/itemkey"
)

// action is one element of a transaction: a request of its own, with its own placeholders.
type action struct {
	target
	attributes attributes // the item or the key
	names      nameMap
	kind       string // the member that holds it
	op         database.Op
	position   int // in TransactItems, from 1
}

func (a *action) common() *action { return a }

// transaction is a request of several actions, which are of type A.
type transaction[A interface{ common() *action }] struct {
	request
	items    transactItems[A]
	capacity returnConsumedCapacity
	reasons  exception.Reasons
}

// transactItems is TransactItems.
type transactItems[A any] struct {
	has     bool
	text    []byte // as it stands in the request
	count   int    // of elements
	foreign bool   // there is an element that names no action, or several
	bare    []int  // the places, from 1, of elements without their only kind of action
	actions []A
}

func (m *transactItems[A]) IsGiven() bool { return m.has }

// actionKind is a kind of action: the member that holds it, and how memory for it is allocated.
type actionKind[A any] struct {
	name string
	op   database.Op
	take func(*API) A
}

// release counts the transaction and gives all memory back.
func (t *transaction[A]) release(err *error) {
	cause := recover()
	if cause == nil {
		t.addCost(*err)
	}
	t.freeActions(cause == nil)
	t.free(cause == nil)
	if cause != nil {
		panic(cause) // lint:invariant the panic of a bug goes on
	}
}

func (t *transaction[A]) freeActions(orderly bool) {
	for _, a := range t.items.actions {
		a.common().free(orderly)
	}
	t.items = transactItems[A]{}
}

// open reads the request and judges its members and expressions, up to the tables, which it opens. foreign says that an
// element names no action, or several.
func (t *transaction[A]) open(ctx context.Context, body []byte, foreign string) error {
	if err := t.read(ctx, body); err != nil {
		return err
	}
	if err := t.checkMembers(); err != nil {
		return err
	}
	if t.items.foreign {
		return exception.Validation(foreign)
	}
	for _, a := range t.items.actions {
		if err := a.common().takeSteps(); err != nil {
			return err
		}
	}
	for _, a := range t.items.actions {
		if err := a.common().open(ctx, enclosure{t.operation, t.capacity.value}); err != nil {
			return err
		}
	}
	t.reasons = make(exception.Reasons, len(t.items.actions))
	return nil
}

// readItems reads TransactItems, a list of structures of a class.
func (t *transaction[A]) readItems(class string, kinds []actionKind[A]) error {
	t.freeActions(true)
	t.reader.Peek()
	start := t.reader.Offset()
	if err := t.reader.BeginArray(); err != nil {
		return err
	}
	for {
		ok, err := t.reader.NextElement()
		if err != nil {
			return err
		}
		if !ok {
			t.items.has, t.items.text = true, t.reader.Since(start)
			return nil
		}
		t.items.count++
		if err := t.readAction(class, kinds); err != nil {
			return err
		}
	}
}

// readAction reads one element: an object with one member.
func (t *transaction[A]) readAction(class string, kinds []actionKind[A]) error {
	if err := t.reader.Expect(attributejson.Element(class)); err != nil {
		return err
	}
	count := 0
	err := t.reader.Members(func(name []byte) error {
		kind := kindOf(kinds, name)
		if kind == nil {
			return t.reader.Skip()
		}
		if err := t.reader.Expect(attributejson.Field(kind.name)); err != nil {
			return err
		}
		if count++; count > 1 {
			return t.reader.Skip()
		}
		one := kind.take(t.api)
		t.items.actions = append(t.items.actions, one)
		a := one.common()
		a.kind, a.op, a.position = kind.name, kind.op, t.items.count
		return a.readPart(&t.request)
	})
	if count > 1 {
		last := len(t.items.actions) - 1
		t.items.actions[last].common().free(true)
		t.items.actions = t.items.actions[:last]
	}
	if count == 0 && len(kinds) == 1 && len(t.items.bare) < partsMax {
		t.items.bare = append(t.items.bare, t.items.count)
	}
	t.items.foreign = t.items.foreign || count != 1
	// the transaction will be refused
	if last := len(t.items.actions) - 1; err == nil && last >= t.limits.TransactionMax+partsMax {
		t.items.actions[last].common().free(true)
		t.items.actions = t.items.actions[:last]
	}
	return err
}

func kindOf[A any](kinds []actionKind[A], name []byte) *actionKind[A] {
	for i := range kinds {
		if kinds[i].name == string(name) {
			return &kinds[i]
		}
	}
	return nil
}

// checkMembers judges the members of the request and of all its actions.
func (t *transaction[A]) checkMembers() error {
	c := t.beginConstraints()
	t.constrain(c)
	switch count, most := t.items.count, t.limits.TransactionMax; {
	case !t.items.has:
	case count == 0:
		c.Add("'[]'", "transactItems", "Member must have length greater than or equal to 1")
	case count > most:
		c.Add("'["+strconv.Itoa(count)+" actions]'", "transactItems",
			"Member must have length less than or equal to "+strconv.Itoa(most))
	}
	const element = "transactItems."
	for _, at := range t.items.bare {
		c.At = element + strconv.Itoa(at) + ".member."
		c.Null("get") // no other transaction has a single kind
	}
	for _, one := range t.items.actions {
		a := one.common()
		c.At = element + strconv.Itoa(a.position) + ".member." + exception.LowerFirst(a.kind) + "."
		a.constrain(c)
	}
	return c.Err()
}

// keyOf is the key of an action. One that is not the table's is a reason to cancel the transaction; any other fault is
// the error.
func (a *action) keyOf(i int, reasons exception.Reasons) (value.Row, error) {
	key := a.itemRow(a.row[:0])
	a.row = key
	if !itemkey.Fits(a.pin, key) {
		reasons.Refuse(i, itemkey.Mismatch)
		return nil, nil
	}
	return key, itemkey.CheckValues(a.pin, key)
}

// encodedKey is the encoded key of an action's item, nil if it has none: an item without one is a reason to cancel the
// transaction. An empty or over-long key is the error.
func (a *action) encodedKey(i int, w *database.Write, reasons exception.Reasons) ([]byte, error) {
	if w.Row == nil {
		return nil, nil // it has a reason already
	}
	key, err := a.pin.AppendItemKey(nil, w)
	if err == nil {
		return key, nil
	}
	fault := exception.Of(itemkey.Fault(a.pin, w.Row, err))
	if isKeyValueFault(err) {
		return nil, fault
	}
	reasons.Refuse(i, fault.Message)
	return nil, nil
}

// checkDistinct refuses a second action on one item.
func checkDistinct(keys [][]byte) error {
	met := make(map[string]bool, len(keys))
	for _, key := range keys {
		if key != nil && met[string(key)] {
			return exception.Validation("Transaction request cannot include multiple operations on one item")
		}
		met[string(key)] = true
	}
	return nil
}
