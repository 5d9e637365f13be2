// SPDX-License-Identifier: Apache-2.0

package kinesis_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb"
	"github.com/weftdb/weft/internal/dynamodb/kinesis"
	"github.com/weftdb/weft/internal/dynamodb/remote"
	"github.com/weftdb/weft/internal/security/signature"
	"github.com/weftdb/weft/internal/testing/testdb"
)

const (
	arn     = "arn:aws:kinesis:us-east-1:000000000000:stream/games"
	missing = "arn:aws:kinesis:us-east-1:000000000000:stream/missing"
)

// service speaks as much of Kinesis as is needed, checks signatures, and fails now and then.
type service struct {
	t     *testing.T
	mu    sync.Mutex
	calls int
	got   []string // the records, as they came
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // a sender that was closed
	}
	claim, fault := signature.Read(r)
	if fault != nil {
		s.t.Error(fault)
		return
	}
	key, sum := signature.NewKey("secret", claim.Scope), sha256.Sum256(body)
	if fault := claim.Verify(&key, r, &sum); fault != nil || claim.Scope.Service != "kinesis" ||
		r.Header.Get("Content-Type") != "application/x-amz-json-1.1" {
		s.t.Error(fault, claim.Scope, r.Header)
	}
	var in struct {
		StreamARN, StreamName string
		Records               []struct{ Data, PartitionKey string }
	}
	if err := json.Unmarshal(body, &in); err != nil {
		s.t.Error(err)
	}
	if in.StreamARN != arn || in.StreamName != "games" {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"__type":"ResourceNotFoundException","message":"Stream missing under account 000000000000 not found."}`)
		return
	}
	if strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".DescribeStreamSummary") {
		_, _ = io.WriteString(w, `{"StreamDescriptionSummary":{}}`)
		return
	}
	if s.calls++; s.calls%4 == 1 {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	failed, results := 0, []string{}
	for i, record := range in.Records {
		if s.calls%4 == 2 && i%3 == 1 {
			failed++
			results = append(results, `{"ErrorCode":"ProvisionedThroughputExceededException","ErrorMessage":"slow down"}`)
			continue
		}
		data, err := base64.StdEncoding.DecodeString(record.Data)
		if err != nil || record.PartitionKey == "" {
			s.t.Error(err, record)
		}
		s.got = append(s.got, string(data))
		results = append(results, `{"SequenceNumber":"1","ShardId":"shardId-000000000000"}`)
	}
	fmt.Fprintf(w, `{"FailedRecordCount":%d,"Records":[%s]}`, failed, strings.Join(results, ","))
}

func (s *service) records() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.got...)
}

// test is a database with its API and a sender.
type test struct {
	*testing.T
	api     *dynamodb.API
	options kinesis.Options
}

func (t *test) do(operation, body string) string {
	t.Helper()
	answer, err := t.api.Do(t.Context(), operation, []byte(body), nil)
	if err != nil {
		return err.Error()
	}
	return string(answer)
}

func (t *test) status() string {
	return t.do("DescribeKinesisStreamingDestination", `{"TableName":"games"}`)
}

// wait waits until is holds.
func (t *test) wait(what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("never: ", what)
		}
	}
}

func open(t *testing.T) (*test, *service) {
	s := &service{t: t}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	db := testdb.OpenWith(t, database.Options{ExpiryInterval: -1})
	x := &test{T: t, api: &dynamodb.API{DB: db, Kinesis: true},
		options: kinesis.Options{DB: db, Region: "us-east-1", Logger: slog.New(slog.DiscardHandler),
			Service: &remote.Service{
				URL: server.URL, Region: "us-east-1", Name: "kinesis", Target: "Kinesis_20131202.", Version: "1.1",
				Credentials: signature.Credentials{AccessKey: "AK", Secret: "secret"},
			}}}
	x.do("CreateTable", `{"TableName":"games","AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}],"KeySchema":[{"AttributeName":"id","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST"}`)
	return x, s
}

