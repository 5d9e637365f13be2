// SPDX-License-Identifier: Apache-2.0

package account

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/security/policy"
	"github.com/weftdb/weft/kv/mem"
)

// TestGrants runs commands over one store: role NAME, user NAME, drop NAME, drop-role NAME, give ROLE USER, take ROLE
// USER; grant and revoke NAME with a level (*, d, d.t) and privileges; show NAME, which lists grants and live roles;
// and may NAME, whose lines ask for an action on a resource, perhaps with ReturnValues.
func TestGrants(t *testing.T) {
	clock := int64(1000)
	accounts := New(mem.Open(mem.Options{}), func() time.Time { clock++; return time.UnixMilli(clock) })
	datadriven.RunTest(t, "testdata/grants", func(t *testing.T, d *datadriven.TestData) string {
		name, rest, _ := strings.Cut(strings.TrimSpace(d.Input), " ")
		var err error
		switch d.Cmd {
		case "user":
			err = accounts.Add(t.Context(), name, "secret")
		case "passwd":
			err = accounts.SetPassword(t.Context(), name, "other")
		case "key":
			_, _, err = accounts.WithMaster(&Master{}).CreateAccessKey(t.Context(), name)
		case "role":
			err = accounts.CreateRole(t.Context(), name)
		case "drop":
			err = accounts.Drop(t.Context(), name)
		case "drop-role":
			err = accounts.DropRole(t.Context(), name)
		case "give", "take":
			err = accounts.Change(t.Context(), rest, func(u *Account) error {
				if d.Cmd == "take" {
					return u.RevokeRole(name)
				}
				return u.GrantRole(name, accounts.now().UnixMilli())
			})
		case "grant", "revoke":
			at, p := parseGrant(t, rest)
			err = accounts.Change(t.Context(), name, func(u *Account) error {
				if d.Cmd == "revoke" {
					return u.Revoke(at, p)
				}
				return u.Grant(at, p)
			})
		case "show":
			return show(t, accounts, name)
		case "may":
			return decide(t, accounts, d)
		}
		if err != nil {
			return err.Error() + "\n"
		}
		return "ok\n"
	})
}

func parseGrant(t *testing.T, text string) (at Level, p Privileges) {
	level, names, _ := strings.Cut(text, " ")
	if level != "*" {
		at.Database, at.Table, _ = strings.Cut(level, ".")
	}
	if err := p.UnmarshalText([]byte(names)); err != nil {
		t.Fatal(err)
	}
	return at, p
}

func show(t *testing.T, accounts *Accounts, name string) string {
	u, ok, err := accounts.Get(t.Context(), name)
	if err != nil || !ok {
		return fmt.Sprintln(ok, err)
	}
	var b strings.Builder
	for _, g := range u.Grants {
		fmt.Fprintf(&b, "%s.%s: %s\n", g.Database, g.Table, g.Privileges)
	}
	roles, err := accounts.RolesOf(t.Context(), &u)
	for i := range roles {
		fmt.Fprintf(&b, "role %s\n", roles[i].Name)
	}
	return b.String() + fmt.Sprintln(err)
}

// decide asks what the grants of a user and of its roles allow.
func decide(t *testing.T, accounts *Accounts, d *datadriven.TestData) string {
	u, _, err := accounts.Get(t.Context(), d.CmdArgs[0].Key)
	if err != nil {
		t.Fatal(err)
	}
	grants := u.Grants
	roles, err := accounts.RolesOf(t.Context(), &u)
	for i := range roles {
		grants = append(grants, roles[i].Grants...)
	}
	policies, policyErr := GrantPolicies(grants)
	if err != nil || policyErr != nil {
		t.Fatal(err, policyErr)
	}
	var b strings.Builder
	for line := range strings.Lines(d.Input) {
		words := strings.Fields(line)
		r := &policy.Request{Action: words[0], Resource: ResourcePrefix + "local:000000000000:" + words[1],
			Values: func(name string) ([]string, bool) {
				return words[2:], len(words) > 2 && name == "dynamodb:returnvalues"
			}}
		fmt.Fprintf(&b, "%s: %s\n", strings.TrimSpace(line), policy.Decide(policies, r))
	}
	return b.String()
}
