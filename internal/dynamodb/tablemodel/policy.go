// SPDX-License-Identifier: Apache-2.0

package tablemodel

import "github.com/weftdb/weft/internal/dynamodb/exception"

const (
	revisionsMax     = 255 // characters of a revision's id
	noPolicyRevision = "NO_POLICY"
)

// PolicyNotFound is the exception for a policy that is not there, or not of the expected revision: there are none here. The text is
// from memory.
func PolicyNotFound(arn string) error {
	return exception.New(exception.KindPolicyNotFound, "Resource-based policy not found for the provided ResourceArn: "+arn)
}

// PolicyRefusal is the answer to a request that attaches a policy by a member of that name. Nobody would be held to the policy.
func PolicyRefusal(member string) error {
	return missing(member, "resource policies", "limit who can reach its address instead")
}

// CheckPolicy judges a PutResourcePolicy's, GetResourcePolicy's or DeleteResourcePolicy's members. A nil policy is not there; required says that it
// must be.
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
	return faults.Err()
}

// ExpectsPolicy says whether a request is to be done only if there is a policy, of that revision.
func ExpectsPolicy(expected *string) bool {
	return expected != nil && *expected != noPolicyRevision
}
