// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/testing/rounds"
)

// The model decides by the words of AWS's user guide, over the JSON itself, with regular expressions for wildcards. It
// shares no code with the package.

// asked is a request of the model.
type asked struct {
	principal, action, resource string
	keys                        map[string][]string
}

type object = map[string]any

func modelDecide(policies []object, a *asked) string {
	allowed := false
	for _, p := range policies {
		variables := p["Version"] == "2012-10-17"
		for _, raw := range p["Statement"].([]any) {
			s := raw.(object)
			if !modelApplies(s, a, variables) {
				continue
			}
			if s["Effect"] == "Deny" {
				return "Deny"
			}
			allowed = true
		}
	}
	if allowed {
		return "Allow"
	}
	return "NoMatch"
}

func modelApplies(s object, a *asked, variables bool) bool {
	if principal, ok := s["Principal"]; ok && !modelPrincipal(principal, a, s["Effect"] == "Deny") {
		return false
	}
	if principal, ok := s["NotPrincipal"]; ok && modelPrincipal(principal, a, false) {
		return false
	}
	if actions, ok := s["Action"]; ok {
		if !slices.ContainsFunc(texts(actions),
			func(one string) bool { return one == "*" || wildcard("(?i)", one).MatchString(a.action) }) {
			return false
		}
	} else if slices.ContainsFunc(texts(s["NotAction"]), func(one string) bool {
		return one == "*" ||
			wildcard("(?i)", one).MatchString(a.action)
	}) {
		return false
	}
	isResource := func(one string) bool {
		re, ok := modelPattern(one, a, variables)
		return ok && (one == "*" || re.MatchString(a.resource))
	}
	if resources, ok := s["Resource"]; ok {
		if !slices.ContainsFunc(texts(resources), isResource) {
			return false
		}
	} else if slices.ContainsFunc(texts(s["NotResource"]), isResource) {
		return false
	}
	conditions, _ := s["Condition"].(object)
	for operator, keys := range conditions {
		for key, wanted := range keys.(object) {
			if !modelCondition(operator, key, texts(wanted), a, variables, s["Effect"] == "Allow") {
				return false
			}
		}
	}
	return true
}

func modelPrincipal(principal any, a *asked, denied bool) bool {
	if principal == "*" {
		return true
	}
	return slices.ContainsFunc(texts(principal.(object)["AWS"]), func(one string) bool {
		return one == "*" || one == a.principal ||
			denied && (one == "123456789012" || one == "arn:aws:iam::123456789012:root")
	})
}

func texts(v any) (list []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		for _, one := range v {
			list = append(list, one.(string))
		}
	}
	return list
}

// compiled keeps the expressions of the model: there are few, and compiling takes most of the time.
var compiled = map[string]*regexp.Regexp{}

func expression(text string) *regexp.Regexp {
	if compiled[text] == nil {
		compiled[text] = regexp.MustCompile(text)
	}
	return compiled[text]
}

// wildcard makes an expression of a pattern. Wildcards stay within a part of an ARN, of which the last may hold colons:
// none of the model's does.
func wildcard(flags, pattern string) *regexp.Regexp {
	quoted := regexp.QuoteMeta(pattern)
	quoted = strings.ReplaceAll(strings.ReplaceAll(quoted, `\*`, `[^:]*`), `\?`, `[^:]`)
	return expression(flags + "^" + quoted + "$")
}

// modelPattern puts values into a pattern, as literals.
func modelPattern(pattern string, a *asked, variables bool) (*regexp.Regexp, bool) {
	if !variables {
		return wildcard("", pattern), true
	}
	known := true
	quoted := expression(`\$\{[^}]*\}|[*?]|[^*?$]+|\$`).ReplaceAllStringFunc(pattern, func(part string) string {
		switch {
		case part == "*":
			return `[^:]*`
		case part == "?":
			return `[^:]`
		case part == "${*}" || part == "${?}" || part == "${$}":
			return regexp.QuoteMeta(part[2:3])
		case strings.HasPrefix(part, "${"):
			values := a.keys[strings.ToLower(part[2:len(part)-1])]
			if len(values) != 1 {
				known = false
				return ""
			}
			return regexp.QuoteMeta(values[0])
		}
		return regexp.QuoteMeta(part)
	})
	return expression("^" + quoted + "$"), known
}

