// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// askOf reads a request: lines of name and value. principal, account, action and resource are the request's own; other
// names are condition keys, with values parted by " | ". pattern is a resource that is a pattern, patterns a key whose
// values are.
func askOf(t *testing.T, text string) *Request {
	t.Helper()
	values := map[string][]string{}
	r := &Request{Account: "123456789012"}
	for line := range strings.SplitSeq(text, "\n") {
		name, value, ok := strings.Cut(line, " ")
		if !ok {
			t.Fatalf("%q has no value", line)
		}
		switch name {
		case "principal":
			r.Principal = value
		case "account":
			r.Account = value
		case "action":
			r.Action = value
		case "resource":
			r.Resource = value
		case "pattern":
			r.Resource, r.Pattern = value, true
		case "patterns":
			r.Patterns = func(key string) bool { return key == strings.ToLower(value) }
		default:
			if values[strings.ToLower(name)] = strings.Split(value, " | "); value == "(none)" {
				values[strings.ToLower(name)] = nil
			}
		}
	}
	r.Values = func(name string) ([]string, bool) { v, ok := values[name]; return v, ok }
	return r
}

// TestData reads policies (identity, resource), and asks the ones that were read since the last "forget".
func TestData(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		var policies []*Policy
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "forget":
				policies = nil
				return ""
			case "ask":
				return Decide(policies, askOf(t, d.Input)).String() + "\n"
			}
			kind := Identity
			if d.Cmd == "resource" {
				kind = Resource
			}
			p, err := Parse([]byte(d.Input), kind)
			if err != nil {
				return err.Error() + "\n"
			}
			policies = append(policies, p)
			return fmt.Sprintln(len(p.statements), "statements")
		})
	})
}

// FuzzParse reads whatever is given. What is taken can be asked.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"Version":"2012-10-17","Statement":[{"Sid":"a","Effect":"Allow","Action":["dynamodb:Get*"],"Resource":"arn:aws:dynamodb:*:*:table/${aws:username, 'x'}-${*}",
		"Condition":{"ForAllValues:StringLikeIfExists":{"dynamodb:LeadingKeys":["${aws:username}*"]},"NumericLessThan":{"aws:MultiFactorAuthAge":30}}}]}`), "a*b?c", "axxbyc")
	f.Add([]byte(`{"Statement":{"Effect":"Deny","NotPrincipal":{"AWS":["*","123456789012"]},"NotAction":"*","NotResource":["*"],"Condition":{"IpAddress":{"aws:SourceIp":"10.0.0.0/8"}}}}`), "*", "")
	f.Fuzz(func(t *testing.T, text []byte, pattern, matched string) {
		r := &Request{Principal: "arn:aws:iam::123456789012:user/ann", Account: "123456789012",
			Action: "dynamodb:GetItem", Resource: "arn:aws:dynamodb:us-east-1:123456789012:table/" + matched,
			Values: func(name string) ([]string, bool) { return []string{matched}, strings.HasPrefix(name, "aws:") }}
		for _, kind := range []Kind{Identity, Resource} {
			if p, err := Parse(text, kind); err == nil {
				p.Decide(r)
			}
		}
		if match(markLiterals(matched), matched) != true {
			t.Errorf("%q does not match itself", matched)
		}
		if match(pattern, matched) && !match(pattern+"*", matched+"x") {
			t.Errorf("%q matches %q but not with * and x behind", pattern, matched)
		}
	})
}
