// SPDX-License-Identifier: Apache-2.0

package weft

import (
	"context"
	"net/netip"

	"github.com/weftdb/weft/internal/security/account"
	"github.com/weftdb/weft/internal/security/permission"
)

// Principal is a user for whom a program asks; see DB.As.
type Principal struct {
	User    string
	Address netip.Addr // of the user's client, for aws:SourceIp; the zero Addr if it is not known
	Agent   string     // what the client calls itself, for aws:UserAgent
	Secure  bool       // the client is connected over TLS, for aws:SecureTransport
	Request string     // an id of the request
}

// As returns a context in which a principal asks: operations with it are done if the policies of the user and of
// the table allow them, and fail with KindDenied otherwise. Without it the program itself asks, which may do
// everything. Operations ask for DynamoDB's actions, with its condition keys LeadingKeys, Attributes, Select and
// ReturnValues: Table.Get for dynamodb:GetItem, a Query that binds the first part of its index's key to a value for
// dynamodb:Query and any other for dynamodb:Scan, changes of a table for dynamodb:UpdateTable. A Query with
// AnyIndex asks for the table. Anybody may learn which tables there are and how they are made, and what needs no
// context is not asked for.
func (db *DB) As(ctx context.Context, p Principal) context.Context {
	return db.db.As(ctx, permission.Principal{
		User: p.User, Address: p.Address, Agent: p.Agent, Secure: p.Secure, Request: p.Request,
	})
}

func (db *DB) changeAccounts(change func(*account.Accounts) error) error {
	return public(change(db.db.Accounts()))
}

// AddUser makes a user, who may sign in at the MySQL port with the password if the database is served. The first
// user of a database may do everything, later ones what their policies allow. Errors: KindExists.
func (db *DB) AddUser(ctx context.Context, name, password string) error {
	return db.changeAccounts(func(a *account.Accounts) error { return a.Add(ctx, name, password) })
}

// DropUser removes a user. Errors: KindNotFound.
func (db *DB) DropUser(ctx context.Context, name string) error {
	return db.changeAccounts(func(a *account.Accounts) error { return a.Drop(ctx, name) })
}

// PutPolicy gives a user a policy, instead of the one that has the name: an IAM policy in JSON, or "" for the
// predefined one of the name, such as AmazonDynamoDBReadOnlyAccess. It holds within a second. Errors: KindNotFound
// for the user, KindInvalid.
func (db *DB) PutPolicy(ctx context.Context, user, name, document string) error {
	return db.changeAccounts(func(a *account.Accounts) error {
		return a.Change(ctx, user, func(u *account.Account) error { return u.PutPolicy(name, document) })
	})
}

// DropPolicy takes a policy away from a user. Errors: KindNotFound for the user; KindInvalid if the user has no
// such policy.
func (db *DB) DropPolicy(ctx context.Context, user, name string) error {
	return db.changeAccounts(func(a *account.Accounts) error {
		return a.Change(ctx, user, func(u *account.Account) error { return u.DropPolicy(name) })
	})
}