func modelCondition(operator, key string, wanted []string, a *asked, variables, allow bool) bool {
	values := a.keys[strings.ToLower(key)]
	quantifier, name, ok := strings.Cut(operator, ":")
	if !ok {
		quantifier, name = "", operator
	}
	if name == "Null" {
		return strconv.FormatBool(len(values) == 0) == wanted[0]
	}
	name, ifExists := strings.CutSuffix(name, "IfExists")
	positive, negated := strings.CutPrefix(name, "Not")
	if before, after, ok := strings.Cut(name, "Not"); ok {
		positive, negated = before+after, true
	}
	if len(values) == 0 {
		switch {
		case quantifier == "ForAllValues":
			return true
		case quantifier == "ForAnyValue":
			return false
		}
		return ifExists || negated
	}
	fits := func(value string) bool {
		any := slices.ContainsFunc(wanted,
			func(one string) bool { return modelFits(positive, one, value, a, variables) })
		odd := slices.ContainsFunc(wanted, func(one string) bool {
			_, err := strconv.ParseFloat(value, 64)
			return variables && strings.Contains(one, "missing") || strings.HasPrefix(positive, "Numeric") && err != nil
		})
		return any != negated && !(negated && odd)
	}
	switch {
	case quantifier == "" && strings.HasPrefix(key, "dynamodb:"): // both keys are lists
		return false
	case quantifier == "ForAllValues", quantifier == "" &&
		allow: // AWS leaves open how an operator without a quantifier treats several values

		return !slices.ContainsFunc(values, func(v string) bool { return !fits(v) })
	}
	return slices.ContainsFunc(values, fits)
}

func modelFits(operator, wanted, value string, a *asked, variables bool) bool {
	switch operator {
	case "StringEquals", "StringEqualsIgnoreCase":
		if variables && strings.Contains(wanted, "${") {
			re, ok := modelPattern(strings.NewReplacer("*", "${*}", "?", "${?}").Replace(wanted), a, true)
			return ok && (re.MatchString(value) ||
				operator != "StringEquals" && expression("(?i)"+re.String()).MatchString(value))
		}
		return wanted == value || operator == "StringEqualsIgnoreCase" && strings.EqualFold(wanted, value)
	case "StringLike":
		re, ok := modelPattern(wanted, a, variables)
		return ok && re.MatchString(value)
	case "Bool":
		return strings.EqualFold(wanted, value)
	}
	w, wantedErr := strconv.ParseFloat(wanted, 64)
	v, err := strconv.ParseFloat(value, 64)
	if err != nil || wantedErr != nil {
		return false
	}
	return map[string]bool{"NumericEquals": v == w, "NumericLessThan": v < w, "NumericLessThanEquals": v <= w,
		"NumericGreaterThan": v > w, "NumericGreaterThanEquals": v >= w}[operator]
}

// generator makes random policies and requests from few words, so that they often meet.
type generator struct{ *rand.Rand }

func (g generator) pick(words ...string) string { return words[g.IntN(len(words))] }

func (g generator) some(words ...string) any {
	if g.IntN(2) == 0 {
		return g.pick(words...)
	}
	var list []any
	for range 1 + g.IntN(3) {
		list = append(list, g.pick(words...))
	}
	return list
}

func (g generator) statement(kind Kind) object {
	s := object{"Effect": g.pick("Allow", "Allow", "Deny")}
	if kind == Resource {
		s["Principal"] = object{"AWS": g.some("*", "arn:aws:iam::123456789012:user/ann", "123456789012",
			"arn:aws:iam::123456789012:root", "arn:aws:iam::1:user/bob")}
		if g.IntN(3) == 0 {
			s["Principal"] = "*"
		} else if s["Effect"] == "Deny" && g.IntN(2) == 0 { // AWS takes NotPrincipal with Deny only
			s["NotPrincipal"] = s["Principal"]
			delete(s, "Principal")
		}
	}
	s[g.pick("Action", "Action", "NotAction")] = g.some("*", "dynamodb:*", "dynamodb:Get*", "DYNAMODB:getitem",
		"dynamodb:PutItem", "dynamodb:?etItem", "dynamodb:Batch*Item", "s3:*")
	resources := []string{"*", "arn:aws:dynamodb:*:*:table/*", "arn:aws:dynamodb:us-east-1:123456789012:table/orders",
		"arn:aws:dynamodb:*:123456789012:table/o?ders",
		"arn:aws:dynamodb:us-*-1:*:table/${aws:username}*", "arn:aws:dynamodb:*:*:table/${aws:missing}",
		"arn:aws:*:*:*:*", "arn:aws:dynamodb:*:*:table/a${*}"}
	if g.IntN(4) == 0 {
		s["NotResource"] = g.some(slices.DeleteFunc(resources,
			func(r string) bool { return strings.Contains(r, "missing") })...)
	} else {
		s["Resource"] = g.some(resources...)
	}
	if g.IntN(3) > 0 {
		s["Condition"] = g.conditions()
	}
	return s
}

