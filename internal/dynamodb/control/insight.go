// SPDX-License-Identifier: Apache-2.0

package control

import (
	"context"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/tablemodel"
)

// insightsMax is the number of summaries one answer may hold.
const insightsMax = 100

// insightRequest is the body of DescribeContributorInsights.
type insightRequest struct {
	tableRequest
	IndexName *string
}

// checkIndex wants the table, and the index if one is named.
func (a *API) checkIndex(table string, index *string) error {
	return tableError(table, a.look(table, func(d *schema.Table) error {
		if index != nil && !tablemodel.HasIndex(d, *index) { // the text is from memory
			return exception.New(exception.KindResourceNotFound,
				"Requested resource not found: Table: "+table+" Index: "+*index+" not found")
		}
		return nil
	}))
}

// describeContributorInsights says that they are switched off; there is no operation yet that switches them on.
func (a *API) describeContributorInsights(_ context.Context, in *insightRequest) (any, error) {
	if err := a.checkIndex(*in.TableName, in.IndexName); err != nil {
		return nil, err
	}
	return struct {
		TableName                   *string
		IndexName                   *string `json:",omitempty"`
		ContributorInsightsRuleList []string
		ContributorInsightsStatus   string
	}{in.TableName, in.IndexName, []string{}, "DISABLED"}, nil
}

// insightsRequest is the body of ListContributorInsights.
type insightsRequest struct {
	TableName, NextToken *string
	MaxResults           *int32
}

// listContributorInsights lists the tables and indexes that have them: none.
func (a *API) listContributorInsights(_ context.Context, in *insightsRequest) (any, error) {
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
		if err := a.resolve(in.TableName, "ListContributorInsights"); err != nil {
			return nil, err
		}
		if err := a.checkIndex(*in.TableName, nil); err != nil {
			return nil, err
		}
	}
	return struct{ ContributorInsightsSummaries []struct{} }{[]struct{}{}}, nil
}
