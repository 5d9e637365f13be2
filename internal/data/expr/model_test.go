// SPDX-License-Identifier: Apache-2.0

package expr

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/weftdb/weft/internal/data/value"
)

// The model is evaluation written as plainly as can be, over decoded values:
//
//	nil  bool  string  blob  *big.Rat  *list  fields  members
//
// An operand without a value is the Go value absent.
type (
	blob    string
	fields  map[string]any
	members struct {
		kind value.Kind
		of   map[string]bool // by the members' texts
	}
	// list is sparse while it is changed: elements stand under the indexes that they had at the beginning.
	list struct {
		of     map[int]any
		length int
	}
	absent struct{}
)

func decode(v value.Value) any {
	switch kind := v.Kind(); {
	case kind == value.Missing:
		return absent{}
	case kind == value.Bool:
		return v.Bool()
	case kind == value.String:
		return string(v.Bytes())
	case kind == value.Binary:
		return blob(v.Bytes())
	case kind.IsNumeric():
		d, _ := v.Decimal()
		number, _ := new(big.Rat).SetString(d.String())
		return number
	case kind == value.Map:
		m := fields{}
		for e := v.Elements(); e.Next(); {
			m[string(e.Name())] = decode(e.Value())
		}
		return m
	case kind == value.List:
		l := &list{of: map[int]any{}}
		for e := v.Elements(); e.Next(); l.length++ {
			l.of[l.length] = decode(e.Value())
		}
		return l
	case kind.IsSet():
		s := members{kind: kind, of: map[string]bool{}}
		for e := v.Elements(); e.Next(); {
			s.of[show(decode(e.Value()))] = true
		}
		return s
	}
	return nil
}

func decodeRow(row value.Row, names value.Names) fields {
	m := fields{}
	for a := row.Attributes(names); a.Next(); {
		m[string(a.Name())] = decode(a.Value())
	}
	return m
}

// show is a text that is the same for equal values only.
func show(x any) string {
	switch x := x.(type) {
	case absent:
		return "absent"
	case nil:
		return "null"
	case string:
		return fmt.Sprintf("%q", x)
	case blob:
		return fmt.Sprintf("x%q", string(x))
	case *big.Rat:
		return x.RatString()
	case fields:
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(x)) {
			parts = append(parts, fmt.Sprintf("%q:%s", name, show(x[name])))
		}
		return "{" + strings.Join(parts, ",") + "}"
	case *list:
		var parts []string
		for _, i := range slices.Sorted(maps.Keys(x.of)) {
			parts = append(parts, show(x.of[i]))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case members:
		return fmt.Sprintf("<%v %s>", x.kind, strings.Join(slices.Sorted(maps.Keys(x.of)), ","))
	}
	return fmt.Sprint(x)
}

func modelLookup(item fields, p *Path) any {
	var x any = item
	for _, step := range append([]Step{{Field: p.Name, Index: -1}}, p.Steps...) {
		ok := false
		switch holder := x.(type) {
		case fields:
			if x, ok = holder[step.Field]; step.Index >= 0 {
				ok = false
			}
		case *list:
			x, ok = holder.of[step.Index]
		}
		if !ok {
			return absent{}
		}
	}
	return x
}

func modelSize(x any) any {
	n := 0
	switch x := x.(type) {
	case string:
		n = len(utf16.Encode([]rune(x)))
	case blob:
		n = len(x)
	case fields:
		n = len(x)
	case *list:
		n = len(x.of)
	case members:
		n = len(x.of)
	default:
		return absent{}
	}
	return big.NewRat(int64(n), 1)
}

// modelValue is an operand's value; ok is false if evaluation fails.
func modelValue(item fields, o Operand) (x any, ok bool) {
	switch o := o.(type) {
	case *Path:
		return modelLookup(item, o), true
	case *Literal:
		return decode(o.Value), true
	case *Size:
		return modelSize(modelLookup(item, &o.Path)), true
	case *IfNotExists:
		if x := modelLookup(item, &o.Path); x != (any)(absent{}) {
			return x, true
		}
		return modelValue(item, o.Default)
	case *ListAppend:
		a, okA := modelValue(item, o.A)
		b, okB := modelValue(item, o.B)
		first, isList := a.(*list)
		second, areLists := b.(*list)
		if !okA || !okB || !isList || !areLists {
			return nil, false
		}
		sum := &list{of: maps.Clone(first.of), length: first.length + second.length}
		for i, x := range second.of {
			sum.of[first.length+i] = x
		}
		return sum, true
	case *Arithmetic:
		a, okA := modelValue(item, o.A)
		b, okB := modelValue(item, o.B)
		return modelArithmetic(o.Sign, a, b, okA && okB)
	}
	panic("unknown operand")
}

