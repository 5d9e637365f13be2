// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// triesMax is how often the generator looks for a condition or an update that a statement can have.
const triesMax = 20

// statement makes a statement of PartiQL without faults of its own.
func (g *generator) statement(r *Request, t *Table) {
	r.Operation = "ExecuteStatement"
	switch n := g.rng.IntN(10); {
	case n < 3:
		g.selects(r, t)
	case n < 5:
		r.Operation = "ExecuteTransaction"
		g.several(r, "INSERT", "UPDATE", "UPDATE", "DELETE", "EXISTS")
		for _, p := range r.Parts {
			p.ReturnValues = ""
		}
	case n < 7:
		r.Operation = "BatchExecuteStatement"
		verbs := []string{"INSERT", "UPDATE", "UPDATE", "DELETE"}
		if g.one(3) {
			verbs = []string{"SELECT"}
		}
		g.several(r, verbs...)
	default:
		g.states(r, t, g.key(t), "INSERT", "UPDATE", "DELETE")
	}
	if r.Verb == "" && r.Parts == nil {
		g.get(r, t)
	}
}

// several makes the statements of a batch or a transaction, each about an item of its own that there can be.
func (g *generator) several(r *Request, verbs ...string) {
	for range 1 + g.rng.IntN(6) {
		p := g.part(r, "")
		own := g.table(p.Table)
		if len(own.keyFaults(p.Key)) > 0 {
			continue
		}
		g.states(p, own, p.Key, verbs...)
		if p.Item == nil || len(own.requestFaults(p))+len(p.Item.faults(true)) == 0 {
			r.Parts = append(r.Parts, p)
		}
	}
}

// states makes one write with one of the verbs.
func (g *generator) states(r *Request, t *Table, key Item, verbs ...string) {
	r.Verb, r.Key = pickOne(g, verbs), key
	g.sample = g.stored(t, r.Key)
	switch r.Verb {
	case "INSERT":
		r.Item, r.Key = g.item(t, key), nil
	case "UPDATE":
		r.Actions = g.stating(t)
		r.ReturnValues = pickOne(g, []string{"", "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"})
	case "DELETE":
		r.ReturnValues = pickOne(g, []string{"", "ALL_OLD"})
	case "SELECT":
		if r.Consistent = g.one(3); g.one(3) {
			r.Projection = []Path{{Name: "x"}, {Name: "pk"}}
		}
	}
	if r.Verb == "EXISTS" {
		r.Condition = &Condition{Op: "attribute_not_exists", Operands: []Operand{&Path{Name: "x"}}}
	}
	if r.Key != nil && g.one(2) {
		if c := g.predicate(t, namesOf(t.key())); c != nil {
			r.Condition = c
		}
	}
	if r.Key != nil && g.one(3) {
		r.OnFailure = "ALL_OLD"
	}
}

// selects makes a SELECT of a table or of an index.
func (g *generator) selects(r *Request, t *Table) {
	r.Verb, r.Consistent, r.Capacity = "SELECT", g.one(3), ""
	if len(t.Indexes) > 0 && g.one(2) {
		r.Index = pickOne(g, t.Indexes).Name
	}
	x := t.index(r.Index)
	g.sampleOf(t, x)
	if !g.one(4) {
		r.Filter = g.predicate(t, namesOf(x.key()))
	}
	for i, part := range x.key() {
		if g.one(3) {
			break
		}
		c := &Condition{Op: "=", Operands: []Operand{&Path{Name: part.Name}, g.keyed(part)}}
		if i >= len(x.Hash) {
			c.Op = pickOne(g, comparisons[2:])
		}
		if r.Filter == nil {
			r.Filter = c
		} else {
			r.Filter = &Condition{Op: "AND", Parts: []*Condition{c, r.Filter}}
		}
		if c.Op != "=" {
			break
		}
	}
	if g.one(3) {
		for _, name := range []string{"pk", "a", "x", "m"} {
			if g.one(2) {
				r.Projection = append(r.Projection, Path{Name: name})
			}
		}
	}
	if g.one(2) {
		r.Limit = 1 + g.rng.IntN(4)
	}
}

