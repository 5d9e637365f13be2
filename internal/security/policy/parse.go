// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// BytesMax is the length of the longest policy, that of a resource's in DynamoDB.
const BytesMax = 20 << 10

// statementsMax and valuesMax bound what one decision costs.
const (
	statementsMax = 256
	valuesMax     = 4096 // actions, resources, principals and condition values in all
)

// version2012 is the version of the language that has variables; the other one is 2008-10-17, the default.
const version2012 = "2012-10-17"

// Parse reads a policy. Errors say what is wrong and in which statement; they can be shown to its author.
func Parse(text []byte, kind Kind) (*Policy, error) {
	if len(text) > BytesMax {
		return nil, fmt.Errorf("policy: it has %d bytes; %d are allowed", len(text), BytesMax)
	}
	if err := checkNames(text); err != nil {
		return nil, fmt.Errorf("policy: %w", err)
	}
	var document struct {
		Version   string
		ID        string `json:"Id"`
		Statement json.RawMessage
	}
	if err := decode(text, &document); err != nil {
		return nil, fmt.Errorf("policy: %w", err)
	}
	if document.Version != "" && document.Version != version2012 && document.Version != "2008-10-17" {
		return nil, fmt.Errorf("policy: Version is %.40q; it can be 2012-10-17 or 2008-10-17", document.Version)
	}
	raws, err := list[json.RawMessage](document.Statement, '{')
	if err != nil || len(raws) == 0 || len(raws) > statementsMax {
		return nil, fmt.Errorf("policy: Statement must be a statement or a list of 1 to %d statements", statementsMax)
	}
	p := &parser{kind: kind, variables: document.Version == version2012}
	policy := &Policy{kind: kind}
	for i, raw := range raws {
		s, err := p.statement(raw)
		if err != nil {
			return nil, fmt.Errorf("policy: statement %d: %w", i+1, err)
		}
		policy.statements = append(policy.statements, s)
	}
	return policy, nil
}

// decode reads JSON whose members all have a place.
func decode(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return plainError(err)
	}
	if d.More() {
		return errors.New("something stands behind it")
	}
	return nil
}

// plainError says what is wrong in JSON without Go's words.
func plainError(err error) error {
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong) && wrong.Field == "":
		return fmt.Errorf("it must be a JSON object, not a JSON %s", wrong.Value)
	case errors.As(err, &wrong):
		return fmt.Errorf("member %s can't be a JSON %s", wrong.Field, wrong.Value)
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}

// depthMax is how deep objects and lists may be nested: a policy needs five.
const depthMax = 8

// checkNames refuses two members of one name, of which a reader would see the last and a person the first, and deep
// nesting.
func checkNames(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	var seen []map[string]bool // of the objects that are open; nil for a list
	isName := false
	for {
		token, err := d.Token()
		if err != nil {
			if len(seen) == 0 {
				return nil // decode tells of other faults
			}
			return err
		}
		delim, _ := token.(json.Delim)
		switch {
		case delim == '{' || delim == '[':
			if len(seen) == depthMax {
				return fmt.Errorf("it is nested more than %d levels deep", depthMax)
			}
			seen = append(seen, nil)
			if delim == '{' {
				seen[len(seen)-1] = map[string]bool{}
			}
		case delim == '}' || delim == ']':
			seen = seen[:len(seen)-1]
		case isName:
			name := strings.ToLower(token.(string)) // the case of names means nothing
			if seen[len(seen)-1][name] {
				return fmt.Errorf("member %.40q is there twice", token)
			}
			seen[len(seen)-1][name] = true
		}
		inObject := len(seen) > 0 && seen[len(seen)-1] != nil
		isName = inObject && (!isName || delim == '{' || delim == '}' || delim == ']')
	}
}

// list reads one value that begins with a character, or a list of such values.
func list[T any](raw json.RawMessage, first byte) (values []T, err error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) > 0 && raw[0] == first {
		values = make([]T, 1)
		return values, json.Unmarshal(raw, &values[0])
	}
	if len(raw) == 0 || raw[0] != '[' {
		return nil, errors.New("this is neither a value nor a list")
	}
	return values, json.Unmarshal(raw, &values)
}

// parser reads one policy's statements.
type parser struct {
	kind      Kind
	variables bool
	values    int
}

// rawStatement is a statement's JSON. A member that is missing is nil.
type rawStatement struct {
	SID          string `json:"Sid"`
	Effect       string
	Principal    json.RawMessage
	NotPrincipal json.RawMessage
	Action       json.RawMessage
	NotAction    json.RawMessage
	Resource     json.RawMessage
	NotResource  json.RawMessage
	Condition    map[string]map[string]json.RawMessage
}

func (p *parser) statement(raw json.RawMessage) (s statement, err error) {
	var in rawStatement
	if err := decode(raw, &in); err != nil {
		return s, err
	}
	switch in.Effect {
	case "Allow":
		s.effect = Allow
	case "Deny":
		s.effect = Deny
	default:
		return s, errors.New("Effect must be Allow or Deny")
	}
	err = errors.Join(p.principals(&in, &s), p.actions(&in, &s), p.resources(&in, &s))
	for _, name := range slices.Sorted(maps.Keys(in.Condition)) {
		for _, key := range slices.Sorted(maps.Keys(in.Condition[name])) {
			c, conditionErr := p.condition(name, key, in.Condition[name][key])
			s.conditions, err = append(s.conditions, c), errors.Join(err, conditionErr)
		}
	}
	return s, err
}

