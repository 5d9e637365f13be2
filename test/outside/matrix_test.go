// SPDX-License-Identifier: Apache-2.0

package outside

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/hbase"
	"github.com/weftdb/weft/internal/security/account"
	"github.com/weftdb/weft/internal/security/permission"
	"github.com/weftdb/weft/internal/security/policy"
	"github.com/weftdb/weft/internal/sql"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// probe is a request of one of the APIs, with what AWS's pages say that policies can ask about it.
type probe struct {
	name   string
	action string
	on     string              // the last part of the ARN
	keys   map[string][]string // besides those of everybody
	// unknown are condition keys that the request does not show the values of: what depends on them is not allowed, and
	// denied.
	unknown []string
	run     func(user string) (answer string, err error)
}

// everybody's condition keys. // immutable
var everybody = map[string][]string{
	"aws:username": {"ann"}, "aws:sourceip": {"192.0.2.7"}, "aws:securetransport": {"false"}, "aws:useragent": {"test"},
	"aws:principaltype":   {"User"},
	"aws:requestedregion": {"us-east-1"}, "aws:principalaccount": {"000000000000"}, "aws:resourcetag/class": {"secret"},
	"aws:viaawsservice": {"false"},
}

// asked are the values that the matrix's policies ask for: of each key one that requests have, one that none has, and
// several. // immutable
var asked = map[string][]string{
	"dynamodb:LeadingKeys": {"bob", "zoe", "Ym9i", "open"}, "dynamodb:Attributes": {"pub", "other", "id", "f:pub",
		"ROW"},
	"dynamodb:Select": {"SPECIFIC_ATTRIBUTES", "COUNT", "ALL_ATTRIBUTES"}, "dynamodb:ReturnValues": {"NONE",
		"ALL_NEW", "UPDATED_NEW"},
	"dynamodb:ReturnConsumedCapacity": {"NONE", "TOTAL"}, "dynamodb:EnclosingOperation": {"TransactWriteItems",
		"Other", "TransactGetItems"},
	"dynamodb:FullTableScan": {"true", "maybe"}, "aws:username": {"ann", "bob"}, "aws:SourceIp": {"192.0.2.7",
		"192.0.2.8"}, "aws:SecureTransport": {"false", "true"},
	"aws:UserAgent": {"test", "other"}, "aws:PrincipalType": {"User",
		"Anonymous"}, "aws:RequestedRegion": {"us-east-1", "eu-west-1"},
	"aws:PrincipalAccount": {"000000000000", "111111111111"}, "aws:ResourceTag/class": {"secret",
		"open"}, "aws:RequestTag/class": {"secret", "open"},
	"aws:TagKeys": {"class", "other"}, "aws:ViaAWSService": {"false", "true"},
}

// matrix has the three APIs over one database.
type matrix struct {
	t      *testing.T
	db     *database.DB
	guard  *permission.Guard
	api    *dynamodb.API
	engine *sql.Engine
	hbase  *hbase.API
	clock  time.Time
}

const table, hbaseTable = "data", "hb"

