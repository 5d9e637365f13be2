// SPDX-License-Identifier: Apache-2.0

package history

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
)

// part is what a write does to one list.
type part struct {
	key   int32
	add   []int32 // appended, if any
	held  bool    // only if the list is was
	was   []int32
	alone bool // the part is a request of its own, by UpdateItem, which answers with the list as it was
}

// write is a transaction of several parts on different lists.
type write struct {
	token string // "": none
	parts []part
}

// lists are a database of lists: what the clients of append histories need of it.
type lists interface {
	// read returns some lists as they were at one moment. plain reads one list without a transaction.
	read(ctx context.Context, keys []int32, plain bool) ([][]int32, error)
	// write does all parts or none. A part that is alone shows what was there before.
	write(ctx context.Context, w write) (before []int32, err error)
}

// listTables are the tables of the lists: even keys are in the first. Transactions reach over both. // immutable
var listTables = [2]string{"even", "odd"}

// weftLists are lists in Weft.
type weftLists struct{ caller }

// listItem is an item that has a list.
type listItem struct {
	L struct {
		L []struct{ N string }
	} `json:"l"`
}

func (i *listItem) list() ([]int32, error) {
	if i == nil {
		return nil, nil
	}
	var list []int32
	for _, e := range i.L.L {
		n, err := strconv.ParseInt(e.N, 10, 32)
		if err != nil {
			return nil, err
		}
		list = append(list, int32(n))
	}
	return list, nil
}

func (l weftLists) read(ctx context.Context, keys []int32, plain bool) ([][]int32, error) {
	if plain {
		var answer struct{ Item *listItem }
		if err := l.ask(ctx, "GetItem", fmt.Appendf(nil, `{%s,"ConsistentRead":true}`, place(keys[0])),
			&answer); err != nil {
			return nil, err
		}
		list, err := answer.Item.list()
		return [][]int32{list}, err
	}
	body := []byte(`{"TransactItems":[`)
	for i, key := range keys {
		body = fmt.Appendf(comma(body, i), `{"Get":{%s,"ProjectionExpression":"l"}}`, place(key))
	}
	var answer struct{ Responses []struct{ Item *listItem } }
	if err := l.ask(ctx, "TransactGetItems", append(body, "]}"...), &answer); err != nil {
		return nil, err
	}
	if len(answer.Responses) != len(keys) {
		return nil, fmt.Errorf("%d answers to %d reads", len(answer.Responses), len(keys))
	}
	read := make([][]int32, len(keys))
	for i := range keys {
		var err error
		if read[i], err = answer.Responses[i].Item.list(); err != nil {
			return nil, err
		}
	}
	return read, nil
}

func (l weftLists) ask(ctx context.Context, operation string, body []byte, answer any) error {
	text, err := l.call(ctx, operation, body)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, answer)
}

func (l weftLists) write(ctx context.Context, w write) ([]int32, error) {
	if w.parts[0].alone {
		var answer struct{ Attributes *listItem }
		if err := l.ask(ctx, "UpdateItem", fmt.Appendf(nil, `{%s,"ReturnValues":"ALL_OLD"}`, w.parts[0].update()),
			&answer); err != nil {
			return nil, err
		}
		return answer.Attributes.list()
	}
	body := []byte("{")
	if w.token != "" {
		body = fmt.Appendf(body, `"ClientRequestToken":%q,`, w.token)
	}
	body = append(body, `"TransactItems":[`...)
	for i := range w.parts {
		p := &w.parts[i]
		if body = comma(body, i); len(p.add) == 0 {
			body = fmt.Appendf(body, `{"ConditionCheck":{%s,%s}}`, place(p.key), p.condition(""))
		} else {
			body = fmt.Appendf(body, `{"Update":{%s}}`, p.update())
		}
	}
	_, err := l.call(ctx, "TransactWriteItems", append(body, "]}"...))
	return nil, err
}

func comma(body []byte, at int) []byte {
	if at > 0 {
		body = append(body, ',')
	}
	return body
}

// place is where a list lies, as members of a request.
func place(key int32) string {
	return fmt.Sprintf(`"TableName":%q,"Key":{"k":{"N":"%d"}}`, listTables[key&1], key)
}

// update is the part as members of an update.
func (p *part) update() string {
	return fmt.Sprintf(`%s,"UpdateExpression":"SET l = list_append(if_not_exists(l, :none), :add)",%s`, place(p.key),
		p.condition(`":none":{"L":[]},":add":`+listValue(p.add)))
}

// condition is what must hold, with the values that stand beside it.
func (p *part) condition(values string) string {
	text := ""
	switch {
	case p.held && len(p.was) == 0:
		text = `"ConditionExpression":"attribute_not_exists(l)"`
	case p.held:
		text = `"ConditionExpression":"l = :was"`
		if values != "" {
			values += ","
		}
		values += `":was":` + listValue(p.was)
	}
	if values == "" {
		return text
	}
	if text != "" {
		text += ","
	}
	return text + `"ExpressionAttributeValues":{` + values + "}"
}

func listValue(elements []int32) string {
	body := []byte(`{"L":[`)
	for i, e := range elements {
		body = fmt.Appendf(comma(body, i), `{"N":"%d"}`, e)
	}
	return string(append(body, "]}"...))
}
