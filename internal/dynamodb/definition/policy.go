// SPDX-License-Identifier: Apache-2.0

package definition

import (
	"encoding/json"
	"strconv"

	"github.com/weftdb/weft/internal/dynamodb/exception"
)

const (
	policyBytesMax   = 20 << 10
	revisionsMax     = 255 // characters of a revision's id
	noPolicyRevision = "NO_POLICY"
)

// Policy is a resource-based policy. It is kept and shown; this server does not judge requests by it.
type Policy struct {
	Text       string `json:"text"`
	RevisionID string `json:"revisionID"`
}

// PutPolicy attaches a policy to a part of the table, "" being the table itself. expected is the revision that must be there, "" any,
// NO_POLICY none.
func (s *Settings) PutPolicy(part, text, expected string, nowMS int64) (Policy, error) {
	had, ok := s.Policies[part]
	if err := checkRevision(had, ok, expected); err != nil {
		return Policy{}, err
	}
	if s.Policies == nil {
		s.Policies = map[string]Policy{}
	}
	s.Policies[part] = Policy{text, revisionAfter(had.RevisionID, nowMS)}
	return s.Policies[part], nil
}

// DeletePolicy removes a policy and returns it; the zero Policy if there was none and none was expected.
func (s *Settings) DeletePolicy(part, expected string) (Policy, error) {
	had, ok := s.Policies[part]
	if err := checkRevision(had, ok, expected); err != nil {
		return Policy{}, err
	}
	delete(s.Policies, part)
	return had, nil
}

func checkRevision(had Policy, ok bool, expected string) error {
	switch {
	case expected == "", expected == noPolicyRevision && !ok, ok && expected == had.RevisionID:
		return nil
	case expected == noPolicyRevision: // the text is from memory
		return PolicyNotFound("The resource has a policy already, and NO_POLICY was expected")
	}
	return PolicyNotFound("Requested update for policy with revision id: " + expected) // from memory
}

// PolicyNotFound is the exception for a policy that is not there, or not of the expected revision. The text is from memory.
func PolicyNotFound(detail string) error {
	return exception.Modelled("PolicyNotFoundException", "Resource-based policy not found for the provided ResourceArn: "+detail)
}

// revisionAfter is a revision's id: the time in milliseconds, and always more than the one before.
func revisionAfter(before string, nowMS int64) string {
	if last, err := strconv.ParseInt(before, 10, 64); err == nil {
		nowMS = max(nowMS, last+1)
	}
	return strconv.FormatInt(nowMS, 10)
}

// CheckPolicy judges a PutResourcePolicy or DeleteResourcePolicy's members. A nil policy is not there; required says that it must be.
func CheckPolicy(policy, expected *string, required bool) error {
	var faults constraints
	if policy == nil && required {
		faults.null("policy")
	}
	if expected != nil && *expected == "" {
		faults.short("", "expectedRevisionId", 1)
	}
	if expected != nil && len(*expected) > revisionsMax {
		faults.long(*expected, "expectedRevisionId", revisionsMax)
	}
	if err := faults.Err(); err != nil {
		return err
	}
	return checkPolicy(policy)
}

// checkPolicy judges a policy's text: a JSON object of at most 20 KB. What it says is not looked at. The texts are from memory.
func checkPolicy(policy *string) error {
	var statement map[string]json.RawMessage
	switch {
	case policy == nil:
	case len(*policy) > policyBytesMax:
		return exception.InvalidValue("The resource-based policy is larger than %d bytes", policyBytesMax)
	case json.Unmarshal([]byte(*policy), &statement) != nil || statement == nil:
		return exception.Validation("Invalid policy document: the policy is not a JSON object")
	}
	return nil
}
