// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/weftdb/weft/test/harness"
)

// ask sends a request to DynamoDB's API and returns the body of its answer, after "ERROR" if it is one.
func ask(t testing.TB, s *harness.Server, operation, body string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+s.Addr(),
		strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	date := time.Now().UTC().Format("20060102T150405Z")
	request.Header.Set("Content-Type", "application/x-amz-json-1.0")
	request.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
	request.Header.Set("X-Amz-Date", date)
	request.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=weft/"+date[:8]+
		"/us-east-1/dynamodb/aws4_request, SignedHeaders=host;x-amz-date;x-amz-target, Signature=none")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	if answer.StatusCode != http.StatusOK {
		return "ERROR " + string(text)
	}
	return string(text)
}
