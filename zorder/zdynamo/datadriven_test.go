// SPDX-License-Identifier: Apache-2.0

package zdynamo

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/cockroachdb/datadriven"
)

// TestData runs the text files: `schema` declares attributes, `put` stamps items and shows their addresses, `query`
// shows what is sent and what is found.
func TestData(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		var x *Index
		f := &fake{t: t, pageMax: 1000}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "schema":
				x, f.items = index(t, d.Input), nil
				return x.plan.String()
			case "put":
				return putAll(t, x, f, d.Input)
			case "query":
				return runQuery(t, x, f, d)
			}
			return "unknown command " + d.Cmd
		})
	})
}

// parsed reads {"attribute":{"S":"text"}, ...}.
func parsed(t *testing.T, line string) Item {
	t.Helper()
	var raw map[string]map[string]any
	if err := json.Unmarshal([]byte(line), &raw); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	item := Item{}
	for name, typed := range raw {
		for kind, v := range typed {
			item[name] = map[string]types.AttributeValue{
				"S": s(fmt.Sprint(v)), "N": n(v), "B": &types.AttributeValueMemberB{Value: []byte(fmt.Sprint(v))},
				"BOOL": &types.AttributeValueMemberBOOL{Value: v == true},
				"NULL": &types.AttributeValueMemberNULL{Value: true},
			}[kind]
		}
	}
	return item
}

func putAll(t *testing.T, x *Index, f *fake, input string) string {
	var out strings.Builder
	for line := range strings.Lines(input) {
		item := parsed(t, line)
		item["p"], item["id"] = s("p"), s(fmt.Sprintf("%03d", len(f.items)))
		address, ok, err := x.Address(item)
		switch {
		case err != nil:
			fmt.Fprintln(&out, err)
		case !ok:
			fmt.Fprintln(&out, "no place")
		default:
			fmt.Fprintf(&out, "%x\n", address)
			f.add(x, item)
		}
	}
	return out.String()
}

// conditionOf reads an operator and its values, as JSON.
func conditionOf(t *testing.T, text string) Condition {
	t.Helper()
	word, rest, _ := strings.Cut(text, " ")
	var values []any
	if err := json.Unmarshal([]byte("["+rest+"]"), &values); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	values = append(values, nil, nil)
	switch word {
	case "=":
		return Equal(values[0])
	case "<":
		return Less(values[0])
	case "<=":
		return AtMost(values[0])
	case ">":
		return Greater(values[0])
	case ">=":
		return AtLeast(values[0])
	case "between":
		return Between(values[0], values[1])
	case "begins_with":
		return BeginsWith(values[0])
	case "in":
		return In(values[:len(values)-2]...)
	case "missing":
		return Missing()
	case "present":
		return Present()
	}
	t.Fatalf("unknown operator in %s", text)
	return Condition{}
}

// runQuery takes one condition in each line, with the attribute's name in front.
func runQuery(t *testing.T, x *Index, f *fake, d *datadriven.TestData) string {
	q := Query{Partition: "p", Where: Where{}, Backward: d.HasArg("backward")}
	if d.HasArg("limit") {
		d.ScanArgs(t, "limit", &q.Limit)
	}
	for line := range strings.Lines(d.Input) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		q.Where[name] = conditionOf(t, rest)
	}
	f.sent = nil
	page, err := x.Query(t.Context(), f, q)
	if err != nil {
		return err.Error()
	}
	var out strings.Builder
	for _, in := range f.sent {
		fmt.Fprintf(&out, "%s: %x..%x", *in.KeyConditionExpression, text(in.ExpressionAttributeValues[":zdl"]),
			text(in.ExpressionAttributeValues[":zdh"]))
		if in.ExclusiveStartKey != nil {
			fmt.Fprintf(&out, " behind %x", text(in.ExclusiveStartKey["z"]))
		}
		fmt.Fprintln(&out)
	}
	for _, item := range page.Items {
		values := make([]string, len(x.names()))
		for i, name := range x.names() {
			values[i] = fmt.Sprintf("%q", text(item[name]))
		}
		fmt.Fprintln(&out, strings.Join(values, " "))
	}
	fmt.Fprintf(&out, "read %d, junk %d, more %t\n", page.Counts.Read, page.Counts.Junk, page.Token != "")
	return out.String()
}
