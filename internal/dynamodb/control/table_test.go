// SPDX-License-Identifier: Apache-2.0

package control_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/dynamodb"
	"github.com/weftdb/weft/internal/dynamodb/control"
	"github.com/weftdb/weft/internal/testing/testdb"
)

var (
	uuidPattern     = regexp.MustCompile(`"TableId": "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"`)
	timePattern     = regexp.MustCompile(`DateTime": 1[0-9]{9}(\.[0-9]{1,3})?`)
	arnPattern      = regexp.MustCompile(`"BackupArn":"([^"]+)"`)
	idPattern       = regexp.MustCompile(`[0-9]{14}-[0-9a-f]{8}`)
	revisionPattern = regexp.MustCompile(`"RevisionId": "1[0-9]{12}"`)
	// spreadPattern finds objects and lists that fit a line.
	spreadPattern = regexp.MustCompile(`[{\[]\n[^{}\[\]]{1,200}[}\]]`)
	spacePattern  = regexp.MustCompile(`\n\s*`)
)

// TestTables runs the scripts of testdata/tables. A script has the commands
//
//	op NAME [only=(MEMBER,...)]    runs an operation on a JSON body and shows the answer, or those members of it, without what varies
//	wait                           waits until no index is being built or removed, and no backup made or restored
//	accept                         accepts requests for encryption from now on
//	regions TABLE                  shows where the regions of a table and its indexes begin
//
// In a body long(N) stands for so many letters, and $arn for the backup that was made last.
func TestTables(t *testing.T) {
	datadriven.Walk(t, "testdata/tables", func(t *testing.T, path string) {
		s := script{api: &dynamodb.API{DB: testdb.Open(t)}}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "op":
				return s.run(t, d)
			case "wait":
				if err := errors.Join(s.api.DB.WaitJobs(t.Context()), s.api.DB.Tasks().Wait(t.Context())); err != nil {
					t.Fatal(err)
				}
				return ""
			case "accept":
				s.api.AcceptEncryption = true
				return ""
			case "regions":
				return s.regions(t, d.CmdArgs[0].Key)
			}
			d.Fatalf(t, "unknown command %s", d.Cmd)
			return ""
		})
	})
}

// script is the state of a script.
type script struct {
	api *dynamodb.API
	arn string // of the backup that was made last
}

