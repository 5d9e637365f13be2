// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/dynamodb/definition"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/expression"
	"github.com/weftdb/weft/internal/dynamodb/itemkey"
	"github.com/weftdb/weft/internal/expr"
	"github.com/weftdb/weft/internal/value"
)

// member is a set of members of a request's body.
type member uint64

const (
	inTableName member = 1 << iota
	inIndexName
	inKey
	inKeys
	inItem
	inRequestItems
	inTransactItems
	inToken
	inStartKey
	inConsistentRead
	inForward
	inLimit
	inSegment
	inTotalSegments
	inSelect
	inReturnValues
	inReturnOnFailure
	inReturnCapacity
	inReturnMetrics
	inNames
	inValues
	// Expressions, and then their older form, in the order in which messages list them.
	inProjection
	inUpdate
	inFilter
	inCondition
	inKeyCondition
	inAttributesToGet
	inAttributeUpdates
	inExpected
	inQueryFilter
	inScanFilter
	inConditionalOperator
	inKeyConditions
	membersEnd

	inExpressions = inUpdate | inFilter | inCondition | inKeyCondition | inProjection
	inProjected   = inProjection | inAttributesToGet
	inLegacy      = inAttributesToGet | inAttributeUpdates | inExpected | inConditionalOperator | inKeyConditions | inQueryFilter | inScanFilter
)

// members names the members of requests. // immutable
var members = map[string]member{
	"TableName": inTableName, "IndexName": inIndexName, "Key": inKey, "Keys": inKeys, "Item": inItem, "RequestItems": inRequestItems,
	"TransactItems": inTransactItems, "ClientRequestToken": inToken,
	"ExclusiveStartKey": inStartKey, "ConsistentRead": inConsistentRead, "ScanIndexForward": inForward, "Limit": inLimit, "Segment": inSegment,
	"TotalSegments": inTotalSegments, "Select": inSelect, "ReturnValues": inReturnValues,
	"ReturnValuesOnConditionCheckFailure": inReturnOnFailure, "ReturnConsumedCapacity": inReturnCapacity,
	"ReturnItemCollectionMetrics": inReturnMetrics, "ExpressionAttributeNames": inNames, "ExpressionAttributeValues": inValues,
	"ConditionExpression": inCondition, "FilterExpression": inFilter, "KeyConditionExpression": inKeyCondition,
	"ProjectionExpression": inProjection, "UpdateExpression": inUpdate,
	"AttributesToGet": inAttributesToGet, "AttributeUpdates": inAttributeUpdates, "Expected": inExpected,
	"ConditionalOperator": inConditionalOperator, "KeyConditions": inKeyConditions, "QueryFilter": inQueryFilter, "ScanFilter": inScanFilter,
}

// nameOf is the name of a single member.
func nameOf(m member) string {
	for name, known := range members {
		if known == m {
			return name
		}
	}
	return ""
}

// list names the members of a set in their order.
func (m member) list() (names []string) {
	for one := inTableName; one < membersEnd; one <<= 1 {
		if m&one != 0 {
			names = append(names, nameOf(one))
		}
	}
	return names
}

