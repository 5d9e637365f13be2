// SPDX-License-Identifier: Apache-2.0

package weft

import "github.com/weftdb/weft/internal/account"

type (
	// Accounts are the users that doors let in.
	Accounts = account.Accounts
	// Account is one of them.
	Account = account.Account
)

// Errors of accounts.
var (
	ErrAccountExists   = account.ErrExists
	ErrAccountNotFound = account.ErrNotFound
)

// Accounts returns the users of the database. It holds nothing: each call is a look into the store.
func (db *DB) Accounts() *Accounts { return account.New(db.store, db.options.Now) }
