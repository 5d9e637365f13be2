// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"cmp"
	"context"
	"sync"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/expression"
	"github.com/weftdb/weft/internal/dynamodb/itemkey"
	"github.com/weftdb/weft/internal/dynamodb/tablemodel"
)

// request is the common part of the requests of all operations, and of the parts of batches and transactions: the
// memory for answering. It is used again for later requests of the same type.
type request struct {
	api       *API
	operation string
	limits    Options
	order     *checkOrder
	free      func(orderly bool)
	tally     *tally
	reader    *attributejson.Reader // of the body

	judged    bool // its expressions are parsed
	uncounted bool // it is not carried out
	over      bool // it exceeds a limit of throughput, and is done all the same
	// The key that limits of throughput count, and what was taken of it already.
	limitedKey   []byte
	limitedUnits capacityUnits
	pin          database.Pinned
	pinned       bool

	constraints  exception.Constraints // what is wrong with single members
	own          attributejson.Reader
	placeholders expression.Substitutions
	builder      value.RowBuilder
	arena        []byte    // values of placeholders
	row          []byte    // an item or a key from the request
	stored       []byte    // an item from the table
	shown        []byte    // a projection of it
	elements     []element // of a part of a batch
}

// base is the common part of all requests.
func (r *request) base() *request { return r }

// pooled is a type of requests.
type pooled[R any] interface {
	*R
	base() *request
	checks() checkOrder
	// appendStatement appends what the request is, without the values in it; or, if raw, what that is made of.
	appendStatement(dst []byte, raw bool) []byte
}

// pools keep the memory of requests, and of the parts of batches and transactions, by their types.
type pools struct {
	get, put, update, delete, query, scan, batchGet, batchWrite, transactGet, transactWrite sync.Pool

	execute, batchExecute, transactExecute, partiqlPart sync.Pool

	tableKeys, tableWrites, getAction, checkAction, putAction, deleteAction, updateAction sync.Pool
}

// take takes the memory for a request of an operation from its pool. The request's release gives it back.
func take[R any, P pooled[R]](a *API, pool *sync.Pool, operation string) P {
	p, ok := pool.Get().(P)
	if !ok {
		p = P(new(R))
		r := p.base()
		r.order = p.checks().complete()
		r.tally = &tally{statement: p.appendStatement}
		r.free = func(orderly bool) {
			if r.pinned {
				r.pin.Release()
			}
			if !orderly { // nobody knows what it still serves: it is left to the garbage collector
				return
			}
			memory := r.memory()
			*p = *new(R)
			*r = memory
			pool.Put(p)
		}
	}
	r := p.base()
	r.api, r.operation = a, operation
	return p
}

// release counts a request that has ended with an error or nil, and gives its memory back. It is to be deferred: it
// looks whether there was a panic.
func (r *request) release(err *error) {
	cause := recover()
	if cause == nil {
		r.addCost(*err)
	}
	r.free(cause == nil)
	if cause != nil {
		panic(cause) // lint:invariant the panic of a bug goes on
	}
}

// memory is the memory of a request that the next one uses again.
func (r *request) memory() request {
	r.placeholders.Reset()
	r.own.Reset(nil)
	if cap(r.builder.Buf) > scratchBytesMax {
		r.builder = value.RowBuilder{}
	}
	r.builder.Reset(nil)
	clear(r.elements)
	if cap(r.elements) > elementsMax {
		r.elements = nil
	}
	return request{order: r.order, free: r.free, tally: r.tally, own: r.own, placeholders: r.placeholders,
		builder: r.builder,
		arena:   reusable(r.arena), row: reusable(r.row), stored: reusable(r.stored), shown: reusable(r.shown),
		elements: r.elements[:0]}
}

// How much memory of one sort a request may keep for the next.
const (
	scratchBytesMax = 1 << 20
	elementsMax     = 1 << 10 // more than faults show of a list
)

// partsMax is the number of tables of a batch and actions of a transaction that are looked at beyond those that there
// may be.
const partsMax = 1 << 10

// reusable is a buffer for the next request, nil if it is too large to be kept.
func reusable(b []byte) []byte {
	if cap(b) > scratchBytesMax {
		return nil
	}
	return b[:0]
}