func modelArithmetic(sign Sign, a, b any, ok bool) (any, bool) {
	x, isNumber := a.(*big.Rat)
	y, areNumbers := b.(*big.Rat)
	if !ok || !isNumber || !areNumbers {
		return nil, false
	}
	if sign == Minus {
		return new(big.Rat).Sub(x, y), true
	}
	return new(big.Rat).Add(x, y), true
}

func modelCompare(op Comparison, a, b any) bool {
	_, noA := a.(absent)
	_, noB := b.(absent)
	same := !noA && !noB && show(a) == show(b)
	if op == Equal || op == NotEqual {
		return same == (op == Equal)
	}
	order := 0
	switch a := a.(type) {
	case string:
		b, ok := b.(string)
		if !ok {
			return false
		}
		order = strings.Compare(a, b)
	case blob:
		b, ok := b.(blob)
		if !ok {
			return false
		}
		order = strings.Compare(string(a), string(b))
	case *big.Rat:
		b, ok := b.(*big.Rat)
		if !ok {
			return false
		}
		order = a.Cmp(b)
	default:
		return false
	}
	return map[Comparison]bool{Less: order < 0, LessOrEqual: order <= 0, Greater: order > 0,
		GreaterOrEqual: order >= 0}[op]
}

func modelMatch(item fields, c Condition) bool {
	get := func(o Operand) any {
		x, _ := modelValue(item, o)
		return x
	}
	switch c := c.(type) {
	case *Compare:
		return modelCompare(c.Op, get(c.A), get(c.B))
	case *Between:
		return modelCompare(LessOrEqual, get(c.Low), get(c.X)) && modelCompare(LessOrEqual, get(c.X), get(c.High))
	case *In:
		return slices.ContainsFunc(c.List, func(o Operand) bool { return modelCompare(Equal, get(c.X), get(o)) })
	case *And:
		return !slices.ContainsFunc(c.List, func(c Condition) bool { return !modelMatch(item, c) })
	case *Or:
		return slices.ContainsFunc(c.List, func(c Condition) bool { return modelMatch(item, c) })
	case *Not:
		return !modelMatch(item, c.Of)
	case *Exists:
		return modelLookup(item, &c.Path) != (any)(absent{})
	case *NotExists:
		return modelLookup(item, &c.Path) == (any)(absent{})
	case *HasType:
		return modelType(get(c.X)) == c.Type.String()
	case *BeginsWith:
		return modelText(get(c.X), get(c.Prefix), strings.HasPrefix)
	case *Contains:
		return modelContains(get(c.X), get(c.Member))
	}
	panic("unknown condition")
}

func modelType(x any) string {
	switch x := x.(type) {
	case nil:
		return "NULL"
	case bool:
		return "BOOL"
	case string:
		return "S"
	case blob:
		return "B"
	case *big.Rat:
		return "N"
	case fields:
		return "M"
	case *list:
		return "L"
	case members:
		return x.kind.String()
	}
	return "absent"
}

// modelText applies a test to two strings or two binaries.
func modelText(a, b any, test func(a, b string) bool) bool {
	switch a := a.(type) {
	case string:
		b, ok := b.(string)
		return ok && test(a, b)
	case blob:
		b, ok := b.(blob)
		return ok && test(string(a), string(b))
	}
	return false
}

func modelContains(x, member any) bool {
	switch x := x.(type) {
	case *list:
		for _, element := range x.of {
			if modelCompare(Equal, element, member) {
				return true
			}
		}
	case members:
		return x.kind.String() == modelType(member)+"S" && x.of[show(member)]
	}
	return modelText(x, member, strings.Contains)
}

