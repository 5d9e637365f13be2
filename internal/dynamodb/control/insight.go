// SPDX-License-Identifier: Apache-2.0

package control

import (
	"cmp"
	"context"
	"encoding/base64"
	"math"
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/tablemodel"
)

// insightsMax is the number of summaries one answer may hold.
const insightsMax = 100

// The modes of contributor insights. // immutable
var insightModes = []string{"ACCESSED_AND_THROTTLED_KEYS", "THROTTLED_KEYS"}

// insightRequest is the body of DescribeContributorInsights.
type insightRequest struct {
	tableRequest
	IndexName *string
}

// insightUpdate is the body of UpdateContributorInsights.
type insightUpdate struct {
	insightRequest
	ContributorInsightsAction *string
	ContributorInsightsMode   *string
}

// insightSummary is how an answer shows the setting of a table or an index.
type insightSummary struct {
	TableName                 string
	IndexName                 string `json:",omitempty"`
	ContributorInsightsStatus string
	ContributorInsightsMode   string `json:",omitempty"`
}

// checkIndex wants the table, and the index if one is named.
func checkIndex(d *schema.Table, table string, index *string) error {
	if index != nil && !tablemodel.HasIndex(d, *index) { // the text is from memory
		return exception.New(exception.KindResourceNotFound,
			"Requested resource not found: Table: "+table+" Index: "+*index+" not found")
	}
	return nil
}