func newMatrix(t *testing.T) *matrix {
	m := &matrix{t: t, db: testdb.Open(t), clock: time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)}
	now := func() time.Time { m.clock = m.clock.Add(2 * time.Second); return m.clock } // rights are read anew
	m.guard = permission.New(m.db.Accounts(), permission.Options{Account: "000000000000", Region: "us-east-1",
		Now: now})
	m.api = &dynamodb.API{DB: m.db, Region: "us-east-1", AccountID: "000000000000", Guard: m.guard}
	m.engine = sql.New(sql.Options{DB: m.db, Guard: m.guard, Now: now})
	m.hbase = &hbase.API{DB: m.db, Guard: m.guard}
	for _, user := range []string{"root", "ann"} {
		m.must(m.db.Accounts().Add(ctx, user, "secret"))
	}
	tags := `"Tags":[{"Key":"class","Value":"secret"}]`
	m.rootDo("CreateTable", `{"TableName":"`+table+`","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"},{"AttributeName":"pub","AttributeType":"S"}],
		"KeySchema":[{"AttributeName":"id","KeyType":"HASH"}],"GlobalSecondaryIndexes":[{"IndexName":"by_pub","KeySchema":[{"AttributeName":"pub","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}}],`+tags+`}`)
	for _, id := range []string{"bob", "eve"} {
		m.rootDo("PutItem",
			`{"TableName":"`+table+`","Item":{"id":{"S":"`+id+`"},"pub":{"S":"open"},"sec":{"S":"SECRET-`+id+`"}}}`)
	}
	root := permission.NewContext(ctx, &permission.Principal{User: "root"})
	name := hbase.TableName{Namespace: database.DefaultDatabase, Name: hbaseTable}
	m.must(m.hbase.CreateTable(root, &hbase.Table{TableName: name,
		Families: []hbase.Family{{Name: "f", Versions: 1}}}, nil))
	for _, row := range []string{"bob", "eve"} {
		m.must(m.hbase.Put(root, name, []*hbase.Put{{Row: []byte(row),
			Cells: []hbase.CellWrite{{Column: column("pub"), Value: []byte("open")}, {Column: column("sec"),
				Value: []byte("SECRET-" + row)}}}}))
	}
	return m
}

func column(qualifier string) hbase.Column {
	return hbase.Column{Family: []byte("f"), Qualifier: []byte(qualifier)}
}

func (m *matrix) must(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
}

func (m *matrix) rootDo(operation, body string) {
	m.t.Helper()
	if _, err := m.do("root", operation, body); err != nil {
		m.t.Fatal(operation, err)
	}
}

func principal(user string) *permission.Principal {
	return &permission.Principal{User: user, Address: netip.MustParseAddr("192.0.2.7"), Agent: "test"}
}

func (m *matrix) do(user, operation, body string) (string, error) {
	answer, err := m.api.Do(permission.NewContext(ctx, principal(user)), operation, []byte(body), nil)
	if fault := exception.Of(err); err != nil && fault != nil {
		answer = append(answer, fmt.Sprintf("%v %s", fault, fault.Extra)...)
	}
	return string(answer), err
}

// isDenied reports whether rights are why a request was refused.
func isDenied(err error) bool {
	if f, ok := fault.Of(err); ok {
		return slices.Contains([]fault.Code{fault.TableDenied, fault.ColumnDenied, fault.Privilege,
			fault.DatabaseDenied}, f.Code)
	}
	if f, ok := errors.AsType[*hbase.Fault](err); ok {
		return strings.HasSuffix(f.Class, "AccessDeniedException")
	}
	return err != nil && exception.Of(err).Kind == exception.KindAccessDenied
}

// lists are the keys that may have several values. // immutable
var lists = []string{"dynamodb:leadingkeys", "dynamodb:attributes", "aws:tagkeys"}

// with are condition keys, as pairs of a name and values parted by spaces.
func with(pairs ...string) map[string][]string {
	keys := map[string][]string{}
	for i := 0; i < len(pairs); i += 2 {
		keys[pairs[i]] = strings.Fields(pairs[i+1])
	}
	return keys
}

const (
	leading, attributesKey, selected, returned = "dynamodb:leadingkeys", "dynamodb:attributes", "dynamodb:select",
		"dynamodb:returnvalues"
	capacity, enclosing, fullScan = "dynamodb:returnconsumedcapacity", "dynamodb:enclosingoperation",
		"dynamodb:fulltablescan"
)

// ofRows are the condition keys that a statement over several tables does not show.
var ofRows = []string{leading, attributesKey, selected, fullScan} // immutable

