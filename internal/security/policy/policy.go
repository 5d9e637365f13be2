// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"slices"
	"strings"
)

// Effect is the decision of a statement, a policy, or several policies about a request. A greater one wins: AWS lets an
// explicit Deny override every Allow.
type Effect uint8

// The effects.
const (
	NoMatch Effect = iota // nothing applies: the request is denied unless another policy allows it
	Allow
	Deny
)

// String is the effect's name.
func (e Effect) String() string { return [...]string{"NoMatch", "Allow", "Deny"}[e] }

// Kind says what a policy is attached to.
type Kind uint8

// The kinds of policies.
const (
	Identity Kind = iota // a user or a role, which is the principal
	Resource             // a table or stream; statements name principals
)

// Policy is a policy that was read. It is immutable.
type Policy struct {
	kind       Kind
	statements []statement
}

// statement is one statement. Of the pairs with a "not" form, the flag says which one was written.
type statement struct {
	effect        Effect
	principals    []string // of a resource's policy; nil: none were named
	notPrincipal  bool
	actions       []string
	notAction     bool
	resources     []pattern
	notResource   bool
	conditions    []condition
	anyPrincipal  bool
	hasPrincipals bool
}

// Request is a principal's request.
type Request struct {
	Principal string // ARN of the user, "" if nobody signed in
	Account   string // id of the principal's account
	Action    string // as "dynamodb:GetItem"
	Resource  string // ARN
	// Pattern means that Resource is a pattern as a policy has it, and that everything it stands for is asked for.
	Pattern bool
	// Values returns the values that a condition key has in this request; name is in lower case. ok is false if it has
	// none. nil: no key has.
	Values func(name string) (values []string, ok bool)
	// Unknown reports whether the values of a condition key are not known yet, such as the keys of rows that have not
	// been found. Then an Allow that depends on it allows nothing, and a Deny denies. nil: all are known.
	Unknown func(name string) bool
	// Patterns reports whether the values of a condition key are patterns as a policy has them, each of which stands
	// for all texts of its form. An Allow that depends on them must hold for all of these, a Deny for one. nil: no
	// key's are.
	Patterns func(name string) bool
	// Lenient turns Unknown around: an Allow allows, and a Deny denies nothing. It asks whether anything of the kind
	// could be allowed.
	Lenient bool
}

func (r *Request) values(name string) ([]string, bool) {
	if r.Values == nil {
		return nil, false
	}
	return r.Values(name)
}

// Decide returns what the policies together say: a Deny of any of them, else an Allow of any.
func Decide(policies []*Policy, r *Request) (e Effect) {
	for _, p := range policies {
		if e = max(e, p.Decide(r)); e == Deny {
			return Deny
		}
	}
	return e
}

// Decide returns what the policy says.
func (p *Policy) Decide(r *Request) (e Effect) {
	for i := range p.statements {
		if s := &p.statements[i]; s.effect > e && s.applies(r) {
			e = s.effect
		}
	}
	return e
}

// applies reports whether a statement is about a request.
func (s *statement) applies(r *Request) bool {
	return s.isAboutPrincipal(r) && s.isAboutAction(r.Action) && s.isAboutResource(r) && s.holds(r)
}

// isAboutPrincipal compares principals. A whole account stands for all its users where something is denied. Allowing it
// something only leaves the decision to the policies of its users, which decide it anyway. As an exception
// (NotPrincipal) it stands for its root alone: AWS's guide tells to list it beside the user who is not denied.
func (s *statement) isAboutPrincipal(r *Request) bool {
	if !s.hasPrincipals {
		return true
	}
	found := s.anyPrincipal
	for _, one := range s.principals {
		found = found || one == r.Principal && one != "" ||
			s.effect == Deny && !s.notPrincipal && r.Principal != "" && isAccount(one, r.Account)
	}
	return found != s.notPrincipal
}

// isAccount reports whether a principal is an account, by its id or its root user.
func isAccount(principal, account string) bool {
	return account != "" && (principal == account || principal == "arn:aws:iam::"+account+":root")
}

func (s *statement) isAboutAction(action string) bool {
	for _, one := range s.actions {
		if matchFold(one, action) {
			return !s.notAction
		}
	}
	return s.notAction
}

func (s *statement) isAboutResource(r *Request) bool {
	if r.Pattern {
		return s.isAboutPattern(r)
	}
	for i := range s.resources {
		text, ok := s.resources[i].expand(r)
		if ok && matchARN(text, r.Resource) {
			return !s.notResource
		}
		// it can't be told whether the resource is excepted: nothing is allowed by that, and everything denied
		if !ok && s.notResource {
			return s.effect == Deny
		}
	}
	return s.notResource
}

// holds reports whether all conditions hold.
func (s *statement) holds(r *Request) bool {
	for i := range s.conditions {
		c := &s.conditions[i]
		switch {
		case r.Unknown != nil && r.Unknown(c.key):
			if (s.effect == Allow) != r.Lenient {
				return false
			}
		case !c.holds(r, s.effect):
			return false
		}
	}
	return true
}

// DenyEverything is the policy of a resource whose own can't be read.
func DenyEverything() *Policy {
	return &Policy{kind: Resource, statements: []statement{{effect: Deny, notAction: true, notResource: true}}}
}

// AllowEverything reports whether policies of a principal allow every request, so that none needs to be decided by
// them.
func AllowEverything(policies []*Policy) bool {
	everything := false
	for _, p := range policies {
		for i := range p.statements {
			s := &p.statements[i]
			if s.effect == Deny {
				return false
			}
			everything = everything || s.allowsEverything()
		}
	}
	return everything
}

func (s *statement) allowsEverything() bool {
	return len(s.conditions) == 0 && !s.notAction && slices.Contains(s.actions, "*") && !s.notResource &&
		!s.hasPrincipals &&
		slices.ContainsFunc(s.resources, func(p pattern) bool { return p.text == "*" })
}

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
