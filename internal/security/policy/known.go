// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"slices"
	"strings"
)

// knownKeys are the condition keys that requests may have, in lower case. One that ends with a slash has a name of the
// requester's behind it. // immutable
var knownKeys = []string{
	"aws:currenttime", "aws:epochtime", "aws:principalaccount", "aws:principalarn", "aws:principalisawsservice",
	"aws:principaltype", "aws:requestedregion",
	"aws:requesttag/", "aws:resourceaccount", "aws:resourcetag/", "aws:securetransport", "aws:sourceip", "aws:tagkeys",
	"aws:useragent", "aws:userid", "aws:username",
	"aws:viaawsservice", "dynamodb:attributes", "dynamodb:enclosingoperation", "dynamodb:fulltablescan",
	"dynamodb:leadingkeys",
	"dynamodb:returnconsumedcapacity", "dynamodb:returnvalues", "dynamodb:select", "s3:prefix",
}

// isKnown reports whether a request may have a condition key, which is in lower case.
func isKnown(key string) bool {
	return slices.ContainsFunc(knownKeys, func(known string) bool {
		if !strings.HasSuffix(known, "/") {
			return key == known
		}
		return strings.HasPrefix(key, known) && len(key) > len(known)
	})
}

// CheckKeys returns an error that names a condition key or a variable that no request has: a statement that depends on
// it would not do what it says, and a Deny would deny nothing.
func (p *Policy) CheckKeys() error {
	for i := range p.statements {
		s := &p.statements[i]
		patterns := slices.Clone(s.resources)
		for _, c := range s.conditions {
			if !isKnown(c.key) {
				return unknownKey(i, c.key)
			}
			patterns = append(patterns, c.wanted...)
		}
		for _, pattern := range patterns {
			for _, one := range pattern.pieces {
				if one.variable != "" && !isKnown(one.variable) {
					return unknownKey(i, one.variable)
				}
			}
		}
	}
	return nil
}

func unknownKey(statement int, key string) error {
	return fmt.Errorf("policy: statement %d: no request here has the condition key %.80s, so that the statement would never do what it says: take it out, or write one of %s",
		statement+1, key, strings.Join(knownKeys, ", "))
}
