// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"slices"
	"strings"
)

const textDuplicates = "Provided list of item keys contains duplicates"

// tablesOf lists the tables of a batch or a transaction in the order of their names.
func (m *Model) tablesOf(r *Request) (tables []*Table, f *Failure) {
	var texts, large []string
	missing := false
	for _, part := range r.Parts {
		t := m.tables[part.Table]
		if t == nil {
			missing = true
			continue
		}
		texts, large = append(texts, t.scalarFaults(part)...), append(large, part.Item.tooLarge()...)
		if !slices.Contains(tables, t) {
			tables = append(tables, t)
		}
	}
	slices.SortFunc(tables, func(a, b *Table) int { return strings.Compare(a.Name, b.Name) })
	switch {
	case missing:
		f = &Failure{Type: "ResourceNotFoundException", Texts: []string{textNoResource}}
		if texts = append(texts, large...); len(texts) > 0 {
			f.Or = invalid(texts...)
		}
	case len(texts) > 0:
		f = invalid(texts...)
	}
	return tables, f
}

// partFaults lists what is wrong with the parts whatever is stored; of a transaction, with the first that is.
func (r *Request) partFaults() (texts []string) {
	transaction := strings.HasPrefix(r.Operation, "Transact")
	for _, part := range r.Parts {
		own := part.staticFaults(r.Operation)
		if transaction && slices.ContainsFunc(own, func(text string) bool { return text != textItemLarge }) {
			return own
		}
		texts = append(texts, own...)
	}
	if transaction {
		return nil // sizes alone are judged with the keys
	}
	if r.Operation == "BatchGetItem" && repeats(r.Parts, func(part *Request) Item { return part.Key }) {
		texts = append(texts, textDuplicates)
	}
	return texts
}

// repeats reports whether two parts are about one item.
func repeats(parts []*Request, target func(part *Request) Item) bool {
	seen := map[string]bool{}
	for _, part := range parts {
		key := part.Table + target(part).String()
		if seen[key] {
			return true
		}
		seen[key] = true
	}
	return false
}

// target is the key that a part is about.
func (t *Table) target(part *Request) Item {
	if part.Key != nil {
		return part.Key
	}
	return t.keyOf(part.Item)
}

// repeated reports whether two parts are about one item.
func (m *Model) repeated(r *Request) bool {
	return repeats(r.Parts, func(part *Request) Item { return m.tables[part.Table].target(part) })
}

// begin judges a batch up to its keys.
func (m *Model) begin(r *Request) (tables []*Table, f *Failure) {
	if texts := r.partFaults(); len(texts) > 0 {
		return nil, invalid(texts...)
	}
	tables, f = m.tablesOf(r)
	if f != nil {
		return nil, f
	}
	var texts []string
	for _, part := range r.Parts {
		switch t := m.tables[part.Table]; {
		case part.Item == nil:
			texts = append(texts, t.keyFaults(part.Key)...)
		default:
			texts = append(texts, t.batchFaults(part)...)
		}
	}
	if m.repeated(r) {
		texts = append(texts, textDuplicates)
	}
	if len(texts) > 0 {
		return nil, invalid(texts...)
	}
	return tables, nil
}

// batchFaults are requestFaults of a put in a batch: of a key that is not the table's, it is not told why.
func (t *Table) batchFaults(part *Request) (texts []string) {
	for _, text := range t.requestFaults(part) {
		if strings.HasPrefix(text, textInvalid+"Missing the key ") ||
			strings.HasPrefix(text, textInvalid+"Type mismatch for key ") {
			text = textKeySchema
		}
		texts = append(texts, text)
	}
	return texts
}

func (m *Model) batchGet(r *Request) *Answer {
	tables, f := m.begin(r)
	if f != nil {
		return failed(f)
	}
	a := &Answer{Members: map[string]string{"UnprocessedKeys": "{}"}}
	var responses []string
	costs := map[string]cost{}
	for _, t := range tables {
		var items []Item
		var c cost
		var first *Request
		for _, part := range r.Parts {
			if part.Table != t.Name {
				continue
			}
			if first == nil {
				first = part
			}
			item := t.items[part.Key.String()]
			c.table += readCost(item.Size(), first.Consistent)
			if item != nil {
				items = append(items, first.project(item))
			}
		}
		costs[t.Name] = c
		responses = append(responses, quote(t.Name)+":"+itemsJSON(items))
	}
	a.Members["Responses"] = "{" + strings.Join(responses, ",") + "}"
	a.addCapacities(r, tables, costs, "")
	return a
}

