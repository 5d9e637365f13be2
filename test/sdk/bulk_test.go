// SPDX-License-Identifier: Apache-2.0

package sdk

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/weftdb/weft/test/harness"
)

// bulkItems are so many items that a server at the lowest rate is at work for some seconds.
const bulkItems = 3000

func bulkBuckets(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	var text strings.Builder
	for i := range bulkItems {
		fmt.Fprintf(&text, `{"Item":{"id":{"S":"%d"},"n":{"N":"%d"}},"ConditionExpression":"attribute_not_exists(id)"}`+
			"\n", i, i%7)
	}
	text.WriteString(`{"Item":{"n":{"N":"1"}}}` + "\n")
	if err := os.MkdirAll(filepath.Join(dir, "source", "in"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "source", "in", "a.json"), []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func startBulk(t *testing.T, own *dynamodb.Client, token string) *string {
	t.Helper()
	begun, err := own.StartBulkPutItems(t.Context(), &dynamodb.StartBulkPutItemsInput{
		TableName: aws.String("bulk"), ClientToken: &token, MaxWriteRequestUnits: aws.Int64(1024),
		InputS3Configuration: &types.InputS3Configuration{S3Bucket: aws.String("source"),
			S3KeyPrefix: aws.String("in/"), InputFormat: types.BulkOperationInputFormatDynamodbJson},
		OutputS3Configuration: &types.OutputS3Configuration{S3Bucket: aws.String("out"), S3KeyPrefix: aws.String(token),
			OutputType: []types.OutputTypeEnum{types.OutputTypeEnumError, types.OutputTypeEnumConditionCheckFailure}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return begun.BulkOperationDescription.BulkOperationArn
}

// untilBegun waits until items are put.
func untilBegun(t *testing.T, own *dynamodb.Client, arn *string) {
	t.Helper()
	for {
		found, err := own.DescribeBulkOperation(t.Context(),
			&dynamodb.DescribeBulkOperationInput{BulkOperationArn: arn})
		if err != nil {
			t.Fatal(err)
		}
		d := found.BulkOperationDescription
		if d.BulkOperationStatus != types.BulkOperationStatusInProgress {
			t.Fatalf("the operation is %s after %d items", d.BulkOperationStatus, d.ProcessedItemCount)
		}
		if d.ProcessedItemCount > 0 {
			return
		}
		<-time.After(5 * time.Millisecond)
	}
}

// told counts the lines of one kind of output.
func told(t *testing.T, dir, prefix, kind string) (lines int) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "out", prefix, "AWSDynamoDB", "*", kind, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines += strings.Count(string(text), "\n")
	}
	return lines
}

// TestBulkPut kills a server in the middle of a bulk put and starts it again: every condition is judged once. Then
// another operation is cancelled.
func TestBulkPut(t *testing.T) {
	dir, data := bulkBuckets(t), t.TempDir()
	o := harness.Options{Data: data, Args: []string{"--buckets", dir}}
	first := harness.Start(t, binary, o)
	own := retrying(first)
	input := table("bulk", "id:S")
	global(input, "by-n", "n:N")
	input.StreamSpecification = &types.StreamSpecification{StreamEnabled: aws.Bool(true),
		StreamViewType: types.StreamViewTypeKeysOnly}
	harness.CreateTable(t, own, input)
	arn := startBulk(t, own, "one")
	untilBegun(t, own, arn)
	first.Kill()

	second := harness.Start(t, binary, o)
	own = retrying(second)
	waiter := dynamodb.NewBulkOperationCompletedWaiter(own, func(o *dynamodb.BulkOperationCompletedWaiterOptions) {
		o.MinDelay, o.MaxDelay = 20*time.Millisecond, 100*time.Millisecond
	})
	done, err := waiter.WaitForOutput(t.Context(), &dynamodb.DescribeBulkOperationInput{BulkOperationArn: arn},
		time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	d := done.BulkOperationDescription
	if d.BulkOperationStatus != types.BulkOperationStatusCompletedWithErrors || d.ProcessedItemCount != bulkItems+1 ||
		d.FailedItemCount != 1 ||
		aws.ToInt64(d.ProcessedInputBytes) != aws.ToInt64(d.TotalInputBytes) || len(d.BulkOperationUsage) != 1 ||
		d.EndTime == nil || d.EndTime.Before(*d.StartTime) {
		t.Errorf("the operation is %+v", d)
	}
	usage := d.BulkOperationUsage[0]
	if index := aws.ToInt64(usage.GlobalSecondaryIndexes["by-n"].BulkPutBytes); index == 0 ||
		aws.ToInt64(usage.BulkPutBytes) != aws.ToInt64(usage.Table.BulkPutBytes)+index {
		t.Errorf("the usage is %+v", usage)
	}
	if errors, conditions := told(t, dir, "one", "error"), told(t, dir, "one",
		"condition-check-failure"); errors != 1 || conditions != 0 {
		t.Errorf("%d records are told to be invalid, of %d the condition was false", errors, conditions)
	}
	if n := countBulk(t, own); n != bulkItems {
		t.Errorf("the table has %d items", n)
	}

	arn = startBulk(t, own, "two") // no condition is true any more
	untilBegun(t, own, arn)
	cancelled, err := own.CancelBulkOperation(t.Context(), &dynamodb.CancelBulkOperationInput{BulkOperationArn: arn})
	if err != nil || cancelled.BulkOperationStatus != types.BulkOperationStatusCancelling {
		t.Fatalf("%+v, %v", cancelled, err)
	}
	if err := waiter.Wait(t.Context(), &dynamodb.DescribeBulkOperationInput{BulkOperationArn: arn},
		time.Minute); err == nil {
		t.Error("the waiter takes the cancelled operation for a completed one")
	}
	found, err := own.DescribeBulkOperation(t.Context(), &dynamodb.DescribeBulkOperationInput{BulkOperationArn: arn})
	if err != nil {
		t.Fatal(err)
	}
	d = found.BulkOperationDescription
	if d.BulkOperationStatus != types.BulkOperationStatusCancelled || d.ProcessedItemCount > bulkItems ||
		int(d.ProcessedItemCount) != told(t, dir, "two", "condition-check-failure") {
		t.Errorf("the cancelled operation is %+v", d)
	}
	listBulk(t, own, arn)
	if err := second.Stop(); err != nil {
		t.Error(err)
	}
}

func countBulk(t *testing.T, own *dynamodb.Client) (n int32) {
	t.Helper()
	pages := dynamodb.NewScanPaginator(own,
		&dynamodb.ScanInput{TableName: aws.String("bulk"), Select: types.SelectCount})
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		n += page.Count
	}
	return n
}

// listBulk wants two operations, each on a page of its own and the newest first, and no other.
func listBulk(t *testing.T, own *dynamodb.Client, newest *string) {
	t.Helper()
	pages := dynamodb.NewListBulkOperationsPaginator(own, &dynamodb.ListBulkOperationsInput{MaxResults: aws.Int32(1)})
	var all []types.BulkOperationSummary
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, page.BulkOperationsSummaryList...)
	}
	if len(all) != 2 || *all[0].BulkOperationArn != *newest ||
		all[1].BulkOperationStatus != types.BulkOperationStatusCompletedWithErrors {
		t.Errorf("the list is %+v", all)
	}
	_, err := own.DescribeBulkOperation(t.Context(),
		&dynamodb.DescribeBulkOperationInput{BulkOperationArn: aws.String(*newest + "0")})
	if _, is := errors.AsType[*types.ResourceNotFoundException](err); !is {
		t.Errorf("an operation that is not there: %v", err)
	}
}
