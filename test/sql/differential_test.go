// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"database/sql"

	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/test/harness"
)

// pair writes the same tables through both protocols, and knows which rows must be in them.
type pair struct {
	t      *testing.T
	server *harness.Server
	conn   *sql.Conn
	random *rand.Rand
	rows   map[string]map[string]string // by table and key: the row as it is compared
}

// The columns that rows may have beside their key: name, and whether it is a number.
var columns = []struct {
	name   string
	number bool
}{{"n", true}, {"m", true}, {"s", false}}

// TestTwoProtocols does random writes, each through SQL or DynamoDB, on a table that DynamoDB made and one that SQL
// made, each with indexes of both protocols. Both protocols read the same, through every index, and the store is found
// without fault.
func TestTwoProtocols(t *testing.T) {
	seed := rounds.Seed(t)
	s := harness.Start(t, binary, harness.Options{})
	p := &pair{t: t, server: s, conn: connect(t, s, "default", ""), random: rand.New(rand.NewPCG(seed, 0)),
		rows: map[string]map[string]string{}}
	p.makeTables()
	for i := range rounds.Of(t, 400) {
		p.write()
		if i%200 == 199 {
			for _, table := range []string{"made_there", "made_here"} {
				p.compare(table)
			}
		}
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	harness.Verify(t, binary, s.Data)
}

// makeTables makes one table by each protocol, and gives each an index by the other.
func (p *pair) makeTables() {
	p.ask("CreateTable", `{"TableName":"made_there","BillingMode":"PAY_PER_REQUEST","KeySchema":[{"AttributeName":"k","KeyType":"HASH"},{"AttributeName":"id","KeyType":"RANGE"}],
		"AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"},{"AttributeName":"id","AttributeType":"N"},{"AttributeName":"n","AttributeType":"N"}],
		"GlobalSecondaryIndexes":[{"IndexName":"by_n","KeySchema":[{"AttributeName":"n","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}}]}`)
	p.exec("ALTER TABLE made_there ADD COLUMN n BIGINT, ADD COLUMN m BIGINT, ADD COLUMN s VARCHAR")
	p.exec("CREATE TABLE made_here (k VARCHAR, id BIGINT, n BIGINT, m BIGINT, s VARCHAR, PRIMARY KEY(k, id))")
	for _, table := range []string{"made_there", "made_here"} {
		p.rows[table] = map[string]string{}
		p.exec("CREATE INDEX by_s ON " + table + "(s, n DESC) INCLUDE (m)")
		p.exec("CREATE INDEX by_box ON " + table + "(ZORDER(n, m))")
	}
	p.ask("UpdateTable", `{"TableName":"made_here","AttributeDefinitions":[{"AttributeName":"m","AttributeType":"N"}],"GlobalSecondaryIndexUpdates":[{"Create":{"IndexName":"by_m",
		"KeySchema":[{"AttributeName":"m","KeyType":"HASH"}],"Projection":{"ProjectionType":"KEYS_ONLY"}}}]}`)
	for !strings.Contains(p.ask("DescribeTable", `{"TableName":"made_here"}`),
		`"IndexName":"by_m","KeySchema":[{"AttributeName":"m","KeyType":"HASH"}],"Projection":{"ProjectionType":"KEYS_ONLY"},"IndexStatus":"ACTIVE"`) {
		// it is built at its own pace; the test's time limit ends a build that never does
		time.Sleep(10 * time.Millisecond)
	}
}

func (p *pair) ask(operation, body string) string {
	p.t.Helper()
	answer := ask(p.t, p.server, operation, body)
	if strings.HasPrefix(answer, "ERROR") {
		p.t.Fatalf("%s %s: %s", operation, body, answer)
	}
	return answer
}

func (p *pair) exec(text string) {
	p.t.Helper()
	if _, err := p.conn.ExecContext(p.t.Context(), text); err != nil {
		p.t.Fatalf("%s: %v", text, err)
	}
}

// row is a random row: "" for a column that it has not.
func (p *pair) row() (values []string) {
	for _, c := range columns {
		v := strconv.Itoa(p.random.IntN(40) - 20)
		if !c.number {
			v = "text " + v
		}
		if p.random.IntN(4) == 0 {
			v = ""
		}
		values = append(values, v)
	}
	if strings.Join(values, "") == "" {
		values[0] = "1" // a row is more than its key
	}
	return values
}

// write does one write through one of the protocols.
func (p *pair) write() {
	table := []string{"made_there", "made_here"}[p.random.IntN(2)]
	k, id := string(rune('a'+p.random.IntN(4))), p.random.IntN(12)
	key, values := fmt.Sprintf("%s|%d", k, id), p.row()
	switch p.random.IntN(6) {
	case 0:
		p.exec(fmt.Sprintf("REPLACE INTO %s (k, id, n, m, s) VALUES ('%s', %d, %s)", table, k, id, literals(values)))
		p.rows[table][key] = strings.Join(values, "|")
	case 1:
		p.ask("PutItem", fmt.Sprintf(`{"TableName":"%s","Item":{%s%s}}`, table, keyJSON(k, id), item(values)))
		p.rows[table][key] = strings.Join(values, "|")
	case 2:
		p.exec(fmt.Sprintf("DELETE FROM %s WHERE k = '%s' AND id = %d", table, k, id))
		delete(p.rows[table], key)
	case 3:
		p.ask("DeleteItem", fmt.Sprintf(`{"TableName":"%s","Key":{%s}}`, table, keyJSON(k, id)))
		delete(p.rows[table], key)
	case 4:
		p.exec(fmt.Sprintf("INSERT INTO %s (k, id, n, s) VALUES ('%s', %d, 7, 'seven') ON DUPLICATE KEY UPDATE n = 8, s = NULL", table, k, id))
		old, there := p.rows[table][key]
		parts := strings.Split(old, "|")
		if !there {
			p.rows[table][key] = "7||seven"
		} else {
			p.rows[table][key] = "8|" + parts[1] + "|"
		}
	case 5:
		p.ask("UpdateItem", fmt.Sprintf(
			`{"TableName":"%s","Key":{%s},"UpdateExpression":"SET m = :m REMOVE s","ExpressionAttributeValues":{":m":{"N":"5"}}}`, table, keyJSON(k, id)))
		parts := append(strings.Split(p.rows[table][key], "|"), "", "")
		p.rows[table][key] = parts[0] + "|5|"
	}
}

func keyJSON(k string, id int) string { return fmt.Sprintf(`"k":{"S":"%s"},"id":{"N":"%d"}`, k, id) }

// literals are the values in SQL.
func literals(values []string) string {
	var list []string
	for i, v := range values {
		switch {
		case v == "":
			v = "NULL"
		case !columns[i].number:
			v = "'" + v + "'"
		}
		list = append(list, v)
	}
	return strings.Join(list, ", ")
}

// item are the values as attributes.
func item(values []string) string {
	var out strings.Builder
	for i, v := range values {
		if v != "" {
			fmt.Fprintf(&out, `,"%s":{"%s":"%s"}`, columns[i].name,
				map[bool]string{true: "N", false: "S"}[columns[i].number], v)
		}
	}
	return out.String()
}

// compare reads a table through both protocols, in every way.
func (p *pair) compare(table string) {
	p.t.Helper()
	var want []string
	for key, row := range p.rows[table] {
		want = append(want, key+"|"+row)
	}
	slices.Sort(want)
	all := "SELECT k, id, n, m, s FROM " + table
	p.same(table+" in SQL", want, p.query(all))
	p.same(table+" in DynamoDB", want, p.scan(table, ""))
	for _, index := range []string{"by_s", "by_box"} {
		p.same(table+" by "+index, want,
			p.query("SELECT /*+ _l_force_index_('"+index+"') */ k, id, n, m, s FROM "+table))
	}
	other := map[string]string{"made_there": "by_n", "made_here": "by_m"}[table]
	var keys, found []string
	for _, row := range want {
		if parts := strings.Split(row, "|"); parts[map[string]int{"by_n": 2, "by_m": 3}[other]] != "" {
			keys = append(keys, parts[0]+"|"+parts[1])
		}
	}
	for _, row := range p.scan(table, other) {
		found = append(found, strings.Join(strings.Split(row, "|")[:2], "|"))
	}
	p.same(table+" by "+other+" in DynamoDB", keys, found)
	for range 10 {
		p.ask2(table, want)
		p.askStatements(table)
	}
}

// askStatements compares a random SELECT of PartiQL, read page by page, with SQL's answer to the same condition.
func (p *pair) askStatements(table string) {
	p.t.Helper()
	condition := p.condition(3)
	statement := fmt.Sprintf(`SELECT * FROM "%s" WHERE %s`, table,
		strings.NewReplacer("IS NULL", "IS MISSING", "IS NOT NULL", "IS NOT MISSING").Replace(condition))
	request := map[string]any{"Statement": statement, "Limit": 1 + p.random.IntN(20)}
	var rows []string
	for {
		body, err := json.Marshal(request)
		if err != nil {
			p.t.Fatal(err)
		}
		answer := ask(p.t, p.server, "ExecuteStatement", string(body))
		if strings.Contains(answer, "Overlapping conditions") {
			return // as AWS refuses alternatives of the sort key
		}
		var page struct {
			Items     []map[string]map[string]string
			NextToken string
		}
		if err := json.Unmarshal([]byte(answer), &page); err != nil {
			p.t.Fatalf("%s: %s", statement, answer)
		}
		if rows = append(rows, rowsOf(page.Items)...); page.NextToken == "" {
			break
		}
		request["NextToken"] = page.NextToken
	}
	p.same(statement, p.query("SELECT /*+ _l_allow_filtering_ */ k, id, n, m, s FROM "+table+" WHERE "+condition), rows)
}

// condition is a random condition that means the same in SQL and in PartiQL: without NOT and <>, which are true of
// attributes that are missing and of no NULL.
func (p *pair) condition(depth int) string {
	if depth > 0 && p.random.IntN(3) > 0 {
		word := []string{" AND ", " OR "}[p.random.IntN(2)]
		return "(" + p.condition(depth-1) + word + p.condition(depth-1) + ")"
	}
	number := func() int { return p.random.IntN(40) - 20 }
	op := []string{"=", "<", "<=", ">", ">="}[p.random.IntN(5)]
	name := []string{"n", "m", "id"}[p.random.IntN(3)]
	switch low := number(); p.random.IntN(7) {
	case 0:
		return fmt.Sprintf("k = '%c'", 'a'+p.random.IntN(4))
	case 1:
		return fmt.Sprintf("k = '%c' AND id %s %d", 'a'+p.random.IntN(4), op, p.random.IntN(12))
	case 2:
		return fmt.Sprintf("%s BETWEEN %d AND %d", name, low, low+p.random.IntN(20))
	case 3:
		return fmt.Sprintf("%s IN (%d, %d, %d)", name, number(), number(), number())
	case 4:
		return []string{"n IS NULL", "s IS NOT NULL", "m IS NOT NULL"}[p.random.IntN(3)]
	case 5:
		return fmt.Sprintf("s %s 'text %d'", op, number())
	}
	return fmt.Sprintf("%s %s %d", name, op, number())
}

// ask2 compares conditions that indexes serve.
func (p *pair) ask2(table string, want []string) {
	p.t.Helper()
	low, high, m, s := p.random.IntN(40)-20, p.random.IntN(40)-20, p.random.IntN(40)-20, p.random.IntN(40)-20
	for _, c := range []struct {
		where string
		holds func(n, m, s string) bool
	}{
		{fmt.Sprintf("n BETWEEN %d AND %d", low, high), func(n, _, _ string) bool { return within(n, low, high) }},
		{fmt.Sprintf("n >= %d AND m <= %d", low, m),
			func(n, mm, _ string) bool { return within(n, low, 99) && within(mm, -99, m) }},
		{fmt.Sprintf("s = 'text %d'", s), func(_, _, text string) bool { return text == fmt.Sprintf("text %d", s) }},
		{"s IS NULL", func(_, _, text string) bool { return text == "" }},
		{fmt.Sprintf("m = %d", m), func(_, mm, _ string) bool { return mm == strconv.Itoa(m) }},
	} {
		var rows []string
		for _, row := range want {
			if parts := strings.Split(row, "|"); c.holds(parts[2], parts[3], parts[4]) {
				rows = append(rows, row)
			}
		}
		p.same(table+" WHERE "+c.where, rows,
			p.query("SELECT /*+ _l_allow_filtering_ */ k, id, n, m, s FROM "+table+" WHERE "+c.where))
	}
}

func within(text string, low, high int) bool {
	n, err := strconv.Atoi(text)
	return err == nil && n >= low && n <= high
}

func (p *pair) same(what string, want, got []string) {
	p.t.Helper()
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(want, got) {
		p.t.Fatalf("%s: %d rows\n%s\nnot %d\n%s", what, len(got), strings.Join(got, "\n"), len(want),
			strings.Join(want, "\n"))
	}
}

// query reads rows over SQL.
func (p *pair) query(text string) (rows []string) {
	p.t.Helper()
	found, err := p.conn.QueryContext(p.t.Context(), text)
	if err != nil {
		p.t.Fatalf("%s: %v", text, err)
	}
	defer found.Close()
	for found.Next() {
		var values [5]sql.NullString
		if err := found.Scan(&values[0], &values[1], &values[2], &values[3], &values[4]); err != nil {
			p.t.Fatal(err)
		}
		var parts []string
		for _, v := range values {
			parts = append(parts, v.String)
		}
		rows = append(rows, strings.Join(parts, "|"))
	}
	if err := found.Err(); err != nil {
		p.t.Fatalf("%s: %v", text, err)
	}
	return rows
}

// scan reads all items over DynamoDB; by an index if one is named.
func (p *pair) scan(table, index string) []string {
	p.t.Helper()
	request := map[string]any{"TableName": table}
	if index != "" {
		request["IndexName"] = index
	}
	body, err := json.Marshal(request)
	if err != nil {
		p.t.Fatal(err)
	}
	var page struct {
		Items            []map[string]map[string]string
		LastEvaluatedKey map[string]any
	}
	if err := json.Unmarshal([]byte(p.ask("Scan", string(body))), &page); err != nil || page.LastEvaluatedKey != nil {
		p.t.Fatal(err, page.LastEvaluatedKey)
	}
	return rowsOf(page.Items)
}

// rowsOf are items as rows are compared.
func rowsOf(items []map[string]map[string]string) (rows []string) {
	for _, item := range items {
		rows = append(rows, strings.Join([]string{item["k"]["S"], item["id"]["N"], item["n"]["N"], item["m"]["N"],
			item["s"]["S"]}, "|"))
	}
	return rows
}