// items are requests of DynamoDB's API.
func (m *matrix) items() (list []probe) {
	add := func(operation, action, body string, keys map[string][]string) {
		list = append(list, probe{name: operation + " " + body, action: "dynamodb:" + action, on: "table/" + table,
			keys: keys,
			run:  func(user string) (string, error) { return m.do(user, operation, body) }})
	}
	const bob, item, name = `"Key":{"id":{"S":"bob"}}`, `"Item":{"id":{"S":"bob"},"pub":{"S":"open"}}`,
		`"TableName":"` + table + `"`
	const never = `"ConditionExpression":"attribute_not_exists(id)"`
	add("GetItem", "GetItem", `{`+name+`,`+bob+`}`, with(leading, "bob", attributesKey, "id", selected,
		"ALL_ATTRIBUTES", capacity, "NONE"))
	add("GetItem", "GetItem", `{`+name+`,`+bob+`,"ProjectionExpression":"pub"}`, with(leading, "bob", attributesKey,
		"id pub", selected, "SPECIFIC_ATTRIBUTES", capacity, "NONE"))
	add("GetItem", "GetItem", `{`+name+`,`+bob+`,"AttributesToGet":["sec"],"ReturnConsumedCapacity":"TOTAL"}`,
		with(leading, "bob", attributesKey, "id sec", selected, "SPECIFIC_ATTRIBUTES", capacity, "TOTAL"))
	for _, one := range [][3]string{{"", "", "NONE"}, {"ALL_OLD", "", "ALL_OLD"}, {"", "ALL_OLD", "ALL_OLD"}} {
		more := returning(one[0], one[1])
		add("PutItem", "PutItem", `{`+name+`,`+item+`,`+never+more+`}`, with(leading, "bob", attributesKey, "id pub",
			returned, one[2], capacity, "NONE"))
		add("DeleteItem", "DeleteItem", `{`+name+`,`+bob+`,`+never+more+`}`, with(leading, "bob", attributesKey, "id",
			returned, one[2], capacity, "NONE"))
	}
	for _, one := range [][3]string{{"", "", "NONE"}, {"ALL_OLD", "", "ALL_OLD"}, {"UPDATED_NEW", "", "UPDATED_NEW"},
		{"NONE", "ALL_OLD", "ALL_OLD"}, {"UPDATED_NEW", "ALL_OLD", "UPDATED_NEW ALL_OLD"}} {
		body := `{` + name + `,` + bob +
			`,"UpdateExpression":"SET pub = :v","ExpressionAttributeValues":{":v":{"S":"open"}},` + never +
			returning(one[0], one[1]) + `}`
		add("UpdateItem", "UpdateItem", body, with(leading, "bob", attributesKey, "id pub", returned, one[2],
			capacity, "NONE"))
	}
	const ofBob = `"KeyConditionExpression":"id = :k","ExpressionAttributeValues":{":k":{"S":"bob"}}`
	add("Query", "Query", `{`+name+`,`+ofBob+`}`, with(leading, "bob", attributesKey, "id", selected,
		"ALL_ATTRIBUTES", capacity, "NONE"))
	add("Query", "Query", `{`+name+`,`+ofBob+`,"Select":"COUNT"}`, with(leading, "bob", attributesKey, "id", selected,
		"COUNT", capacity, "NONE"))
	add("Query", "Query",
		`{`+name+`,"IndexName":"by_pub","KeyConditionExpression":"pub = :k","ExpressionAttributeValues":{":k":{"S":"open"}}}`,
		with(leading, "open", attributesKey, "pub", selected, "ALL_PROJECTED_ATTRIBUTES", capacity, "NONE"))
	add("Scan", "Scan", `{`+name+`,"ProjectionExpression":"pub"}`, with(attributesKey, "pub", selected,
		"SPECIFIC_ATTRIBUTES", capacity, "NONE"))
	add("Scan", "Scan", `{`+name+`}`, with(selected, "ALL_ATTRIBUTES", capacity, "NONE"))
	keys := `"RequestItems":{"` + table + `":{"Keys":[{"id":{"S":"bob"}},{"id":{"S":"eve"}}]`
	add("BatchGetItem", "BatchGetItem", `{`+keys+`}}}`, with(leading, "bob eve", attributesKey, "id", selected,
		"ALL_ATTRIBUTES", capacity, "NONE"))
	add("BatchGetItem", "BatchGetItem", `{`+keys+`,"ProjectionExpression":"pub"}}}`, with(leading, "bob eve",
		attributesKey, "id pub", selected, "SPECIFIC_ATTRIBUTES", capacity, "NONE"))
	add("BatchWriteItem", "BatchWriteItem",
		`{"RequestItems":{"`+table+`":[{"DeleteRequest":{"Key":{"id":{"S":"none"}}}}]}}`, with(leading, "none",
			attributesKey, "id", capacity, "NONE"))
	add("TransactGetItems", "GetItem", `{"TransactItems":[{"Get":{`+name+`,`+bob+`}}]}`,
		with(leading, "bob", attributesKey, "id", selected, "ALL_ATTRIBUTES", capacity, "NONE", enclosing,
			"TransactGetItems"))
	for action, part := range map[string]string{"PutItem": `{"Put":{` + name + `,` + item + `,` + never,
		"DeleteItem":         `{"Delete":{` + name + `,` + bob + `,` + never,
		"ConditionCheckItem": `{"ConditionCheck":{` + name + `,` + bob + `,` + never} {
		named := map[bool]string{true: "id pub", false: "id"}[action == "PutItem"]
		add("TransactWriteItems", action, `{"TransactItems":[`+part+`}}]}`, with(leading, "bob", attributesKey, named,
			returned, "NONE", capacity, "NONE", enclosing, "TransactWriteItems"))
		add("TransactWriteItems", action, `{"TransactItems":[`+part+returning("", "ALL_OLD")+`}}]}`,
			with(leading, "bob", attributesKey, named, returned, "ALL_OLD", capacity, "NONE", enclosing,
				"TransactWriteItems"))
	}
	add("DescribeTable", "DescribeTable", `{`+name+`}`, nil)
	add("TagResource", "TagResource",
		`{"ResourceArn":"arn:aws:dynamodb:us-east-1:000000000000:table/`+table+
			`","Tags":[{"Key":"class","Value":"secret"}]}`,
		with("aws:tagkeys", "class", "aws:requesttag/class", "secret"))
	return list
}

