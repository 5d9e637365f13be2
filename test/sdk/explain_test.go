// SPDX-License-Identifier: Apache-2.0

package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/weftdb/weft/test/harness"
)

// explanation is what a test looks at of an explanation.
type explanation struct {
	Table string
	Path  struct {
		Index, Kind string
		Box         *struct{ Excluded float64 }
		Estimate    struct{ Entries float64 }
	}
	Cheaper *struct{ Index string }
	Actual  *struct{ LookedAt, Returned, FalsePositives, Seeks, Jumps int }
}

// explaining makes a request of the SDK ask for its explanation, which the SDK itself can't read: it is kept here.
func explaining(how string, kept *explanation) func(*dynamodb.Options) {
	return func(o *dynamodb.Options) {
		o.APIOptions = append(o.APIOptions, smithyhttp.SetHeaderValue("X-Weft-Explain", how),
			func(s *middleware.Stack) error {
				return s.Deserialize.Add(middleware.DeserializeMiddlewareFunc("explanation",
					func(ctx context.Context, in middleware.DeserializeInput,
						next middleware.DeserializeHandler) (middleware.DeserializeOutput, middleware.Metadata, error) {
						out, metadata, err := next.HandleDeserialize(ctx, in)
						if answer, ok := out.RawResponse.(*smithyhttp.Response); ok &&
							answer.StatusCode == http.StatusOK &&
							err == nil {
							var text []byte
							if text, err = io.ReadAll(answer.Body); err == nil {
								err = json.Unmarshal(text, kept)
							}
							answer.Body = io.NopCloser(strings.NewReader(string(text)))
						}
						return out, metadata, err
					}), middleware.After)
			})
	}
}

// TestExplain asks how queries are answered, by the header and by the command.
func TestExplain(t *testing.T) {
	request := table("explained", "id:S")
	global(request, "by-place", "kind:S", "zorder(lat f64, lon f64):B")
	global(request, "by-lat", "kind:S", "lat:N")
	create(t, request)
	for i := range 400 {
		put(t, "explained", item{"id": s(fmt.Sprint(i)), "kind": s("city"), "lat": n(i / 20), "lon": n(i % 20)})
	}
	input := &dynamodb.QueryInput{
		TableName: aws.String("explained"), IndexName: aws.String("by-place"),
		KeyConditionExpression:    aws.String("kind = :k"),
		FilterExpression:          aws.String("lat BETWEEN :a AND :b AND lon BETWEEN :a AND :b"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":k": s("city"), ":a": n(5), ":b": n(9)},
	}
	var e explanation
	out, err := client.Query(t.Context(), input, explaining("true", &e))
	if err != nil || len(out.Items) != 0 || e.Table != "explained" || e.Path.Index != "by-place" ||
		e.Path.Kind != "box" || e.Path.Box.Excluded < 0.5 || e.Actual != nil {
		t.Fatalf("%+v %v", e, err)
	}
	if _, err = client.Query(t.Context(), input, explaining("analyze", &e)); err != nil || e.Actual.Returned != 25 ||
		e.Actual.FalsePositives != e.Actual.LookedAt-25 || e.Actual.LookedAt > 200 {
		t.Fatalf("%+v %v", e.Actual, err)
	}
	plain, err := client.Query(t.Context(), input)
	if err != nil || plain.Count != 25 || int(plain.ScannedCount) != e.Actual.LookedAt {
		t.Fatalf("the query itself has %d of %d, explained as %+v: %v", plain.Count, plain.ScannedCount, e.Actual, err)
	}
	checkRefused(t, "Only Query, Scan and ExecuteStatement can be explained, not PutItem", func() error {
		_, err := client.PutItem(t.Context(),
			&dynamodb.PutItemInput{TableName: aws.String("explained"), Item: item{"id": s("new")}}, explaining("true",
				&e))
		return err
	})
	checkRefused(t, "The header X-Weft-Explain must be true or analyze", func() error {
		_, err := client.Query(t.Context(), input, explaining("please", &e))
		return err
	})
	if found := query(t, input); len(found) != 25 {
		t.Errorf("%d items", len(found))
	}
	explainByCommand(t, e.Actual.LookedAt)
}

func checkRefused(t *testing.T, message string, call func() error) {
	t.Helper()
	fault := smithy.APIError(nil)
	if err := call(); !errors.As(err, &fault) || fault.ErrorCode() != "ValidationException" ||
		fault.ErrorMessage() != message {
		t.Errorf("%v, want a ValidationException: %s", err, message)
	}
}

// explainByCommand runs weft explain against the server.
func explainByCommand(t *testing.T, lookedAt int) {
	arguments := []string{"explain", "--endpoint", "http://" + server.Addr(), "--table", "explained", "--index",
		"by-place", "--key-condition", "kind = :k",
		"--filter", "lat BETWEEN :a AND :b AND lon BETWEEN :a AND :b", "--values",
		`{":k":{"S":"city"},":a":{"N":"5"},":b":{"N":"9"}}`, "--analyze"}
	text, err := harness.Command(t.Context(), binary, arguments...).CombinedOutput()
	if err != nil || !strings.Contains(string(text), "25 returned") ||
		!strings.Contains(string(text), "index by-place") {
		t.Errorf("%v: %s", err, text)
	}
	text, err = harness.Command(t.Context(), binary, append(arguments, "--json")...).Output()
	var e explanation
	if err != nil || json.Unmarshal(text, &e) != nil || e.Actual.LookedAt != lookedAt {
		t.Errorf("%v: %s", err, text)
	}
	text, err = harness.Command(t.Context(), binary, append(arguments, "--table", "none")...).CombinedOutput()
	if err == nil || string(text) != "weft: there is no table none\n" {
		t.Errorf("%v: %s", err, text)
	}
}
