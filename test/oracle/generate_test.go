// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// newGenerator makes a generator with new tables.
func newGenerator(seed uint64) *generator {
	g := &generator{rng: rand.New(rand.NewPCG(seed, 1))}
	g.huge = g.one(8)
	for _, name := range []string{"one", "two", "three"} {
		g.tables = append(g.tables, g.schema(name))
	}
	return g
}

// request makes the next request.
func (g *generator) request() *Request {
	r := g.next
	g.next = nil
	if r == nil {
		r = g.fresh()
		g.sample = nil
	}
	g.render(r)
	if g.one(40) {
		g.force(r)
	}
	return r
}

func (g *generator) render(r *Request) {
	if r.Body == "" {
		r.Render(&writer{rng: g.rng})
	}
}

func (g *generator) fresh() *Request {
	t := pickOne(g, g.tables)
	r := &Request{Table: t.Name, Capacity: pickOne(g, []string{"", "NONE", "TOTAL", "INDEXES", "INDEXES", "INDEXES"})}
	if g.one(200) {
		r.Table = "missing"
	}
	switch n := g.rng.IntN(100); {
	case n < 22:
		g.put(r, t)
	case n < 47:
		g.update(r, t)
	case n < 54:
		g.remove(r, t)
	case n < 59:
		g.get(r, t)
	case n < 72:
		g.query(r, t)
	case n < 80:
		g.statement(r, t)
	case n < 88:
		g.scan(r, t)
	case n < 91:
		g.batchGet(r)
	case n < 94 || !g.transactions:
		g.batchWrite(r)
	case n < 96:
		g.transactGet(r)
	default:
		g.transactWrite(r)
	}
	return r
}

// returns adds what writes have in common.
func (g *generator) returns(r *Request, values ...string) {
	if g.one(3) {
		r.Condition = g.condition(0)
	}
	if g.one(2) {
		r.OnFailure = pickOne(g, []string{"ALL_OLD", "NONE"})
	}
	if g.one(5) {
		r.Metrics = pickOne(g, []string{"SIZE", "SIZE", "NONE"})
	}
	r.ReturnValues = pickOne(g, values)
}

func (g *generator) put(r *Request, t *Table) {
	r.Operation = "PutItem"
	key := g.key(t)
	if g.one(40) {
		key = g.badKey(key, t)
	}
	r.Item = g.item(t, key)
	if g.huge && g.one(3) { // so small that an update of it counts more than it will
		r.Item = maps.Clone(key)
		r.Item["m"] = Map(nil)
	}
	g.sample = g.stored(t, key)
	if g.one(100) {
		r.Item[pickOne(g, attributes[:5]).Name] = g.long()
	}
	g.returns(r, "", "NONE", "ALL_OLD")
}

func (g *generator) anyKey(t *Table) Item {
	key := g.key(t)
	if g.one(50) {
		key = g.badKey(key, t)
	}
	return key
}

func (g *generator) remove(r *Request, t *Table) {
	r.Operation, r.Key = "DeleteItem", g.anyKey(t)
	g.sample = g.stored(t, r.Key)
	g.returns(r, "", "NONE", "ALL_OLD")
}

func (g *generator) get(r *Request, t *Table) {
	r.Operation, r.Key, r.Consistent = "GetItem", g.anyKey(t), g.one(2)
	g.sample = g.stored(t, r.Key)
	if g.one(2) {
		r.Projection = g.paths(3)
	}
}

func (g *generator) update(r *Request, t *Table) {
	r.Operation, r.Key = "UpdateItem", g.anyKey(t)
	g.sample = g.stored(t, r.Key)
	if !g.one(40) {
		r.Actions = g.actions()
	}
	if g.one(150) {
		p := Path{Name: pickOne(g, t.key()).Name}
		if g.one(3) {
			p.Steps = []Step{{Field: "x"}}
		}
		r.Actions = append(r.Actions, Action{Verb: "SET", Path: p, To: g.scalar("S")})
	}
	if g.one(200) {
		r.Actions = append(r.Actions, Action{Verb: "SET", Path: Path{Name: pickOne(g, attributes[:5]).Name},
			To: g.long()})
	}
	if g.huge && g.one(6) {
		r.Actions = g.largeActions()
	}
	g.returns(r, "", "NONE", "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW", "UPDATED_OLD", "UPDATED_NEW")
}

// largeActions write as much as one update may, or a byte more or less.
func (g *generator) largeActions() []Action {
	p := Path{Name: "pad"}
	if typeOf(g.sample["m"]) == "M" && !g.one(3) {
		p = Path{Name: "m", Steps: []Step{{Field: "x"}}}
	}
	actions := []Action{{Verb: "SET", Path: p, To: Text("")}}
	if g.one(2) {
		actions = append(actions, Action{Verb: "REMOVE", Path: Path{Name: "name"}})
	}
	rest := itemBytesMax - (&Request{Actions: actions}).statementBytes(nil)
	actions[0].To = Text(strings.Repeat("u", rest-1+g.rng.IntN(3)))
	return actions
}

// stored is the item that a request is about, nil if there is none.
func (g *generator) stored(t *Table, key Item) Item {
	if g.one(4) {
		return nil
	}
	return g.model.tables[t.Name].items[key.String()]
}