func (a *Answer) addCapacities(r *Request, tables []*Table, costs map[string]cost, kind string) {
	if r.Capacity != "TOTAL" && r.Capacity != "INDEXES" {
		return
	}
	var list []string
	for _, t := range tables {
		list = append(list, capacityJSON(r, t, costs[t.Name], kind))
	}
	a.Members["ConsumedCapacity"] = "[" + strings.Join(list, ",") + "]"
}

func (a *Answer) addCollections(m *Model, r *Request, tables []*Table) {
	if r.Metrics != "SIZE" {
		return
	}
	var members []string
	for _, t := range tables {
		var list []string
		for _, part := range r.Parts {
			if text := collectionJSON(t, t.target(part)); part.Table == t.Name && t.hasLocal() &&
				!slices.Contains(list, text) {
				list = append(list, text)
			}
		}
		if list != nil {
			members = append(members, quote(t.Name)+":["+strings.Join(list, ",")+"]")
		}
	}
	a.Members["ItemCollectionMetrics"] = "{" + strings.Join(members, ",") + "}"
}

func (m *Model) batchWrite(r *Request) *Answer {
	tables, f := m.begin(r)
	if f != nil {
		return failed(f)
	}
	a := &Answer{Members: map[string]string{"UnprocessedItems": "{}"}}
	costs := map[string]cost{}
	for _, part := range r.Parts {
		t := m.tables[part.Table]
		c := costs[t.Name]
		c.addAll(t.put(t.items[t.target(part).String()], part.Item))
		costs[t.Name] = c
	}
	a.addCapacities(r, tables, costs, "")
	a.addCollections(m, r, tables)
	return a
}

// Transactions.

const textOnce = "Transaction request cannot include multiple operations on one item"

// cancelled is a transaction that did not happen.
func cancelled(reasons []Reason) *Answer {
	codes := make([]string, len(reasons))
	for i := range reasons {
		codes[i] = reasons[i].Code
	}
	return failed(&Failure{Type: "TransactionCanceledException", Reasons: reasons,
		Texts: []string{"Transaction cancelled, please refer cancellation reasons for specific reasons [" +
			strings.Join(codes, ", ") + "]"}})
}

// faulty gives one reason its fault; only the first of a transaction is told.
func faulty(reasons []Reason, i int, texts []string) {
	if !slices.ContainsFunc(reasons, func(reason Reason) bool { return reason.Code == "ValidationError" }) {
		reasons[i] = Reason{Code: "ValidationError", Texts: texts}
	}
}

func noReasons(r *Request) []Reason {
	reasons := make([]Reason, len(r.Parts))
	for i := range reasons {
		reasons[i].Code = "None"
	}
	return reasons
}

func anyGiven(reasons []Reason) bool {
	return slices.ContainsFunc(reasons, func(reason Reason) bool { return reason.Code != "None" })
}

// mismatches gives keys that the table can't have their reasons. top is what refuses the whole request: empty and
// over-long keys.
func (m *Model) mismatches(r *Request, reasons []Reason) (top []string) {
	for i, part := range r.Parts {
		t := m.tables[part.Table]
		texts := t.keyFaults(part.Key)
		if part.Item != nil {
			texts, top = t.itemFaults(part.Item), append(top, part.Item.tooLarge()...)
			top = append(top, slices.DeleteFunc(t.indexFaults(part.Item, false), isMismatch)...)
		}
		texts = append(texts, t.touchFaults(part)...)
		for _, text := range texts {
			if !isMismatch(text) {
				top = append(top, text)
			}
		}
		if len(texts) > 0 {
			faulty(reasons, i, texts)
		}
	}
	return top
}

// isMismatch reports whether a fault of a key is something else than an empty or over-long value.
func isMismatch(text string) bool {
	return !strings.HasPrefix(text, textNotValid) && text != textHashLong && text != textRangeLong
}

func (m *Model) transactGet(r *Request) *Answer {
	if texts := r.partFaults(); len(texts) > 0 {
		return failed(invalid(texts...))
	}
	tables, f := m.tablesOf(r)
	if f != nil {
		return failed(f)
	}
	reasons := noReasons(r)
	if top := m.mismatches(r, reasons); len(top) > 0 {
		f := invalid(top...)
		f.Or = cancelled(reasons).Failure // if another action has such a reason
		return failed(f)
	}
	if m.repeated(r) {
		return failed(invalid(textOnce))
	}
	if anyGiven(reasons) {
		return cancelled(reasons)
	}
	a := &Answer{Members: map[string]string{}}
	var responses []string
	costs := map[string]cost{}
	for _, part := range r.Parts {
		t := m.tables[part.Table]
		item := t.items[part.Key.String()]
		c := costs[t.Name]
		c.table += 2 * readCost(item.Size(), true)
		costs[t.Name] = c
		shown := part.project(item)
		if item == nil || part.Projection != nil && len(shown) == 0 {
			responses = append(responses, "{}")
		} else {
			responses = append(responses, `{"Item":`+shown.String()+"}")
		}
	}
	a.Members["Responses"] = "[" + strings.Join(responses, ",") + "]"
	a.addCapacities(r, tables, costs, "Read")
	return a
}

