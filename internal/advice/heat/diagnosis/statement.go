// SPDX-License-Identifier: Apache-2.0

package diagnosis

import (
	"encoding/json"
	"fmt"
	"strings"
)

// spread writes statements that put a hash of part i in front of the key, and ones that reverse it or that let another
// column stand first.
func (s *study) spread(i int) []Statement {
	if i >= len(s.Key) || s.Key[i].Call != "" {
		return nil
	}
	column := quote(s.Key[i].Name)
	hashed := append([]string{"hash8(" + column + ")"}, s.spellParts(0, len(s.Key))...)
	list := []Statement{{"SQL", s.createSQL(hashed, "hash8")}}
	if spreadable(s.Key[i].Type) {
		reversed := append(append(s.spellParts(0, i), "reverse("+column+")"), s.spellParts(i+1, len(s.Key))...)
		list = append(list, Statement{"SQL", s.createSQL(reversed, "reverse")})
	}
	if s.otherFirst(i) != "" && !s.sharded {
		swapped := append(s.spellParts(0, i), quote(s.Key[i+1].Name), column)
		list = append(list, Statement{"SQL", s.createSQL(append(swapped, s.spellParts(i+2, len(s.Key))...), "other")})
	}
	if text := s.createDynamoDB(i); text != "" {
		list = append(list, Statement{"DynamoDB", text})
	}
	return list
}

// quote is a name in backticks: it may be a reserved word.
func quote(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

// spreadable reports whether reverse spreads values of a type: it takes texts and numbers.
func spreadable(sqlType string) bool {
	return strings.Contains("BIGINT INT LONG DECIMAL VARCHAR STRING TEXT", strings.ToUpper(sqlType)) && sqlType != ""
}

// spellParts writes parts of the key in SQL.
func (s *study) spellParts(from, to int) (list []string) {
	for _, c := range s.Key[from:max(from, to)] {
		if c.Call != "" {
			list = append(list, c.Call)
		} else {
			list = append(list, quote(c.Name))
		}
	}
	return list
}

func (s *study) createSQL(key []string, suffix string) string {
	if s.Index != "" {
		return fmt.Sprintf("CREATE INDEX %s ON %s(%s);", quote(s.Index+"_"+suffix), quote(s.Table),
			strings.Join(key, ", "))
	}
	var columns []string
	for _, c := range append(append([]Column(nil), s.Key...), s.Columns...) {
		if c.Call == "" && c.Type != "" {
			columns = append(columns, quote(c.Name)+" "+c.Type)
		}
	}
	options := ""
	if len(s.Columns) == 0 { // columns besides the key are not declared
		options = " WITH (DYNAMIC_COLUMNS='true')"
	}
	return fmt.Sprintf("CREATE TABLE %s (%s, PRIMARY KEY(%s))%s;", quote(s.Table+"_"+suffix),
		strings.Join(columns, ", "), strings.Join(key, ", "), options)
}

// keyElement, attribute and tag are members of CreateTable's JSON, in its order.
type keyElement struct{ AttributeName, KeyType string }
type attribute struct{ AttributeName, AttributeType string }
type tag struct{ Key, Value string }

// createDynamoDB is the body of CreateTable: a table in hash order for a growing partition key; for a growing sort key,
// one whose partition key is its hash. "" where DynamoDB's two attributes can't say it.
func (s *study) createDynamoDB(part int) string {
	if s.Index != "" || len(s.Key) > 2 {
		return ""
	}
	body := struct {
		TableName            string
		BillingMode          string
		KeySchema            []keyElement
		AttributeDefinitions []attribute
		Tags                 []tag `json:",omitempty"`
	}{TableName: s.Table + "-spread", BillingMode: "PAY_PER_REQUEST"}
	for i, c := range s.Key {
		if c.Call != "" {
			return ""
		}
		body.KeySchema = append(body.KeySchema, keyElement{c.Name, [...]string{"HASH", "RANGE"}[i]})
		body.AttributeDefinitions = append(body.AttributeDefinitions, attribute{c.Name, dynamoType(c.Type)})
	}
	switch {
	case part == 0:
		body.Tags = []tag{{"weft:distribution", "hash"}}
	case dynamoType(s.Key[0].Type) != "S" || dynamoType(s.Key[1].Type) != "S":
		return "" // joined numbers would not be in their order
	default:
		hash, joined := fmt.Sprintf("hash8(%s)", s.Key[1].Name), fmt.Sprintf("concat(%s,'#',%s)", s.Key[0].Name,
			s.Key[1].Name)
		body.KeySchema = []keyElement{{hash, "HASH"}, {joined, "RANGE"}}
		body.AttributeDefinitions = []attribute{{hash, "B"}, {joined, "S"}}
	}
	text, err := json.MarshalIndent(body, "", "  ")
	if err != nil {
		return ""
	}
	return string(text)
}

func dynamoType(sqlType string) string {
	switch t := strings.ToUpper(sqlType); {
	case strings.Contains(t, "CHAR"), strings.Contains(t, "TEXT"), strings.Contains(t, "STRING"):
		return "S"
	case strings.Contains(t, "BINARY"), strings.Contains(t, "BLOB"):
		return "B"
	}
	return "N"
}
