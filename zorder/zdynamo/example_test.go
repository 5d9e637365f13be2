// SPDX-License-Identifier: Apache-2.0

package zdynamo_test

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/weftdb/weft/zorder/codec"
	"github.com/weftdb/weft/zorder/zdynamo"
)

// reports is the schema of the AWS article: weather reports by time, temperature and place.
func reports() (*zdynamo.Index, error) {
	parsed, err := codec.Parse("timestamp timestamp(s):16, celsius i8, latitude lat:16, longitude lon:16")
	if err != nil {
		return nil, err
	}
	schema := zdynamo.Schema{Table: "WeatherReports", Partition: "sourceId", Address: "z_address",
		Tail: []string{"reportId"}}
	for _, a := range parsed {
		c, err := codec.New(a, 1)
		if err != nil {
			return nil, err
		}
		schema.Attributes = append(schema.Attributes, zdynamo.Attribute{Name: a.Name, Codec: c})
	}
	return zdynamo.New(schema)
}

// The address goes into the item before it is put.
func ExampleIndex_Stamp() {
	x, err := reports()
	if err != nil {
		panic(err)
	}
	s := func(v string) types.AttributeValue { return &types.AttributeValueMemberS{Value: v} }
	n := func(v any) types.AttributeValue { return &types.AttributeValueMemberN{Value: fmt.Sprint(v)} }
	item := zdynamo.Item{"sourceId": s("nyc"), "reportId": s("1"), "timestamp": n(1469566800), "celsius": n(-5),
		"latitude": n("40.749207"), "longitude": n("-73.985174")}
	if err := x.Stamp(item); err != nil {
		panic(err)
	}
	fmt.Printf("%x\n", item["z_address"].(*types.AttributeValueMemberB).Value)
	// Output: 2de6f0dfdda8ad310000
}

// A box over four attributes, from any DynamoDB endpoint.
func ExampleIndex_Query() {
	x, err := reports()
	if err != nil {
		panic(err)
	}
	client := dynamodb.New(dynamodb.Options{
		BaseEndpoint: aws.String("http://127.0.0.1:8000"), Region: "us-east-1",
		Credentials: credentials.NewStaticCredentialsProvider("test", "test", ""),
	})
	q := zdynamo.Query{
		Partition: "nyc",
		Where: zdynamo.Where{
			"timestamp": zdynamo.Between(1469500000, 1469600000),
			"celsius":   zdynamo.Less(0),
			"latitude":  zdynamo.Between(40, 41),
			"longitude": zdynamo.Between(-74.5, -73.5),
		},
		Limit: 50,
	}
	for {
		page, err := x.Query(context.Background(), client, q)
		if err != nil {
			panic(err)
		}
		for _, item := range page.Items {
			fmt.Println(item["timestamp"], item["celsius"])
		}
		fmt.Printf("%d read for %d, in %d requests\n", page.Counts.Read, page.Counts.Returned, page.Counts.Requests)
		if q.Token = page.Token; q.Token == "" {
			break
		}
	}
}