// returning are the members that say what a write answers; "" is none.
func returning(values, onFailure string) (members string) {
	if values != "" {
		members += `,"ReturnValues":"` + values + `"`
	}
	if onFailure != "" {
		members += `,"ReturnValuesOnConditionCheckFailure":"` + onFailure + `"`
	}
	return members
}

// statements are those of SQL.
func (m *matrix) statements() (list []probe) {
	add := func(action, statement string, keys map[string][]string, unknown ...string) {
		list = append(list, probe{name: statement, action: "dynamodb:PartiQL" + action, on: "table/" + table,
			keys: keys, unknown: unknown, run: func(user string) (string, error) {
				session, err := m.engine.Open(ctx, result.Login{User: user, Host: "192.0.2.7",
					Database: database.DefaultDatabase, Attributes: map[string]string{"program_name": "test"}})
				if err != nil {
					return "", err
				}
				defer session.Close()
				var a answer
				err = session.Query(ctx, []byte(statement), &a)
				return fmt.Sprint(a.rows, err), err
			}})
	}
	specific, one := "SPECIFIC_ATTRIBUTES", "false"
	add("Select", "SELECT id, pub FROM data WHERE id = 'bob'", with(leading, "bob", attributesKey, "id pub", selected,
		specific, fullScan, one))
	add("Select", "SELECT sec FROM data WHERE id IN ('bob', 'eve')", with(leading, "bob eve", attributesKey, "sec id",
		selected, specific, fullScan, one))
	add("Select", "SELECT * FROM data WHERE id = 'bob'", with(leading, "bob", selected, "ALL_ATTRIBUTES", fullScan,
		one), attributesKey)
	add("Select", "SELECT pub FROM data WHERE pub = 'open'", with(attributesKey, "pub", selected, specific, fullScan,
		"true"), leading)
	add("Select", "SELECT a.pub FROM data a JOIN data b ON a.id = b.id WHERE a.id = 'bob'", nil, ofRows...)
	add("Select", "SELECT d.sec FROM (SELECT sec FROM data WHERE id = 'bob') d", nil, ofRows...)
	add("Select", "SELECT pub FROM data WHERE id = 'bob' UNION SELECT sec FROM data", nil, ofRows...)
	add("Insert", "INSERT IGNORE INTO data (id, pub) VALUES ('bob', 'open')", with(leading, "bob", attributesKey,
		"id pub", selected, specific, fullScan, one))
	add("Update", "UPDATE data SET pub = 'open' WHERE id = 'bob'", with(leading, "bob", attributesKey, "id pub",
		selected, specific, fullScan, one))
	add("Delete", "DELETE FROM data WHERE id = 'none'", with(leading, "none", attributesKey, "id", selected, specific,
		fullScan, one))
	return list
}

