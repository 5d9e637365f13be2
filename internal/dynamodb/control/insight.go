// SPDX-License-Identifier: Apache-2.0

package control

import (
	"context"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/tablemodel"
)

// describeKinesisStreamingDestination says that a table's changes go to no stream of Kinesis.
func (a *API) describeKinesisStreamingDestination(_ context.Context, body, dst []byte) ([]byte, error) {
	name, err := a.tableName(body, "DescribeKinesisStreamingDestination")
	if err != nil {
		return nil, err
	}
	if err := a.look(name, func(*weft.Descriptor) error { return nil }); err != nil {
		return nil, tableError(name, err)
	}
	return appendJSON(dst, struct {
		TableName                     string
		KinesisDataStreamDestinations []struct{}
	}{name, []struct{}{}})
}

// insightsMax is how many summaries one answer may hold.
const insightsMax = 100

// insightRequest is the body of the requests about contributor insights.
type insightRequest struct{ TableName, IndexName *string }

// insightOf reads a request about a table's or an index's insights and finds both.
func (a *API) insightOf(body []byte, operation string) (in insightRequest, err error) {
	if err = read(body, &in); err != nil {
		return in, err
	}
	if err = a.resolve(in.TableName, operation); err != nil {
		return in, err
	}
	err = a.look(*in.TableName, func(table *weft.Descriptor) error {
		if in.IndexName != nil && !tablemodel.HasIndex(table, *in.IndexName) { // the text is from memory
			return exception.New(exception.KindResourceNotFound, "Requested resource not found: Table: "+*in.TableName+" Index: "+*in.IndexName+" not found")
		}
		return nil
	})
	return in, tableError(*in.TableName, err)
}

// describeContributorInsights says that they are switched off; there is no operation yet that switches them on.
func (a *API) describeContributorInsights(_ context.Context, body, dst []byte) ([]byte, error) {
	in, err := a.insightOf(body, "DescribeContributorInsights")
	if err != nil {
		return nil, err
	}
	return appendJSON(dst, struct {
		TableName                   *string
		IndexName                   *string `json:",omitempty"`
		ContributorInsightsRuleList []string
		ContributorInsightsStatus   string
	}{in.TableName, in.IndexName, []string{}, "DISABLED"})
}

// listContributorInsights lists the tables and indexes that have them: none.
func (a *API) listContributorInsights(_ context.Context, body, dst []byte) ([]byte, error) {
	var in struct {
		TableName, NextToken *string
		MaxResults           *int32
	}
	if err := read(body, &in); err != nil {
		return nil, err
	}
	var c exception.Constraints
	if in.MaxResults != nil {
		c.Between(true, int64(*in.MaxResults), "maxResults", 0, insightsMax)
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	if in.NextToken != nil { // no answer has given one
		return nil, exception.Validation("Invalid NextToken")
	}
	if in.TableName != nil {
		if _, err := a.insightOf(body, "ListContributorInsights"); err != nil {
			return nil, err
		}
	}
	return append(dst, `{"ContributorInsightsSummaries":[]}`...), nil
}