// predicate is a condition without faults that is not about certain attributes; nil if none is found.
func (g *generator) predicate(t *Table, but []string) *Condition {
	for range triesMax {
		c := g.condition(1)
		r := &Request{Condition: c, Table: t.Name}
		if len(r.expressionFaults()) == 0 && len(t.scalarFaults(r)) == 0 && !c.hasKeys(but) && !c.isFaulty() {
			return c
		}
	}
	return nil
}

// stating are actions that PartiQL can say, without faults of their own.
func (g *generator) stating(t *Table) []Action {
	for range triesMax {
		r := &Request{Operation: "UpdateItem", Actions: g.actions(), Table: t.Name}
		speakable := !slices.ContainsFunc(r.Actions, func(a Action) bool {
			v, isValue := a.To.(*Value)
			return a.To != nil && isFaulty(a.To) || (a.Verb == "ADD" || a.Verb == "DELETE") && !(isValue && v.isSet())
		})
		if speakable && len(r.expressionFaults()) == 0 && len(t.scalarFaults(r)) == 0 && len(t.touchFaults(r)) == 0 {
			return r.Actions
		}
	}
	return []Action{{Verb: "SET", Path: Path{Name: "y"}, To: ofInt(1)}}
}

func (c *Condition) isFaulty() bool {
	return slices.ContainsFunc(c.Parts, (*Condition).isFaulty) || slices.ContainsFunc(c.Operands, isFaulty)
}

// isFaulty reports whether a value in an operand is none that there can be.
func isFaulty(o Operand) bool {
	switch o := o.(type) {
	case *Value:
		return len(o.faults(false)) > 0 || len(o.faults(true)) > 0
	case *Call:
		return slices.ContainsFunc(o.Operands, isFaulty)
	}
	return false
}

// statement renders the text, and adds it and its parameters.
func (r *Request) statement(m map[string]string, w *writer) {
	w.partiql, w.parameters = true, nil
	text := ""
	switch table := w.quoted(r.Table); r.Verb {
	case "SELECT":
		columns := "*"
		if r.Projection != nil {
			columns = w.projection(r.Projection)
		}
		if r.Index != "" {
			table += "." + w.quoted(r.Index)
		}
		if text = "SELECT " + columns + " FROM " + table; r.Key != nil {
			text += r.where(w)
		} else if r.Filter != nil {
			text += " WHERE " + w.condition(r.Filter)
		}
	case "INSERT":
		text = "INSERT INTO " + table + " VALUE " + w.item(r.Item)
	case "UPDATE":
		text = "UPDATE " + table + " " + w.sets(r.Actions) + r.where(w)
	case "EXISTS":
		text = "EXISTS(SELECT * FROM " + table + r.where(w) + ")"
	default:
		text = "DELETE FROM " + table + r.where(w)
	}
	if r.ReturnValues != "" {
		text += r.returning()
	}
	m["Statement"] = quote(text)
	var parameters []string
	for _, v := range w.parameters {
		parameters = append(parameters, string(v.appendJSON(nil, true)))
	}
	if parameters != nil {
		m["Parameters"] = "[" + strings.Join(parameters, ",") + "]"
	}
	set(m, "ReturnValuesOnConditionCheckFailure", r.OnFailure)
	if r.Consistent {
		m["ConsistentRead"] = "true"
	}
	if r.Limit > 0 {
		m["Limit"] = strconv.Itoa(r.Limit)
	}
}

// statements renders the statements of a transaction.
func (r *Request) statements(w *writer) string {
	var list []string
	for _, part := range r.Parts {
		m := map[string]string{}
		part.statement(m, w)
		list = append(list, w.object(m))
	}
	return "[" + strings.Join(list, ",") + "]"
}

