// SPDX-License-Identifier: Apache-2.0

package hbase_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/hbase"
	"github.com/weftdb/weft/internal/hbase/filter"
	"github.com/weftdb/weft/internal/security/account"
	"github.com/weftdb/weft/internal/security/permission"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// partPolicies are rights to parts of a table. Fields of the rows below name them.
var partPolicies = map[string]string{
	// The policy of AWS's page on fine-grained access.
	"attributes": `{"Effect":"Allow","Action":"dynamodb:*","Resource":"*","Condition":{"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":["Ym9i"],
		"dynamodb:Attributes":["ROW","pub:a","pub:b"]},"StringEqualsIfExists":{"dynamodb:Select":"SPECIFIC_ATTRIBUTES","dynamodb:ReturnValues":["NONE","UPDATED_NEW"]}}}`,
	"family": `{"Effect":"Allow","Action":"dynamodb:*","Resource":"*","Condition":{"ForAllValues:StringLike":{"dynamodb:Attributes":["ROW","pub:*"]}}}`,
	"denied": `{"Effect":"Allow","Action":"dynamodb:*","Resource":"*"},
		{"Effect":"Deny","Action":"dynamodb:*","Resource":"*","Condition":{"ForAnyValue:StringEquals":{"dynamodb:Attributes":"sec:s"}}}`,
	"row":   `{"Effect":"Allow","Action":"dynamodb:*","Resource":"*"},{"Effect":"Deny","Action":"dynamodb:*","Resource":"*","Condition":{"ForAnyValue:StringEquals":{"dynamodb:LeadingKeys":"ZXZl"}}}`,
	"write": `{"Effect":"Allow","Action":["dynamodb:UpdateItem","dynamodb:PutItem","dynamodb:DeleteItem"],"Resource":"*","Condition":{"StringEqualsIfExists":{"dynamodb:ReturnValues":"NONE"}}}`,
}

