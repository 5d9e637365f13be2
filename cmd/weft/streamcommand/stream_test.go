// SPDX-License-Identifier: Apache-2.0

package streamcommand_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/weftdb/weft/cmd/weft/streamcommand"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb"
	"github.com/weftdb/weft/internal/server/dynamohttp"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// served is a database that serves DynamoDB's API, with the table games, which has a stream.
type served struct {
	api *dynamodb.API
	url string
}

func serve(t *testing.T) *served {
	t.Helper()
	s := &served{api: &dynamodb.API{DB: testdb.OpenWith(t, database.Options{ExpiryInterval: -1})}}
	server := httptest.NewServer(dynamohttp.New(dynamohttp.Options{API: s.api}))
	t.Cleanup(server.Close)
	s.url = server.URL
	s.do(t, "CreateTable", `{"TableName":"games","AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}],"KeySchema":[{"AttributeName":"id","KeyType":"HASH"}],
		"BillingMode":"PAY_PER_REQUEST","StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"}}`)
	return s
}

func (s *served) do(t *testing.T, operation, body string) {
	t.Helper()
	if _, err := s.api.Do(t.Context(), operation, []byte(body), nil); err != nil {
		t.Fatal(err)
	}
}

func (s *served) put(t *testing.T, id, more string) {
	t.Helper()
	s.do(t, "PutItem", fmt.Sprintf(`{"TableName":"games","Item":{"id":{"S":%q}%s}}`, id, more))
}

// end switches the stream off, so that commands come to its end.
func (s *served) end(t *testing.T) {
	s.do(t, "UpdateTable", `{"TableName":"games","StreamSpecification":{"StreamEnabled":false}}`)
}

// run runs a command to its end.
func (s *served) run(t *testing.T, name string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, faults bytes.Buffer
	h := &streamcommand.Host{Stdout: &out, Stderr: &faults, Getenv: func(string) string { return "" },
		Signals: context.WithCancel}
	command := h.TailCommand()
	if name == "trigger" {
		command = h.TriggerCommand()
	}
	command.SetArgs(append(args, "--endpoint", s.url, "--poll", "1ms"))
	command.SetOut(io.Discard)
	command.SetErr(io.Discard)
	command.SilenceUsage = true
	err = command.ExecuteContext(t.Context())
	return out.String(), faults.String(), err
}

func TestTail(t *testing.T) {
	s := serve(t)
	s.put(t, "a", `,"score":{"N":"1"},"name":{"S":"An\u001bn"},"same":{"BOOL":true}`)
	if err := s.api.DB.Changes().EndShards(t.Context(), "", "games"); err != nil {
		t.Fatal(err)
	}
	s.put(t, "a", `,"score":{"N":"22"},"list":{"L":[{"S":"x"}]},"same":{"BOOL":true}`)
	s.do(t, "DeleteItem", `{"TableName":"games","Key":{"id":{"S":"a"}}}`)
	s.end(t)
	out, faults, err := s.run(t, "tail", "games", "--from", "start")
	if err != nil || !strings.Contains(faults, "this was its end") {
		t.Fatal(err, faults)
	}
	lines := strings.Split(out, "\n")
	for i, line := range lines {
		if _, rest, ok := strings.Cut(line, "Z  "); ok {
			lines[i] = rest // without the time
		}
	}
	want := `INSERT  id="a"
  name     |  "An\x1bn"
  same     |  true
  score    |  1
MODIFY  id="a"
  list              |  {"L":[{"S":"x"}]}
  name   "An\x1bn"  |
  score  1          |  22
REMOVE  id="a"
  list   {"L":[{"S":"x"}]}  |
  same   true               |
  score  22                 |
`
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	if _, _, err := s.run(t, "tail", "nosuch"); err == nil || !strings.HasPrefix(err.Error(), "there is no table nosuch") {
		t.Error(err)
	}
}

// function is a target of posts that remembers what it was given.
type function struct {
	mu      sync.Mutex
	posts   [][]string // the ids of each post
	handled []string   // in their order
	bodies  []string
	answer  func(n int, ids []string) (status int, body string)
}

func (f *function) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	f.bodies = append(f.bodies, string(body))
	var event struct {
		Records []struct {
			DynamoDB struct {
				Keys           struct{ ID struct{ S string } }
				SequenceNumber string
			}
		}
	}
	if err := json.Unmarshal(body, &event); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	var ids []string
	for _, r := range event.Records {
		ids = append(ids, r.DynamoDB.Keys.ID.S)
	}
	f.posts = append(f.posts, ids)
	status, answer := http.StatusOK, ""
	if f.answer != nil {
		status, answer = f.answer(len(f.posts), ids)
	}
	handled := len(ids)
	for i, r := range event.Records {
		if strings.Contains(answer, `"`+ids[i]+`"`) {
			answer, handled = fmt.Sprintf(`{"batchItemFailures":[{"itemIdentifier":%q}]}`, r.DynamoDB.SequenceNumber), i
			break
		}
	}
	if status == http.StatusOK {
		f.handled = append(f.handled, ids[:handled]...)
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, answer)
}

