// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/account"
	"github.com/weftdb/weft/internal/policy"
	"github.com/weftdb/weft/internal/sql"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/testdb"
)

// superuser is the user who may do everything in these tests.
const superuser = "main"

// guarded is a harness whose users have rights: those that were granted, and the policies of a test.
type guarded struct {
	*harness
	policies map[string][]*policy.Policy
	log      bytes.Buffer
}

func newGuarded(t *testing.T, db *weft.DB, warn bool) *guarded {
	g := &guarded{harness: newHarness(t, db), policies: map[string][]*policy.Policy{}}
	g.engine = sql.New(sql.Options{
		DB: db, SpillDir: t.TempDir(), RightsWarn: warn, Logger: slog.New(slog.NewTextHandler(&g.log, nil)),
		Kill: func(uint32, bool) bool { return true },
		Processes: func() []result.Process {
			return []result.Process{{ID: 1, User: superuser, Info: "SELECT 1"}, {ID: 2, User: "ann", Info: "SELECT 2"}}
		},
		Rights: func(ctx context.Context, login *result.Login) (sql.Rights, error) {
			if list, ok := g.policies[login.User]; ok {
				return &userRights{login.User, list}, nil
			}
			return grantedRights(ctx, db.Accounts(), login.User)
		},
	})
	g.policies[superuser] = []*policy.Policy{parsePolicy(t, `{"Statement": {"Effect": "Allow", "Action": "*", "Resource": "*"}}`)}
	return g
}

// userRights are what policies allow a user.
type userRights struct {
	user     string
	policies []*policy.Policy
}

// grantedRights are what grants allow a user.
func grantedRights(ctx context.Context, accounts *account.Accounts, user string) (*userRights, error) {
	u, _, err := accounts.Get(ctx, user)
	if err != nil {
		return nil, err
	}
	roles, err := accounts.RolesOf(ctx, &u)
	for i := range roles {
		u.Grants = append(u.Grants, roles[i].Grants...)
	}
	policies, policyErr := account.GrantPolicies(u.Grants)
	return &userRights{user, policies}, errors.Join(err, policyErr)
}

// Decide is sql.Rights'.
func (r *userRights) Decide(of *policy.Request) policy.Effect {
	asked := *of
	if asked.Resource = "*"; of.Resource != "" {
		asked.Resource = account.ResourcePrefix + "local:000000000000:" + of.Resource
	}
	asked.Values = func(name string) ([]string, bool) {
		if name == "aws:username" {
			return []string{r.user}, true
		}
		if of.Values == nil {
			return nil, false
		}
		return of.Values(name)
	}
	return policy.Decide(r.policies, &asked)
}

func parsePolicy(t *testing.T, text string) *policy.Policy {
	t.Helper()
	p, err := policy.Parse([]byte(text), policy.Identity)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestRights runs each file of testdata/rights as TestScripts does, with users who have rights. Sessions are named for their users; main may do everything.
//
//	policy on=ann     the policies that ann has, instead of grants: one a line
//	log               what was logged, where rights are tried out
func TestRights(t *testing.T) {
	datadriven.Walk(t, "testdata/rights", func(t *testing.T, path string) {
		synctest.Test(t, func(t *testing.T) {
			var g *guarded
			datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
				if g == nil {
					g = newGuarded(t, testdb.Open(t), d.HasArg("warn"))
				}
				switch d.Cmd {
				case "policy":
					name := ""
					d.ScanArgs(t, "on", &name)
					g.policies[name] = []*policy.Policy{parsePolicy(t, d.Input)}
					return ""
				case "log":
					return g.log.String()
				}
				return g.command(t, d)
			})
		})
	})
}
