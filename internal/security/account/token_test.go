// SPDX-License-Identifier: Apache-2.0

package account

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/weftdb/weft/kv"
)

// TestToken: a token lets its own user in, nothing near it lets anybody in, and it ends with its user, even if there is
// another one of that name.
func TestToken(t *testing.T) {
	a, store := openAccounts(t, nil)
	ctx := t.Context()
	text, err := a.CreateToken(ctx, "ann")
	if err != nil {
		t.Fatal(err)
	}
	other, err := a.CreateToken(ctx, "bob")
	if err != nil {
		t.Fatal(err)
	}
	lets := func(text string) string {
		t.Helper()
		user, ok, err := a.UserOfToken(ctx, text)
		if err != nil || ok != (user != "") {
			t.Errorf("%q: %q, %v, %v", text, user, ok, err)
		}
		return user
	}
	if lets(text) != "ann" || lets(other) != "bob" {
		t.Error("a token doesn't let its user in")
	}
	wrong := []string{"", "_", "weft_", text + "A", text[:len(text)-1], strings.TrimPrefix(text, tokenPrefix),
		strings.ToLower(text), text[:21] + other[21:], strings.Repeat(text, 100)}
	for i := range text {
		wrong = append(wrong, text[:i]+string(text[i]^1)+text[i+1:])
	}
	for _, text := range wrong {
		if user := lets(text); user != "" {
			t.Errorf("%q lets %s in", text, user)
		}
	}
	secret := text[strings.LastIndex(text, "_")+1:]
	reader, err := store.Read(ctx)
	if err != nil {
		t.Fatal(err)
	}
	c := reader.Scan(ctx, kv.Range{End: []byte{0xff}}, false)
	for c.Next() {
		if bytes.Contains(c.Value(), []byte(secret)) {
			t.Error("the store holds a token's secret")
		}
	}
	if err := errors.Join(c.Close(), reader.Close()); err != nil {
		t.Error(err)
	}
	if err := errors.Join(a.Drop(ctx, "ann"), a.Add(ctx, "ann", "x")); err != nil {
		t.Fatal(err)
	}
	if user := lets(text); user != "" {
		t.Errorf("the token of a user who was dropped lets %s in", user)
	}
	for i := 1; i < tokensMax; i++ {
		if _, err := a.CreateToken(ctx, "bob"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := a.CreateToken(ctx, "bob"); !errors.Is(err, ErrTooManyTokens) {
		t.Errorf("one token too many: %v", err)
	}
}
