// SPDX-License-Identifier: Apache-2.0

package sdk

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/weftdb/weft/test/harness"
)

func contains(whole, part string) bool { return strings.Contains(whole, part) }

// stopMax is the time a server may take to end after SIGTERM.
const stopMax = time.Minute

// TestRestart stops a server in the middle of writing and starts it again: what was acknowledged is there, and so is
// every table as it was.
func TestRestart(t *testing.T) {
	data := t.TempDir()
	first := harness.Start(t, binary, harness.Options{Data: data})
	own := first.Client()
	input := table("kept", "pk:S", "sk:N")
	global(input, "by-user", "user:S", "desc(sk):N")
	input.DeletionProtectionEnabled = aws.Bool(true)
	harness.CreateTable(t, own, input)
	before, err := own.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String("kept")})
	if err != nil {
		t.Fatal(err)
	}

	var group sync.WaitGroup
	acknowledged := make([]int, 8)
	begun := make(chan struct{}, len(acknowledged))
	for worker := range acknowledged {
		group.Go(func() {
			for {
				_, err := own.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("kept"),
					Item: item{"pk": s(fmt.Sprint(worker)), "sk": n(acknowledged[worker]), "user": s("u")}})
				if err != nil {
					return // the server is going away
				}
				if acknowledged[worker]++; acknowledged[worker] == 10 {
					begun <- struct{}{}
				}
			}
		})
	}
	for range acknowledged {
		<-begun
	}
	stopping := time.Now()
	if err := first.Stop(); err != nil {
		t.Fatalf("%v\n%s", err, first.Log())
	}
	if took := time.Since(stopping); took > stopMax {
		t.Errorf("the server took %v to stop", took)
	}
	group.Wait()

	own = retrying(harness.Start(t, binary, harness.Options{Data: data}))
	after, err := own.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String("kept")})
	if err != nil {
		t.Fatal(err)
	}
	checkDescription(t, before.Table, after.Table)
	for worker, count := range acknowledged {
		out, err := own.Query(t.Context(),
			&dynamodb.QueryInput{TableName: aws.String("kept"), Select: types.SelectCount,
				ConsistentRead:            aws.Bool(true),
				KeyConditionExpression:    aws.String("pk = :p AND sk < :n"),
				ExpressionAttributeValues: item{":p": s(fmt.Sprint(worker)), ":n": n(count)}})
		if err != nil || int(out.Count) != count {
			t.Errorf("worker %d: %d of %d acknowledged items are there, %v", worker, out.Count, count, err)
		}
	}
	newest, err := own.Query(t.Context(),
		&dynamodb.QueryInput{TableName: aws.String("kept"), IndexName: aws.String("by-user"), Limit: aws.Int32(1),
			KeyConditionExpression: aws.String("#u = :u"), ExpressionAttributeNames: map[string]string{"#u": "user"},
			ExpressionAttributeValues: item{":u": s("u")}})
	if err != nil || len(newest.Items) != 1 {
		t.Errorf("%v, %v", newest, err)
	}
}

// checkDescription wants two descriptions to be equal but for sizes.
func checkDescription(t *testing.T, before, after *types.TableDescription) {
	t.Helper()
	for _, d := range []*types.TableDescription{before, after} {
		d.ItemCount, d.TableSizeBytes = nil, nil
		for i := range d.GlobalSecondaryIndexes {
			d.GlobalSecondaryIndexes[i].ItemCount, d.GlobalSecondaryIndexes[i].IndexSizeBytes = nil, nil
		}
	}
	if !reflect.DeepEqual(before, after) {
		t.Errorf("before %+v\nafter %+v", before, after)
	}
}
