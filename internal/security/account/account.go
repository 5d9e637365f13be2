// SPDX-License-Identifier: Apache-2.0

// Package account stores the users of all protocols: password verifiers, access keys, and the privileges that SQL
// grants to them and to roles.
//
// Knows: how accounts are stored, the verifiers that protocols ask for, which actions a privilege allows.
// Never: sockets, challenges, requests.
package account

import (
	"context"
	"crypto/sha1" // what mysql_native_password is made of
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/kv"
)

// NameBytesMax and PasswordBytesMax bound what Add takes.
const (
	NameBytesMax     = 32
	PasswordBytesMax = 1024
)

// Errors of accounts.
var (
	ErrExists   = errors.New("account: a user with this name already exists: use weft user passwd to change the password")
	ErrNotFound = errors.New("account: there is no user with this name: weft user list lists all")
	ErrName     = errors.New("account: a user name must have 1 to 32 bytes of UTF-8, without control and format characters, and no space at its ends")
	ErrSimilar  = errors.New("account: another user or role has this name in other case: choose a name that can be told from it")
	ErrPassword = errors.New("account: a password must have 1 to 1,024 bytes")
)

// Account is one user or role. The password itself is not kept.
type Account struct {
	Name string `json:"name"`
	// SHA1 is SHA1(SHA1(password)), which mysql_native_password is checked by; SHA256 is SHA256(SHA256(password)), for
	// caching_sha2_password.
	SHA1        []byte `json:"sha1"`
	SHA256      []byte `json:"sha256"`
	CreatedAtMS int64  `json:"createdAtMS"` // Unix milliseconds
	// IsRole says that it is a role: it has grants and no password.
	IsRole bool          `json:"role,omitempty"`
	Grants []Grant       `json:"grants,omitempty"`
	Roles  []GrantedRole `json:"roles,omitempty"` // of a user; see RolesOf
	// Policies say what the user or role may do, besides Grants.
	Policies []NamedPolicy `json:"policies,omitempty"`
	// Limited says that the account was made since users have rights. Those made before may do everything; they have
	// the policy Administrator once their records are read.
	Limited bool `json:"limited,omitempty"`
}

// Credential tells this account, with its present password, from a later one of its name or with another password. It
// says nothing of the password.
func (u *Account) Credential() string {
	sum := sha256.Sum256(slices.Concat(binary.BigEndian.AppendUint64(nil, uint64(u.CreatedAtMS)), u.SHA1, u.SHA256))
	return hex.EncodeToString(sum[:16])
}

// UnmarshalJSON reads a record, which a version of Weft without rights may have written.
func (u *Account) UnmarshalJSON(text []byte) error {
	type record Account
	if err := json.Unmarshal(text, (*record)(u)); err != nil {
		return err
	}
	if !u.Limited && !u.IsRole {
		u.Policies = append(u.Policies, NamedPolicy{Name: Administrator})
	}
	u.Limited = true
	return nil
}

// Accounts holds the accounts of one store. It is safe for concurrent use.
type Accounts struct {
	store  kv.Store
	now    func() time.Time
	master *Master
}

// New returns the accounts kept in store. now is the clock.
func New(store kv.Store, now func() time.Time) *Accounts { return &Accounts{store: store, now: now} }

// WithMaster returns the same accounts with the key that secrets are encrypted under; nil: there is none.
func (a *Accounts) WithMaster(m *Master) *Accounts { return &Accounts{a.store, a.now, m} }

// HasMaster reports whether secrets can be encrypted.
func (a *Accounts) HasMaster() bool { return a.master != nil }

// Add makes an account. The first one of all has the policy Administrator; later ones may do nothing until they are
// given rights. Errors: ErrExists, ErrName, ErrSimilar, ErrPassword, those of the store.
func (a *Accounts) Add(ctx context.Context, name, password string) error {
	others, err := a.unlike(ctx, name)
	if err != nil {
		return err
	}
	account, err := a.make(name, password)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(others, func(one Account) bool { return !one.IsRole }) {
		account.Policies = []NamedPolicy{{Name: Administrator}}
	}
	return a.edit(ctx, name, func(old *Account) (*Account, error) {
		if old != nil {
			return nil, ErrExists
		}
		return account, nil
	})
}

// unlike lists all accounts, none of which may have a name that people take for another one. Errors: ErrName,
// ErrSimilar, those of the store.
func (a *Accounts) unlike(ctx context.Context, name string) ([]Account, error) {
	if !isName(name) {
		return nil, ErrName
	}
	others, err := a.List(ctx)
	if err == nil && slices.ContainsFunc(others,
		func(one Account) bool { return one.Name != name && strings.EqualFold(one.Name, name) }) {
		err = ErrSimilar
	}
	return others, err
}

