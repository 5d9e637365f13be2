// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Model is DynamoDB in memory. It serves one goroutine.
type Model struct {
	tables map[string]*Table
	tokens map[string]token
}

// token is a transaction that was done under a ClientRequestToken.
type token struct{ body string }

// Answer is what an operation must answer: a failure, or the members of the answer as JSON.
type Answer struct {
	Failure *Failure
	Members map[string]string
	// Open are members whose content DynamoDB leaves open for this request.
	Open []string
	// Next is LastEvaluatedKey.
	Next Item

	spent cost // of a statement
}

// NewModel makes a model of empty tables.
func NewModel(tables []*Table) *Model {
	m := &Model{tables: map[string]*Table{}, tokens: map[string]token{}}
	for _, t := range tables {
		copied := *t
		copied.items = map[string]Item{}
		m.tables[t.Name] = &copied
	}
	return m
}

// JSON is the answer, without those members that are left open.
func (a *Answer) JSON() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(a.Members)) {
		if !slices.Contains(a.Open, name) {
			parts = append(parts, quote(name)+":"+a.Members[name])
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func failed(f *Failure) *Answer { return &Answer{Failure: f} }

// Do does an operation.
func (m *Model) Do(r *Request) *Answer {
	if r.Forced != nil {
		return failed(r.Forced)
	}
	switch r.Operation {
	case "BatchGetItem":
		return m.batchGet(r)
	case "BatchWriteItem":
		return m.batchWrite(r)
	case "TransactGetItems":
		return m.transactGet(r)
	case "TransactWriteItems":
		return m.transactWrite(r)
	case "ExecuteStatement":
		return m.statement(r)
	case "BatchExecuteStatement":
		return m.statementBatch(r)
	case "ExecuteTransaction":
		return m.statements(r)
	}
	if texts := r.staticFaults(r.Operation); len(texts) > 0 {
		return failed(invalid(texts...))
	}
	t := m.tables[r.Table]
	if t == nil {
		return failed(&Failure{Type: "ResourceNotFoundException", Texts: []string{textNoResource}})
	}
	if texts := t.scalarFaults(r); len(texts) > 0 {
		return failed(invalid(texts...))
	}
	switch r.Operation {
	case "GetItem":
		return m.get(r, t)
	case "Query", "Scan":
		return m.walk(r, t)
	}
	return m.write(r, t)
}

func (m *Model) get(r *Request, t *Table) *Answer {
	if texts := t.keyFaults(r.Key); len(texts) > 0 {
		return failed(invalid(texts...))
	}
	item := t.items[r.Key.String()]
	a := &Answer{Members: map[string]string{}}
	if item != nil {
		a.Members["Item"] = r.project(item).String()
	}
	a.addCapacity(r, t, cost{table: readCost(item.Size(), r.Consistent)})
	return a
}

// project is what the request's projection keeps of an item.
func (r *Request) project(item Item) Item {
	if r.Projection == nil {
		return item
	}
	return project(r.Projection, item)
}

func units(halves int) string { return strconv.FormatFloat(float64(halves)/2, 'f', -1, 64) }

func (a *Answer) addCapacity(r *Request, t *Table, c cost) {
	if r.Capacity == "TOTAL" || r.Capacity == "INDEXES" {
		a.Members["ConsumedCapacity"] = capacityJSON(r, t, c, "")
	}
}

// capacityJSON words what a table costs. kind is "", or "Read" or "Write" for transactions, which tell their units
// twice.
func capacityJSON(r *Request, t *Table, c cost, kind string) string {
	one := func(halves int) string {
		text := `"CapacityUnits":` + units(halves)
		if kind != "" {
			text += `,"` + kind + `CapacityUnits":` + units(halves)
		}
		return text
	}
	total := c.table
	arms := map[bool][]string{}
	for _, x := range t.Indexes {
		if halves, ok := c.indexes[x.Name]; ok {
			total += halves
			arms[x.Local] = append(arms[x.Local], quote(x.Name)+":{"+one(halves)+"}")
		}
	}
	text := `{"TableName":` + quote(t.Name) + `,` + one(total)
	if r.Capacity == "INDEXES" {
		text += `,"Table":{` + one(c.table) + `}`
		for local, member := range map[bool]string{true: "LocalSecondaryIndexes", false: "GlobalSecondaryIndexes"} {
			if arms[local] != nil {
				text += `,"` + member + `":{` + strings.Join(arms[local], ",") + `}`
			}
		}
	}
	return text + "}"
}

// Limits of an item's size.
const (
	itemBytesMax    = 400 << 10
	textItemLarge   = "Item size has exceeded the maximum allowed size"
	textUpdateLarge = "Item size to update has exceeded the maximum allowed size"
)

// tooLarge refuses an item that is put.
func (item Item) tooLarge() []string {
	if item.Size() > itemBytesMax {
		return []string{textItemLarge}
	}
	return nil
}

// change is what one write would do.
type change struct {
	old, item Item
	faults    []string // of the request together with what is stored
	refused   bool     // by the condition
}

// requestFaults says why a write can't be tried at all.
func (t *Table) requestFaults(r *Request) (texts []string) {
	if r.Item != nil {
		texts = slices.Concat(t.itemFaults(r.Item), t.indexFaults(r.Item, false), r.Item.tooLarge())
	} else {
		texts = t.keyFaults(r.Key)
	}
	return append(texts, t.touchFaults(r)...)
}

// touchFaults refuses updates of keys.
func (t *Table) touchFaults(r *Request) (texts []string) {
	for _, a := range r.Actions {
		if slices.Contains(namesOf(t.key()), a.Path.Name) {
			texts = append(texts, textInvalid+"Cannot update attribute "+a.Path.Name+
				". This attribute is part of the key")
		}
	}
	return texts
}

// plan finds out what a write would do that has no requestFaults.
func (t *Table) plan(r *Request, operation string) (c change) {
	key := t.target(r)
	c.old = t.items[key.String()]
	switch operation {
	case "Put":
		c.item = r.Item
	case "Update":
		if c.old == nil && r.onlyRemoves() {
			break
		}
		if c.item, c.faults = update(r.Actions, c.old, key); len(c.faults) == 0 {
			c.faults = append(t.indexFaults(c.item, true), deepFaults(c.item)...)
		} else if i := slices.Index(c.faults, textMissing); i >= 0 {
			if wrong := t.writtenFaults(r.Actions); len(wrong) > 0 {
				c.faults = append(slices.Delete(c.faults, i, i+1), wrong...)
			}
		}
	case "ConditionCheck":
		c.item = c.old
	}
	c.refused = r.Condition != nil && !r.Condition.holds(c.old)
	return c
}

// writtenFaults lists the keys of indexes to which an update writes values of another type. They are told before an
// operand that is missing.
func (t *Table) writtenFaults(actions []Action) []string {
	written := Item{}
	for _, a := range actions {
		if v, ok := a.To.(*Value); ok && len(a.Path.Steps) == 0 && (a.Verb == "SET" || a.Verb == "ADD") {
			written[a.Path.Name] = v
		}
	}
	return slices.DeleteFunc(t.indexFaults(written, true), func(text string) bool {
		return !strings.HasPrefix(text, textInvalid+"Type mismatch for Index Key ")
	})
}

// onlyRemoves says that an update makes no item where there is none.
func (r *Request) onlyRemoves() bool {
	return len(r.Actions) > 0 && len(r.touched("SET", "ADD")) == 0
}

func deepFaults(item Item) (texts []string) {
	for _, v := range item {
		if v.depth() > depthMax {
			texts = append(texts, textDepth)
		}
	}
	return texts
}

// write does PutItem, UpdateItem and DeleteItem.
func (m *Model) write(r *Request, t *Table) *Answer {
	operation := strings.TrimSuffix(r.Operation, "Item")
	if texts := t.requestFaults(r); len(texts) > 0 {
		return failed(invalid(texts...))
	}
	c := t.plan(r, operation)
	if c.refused {
		f := &Failure{Type: "ConditionalCheckFailedException", Texts: []string{"The conditional request failed"}}
		if r.OnFailure == "ALL_OLD" {
			f.Item = c.old
		}
		return failed(f)
	}
	if c.item != nil && operation == "Update" && max(c.item.Size(), r.statementBytes(c.item)) > itemBytesMax {
		c.faults = append(c.faults, textUpdateLarge)
	}
	if len(c.faults) > 0 {
		return failed(invalid(c.faults...))
	}
	a := &Answer{Members: map[string]string{}}
	a.addCapacity(r, t, t.put(c.old, c.item))
	a.addAttributes(r, c)
	if r.Metrics == "SIZE" && t.hasLocal() {
		key := r.Key
		if key == nil {
			key = r.Item
		}
		a.Members["ItemCollectionMetrics"] = collectionJSON(t, key)
	}
	return a
}

func collectionJSON(t *Table, key Item) string {
	return fmt.Sprintf(`{"ItemCollectionKey":%s,"SizeEstimateRangeGB":[0,1]}`, key.only(namesOf(t.Hash)))
}

// statementBytes is what an update itself counts: an item for each action of what it writes alone, and something for
// the action.
func (r *Request) statementBytes(updated Item) int {
	total := 3
	for _, a := range r.Actions {
		switch v, _ := a.To.(*Value); a.Verb {
		case "SET":
			total += 19 + a.Path.itemAlong(a.Path.follow(updated)).Size()
		case "ADD":
			total += 19 + a.Path.itemAlong(v).Size()
		case "DELETE":
			total += 2 + a.Path.itemAlong(v).Size()
		case "REMOVE":
			total += 2
		}
	}
	return total
}

// itemAlong is the item that holds nothing but a value at the end of the path.
func (p Path) itemAlong(v *Value) Item {
	if v == nil {
		v = Text("")
	}
	for _, step := range slices.Backward(p.Steps) {
		if step.Field == "" {
			v = List(v)
		} else {
			v = Map(map[string]*Value{step.Field: v})
		}
	}
	return Item{p.Name: v}
}

// addAttributes adds what ReturnValues asks for.
func (a *Answer) addAttributes(r *Request, c change) {
	shown := c.old
	switch r.ReturnValues {
	case "ALL_OLD":
	case "ALL_NEW":
		shown = c.item
	case "UPDATED_OLD":
		shown = project(r.touched("SET", "REMOVE", "ADD", "DELETE"), c.old)
	case "UPDATED_NEW":
		shown = project(r.touched("SET", "REMOVE", "ADD", "DELETE"), c.item)
	default:
		return
	}
	if strings.HasPrefix(r.ReturnValues, "UPDATED") {
		if r.movesElements(c.old) {
			a.Open = append(a.Open, "Attributes")
		}
		if len(shown) == 0 {
			return
		}
	}
	if shown != nil {
		a.Members["Attributes"] = shown.String()
	}
}

func (r *Request) touched(verbs ...string) (paths []Path) {
	for _, a := range r.Actions {
		if slices.Contains(verbs, a.Verb) {
			paths = append(paths, a.Path)
		}
	}
	return paths
}

// movesElements reports whether the update changes which elements of a list have which index: then it is open which one
// a path means in the item after it.
func (r *Request) movesElements(old Item) bool {
	for _, a := range r.Actions {
		for i, step := range a.Path.Steps {
			if step.Field != "" {
				continue
			}
			list := Path{a.Path.Name, a.Path.Steps[:i]}.follow(old)
			if list == nil || step.Index >= len(list.List) {
				return true
			}
			if a.Verb == "REMOVE" && len(r.touched("SET", "ADD", "DELETE")) > 0 || a.Verb == "DELETE" {
				return true
			}
		}
	}
	return false
}