// TestPartRights does calls on parts of a table as users with rights to parts. No answer holds a value that the policy
// denies.
func TestPartRights(t *testing.T) {
	db := testdb.Open(t)
	clock := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	accounts := db.Accounts()
	api := &hbase.API{DB: db, Guard: permission.New(accounts, permission.Options{Account: "000000000000",
		Region: "us-east-1", Now: func() time.Time {
			clock = clock.Add(time.Hour) // rights are read anew
			return clock
		}})}
	as := func(user string) context.Context {
		return permission.NewContext(t.Context(), &permission.Principal{User: user})
	}
	if err := accounts.Add(t.Context(), "root", "secret"); err != nil {
		t.Fatal(err)
	}
	for name, statements := range partPolicies {
		err := accounts.Add(t.Context(), name, "secret")
		if err == nil {
			err = accounts.Change(t.Context(), name, func(u *account.Account) error {
				return u.PutPolicy("own", `{"Version":"2012-10-17","Statement":[`+statements+`]}`)
			})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	name := hbase.TableName{Namespace: database.DefaultDatabase, Name: "hb"}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(api.CreateTable(as("root"), &hbase.Table{TableName: name,
		Families: []hbase.Family{{Name: "pub", Versions: 1}, {Name: "sec", Versions: 1}}}, nil))
	column := func(text string) hbase.Column {
		family, qualifier, _ := strings.Cut(text, ":")
		return hbase.Column{Family: []byte(family), Qualifier: []byte(qualifier), Whole: !strings.Contains(text, ":")}
	}
	put := func(row string, columns ...string) *hbase.Put {
		p := &hbase.Put{Row: []byte(row)}
		for _, c := range columns {
			p.Cells = append(p.Cells, hbase.CellWrite{Column: column(c), Value: []byte("SECRET12")})
		}
		return p
	}
	for _, row := range []string{"bob", "eve"} {
		must(api.Put(as("root"), name, []*hbase.Put{put(row, "pub:a", "pub:b", "sec:s")}))
	}
	get := func(row string, columns ...string) func(ctx context.Context) (hbase.Result, error) {
		return func(ctx context.Context) (hbase.Result, error) {
			g := &hbase.Get{Row: []byte(row)}
			for _, c := range columns {
				g.Columns = append(g.Columns, column(c))
			}
			one, err := api.Get(ctx, name, g)
			if many, manyErr := api.GetMultiple(ctx, name, []*hbase.Get{g}); (err == nil) != (manyErr == nil) ||
				err == nil && len(many[0].Cells) != len(one.Cells) {
				t.Errorf("get answers %v, %v, but of several %v, %v", one, err, many, manyErr)
			}
			return one, err
		}
	}
	scan := func(columns ...string) func(ctx context.Context) (hbase.Result, error) {
		return func(ctx context.Context) (hbase.Result, error) {
			s := &hbase.Scan{Start: []byte("bob"), Stop: []byte("bob")}
			for _, c := range columns {
				s.Columns = append(s.Columns, column(c))
			}
			scanner, err := api.OpenScanner(ctx, name, s)
			if err != nil {
				return hbase.Result{}, err
			}
			page, err := scanner.Next(ctx, 1)
			if err != nil || len(page) == 0 {
				return hbase.Result{}, err
			}
			return page[0], nil
		}
	}
	appended := func(row, c string, unread bool) func(ctx context.Context) (hbase.Result, error) {
		return func(ctx context.Context) (hbase.Result, error) {
			return api.Append(ctx, name, &hbase.Append{Row: []byte(row),
				Cells: []hbase.CellWrite{{Column: column(c)}}, Unread: unread})
		}
	}
	increment := func(row, c string, unread bool) func(ctx context.Context) (hbase.Result, error) {
		return func(ctx context.Context) (hbase.Result, error) {
			return api.Increment(ctx, name, &hbase.Increment{Row: []byte(row),
				Amounts: []hbase.Amount{{Column: column(c)}}, Unread: unread})
		}
	}
	deleted := func(cells ...hbase.CellDelete) func(ctx context.Context) (hbase.Result, error) {
		return func(ctx context.Context) (hbase.Result, error) {
			err := api.Delete(ctx, name, []*hbase.Delete{{Row: []byte("bob"), Cells: cells,
				AtMS: 1}}) // before everything
			return hbase.Result{}, err
		}
	}
	check := func(condition *hbase.Condition) func(ctx context.Context) (hbase.Result, error) {
		return func(ctx context.Context) (hbase.Result, error) {
			_, err := api.CheckAndMutate(ctx, name, []byte("bob"), condition,
				[]hbase.Mutation{{Put: put("bob", "pub:a")}})
			return hbase.Result{}, err
		}
	}
	looks, err := filter.Parse([]byte("SingleColumnValueFilter('sec','s',=,'binaryprefix:S')"))
	must(err)
	for _, one := range []struct {
		what    string
		do      func(ctx context.Context) (hbase.Result, error)
		allowed string
	}{
		{"get all", get("bob"), "row"},
		{"get a", get("bob", "pub:a"), "attributes family denied row"},
		{"get family", get("bob", "pub"), "family denied row"},
		{"get secret", get("bob", "sec:s"), "row"},
		{"get secret family", get("bob", "pub", "sec"), "row"},
		{"get a of eve", get("eve", "pub:a"), "family denied"},
		{"scan all", scan(), ""},
		{"scan a", scan("pub:a"), "family denied"},
		{"scan family", scan("pub"), "family denied"},
		{"scan secret", scan("sec:s"), ""},
		{"append a", appended("bob", "pub:a", false), "attributes family denied row"},
		{"append secret", appended("bob", "sec:s", false), "row"},
		{"append unread", appended("eve", "pub:a", true), "family denied write"},
		{"append unread secret", appended("bob", "sec:s", true), "row write"},
		{"increment secret", increment("bob", "sec:s", false), "row"},
		{"increment unread", increment("bob", "pub:b", true), "attributes family denied row write"},
		{"delete row", deleted(), "row write"},
		{"delete family", deleted(hbase.CellDelete{Column: hbase.Column{Family: []byte("pub")},
			Kind: hbase.DeleteFamily, AtMS: 1}), "family denied row write"},
		{"delete column", deleted(hbase.CellDelete{Column: column("pub:b"), Kind: hbase.DeleteVersions, AtMS: 1}),
			"attributes family denied row write"},
		{"check a", check(&hbase.Condition{Column: column("pub:a"), Value: []byte("x")}),
			"attributes family denied row write"},
		{"check secret", check(&hbase.Condition{Column: column("sec:s"), Value: []byte("x")}), "row write"},
		{"check by filter", check(&hbase.Condition{Filter: looks}), "row write"},
	} {
		var allowed []string
		for _, user := range []string{"attributes", "family", "denied", "row", "write"} {
			result, err := one.do(as(user))
			if denied, ok := errors.AsType[*hbase.Fault](err); ok && strings.HasSuffix(denied.Class,
				"AccessDeniedException") {
				continue
			} else if err != nil {
				t.Errorf("%s as %s: %v", one.what, user, err)
			}
			allowed = append(allowed, user)
			for _, c := range result.Cells {
				if bytes.Equal(c.Family, []byte("sec")) && user != "row" && !strings.Contains(one.what, "unread") {
					t.Errorf("%s shows %s the cell %s", one.what, user, c.Value)
				}
			}
		}
		if got := strings.Join(allowed, " "); got != one.allowed {
			t.Errorf("%s is allowed to %q, not %q", one.what, got, one.allowed)
		}
	}
}
