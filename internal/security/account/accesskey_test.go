// SPDX-License-Identifier: Apache-2.0

package account

import (
	"bytes"
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/mem"
)

func masterOf(t *testing.T, fill byte) *Master {
	t.Helper()
	m, err := ParseMaster(base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{fill}, MasterKeyBytes)) + "\n")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func openAccounts(t *testing.T, master *Master) (*Accounts, kv.Store) {
	t.Helper()
	store := mem.Open(mem.Options{})
	clock := int64(1000)
	a := New(store, func() time.Time { clock++; return time.UnixMilli(clock) }).WithMaster(master)
	for _, name := range []string{"ann", "bob"} {
		if err := a.Add(t.Context(), name, "secret"); err != nil {
			t.Fatal(err)
		}
	}
	return a, store
}

// signs reports whether a key signs for a user with a secret.
func signs(t *testing.T, a *Accounts, id, user, secret string) bool {
	t.Helper()
	gotUser, gotSecret, ok, err := a.Signer(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return ok && gotUser == user && gotSecret == secret
}

// TestAccessKeys follows a key's life.
func TestAccessKeys(t *testing.T) {
	a, _ := openAccounts(t, masterOf(t, 1))
	id, secret, err := a.CreateAccessKey(t.Context(), "ann")
	if err != nil || len(id) != 20 || len(secret) != 40 {
		t.Fatal(id, secret, err)
	}
	if !signs(t, a, id, "ann", secret) || signs(t, a, "AKIAAAAAAAAAAAAAAAAA", "ann", secret) {
		t.Error("a key signs for its user alone")
	}
	for _, disabled := range []bool{true, false} {
		if err := a.DisableAccessKey(t.Context(), id, disabled); err != nil {
			t.Fatal(err)
		}
		if signs(t, a, id, "ann", secret) == disabled {
			t.Errorf("disabled %v", disabled)
		}
	}
	other, _, err := a.CreateAccessKey(t.Context(), "bob")
	if err != nil {
		t.Fatal(err)
	}
	keys, err := a.AccessKeys(t.Context(), "ann")
	if err != nil || len(keys) != 1 || keys[0].ID != id || !strings.Contains(keys[0].String(), "\tann\tactive\t") {
		t.Error(keys, err)
	}
	if err := a.Drop(t.Context(), "ann"); err != nil {
		t.Fatal(err)
	}
	if keys, err := a.AccessKeys(t.Context(), ""); err != nil || len(keys) != 1 || keys[0].ID != other {
		t.Error("a user's keys go with the user:", keys, err)
	}
	for _, err := range []error{a.DropAccessKey(t.Context(), id), a.DisableAccessKey(t.Context(), id, true)} {
		if !errors.Is(err, ErrNoAccessKey) {
			t.Error(err)
		}
	}
	if _, _, err := a.CreateAccessKey(t.Context(), "ann"); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
}

// TestAccessKeyOfAnEarlierUser lets no key that was left behind sign for another user of the same name.
func TestAccessKeyOfAnEarlierUser(t *testing.T) {
	a, _ := openAccounts(t, masterOf(t, 1))
	id, secret, err := a.CreateAccessKey(t.Context(), "ann")
	if err != nil {
		t.Fatal(err)
	}
	keys, err := a.AccessKeys(t.Context(), "ann")
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Drop(t.Context(), "ann"); err != nil {
		t.Fatal(err)
	}
	if err := a.Add(t.Context(), "ann", "again"); err != nil {
		t.Fatal(err)
	}
	left := keys[0]
	if err := a.changeAccessKey(t.Context(), id,
		func(*AccessKey) (*AccessKey, error) { return &left, nil }); err != nil {
		t.Fatal(err)
	}
	if signs(t, a, id, "ann", secret) {
		t.Error("the key signs for the new user")
	}
}

// TestSecretsAreEncrypted looks for secrets in the store, and for what happens without the right master key.
func TestSecretsAreEncrypted(t *testing.T) {
	a, store := openAccounts(t, masterOf(t, 1))
	id, secret, err := a.CreateAccessKey(t.Context(), "ann")
	if err != nil {
		t.Fatal(err)
	}
	reader, err := store.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	cursor := reader.Scan(t.Context(), kv.Range{Start: []byte{0}, End: []byte{0xff}}, false)
	for cursor.Next() {
		if bytes.Contains(cursor.Value(), []byte(secret)) ||
			bytes.Contains(cursor.Value(), []byte(base64.StdEncoding.EncodeToString([]byte(secret)))) {
			t.Errorf("the secret is in %q", cursor.Value())
		}
	}
	if err := errors.Join(cursor.Close(), reader.Close()); err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := a.WithMaster(nil).Signer(t.Context(), id); !errors.Is(err, ErrNoMaster) {
		t.Error(err)
	}
	if _, _, err := a.WithMaster(nil).CreateAccessKey(t.Context(), "ann"); !errors.Is(err, ErrNoMaster) {
		t.Error(err)
	}
	if _, _, _, err := a.WithMaster(masterOf(t, 2)).Signer(t.Context(), id); !errors.Is(err, ErrOtherMaster) {
		t.Error(err)
	}
	n, err := a.RotateMaster(t.Context(), masterOf(t, 2))
	if err != nil || n != 1 {
		t.Fatal(n, err)
	}
	if !signs(t, a.WithMaster(masterOf(t, 2)), id, "ann", secret) {
		t.Error("the key signs no more after its master key was changed")
	}
	if _, err := a.RotateMaster(t.Context(), masterOf(t, 2)); err != nil {
		t.Error("what was done already is an error:", err)
	}
	if _, err := a.RotateMaster(t.Context(), masterOf(t, 3)); !errors.Is(err, ErrOtherMaster) {
		t.Error("the former master key still opens secrets:", err)
	}
}

// TestMasterKeys reads master keys.
func TestMasterKeys(t *testing.T) {
	for _, good := range []string{strings.Repeat("0f", 32), " " + strings.Repeat("A", 43) + "=\n"} {
		if _, err := ParseMaster(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for _, bad := range []string{"", "password", strings.Repeat("0f", 16), strings.Repeat("x", 64)} {
		if _, err := ParseMaster(bad); !errors.Is(err, ErrMasterKey) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
