// SPDX-License-Identifier: Apache-2.0

package schemacommand_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weftdb/weft/cmd/weft/commandline"
	"github.com/weftdb/weft/cmd/weft/schemacommand"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb"
	"github.com/weftdb/weft/internal/dynamodb/tablefile"
	"github.com/weftdb/weft/internal/server/dynamohttp"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// account serves a table with a stream, an index, expiry and an item.
func account(t *testing.T) (url string, api *dynamodb.API) {
	t.Helper()
	api = &dynamodb.API{DB: testdb.OpenWith(t, database.Options{ExpiryInterval: -1})}
	server := httptest.NewServer(dynamohttp.New(dynamohttp.Options{API: api}))
	t.Cleanup(server.Close)
	for _, one := range [][2]string{
		{"CreateTable", `{"TableName":"orders","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"customer","AttributeType":"S"},
			{"AttributeName":"orderno","AttributeType":"N"}],"KeySchema":[{"AttributeName":"customer","KeyType":"HASH"},{"AttributeName":"orderno","KeyType":"RANGE"}],
			"GlobalSecondaryIndexes":[{"IndexName":"by-number","KeySchema":[{"AttributeName":"orderno","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}}],
			"StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_IMAGE"}}`},
		{"UpdateTimeToLive", `{"TableName":"orders","TimeToLiveSpecification":{"Enabled":true,"AttributeName":"until"}}`},
		{"PutItem", `{"TableName":"orders","Item":{"customer":{"S":"Real Name"},"orderno":{"N":"7"},"until":{"N":"99999999999"},"status":{"S":"open"},
			"card":{"S":"4111"},"paid":{"BOOL":true},"first":{"S":"Real"},"tags":{"SS":["secret-a","secret-b"]},"photo":{"B":"AP8="},
			"lines":{"L":[{"M":{"sku":{"S":"secret"},"n":{"N":"12.5"}}},{"NULL":true}]}}}`},
		{"PutItem", `{"TableName":"orders","Item":{"customer":{"S":"Real Name"},"orderno":{"N":"8"}}}`},
	} {
		if _, err := api.Do(t.Context(), one[0], []byte(one[1]), nil); err != nil {
			t.Fatal(err)
		}
	}
	return server.URL, api
}

func run(ctx context.Context, environ map[string]string, args ...string) (string, error) {
	var out bytes.Buffer
	h := &schemacommand.Host{Stdout: &out, Stderr: &out, Getenv: func(name string) string { return environ[name] }}
	c := h.Command()
	c.SetArgs(append([]string{"from-aws"}, args...))
	c.SetOut(io.Discard)
	c.SetErr(io.Discard)
	c.SilenceUsage, c.SilenceErrors = true, true
	err := c.ExecuteContext(ctx)
	if commandline.IsUsage(err) {
		err = fmt.Errorf("usage: %w", err)
	}
	return out.String(), err
}

// TestFromAWS: the copy of a definition makes the same table, and the samples have the types of the items and none of
// the values that no rule keeps.
func TestFromAWS(t *testing.T) {
	url, _ := account(t)
	out := filepath.Join(t.TempDir(), "copy")
	printed, err := run(t.Context(), nil, "--endpoint", url, "--out", out, "--samples", "5", "--replace", "status=keep",
		"--replace", "card=drop", "--replace", "first=name")
	if err != nil || !strings.Contains(printed, "definitions of 1 tables") {
		t.Fatal(printed, err)
	}
	text, err := os.ReadFile(filepath.Join(out, "schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	tables, err := tablefile.Read(text, tablefile.Options{})
	if err != nil || len(tables) != 1 || len(tables[0].Requests) != 2 || tables[0].Passed != nil {
		t.Fatalf("%+v, %v", tables, err)
	}
	other := &dynamodb.API{DB: testdb.OpenWith(t, database.Options{ExpiryInterval: -1})}
	for _, r := range tables[0].Requests {
		if _, err := other.Do(t.Context(), r.Operation, r.Body, nil); err != nil {
			t.Error(err)
		}
	}
	checkSamples(t, filepath.Join(out, "items", "orders.jsonl"))
	if _, err := run(t.Context(), nil, "--endpoint", url, "--out", out); err == nil ||
		!strings.Contains(err.Error(), "is there already: remove it") {
		t.Error(err)
	}
}

func checkSamples(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, real := range []string{"Real", "4111", "card", "secret", "AP8=", "12.5"} {
		if bytes.Contains(text, []byte(real)) {
			t.Errorf("%s stands in the samples:\n%s", real, text)
		}
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	items := make([]map[string]map[string]any, len(lines))
	for i, line := range lines {
		if err := json.Unmarshal([]byte(line), &items[i]); err != nil {
			t.Fatal(err)
		}
	}
	a := items[0]
	if len(items) != 2 || a["customer"]["S"] != items[1]["customer"]["S"] || a["orderno"]["N"] == items[1]["orderno"]["N"] {
		t.Errorf("equal values are equal no more, or others are: %s", text)
	}
	if a["until"]["N"] != "99999999999" || a["status"]["S"] != "open" || a["paid"]["BOOL"] != true ||
		len(a["tags"]["SS"].([]any)) != 2 || len(a["lines"]["L"].([]any)) != 2 {
		t.Errorf("%s", text)
	}
}

func TestFromAWSFaults(t *testing.T) {
	url, _ := account(t)
	out := t.TempDir()
	for _, one := range []struct {
		want string
		args []string
	}{
		{"usage: there is no access key: set AWS_ACCESS_KEY_ID", nil},
		{"usage: --replace is about samples", []string{"--endpoint", url, "--replace", "a=hash"}},
		{"usage: --replace a=b: write ATTRIBUTE=RULE", []string{"--endpoint", url, "--samples", "1", "--replace", "a=b"}},
		{"usage: --replace orderno=drop: it is the key of orders", []string{"--endpoint", url, "--out", out, "--samples", "1",
			"--replace", "orderno=drop"}},
		{"usage: --endpoint \"x\" is no URL", []string{"--endpoint", "x"}},
		{"there is no table order; did you mean orders?", []string{"order", "--endpoint", url, "--out", out}},
	} {
		if _, err := run(t.Context(), nil, one.args...); err == nil || !strings.HasPrefix(err.Error(), one.want) {
			t.Errorf("%v: want %q, got %v", one.args, one.want, err)
		}
	}
}
