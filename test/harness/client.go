// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Client returns an AWS SDK client of the server with connections of its own. It never tries again, so that each call
// is one request.
func (s *Server) Client() *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		BaseEndpoint: aws.String("http://" + s.Addr()),
		Region:       "us-east-1",
		Credentials:  credentials.NewStaticCredentialsProvider("test", "test", ""),
		Retryer:      aws.NopRetryer{},
		HTTPClient:   plainBodies{&http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}},
	})
}

// plainBodies hides that the SDK's request bodies have a method WriteTo. Once the SDK has closed a body, that method
// says io.EOF where net/http, which looks whether the body goes on, expects no error, and net/http then closes the
// connection. A server that answers before net/http has looked loses about one connection in fifty by this, and answers
// longer than 4 KiB with it.
type plainBodies struct{ client *http.Client }

// Do sends a request.
func (p plainBodies) Do(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		r.Body = struct{ io.ReadCloser }{r.Body}
	}
	return p.client.Do(r)
}

// pollPause is the time to wait between two looks at a table.
const pollPause = 5 * time.Millisecond

// CreateTable makes a table and waits until it is active. A test whose table can't be made fails.
func CreateTable(t testing.TB, client *dynamodb.Client, input *dynamodb.CreateTableInput) {
	t.Helper()
	if err := MakeTable(t.Context(), client, input); err != nil {
		t.Fatal(err)
	}
}

// MakeTable makes a table and waits until it is active.
func MakeTable(ctx context.Context, client *dynamodb.Client, input *dynamodb.CreateTableInput) error {
	if _, err := client.CreateTable(ctx, input); err != nil {
		return fmt.Errorf("create table %s: %w", *input.TableName, err)
	}
	_, err := await(ctx, client, *input.TableName,
		func(d *types.TableDescription) bool { return d.TableStatus == types.TableStatusActive })
	return err
}

// WaitTable waits until the table's description is as wanted, and returns it. If that takes too long the test fails.
func WaitTable(t testing.TB, client *dynamodb.Client, table string,
	wanted func(*types.TableDescription) bool) *types.TableDescription {
	t.Helper()
	found, err := await(t.Context(), client, table, wanted)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func await(ctx context.Context, client *dynamodb.Client, table string,
	wanted func(*types.TableDescription) bool) (*types.TableDescription, error) {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	for {
		found, err := client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &table})
		if err != nil {
			return nil, fmt.Errorf("describe table %s: %w", table, err)
		}
		if wanted(found.Table) {
			return found.Table, nil
		}
		select {
		case <-time.After(pollPause):
		case <-ctx.Done():
			return nil, fmt.Errorf("table %s, now %s, did not become what was waited for", table,
				found.Table.TableStatus)
		}
	}
}
