// SPDX-License-Identifier: Apache-2.0

package hbase_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/hbase"
	"github.com/weftdb/weft/internal/security/account"
	"github.com/weftdb/weft/internal/security/permission"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// calls are all calls of the API on table t, by the name of the operation whose action each needs, in an order that
// works.
func calls(api *hbase.API) []struct {
	operation string
	do        func(ctx context.Context) error
} {
	t, f := hbase.TableName{Namespace: database.DefaultDatabase, Name: "t"}, []byte("f")
	q := hbase.Column{Family: f, Qualifier: []byte("q")}
	put := &hbase.Put{Row: []byte("r"), Cells: []hbase.CellWrite{{Column: q, Value: []byte("v")}}}
	other := hbase.Column{Family: f, Qualifier: []byte("n")}
	table := func() *hbase.Table {
		return &hbase.Table{TableName: t, Families: []hbase.Family{{Name: "f", Versions: 1}, {Name: "g", Versions: 1}}}
	}
	return []struct {
		operation string
		do        func(ctx context.Context) error
	}{
		{"CreateTable", func(ctx context.Context) error { return api.CreateTable(ctx, table(), nil) }},
		{"Put", func(ctx context.Context) error { return api.Put(ctx, t, []*hbase.Put{put}) }},
		{"Get", func(ctx context.Context) error {
			_, err := api.Get(ctx, t, &hbase.Get{Row: put.Row})
			return err
		}},
		{"Get", func(ctx context.Context) error {
			_, err := api.GetMultiple(ctx, t, []*hbase.Get{{Row: put.Row}})
			return err
		}},
		{"Scan", func(ctx context.Context) error {
			_, err := api.OpenScanner(ctx, t, &hbase.Scan{})
			return err
		}},
		{"Mutate", func(ctx context.Context) error {
			return api.Mutate(ctx, t, put.Row,
				[]hbase.Mutation{{Put: put}})
		}},
		{"Mutate", func(ctx context.Context) error { return api.MutateAll(ctx, t, []hbase.Mutation{{Put: put}}) }},
		{"CheckAndMutate", func(ctx context.Context) error {
			_, err := api.CheckAndMutate(ctx, t, put.Row,
				&hbase.Condition{Column: q, Operator: hbase.NoOp, Value: []byte("v")}, []hbase.Mutation{{Put: put}})
			return err
		}},
		{"Increment", func(ctx context.Context) error {
			_, err := api.Increment(ctx, t,
				&hbase.Increment{Row: put.Row, Amounts: []hbase.Amount{{Column: other, By: 1}}})
			return err
		}},
		{"Append", func(ctx context.Context) error {
			_, err := api.Append(ctx, t, &hbase.Append{Row: put.Row, Cells: put.Cells})
			return err
		}},
		{"Delete", func(ctx context.Context) error { return api.Delete(ctx, t, []*hbase.Delete{{Row: put.Row}}) }},
		{"Locations", func(ctx context.Context) error {
			_, err := api.Locations(ctx, t)
			return err
		}},
		{"Locations", func(ctx context.Context) error {
			_, err := api.Location(ctx, t, put.Row)
			return err
		}},
		{"Describe", func(ctx context.Context) error {
			_, err := api.Describe(ctx, t)
			return err
		}},
		{"Describe", func(ctx context.Context) error {
			_, err := api.Exists(ctx, t)
			return err
		}},
		{"Tables", func(ctx context.Context) error {
			_, err := api.Tables(ctx, "")
			return err
		}},
		{"Compact", func(ctx context.Context) error { return api.Compact(ctx, t) }},
		{"AddFamily", func(ctx context.Context) error {
			return api.AddFamily(ctx, t,
				hbase.Family{Name: "h", Versions: 1})
		}},
		{"ModifyFamily", func(ctx context.Context) error {
			return api.ModifyFamily(ctx, t, hbase.Family{Name: "h", Versions: 2})
		}},
		{"DropFamily", func(ctx context.Context) error { return api.DropFamily(ctx, t, "h") }},
		{"ModifyTable", func(ctx context.Context) error { return api.ModifyTable(ctx, table()) }},
		{"Disable", func(ctx context.Context) error { return api.Disable(ctx, t) }},
		{"Enable", func(ctx context.Context) error { return api.Enable(ctx, t) }},
		{"Disable", func(ctx context.Context) error { return api.Disable(ctx, t) }},
		{"TruncateTable", func(ctx context.Context) error { return api.TruncateTable(ctx, t) }},
		{"Disable", func(ctx context.Context) error { return api.Disable(ctx, t) }},
		{"DropTable", func(ctx context.Context) error { return api.DropTable(ctx, t) }},
		{"CreateNamespace", func(ctx context.Context) error { return api.CreateNamespace(ctx, "shop") }},
		{"HasNamespace", func(ctx context.Context) error { return api.HasNamespace(ctx, "shop") }},
		{"Namespaces", func(ctx context.Context) error {
			_, err := api.Namespaces(ctx)
			return err
		}},
		{"DropNamespace", func(ctx context.Context) error { return api.DropNamespace(ctx, "shop") }},
	}
}

