// SPDX-License-Identifier: Apache-2.0

package permission_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/security/account"
	"github.com/weftdb/weft/internal/security/permission"
	"github.com/weftdb/weft/kv/mem"
)

// clock is a clock that the test moves.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

// open returns accounts with an administrator, root, and a user without rights, ann.
func open(t *testing.T) (*account.Accounts, *clock) {
	t.Helper()
	store := mem.Open(mem.Options{})
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	c := &clock{time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)}
	accounts := account.New(store, c.Now)
	for _, name := range []string{"root", "ann"} {
		if err := accounts.Add(t.Context(), name, "secret"); err != nil {
			t.Fatal(err)
		}
	}
	return accounts, c
}

func put(t *testing.T, accounts *account.Accounts, user, document string) {
	t.Helper()
	if err := accounts.Change(t.Context(), user,
		func(u *account.Account) error { return u.PutPolicy("p", document) }); err != nil {
		t.Fatal(err)
	}
}

const allowGet = `{"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":"dynamodb:GetItem","Resource":"*"}}`

var getOrders = permission.Request{Action: "dynamodb:GetItem", Resource: "table/orders"}

// TestChangedRights: a right that is given or taken away counts a second later, and not before everything is read
// again.
func TestChangedRights(t *testing.T) {
	accounts, c := open(t)
	guard := permission.New(accounts, permission.Options{Account: "1", Region: "r", Now: c.Now})
	may := func(user string) bool {
		err := guard.Check(t.Context(), &permission.Principal{User: user}, getOrders)
		var denied *permission.Denied
		if err != nil && !errors.As(err, &denied) {
			t.Fatal(err)
		}
		return err == nil
	}
	if !may("root") || may("ann") || may("") || may("absent") {
		t.Error("at first, only the first user may do anything")
	}
	put(t, accounts, "ann", allowGet)
	if may("ann") {
		t.Error("rights are read anew within the same second")
	}
	c.now = c.now.Add(time.Second)
	if !may("ann") {
		t.Error("the right does not count after a second")
	}
	if err := accounts.Drop(t.Context(), "ann"); err != nil {
		t.Fatal(err)
	}
	if c.now = c.now.Add(time.Second); may("ann") {
		t.Error("a user who was dropped may go on")
	}
	if c.now = c.now.Add(-time.Hour); may("ann") { // the clock was set back
		t.Error("what was known before the clock was set back counts")
	}
}

// TestEarlierUsers: who was added by a version without rights may do everything, until the policy is taken away.
func TestEarlierUsers(t *testing.T) {
	var u account.Account
	if err := u.UnmarshalJSON([]byte(`{"name":"old","sha1":"AA==","sha256":"AA==","createdAtMS":1}`)); err != nil {
		t.Fatal(err)
	}
	if len(u.Policies) != 1 || u.Policies[0].Name != account.Administrator || !u.Limited {
		t.Errorf("an earlier user is read as %+v", u)
	}
	if err := u.DropPolicy(account.Administrator); err != nil || len(u.Policies) != 0 {
		t.Error(err, u.Policies)
	}
}

// TestTablePolicies: the policy of a table counts in its version, for administrators too.
func TestTablePolicies(t *testing.T) {
	accounts, c := open(t)
	guard := permission.New(accounts, permission.Options{Account: "1", Region: "r", Now: c.Now})
	table := &schema.Table{Database: "default", Name: "orders", UUID: "u", Version: 1}
	check := func(user string) string {
		if all, err := guard.MayDoAll(t.Context(), &permission.Principal{User: user}, table); err != nil {
			t.Fatal(err)
		} else if all {
			return "everything"
		}
		request, err := guard.Table("dynamodb:GetItem", table, "")
		if err == nil {
			err = guard.Check(t.Context(), &permission.Principal{User: user}, request)
		}
		if err != nil {
			return err.Error()
		}
		return "allowed"
	}
	set := func(document string) {
		t.Helper()
		dialects, err := permission.SetPolicy(table.Dialect, &permission.TablePolicy{Document: document})
		if err != nil {
			t.Fatal(err)
		}
		table.Dialect = dialects
		table.Version++
	}
	if got := check("root"); got != "everything" {
		t.Error(got)
	}
	set(`{"Statement":{"Effect":"Allow","Principal":{"AWS":"arn:aws:iam::1:user/ann"},"Action":"dynamodb:GetItem","Resource":"*"}}`)
	if check("root") != "allowed" || check("ann") != "allowed" {
		t.Error(check("root"), check("ann"))
	}
	set(`{"Statement":{"Effect":"Deny","Principal":"*","Action":"*","Resource":"*"}}`)
	for _, user := range []string{"root", "ann", ""} {
		if got := check(user); !strings.HasSuffix(got, "with an explicit deny in a resource-based policy") {
			t.Errorf("%s: %s", user, got)
		}
	}
	table.Dialect["policy"] = []byte(`{"document":"{}"}`)
	table.Version++
	if got := check("root"); !strings.Contains(got, "damaged") {
		t.Error(got)
	}
}