// request is one request taken apart, and the memory that answering it needs. It is used again for later requests.
type request struct {
	api       *API
	operation string
	options   Options
	accepts   member // what the operation takes
	has       member // what the body has of it

	tableName, indexName                                       string
	condition, filter, keyCondition, projection, update        string
	selected                                                   string
	returnValues, returnOnFailure, returnCapacity, returnSizes string
	token                                                      string
	consistent, backward                                       bool
	limit, segment, totalSegments                              int64
	// Parts of the body, read once the table is known.
	item, key, keys, startKey, requestItems, transactItems []byte

	old            *older // nil for most
	placeholders   expression.Substitutions
	noPlaceholders error // a map of placeholders holds none
	faultyValues   error // the first faulty value of a placeholder: the contents of none were read

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
func (a *API) request(operation string, accepts member) *request {
	r, ok := a.scratch.Get().(*request)
	if !ok {
		r = new(request)
	}
	r.api, r.operation, r.options, r.accepts = a, operation, a.Options.withDefaults(), accepts
	return r
}

// scratchBytesMax is how much memory of one sort a request may keep for the next.
const scratchBytesMax = 1 << 20

func (r *request) release() {
	if r.pinned {
		r.pin.Release()
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
		m := members[string(name)] & r.accepts
		r.has |= m
		if err := r.readMember(m); err != nil {
			return err
		}
	}
}

func (r *request) readMember(m member) (err error) {
	switch m {
	case inNames:
		return r.readNames()
	case inValues:
		return r.readValues()
	case inConsistentRead:
		r.consistent, err = r.reader.Bool()
	case inForward:
		forward, failure := r.reader.Bool()
		r.backward, err = !forward, failure
	case inLimit:
		r.limit, err = r.readInteger()
	case inSegment:
		r.segment, err = r.readInteger()
	case inTotalSegments:
		r.totalSegments, err = r.readInteger()
	default:
		if m&inLegacy != 0 {
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
func (r *request) text(m member) *string {
	switch m {
	case inTableName:
		return &r.tableName
	case inIndexName:
		return &r.indexName
	case inSelect:
		return &r.selected
	case inReturnValues:
		return &r.returnValues
	case inReturnOnFailure:
		return &r.returnOnFailure
	case inReturnCapacity:
		return &r.returnCapacity
	case inReturnMetrics:
		return &r.returnSizes
	case inCondition:
		return &r.condition
	case inFilter:
		return &r.filter
	case inKeyCondition:
		return &r.keyCondition
	case inProjection:
		return &r.projection
	case inUpdate:
		return &r.update
	case inToken:
		return &r.token
	}
	return nil
}

// part is the field of a member that is read later.
func (r *request) part(m member) *[]byte {
	switch m {
	case inItem:
		return &r.item
	case inKey:
		return &r.key
	case inKeys:
		return &r.keys
	case inStartKey:
		return &r.startKey
	case inRequestItems:
		return &r.requestItems
	case inTransactItems:
		return &r.transactItems
	}
	return nil
}

func (r *request) readText(text *string) error {
	b, err := r.reader.String()
	if err == nil {
		*text = wordOf(b)
	}
	return err
}

// words are the texts that most requests have. // immutable
var words = [...]string{"NONE", "TOTAL", "INDEXES", "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW", "COUNT", "SIZE"}

// wordOf is a string of b, without a copy of the usual words.
func wordOf(b []byte) string {
	for _, word := range words {
		if string(b) == word {
			return word
		}
	}
	return string(b)
}

func (r *request) readNames() error {
	if err := r.reader.BeginObject(); err != nil {
		return err
	}
	for count := 0; ; count++ {
		key, ok, err := r.reader.NextKey()
		if err != nil {
			return err
		}
		if !ok {
			return r.nonEmpty(count, "ExpressionAttributeNames")
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
	if err := r.reader.BeginObject(); err != nil {
		return err
	}
	for count := 0; ; count++ {
		key, ok, err := r.reader.NextKey()
		if err != nil {
			return err
		}
		if !ok {
			return r.nonEmpty(count, "ExpressionAttributeValues")
		}
		placeholder, start := string(key), len(r.arena)
		if r.faultyValues != nil {
			err = r.reader.CheckValue()
		} else {
			r.arena, err = r.reader.Value(r.arena)
		}
		if fault, ok := err.(*attributejson.ValueError); ok {
			return &placeholderFault{exception.Validation("ExpressionAttributeValues contains invalid value: " + fault.Text + " for key " + placeholder)}
		}
		if err != nil {
			return err
		}
		r.placeholders.AddValue(placeholder, value.Value(r.arena[start:len(r.arena):len(r.arena)]))
	}
}

// placeholderFault says that a value of a placeholder breaks a rule.
type placeholderFault struct{ exception error }

func (f *placeholderFault) Error() string { return f.exception.Error() }

// nonEmpty notes that a map of placeholders holds none; the rest of the body is read first.
func (r *request) nonEmpty(count int, parameter string) error {
	if count == 0 && r.noPlaceholders == nil {
		r.noPlaceholders = exception.Validation(parameter + " must not be empty")
	}
	return nil
}

// open pins the request's table. The caller's release unpins it.
func (r *request) open() (weft.Pinned, error) {
	name, err := definition.Account{Region: r.api.region(), ID: r.api.account()}.Table(r.tableName, r.operation)
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
			return startKeyFault(fault)
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
