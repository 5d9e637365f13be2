// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/test/harness"
)

// overHTTP returns a target that sends operations to a running server. Bodies go over the wire as they are.
func overHTTP(t *testing.T, server *harness.Server) target {
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{DisableCompression: true}}
	t.Cleanup(client.CloseIdleConnections)
	return func(operation, body string) ([]byte, bool) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+server.Addr(),
			strings.NewReader(body))
		if err != nil {
			return []byte(err.Error()), true
		}
		request.Header.Set("Content-Type", "application/x-amz-json-1.0")
		request.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
		request.Header.Set("X-Amz-Date", "20260101T000000Z")
		request.Header.Set("Authorization",
			"AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0")
		response, err := client.Do(request)
		if err != nil {
			return []byte(err.Error()), true
		}
		defer response.Body.Close()
		answer, err := io.ReadAll(response.Body)
		if err != nil {
			return []byte(err.Error()), true
		}
		if fault := headerFault(response, answer); fault != "" {
			return []byte(fault), true
		}
		return answer, response.StatusCode != http.StatusOK
	}
}

// headerFault says what is wrong around an answer: its status or its checksum.
func headerFault(response *http.Response, answer []byte) string {
	failure := strings.HasPrefix(string(answer), `{"__type"`)
	if failure != (response.StatusCode == http.StatusBadRequest) || !failure && response.StatusCode != http.StatusOK {
		return fmt.Sprintf("status %d: %s", response.StatusCode, answer)
	}
	if sum := fmt.Sprint(crc32.ChecksumIEEE(answer)); response.Header.Get("X-Amz-Crc32") != sum {
		return fmt.Sprintf("checksum %s, want %s", response.Header.Get("X-Amz-Crc32"), sum)
	}
	return ""
}

// TestHTTP compares the real binary's answers, as they come over the wire, with the model's.
func TestHTTP(t *testing.T) {
	server := harness.Start(t, harness.Build(t), harness.Options{})
	do := overHTTP(t, server)
	for seed, left := rounds.Seed(t), rounds.Of(t, 400); left > 0; seed, left = seed+1, left-stepsMax {
		if d := tryHistory(do, newHistory(seed, fmt.Sprint("http", seed)), min(left, stepsMax)); d != nil {
			t.Fatal(d.report(t))
		}
	}
	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(server.Log(), `"level":"ERROR"`) {
		t.Fatalf("the server has logged errors:\n%s", server.Log())
	}
}
