// SPDX-License-Identifier: Apache-2.0

package account

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/kv/mem"
)

// TestAccounts runs commands over one store: add, passwd, drop NAME PASSWORD; list.
func TestAccounts(t *testing.T) {
	store := mem.Open(mem.Options{})
	clock := int64(1000)
	accounts := New(store, func() time.Time { clock++; return time.UnixMilli(clock) })
	datadriven.RunTest(t, "testdata/accounts", func(t *testing.T, d *datadriven.TestData) string {
		name, password, _ := strings.Cut(d.Input, " ")
		if d.HasArg("long") {
			name, password = strings.Repeat(name, 33), strings.Repeat(password, 1025)
		}
		var err error
		switch d.Cmd {
		case "add":
			err = accounts.Add(t.Context(), name, password)
		case "passwd":
			err = accounts.SetPassword(t.Context(), name, password)
		case "drop":
			err = accounts.Drop(t.Context(), name)
		case "get":
			_, ok, err := accounts.Get(t.Context(), name)
			return fmt.Sprintln(ok, err)
		case "list":
			return list(t, accounts)
		}
		if err != nil {
			return err.Error() + "\n"
		}
		return "ok\n"
	})
}

func list(t *testing.T, accounts *Accounts) string {
	all, err := accounts.List(t.Context())
	if err != nil {
		return err.Error() + "\n"
	}
	var b strings.Builder
	for _, a := range all {
		fmt.Fprintf(&b, "%s %s %s %d\n", a.Name, hex.EncodeToString(a.SHA1), hex.EncodeToString(a.SHA256[:4]),
			a.CreatedAtMS)
	}
	return b.String()
}

// TestNames: no new user or role has a name that people take for another's in a list.
func TestNames(t *testing.T) {
	accounts := New(mem.Open(mem.Options{}), time.Now)
	for name, want := range map[string]error{
		"root": nil, "root ": ErrName, " root": ErrName, " ": ErrName, "\u00a0x": ErrName, "a\u202eb": ErrName,
		"a\u200bb": ErrName, "a\nb": ErrName, "a\u2028b": ErrName, "": ErrName,
		"a b": nil, "Ünal": nil, "名前": nil, "a@example.com": nil,
	} {
		if err := accounts.Add(t.Context(), name, "secret"); !errors.Is(err, want) {
			t.Errorf("user %q: %v, not %v", name, err, want)
		}
		if want == nil {
			continue
		}
		if err := accounts.CreateRole(t.Context(), name); !errors.Is(err, want) {
			t.Errorf("role %q: %v, not %v", name, err, want)
		}
	}
	for _, name := range []string{"ROOT", "Root", "ünal"} {
		err := errors.Join(accounts.Add(t.Context(), name, "secret"), accounts.CreateRole(t.Context(), name))
		if !errors.Is(err, ErrSimilar) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if err := accounts.Add(t.Context(), "root", "secret"); !errors.Is(err, ErrExists) {
		t.Error(err)
	}
}
