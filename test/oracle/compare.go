// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Compare says how the database's answer differs from the model's, or "". failure says that the answer is an
// exception's body.
func Compare(r *Request, want *Answer, got []byte, failure bool) string {
	if (want.Failure != nil) != failure {
		return fmt.Sprintf("want %s\n got %s", want.show(r), shortened(string(got)))
	}
	if failure {
		return compareFailures(r, want, got)
	}
	wanted, err := canonical(r, []byte(want.JSON()), nil)
	if err != nil {
		return "the model's answer: " + err.Error()
	}
	answered, err := canonical(r, got, want.Open)
	if err != nil {
		return fmt.Sprintf("no JSON: %v: %s", err, got)
	}
	if wanted != answered {
		return fmt.Sprintf("want %s\n got %s", shortened(wanted), shortened(answered))
	}
	return ""
}

const shownBytesMax = 6000

// shortened is a text for people: padding is squeezed, and the end cut off.
func shortened(text string) string {
	text = squeezed(squeezed(text, 1), len("a2tr"))
	if len(text) > shownBytesMax {
		return text[:shownBytesMax] + "…"
	}
	return text
}

// squeezed leaves little of what is repeated with a period of so many bytes.
func squeezed(text string, period int) string {
	const kept = 12
	var b []byte
	run := 0
	for i := range len(text) {
		if run++; i < period || text[i] != text[i-period] {
			run = 0
		}
		switch {
		case run < kept:
			b = append(b, text[i])
		case run == kept:
			b = append(b, "…"...)
		}
	}
	return string(b)
}

// show is the answer for people.
func (a *Answer) show(r *Request) string {
	if a.Failure == nil {
		text, _ := canonical(r, []byte(a.JSON()), nil)
		return shortened(text)
	}
	text := a.Failure.Type + ": " + strings.Join(a.Failure.Texts, "\n  or: ")
	if a.Failure.Item != nil {
		text += "\n Item " + a.Failure.Item.String()
	}
	for _, reason := range a.Failure.Reasons {
		text += fmt.Sprintf("\n %s %q %v", reason.Code, reason.Texts, reason.Item)
	}
	return shortened(text)
}

// exception is the body of an exception.
type exception struct {
	Type                string `json:"__type"`
	Message             string // in either case
	Item                json.RawMessage
	CancellationReasons []struct {
		Code, Message string
		Item          json.RawMessage
	}
}

func compareFailures(r *Request, want *Answer, got []byte) string {
	if or := want.Failure.Or; or != nil && compareFailures(r, &Answer{Failure: or}, got) == "" {
		return ""
	}
	var e exception
	f := want.Failure
	differ := fmt.Sprintf("want %s\n got %s", want.show(r), shortened(string(got)))
	if json.Unmarshal(got, &e) != nil || e.Type[strings.IndexByte(e.Type, '#')+1:] != f.Type ||
		!toldOne(f.Texts, e.Message) {
		return differ
	}
	if !sameItem(f.Item, e.Item) || len(f.Reasons) != len(e.CancellationReasons) {
		return differ
	}
	for i, reason := range f.Reasons {
		told := e.CancellationReasons[i]
		if told.Code != reason.Code || !toldOne(reason.Texts, told.Message) || !sameItem(reason.Item, told.Item) {
			return differ
		}
	}
	return ""
}

// toldOne reports whether the message is one of the texts. A text that ends in … is a message's beginning.
func toldOne(texts []string, message string) bool {
	return len(texts) == 0 || slices.ContainsFunc(texts, func(text string) bool {
		begin, open := strings.CutSuffix(text, "…")
		return anyOrder(text) == anyOrder(message) || open && strings.HasPrefix(message, begin)
	})
}

// anyOrder is a message with the attributes that an index does not project in order: the reference has no message with
// several.
func anyOrder(message string) string {
	begin, list, found := strings.Cut(message, "does not project [")
	if !found {
		return message
	}
	names := strings.Split(strings.TrimSuffix(list, "]"), ", ")
	slices.Sort(names)
	return begin + strings.Join(slices.Compact(names), ", ")
}

func sameItem(item Item, told json.RawMessage) bool {
	if item == nil || told == nil {
		return item == nil && told == nil
	}
	wanted, err := canonical(&Request{}, []byte(item.String()), nil)
	answered, err2 := canonical(&Request{}, told, nil)
	return err == nil && err2 == nil && wanted == answered
}

// canonical is an answer in the form that all equal answers share: members and sets in order, and the lists of batches,
// which may come in any order.
func canonical(r *Request, answer []byte, open []string) (string, error) {
	var tree map[string]any
	decoder := json.NewDecoder(bytes.NewReader(answer))
	if err := decoder.Decode(&tree); err != nil {
		return "", err
	}
	for _, name := range open {
		delete(tree, name)
	}
	sortSets(tree)
	if r.Operation == "BatchExecuteStatement" {
		unworded(tree["Responses"])
	}
	if len(r.Parts) > 0 {
		sortList(tree["ConsumedCapacity"])
		for _, name := range []string{"Responses", "ItemCollectionMetrics"} {
			if tables, ok := tree[name].(map[string]any); ok {
				for _, list := range tables {
					sortList(list)
				}
			}
		}
	}
	text, err := json.Marshal(tree)
	return string(text), err
}

// sortSets sorts the members of all sets.
func sortSets(tree any) {
	switch tree := tree.(type) {
	case []any:
		for _, element := range tree {
			sortSets(element)
		}
	case map[string]any:
		for name, member := range tree {
			if name == "SS" || name == "NS" || name == "BS" {
				sortList(member)
			}
			sortSets(member)
		}
	}
}

func sortList(list any) {
	elements, _ := list.([]any)
	slices.SortFunc(elements, func(a, b any) int {
		x, _ := json.Marshal(a)
		y, _ := json.Marshal(b)
		return bytes.Compare(x, y)
	})
}
