// SPDX-License-Identifier: Apache-2.0

package dynamodb

import (
	"context"
	"encoding/json"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb/exception"
)

// searchMembers are the members of a Search that a Scan has not.
type searchMembers struct {
	Attributes []string `json:"SearchAttributes"`
	Text       *string  `json:"SearchText"`
	Mode       string   `json:"SearchMode"`  // NATURAL, the default, or BOOLEAN
	Order      string   `json:"SearchOrder"` // SCORE, the default, or KEY
}

// search is Weft's own operation Search: a Scan of the items whose words match a query, the best first. Limit is the
// number of them that are wanted; in the order of keys it is as in a Scan, with pages.
func (a *API) search(ctx context.Context, body, dst []byte) ([]byte, error) {
	return a.searchAs(ctx, body, dst, carriedOut)
}

func (a *API) searchAs(ctx context.Context, body, dst []byte, how explainMode) ([]byte, error) {
	var asked searchMembers
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil || json.Unmarshal(body, &asked) != nil {
		return nil, exception.Serialization(
			"SearchAttributes must be a list of strings, and the other members of Search strings")
	}
	text, err := asked.text()
	if err != nil {
		return nil, err
	}
	for _, own := range [...]string{"SearchAttributes", "SearchText", "SearchMode", "SearchOrder"} {
		delete(members, own)
	}
	for _, other := range [...]string{"IndexName", "Segment", "TotalSegments"} {
		if _, ok := members[other]; ok {
			return nil, exception.Validation("Search takes no " + other)
		}
	}
	if _, paged := members["ExclusiveStartKey"]; paged && !text.KeyOrder {
		return nil, exception.Validation(
			"A Search in the order of scores has one page: leave out ExclusiveStartKey, or ask with SearchOrder KEY")
	}
	scan, err := json.Marshal(members)
	if err != nil {
		return nil, err
	}
	return a.scanFor(ctx, scan, dst, how, text)
}

// text is the text to search for.
func (s *searchMembers) text() (*database.SearchText, error) {
	switch {
	case len(s.Attributes) == 0 || s.Text == nil:
		return nil, exception.Validation(
			"Search needs SearchAttributes, a list of the attributes whose words are searched, and SearchText")
	case s.Mode != "" && s.Mode != "NATURAL" && s.Mode != "BOOLEAN":
		return nil, exception.Validation("SearchMode must be NATURAL or BOOLEAN")
	case s.Order != "" && s.Order != "SCORE" && s.Order != "KEY":
		return nil, exception.Validation("SearchOrder must be SCORE or KEY")
	}
	return &database.SearchText{Columns: s.Attributes, Text: *s.Text, Boolean: s.Mode == "BOOLEAN",
		KeyOrder: s.Order == "KEY"}, nil
}