// calls are those of HBase's APIs, which Thrift1 and Thrift2 share. Their tables have no tags.
func (m *matrix) calls() (list []probe) {
	name := hbase.TableName{Namespace: database.DefaultDatabase, Name: hbaseTable}
	add := func(what, action string, keys map[string][]string, run func(ctx context.Context) (any, error),
		unknown ...string) {
		if keys == nil {
			keys = map[string][]string{}
		}
		keys["aws:resourcetag/class"] = nil
		list = append(list, probe{name: "hbase " + what, action: "dynamodb:" + action, on: "table/" + hbaseTable,
			keys: keys, unknown: unknown, run: func(user string) (string, error) {
				answer, err := run(permission.NewContext(ctx, principal(user)))
				return fmt.Sprintf("%s %v", answer, err), err
			}})
	}
	const row, pub = "Ym9i", "ROW f:pub"
	cells := []hbase.CellWrite{{Column: column("pub")}}
	add("get", "GetItem", with(leading, row, attributesKey, pub, selected, "SPECIFIC_ATTRIBUTES"),
		func(ctx context.Context) (any, error) {
			r, err := m.hbase.Get(ctx, name, &hbase.Get{Row: []byte("bob"),
				Selection: hbase.Selection{Columns: []hbase.Column{column("pub")}}})
			return shown([]hbase.Result{r}), err
		})
	add("scan", "Scan", with(attributesKey, pub, selected, "SPECIFIC_ATTRIBUTES"), func(ctx context.Context) (any,
		error) {
		s, err := m.hbase.OpenScanner(ctx, name,
			&hbase.Scan{Selection: hbase.Selection{Columns: []hbase.Column{column("pub")}}})
		if err != nil {
			return nil, err
		}
		list, err := s.Next(ctx, 10)
		return shown(list), err
	}, leading)
	add("put", "PutItem", with(leading, row, attributesKey, pub, returned, "NONE"), func(ctx context.Context) (any,
		error) {
		return nil, m.hbase.Put(ctx, name,
			[]*hbase.Put{{Row: []byte("bob"),
				Cells: []hbase.CellWrite{{Column: column("pub"), Value: []byte("open")}}}})
	})
	add("append", "UpdateItem", with(leading, row, attributesKey, pub, returned, "UPDATED_NEW"),
		func(ctx context.Context) (any, error) {
			r, err := m.hbase.Append(ctx, name, &hbase.Append{Row: []byte("bob"), Cells: cells})
			return shown([]hbase.Result{r}), err
		})
	add("append unread", "UpdateItem", with(leading, row, attributesKey, pub, returned, "NONE"),
		func(ctx context.Context) (any, error) {
			_, err := m.hbase.Append(ctx, name, &hbase.Append{Row: []byte("bob"), Cells: cells, Unread: true})
			return nil, err
		})
	add("check", "UpdateItem", with(leading, row, attributesKey, pub, returned, "NONE"),
		func(ctx context.Context) (any, error) {
			return m.hbase.CheckAndMutate(ctx, name, []byte("bob"), &hbase.Condition{Column: column("pub"),
				Value: []byte("x")}, nil)
		})
	add("delete", "DeleteItem", with(leading, row, attributesKey, pub, returned, "NONE"),
		func(ctx context.Context) (any, error) {
			return nil, m.hbase.Delete(ctx, name,
				[]*hbase.Delete{{Row: []byte("bob"),
					Cells: []hbase.CellDelete{{Column: column("pub"), Kind: hbase.DeleteVersions, AtMS: 1}}}})
		})
	add("describe", "DescribeTable", nil, func(ctx context.Context) (any, error) { return m.hbase.Describe(ctx, name) })
	return list
}