func (f *function) start(t *testing.T) string {
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	return server.URL
}

// TestTriggerBisects lets one record fail for ever and others once: all others are handled, in their order, and that
// one is given up alone.
func TestTriggerBisects(t *testing.T) {
	s := serve(t)
	var want []string
	for i := range 20 {
		s.put(t, fmt.Sprint("i", i), "")
		if i != 13 {
			want = append(want, fmt.Sprint("i", i))
		}
	}
	s.do(t, "DeleteItem", `{"TableName":"games","Key":{"id":{"S":"i3"}}}`)
	s.end(t)
	f := &function{answer: func(n int, ids []string) (int, string) {
		for _, id := range ids {
			if id == "i13" {
				return http.StatusInternalServerError, "no thirteen"
			}
		}
		if n == 3 {
			return http.StatusOK, `"` + ids[len(ids)-1] + `"`
		}
		return http.StatusOK, "fine"
	}}
	dir := t.TempDir()
	failed := filepath.Join(dir, "failed")
	_, faults, err := s.run(t, "trigger", "games", f.start(t), "--from", "start", "--batch", "8", "--retries", "1",
		"--failed", failed, "--position", filepath.Join(dir, "position"))
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(f.handled); got != fmt.Sprint(append(want, "i3")) {
		t.Errorf("handled %s\nposts %v\n%s", got, f.posts, faults)
	}
	lines, err := os.ReadFile(failed)
	if err != nil || bytes.Count(lines, []byte("\n")) != 1 || !bytes.Contains(lines, []byte(`"i13"`)) {
		t.Errorf("%v, %s", err, lines)
	}
	if !strings.Contains(f.bodies[0], `"eventSourceARN":"arn:aws:dynamodb:`) {
		t.Error(f.bodies[0])
	}
}

// TestTriggerGoesOn ends the command in the middle of its work, again and again, and checks that the next one goes on
// there.
func TestTriggerGoesOn(t *testing.T) {
	s := serve(t)
	position := filepath.Join(t.TempDir(), "position")
	s.put(t, "before", "")
	ctx, stop := context.WithCancel(t.Context())
	f := &function{}
	url := f.start(t)
	h := &streamcommand.Host{Stdout: io.Discard, Stderr: io.Discard, Getenv: func(string) string { return "" },
		Signals: func(ctx context.Context) (context.Context, context.CancelFunc) { return context.WithCancel(ctx) }}
	command := h.TriggerCommand()
	command.SetArgs([]string{"games", url, "--endpoint", s.url, "--position", position, "--poll", "1ms"})
	done := make(chan error)
	go func() { done <- command.ExecuteContext(ctx) }()
	for { // until it knows where now is
		if _, err := os.Stat(position); err == nil {
			break
		}
	}
	stop()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		s.put(t, fmt.Sprint("i", i), "")
	}
	calls := 0
	f.answer = func(int, []string) (int, string) {
		if calls++; calls > 5 {
			return http.StatusTeapot, "gone"
		}
		return http.StatusOK, ""
	}
	args := []string{"games", url, "--batch", "1", "--position", position, "--retries", "0", "--failed",
		filepath.Join(position, "nowhere")}
	if _, _, err := s.run(t, "trigger", args...); err == nil {
		t.Fatal("it should fail where it can't write what it gives up")
	}
	f.answer = nil
	s.end(t)
	if _, _, err := s.run(t, "trigger", args...); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(f.handled); got != "[i0 i1 i2 i3 i4 i5 i6 i7 i8 i9]" {
		t.Errorf("handled %s", got)
	}
}

// TestTriggerExpiry checks the form of what expires, whose identity has other names than in GetRecords.
func TestTriggerExpiry(t *testing.T) {
	s := serve(t)
	s.do(t, "UpdateTimeToLive", `{"TableName":"games","TimeToLiveSpecification":{"AttributeName":"until","Enabled":true}}`)
	s.put(t, "a", `,"until":{"N":"1750000000"}`)
	if err := s.api.DB.WaitJobs(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n, err := s.api.DB.Jobs().Expire(t.Context()); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	s.end(t)
	f := &function{}
	if _, _, err := s.run(t, "trigger", "games", f.start(t), "--from", "start", "--position",
		filepath.Join(t.TempDir(), "position")); err != nil {
		t.Fatal(err)
	}
	if len(f.bodies) != 1 || !strings.Contains(f.bodies[0],
		`"userIdentity":{"type":"Service","principalId":"dynamodb.amazonaws.com"}`) {
		t.Error(f.bodies)
	}
}

func TestTriggerUsage(t *testing.T) {
	s := serve(t)
	for _, args := range [][]string{{"games"}, {"games", "nowhere"}, {"games", "http://x", "--batch", "0"},
		{"games", "http://x", "--retries", "2"}, {"games", "http://x", "--from", "then"}} {
		if _, _, err := s.run(t, "trigger", args...); err == nil || errors.Is(err, os.ErrNotExist) {
			t.Errorf("%v: %v", args, err)
		}
	}
}
