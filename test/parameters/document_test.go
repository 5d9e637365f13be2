// SPDX-License-Identifier: Apache-2.0

package parameters

import (
	"flag"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/dynamodb"
)

const (
	document    = "../../docs/dynamodb.md"
	beginMarker = "<!-- parameters: made by go generate ./test/parameters -->\n"
	endMarker   = "<!-- end of parameters -->\n"
)

// TestDocument keeps the table of docs/dynamodb.md true. With -rewrite it writes it.
func TestDocument(t *testing.T) {
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(text), beginMarker)
	_, tail, ended := strings.Cut(rest, endMarker)
	if !ok || !ended {
		t.Fatalf("%s lacks the lines\n%s%s", document, beginMarker, endMarker)
	}
	all, err := claims()
	if err != nil {
		t.Fatal(err)
	}
	refusals, err := refusalTable()
	if err != nil {
		t.Fatal(err)
	}
	whole := head + beginMarker + table(all) + refusals + endMarker + tail
	if flag.Lookup("rewrite").Value.String() == "true" {
		if err := os.WriteFile(document, []byte(whole), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if whole != string(text) {
		t.Error("docs/dynamodb.md does not say what the cases say: run go generate ./test/parameters")
	}
}

// table shows the states of all parameters, and the operations that there are not.
func table(all map[string]map[string]string) string {
	text := "| operation | honoured | only stored | refused | without effect |\n|---|---|---|---|---|\n"
	structs, operations := inputs(), []string{}
	for _, o := range dynamodb.Operations() {
		operations = append(operations, o.Name)
	}
	slices.Sort(operations)
	for _, operation := range operations {
		root := tree(structs[operation], all[operation])
		text += "| " + operation
		for _, state := range []string{honoured, stored, refused, needless} {
			text += " |"
			if names := root.list(state, true); len(names) > 0 {
				text += " " + strings.Join(names, ", ")
			}
		}
		text += " |\n"
	}
	return text + "\n| answered with `UnknownOperationException` |\n|---|\n| " + strings.Join(unknown(), ", ") + " |\n"
}

// refusalTable shows with which words parameters are refused.
func refusalTable() (string, error) {
	said, err := refusals()
	if err != nil {
		return "", err
	}
	text := "\n| refused | words of the ValidationException, behind the name and a colon |\n|---|---|\n"
	for _, words := range slices.Sorted(maps.Keys(said)) {
		slices.Sort(said[words])
		text += "| `" + strings.Join(slices.Compact(said[words]), "`, `") + "` | " + words + " |\n"
	}
	return text, nil
}

// node is a parameter with those that it holds.
type node struct {
	name  string
	state string
	inner []*node
}

func tree(input reflect.Type, states map[string]string) *node {
	root := &node{}
	nodes := map[string]*node{"": root}
	for _, p := range parametersOf(input) {
		at := strings.LastIndexByte(p.name, '.')
		n := &node{name: p.name[at+1:]}
		if !p.holds {
			n.state = stateOf(states, p.name)
		}
		nodes[p.name] = n
		parent := nodes[p.name[:max(at, 0)]]
		parent.inner = append(parent.inner, n)
	}
	return root
}

// isAll reports whether all that a parameter holds has one state.
func (n *node) isAll(state string) bool {
	if len(n.inner) == 0 {
		return n.state == state
	}
	return !slices.ContainsFunc(n.inner, func(inner *node) bool { return !inner.isAll(state) })
}

// list lists the parameters in n that have a state. One that holds others stands for them if all have the state; else
// these follow in braces.
func (n *node) list(state string, top bool) (names []string) {
	for _, inner := range n.inner {
		name, held := inner.name, []string(nil)
		if !inner.isAll(state) {
			if held = inner.list(state, false); len(held) == 0 {
				continue
			}
			name += "."
			if len(held) > 1 {
				name += "{" + strings.Join(held, ", ") + "}"
			} else {
				name += held[0]
			}
		}
		if top {
			name = "`" + name + "`"
		}
		names = append(names, name)
	}
	return names
}
