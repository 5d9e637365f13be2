// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// TestConstraints breaks each constraint of AWS's model by itself, in a request that has all members. A block of
// testdata/constraints has such a request and the constraints of its members:
//
//	PATH required               the member must be there
//	PATH text|list|map min|max N  it has a least or a greatest length
//	PATH number min|max N       it has a least or a greatest value
//	PATH enum A|B               it has one of some values
//	PATH pattern P              it fits a regular expression
//
// The block shows how many faults are told in full, as "Value 'v' at 'path' failed to satisfy constraint: Member ..",
// how many in the terse form that operations have whose validation is new, and what is told instead of the others.
func TestConstraints(t *testing.T) {
	api := &API{DB: testdb.Open(t)}
	makeTable(t, api, "TTT", "key pk:S")
	datadriven.RunTest(t, "testdata/constraints", func(t *testing.T, d *datadriven.TestData) string {
		base, constraints, _ := strings.Cut(d.Input, "\n")
		var full, terse int
		var others []string
		for line := range strings.Lines(constraints) {
			c := readConstraint(strings.TrimSuffix(line, "\n"))
			message := c.breakIn(t, api, d.CmdArgs[0].Key, base)
			switch {
			case strings.Contains(message, c.full()):
				full++
			case strings.Contains(message, c.rule()) && c.isTerse(message):
				terse++
			default:
				others = append(others, c.path+" "+c.text+"\n  "+abridged(message))
			}
		}
		return fmt.Sprintf("%d full, %d terse\n%s", full, terse, strings.Join(others, ""))
	})
}

// constraint is one line of a block.
type constraint struct {
	path, text string // which member; what it says of that
	kind       string // its first word
	edge       string // min or max
	n          int
	shown      string // the value that breaks it, as faults show it
}

func readConstraint(line string) (c constraint) {
	c.path, c.text, _ = strings.Cut(line, " ")
	words := strings.Fields(c.text)
	if c.kind = words[0]; len(words) == 3 {
		c.edge = words[1]
		c.n, _ = strconv.Atoi(words[2])
	}
	return c
}

// rule is the constraint as faults word it.
func (c *constraint) rule() string {
	_, rest, _ := strings.Cut(c.text, " ")
	bound := map[string]string{"min": "greater than or equal to ", "max": "less than or equal to "}[c.edge] + strconv.Itoa(c.n)
	switch c.kind {
	case "required":
		return "Member must not be null"
	case "enum":
		return "Member must satisfy enum value set: [" // in an order of Java's
	case "pattern":
		return "Member must satisfy regular expression pattern: " + rest
	case "number":
		return "Member must have value " + bound
	}
	return "Member must have length " + bound
}

// full is the fault with the member's value, or what follows that if it is not known how the value is shown.
func (c *constraint) full() string {
	text := " at '" + c.path + "' failed to satisfy constraint: " + c.rule()
	if c.shown != "" {
		text = "Value " + c.shown + text
	}
	return text
}

// isTerse reports whether a fault names the member as the model does, or is one of an enumeration and names none.
func (c *constraint) isTerse(message string) bool {
	name := strings.ReplaceAll("."+c.path, ".member", "")
	return c.kind == "enum" || strings.Contains(strings.ReplaceAll(strings.ToLower(message), ".member", ""),
		"value at '"+strings.ToLower(name[1:])+"'")
}

// breakIn sends the request with the constraint broken, and returns the message.
func (c *constraint) breakIn(t *testing.T, api *API, operation, base string) string {
	var request any
	if err := json.Unmarshal([]byte(base), &request); err != nil {
		t.Fatalf("%s: %v", operation, err)
	}
	body, _ := json.Marshal(c.change(request, strings.Split(c.path, ".")))
	_, err := api.Do(t.Context(), operation, body, nil)
	if e, ok := errors.AsType[*exception.Error](err); ok {
		return e.Message
	}
	return fmt.Sprint("answered: ", err)
}

// change returns a value of the request with the member along the path broken. A number and "member" stand for an
// element of a list, a name and "member" for one of a map.
func (c *constraint) change(in any, path []string) any {
	if len(path) == 0 {
		return c.broken(in)
	}
	name, rest := path[0], path[1:]
	inside := len(rest) > 0 && rest[0] == "member"
	if list, ok := in.([]any); ok && inside {
		list[0] = c.change(list[0], rest[1:])
		return list
	}
	object, ok := in.(map[string]any)
	if !ok {
		object = map[string]any{}
	}
	if inside {
		rest = rest[1:]
	} else {
		name = strings.ToUpper(name[:1]) + name[1:]
	}
	if object[name] = c.change(object[name], rest); object[name] == nil {
		delete(object, name)
	}
	return object
}

// broken is a value that breaks the constraint, in place of one that does not.
func (c *constraint) broken(value any) any {
	size := c.n - 1
	if c.edge == "max" {
		size = c.n + 1
	}
	var text string
	switch c.kind {
	case "required":
		c.shown = "null"
		return nil
	case "number":
		c.shown = "'" + strconv.Itoa(size) + "'"
		return size
	case "list", "map":
		return c.resized(value, size)
	case "enum":
		text = "WRONG"
	case "pattern":
		text = "§$"
	case "text":
		text = strings.Repeat("a", size)
	}
	c.shown = "'" + text + "'"
	return text
}

// resized is a list or a map of some size. How AWS shows one that is not empty depends on its Java class.
func (c *constraint) resized(value any, size int) any {
	switch value := value.(type) {
	case []any:
		if c.shown = "'[]'"; size > 0 {
			c.shown = ""
		}
		return slices.Repeat(value[:1], size)
	case map[string]any:
		if c.shown = "'{}'"; size > 0 {
			c.shown = ""
		}
		made := map[string]any{}
		for _, one := range value {
			for i := range size {
				made["TTT"+strconv.Itoa(i)] = one
			}
		}
		return made
	}
	return value
}

// abridged is a message for the file: what is long in it is cut out.
func abridged(message string) string {
	if len(message) > 200 {
		message = message[:100] + ".." + message[len(message)-80:]
	}
	return message + "\n"
}