// where is the condition of a write: its key, and what else must hold.
func (r *Request) where(w *writer) string {
	all := &Condition{Op: "AND"}
	for _, name := range slices.Sorted(maps.Keys(r.Key)) {
		all.Parts = append(all.Parts, &Condition{Op: "=", Operands: []Operand{&Path{Name: name}, r.Key[name]}})
	}
	if r.Condition != nil {
		all.Parts = append(all.Parts, r.Condition)
	}
	return " WHERE " + w.condition(all)
}

// quoted is a name in quotes.
func (w *writer) quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// item is a literal of a map, whose values may be parameters.
func (w *writer) item(fields map[string]*Value) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		list = append(list, inQuotes(name)+":"+w.blank()+w.value(fields[name]))
	}
	return "{" + strings.Join(list, ","+w.blank()) + "}"
}

func inQuotes(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// literal is a value as a literal; "" if it has none.
func (w *writer) literal(v *Value) string {
	if v.Fault != "" || v.OlderFault != "" {
		return ""
	}
	parts := make([]string, 0, len(v.List)+len(v.Fields))
	add := func(name string, v *Value) {
		if text := w.literal(v); text != "" {
			parts = append(parts, name+text)
		}
	}
	for _, element := range v.List {
		add("", element)
	}
	for _, name := range slices.Sorted(maps.Keys(v.Fields)) {
		add(inQuotes(name)+": ", v.Fields[name])
	}
	if len(parts) < len(v.List)+len(v.Fields) {
		return ""
	}
	list := strings.Join(parts, ", ")
	switch v.Type {
	case "S":
		return inQuotes(v.Text)
	case "N":
		return v.Number.String()
	case "BOOL":
		return w.word(strings.ToUpper(strconv.FormatBool(v.Truth)))
	case "NULL":
		return w.word("NULL")
	case "L":
		return "[" + list + "]"
	case "M":
		return "{" + list + "}"
	case "SS", "NS":
		return "<<" + list + ">>"
	}
	return ""
}

// sets renders actions, each as a SET or a REMOVE.
func (w *writer) sets(actions []Action) string {
	var list []string
	for _, a := range actions {
		path := w.path(a.Path)
		switch a.Verb {
		case "SET":
			list = append(list, w.word("SET")+" "+path+" = "+w.operand(a.To))
		case "REMOVE":
			list = append(list, w.word("REMOVE")+" "+path)
		default:
			function := map[string]string{"ADD": "set_add", "DELETE": "set_delete"}[a.Verb]
			list = append(list, fmt.Sprint(w.word("SET"), " ", path, " = ", function, "(", w.path(a.Path), ", ",
				w.value(a.To.(*Value)), ")"))
		}
	}
	return strings.Join(list, " ")
}

// stepStatement runs a SELECT page by page: together they are what the model finds, in the order of the
// index, since its statements give one partition or all.
func stepStatement(do target, model *Model, r *Request) (want *Answer, text string) {
	want = model.Do(r)
	var found []string
	members := map[string]json.RawMessage{}
	_ = json.Unmarshal([]byte(r.Body), &members) // the generator's own
	for pages := 0; ; pages++ {
		body, _ := json.Marshal(members)
		got, failure := do(r.Operation, string(body))
		if failure || want.Failure != nil {
			return want, Compare(r, want, got, failure)
		}
		var page struct {
			Items     json.RawMessage
			NextToken string
		}
		if err := json.Unmarshal(got, &page); err != nil || pages > 2000 {
			return want, fmt.Sprintf("no end, or no page: %v: %s", err, got)
		}
		if found = append(found, elements(string(page.Items))...); page.NextToken == "" {
			break
		}
		members["NextToken"], _ = json.Marshal(page.NextToken)
	}
	wanted := elements(want.Members["Items"])
	if !slices.Equal(wanted, found) {
		return want, fmt.Sprintf("want %s\n got %s", shortened(strings.Join(wanted, "\n")),
			shortened(strings.Join(found, "\n")))
	}
	return &Answer{Members: map[string]string{}}, ""
}