// oneOf returns which of a member and its Not form is there.
func oneOf(name string, is, not json.RawMessage) (raw json.RawMessage, negated bool, err error) {
	if is != nil && not != nil {
		return nil, false, fmt.Errorf("it has %s and Not%s: one of them is allowed", name, name)
	}
	if not != nil {
		return not, true, nil
	}
	return is, false, nil
}

// texts reads a text or a list of texts, at least one.
func (p *parser) texts(name string, raw json.RawMessage) ([]string, error) {
	texts, err := list[string](raw, '"')
	if p.values += len(texts); p.values > valuesMax {
		return nil, fmt.Errorf("it names more than %d values", valuesMax)
	}
	if err != nil || len(texts) == 0 {
		return nil, fmt.Errorf("%s must be a text or a list of texts", name)
	}
	return texts, nil
}

func (p *parser) principals(in *rawStatement, s *statement) error {
	raw, not, err := oneOf("Principal", in.Principal, in.NotPrincipal)
	switch {
	case err != nil:
		return err
	case p.kind == Identity && raw != nil:
		return errors.New("a policy of a user or role names no Principal: it is about the user or role that it is attached to")
	case p.kind == Identity:
		return nil
	case raw == nil:
		return errors.New("a policy of a resource needs a Principal")
	}
	s.notPrincipal, s.hasPrincipals = not, true
	if raw = bytes.TrimSpace(raw); raw[0] != '{' {
		texts, err := p.texts("Principal", raw)
		if err == nil && (len(texts) != 1 || texts[0] != "*") {
			err = errors.New(`a Principal must be "*" or an object such as {"AWS": "arn:aws:iam::000000000000:user/ann"}`)
		}
		s.anyPrincipal = true
		return err
	}
	var kinds map[string]json.RawMessage
	if err := json.Unmarshal(raw, &kinds); err != nil {
		return err
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		raw := kinds[kind]
		if kind != "AWS" {
			return fmt.Errorf("a Principal %.40q is none that signs in here: AWS is", kind)
		}
		texts, err := p.texts("Principal", raw)
		if err != nil {
			return err
		}
		for _, one := range texts {
			if one != "*" && strings.ContainsAny(one, "*?") {
				return fmt.Errorf("principal %.80q has a wildcard: name users in full, or everybody by *", one)
			}
			s.anyPrincipal = s.anyPrincipal || one == "*"
		}
		s.principals = append(s.principals, texts...)
	}
	return nil
}

func (p *parser) actions(in *rawStatement, s *statement) error {
	raw, not, err := oneOf("Action", in.Action, in.NotAction)
	if err != nil {
		return err
	}
	if raw == nil {
		return errors.New("it needs an Action or a NotAction")
	}
	s.notAction = not
	s.actions, err = p.texts("Action", raw)
	for _, one := range s.actions {
		if service, name, ok := strings.Cut(one, ":"); one != "*" && (!ok || service == "" || name == "") {
			err = errors.Join(err, fmt.Errorf("action %.80q must have the form service:Name", one))
		}
	}
	return err
}

func (p *parser) resources(in *rawStatement, s *statement) error {
	raw, not, err := oneOf("Resource", in.Resource, in.NotResource)
	if err != nil {
		return err
	}
	if raw == nil {
		return errors.New("it needs a Resource or a NotResource")
	}
	s.notResource = not
	texts, err := p.texts("Resource", raw)
	for _, text := range texts {
		if text != "*" && strings.Count(text, ":") < arnParts-1 && !strings.Contains(text, "${") {
			err = errors.Join(err, fmt.Errorf(
				"resource %.80q must be an ARN such as arn:aws:dynamodb:*:*:table/orders, or *", text))
		}
		one, patternErr := newPattern(text, p.variables)
		s.resources, err = append(s.resources, one), errors.Join(err, patternErr)
	}
	return err
}

func (p *parser) condition(name, key string, raw json.RawMessage) (condition, error) {
	c, o, err := newCondition(name)
	if err != nil {
		return c, err
	}
	if c.key = strings.ToLower(key); !isKeyName(key) {
		return c, fmt.Errorf("%.80q is no condition key: these have the form prefix:Name", key)
	}
	texts, err := p.conditionTexts(raw)
	if err != nil {
		return c, fmt.Errorf("%s of %s: %w", name, key, err)
	}
	for _, text := range texts {
		if o.check != nil {
			if err := o.check(text); err != nil {
				return c, fmt.Errorf("%s of %s: %w", name, key, err)
			}
		}
		one, err := newPattern(text, p.variables && o.variables)
		if err != nil {
			return c, err
		}
		c.wanted = append(c.wanted, one)
	}
	return c, nil
}

// conditionTexts reads the values of a condition: texts, numbers and truth values, one or a list.
func (p *parser) conditionTexts(raw json.RawMessage) ([]string, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) > 0 && raw[0] != '[' {
		raw = append(append([]byte{'['}, raw...), ']')
	}
	var values []json.RawMessage
	if err := json.Unmarshal(raw, &values); err != nil {
		return nil, err
	}
	if p.values += len(values); p.values > valuesMax || len(values) == 0 {
		return nil, fmt.Errorf("it needs values, and at most %d in the policy", valuesMax)
	}
	texts := make([]string, len(values))
	for i, value := range values {
		switch value[0] {
		case '"':
			if err := json.Unmarshal(value, &texts[i]); err != nil {
				return nil, err
			}
		case '{', '[', 'n':
			return nil, errors.New("a value must be a text, a number, true or false")
		default:
			texts[i] = string(value)
		}
	}
	return texts, nil
}
