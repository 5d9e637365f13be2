// SPDX-License-Identifier: Apache-2.0

package outside

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/testing/rounds"
)

// attribute is a type of DynamoDB's keys, the types that SQL may declare for it, values as items hold them, and
// literals to compare them with.
type attribute struct {
	letter   string
	declared []string
	values   []string
	literals sqlType
}

// attributes hold values that fit no column of some of the types, too. It is immutable.
var attributes = []attribute{
	{"N", []string{"", "TINYINT", "INT", "BIGINT", "BIGINT UNSIGNED", "DECIMAL(12,3)", "FLOAT", "DOUBLE", "TIMESTAMP",
		"DATE", "TIME", "VARCHAR"},
		[]string{`"N":"3"`, `"N":"2.5"`, `"N":"-7"`, `"N":"988761600000"`, `"N":"1e30"`, `"N":"0.1"`,
			`"N":"0.10000000000000000001"`, `"N":"9007199254740993"`,
			`"N":"11444"`, `"NULL":true`, `"S":"3"`, `"S":"abc"`, `"BOOL":true`, `"N":"1.0005"`},
		sqlType{"", []string{"3", "2.5", "-7", "0", "988761600000", "1e30", "0.1", "0.1e0", "9007199254740993", "'3'",
			"'0.1'", "'abc'"},
			[]string{"'2001-05-02 00:00:00'", "DATE '2001-05-02'", "'00:00:00.003'", "TRUE"}}},
	{"S", []string{"", "VARCHAR", "CHAR(8)", "INT"},
		[]string{`"S":"3"`, `"S":"a"`, `"S":"ab"`, `"S":"abc"`, `"S":"2001-05-02 00:00:00"`, `"N":"3"`, `"N":"0"`,
			`"NULL":true`, `"B":"YQ=="`, `"L":[]`, `"S":""`},
		sqlType{"", []string{"'3'", "'a'", "'ab'", "'abc'", "''", "3"},
			[]string{"0", "'2001-05-02 00:00:00'", "x'61'"}}},
	{"B", []string{"", "VARBINARY", "BINARY(2)"},
		[]string{`"B":"YQ=="`, `"B":"YWI="`, `"B":"/w=="`, `"S":"a"`, `"N":"1"`},
		sqlType{"", []string{"x'61'", "x'6162'", "x'ff'"}, []string{"'a'", "1"}}},
}

// secondaryKinds are GSIs as the attributes of their keys, each with its type; TYPE is the attribute's, CODE how a
// curve codes it. The last ones are made in SQL. It is immutable.
var secondaryKinds = [][]string{
	{"c:TYPE:HASH"},
	{"n:N:HASH", "c:TYPE:RANGE"},
	{"c:TYPE:HASH", "n:N:RANGE"},
	{"n:N:HASH", "desc(c):TYPE:RANGE"},
	{"hash32(c):B:HASH", "c:TYPE:RANGE"},
	{"zorder(c CODE):B:HASH"},
	{"zorder(c CODE, n i64):B:HASH"},
	{"n:N:HASH", "zorder(c CODE):B:RANGE"},
	{"INDEX i (c) INCLUDE (m)"},
	{"INDEX i (c DESC) WITH (SPARSE='true')"},
	{"INDEX i (ZORDER(c)) WITH (INDEX_COVERED_TYPE='COVERED_DYNAMIC_COLUMNS')"},
	{"INDEX i (ZORDER(c)) WITH (SPARSE='true')"},
}

// stepOrders are the orders in which items, a declaration and an index come. It is immutable.
var stepOrders = []string{"items declare index", "items index declare", "index items declare", "declare items index",
	"declare index items", "index declare items"}

// TestAnswersWithSecondaryIndexes asks SQL about tables made over DynamoDB, with and without a GSI. Items, the column's
// declaration and the index come in each order.
func TestAnswersWithSecondaryIndexes(t *testing.T) {
	rounds.SkipRace(t)
	for _, of := range attributes {
		for _, declared := range of.declared {
			t.Run(of.letter+" "+declared, func(t *testing.T) {
				h := newHarness(t)
				for i, kind := range secondaryKinds {
					for j, order := range rounds.Share(t, 2, stepOrders) {
						h.compareSecondary(t, fmt.Sprintf("t%c%d", 'a'+i, j), &of, declared, kind,
							strings.Fields(order))
					}
				}
			})
		}
	}
}