// pathIn is a path to something that an item has, and what it leads to.
func (g *generator) pathIn(item Item) (Path, *Value) {
	names := slices.Sorted(maps.Keys(item))
	p := Path{Name: pickOne(g, names)}
	if p.Name == "pk" || p.Name == "sk" {
		return Path{Name: "a"}, item["a"]
	}
	v := item[p.Name]
	for len(p.Steps) < 4 && g.one(2) {
		switch {
		case v.Type == "M" && len(v.Fields) > 0:
			p.Steps = append(p.Steps, Step{Field: pickOne(g, slices.Sorted(maps.Keys(v.Fields)))})
		case v.Type == "L" && len(v.List) > 0:
			p.Steps = append(p.Steps, Step{Index: g.rng.IntN(len(v.List))})
		default:
			return p, v
		}
		v = p.follow(item)
	}
	return p, v
}

// path is a path into an item.
func (g *generator) path() Path {
	if g.sample != nil && !g.one(4) {
		p, _ := g.pathIn(g.sample)
		return p
	}
	p := Path{Name: pickOne(g, attributes).Name}
	if g.one(3) {
		p.Name = pickOne(g, []string{"m", "l", "x"})
	}
	if g.one(150) {
		p.Name = pickOne(g, []string{"pk", "sk"})
	}
	kind := p.Name
	for g.one(2) && len(p.Steps) < 3 && (!isKeyName(p.Name) || g.one(50)) {
		field := kind == "m" || kind != "l" && g.one(2)
		if g.one(30) {
			field = !field
		}
		if field {
			kind = pickOne(g, fieldNames)
			p.Steps = append(p.Steps, Step{Field: kind})
		} else {
			kind = ""
			p.Steps = append(p.Steps, Step{Index: g.rng.IntN(4)})
		}
	}
	return p
}

func isKeyName(name string) bool { return strings.Contains("a b c d e pk sk", name) }

// paths are a few paths that mostly do not clash.
func (g *generator) paths(most int) (list []Path) {
	wanted := 1 + g.rng.IntN(most)
	for len(list) < wanted {
		p := g.path()
		if g.one(4) {
			p = Path{Name: pickOne(g, []string{"pk", "sk"})}
		}
		if len(clashes(append(list, p))) == 0 || g.one(40) {
			list = append(list, p)
		}
	}
	return list
}

func (g *generator) actions() (list []Action) {
	var used []Path
	for wanted := pickOne(g, []int{1, 1, 2, 2, 3, 4}); len(list) < wanted; {
		p := g.path()
		if len(p.Steps) > 0 && p.follow(g.sample) == nil && !g.one(6) {
			p.Steps = nil
		}
		if len(clashes(append(used, p))) > 0 && !g.one(60) {
			continue
		}
		used = append(used, p)
		list = append(list, g.action(p))
	}
	return list
}

func (g *generator) action(p Path) Action {
	usual := g.usual(p)
	switch n := g.rng.IntN(10); {
	case n < 2:
		return Action{Verb: "REMOVE", Path: p}
	case n < 4 && (usual == "N" || strings.HasSuffix(usual, "S") && usual != "S"):
		return Action{Verb: "ADD", Path: p, To: g.value(usual, 0)}
	case n < 5 && strings.HasSuffix(usual, "S") && usual != "S":
		return Action{Verb: "DELETE", Path: p, To: g.value(usual, 0)}
	case n < 5 && g.one(4):
		return Action{Verb: pickOne(g, []string{"ADD", "DELETE"}), Path: p, To: g.value(pickOne(g, kinds), 1)}
	}
	return Action{Verb: "SET", Path: p, To: g.assigned(p, usual)}
}

// usual is the type that a path mostly leads to, "" if any.
func (g *generator) usual(p Path) string {
	if v := p.follow(g.sample); v != nil && !g.one(8) {
		return v.Type
	}
	if len(p.Steps) > 0 {
		return pickOne(g, []string{"", "N", "S"})
	}
	for _, part := range attributes {
		if part.Name == p.Name {
			return part.Type
		}
	}
	return ""
}

func (g *generator) assigned(p Path, usual string) Operand {
	if usual == "" {
		usual = pickOne(g, []string{"N", "L", "S", "M"})
	}
	other := g.path()
	if g.one(2) {
		other = p
	} else if g.one(4) {
		other = Path{Name: pickOne(g, []string{"pk", "sk"})}
	}
	switch g.rng.IntN(8) {
	case 0:
		return &other
	case 1, 2:
		return &Call{"if_not_exists", []Operand{&other, g.source(usual)}}
	case 3, 4:
		if usual == "N" {
			return &Call{pickOne(g, []string{"+", "-"}), []Operand{g.source("N"), g.source("N")}}
		}
		if usual == "L" {
			return &Call{"list_append", []Operand{g.source("L"), g.source("L")}}
		}
	case 5:
		if g.one(10) {
			return g.faulty()
		}
		if p.Name == "pad" {
			item := Item{"pk": Text("a"), "sk": Text("b")}
			if g.fill(item); item["pad"] != nil {
				return item["pad"]
			}
		}
	}
	if isScalar(usual) && !g.one(20) {
		return g.scalar(usual)
	}
	return g.value(usual, 0)
}

// source is an operand of a type.
func (g *generator) source(kind string) Operand {
	var named []string
	for _, part := range attributes {
		if part.Type == kind {
			named = append(named, part.Name)
		}
	}
	p := &Path{Name: pickOne(g, append(named, "x"))}
	for range 5 {
		if g.sample == nil {
			break
		}
		if found, v := g.pathIn(g.sample); typeOf(v) == kind {
			p = &found
			break
		}
	}
	switch g.rng.IntN(5) {
	case 0:
		return p
	case 1:
		return &Call{"if_not_exists", []Operand{p, g.value(kind, 1)}}
	case 2:
		if g.one(20) {
			return g.value("", 1)
		}
	}
	return g.value(kind, 1)
}
