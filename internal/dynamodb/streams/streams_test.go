// SPDX-License-Identifier: Apache-2.0

package streams_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/testing/testdb"
)

var (
	label    = regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}`)
	shard    = regexp.MustCompile(`shardId-\d{20}-[0-9a-f]{8}`)
	number   = regexp.MustCompile(`"\d{21,40}"`)
	token    = regexp.MustCompile(`"[^"]*\|1\|[A-Za-z0-9+/=]+"`)
	moment   = regexp.MustCompile(`(DateTime":)[0-9.]+`)
	identity = regexp.MustCompile(`"(eventID|TableId)":"[-0-9a-f]{32,36}"`)
)

// TestStreams runs the scripts of testdata/streams. A script has the commands
//
//	op NAME          runs an operation on a JSON body and shows the answer
//	end TABLE        ends the open shards of a table's streams
//	pass DURATION    lets time pass, and then does what is done in the background: on the journal, and on items whose time has come
//
// In a body, $stream, $shard, $number and $iterator are the last ones that were shown, and $shard1 the first that was
// shown, and so on: what varies is shown by such names.
func TestStreams(t *testing.T) {
	datadriven.Walk(t, "testdata/streams", func(t *testing.T, path string) {
		passed := new(atomic.Int64)
		db := testdb.OpenWith(t, database.Options{ExpiryInterval: -1,
			Now: func() time.Time { return time.Now().Add(time.Duration(passed.Load())) }})
		s := script{api: &dynamodb.API{DB: db}, known: map[string][]string{}}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "op":
				return s.run(t, d)
			case "end":
				if err := s.api.DB.Changes().EndShards(t.Context(), "", d.CmdArgs[0].Key); err != nil {
					t.Fatal(err)
				}
				return ""
			case "pass":
				by, err := time.ParseDuration(d.CmdArgs[0].Key)
				if err != nil {
					t.Fatal(err)
				}
				passed.Add(int64(by))
				if err := db.WaitJobs(t.Context()); err != nil {
					t.Fatal(err)
				}
				if _, err := db.Jobs().Expire(t.Context()); err != nil {
					t.Fatal(err)
				}
				if err := db.Changes().Trim(t.Context()); err != nil {
					t.Fatal(err)
				}
				return ""
			}
			d.Fatalf(t, "unknown command %s", d.Cmd)
			return ""
		})
	})
}

type script struct {
	api   *dynamodb.API
	known map[string][]string // what was shown, by kind
}

func (s *script) run(t *testing.T, d *datadriven.TestData) string {
	body := d.Input
	for kind, list := range s.known {
		for i := len(list); i > 0; i-- {
			body = strings.ReplaceAll(body, fmt.Sprint("$", kind, i), list[i-1])
		}
		body = strings.ReplaceAll(body, "$"+kind, list[len(list)-1])
	}
	answer, err := s.api.Do(t.Context(), d.CmdArgs[0].Key, []byte(body), nil)
	if e, ok := errors.AsType[*exception.Error](err); ok {
		return s.hide(fmt.Sprintf("%s: %s\n", e.Kind.Name(), e.Message))
	}
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(answer) {
		t.Fatalf("the answer is no JSON: %s", answer)
	}
	return s.hide(strings.ReplaceAll(string(answer), "},{", "},\n {") + "\n")
}

// hide puts names for what varies.
func (s *script) hide(text string) string {
	text = s.name(token, "iterator", text)
	text = s.name(shard, "shard", text)
	text = s.name(number, "number", text)
	text = s.name(label, "stream", text)
	text = moment.ReplaceAllString(text, "${1}0")
	return identity.ReplaceAllString(text, `"$1":"."`)
}

func (s *script) name(pattern *regexp.Regexp, kind, text string) string {
	return pattern.ReplaceAllStringFunc(text, func(found string) string {
		bare := strings.Trim(found, `"`)
		for i, other := range s.known[kind] {
			if other == bare && kind != "iterator" { // which differ by when they were made, or not
				return strings.ReplaceAll(found, bare, fmt.Sprint("$", kind, i+1))
			}
		}
		s.known[kind] = append(s.known[kind], bare)
		return strings.ReplaceAll(found, bare, fmt.Sprint("$", kind, len(s.known[kind])))
	})
}

// TestIteratorAtMoment begins to read at the moment between two writes.
func TestIteratorAtMoment(t *testing.T) {
	s := script{api: &dynamodb.API{DB: testdb.OpenWith(t, database.Options{})}, known: map[string][]string{}}
	do := func(operation, body string) string {
		return s.run(t, &datadriven.TestData{Cmd: "op", CmdArgs: []datadriven.CmdArg{{Key: operation}}, Input: body})
	}
	const arn = `"StreamArn":"arn:aws:dynamodb:us-east-1:000000000000:table/games/stream/$stream"`
	do("CreateTable", `{"TableName":"games","AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}],"BillingMode":"PAY_PER_REQUEST",
		"KeySchema":[{"AttributeName":"id","KeyType":"HASH"}],"StreamSpecification":{"StreamEnabled":true,"StreamViewType":"KEYS_ONLY"}}`)
	do("ListStreams", `{}`)
	do("DescribeStream", `{`+arn+`}`)
	do("PutItem", `{"TableName":"games","Item":{"id":{"S":"before"}}}`)
	for begin := time.Now(); time.Since(begin) < 3*time.Millisecond; { // the moment is a later millisecond
	}
	at := float64(time.Now().UnixMilli()) / 1000
	do("PutItem", `{"TableName":"games","Item":{"id":{"S":"after"}}}`)
	do("GetShardIterator", fmt.Sprintf(`{%s,"ShardId":"$shard","ShardIteratorType":"AT_TIMESTAMP","Timestamp":%.3f}`, arn, at))
	records := do("GetRecords", `{"ShardIterator":"$iterator"}`)
	if strings.Contains(records, "before") || !strings.Contains(records, "after") {
		t.Errorf("from the moment between two writes: %s", records)
	}
}
