// SPDX-License-Identifier: Apache-2.0

package expression

import (
	"slices"
	"strconv"
	"strings"

	"github.com/weftdb/weft/internal/data/value"
)

// Substitutions holds the placeholders of one request, #names and :values, and remembers which of them its expressions
// used. It has the memory of the trees that are parsed with it, too. The zero value has no placeholders. It serves one
// goroutine at a time; Reset makes it ready for the next request.
type Substitutions struct {
	names  table[string]
	values table[value.Value]
	nodes  nodes
}

// AddName defines a #name. The placeholder's text includes the #.
func (s *Substitutions) AddName(placeholder, name string) { s.names.add(placeholder, name) }

// AddValue defines a :value. The placeholder's text includes the colon. v must stay unchanged as long as the parsed
// trees are used.
func (s *Substitutions) AddValue(placeholder string, v value.Value) { s.values.add(placeholder, v) }

// AppendNames appends the #names with what they stand for, in the order in which they were added, so that different
// ones make different bytes.
func (s *Substitutions) AppendNames(dst []byte) []byte {
	for i := range s.names.entries {
		e := &s.names.entries[i]
		dst = append(append(append(append(dst, 0), e.key...), 0), e.content...)
	}
	return dst
}

// DropValues forgets the contents of the :values, not the placeholders.
func (s *Substitutions) DropValues() {
	for i := range s.values.entries {
		s.values.entries[i].content = nil
	}
}

// Reset forgets all placeholders and keeps the memory: the trees that were parsed with them are of no use any more.
func (s *Substitutions) Reset() {
	s.names.reset()
	s.values.reset()
	s.nodes.reset()
}

const (
	placeholderBytesMax  = 255
	attributeBytesMax    = 65535
	substitutionBytesMax = 2 << 20 // of all placeholders' names and contents together
)

// CheckNames refuses placeholders of names that no expression could name, and names that no attribute has. Call it
// before parsing.
func (s *Substitutions) CheckNames() error {
	for i := range s.names.entries {
		e := &s.names.entries[i]
		if err := checkPlaceholder("ExpressionAttributeNames", e.key, '#'); err != nil {
			return err
		}
		if e.content == "" { // the texts of this and the next rule are from memory
			return &Error{Message: "ExpressionAttributeNames contains invalid value: Empty attribute name for key " +
				e.key}
		}
		if len(e.content) > attributeBytesMax {
			return &Error{Message: "ExpressionAttributeNames contains invalid value: Attribute name is too large, must be less than " +
				strconv.Itoa(attributeBytesMax+1) + " bytes for key " + e.key}
		}
	}
	return nil
}

// CheckValues refuses placeholders of values that no expression could name, and more of both sorts than DynamoDB takes.
// Call it before parsing.
func (s *Substitutions) CheckValues() error {
	total := 0
	for i := range s.names.entries {
		total += len(s.names.entries[i].key) + len(s.names.entries[i].content)
	}
	for i := range s.values.entries {
		e := &s.values.entries[i]
		if err := checkPlaceholder("ExpressionAttributeValues", e.key, ':'); err != nil {
			return err
		}
		total += len(e.key) + len(e.content)
	}
	if total > substitutionBytesMax { // the rule is documented; the text is not known
		return &Error{Message: "The total size of ExpressionAttributeNames and ExpressionAttributeValues has exceeded the maximum allowed size; size: " +
			strconv.Itoa(total)}
	}
	return nil
}

func checkPlaceholder(parameter, key string, mark byte) error {
	if len(key) > placeholderBytesMax { // from memory
		return &Error{Message: parameter + " contains invalid key: Expression attribute key is too long; key length: " +
			strconv.Itoa(len(key))}
	}
	if len(key) >= 2 && key[0] == mark {
		l := lexer{text: key, at: 1}
		if l.word(); l.at == len(key) {
			return nil
		}
	}
	return &Error{Message: parameter + ` contains invalid key: Syntax error; key: "` + key + `"`}
}

// CheckUsed refuses placeholders that no expression used. Call it when all the request's expressions are parsed.
func (s *Substitutions) CheckUsed() error {
	if unused := s.names.unusedKeys(); unused != "" {
		return &Error{Message: "Value provided in ExpressionAttributeNames unused in expressions: keys: {" + unused +
			"}"}
	}
	if unused := s.values.unusedKeys(); unused != "" {
		return &Error{Message: "Value provided in ExpressionAttributeValues unused in expressions: keys: {" + unused +
			"}"}
	}
	return nil
}

// scanEntriesMax is the number of placeholders that are looked through one by one; of more an index is made.
const scanEntriesMax = 16

// table holds placeholders of one sort.
type table[T any] struct {
	entries []entry[T]
	index   map[string]int // of all entries if there are more than scanEntriesMax, else nil
}

type entry[T any] struct {
	key     string
	content T
	used    bool
}

// add takes the last of several contents for one key, as a JSON object does.
func (t *table[T]) add(key string, content T) {
	if known := t.find(key); known != nil {
		known.content = content
		return
	}
	t.entries = append(t.entries, entry[T]{key: key, content: content})
	if t.index != nil {
		t.index[key] = len(t.entries) - 1
	} else if len(t.entries) > scanEntriesMax {
		t.index = make(map[string]int, 4*scanEntriesMax)
		for i := range t.entries {
			t.index[t.entries[i].key] = i
		}
	}
}

func (t *table[T]) find(key string) *entry[T] {
	if t.index != nil {
		if i, ok := t.index[key]; ok {
			return &t.entries[i]
		}
		return nil
	}
	for i := range t.entries {
		if t.entries[i].key == key {
			return &t.entries[i]
		}
	}
	return nil
}

// use looks a placeholder up on behalf of an expression. A nil table has no placeholders.
func (t *table[T]) use(key string) (content T, ok bool) {
	e := t.find(key)
	if e == nil {
		return content, false
	}
	e.used = true
	return e.content, true
}

func (t *table[T]) unusedKeys() string {
	var keys []string
	for i := range t.entries {
		if !t.entries[i].used {
			keys = append(keys, t.entries[i].key)
		}
	}
	slices.Sort(keys)
	return strings.Join(keys, ", ")
}

func (t *table[T]) reset() {
	clear(t.entries)
	t.entries = t.entries[:0]
	t.index = nil
}