// insightOf reads the setting of a table or an index; without one, they are off.
func (a *API) insightOf(table string, index *string) (set tablemodel.Insight, err error) {
	err = a.look(table, func(d *schema.Table) error {
		if err := checkIndex(d, table, index); err != nil {
			return err
		}
		s, err := tablemodel.SettingsOf(d)
		if known := s.Insight(text(index)); known != nil {
			set = *known
		}
		return err
	})
	return set, tableError(table, err)
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// updateContributorInsights switches them on or off. Keys are counted in any case: the setting says that somebody looks
// at them.
func (a *API) updateContributorInsights(ctx context.Context, in *insightUpdate) (any, error) {
	var c exception.Constraints
	c.Named(in.IndexName, "indexName")
	c.Must(in.ContributorInsightsAction, "contributorInsightsAction", "ENABLE", "DISABLE")
	c.Maybe(in.ContributorInsightsMode, "contributorInsightsMode", insightModes...)
	if err := c.Err(); err != nil {
		return nil, err
	}
	before, err := a.insightOf(*in.TableName, in.IndexName)
	if err != nil {
		return nil, err
	}
	set := tablemodel.Insight{Index: text(in.IndexName), On: *in.ContributorInsightsAction == "ENABLE",
		Mode: before.Mode, ChangedMS: a.nowMS()}
	if in.ContributorInsightsMode != nil {
		set.Mode = *in.ContributorInsightsMode
	} else if set.Mode == "" {
		set.Mode = insightModes[0]
	}
	if err := a.change(ctx, *in.TableName, func(s *tablemodel.Settings) error {
		s.SetInsight(set)
		return nil
	}); err != nil {
		return nil, tableError(*in.TableName, err)
	}
	status := map[bool]string{true: "ENABLING", false: "DISABLING"}[set.On]
	return insightSummary{*in.TableName, set.Index, status, set.Mode}, nil
}

// Contributor is a key that takes a share of the requests to a table or an index.
type Contributor struct {
	Key       string  // its columns as text
	Direction string  // "reads", "writes", "conflicts" or Throttles
	Count     float64 // in the last minutes
	Share     float64 // of all of that direction, from 0 to 1
}

// Throttles is the Direction of keys whose requests exceeded a limit of throughput.
const Throttles = "throttles"

// contributors are the keys that are shown with a setting: what is accessed, unless only what is throttled is asked
// for.
func (a *API) contributors(set *tablemodel.Insight, table string) []Contributor {
	if a.Contributors == nil || !set.On {
		return nil
	}
	if a.Name() != database.DefaultDatabase {
		table = a.Name() + "." + table
	}
	list := a.Contributors(table, set.Index)
	if set.Mode == insightModes[0] {
		return list
	}
	return slices.DeleteFunc(list, func(c Contributor) bool { return c.Direction != Throttles })
}

// describeContributorInsights shows the setting, and the keys. There are no rules, which would be CloudWatch's.
func (a *API) describeContributorInsights(_ context.Context, in *insightRequest) (any, error) {
	var c exception.Constraints
	c.Named(in.IndexName, "indexName")
	if err := c.Err(); err != nil {
		return nil, err
	}
	set, err := a.insightOf(*in.TableName, in.IndexName)
	if err != nil {
		return nil, err
	}
	return struct {
		TableName                   *string
		IndexName                   *string `json:",omitempty"`
		ContributorInsightsRuleList []string
		ContributorInsightsStatus   string
		ContributorInsightsMode     string        `json:",omitempty"`
		LastUpdateDateTime          float64       `json:",omitempty"`
		Contributors                []Contributor `json:",omitempty"` // not in AWS's model
	}{in.TableName, in.IndexName, []string{}, set.Status(), set.Mode, float64(set.ChangedMS) / 1000,
		a.contributors(&set, *in.TableName)}, nil
}

// insightsRequest is the body of ListContributorInsights.
type insightsRequest struct {
	TableName, NextToken *string
	MaxResults           *int32
}

// listContributorInsights lists the tables and indexes whose setting was ever changed, in the order of their names.
func (a *API) listContributorInsights(_ context.Context, in *insightsRequest) (any, error) {
	most, after, err := in.page()
	if err != nil {
		return nil, err
	}
	tables := a.Names("", math.MaxInt32)
	if in.TableName != nil {
		if err := a.resolve(in.TableName, "ListContributorInsights"); err != nil {
			return nil, err
		}
		if err := tableError(*in.TableName, a.find(*in.TableName)); err != nil {
			return nil, err
		}
		tables = []string{*in.TableName}
	}
	answer := struct {
		ContributorInsightsSummaries []insightSummary
		NextToken                    string `json:",omitempty"`
	}{ContributorInsightsSummaries: []insightSummary{}}
	for _, table := range tables {
		for _, one := range a.insightsOf(table) {
			if cmp.Or(strings.Compare(one.TableName, after.TableName),
				strings.Compare(one.IndexName, after.IndexName)) <= 0 {
				continue
			}
			if len(answer.ContributorInsightsSummaries) == most {
				last := answer.ContributorInsightsSummaries[most-1]
				answer.NextToken = base64.StdEncoding.EncodeToString([]byte(last.TableName + "/" + last.IndexName))
				return answer, nil
			}
			answer.ContributorInsightsSummaries = append(answer.ContributorInsightsSummaries, one)
		}
	}
	return answer, nil
}

// page is the number of summaries that are wanted, and the one after which they begin.
func (in *insightsRequest) page() (most int, after insightSummary, err error) {
	most = insightsMax
	var c exception.Constraints
	if in.MaxResults != nil {
		c.Between(true, int64(*in.MaxResults), "maxResults", 0, insightsMax)
		if *in.MaxResults > 0 {
			most = int(*in.MaxResults)
		}
	}
	if err := c.Err(); err != nil || in.NextToken == nil {
		return most, after, err
	}
	place, err := base64.StdEncoding.DecodeString(*in.NextToken)
	ok := false
	if after.TableName, after.IndexName, ok = strings.Cut(string(place), "/"); err != nil || !ok {
		return 0, after, exception.Validation("Invalid NextToken")
	}
	return most, after, nil
}

// insightsOf lists the settings of a table and its indexes, by the indexes' names. A table that has gone meanwhile has
// none.
func (a *API) insightsOf(table string) (list []insightSummary) {
	_ = a.look(table, func(d *schema.Table) error {
		s, err := tablemodel.SettingsOf(d)
		for _, set := range s.SortedInsights() {
			if set.Index == "" || tablemodel.HasIndex(d, set.Index) {
				list = append(list, insightSummary{table, set.Index, set.Status(), set.Mode})
			}
		}
		return err
	})
	return list
}