// TestWarn allows what it logs, once a minute.
func TestWarn(t *testing.T) {
	accounts, c := open(t)
	var log bytes.Buffer
	var seen []string
	guard := permission.New(accounts, permission.Options{Account: "1", Region: "r", Now: c.Now, Warn: true,
		Logger: slog.New(slog.NewTextHandler(&log, nil)),
		Observe: func(d *permission.Decision) {
			seen = append(seen, d.Principal.User+" "+d.Action+" "+d.Resource+" "+
				map[bool]string{true: "allowed", false: "denied"}[d.Denied == nil])
		}})
	ask := func() {
		t.Helper()
		if err := guard.Check(t.Context(), &permission.Principal{User: "ann"}, getOrders); err != nil {
			t.Error(err)
		}
	}
	ask()
	ask()
	if n := strings.Count(log.String(), "would be denied"); n != 1 {
		t.Errorf("%d lines of the log: %s", n, log.String())
	}
	c.now = c.now.Add(time.Minute)
	ask()
	if n := strings.Count(log.String(), "would be denied"); n != 2 {
		t.Errorf("%d lines of the log a minute later", n)
	}
	if got := strings.Join(seen, "; "); got != strings.TrimSuffix(
		strings.Repeat("ann dynamodb:GetItem arn:aws:dynamodb:r:1:table/orders denied; ", 3), "; ") {
		t.Errorf("observed: %s", got)
	}
}

// TestKeysOfPrincipals: what policies may ask about who asks.
func TestKeysOfPrincipals(t *testing.T) {
	accounts, c := open(t)
	guard := permission.New(accounts, permission.Options{Account: "1", Region: "r", Now: c.Now})
	p := &permission.Principal{User: "ann", Address: netip.MustParseAddr("::ffff:192.0.2.7"), Agent: "cli/1",
		Secure: true}
	for key, want := range map[string]string{
		"aws:username": "ann", "aws:userid": "ann", "aws:PrincipalArn": "arn:aws:iam::1:user/ann",
		"aws:PrincipalAccount": "1", "aws:PrincipalType": "User", "aws:SourceIp": "192.0.2.7",
		"aws:SecureTransport": "true", "aws:UserAgent": "cli/1", "aws:RequestedRegion": "r", "dynamodb:Select": "COUNT",
	} {
		put(t, accounts, "ann", `{"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":"*","Resource":"*","Condition":{"StringEquals":{"`+key+`":"`+want+`"}}}}`)
		c.now = c.now.Add(time.Second)
		request := getOrders
		request.Values = func(name string) ([]string, bool) { return []string{"COUNT"}, name == "dynamodb:select" }
		if err := guard.Check(t.Context(), p, request); err != nil {
			t.Errorf("%s is not %s: %v", key, want, err)
		}
	}
	if got := permission.FromContext(permission.NewContext(t.Context(), p)); got != p {
		t.Error(got)
	}
	if got := permission.FromContext(context.Background()); got.User != "" {
		t.Error(got)
	}
	var off *permission.Guard
	if err := off.Check(t.Context(), p, getOrders); err != nil {
		t.Errorf("without a guard: %v", err)
	}
}

// TestCredentials: who signed in by a password that was changed, or as a user who was dropped, may do nothing, even if
// there is a user of that name again.
func TestCredentials(t *testing.T) {
	accounts, c := open(t)
	guard := permission.New(accounts, permission.Options{Account: "1", Region: "r", Now: c.Now})
	signIn := func() *permission.Principal {
		u, ok, err := accounts.Get(t.Context(), "ann")
		if err != nil || !ok {
			t.Fatal(err)
		}
		return &permission.Principal{User: "ann", Credential: u.Credential()}
	}
	may := func(p *permission.Principal) bool { return guard.Check(t.Context(), p, getOrders) == nil }
	put(t, accounts, "ann", allowGet)
	first := signIn()
	if !may(first) {
		t.Error("who signed in may do nothing")
	}
	c.now = c.now.Add(time.Hour)
	put(t, accounts, "ann", allowGet)
	if !may(first) {
		t.Error("a change of rights ends a session")
	}
	if err := accounts.SetPassword(t.Context(), "ann", "other"); err != nil {
		t.Fatal(err)
	}
	second := signIn()
	if !may(second) {
		t.Error("the new password counts only later")
	}
	if c.now = c.now.Add(time.Second); may(first) || !may(second) {
		t.Error("the changed password ends no session, or the new one")
	}
	if rights, err := guard.RightsOf(t.Context(), first); err != nil || !rights.IsOutdated() {
		t.Error("rights are not outdated", err)
	}
	if err := accounts.Drop(t.Context(), "ann"); err != nil {
		t.Fatal(err)
	}
	if err := accounts.Add(t.Context(), "ann", "other"); err != nil {
		t.Fatal(err)
	}
	put(t, accounts, "ann", allowGet)
	if c.now = c.now.Add(time.Second); may(second) || !may(signIn()) {
		t.Error("another user of the name goes on with the session")
	}
}