// transactWrite does all of a transaction or nothing.
func (m *Model) transactWrite(r *Request) *Answer {
	if texts := r.partFaults(); len(texts) > 0 {
		return failed(invalid(texts...))
	}
	tables, f := m.tablesOf(r)
	if f != nil {
		return failed(f)
	}
	reasons := noReasons(r)
	if top := m.mismatches(r, reasons); len(top) > 0 {
		f := invalid(top...)
		if done, ok := m.tokens[r.Token]; ok && done.body != r.Body && !anyGiven(reasons) {
			// a key of an index may be judged after the token
			f.Or = &Failure{Type: "IdempotentParameterMismatchException"}
		} else {
			f.Or = cancelled(reasons).Failure // if another action has such a reason
		}
		return failed(f)
	}
	if m.repeated(r) {
		return failed(invalid(textOnce))
	}
	if anyGiven(reasons) {
		return cancelled(reasons)
	}
	if done, ok := m.tokens[r.Token]; ok && r.Token != "" {
		return m.replay(r, tables, done)
	}
	changes := make([]change, len(r.Parts))
	var late []string
	for i, part := range r.Parts {
		c := m.tables[part.Table].plan(part, part.Operation)
		if part.Item != nil {
			c.faults, c.refused = m.tables[part.Table].indexFaults(part.Item, false), c.refused && len(c.faults) == 0
		}
		changes[i] = c
		judge(&changes[i], part, reasons, i)
		if !c.refused {
			late = append(late, slices.DeleteFunc(slices.Clone(c.faults), isMismatch)...)
		}
	}
	if anyGiven(reasons) {
		a := cancelled(reasons)
		if len(late) > 0 { // an index key that has become empty or too long by an update
			a.Failure.Or = invalid(late...)
		}
		return a
	}
	return m.commit(r, tables, changes)
}

func judge(c *change, part *Request, reasons []Reason, i int) {
	if part.Operation == "Update" && c.item.Size() > itemBytesMax {
		c.faults = append(c.faults, textUpdateLarge)
	}
	switch {
	case len(c.faults) > 0 && part.Operation == "Put":
		faulty(reasons, i, c.faults)
	case c.refused:
		reasons[i] = Reason{Code: "ConditionalCheckFailed", Texts: []string{"The conditional request failed"}}
		if part.OnFailure == "ALL_OLD" {
			reasons[i].Item = c.old
		}
	case len(c.faults) > 0:
		faulty(reasons, i, c.faults)
	}
}

func (m *Model) commit(r *Request, tables []*Table, changes []change) *Answer {
	a := &Answer{Members: map[string]string{}}
	costs := map[string]cost{}
	for i, part := range r.Parts {
		t := m.tables[part.Table]
		c := costs[t.Name]
		if part.Operation == "ConditionCheck" {
			c.table += 2 * writeCost(changes[i].old.Size())
		} else {
			own := t.put(changes[i].old, changes[i].item)
			own.table *= 2
			c.addAll(own)
		}
		costs[t.Name] = c
	}
	if r.Token != "" {
		m.tokens[r.Token] = token{r.Body}
	}
	a.addCapacities(r, tables, costs, "Write")
	a.addCollections(m, r, tables)
	return a
}

// replay answers a transaction that was done before under its token.
func (m *Model) replay(r *Request, tables []*Table, done token) *Answer {
	if done.body != r.Body {
		return failed(&Failure{Type: "IdempotentParameterMismatchException"})
	}
	a := &Answer{Members: map[string]string{}, Open: []string{"ItemCollectionMetrics"}}
	costs := map[string]cost{}
	for _, part := range r.Parts {
		t := m.tables[part.Table]
		c := costs[t.Name]
		c.table += 2 * readCost(t.items[t.target(part).String()].Size(), true)
		costs[t.Name] = c
	}
	a.addCapacities(r, tables, costs, "Read")
	return a
}
