// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"strconv"
	"strings"
)

// Path leads to an attribute or into it.
type Path struct {
	Name  string
	Steps []Step
}

// Step is one step into a document: a field, or with Field "" an element.
type Step struct {
	Field string
	Index int
}

// Operand is a *Path, a *Value, or a *Call of size, if_not_exists, list_append, + or -.
type Operand any

// Call is a function of operands.
type Call struct {
	Function string
	Operands []Operand
}

// Condition is a tree. Op is AND, OR (over Parts), NOT (of Parts[0]), a comparison, BETWEEN, IN or a function's name
// (over Operands).
type Condition struct {
	Op       string
	Parts    []*Condition
	Operands []Operand
}

// Action is one action of an update. To is what SET assigns, and the value of ADD and DELETE.
type Action struct {
	Verb string // SET, REMOVE, ADD or DELETE
	Path Path
	To   Operand
}

// KeyTest is a condition on a key attribute: =, <, <=, >, >=, BETWEEN or begins_with.
type KeyTest struct {
	Name   string
	Op     string
	Values []*Value
}

// key is a text that only equal paths share, and by which a path sorts in front of what it leads to.
func (p Path) key() string { return p.text() }

// text is the path as error texts show it.
func (p Path) text() string {
	var b strings.Builder
	b.WriteString("[" + p.Name)
	for _, step := range p.Steps {
		if step.Field != "" {
			b.WriteString(", " + step.Field)
		} else {
			b.WriteString(", [" + strconv.Itoa(step.Index) + "]")
		}
	}
	return b.String() + "]"
}

// follow walks the path. It returns nil if it leads nowhere.
func (p Path) follow(item Item) *Value {
	v := item[p.Name]
	for _, step := range p.Steps {
		v = step.of(v)
	}
	return v
}

func (s Step) of(v *Value) *Value {
	switch {
	case s.Field != "" && typeOf(v) == "M":
		return v.Fields[s.Field]
	case s.Field == "" && typeOf(v) == "L" && s.Index < len(v.List):
		return v.List[s.Index]
	}
	return nil
}

// relation says how two paths stand to each other: "", "overlap" or "conflict".
func relation(a, b Path) string {
	if a.Name != b.Name {
		return ""
	}
	for i := range min(len(a.Steps), len(b.Steps)) {
		x, y := a.Steps[i], b.Steps[i]
		switch {
		case (x.Field == "") != (y.Field == ""):
			return "conflict"
		case x != y:
			return ""
		}
	}
	return "overlap"
}

// clashes lists the texts that refuse pairs of paths.
func clashes(paths []Path) (texts []string) {
	for i := range paths {
		for j := i + 1; j < len(paths); j++ {
			if how := relation(paths[i], paths[j]); how != "" {
				texts = append(texts, "Two document paths "+how+
					" with each other; must remove or rewrite one of these paths; path one: "+
					paths[i].text()+", path two: "+paths[j].text())
			}
		}
	}
	return texts
}

// paths lists the paths of a condition.
func (c *Condition) paths() (list []Path) {
	if c == nil {
		return nil
	}
	for _, part := range c.Parts {
		list = append(list, part.paths()...)
	}
	for _, o := range c.Operands {
		list = append(list, pathsOf(o)...)
	}
	return list
}

func pathsOf(o Operand) (list []Path) {
	switch o := o.(type) {
	case *Path:
		return []Path{*o}
	case *Call:
		for _, inner := range o.Operands {
			list = append(list, pathsOf(inner)...)
		}
	}
	return list
}