// read takes the body apart: one object and nothing after it.
func (r *request) read(ctx context.Context, body []byte) error {
	r.limits = r.api.Options.withDefaults()
	r.tally.begin(ctx, r.api.Statements, body)
	r.own.Reset(body)
	r.reader = &r.own
	if err := r.readMembers(); err != nil {
		return err
	}
	return r.reader.End()
}

// readMembers reads an object of members.
func (r *request) readMembers() error {
	if err := r.reader.BeginObject(); err != nil {
		return err
	}
	for {
		name, ok, err := r.reader.NextMember()
		if err != nil || !ok {
			return err
		}
		if m := r.order.find(name); m != nil {
			err = m.read(r)
		} else {
			err = r.reader.Skip()
		}
		if err != nil {
			return err
		}
	}
}

// readPart reads a request that is a part of another one.
func (r *request) readPart(whole *request) error {
	r.limits, r.reader = whole.limits, whole.reader
	return r.readMembers()
}

// itemRow makes a row of the item or key that was read, appended to dst.
func (r *request) itemRow(dst []byte) value.Row {
	r.builder.UseNames(r.pin.Names())
	return r.builder.AppendTo(dst)[len(dst):]
}

// keyRow is itemRow for a key: the attributes of the table's key and nothing else.
func (r *request) keyRow() (value.Row, error) {
	row := r.itemRow(r.row[:0])
	r.row = row
	return row, itemkey.Check(r.pin, row)
}

// pick returns what paths lead to in a row. The result lives until the next call.
func (r *request) pick(paths []expr.Path, row value.Row) (value.Row, error) {
	dictionary := r.pin.Names()
	r.builder.Reset(dictionary)
	if err := expr.Project(paths, expr.Source{Row: row, Names: dictionary}, &r.builder); err != nil {
		return nil, err
	}
	r.shown = r.builder.AppendTo(r.shown[:0])
	return r.shown, nil
}

// target is a request about one table.
type target struct {
	request
	table tableName
	name  string // of the table, which an ARN may have named
}

// prepare does what the operations on one table begin with: it takes the body apart, judges it and opens the table.
func (t *target) prepare(ctx context.Context, body []byte) error {
	if err := t.read(ctx, body); err != nil {
		return err
	}
	if err := t.check(); err != nil {
		return err
	}
	return t.open(ctx, enclosure{})
}

// open pins the table, if the principal may do with it what the request asks for. The request's release unpins it.
func (t *target) open(ctx context.Context, in enclosure) error {
	return t.enter(ctx, in, t.pinTable())
}

// enter judges whether the request may use the table that was pinned, or why it was not.
func (t *target) enter(ctx context.Context, in enclosure, failed error) error {
	if t.name == "" { // its name is no table's
		return failed
	}
	if err := cmp.Or(t.authorize(ctx, in), failed); err != nil {
		return err
	}
	table := t.pin.Descriptor()
	if t.order.index != nil {
		if err := t.order.index(table); err != nil {
			return err
		}
	}
	return t.checkNestedPaths(table)
}

func (t *target) pinTable() (err error) {
	if t.name, err = (tablemodel.Account{Region: t.api.region(), ID: t.api.account()}).Table(t.table.value,
		t.operation); err != nil {
		return err
	}
	pin, err := t.api.space().Pin(t.name)
	if err != nil {
		return err
	}
	t.pin, t.pinned = pin, true
	return nil
}

// projection is how the items of an answer are cut down.
type projection struct {
	expression      projectionExpression
	attributesToGet attributesToGet
}

// projects reports whether items are cut down.
func (p *projection) projects() bool { return p.expression.has || p.attributesToGet.IsGiven() }

// parseLegacy reads AttributesToGet as a projection.
func (p *projection) parseLegacy() (err error) {
	if p.attributesToGet.IsGiven() {
		p.expression.list, err = p.attributesToGet.Paths()
	}
	return err
}

// apply returns the part of a row that a request shows. It lives until the next call.
func (p *projection) apply(r *request, row value.Row) (value.Row, error) {
	if !p.projects() {
		return row, nil
	}
	return r.pick(p.expression.list, row)
}

// checkSize refuses an item that is too large. Its size does not depend on the table.
func (r *request) checkSize() error {
	if r.builder.Size() > r.limits.ItemBytesMax {
		return exception.Validation(itemTooLarge)
	}
	return nil
}
