// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/expression"
	"github.com/weftdb/weft/internal/dynamodb/itemkey"
	"github.com/weftdb/weft/internal/dynamodb/layer"
	"github.com/weftdb/weft/internal/dynamodb/tablemodel"
	"github.com/weftdb/weft/internal/expr"
	"github.com/weftdb/weft/internal/value"
)

// request is one request taken apart, and the memory that answering it needs. It is used again for later requests.
type request struct {
	api       *API
	operation string
	options   Options
	rules     *layer.Row    // what the operation takes, and how it is judged
	has       layer.Members // what the body has of it

	tableName, indexName                                       string
	condition, filter, keyCondition, projection, update        string
	selected                                                   string
	returnValues, returnOnFailure, returnCapacity, returnSizes string
	token                                                      string
	consistent, backward                                       bool
	limit, segment, totalSegments                              int64
	// Parts of the body, read once the table is known.
	item, key, keys, startKey, requestItems, transactItems []byte

	old               *older // nil for most
	placeholders      expression.Substitutions
	noNames, noValues bool  // a map of placeholders is there and holds none
	faultyValues      error // the first faulty value of a placeholder: the contents of none were read

	conditionTree, filterTree expr.Condition
	keyConditions             []expression.KeyCondition
	paths                     []expr.Path // of the projection
	updateTree                *expr.Update

	pin    weft.Pinned
	pinned bool

	reader  attributejson.Reader
	builder value.RowBuilder
	arena   []byte // values of placeholders
	row     []byte // an item or a key from the request
	stored  []byte // an item from the table
	shown   []byte // a projection of it
	write   weft.Write
	result  weft.WriteResult
}

// request takes a request's memory from the pool. release gives it back.
func (a *API) request(operation string, rules *layer.Row) *request {
	r, ok := a.scratch.Get().(*request)
	if !ok {
		r = new(request)
	}
	r.api, r.operation, r.options, r.rules = a, operation, a.Options.withDefaults(), rules
	return r
}

// scratchBytesMax is how much memory of one sort a request may keep for the next.
const scratchBytesMax = 1 << 20

// release ends a request. It is to be deferred: it looks whether there was a panic.
func (r *request) release() {
	cause := recover()
	r.end(cause == nil)
	if cause != nil {
		panic(cause) // lint:invariant the panic of a bug goes on
	}
}

// end gives a request's memory back. After a panic nobody knows what that still serves: it is left to the garbage collector.
func (r *request) end(orderly bool) {
	if r.pinned {
		r.pin.Release()
	}
	if !orderly {
		return
	}
	a := r.api
	r.placeholders.Reset()
	r.reader.Reset(nil)
	if cap(r.builder.Buf) > scratchBytesMax {
		r.builder = value.RowBuilder{}
	}
	r.builder.Reset(nil)
	*r = request{placeholders: r.placeholders, reader: r.reader, builder: r.builder,
		arena: kept(r.arena), row: kept(r.row), stored: kept(r.stored), shown: kept(r.shown)}
	a.scratch.Put(r)
}

func kept(b []byte) []byte {
	if cap(b) > scratchBytesMax {
		return nil
	}
	return b[:0]
}

// read takes the body apart: one object and nothing after it. A faulty value of a placeholder is told later, when all of the body is known to have the right types;
// so it is read anew without its placeholders' contents.
func (r *request) read(body []byte) error {
	err := r.readBody(body)
	fault, ok := err.(*placeholderFault)
	if !ok {
		return err
	}
	r.has, r.old, r.faultyValues = 0, nil, fault.exception
	r.placeholders.Reset()
	return r.readBody(body)
}

func (r *request) readBody(body []byte) error {
	r.reader.Reset(body)
	if err := r.reader.BeginObject(); err != nil {
		return err
	}
	for {
		name, ok, err := r.reader.NextMember()
		if err != nil {
			return err
		}
		if !ok {
			return r.reader.End()
		}
		m := layer.Of(name) & r.rules.Takes
		r.has |= m
		if err := r.readMember(m); err != nil {
			return err
		}
	}
}

func (r *request) readMember(m layer.Members) (err error) {
	switch m {
	case layer.Names:
		return r.readNames()
	case layer.Values:
		return r.readValues()
	case layer.ConsistentRead:
		r.consistent, err = r.reader.Bool()
	case layer.ScanIndexForward:
		forward, failure := r.reader.Bool()
		r.backward, err = !forward, failure
	case layer.Limit:
		r.limit, err = r.readInteger()
	case layer.Segment:
		r.segment, err = r.readInteger()
	case layer.TotalSegments:
		r.totalSegments, err = r.readInteger()
	default:
		if m&layer.Older != 0 {
			return r.readOlder(m)
		}
		if text := r.text(m); text != nil {
			return r.readText(text)
		}
		raw, err := r.reader.Raw()
		if part := r.part(m); part != nil {
			*part = raw
		}
		return err
	}
	return err
}

// readInteger reads a number that Amazon's model has in 32 bits.
func (r *request) readInteger() (int64, error) {
	n, err := r.reader.Int()
	if fault, ok := err.(*attributejson.TypeError); ok {
		fault.Expected = "Integer"
	}
	return n, err
}

// text is the field of a member that is a string.
func (r *request) text(m layer.Members) *string {
	switch m {
	case layer.TableName:
		return &r.tableName
	case layer.IndexName:
		return &r.indexName
	case layer.Select:
		return &r.selected
	case layer.ReturnValues:
		return &r.returnValues
	case layer.ReturnOnFailure:
		return &r.returnOnFailure
	case layer.ReturnConsumedCapacity:
		return &r.returnCapacity
	case layer.ReturnMetrics:
		return &r.returnSizes
	case layer.Condition:
		return &r.condition
	case layer.Filter:
		return &r.filter
	case layer.KeyCondition:
		return &r.keyCondition
	case layer.Projection:
		return &r.projection
	case layer.Update:
		return &r.update
	case layer.ClientRequestToken:
		return &r.token
	}
	return nil
}