// compareSecondary makes two tables, of which one has the index, in an order of steps, and asks them the same.
func (h *harness) compareSecondary(t *testing.T, name string, of *attribute, declared string, kind, steps []string) {
	plain := name + "plain"
	for _, table := range []string{plain, name} {
		h.do(t, "CreateTable", `{"TableName":"`+table+`","AttributeDefinitions":[{"AttributeName":"id","AttributeType":"N"}],
			"KeySchema":[{"AttributeName":"id","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST"}`)
	}
	for _, step := range steps {
		switch step {
		case "items":
			h.putItems(plain, name, of)
		case "declare":
			for _, table := range []string{plain, name} {
				if _, err := h.query("ALTER TABLE " + table + " ADD COLUMN c " + declared); err != nil &&
					declared != "" {
					return // an index holds it as another type
				}
			}
		default:
			if !h.secondary(name, of, kind) {
				return // the column has been declared with another type
			}
		}
	}
	if err := h.db.WaitJobs(ctx); err != nil {
		t.Fatal(err)
	}
	predicates := of.literals.predicates()
	predicates = every(9, len(name)+len(declared)+int(name[1])+int(name[2]), predicates)
	h.compare(t, name, slices.Concat([]string{declared}, kind, steps), predicates, h.answers(plain, predicates))
}

// putItems puts items into two tables: those that the second one, which may have an index, takes.
func (h *harness) putItems(plain, indexed string, of *attribute) {
	for i := range rowCount {
		item := fmt.Sprintf(`"id":{"N":"%d"},"m":{"N":"%d"}`, i, i)
		if v := i % (len(of.values) + 1); v > 0 {
			item += `,"c":{` + of.values[v-1] + `}`
		}
		if n := number(i); n != "NULL" {
			item += `,"n":{"N":"` + n + `"}`
		}
		if _, err := h.api.Do(ctx, "PutItem", []byte(`{"TableName":"`+indexed+`","Item":{`+item+`}}`),
			nil); err != nil {
			continue
		}
		if _, err := h.api.Do(ctx, "PutItem", []byte(`{"TableName":"`+plain+`","Item":{`+item+`}}`), nil); err != nil {
			panic(err) // it has less to refuse
		}
	}
}

// secondary adds a GSI. It returns false if it is refused.
func (h *harness) secondary(table string, of *attribute, kind []string) bool {
	if strings.HasPrefix(kind[0], "INDEX ") {
		return h.index(table, kind) == nil
	}
	code := map[string]string{"N": "f64", "S": "text[16]", "B": "binary[16]"}[of.letter]
	var definitions, keys []string
	for _, key := range kind {
		part := strings.Split(key, ":")
		name, letter := strings.ReplaceAll(part[0], "CODE", code), strings.ReplaceAll(part[1], "TYPE", of.letter)
		definitions = append(definitions, `{"AttributeName":"`+name+`","AttributeType":"`+letter+`"}`)
		keys = append(keys, `{"AttributeName":"`+name+`","KeyType":"`+part[2]+`"}`)
	}
	_, err := h.api.Do(ctx, "UpdateTable", []byte(`{"TableName":"`+table+`","AttributeDefinitions":[`+strings.Join(definitions, ",")+`],"GlobalSecondaryIndexUpdates":[{"Create":{"IndexName":"by-c",
		"KeySchema":[`+strings.Join(keys, ",")+`],"Projection":{"ProjectionType":"ALL"}}}]}`), nil)
	return err == nil && h.db.WaitJobs(ctx) == nil
}

// do runs an operation of DynamoDB that can't fail.
func (h *harness) do(t *testing.T, operation, body string) {
	t.Helper()
	if _, err := h.api.Do(ctx, operation, []byte(body), nil); err != nil {
		t.Fatalf("%s %s\n%v", operation, body, err)
	}
}
