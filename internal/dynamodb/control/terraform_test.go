// SPDX-License-Identifier: Apache-2.0

package control_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb"
	"github.com/weftdb/weft/internal/dynamodb/control"
	"github.com/weftdb/weft/internal/dynamodb/tablemodel"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// client calls operations and looks at the answers as a program does.
type client struct {
	t   *testing.T
	api *dynamodb.API
}

// call runs an operation that must succeed and returns its answer.
func (c *client) call(name, body string) map[string]any {
	c.t.Helper()
	answer, err := c.api.Do(c.t.Context(), name, []byte(body), nil)
	if err != nil {
		c.t.Fatalf("%s %s: %v", name, body, err)
	}
	parsed := map[string]any{}
	if len(answer) > 0 {
		if err := json.Unmarshal(answer, &parsed); err != nil {
			c.t.Fatalf("%s: %s", name, answer)
		}
	}
	return parsed
}

// refuse runs an operation that must fail with an exception of that name.
func (c *client) refuse(name, body, exception string) {
	c.t.Helper()
	_, err := c.api.Do(c.t.Context(), name, []byte(body), nil)
	fault, ok := errors.AsType[*dynamodb.Error](err)
	if !ok || fault.Name() != exception {
		c.t.Fatalf("%s %s: %v, want %s", name, body, err, exception)
	}
}

// at follows a path of members and list positions, such as "Table.GlobalSecondaryIndexes.0.IndexStatus".
func at(answer any, path string) any {
	for _, step := range strings.Split(path, ".") {
		switch node := answer.(type) {
		case map[string]any:
			answer = node[step]
		case []any:
			var i int
			if _, err := fmt.Sscan(step, &i); err != nil || i >= len(node) {
				return nil
			}
			answer = node[i]
		default:
			return nil
		}
	}
	return answer
}

func (c *client) expect(answer any, want map[string]any) {
	c.t.Helper()
	for _, path := range slices.Sorted(maps.Keys(want)) {
		if got := at(answer, path); got != want[path] {
			c.t.Errorf("%s is %v, want %v", path, got, want[path])
		}
	}
}

func (c *client) describe(table string) any {
	c.t.Helper()
	return c.call("DescribeTable", `{"TableName":"`+table+`"}`)["Table"]
}

func (c *client) wait() {
	c.t.Helper()
	if err := c.api.DB.WaitJobs(c.t.Context()); err != nil {
		c.t.Fatal(err)
	}
}

