// SPDX-License-Identifier: Apache-2.0

package parameters

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// object is a JSON object.
type object = map[string]any

// step is one operation of a script, or a word such as wait.
type step struct {
	operation string
	body      object
}

// script is what the lines of a block say.
type script struct {
	base, with          object
	setup, then, probes []step
}

// parse reads the lines of a block.
func parse(lines string) (s script, err error) {
	for _, line := range joined(lines) {
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "base":
			s.base, err = parseBody(rest)
		case "with":
			s.with, err = parseBody(rest)
		case "setup":
			s.setup, err = appendStep(s.setup, rest)
		case "then":
			s.then, err = appendStep(s.then, rest)
		case "probe":
			s.probes, err = appendStep(s.probes, rest)
		default:
			err = fmt.Errorf("unknown word %s", word)
		}
		if err != nil {
			return s, fmt.Errorf("%s: %w", line, err)
		}
	}
	return s, nil
}

// joined returns lines with those that begin with a blank joined to the ones before.
func joined(text string) (lines []string) {
	for line := range strings.Lines(text) {
		switch line = strings.TrimRight(line, "\n"); {
		case line == "" || line[0] == '#':
		case line[0] == ' ' && len(lines) > 0:
			lines[len(lines)-1] += strings.TrimSpace(line)
		default:
			lines = append(lines, line)
		}
	}
	return lines
}

func appendStep(steps []step, text string) ([]step, error) {
	operation, body, ok := strings.Cut(text, " ")
	one := step{operation: operation}
	var err error
	if ok {
		one.body, err = parseBody(body)
	}
	return append(steps, one), err
}

func parseBody(text string) (body object, err error) {
	err = json.Unmarshal([]byte(text), &body)
	return body, err
}

// merged returns a value with what is written over it: members of objects and elements of lists one by one, attribute
// values and all else as a whole; null takes a member away.
func merged(under, over any) any {
	switch over := over.(type) {
	case object:
		below, ok := under.(object)
		if !ok || isValue(over) && isValue(below) {
			below = nil
		}
		result := object{}
		for name, v := range below {
			result[name] = v
		}
		for name, v := range over {
			if v == nil {
				delete(result, name)
			} else {
				result[name] = merged(result[name], v)
			}
		}
		return result
	case []any:
		below, _ := under.([]any)
		result := make([]any, len(over))
		for i, v := range over {
			result[i] = v
			if _, isObject := v.(object); isObject && i < len(below) {
				result[i] = merged(below[i], v)
			}
		}
		return result
	}
	return over
}

// isValue reports whether an object is an attribute value.
func isValue(o object) bool {
	if len(o) != 1 {
		return false
	}
	for name := range o {
		switch name {
		case "S", "N", "B", "SS", "NS", "BS", "M", "L", "BOOL", "NULL":
			return true
		}
	}
	return false
}

// reaches reports whether a value has a parameter, through lists and the keys of maps.
func reaches(v any, names []string) bool {
	if len(names) == 0 {
		return true
	}
	switch v := v.(type) {
	case object:
		if inner, ok := v[names[0]]; ok {
			return reaches(inner, names[1:])
		}
		for _, inner := range v {
			if reaches(inner, names) {
				return true
			}
		}
	case []any:
		for _, inner := range v {
			if reaches(inner, names) {
				return true
			}
		}
	}
	return false
}

// The states of a parameter.
const (
	honoured = "honoured"
	stored   = "stored"
	refused  = "refused"
	needless = "needless"
)

var states = []string{honoured, stored, refused, needless} // immutable

func isState(word string) bool { return slices.Contains(states, word) }

const casesFolder = "testdata/cases"

// claims reads what the cases of all operations say: the state of each parameter that has one.
func claims() (map[string]map[string]string, error) {
	paths, err := filepath.Glob(casesFolder + "/*")
	if err != nil {
		return nil, err
	}
	all := map[string]map[string]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if all[filepath.Base(path)], err = claimsIn(string(text)); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return all, nil
}

// refusals are the parameters that the cases see refused, by the words.
func refusals() (map[string][]string, error) {
	paths, err := filepath.Glob(casesFolder + "/*")
	said := map[string][]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(text)) {
			answer, ok := strings.CutPrefix(strings.TrimSpace(line), "answered -> ValidationException: ")
			name, words, _ := strings.Cut(answer, ": ")
			if ok && strings.HasPrefix(words, elsewhere) {
				said[words] = append(said[words], name)
			}
		}
	}
	return said, err
}

func claimsIn(text string) (map[string]string, error) {
	found := map[string]string{}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) != 2 || !isState(words[0]) {
			continue
		}
		if other, ok := found[words[1]]; ok && other != words[0] {
			return nil, fmt.Errorf("%s is said to be %s and %s", words[1], other, words[0])
		}
		found[words[1]] = words[0]
	}
	return found, nil
}
