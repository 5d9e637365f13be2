// SPDX-License-Identifier: Apache-2.0

package history

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/test/history/check"
)

// caller sends a request of the DynamoDB API, given as its operation and its JSON body, and returns the body of the
// answer. An answer that is an exception is a *refusal; any other error means that there was no answer.
type caller interface {
	call(ctx context.Context, operation string, body []byte) (answer []byte, err error)
}

// refusal is an exception.
type refusal struct {
	Type    string `json:"__type"`
	Message string `json:"message"`
	Reasons []struct {
		Code string
		Item json.RawMessage
	} `json:"CancellationReasons"`
	Item json.RawMessage
}

func (r *refusal) Error() string { return r.name() + ": " + r.Message }

func (r *refusal) name() string { return r.Type[strings.IndexByte(r.Type, '#')+1:] }

// readRefusal reads an exception's body.
func readRefusal(body []byte) error {
	r := &refusal{}
	if err := json.Unmarshal(body, r); err != nil || r.Type == "" {
		return fmt.Errorf("no exception: %.200q", body)
	}
	return r
}

// inProcess calls the dialect without HTTP: most transactions go this way, since it is some ten times quicker.
type inProcess struct{ api *dynamodb.API }

func overAPI(db *database.DB) inProcess { return inProcess{&dynamodb.API{DB: db}} }

func (p inProcess) call(ctx context.Context, operation string, body []byte) ([]byte, error) {
	answer, err := p.api.Do(ctx, operation, body, nil)
	if e, ok := errors.AsType[*exception.Error](err); ok {
		return nil, readRefusal(e.AppendJSON(nil))
	}
	return answer, err
}

// overHTTP calls a server. It never tries again.
type overHTTP struct {
	address string
	client  *http.Client
}

func dial(address string) overHTTP {
	return overHTTP{address, &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}
}

func (h overHTTP) call(ctx context.Context, operation string, body []byte) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+h.address+"/", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/x-amz-json-1.0")
	request.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
	request.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0")
	request.Header.Set("X-Amz-Date", "20260101T000000Z")
	answer, err := h.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		return nil, readRefusal(text)
	}
	return text, nil
}

// outcomeOf says what is known of a request that ended so. An exception that a right server never gives for these
// requests comes back as bad.
func outcomeOf(err error) (outcome check.Outcome, bad error) {
	r, refused := errors.AsType[*refusal](err)
	switch {
	case err == nil:
		return check.Committed, nil
	case !refused:
		return check.Unknown, nil
	}
	switch r.name() {
	case "ConditionalCheckFailedException", "TransactionConflictException":
		return check.Aborted, nil
	case "TransactionCanceledException":
		for _, reason := range r.Reasons {
			if reason.Code != "None" && reason.Code != "ConditionalCheckFailed" &&
				reason.Code != "TransactionConflict" {
				return check.Unknown, fmt.Errorf("cancelled because of %s: %w", reason.Code, err)
			}
		}
		return check.Aborted, nil
	case "InternalServerError", "ServiceUnavailableException", "TransactionInProgressException":
		return check.Unknown, nil
	}
	return check.Unknown, err
}

// makeTable makes a table with a key k and waits until it is active.
func makeTable(t testing.TB, c caller, name, more string) {
	t.Helper()
	attributes := `{"AttributeName":"k","AttributeType":"N"}`
	if more != "" {
		attributes += `,{"AttributeName":"g","AttributeType":"S"},{"AttributeName":"v","AttributeType":"N"}`
	}
	body := fmt.Sprintf(`{"TableName":%q,"BillingMode":"PAY_PER_REQUEST","KeySchema":[{"AttributeName":"k","KeyType":"HASH"}],"AttributeDefinitions":[%s]%s}`, name, attributes, more)
	if _, err := c.call(t.Context(), "CreateTable", []byte(body)); err != nil {
		t.Fatal(err)
	}
	for {
		answer, err := c.call(t.Context(), "DescribeTable", fmt.Appendf(nil, `{"TableName":%q}`, name))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(answer, []byte(`"TableStatus":"ACTIVE"`)) {
			return
		}
	}
}

// hasTransactions reports whether the operations on several items exist.
func hasTransactions(c caller) bool {
	_, err := c.call(context.Background(), "TransactGetItems", []byte(`{}`))
	r, refused := errors.AsType[*refusal](err)
	return !refused || r.name() != "UnknownOperationException"
}