// SetPassword changes an account's password. Errors: ErrNotFound, ErrPassword, those of the store.
func (a *Accounts) SetPassword(ctx context.Context, name, password string) error {
	account, err := a.make(name, password)
	if err != nil {
		return err
	}
	return a.Change(ctx, name, func(old *Account) error {
		if old.IsRole {
			return ErrNotFound
		}
		old.SHA1, old.SHA256 = account.SHA1, account.SHA256
		return nil
	})
}

// edit replaces the record of a name by edit's result; nil is none.
func (a *Accounts) edit(ctx context.Context, name string, edit func(old *Account) (*Account, error)) error {
	return change(ctx, a.store, keyspace.AppendAccount(nil, name), edit)
}

// Drop removes an account with its access keys and tokens. Errors: ErrNotFound, those of the store.
func (a *Accounts) Drop(ctx context.Context, name string) error {
	if err := a.drop(ctx, name, false); err != nil {
		return err
	}
	keys, err := a.AccessKeys(ctx, name)
	for i := range keys {
		err = errors.Join(err, a.DropAccessKey(ctx, keys[i].ID))
	}
	tokens, tokensErr := a.Tokens(ctx, name)
	err = errors.Join(err, tokensErr)
	for i := range tokens {
		err = errors.Join(err, a.DropToken(ctx, tokens[i].ID))
	}
	return err
}

// DropRole removes a role; nobody has it any more. Errors: ErrNotFound, those of the store.
func (a *Accounts) DropRole(ctx context.Context, name string) error { return a.drop(ctx, name, true) }

func (a *Accounts) drop(ctx context.Context, name string, isRole bool) error {
	return a.edit(ctx, name, func(old *Account) (*Account, error) {
		if old == nil || old.IsRole != isRole {
			return nil, ErrNotFound
		}
		return nil, nil
	})
}

// Get returns the account of a name; ok is false if there is none.
func (a *Accounts) Get(ctx context.Context, name string) (account Account, ok bool, err error) {
	stored, ok, err := a.store.Get(ctx, keyspace.AppendAccount(nil, name), nil)
	if err != nil || !ok {
		return account, false, err
	}
	if err := json.Unmarshal(stored, &account); err != nil {
		return account, false, fmt.Errorf("account: the record of %s is damaged: %w", name, err)
	}
	return account, true, nil
}

// List returns all accounts in the order of their names.
func (a *Accounts) List(ctx context.Context) (accounts []Account, err error) {
	err = a.scan(ctx, keyspace.AppendAccounts(nil), func(record []byte) error {
		var account Account
		if err := json.Unmarshal(record, &account); err != nil {
			return fmt.Errorf("account: a record is damaged: %w", err)
		}
		accounts = append(accounts, account)
		return nil
	})
	return accounts, err
}

// scan visits all records of a section.
func (a *Accounts) scan(ctx context.Context, prefix []byte, visit func(record []byte) error) error {
	reader, err := a.store.Read(ctx)
	if err != nil {
		return err
	}
	cursor := reader.Scan(ctx, kv.Range{Start: prefix, End: []byte{prefix[0] + 1}}, false)
	for err == nil && cursor.Next() {
		err = visit(cursor.Value())
	}
	return errors.Join(err, cursor.Close(), reader.Close())
}

// make is the account of a name and password.
func (a *Accounts) make(name, password string) (*Account, error) {
	if len(password) == 0 || len(password) > PasswordBytesMax {
		return nil, ErrPassword
	}
	inner1, inner256 := sha1.Sum([]byte(password)), sha256.Sum256([]byte(password))
	outer1, outer256 := sha1.Sum(inner1[:]), sha256.Sum256(inner256[:])
	return &Account{Name: name, SHA1: outer1[:], SHA256: outer256[:], CreatedAtMS: a.now().UnixMilli(), Limited: true},
		nil
}

// isName reports whether a new user or role may have a name: lists must show it as it is.
func isName(name string) bool {
	if len(name) == 0 || len(name) > NameBytesMax || strings.TrimFunc(name, unicode.IsSpace) != name {
		return false
	}
	for _, r := range name {
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) || r == utf8.RuneError {
			return false
		}
	}
	return true
}

// change replaces the record of a key by edit's result; nil is none.
func change[R any](ctx context.Context, store kv.Store, key []byte, edit func(old *R) (*R, error)) error {
	return kv.Update(ctx, store, func(txn kv.Txn) error {
		var old *R
		stored, ok, err := txn.Get(ctx, key, nil)
		if err != nil {
			return err
		}
		if ok {
			old = new(R)
			if err := json.Unmarshal(stored, old); err != nil {
				return fmt.Errorf("account: a record is damaged: %w", err)
			}
		}
		changed, err := edit(old)
		if err != nil || changed == nil && !ok {
			return err
		}
		if changed == nil {
			return txn.Delete(key)
		}
		encoded, err := json.Marshal(changed)
		if err != nil {
			return err
		}
		if err := txn.Guard(key); err != nil {
			return err
		}
		return txn.Set(key, encoded)
	})
}
