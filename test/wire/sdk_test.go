// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/weftdb/weft/test/harness"
)

// listener notes how answers come, and hands them on.
type listener struct {
	client dynamodb.HTTPClient

	mu       sync.Mutex
	encoding string // of the last answer
	unsummed int    // answers without a checksum
}

// Do sends a request.
func (l *listener) Do(r *http.Request) (*http.Response, error) {
	reply, err := l.client.Do(r)
	if err == nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.encoding = reply.Header.Get("Content-Encoding")
		if reply.Header.Get("X-Amz-Crc32") == "" {
			l.unsummed++
		}
	}
	return reply, err
}

// TestSDKCompression reads short and long answers, and errors, through the AWS SDK, which asks for gzip and compares
// checksums if told to.
func TestSDKCompression(t *testing.T) {
	for _, asked := range []bool{false, true} {
		options := server.Client().Options()
		heard := &listener{client: options.HTTPClient}
		options.HTTPClient, options.EnableAcceptEncodingGzip, options.DisableValidateResponseChecksum = heard, asked,
			false
		client := dynamodb.New(options)
		table := aws.String(fmt.Sprintf("wire-sdk-%t", asked))
		harness.CreateTable(t, client, &dynamodb.CreateTableInput{
			TableName: table, BillingMode: types.BillingModePayPerRequest,
			KeySchema: []types.KeySchemaElement{{AttributeName: aws.String("pk"),
				KeyType: types.KeyTypeHash}},
			AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("pk"),
				AttributeType: types.ScalarAttributeTypeS}},
		})
		for _, length := range []int{0, 10, 900, 1100, 50_000, 390_000} {
			want := strings.Repeat("0123456789", length/10)
			key := map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: fmt.Sprint(length)}}
			item := map[string]types.AttributeValue{"pk": key["pk"], "text": &types.AttributeValueMemberS{Value: want}}
			if _, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: table, Item: item}); err != nil {
				t.Fatal(err)
			}
			got, err := client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: table, Key: key})
			if err != nil {
				t.Fatal(err)
			}
			if text := got.Item["text"].(*types.AttributeValueMemberS).Value; text != want {
				t.Errorf("%d characters came back as %d", len(want), len(text))
			}
			if packed := heard.encoding == "gzip"; packed != (asked && length >= 1100) {
				t.Errorf("gzip asked for: %t; %d characters were packed: %t", asked, length, packed)
			}
		}
		if _, err := client.DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: table}); err != nil {
			t.Error(err)
		}
		if heard.unsummed > 0 {
			t.Errorf("%d answers had no checksum", heard.unsummed)
		}
		long := strings.Repeat("x", 1024)
		_, err := client.PutItem(t.Context(),
			&dynamodb.PutItemInput{TableName: &long, Item: map[string]types.AttributeValue{}})
		if err == nil || !strings.Contains(err.Error(), "ValidationException") {
			t.Errorf("an error whose text is long: %v", err)
		}
		if packed := heard.encoding == "gzip"; packed != asked {
			t.Errorf("gzip asked for: %t; an error with a long text was packed: %t", asked, packed)
		}
	}
}