// part is the field of a member that is read later.
func (r *request) part(m layer.Members) *[]byte {
	switch m {
	case layer.Item:
		return &r.item
	case layer.Key:
		return &r.key
	case layer.Keys:
		return &r.keys
	case layer.ExclusiveStartKey:
		return &r.startKey
	case layer.RequestItems:
		return &r.requestItems
	case layer.TransactItems:
		return &r.transactItems
	}
	return nil
}

func (r *request) readText(text *string) error {
	b, err := r.reader.String()
	if err == nil {
		*text = layer.Word(b)
	}
	return err
}

func (r *request) readNames() error {
	if err := r.reader.Expect(attributejson.MapOfTexts()); err != nil {
		return err
	}
	if err := r.reader.BeginObject(); err != nil {
		return err
	}
	for count := 0; ; count++ {
		key, ok, err := r.reader.NextKey()
		if err != nil {
			return err
		}
		if !ok {
			r.noNames = count == 0
			return nil
		}
		placeholder := string(key)
		name, err := r.reader.String()
		if err != nil {
			return err
		}
		r.placeholders.AddName(placeholder, string(name))
	}
}

func (r *request) readValues() error {
	if err := r.reader.Expect(attributejson.MapOf("AttributeValue")); err != nil {
		return err
	}
	if err := r.reader.BeginObject(); err != nil {
		return err
	}
	for count := 0; ; count++ {
		key, ok, err := r.reader.NextKey()
		if err != nil {
			return err
		}
		if !ok {
			r.noValues = count == 0
			return nil
		}
		placeholder, start := string(key), len(r.arena)
		if r.faultyValues != nil {
			err = r.reader.CheckValue()
		} else {
			r.arena, err = r.reader.Value(r.arena)
		}
		if fault, ok := err.(*attributejson.ValueError); ok {
			return &placeholderFault{r.wordPlaceholder(placeholder, fault)}
		}
		if err != nil {
			return err
		}
		r.placeholders.AddValue(placeholder, value.Value(r.arena[start:len(r.arena):len(r.arena)]))
	}
}

// wordPlaceholder words what is wrong with the value of a placeholder.
func (r *request) wordPlaceholder(placeholder string, fault *attributejson.ValueError) error {
	text := fault.Text
	switch {
	case r.rules.OlderValues:
		text = fault.OlderText()
	case r.rules.BareNumbers && fault.Number:
		return exception.Validation(text)
	}
	return exception.Validation("ExpressionAttributeValues contains invalid value: " + text + " for key " + placeholder)
}

// placeholderFault says that a value of a placeholder breaks a rule.
type placeholderFault struct{ exception error }

func (f *placeholderFault) Error() string { return f.exception.Error() }

// open pins the request's table. The caller's release unpins it.
func (r *request) open() (weft.Pinned, error) {
	name, err := tablemodel.Account{Region: r.api.region(), ID: r.api.account()}.Table(r.tableName, r.operation)
	if err != nil {
		return weft.Pinned{}, r.valueFaultOr(err)
	}
	pin, err := r.api.DB.Pin(name)
	if err != nil {
		return pin, r.valueFaultOr(err)
	}
	r.pin, r.pinned = pin, true
	if err := r.checkScalars(pin); err != nil {
		return pin, r.valueFaultOr(err)
	}
	return pin, nil
}

// valueFaultOr returns the fault of an attribute value in the parts that were not read yet, which DynamoDB would have found before err.
func (r *request) valueFaultOr(err error) error {
	if fault := r.typeFaultOr(nil); fault != nil {
		return fault
	}
	for i, part := range [...][]byte{r.startKey, r.key, r.item} {
		if part == nil {
			continue
		}
		r.builder.Reset(nil)
		r.reader.Reset(part)
		if fault := r.reader.Item(&r.builder); fault != nil && i == 0 {
			return r.startKeyFault(fault)
		} else if fault != nil {
			return fault
		}
	}
	if r.operation == "PutItem" && weft.Row(r.builder.AppendTo(nil)).Size() > r.options.ItemBytesMax {
		return exception.Validation(itemTooLarge)
	}
	return err
}

// typeFaultOr is valueFaultOr for JSON of the wrong type alone, which is found before anything else.
func (r *request) typeFaultOr(err error) error {
	for _, part := range [...][]byte{r.item, r.key, r.startKey} {
		if part == nil {
			continue
		}
		r.reader.Reset(part)
		if fault := r.reader.CheckItem(); fault != nil {
			return fault
		}
	}
	return err
}

// keyRow reads a Key: the attributes of the table's key and nothing else. The row is appended to dst.
func (r *request) keyRow(pin weft.Pinned, raw, dst []byte) (weft.Row, error) {
	row, err := r.parseItem(pin, raw, dst)
	if err != nil {
		return nil, err
	}
	return row, itemkey.Check(pin, row)
}

// parseItem reads a JSON item into a row appended to dst.
func (r *request) parseItem(pin weft.Pinned, raw, dst []byte) (weft.Row, error) {
	r.reader.Reset(raw)
	r.builder.Reset(pin.Names())
	if err := r.reader.Item(&r.builder); err != nil {
		return nil, err
	}
	return r.builder.AppendTo(dst)[len(dst):], nil
}
