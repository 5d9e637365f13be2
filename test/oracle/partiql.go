// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"slices"
	"strings"
)

// Statements of PartiQL are requests like the older operations: a SELECT has an index, a filter and a projection of
// attributes, the others an item, or a key with a condition and actions. Failures are told apart by their types alone:
// how PartiQL words them is a matter of other tests.

// statement does what a statement says. A SELECT is answered whole, whatever its pages are.
func (m *Model) statement(r *Request) *Answer {
	if len(r.Item.faults(true)) > 0 {
		return failed(invalid())
	}
	t := m.tables[r.Table]
	if t == nil {
		return failed(&Failure{Type: "ResourceNotFoundException"})
	}
	switch r.Verb {
	case "SELECT":
		return t.selected(r)
	case "INSERT":
		if key := t.keyOf(r.Item); t.items[key.String()] != nil && len(t.requestFaults(r)) == 0 {
			return failed(&Failure{Type: "DuplicateItemException"})
		}
		return t.stated(r, "Put")
	case "UPDATE":
		if t.items[r.Key.String()] == nil && len(t.requestFaults(r)) == 0 {
			return failed(&Failure{Type: "ConditionalCheckFailedException"})
		}
		return t.stated(r, "Update")
	}
	return t.stated(r, "Delete")
}

// selected are the items of a SELECT in the order of its index.
func (t *Table) selected(r *Request) *Answer {
	x := t.index(r.Index)
	if x == nil || r.Index != "" && !x.Local && r.Consistent {
		return failed(invalid())
	}
	bound := !slices.ContainsFunc(x.Hash, func(part Part) bool { return !r.Filter.binds(part.Name) })
	unseen := !x.Local && len(t.unprojected(x, r.Projection)) > 0
	if unseen || bound && len(t.unprojected(x, r.Filter.paths())) > 0 {
		return failed(invalid())
	}
	var items []Item
	for _, item := range t.sorted(x) {
		seen := t.view(x, item)
		if r.Filter != nil && !r.Filter.holds(seen) {
			continue
		}
		if r.Projection == nil && !x.Local {
			item = seen
		}
		items = append(items, r.project(item))
	}
	return &Answer{Members: map[string]string{"Items": itemsJSON(items)}}
}

// binds reports whether a condition wants an attribute to have one value.
func (c *Condition) binds(name string) bool {
	if c == nil || c.Op == "AND" {
		return c != nil && slices.ContainsFunc(c.Parts, func(part *Condition) bool { return part.binds(name) })
	}
	p, ok := c.first()
	return ok && c.Op == "=" && p.Name == name && len(p.Steps) == 0
}

func (c *Condition) first() (p *Path, ok bool) {
	if len(c.Operands) > 0 {
		p, ok = c.Operands[0].(*Path)
	}
	return p, ok
}

// stated does one write.
func (t *Table) stated(r *Request, operation string) *Answer {
	if len(t.requestFaults(r)) > 0 {
		return failed(invalid())
	}
	c := t.plan(r, operation)
	if c.refused {
		f := &Failure{Type: "ConditionalCheckFailedException"}
		if r.OnFailure == "ALL_OLD" {
			f.Item = c.old
		}
		return failed(f)
	}
	if len(c.faults) > 0 || c.item.Size() > itemBytesMax {
		return failed(invalid())
	}
	a := &Answer{Members: map[string]string{"Items": "[]"}, spent: t.put(c.old, c.item)}
	a.addCapacity(r, t, a.spent)
	a.addAttributes(r, c)
	if shown, ok := a.Members["Attributes"]; ok {
		a.Members["Items"] = "[" + shown + "]"
		delete(a.Members, "Attributes")
	}
	if i := slices.Index(a.Open, "Attributes"); i >= 0 {
		a.Open[i] = "Items"
	}
	return a
}

// returning is ReturnValues as statements have it.
func (r *Request) returning() string {
	what, when, _ := strings.Cut(r.ReturnValues, "_")
	if what == "UPDATED" {
		what = "MODIFIED"
	}
	return " RETURNING " + what + " " + when + " *"
}

// hasKeys reports whether a condition is about one of some attributes.
func (c *Condition) hasKeys(names []string) bool {
	return slices.ContainsFunc(c.paths(), func(p Path) bool { return slices.Contains(names, p.Name) })
}

// statements does the writes of an ExecuteTransaction: they are the actions of a TransactWriteItems, but that an INSERT
// wants its item to be absent, and an UPDATE wants it to be there.
func (m *Model) statements(r *Request) *Answer {
	same := *r
	same.Parts = nil
	for _, part := range r.Parts {
		action := *part
		key := &Path{Name: "pk"}
		switch part.Verb {
		case "INSERT":
			action.Operation = "Put"
			action.Condition = &Condition{Op: "attribute_not_exists", Operands: []Operand{key}}
		case "UPDATE":
			action.Operation = "Update"
			action.Condition = &Condition{Op: "attribute_exists", Operands: []Operand{key}}
			if part.Condition != nil {
				action.Condition = &Condition{Op: "AND", Parts: []*Condition{action.Condition, part.Condition}}
			}
		case "EXISTS":
			action.Operation = "ConditionCheck"
		default:
			action.Operation = "Delete"
		}
		same.Parts = append(same.Parts, &action)
	}
	a := m.transactWrite(&same)
	if a.Failure == nil {
		a.Members["Responses"] = "[]"
		return a
	}
	for i, reason := range a.Failure.Reasons {
		if r.Parts[i].Verb == "INSERT" && reason.Code == "ConditionalCheckFailed" {
			a.Failure.Reasons[i] = Reason{Code: "DuplicateItem", Texts: []string{"Duplicate primary key exists in table"}}
		}
	}
	if a.Failure.Reasons == nil {
		return a
	}
	worded := cancelled(a.Failure.Reasons)
	worded.Failure.Or = a.Failure.Or
	return worded
}
