// SPDX-License-Identifier: Apache-2.0

// Package zorder tests Z-order indexes from the outside: on real data through the AWS SDK for Go against the real
// server, and on random tables through the DynamoDB API in process. Whatever a Z-order answers must be what reading
// everything answers.
//
// Knows: the DynamoDB API, the embedded API, the data sets.
// Never: how keys are encoded, how a walk skips.
package zorder

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/kv/pebble"
	"github.com/weftdb/weft/test/harness"
)

// client is of one running server, whose folder holds the data sets.
var client *dynamodb.Client

func TestMain(m *testing.M) {
	os.Exit(harness.Main(m, func(dir string) (*harness.Server, error) {
		server, err := start(dir)
		if err == nil {
			// It tries again as the SDK does by default: see test/sdk.
			options := server.Client().Options()
			options.Retryer = retry.NewStandard()
			client = dynamodb.New(options)
		}
		return server, err
	}))
}

// start loads the data sets into a folder and serves it.
func start(dir string) (*harness.Server, error) {
	binary, err := harness.Compile(dir)
	if err != nil {
		return nil, err
	}
	if err := load(context.Background(), dir+"/data"); err != nil {
		return nil, err
	}
	return harness.Launch(binary, harness.Options{Data: dir + "/data"})
}

// load makes the tables of all data sets, many rows a commit: through the server it would take minutes.
func load(ctx context.Context, dir string) error {
	store, err := pebble.Open(pebble.Options{Dir: dir})
	if err != nil {
		return err
	}
	db, err := database.Open(ctx, store, database.Options{Admin: store})
	if err == nil {
		for i := range dataSets {
			err = errors.Join(err, dataSets[i].load(ctx, db))
		}
		err = errors.Join(err, db.Close())
	}
	return errors.Join(err, store.Close())
}

type item = map[string]types.AttributeValue

func s(text string) types.AttributeValue { return &types.AttributeValueMemberS{Value: text} }

func n(number any) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: fmt.Sprint(number)}
}

// text is a string or number of an item, "" if there is none.
func text(i item, name string) string {
	switch v := i[name].(type) {
	case *types.AttributeValueMemberS:
		return v.Value
	case *types.AttributeValueMemberN:
		return v.Value
	}
	return ""
}
