// SPDX-License-Identifier: Apache-2.0

package testcontrol

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/weftdb/weft/internal/dynamodb"
	"github.com/weftdb/weft/internal/dynamodb/fault"
)

func (c *Controls) faultsPage(*http.Request) (string, error) {
	rules := c.Faults.Rules()
	if rules == nil {
		rules = []fault.Rule{}
	}
	text, err := json.MarshalIndent(rules, "", "  ")
	return string(text), err
}

func (c *Controls) addFaultsPage(r *http.Request) (string, error) {
	var rules []fault.Rule
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&rules); err != nil {
		return "", fmt.Errorf("the rules can't be read, they are an array of JSON: %w", err)
	}
	for i := range rules {
		if name := rules[i].Operation; name != "" && dynamodb.FindOperation(name) == nil {
			return "", fmt.Errorf("there is no operation %q of DynamoDB's API", name)
		}
	}
	if err := c.Faults.Add(rules...); err != nil {
		return "", err
	}
	return fmt.Sprintf("added; rules now: %d", len(c.Faults.Rules())), nil
}

func (c *Controls) clearFaultsPage(*http.Request) (string, error) {
	c.Faults.Clear()
	return "there are no rules any more", nil
}