// TestTerraform makes the calls that Terraform's aws_dynamodb_table makes to create, read, change and destroy a table,
// and wants the answers for which it waits.
func TestTerraform(t *testing.T) {
	c := &client{t, &dynamodb.API{DB: testdb.Open(t)}}
	const arn = `"ResourceArn":"arn:aws:dynamodb:us-east-1:000000000000:table/games"`
	created := c.call("CreateTable", `{"TableName":"games","BillingMode":"PROVISIONED","ProvisionedThroughput":{"ReadCapacityUnits":5,"WriteCapacityUnits":5},
		"AttributeDefinitions":[{"AttributeName":"user","AttributeType":"S"},{"AttributeName":"title","AttributeType":"S"},{"AttributeName":"score","AttributeType":"N"}],
		"KeySchema":[{"AttributeName":"user","KeyType":"HASH"},{"AttributeName":"title","KeyType":"RANGE"}],
		"GlobalSecondaryIndexes":[{"IndexName":"best","KeySchema":[{"AttributeName":"title","KeyType":"HASH"},{"AttributeName":"score","KeyType":"RANGE"}],
			"Projection":{"ProjectionType":"INCLUDE","NonKeyAttributes":["at"]},"ProvisionedThroughput":{"ReadCapacityUnits":5,"WriteCapacityUnits":5}}],
		"LocalSecondaryIndexes":[{"IndexName":"mine","KeySchema":[{"AttributeName":"user","KeyType":"HASH"},{"AttributeName":"score","KeyType":"RANGE"}],"Projection":{"ProjectionType":"KEYS_ONLY"}}],
		"SSESpecification":{"Enabled":false},"StreamSpecification":{"StreamEnabled":false},
		"TableClass":"STANDARD","DeletionProtectionEnabled":false,"Tags":[{"Key":"Name","Value":"games"}]}`)
	c.expect(created, map[string]any{"TableDescription.TableStatus": "CREATING",
		"TableDescription.GlobalSecondaryIndexes.0.IndexStatus": "CREATING"})
	c.expect(c.describe("games"), map[string]any{"TableStatus": "ACTIVE",
		"GlobalSecondaryIndexes.0.IndexStatus": "ACTIVE",
		"StreamSpecification":                  nil, "LatestStreamArn": nil, "SSEDescription": nil,
		"WarmThroughput.Status":     "ACTIVE",
		"DeletionProtectionEnabled": false})

	c.call("UpdateTimeToLive", `{"TableName":"games","TimeToLiveSpecification":{"AttributeName":"ends","Enabled":true}}`)
	c.wait()
	c.expect(c.call("DescribeTimeToLive", `{"TableName":"games"}`),
		map[string]any{"TimeToLiveDescription.TimeToLiveStatus": "ENABLED",
			"TimeToLiveDescription.AttributeName": "ends"})
	c.call("UpdateContinuousBackups", `{"TableName":"games","PointInTimeRecoverySpecification":{"PointInTimeRecoveryEnabled":false}}`)
	c.expect(c.call("DescribeContinuousBackups", `{"TableName":"games"}`),
		map[string]any{"ContinuousBackupsDescription.PointInTimeRecoveryDescription.PointInTimeRecoveryStatus": "DISABLED"})
	c.expect(c.call("ListTagsOfResource", `{`+arn+`}`),
		map[string]any{"Tags.0.Key": "Name", "Tags.0.Value": "games", "NextToken": nil})

	c.call("UpdateContinuousBackups", `{"TableName":"games","PointInTimeRecoverySpecification":{"PointInTimeRecoveryEnabled":true,"RecoveryPeriodInDays":3}}`)
	c.expect(c.call("DescribeContinuousBackups", `{"TableName":"games"}`),
		map[string]any{"ContinuousBackupsDescription.ContinuousBackupsStatus": "ENABLED",
			"ContinuousBackupsDescription.PointInTimeRecoveryDescription.PointInTimeRecoveryStatus": "ENABLED",
			"ContinuousBackupsDescription.PointInTimeRecoveryDescription.RecoveryPeriodInDays":      3.})

	// What is not there is refused, and nothing changes.
	c.refuse("UpdateContinuousBackups", `{"TableName":"games","PointInTimeRecoverySpecification":{"PointInTimeRecoveryEnabled":true,"RecoveryPeriodInDays":36}}`, "ValidationException")
	c.refuse("UpdateTable", `{"TableName":"games","TableClass":"STANDARD_INFREQUENT_ACCESS","StreamSpecification":{"StreamEnabled":false}}`, "ValidationException")
	c.refuse("UpdateTable", `{"TableName":"games","TableClass":"STANDARD_INFREQUENT_ACCESS","SSESpecification":{"Enabled":true}}`, "ValidationException")

	// Another throughput, another index, other tags.
	c.call("UpdateTable", `{"TableName":"games","BillingMode":"PAY_PER_REQUEST"}`)
	c.expect(c.describe("games"), map[string]any{"TableStatus": "ACTIVE",
		"BillingModeSummary.BillingMode": "PAY_PER_REQUEST", "ProvisionedThroughput.ReadCapacityUnits": 0.,
		"GlobalSecondaryIndexes.0.ProvisionedThroughput.ReadCapacityUnits": 0.,
		"TableClassSummary.TableClass":                                     "STANDARD"})
	c.call("UpdateTable", `{"TableName":"games","AttributeDefinitions":[{"AttributeName":"user","AttributeType":"S"},{"AttributeName":"title","AttributeType":"S"},
		{"AttributeName":"score","AttributeType":"N"}],"GlobalSecondaryIndexUpdates":[{"Delete":{"IndexName":"best"}}]}`)
	c.wait()
	c.call("UpdateTable", `{"TableName":"games","AttributeDefinitions":[{"AttributeName":"user","AttributeType":"S"},{"AttributeName":"title","AttributeType":"S"},
		{"AttributeName":"score","AttributeType":"N"},{"AttributeName":"level","AttributeType":"N"}],"GlobalSecondaryIndexUpdates":[{"Create":{"IndexName":"level",
		"KeySchema":[{"AttributeName":"level","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}}}]}`)
	c.wait()
	c.expect(c.describe("games"), map[string]any{"TableStatus": "ACTIVE", "GlobalSecondaryIndexes.0.IndexName": "level",
		"GlobalSecondaryIndexes.0.IndexStatus": "ACTIVE",
		"GlobalSecondaryIndexes.1":             nil, "LocalSecondaryIndexes.0.IndexName": "mine"})
	c.call("UpdateTable", `{"TableName":"games","SSESpecification":{"Enabled":false}}`)
	c.call("UpdateTimeToLive", `{"TableName":"games","TimeToLiveSpecification":{"AttributeName":"ends","Enabled":false}}`)
	c.wait()
	c.expect(c.call("DescribeTimeToLive", `{"TableName":"games"}`),
		map[string]any{"TimeToLiveDescription.TimeToLiveStatus": "DISABLED"})
	c.call("UntagResource", `{`+arn+`,"TagKeys":["Name"]}`)
	c.call("TagResource", `{`+arn+`,"Tags":[{"Key":"Owner","Value":"me"}]}`)
	c.expect(c.call("ListTagsOfResource", `{`+arn+`}`), map[string]any{"Tags.0.Key": "Owner", "Tags.1": nil})
	c.call("UpdateTable", `{"TableName":"games","DeletionProtectionEnabled":true}`)
	c.refuse("DeleteTable", `{"TableName":"games"}`, "ValidationException")
	c.call("UpdateTable", `{"TableName":"games","DeletionProtectionEnabled":false}`)

	c.expect(c.call("DeleteTable", `{"TableName":"games"}`), map[string]any{"TableDescription.TableStatus": "DELETING"})
	c.refuse("DescribeTable", `{"TableName":"games"}`, "ResourceNotFoundException")
}

