// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Client returns an AWS SDK client of the server with connections of its own. It never tries again, so that each call is one request.
func (s *Server) Client() *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		BaseEndpoint: aws.String("http://" + s.Addr),
		Region:       "us-east-1",
		Credentials:  credentials.NewStaticCredentialsProvider("test", "test", ""),
		Retryer:      aws.NopRetryer{},
		HTTPClient:   &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}},
	})
}

// pollPause is how long to wait between two looks at a table.
const pollPause = 5 * time.Millisecond

// CreateTable makes a table and waits until it is active.
func CreateTable(t testing.TB, client *dynamodb.Client, input *dynamodb.CreateTableInput) {
	t.Helper()
	if _, err := client.CreateTable(t.Context(), input); err != nil {
		t.Fatalf("create table %s: %v", *input.TableName, err)
	}
	WaitTable(t, client, *input.TableName, func(d *types.TableDescription) bool { return d.TableStatus == types.TableStatusActive })
}

// WaitTable waits until the table's description is as wanted, and returns it.
func WaitTable(t testing.TB, client *dynamodb.Client, table string, wanted func(*types.TableDescription) bool) *types.TableDescription {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), readyTimeout)
	defer cancel()
	for {
		found, err := client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &table})
		if err != nil {
			t.Fatalf("describe table %s: %v", table, err)
		}
		if wanted(found.Table) {
			return found.Table
		}
		select {
		case <-time.After(pollPause):
		case <-ctx.Done():
			t.Fatalf("table %s did not become what was waited for: %v", table, found.Table.TableStatus)
		}
	}
}