// documents are the policies of the matrix: each key, with Allow and Deny, compared with one value, with one that no
// request has, and with several; and whether it is there.
func documents() (list []document) {
	for _, key := range slices.Sorted(maps.Keys(asked)) {
		values := asked[key]
		for _, effect := range []string{"Allow", "Deny"} {
			for _, operator := range []string{"StringEquals", "StringNotEquals", "StringEqualsIfExists", "StringLike",
				"ForAllValues:StringEquals", "ForAnyValue:StringEquals",
				"ForAnyValue:StringNotEquals"} {
				for _, wanted := range [][]string{values[:1], values[1:2], values} {
					list = append(list, document{effect, operator, key, wanted})
				}
			}
			list = append(list, document{effect, "Null", key, []string{"true"}}, document{effect, "Null", key,
				[]string{"false"}})
		}
	}
	return list
}

// document is a policy of the matrix. A Deny stands beside an Allow of everything.
type document struct {
	effect, operator, key string
	wanted                []string
}

func (d *document) object() map[string]any {
	list := []any{map[string]any{"Effect": d.effect, "Action": "*", "Resource": "*",
		"Condition": map[string]any{d.operator: map[string]any{d.key: d.wanted}}}}
	if d.effect == "Deny" {
		list = append(list, map[string]any{"Effect": "Allow", "Action": "*", "Resource": "*"})
	}
	return map[string]any{"Version": "2012-10-17", "Statement": list}
}

// decides returns what the policy says of a probe. known is false if it depends on what the request does not show.
func (d *document) decides(t *testing.T, p *probe) (effect policy.Effect, known bool) {
	if slices.Contains(p.unknown, strings.ToLower(d.key)) {
		return map[string]policy.Effect{"Allow": policy.NoMatch, "Deny": policy.Deny}[d.effect], false
	}
	text, err := json.Marshal(d.object())
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := policy.Parse(text, policy.Identity)
	if err != nil {
		t.Fatal(err)
	}
	keys := p.all()
	return parsed.Decide(&policy.Request{Principal: "arn:aws:iam::000000000000:user/ann", Account: "000000000000",
		Action: p.action, Resource: "arn:aws:dynamodb:us-east-1:000000000000:" + p.on,
		Values: func(name string) ([]string, bool) { return keys[name], len(keys[name]) > 0 }}), true
}

// all are the keys of a probe with those of everybody.
func (p *probe) all() map[string][]string {
	keys := maps.Clone(everybody)
	maps.Copy(keys, p.keys)
	maps.DeleteFunc(keys, func(_ string, values []string) bool { return len(values) == 0 })
	return keys
}

// TestPolicyMatrix does every request under every policy of the matrix, and compares what it comes to with what the
// policy says of the keys that AWS's pages, or this project's, say the request has. Where iam-simulate is installed
// (make test-clients), it must say the same.
func TestPolicyMatrix(t *testing.T) {
	m := newMatrix(t)
	probes := slices.Concat(m.items(), m.statements(), m.calls())
	var lines bytes.Buffer
	var simulated []string // what was decided, for each line
	met := map[policy.Effect]int{}
	for _, d := range documents() {
		text, err := json.Marshal(d.object())
		m.must(err)
		m.must(m.db.Accounts().Change(ctx, "ann",
			func(u *account.Account) error { return u.PutPolicy("p", string(text)) }))
		for i := range probes {
			p := &probes[i]
			want, known := d.decides(t, p)
			met[want]++
			if _, err := p.run("ann"); isDenied(err) == (want == policy.Allow) {
				t.Errorf("%s\nby %s\nis %v: %v", p.name, text, want, err)
			}
			line, ok := d.line(p)
			if known && ok {
				lines.Write(line)
				simulated = append(simulated, want.String())
			}
		}
	}
	t.Logf("%d requests of %d kinds: %v", len(documents())*len(probes), len(probes), met)
	simulate(t, &lines, simulated)
}