// TestIndexBeingBuilt looks at a table while an index is built on it, which the test's database never finishes.
func TestIndexBeingBuilt(t *testing.T) {
	c := &client{t, &dynamodb.API{DB: testdb.OpenWith(t, database.Options{BackfillPause: time.Hour})}}
	c.call("CreateTable", `{"TableName":"busy","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"a","AttributeType":"S"}],"KeySchema":[{"AttributeName":"a","KeyType":"HASH"}]}`)
	c.call("PutItem", `{"TableName":"busy","Item":{"a":{"S":"x"},"b":{"S":"y"}}}`)
	create := func(index string) string {
		return `{"TableName":"busy","AttributeDefinitions":[{"AttributeName":"b","AttributeType":"S"}],"GlobalSecondaryIndexUpdates":[{"Create":{"IndexName":"` + index + `",
			"KeySchema":[{"AttributeName":"b","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}}}]}`
	}
	c.expect(c.call("UpdateTable", create("one")), map[string]any{"TableDescription.TableStatus": "UPDATING",
		"TableDescription.GlobalSecondaryIndexes.0.IndexStatus": "CREATING",
		"TableDescription.GlobalSecondaryIndexes.0.Backfilling": false})
	for at(c.describe("busy"), "GlobalSecondaryIndexes.0.Backfilling") != true {
		if t.Context().Err() != nil {
			t.Fatal(t.Context().Err())
		}
	}
	c.expect(c.describe("busy"), map[string]any{"TableStatus": "UPDATING",
		"GlobalSecondaryIndexes.0.IndexStatus": "CREATING"})
	c.refuse("UpdateTable", create("two"), "ResourceInUseException")
	c.refuse("DeleteTable", `{"TableName":"busy"}`, "ResourceInUseException")
	// Settings may change meanwhile, and the index may be given up.
	c.call("UpdateTable", `{"TableName":"busy","DeletionProtectionEnabled":false}`)
	c.expect(c.call("UpdateTable", `{"TableName":"busy","GlobalSecondaryIndexUpdates":[{"Delete":{"IndexName":"one"}}]}`),
		map[string]any{"TableDescription.GlobalSecondaryIndexes.0.IndexStatus": "DELETING"})
}