// modelUpdate is the item after an update; ok is false if it can't be made. Each action is carried out on its own,
// lists being sparse the while.
func modelUpdate(old, item fields, u *Update) (ok bool) {
	for _, action := range u.Set {
		x, ok := modelValue(old, action.To)
		if !ok || x == (any)(absent{}) || !modelPut(item, &action.Path, func(any) (any, bool) { return x, true }) {
			return false
		}
	}
	for _, path := range u.Remove {
		if !modelPut(item, &path, func(any) (any, bool) { return absent{}, true }) {
			return false
		}
	}
	for _, action := range u.Add {
		more := decode(action.Value)
		if !modelPut(item, &action.Path, func(x any) (any, bool) { return modelAdd(x, more) }) {
			return false
		}
	}
	for _, action := range u.Delete {
		less := decode(action.Value).(members)
		if !modelPut(item, &action.Path, func(x any) (any, bool) { return modelDelete(x, less) }) {
			return false
		}
	}
	return true
}

// modelPut replaces what a path leads to.
func modelPut(item fields, p *Path, change func(any) (any, bool)) bool {
	last := Step{Field: p.Name, Index: -1}
	var holder any = item
	if n := len(p.Steps); n > 0 {
		holder = modelLookup(item, &Path{Name: p.Name, Steps: p.Steps[:n-1]})
		last = p.Steps[n-1]
	}
	switch holder := holder.(type) {
	case fields:
		old, found := holder[last.Field]
		if !found {
			old = absent{}
		}
		x, ok := change(old)
		if !ok || last.Index >= 0 {
			return false
		}
		if holder[last.Field] = x; x == (any)(absent{}) {
			delete(holder, last.Field)
		}
		return true
	case *list:
		old, found := holder.of[last.Index]
		if !found {
			old = absent{}
		}
		x, ok := change(old)
		if !ok || last.Index < 0 {
			return false
		}
		if holder.of[last.Index] = x; x == (any)(absent{}) {
			delete(holder.of, last.Index)
		}
		return true
	}
	return false
}

func modelAdd(old, more any) (any, bool) {
	if old == (any)(absent{}) {
		return more, true
	}
	set, isSet := old.(members)
	other, areSets := more.(members)
	if isSet != areSets || isSet && set.kind != other.kind {
		return nil, false
	}
	if !isSet {
		return modelArithmetic(Plus, old, more, true)
	}
	union := members{set.kind, maps.Clone(set.of)}
	maps.Copy(union.of, other.of)
	return union, true
}

func modelDelete(old any, less members) (any, bool) {
	if old == (any)(absent{}) {
		return old, true
	}
	set, ok := old.(members)
	if !ok || set.kind != less.kind {
		return nil, false
	}
	rest := members{set.kind, maps.Clone(set.of)}
	maps.DeleteFunc(rest.of, func(member string, _ bool) bool { return less.of[member] })
	if len(rest.of) == 0 {
		return absent{}, true
	}
	return rest, true
}

// modelProject copies what the paths lead to into a new item.
func modelProject(item fields, paths []Path) fields {
	result := fields{}
	for i := range paths {
		found := modelLookup(item, &paths[i])
		if found == (any)(absent{}) {
			continue
		}
		var from any = item
		var to any = result
		steps := append([]Step{{Field: paths[i].Name, Index: -1}}, paths[i].Steps...)
		for at, step := range steps {
			from = modelLookup(item, &Path{Name: steps[0].Field, Steps: steps[1 : at+1]})
			next := from
			if at < len(steps)-1 {
				next = emptyLike(from)
			}
			to = modelChild(to, step, next)
		}
	}
	return result
}

func emptyLike(x any) any {
	if _, ok := x.(fields); ok {
		return fields{}
	}
	return &list{of: map[int]any{}}
}

// modelChild is what a holder has at a step, which is x from now on if there was nothing.
func modelChild(holder any, step Step, x any) any {
	switch holder := holder.(type) {
	case fields:
		if known, ok := holder[step.Field]; ok {
			return known
		}
		holder[step.Field] = x
	case *list:
		if known, ok := holder.of[step.Index]; ok {
			return known
		}
		holder.of[step.Index] = x
	}
	return x
}
