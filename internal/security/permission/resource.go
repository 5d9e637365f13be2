// SPDX-License-Identifier: Apache-2.0

package permission

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/security/account"
	"github.com/weftdb/weft/internal/security/policy"
)

// TablePolicy is a resource's policy as a table keeps it.
type TablePolicy struct {
	Document string `json:"document"`
	Revision string `json:"revision"` // names this version of the policy
}

// dialect is the name under which a policy stands in a schema.
const dialect = "policy"

// PolicyOf reads the policy of a table; ok is false if it has none.
func PolicyOf(table *schema.Table) (p TablePolicy, ok bool, err error) {
	text := table.Dialect[dialect]
	if text == nil {
		return p, false, nil
	}
	if err := json.Unmarshal(text, &p); err != nil {
		return p, false, fmt.Errorf("permission: the policy of table %s is damaged: %w", table.Name, err)
	}
	return p, true, nil
}

// SetPolicy changes the policy that a descriptor keeps; nil: it has none any more. Errors: what is wrong with the
// document.
func SetPolicy(dialects map[string]json.RawMessage, p *TablePolicy) (map[string]json.RawMessage, error) {
	if p == nil {
		delete(dialects, dialect)
		return dialects, nil
	}
	parsed, err := policy.Parse([]byte(p.Document), policy.Resource)
	if err == nil {
		err = parsed.CheckKeys()
	}
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	if dialects == nil {
		dialects = map[string]json.RawMessage{}
	}
	dialects[dialect] = text
	return dialects, nil
}

// tablePolicy is a policy that was read.
type tablePolicy struct {
	table   *schema.Table
	version uint64 // of the table; it has an earlier one again after a return to a mark
	policy  *policy.Policy
}

// tablesMax is of how many tables policies are kept.
const tablesMax = 10_000

// Table makes a request about a table, or what part says of it, as "/index/by_name". Errors: a policy that is damaged.
func (g *Guard) Table(action string, table *schema.Table, part string) (Request, error) {
	r := Request{Action: action, Resource: account.TableResource(table.Database, table.Name), Part: part, table: table}
	if table.Dialect[dialect] == nil {
		return r, nil
	}
	g.mu.RLock()
	known, ok := g.tables[table.UUID]
	g.mu.RUnlock()
	if !ok || known.table != table || known.version != table.Version {
		stored, _, err := PolicyOf(table)
		if err != nil {
			return r, err
		}
		parsed, err := policy.Parse([]byte(stored.Document), policy.Resource)
		if err != nil {
			return r, fmt.Errorf("permission: the policy of table %s is damaged: %w", table.Name, err)
		}
		known = tablePolicy{table, table.Version, parsed}
		g.mu.Lock()
		if len(g.tables) >= tablesMax {
			clear(g.tables)
		}
		g.tables[table.UUID] = known
		g.mu.Unlock()
	}
	r.Policy = known.policy
	return r, nil
}

// KeyText is a key attribute as policies write it: a text as it is, a number in its shortest form, bytes in base64. It
// is "", which no policy names, if ok is false.
func KeyText(v value.Value, ok bool) string {
	switch {
	case !ok:
		return ""
	case v.Kind() == value.String:
		return string(v.Bytes())
	case v.Kind() == value.Binary:
		return base64.StdEncoding.EncodeToString(v.Bytes())
	}
	return v.String()
}

// Literal returns a text as patterns of requests have it, in which wildcards stand for themselves.
func Literal(text string) string { return policy.Escape(text) }

// resourceTag begins the condition keys for the tags of a table. The case of a tag's key means nothing there.
const resourceTag = "aws:resourcetag/"

// tagValues returns the values of the tags of the request's table whose key is name.
func (r *Request) tagValues(name string) (values []string, ok bool) {
	if r.table == nil {
		return nil, false
	}
	var kept struct { // of what DynamoDB's operations keep
		Tags []struct{ Key, Value string }
	}
	if raw := r.table.Dialect["dynamodb"]; raw == nil || json.Unmarshal(raw, &kept) != nil {
		return nil, false
	}
	for _, tag := range kept.Tags {
		if strings.EqualFold(tag.Key, name) {
			values = append(values, tag.Value)
		}
	}
	return values, len(values) > 0
}