// TestSettingsAreAtomic changes settings of all kinds at once and wants all of them.
func TestSettingsAreAtomic(t *testing.T) {
	c := &client{t, &dynamodb.API{DB: testdb.Open(t)}}
	c.call("CreateTable", `{"TableName":"busy","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"a","AttributeType":"S"}],"KeySchema":[{"AttributeName":"a","KeyType":"HASH"}]}`)
	const arn = `"ResourceArn":"arn:aws:dynamodb:us-east-1:000000000000:table/busy"`
	calls := [][2]string{
		{"UpdateTable", `{"TableName":"busy","TableClass":"STANDARD_INFREQUENT_ACCESS"}`},
		{"UpdateTable", `{"TableName":"busy","OnDemandThroughput":{"MaxReadRequestUnits":7}}`},
		{"UpdateTable", `{"TableName":"busy","DeletionProtectionEnabled":true}`},
		{"UpdateTimeToLive", `{"TableName":"busy","TimeToLiveSpecification":{"AttributeName":"ends","Enabled":true}}`},
	}
	for i := range 20 {
		calls = append(calls, [2]string{"TagResource", fmt.Sprintf(`{%s,"Tags":[{"Key":"k%02d","Value":""}]}`, arn, i)})
	}
	var all sync.WaitGroup
	for _, call := range calls {
		all.Go(func() {
			if _, err := c.api.Do(t.Context(), call[0], []byte(call[1]), nil); err != nil {
				t.Errorf("%s: %v", call[0], err)
			}
		})
	}
	all.Wait()
	c.wait()
	c.expect(c.describe("busy"), map[string]any{"TableClassSummary.TableClass": "STANDARD_INFREQUENT_ACCESS",
		"OnDemandThroughput.MaxReadRequestUnits": 7., "DeletionProtectionEnabled": true})
	c.expect(c.call("DescribeTimeToLive", `{"TableName":"busy"}`),
		map[string]any{"TimeToLiveDescription.TimeToLiveStatus": "ENABLED"})
	c.expect(c.call("ListTagsOfResource", `{`+arn+`}`),
		map[string]any{"Tags.0.Key": "k00", "Tags.19.Key": "k19", "NextToken": nil})
}

// TestEndpoint: a client is sent to where it is.
func TestEndpoint(t *testing.T) {
	api := &dynamodb.API{DB: testdb.Open(t)}
	answer, err := api.Do(control.ReachedAt(t.Context(), "localhost:8000"), "DescribeEndpoints", []byte(`{}`), nil)
	if want := `{"Endpoints":[{"Address":"localhost:8000","CachePeriodInMinutes":1440}]}`; err != nil ||
		string(answer) != want {
		t.Fatalf("%s %v, want %s", answer, err, want)
	}
}

// TestInternalIndexesDoNotCount: a table with time to live may have as many indexes as any other.
func TestInternalIndexesDoNotCount(t *testing.T) {
	c := &client{t, &dynamodb.API{DB: testdb.Open(t), Options: dynamodb.Options{GlobalIndexesMax: 1}}}
	c.call("CreateTable", `{"TableName":"abc","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"a","AttributeType":"S"}],"KeySchema":[{"AttributeName":"a","KeyType":"HASH"}]}`)
	c.call("UpdateTimeToLive", `{"TableName":"abc","TimeToLiveSpecification":{"AttributeName":"ends","Enabled":true}}`)
	create := func(index string) string {
		return `{"TableName":"abc","AttributeDefinitions":[{"AttributeName":"a","AttributeType":"S"}],"GlobalSecondaryIndexUpdates":[{"Create":{"IndexName":"` + index + `","KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}}}]}`
	}
	c.call("UpdateTable", create("one"))
	c.wait()
	c.refuse("UpdateTable", create("two"), "ValidationException")
	c.expect(c.describe("abc"), map[string]any{"GlobalSecondaryIndexes.0.IndexName": "one",
		"GlobalSecondaryIndexes.1": nil, "TableStatus": "ACTIVE"})
}

// TestClock: times come from the clock that was given.
func TestClock(t *testing.T) {
	now := time.UnixMilli(1_700_000_000_123)
	api := &control.API{Space: tablemodel.Space{DB: testdb.Open(t)}, Region: "eu-west-1", AccountID: "123456789012",
		Now:    func() time.Time { return now },
		Limits: tablemodel.Limits{GlobalIndexes: 20, LocalIndexes: 5, IncludedNames: 100, TableList: 100}}
	run := func(name, body string) string {
		for _, o := range control.Operations() {
			if o.Name == name {
				answer, err := o.Run(api, t.Context(), []byte(body), nil)
				if err != nil {
					t.Fatal(err)
				}
				return string(answer)
			}
		}
		t.Fatal(name)
		return ""
	}
	run("CreateTable", `{"TableName":"abc","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"a","AttributeType":"S"}],"KeySchema":[{"AttributeName":"a","KeyType":"HASH"}]}`)
	run("UpdateTable", `{"TableName":"abc","BillingMode":"PROVISIONED","ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":1}}`)
	run("UpdateTable", `{"TableName":"abc","ProvisionedThroughput":{"ReadCapacityUnits":2,"WriteCapacityUnits":1}}`)
	answer := run("DescribeTable", `{"TableName":"abc"}`)
	for _, want := range []string{`"TableArn":"arn:aws:dynamodb:eu-west-1:123456789012:table/abc"`,
		`"LastIncreaseDateTime":1700000000.123`} {
		if !strings.Contains(answer, want) {
			t.Errorf("%s lacks %s", answer, want)
		}
	}
}