func (g generator) conditions() object {
	all := object{}
	for range 1 + g.IntN(2) {
		keys := object{}
		operator := g.pick("", "", "ForAllValues:", "ForAnyValue:")
		switch g.IntN(5) {
		case 0:
			operator += g.pick("StringEquals", "StringNotEquals", "StringEqualsIgnoreCase", "StringNotEqualsIgnoreCase",
				"StringLike", "StringNotLike") + g.pick("", "IfExists")
			keys["dynamodb:LeadingKeys"] = g.some("ann", "ANN", "a*", "${aws:username}", "${aws:missing}", "b?b", "x")
		case 1:
			operator += g.pick("NumericEquals", "NumericNotEquals", "NumericLessThan", "NumericLessThanEquals",
				"NumericGreaterThan", "NumericGreaterThanEquals") + g.pick("", "IfExists")
			keys["aws:Age"] = g.some("1", "2.50", "-3", "10")
		case 2:
			operator = "Null"
			keys[g.pick("aws:Age", "aws:missing", "dynamodb:LeadingKeys")] = g.pick("true", "false")
		case 3:
			operator += "Bool" + g.pick("", "IfExists")
			keys["aws:SecureTransport"] = g.some("true", "false")
		default:
			operator += g.pick("StringEquals", "StringLike")
			keys["dynamodb:Attributes"] = g.some("id", "name", "na*", "secret")
		}
		all[operator] = keys
	}
	return all
}

func (g generator) ask() *asked {
	a := &asked{principal: g.pick("arn:aws:iam::123456789012:user/ann", "arn:aws:iam::123456789012:user/bob"),
		action: g.pick("dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:BatchGetItem"),
		resource: g.pick("arn:aws:dynamodb:us-east-1:123456789012:table/orders",
			"arn:aws:dynamodb:us-west-1:123456789012:table/ann-1", "arn:aws:dynamodb:eu-west-1:1:table/a*"),
		keys: map[string][]string{}}
	a.keys["aws:username"] = []string{g.pick("ann", "a*")}
	values := func(name string, words ...string) {
		for range g.IntN(3) {
			a.keys[name] = append(a.keys[name], g.pick(words...))
		}
	}
	values("dynamodb:leadingkeys", "ann", "Ann", "bob", "x", "a*")
	values("dynamodb:attributes", "id", "name", "secret")
	values("aws:age", "1", "2.5", "-3", "11", "old")
	if g.IntN(2) == 0 {
		a.keys["aws:securetransport"] = []string{g.pick("true", "false")}
	}
	return a
}

// TestModel compares decisions with the model's.
func TestModel(t *testing.T) {
	seed := rounds.Seed(t)
	g := generator{rand.New(rand.NewPCG(seed, 0))}
	const rounds = 20_000
	met := map[string]int{}
	for range rounds {
		var documents []object
		var policies []*Policy
		var written []string
		for range 1 + g.IntN(2) {
			kind := Kind(g.IntN(2))
			document := object{"Version": g.pick("2012-10-17", "2012-10-17", "2008-10-17"), "Statement": []any{}}
			for range 1 + g.IntN(3) {
				document["Statement"] = append(document["Statement"].([]any), g.statement(kind))
			}
			text, err := json.Marshal(document)
			if err != nil {
				t.Fatal(err)
			}
			p, err := Parse(text, kind)
			if err != nil {
				t.Fatalf("seed %d: %s: %v", seed, text, err)
			}
			documents, policies, written = append(documents, document), append(policies, p), append(written,
				string(text))
		}
		for range 5 {
			a := g.ask()
			r := &Request{Principal: a.principal, Account: "123456789012", Action: a.action, Resource: a.resource,
				Values: func(name string) ([]string, bool) { v, ok := a.keys[name]; return v, ok }}
			got, want := Decide(policies, r).String(), modelDecide(documents, a)
			if met[want]++; got != want {
				t.Fatalf("seed %d: %s, not %s, for %+v by\n%s", seed, got, want, *a, strings.Join(written, "\n"))
			}
		}
	}
	for _, effect := range []string{"Allow", "Deny", "NoMatch"} {
		if met[effect] < rounds/4 {
			t.Errorf("seed %d: only %d of %d requests met %s", seed, met[effect], 5*rounds, effect)
		}
	}
}
