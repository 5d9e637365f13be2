// SPDX-License-Identifier: Apache-2.0

package account

import (
	"encoding/hex"
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
		fmt.Fprintf(&b, "%s %s %s %d\n", a.Name, hex.EncodeToString(a.SHA1), hex.EncodeToString(a.SHA256[:4]), a.CreatedAtMS)
	}
	return b.String()
}