// line is a decision for the simulator; ok is false where a key of one value has several, which it can't.
func (d *document) line(p *probe) (line []byte, ok bool) {
	keys := p.all()
	for name, values := range keys {
		if len(values) > 1 && !slices.Contains(lists, name) {
			return nil, false
		}
	}
	line, err := json.Marshal(map[string]any{"identity": []any{d.object()},
		"principal": "arn:aws:iam::123456789012:user/ann", "action": p.action,
		"on": "arn:aws:dynamodb:us-east-1:123456789012:" + p.on, "keys": keys})
	return append(line, '\n'), err == nil
}

func simulate(t *testing.T, lines *bytes.Buffer, decided []string) {
	_, err := os.Stat("../clients/node_modules/@cloud-copilot/iam-simulate")
	if _, noNode := exec.LookPath("node"); err != nil || noNode != nil {
		t.Log("iam-simulate is not installed: make test-clients installs it")
		return
	}
	written := strings.Split(lines.String(), "\n")
	command := exec.Command("node", "simulate.mjs")
	command.Dir, command.Stdin, command.Stderr = "../clients", lines, os.Stderr
	output, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	answers, differences := strings.Fields(string(output)), 0
	if len(answers) != len(decided) {
		t.Fatalf("%d answers to %d requests", len(answers), len(decided))
	}
	for i, want := range answers {
		if want != decided[i] {
			if differences++; differences <= 5 {
				t.Errorf("%s, and the simulator says %s: %s", decided[i], want, written[i])
			}
		}
	}
	t.Logf("%d decisions simulated, %d differences", len(answers), differences)
}

// TestDeniedValues gives AWS's policies on fine-grained access, and looks for what they keep from a user in whatever
// the requests answer, errors too.
func TestDeniedValues(t *testing.T) {
	m := newMatrix(t)
	probes := slices.Concat(m.items(), m.statements(), m.calls(), m.wide())
	for _, one := range []struct{ document, secret string }{
		{`{"Effect":"Allow","Action":"dynamodb:*","Resource":"*","Condition":{"ForAllValues:StringEquals":{"dynamodb:Attributes":["id","pub","ROW","f:pub"]},
			"StringEqualsIfExists":{"dynamodb:Select":"SPECIFIC_ATTRIBUTES","dynamodb:ReturnValues":["NONE","UPDATED_OLD","UPDATED_NEW"]}}}`, "SECRET"},
		{`{"Effect":"Allow","NotAction":"dynamodb:Scan","Resource":"*","Condition":{"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":["bob","Ym9i","none"]}}}`, "SECRET-eve"},
		{`{"Effect":"Allow","Action":"dynamodb:*","Resource":"*"},{"Effect":"Deny","Action":"dynamodb:*","Resource":"*","Condition":{"StringEquals":{"aws:ResourceTag/class":"secret"}}},
			{"Effect":"Deny","Action":"dynamodb:*","Resource":"arn:aws:dynamodb:*:*:table/hb"}`, "open"},
		{`{"Effect":"Allow","Action":["dynamodb:PutItem","dynamodb:UpdateItem","dynamodb:DeleteItem","dynamodb:PartiQLInsert","dynamodb:PartiQLUpdate","dynamodb:PartiQLDelete"],"Resource":"*",
			"Condition":{"StringEqualsIfExists":{"dynamodb:ReturnValues":"NONE"}}}`, "SECRET"},
	} {
		m.must(m.db.Accounts().Change(ctx, "ann", func(u *account.Account) error {
			return u.PutPolicy("p", `{"Version":"2012-10-17","Statement":[`+one.document+`]}`)
		}))
		allowed, holds := 0, 0
		for i := range probes {
			answer, err := probes[i].run("ann")
			if !isDenied(err) {
				allowed++
			}
			if strings.Contains(answer, one.secret) {
				t.Errorf("%s\nanswers %s\nby %s", probes[i].name, answer, one.document)
			}
			if whole, _ := probes[i].run("root"); strings.Contains(whole, one.secret) {
				holds++
			}
		}
		t.Logf("%d of %d requests are allowed; %d answer root what is kept from ann", allowed, len(probes), holds)
		if holds < 10 {
			t.Errorf("only %d requests answer what the policy keeps from the user: %s", holds, one.document)
		}
	}
}