func (s *script) regions(t *testing.T, table string) string {
	pin, err := s.api.DB.PinIn("", table)
	if err != nil {
		t.Fatal(err)
	}
	defer pin.Release()
	names := []string{""}
	for x := range pin.Descriptor().Declared() {
		names = append(names, x.Name)
	}
	var b strings.Builder
	for _, name := range names {
		regions, err := pin.Regions(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%q %d:", name, len(regions))
		for i := range regions {
			for _, part := range regions[i].Start {
				fmt.Fprintf(&b, " %s", part.Value)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

var longPattern = regexp.MustCompile(`long\(([0-9]+)\)`)

func (s *script) run(t *testing.T, d *datadriven.TestData) string {
	body := longPattern.ReplaceAllStringFunc(d.Input, func(text string) string {
		n, err := strconv.Atoi(longPattern.FindStringSubmatch(text)[1])
		if err != nil {
			t.Fatal(err)
		}
		return strings.Repeat("x", n)
	})
	answer, err := s.api.Do(t.Context(), d.CmdArgs[0].Key, []byte(strings.ReplaceAll(body, "$arn", s.arn)), nil)
	if err != nil {
		return short(idPattern.ReplaceAllString(show(err), "ID"))
	}
	if found := arnPattern.FindSubmatch(answer); found != nil && d.CmdArgs[0].Key == "CreateBackup" {
		s.arn = string(found[1])
	}
	if len(answer) == 0 {
		return "(nothing)"
	}
	return short(indent(t, only(t, d, answer)))
}

// only returns those members of the only member of an answer that a script wants to see.
func only(t *testing.T, d *datadriven.TestData, answer []byte) []byte {
	for _, arg := range d.CmdArgs[1:] {
		var whole map[string]map[string]json.RawMessage
		if err := json.Unmarshal(answer, &whole); err != nil || arg.Key != "only" {
			t.Fatalf("%s %v: %v", arg.Key, err, answer)
		}
		for _, members := range whole {
			maps.DeleteFunc(members, func(name string,
				_ json.RawMessage) bool {
				return !slices.Contains(arg.Vals, name)
			})
			text, err := json.Marshal(members)
			if err != nil {
				t.Fatal(err)
			}
			return text
		}
	}
	return answer
}

// short shortens what long(N) has made.
func short(text string) string {
	return strings.ReplaceAll(text, strings.Repeat("x", 100), "(100 x)")
}

// indent prints JSON in lines, small objects in one.
func indent(t *testing.T, answer []byte) string {
	t.Helper()
	var out bytes.Buffer
	if err := json.Indent(&out, answer, "", " "); err != nil {
		t.Fatal(err)
	}
	text := uuidPattern.ReplaceAll(out.Bytes(), []byte(`"TableId": uuid`))
	text = revisionPattern.ReplaceAll(text, []byte(`"RevisionId": revision`))
	text = idPattern.ReplaceAll(text, []byte("ID"))
	text = timePattern.ReplaceAll(text, []byte(`DateTime": time`))
	text = spreadPattern.ReplaceAllFunc(text, func(b []byte) []byte { return spacePattern.ReplaceAll(b, nil) })
	return string(text)
}

// FuzzTables runs the operations on tables with any body. The answer is JSON, nothing or a fault of the request, and a
// table that was made can be described and deleted.
func FuzzTables(f *testing.F) {
	whole := `{"TableName":"fuzz","AttributeDefinitions":[{"AttributeName":"a","AttributeType":"S"},{"AttributeName":"concat(a,'#')","AttributeType":"S"}],` +
		`"KeySchema":[{"AttributeName":"a","KeyType":"HASH"},{"AttributeName":"concat(a,'#')","KeyType":"RANGE"}],"BillingMode":"PAY_PER_REQUEST",` +
		`"LocalSecondaryIndexes":[{"IndexName":"one","KeySchema":[{"AttributeName":"a","KeyType":"HASH"},{"AttributeName":"concat(a,'#')","KeyType":"RANGE"}],` +
		`"Projection":{"ProjectionType":"INCLUDE","NonKeyAttributes":["x"]}}],"Tags":[{"Key":"k","Value":"v"}],"WarmThroughput":{"ReadUnitsPerSecond":13000}}`
	const base = `"TableName":"base"`
	const resource = `"ResourceArn":"arn:aws:dynamodb:us-east-1:000000000000:table/base"`
	for _, body := range []string{whole, `{"TableName":"fuzz"}`, `{"Limit":3,"ExclusiveStartTableName":"x"}`, `null`,
		`[]`,
		`{` + base + `,"GlobalSecondaryIndexUpdates":[{"Update":{"IndexName":"x","ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":1}}}]}`,
		`{` + base + `,"BillingMode":"PROVISIONED","ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":1},"OnDemandThroughput":{"MaxReadRequestUnits":1}}`,
		`{` + base + `,"StreamSpecification":{"StreamEnabled":true,"StreamViewType":"KEYS_ONLY"},"SSESpecification":{"Enabled":true},"TableClass":"STANDARD"}`,
		`{` + base + `,"TimeToLiveSpecification":{"AttributeName":"ends","Enabled":true}}`,
		`{` + base + `,"PointInTimeRecoverySpecification":{"PointInTimeRecoveryEnabled":true,"RecoveryPeriodInDays":3}}`,
		`{` + base + `,"BackupName":"one","BackupArn":"arn:aws:dynamodb:us-east-1:000000000000:table/base/backup/00001-0a","TimeRangeLowerBound":1.5e9,"Limit":2}`,
		`{"TargetTableName":"other","BackupArn":"arn:aws:dynamodb:us-east-1:000000000000:table/base/backup/00001-0a","GlobalSecondaryIndexOverride":[]}`,
		`{` + resource + `,"Policy":"{}","ExpectedRevisionId":"NO_POLICY"}`,
		`{` + resource + `,"Tags":[{"Key":"k","Value":"v"}],"TagKeys":["k"],"NextToken":"aw=="}`,
		`{"TableName":"arn:aws:dynamodb:us-east-1:000000000000:table/base/index/x","IndexName":"x"}`} {
		f.Add(body)
	}
	api := &dynamodb.API{DB: testdb.Open(f)}
	table := `{` + base + `,"AttributeDefinitions":[{"AttributeName":"a","AttributeType":"S"}],"KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST"}`
	if _, err := api.Do(f.Context(), "CreateTable", []byte(table), nil); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body string) {
		for _, o := range control.Operations() {
			if o.Name == "DeleteTable" {
				continue
			}
			answer, err := api.Do(t.Context(), o.Name, []byte(body), nil)
			if fault, ok := err.(*dynamodb.Error); err != nil && (!ok || fault.Status() != 400) {
				t.Fatalf("%s: %v", o.Name, err)
			}
			if err == nil && len(answer) > 0 && !json.Valid(answer) {
				t.Fatalf("%s: %s", o.Name, answer)
			}
		}
		if err := api.DB.WaitJobs(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, name := range api.DB.Tables("", "", 10) {
			off := `{"TableName":"` + name + `","DeletionProtectionEnabled":false}`
			for _, operation := range []string{"DescribeTable", "UpdateTable", "DescribeTimeToLive",
				"DescribeContinuousBackups", "DeleteTable"} {
				if name == "base" && operation == "DeleteTable" {
					continue
				}
				if _, err := api.Do(t.Context(), operation, []byte(off), nil); err != nil {
					t.Fatalf("%s: %v", operation, err)
				}
			}
		}
	})
}

// show is an exception in a line.
func show(err error) string {
	fault, ok := errors.AsType[*dynamodb.Error](err)
	if !ok {
		return "not an exception: " + err.Error()
	}
	return fmt.Sprintf("%d %s: %s", fault.Status(), fault.Name(), fault.Message)
}