// TestRights does each call as a user without rights, as one who may do everything but its action, and as one who may
// do nothing but that. Every operation is called.
func TestRights(t *testing.T) {
	db := testdb.Open(t)
	clock := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	accounts := db.Accounts()
	guard := permission.New(accounts, permission.Options{Account: "000000000000", Region: "us-east-1",
		Now: func() time.Time {
			clock = clock.Add(time.Hour) // rights are read anew
			return clock
		}})
	api := &hbase.API{DB: db, Guard: guard}
	for _, user := range []string{"root", "nobody", "but", "only"} {
		if err := accounts.Add(t.Context(), user, "secret"); err != nil {
			t.Fatal(err)
		}
	}
	actions, called := map[string]string{}, map[string]bool{}
	for _, o := range hbase.Operations() {
		actions[o.Name] = o.Action
	}
	give := func(user, document string) {
		t.Helper()
		if err := accounts.Change(t.Context(), user,
			func(u *account.Account) error { return u.PutPolicy("own", document) }); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range calls(api) {
		called[c.operation] = true
		action := actions[c.operation]
		give("but", fmt.Sprintf(`{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"*","Resource":"*"},{"Effect":"Deny","Action":%q,"Resource":"*"}]}`, action))
		give("only", fmt.Sprintf(`{"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":%q,"Resource":"*"}}`,
			action))
		for _, user := range []string{"nobody", "but"} {
			err := c.do(permission.NewContext(t.Context(), &permission.Principal{User: user}))
			if denied, ok := errors.AsType[*hbase.Fault](err); !ok ||
				!strings.HasSuffix(denied.Class, "AccessDeniedException") {
				t.Errorf("%s as %s: %v", c.operation, user, err)
			}
		}
		if err := c.do(permission.NewContext(t.Context(), &permission.Principal{User: "only"})); err != nil {
			t.Errorf("%s with %s: %v", c.operation, action, err)
		}
	}
	for name := range actions {
		if !called[name] {
			t.Errorf("operation %s is not called here", name)
		}
	}
}

// TestScanners opens scanners, whose numbers are their users', and lets a lease pass.
func TestScanners(t *testing.T) {
	api, ctx := &hbase.API{DB: testdb.Open(t)}, t.Context()
	name := hbase.TableName{Namespace: database.DefaultDatabase, Name: "t"}
	if err := api.CreateTable(ctx, &hbase.Table{TableName: name, Families: []hbase.Family{{Name: "f", Versions: 1}}},
		nil); err != nil {
		t.Fatal(err)
	}
	clock := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	s := &hbase.Scanners{Now: func() time.Time { return clock }}
	open := func(user string) (int32, error) {
		scanner, err := api.OpenScanner(ctx, name, &hbase.Scan{})
		if err != nil {
			t.Fatal(err)
		}
		return s.Add(user, scanner)
	}
	mine, err := open("ann")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Next(ctx, "bob", mine, 1); err == nil {
		t.Error("bob reads ann's scanner")
	}
	for range 3 {
		clock = clock.Add(50 * time.Second)
		if _, err := s.Next(ctx, "ann", mine, 1); err != nil {
			t.Errorf("a call in time: %v", err)
		}
	}
	clock = clock.Add(61 * time.Second)
	if _, err := s.Next(ctx, "ann", mine, 1); err == nil {
		t.Error("the lease is over, but the scanner is open")
	}
	for {
		if _, err = open("ann"); err != nil {
			break
		}
	}
	if fault, ok := errors.AsType[*hbase.Fault](err); !ok || !fault.Retry {
		t.Errorf("too many scanners: %v", err)
	}
	if _, err := open("bob"); err != nil {
		t.Errorf("ann's scanners are in bob's way: %v", err)
	}
}

// TestSecretTables: to a user without rights a table that is not there, one of another dialect, a disabled one and one
// without a family look like any other.
func TestSecretTables(t *testing.T) {
	open := &hbase.API{DB: testdb.Open(t)}
	deny := &hbase.API{DB: open.DB, Guard: permission.New(open.DB.Accounts(),
		permission.Options{Account: "000000000000", Region: "us-east-1"})}
	for _, user := range []string{"root", "none"} { // the first one may do everything
		if err := open.DB.Accounts().Add(t.Context(), user, "secret"); err != nil {
			t.Fatal(err)
		}
	}
	ctx, of := t.Context(), func(name string) hbase.TableName {
		return hbase.TableName{Namespace: database.DefaultDatabase, Name: name}
	}
	for _, name := range []string{"t", "disabled"} {
		if err := open.CreateTable(ctx, &hbase.Table{TableName: of(name),
			Families: []hbase.Family{{Name: "f", Versions: 1}}}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := open.Disable(ctx, of("disabled")); err != nil {
		t.Fatal(err)
	}
	if _, err := open.DB.CreateTable(ctx,
		database.TableSpec{Name: "other", Key: database.Columns("id", schema.String), PartitionParts: 1}); err != nil {
		t.Fatal(err)
	}
	user := permission.NewContext(ctx, &permission.Principal{User: "none"})
	cell := hbase.CellWrite{Column: hbase.Column{Family: []byte("none"), Qualifier: []byte("q")}, Value: []byte("v")}
	put := &hbase.Put{Row: []byte("r"), Cells: []hbase.CellWrite{cell}}
	for operation, do := range map[string]func(hbase.TableName) error{
		"get":     func(n hbase.TableName) error { _, err := deny.Get(user, n, &hbase.Get{Row: put.Row}); return err },
		"put":     func(n hbase.TableName) error { return deny.Put(user, n, []*hbase.Put{put}) },
		"nothing": func(n hbase.TableName) error { return deny.Put(user, n, nil) },
		"delete":  func(n hbase.TableName) error { return deny.Delete(user, n, []*hbase.Delete{{Row: put.Row}}) },
		"scan":    func(n hbase.TableName) error { _, err := deny.OpenScanner(user, n, &hbase.Scan{}); return err },
		"check": func(n hbase.TableName) error {
			_, err := deny.CheckAndMutate(user, n, put.Row, &hbase.Condition{Column: cell.Column},
				[]hbase.Mutation{{Put: put}})
			return err
		},
		"increment": func(n hbase.TableName) error {
			_, err := deny.Increment(user, n,
				&hbase.Increment{Row: put.Row, Amounts: []hbase.Amount{{Column: cell.Column}}})
			return err
		},
		"append": func(n hbase.TableName) error {
			_, err := deny.Append(user, n, &hbase.Append{Row: put.Row, Cells: put.Cells})
			return err
		},
	} {
		for _, name := range []string{"t", "disabled", "other", "nosuch"} {
			err := do(of(name))
			if fault, ok := errors.AsType[*hbase.Fault](err); !ok ||
				!strings.HasSuffix(fault.Class, "AccessDeniedException") {
				t.Errorf("%s of %s: %v", operation, name, err)
			}
		}
	}
}