// shown writes the cells of rows.
func shown(list []hbase.Result) string {
	var text strings.Builder
	for _, r := range list {
		for _, c := range r.Cells {
			fmt.Fprintf(&text, "%s %s:%s=%s ", r.Row, c.Family, c.Qualifier, c.Value)
		}
	}
	return text.String()
}

// wide are requests that answer much, whose keys the matrix does not list.
func (m *matrix) wide() (list []probe) {
	name := hbase.TableName{Namespace: database.DefaultDatabase, Name: hbaseTable}
	add := func(what string, run func(ctx context.Context) (any, error)) {
		list = append(list, probe{name: "hbase " + what, run: func(user string) (string, error) {
			answer, err := run(permission.NewContext(ctx, principal(user)))
			return fmt.Sprintf("%s %v", answer, err), err
		}})
	}
	for _, row := range []string{"bob", "eve"} {
		for what, columns := range map[string][]hbase.Column{"all": nil,
			"family": {{Family: []byte("f"), Whole: true}}, "secret": {column("sec")}} {
			add("get "+what+" of "+row, func(ctx context.Context) (any, error) {
				r, err := m.hbase.Get(ctx, name, &hbase.Get{Row: []byte(row),
					Selection: hbase.Selection{Columns: columns}})
				return shown([]hbase.Result{r}), err
			})
			add("get several "+what, func(ctx context.Context) (any, error) {
				list, err := m.hbase.GetMultiple(ctx, name,
					[]*hbase.Get{{Row: []byte("bob"), Selection: hbase.Selection{Columns: columns}},
						{Row: []byte(row), Selection: hbase.Selection{Columns: columns}}})
				return shown(list), err
			})
			add("scan "+what, func(ctx context.Context) (any, error) {
				s, err := m.hbase.OpenScanner(ctx, name, &hbase.Scan{Start: []byte(row),
					Selection: hbase.Selection{Columns: columns}})
				if err != nil {
					return nil, err
				}
				list, err := s.Next(ctx, 10)
				return shown(list), err
			})
		}
		add("append to "+row, func(ctx context.Context) (any, error) {
			r, err := m.hbase.Append(ctx, name, &hbase.Append{Row: []byte(row),
				Cells: []hbase.CellWrite{{Column: column("sec")}}})
			return shown([]hbase.Result{r}), err
		})
	}
	for _, statement := range []string{"SELECT * FROM data", "SELECT sec FROM data",
		"SELECT sec FROM data WHERE id = 'eve'", "SELECT MAX(sec) FROM data", "SELECT id, sec s FROM data ORDER BY s",
		"SELECT (SELECT MAX(sec) FROM data) FROM data WHERE id = 'bob'",
		"SELECT id FROM data WHERE id = 'bob' AND EXISTS (SELECT 1 FROM data WHERE sec = 'SECRET-eve') UNION SELECT sec FROM data",
		"WITH d AS (SELECT sec FROM data) SELECT * FROM d", "SELECT ROW_NUMBER() OVER (ORDER BY sec), sec FROM data",
		"SELECT b.sec FROM data a, data b WHERE a.id = 'bob'",
		"UPDATE data SET pub = sec WHERE id = 'none'", "EXPLAIN ANALYZE SELECT sec FROM data",
		"SELECT JSON_ARRAYAGG(sec) FROM data", "SELECT GROUP_CONCAT(sec) FROM data"} {
		list = append(list, probe{name: statement, run: func(user string) (string, error) {
			session, err := m.engine.Open(ctx, result.Login{User: user, Database: database.DefaultDatabase})
			if err != nil {
				return "", err
			}
			defer session.Close()
			var a answer
			err = session.Query(ctx, []byte(statement), &a)
			return fmt.Sprint(a.rows), err
		}})
	}
	return list
}