// TestAtLeastOnce sends changes to a service that fails and takes parts of what it is given, through senders that end
// and begin again: each change gets there.
func TestAtLeastOnce(t *testing.T) {
	x, s := open(t)
	put := func(i int) {
		x.do("PutItem", fmt.Sprintf(`{"TableName":"games","Item":{"id":{"S":"i%d"},"n":{"N":"%d"}}}`, i%50, i))
	}
	put(1000) // before the destination, so it does not go there
	want := `{"TableName":"games","StreamArn":"` + arn +
		`","DestinationStatus":"ENABLING","EnableKinesisStreamingConfiguration":{"ApproximateCreationDateTimePrecision":"MICROSECOND"}}`
	if got := x.do("EnableKinesisStreamingDestination",
		`{"TableName":"games","StreamArn":"`+arn+
			`","EnableKinesisStreamingConfiguration":{"ApproximateCreationDateTimePrecision":"MICROSECOND"}}`); got != want {
		t.Fatal(got)
	}
	for round := range 3 {
		sender := kinesis.Start(t.Context(), x.options)
		for i := range 300 {
			put(300*round + i)
		}
		sender.Close()
	}
	sender := kinesis.Start(t.Context(), x.options)
	defer sender.Close()
	x.do("DeleteItem", `{"TableName":"games","Key":{"id":{"S":"i7"}}}`)
	seen := map[string]int{}
	x.wait("901 changes", func() bool {
		clear(seen)
		for _, r := range s.records() {
			var one struct{ EventID string }
			if err := json.Unmarshal([]byte(r), &one); err != nil {
				t.Fatal(err, r)
			}
			seen[one.EventID]++
		}
		return len(seen) >= 901
	})
	if len(seen) != 901 {
		t.Errorf("%d changes", len(seen))
	}
	if !strings.Contains(x.status(), `"DestinationStatus":"ACTIVE","ApproximateCreationDateTimePrecision":"MICROSECOND"`) {
		t.Error(x.status())
	}
	last := s.records()[len(s.records())-1]
	for _, part := range []string{`"eventName":"REMOVE"`, `"recordFormat":"application/json"`, `"tableName":"games"`,
		`"OldImage":{"id":{"S":"i7"},"n":{"N":"857"}}`, `"ApproximateCreationDateTimePrecision":"MICROSECOND"`,
		`"userIdentity":null`} {
		if !strings.Contains(last, part) {
			t.Errorf("%s is not in %s", part, last)
		}
	}
	if strings.Contains(last, "SequenceNumber") || strings.Contains(last, "StreamViewType") {
		t.Error(last)
	}
}

// TestStates goes through the states of destinations.
func TestStates(t *testing.T) {
	x, s := open(t)
	sender := kinesis.Start(t.Context(), x.options)
	defer sender.Close()
	is := func(arn, state string) func() bool {
		return func() bool {
			return strings.Contains(x.status(), `{"StreamArn":"`+arn+`","DestinationStatus":"`+state+`"`)
		}
	}
	enable, disable := `{"TableName":"games","StreamArn":"`+arn+`"}`, `{"TableName":"games","StreamArn":"`+arn+`"}`
	x.do("EnableKinesisStreamingDestination", `{"TableName":"games","StreamArn":"`+missing+`"}`)
	x.wait("a missing stream fails", is(missing, "ENABLE_FAILED"))
	if got := x.do("DisableKinesisStreamingDestination", disable); !strings.Contains(got, "ValidationException") {
		t.Error(got)
	}
	x.do("EnableKinesisStreamingDestination", enable)
	x.wait("active", is(arn, "ACTIVE"))
	if got := x.do("EnableKinesisStreamingDestination", enable); !strings.Contains(got, "ValidationException") {
		t.Error(got)
	}
	if got := x.do("UpdateKinesisStreamingDestination",
		`{"TableName":"games","StreamArn":"`+arn+
			`","UpdateKinesisStreamingConfiguration":{"ApproximateCreationDateTimePrecision":"MICROSECOND"}}`); !strings.Contains(got, "UPDATING") {
		t.Error(got)
	}
	x.do("PutItem", `{"TableName":"games","Item":{"id":{"S":"a"}}}`)
	if got := x.do("DisableKinesisStreamingDestination", disable); !strings.Contains(got, "DISABLING") {
		t.Error(got)
	}
	x.do("PutItem", `{"TableName":"games","Item":{"id":{"S":"b"}}}`)
	x.wait("disabled", is(arn, "DISABLED"))
	x.wait("what was before is sent", func() bool { return len(s.records()) > 0 })
	if got := x.do("DisableKinesisStreamingDestination", disable); !strings.Contains(got, "ValidationException") {
		t.Error(got)
	}
	x.do("EnableKinesisStreamingDestination", enable)
	x.do("PutItem", `{"TableName":"games","Item":{"id":{"S":"c"}}}`)
	x.wait("enabled again", func() bool { return strings.Contains(strings.Join(s.records(), ""), `"S":"c"`) })
	if all := strings.Join(s.records(), ""); !strings.Contains(all, `"S":"a"`) || strings.Contains(all, `"S":"b"`) {
		t.Error(all)
	}
	x.api.Kinesis = false
	if got := x.do("EnableKinesisStreamingDestination", enable); !strings.Contains(got, "--kinesis-endpoint") {
		t.Error(got)
	}
}
