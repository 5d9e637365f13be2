// SPDX-License-Identifier: Apache-2.0

package account

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/weftdb/weft/internal/data/keyspace"
)

// tokensMax is the number of tokens a user may have.
const tokensMax = 20

// Errors of tokens.
var (
	ErrNoToken       = errors.New("account: there is no token with this id: weft user token list lists all")
	ErrTooManyTokens = fmt.Errorf("account: a user may have at most %d tokens: drop an unused one", tokensMax)
)

// Token lets a user in at the admin port. Only its hash is kept.
type Token struct {
	ID          string `json:"id"`
	User        string `json:"user"`
	SHA256      []byte `json:"sha256"`      // of the whole text
	CreatedAtMS int64  `json:"createdAtMS"` // Unix milliseconds
}

// A token's text is tokenPrefix, the id, "_" and a secret.
const (
	tokenPrefix      = "weft_"
	tokenIDBytes     = 10 // before base32
	tokenSecretBytes = 20
	tokenTextMax     = 200
)

// CreateToken makes a token for a user. The text is returned this once. Errors: ErrNotFound, ErrTooManyTokens, those of
// the store.
func (a *Accounts) CreateToken(ctx context.Context, user string) (text string, err error) {
	if owner, ok, err := a.Get(ctx, user); err != nil || !ok || owner.IsRole {
		return "", errors.Join(err, notFoundUnless(false))
	}
	if tokens, err := a.Tokens(ctx, user); err != nil || len(tokens) >= tokensMax {
		return "", errors.Join(err, ErrTooManyTokens)
	}
	var random [tokenIDBytes + tokenSecretBytes]byte
	_, _ = rand.Read(random[:]) // never fails
	id := base32.StdEncoding.EncodeToString(random[:tokenIDBytes])
	text = tokenPrefix + id + "_" + base32.StdEncoding.EncodeToString(random[tokenIDBytes:])
	sum := sha256.Sum256([]byte(text))
	token := Token{ID: id, User: user, SHA256: sum[:], CreatedAtMS: a.now().UnixMilli()}
	return text, a.changeToken(ctx, id, func(*Token) (*Token, error) { return &token, nil })
}

// Tokens lists the tokens of a user, or of all if user is empty, in the order of their ids.
func (a *Accounts) Tokens(ctx context.Context, user string) (tokens []Token, err error) {
	err = a.scan(ctx, keyspace.AppendAdminTokens(nil), func(record []byte) error {
		var token Token
		if err := json.Unmarshal(record, &token); err != nil {
			return fmt.Errorf("account: the record of a token is damaged: %w", err)
		}
		if user == "" || token.User == user {
			tokens = append(tokens, token)
		}
		return nil
	})
	return tokens, err
}

// DropToken removes a token. Errors: ErrNoToken, those of the store.
func (a *Accounts) DropToken(ctx context.Context, id string) error {
	return a.changeToken(ctx, id, func(old *Token) (*Token, error) {
		if old == nil {
			return nil, ErrNoToken
		}
		return nil, nil
	})
}

// UserOfToken returns the owner of a token. ok is false if there is none. Errors: those of the store.
func (a *Accounts) UserOfToken(ctx context.Context, text string) (user string, ok bool, err error) {
	id, _, ok := strings.Cut(strings.TrimPrefix(text, tokenPrefix), "_")
	if !ok || len(text) > tokenTextMax {
		return "", false, nil
	}
	stored, ok, err := a.store.Get(ctx, keyspace.AppendAdminToken(nil, id), nil)
	if err != nil || !ok {
		return "", false, err
	}
	var token Token
	if err := json.Unmarshal(stored, &token); err != nil {
		return "", false, fmt.Errorf("account: the record of a token is damaged: %w", err)
	}
	sum := sha256.Sum256([]byte(text))
	if subtle.ConstantTimeCompare(sum[:], token.SHA256) != 1 {
		return "", false, nil
	}
	owner, ok, err := a.Get(ctx, token.User)
	if err != nil || !ok || owner.IsRole || owner.CreatedAtMS > token.CreatedAtMS { // another user of that name
		return "", false, err
	}
	return token.User, true, nil
}

// changeToken replaces a token's record by edit's result; nil is none.
func (a *Accounts) changeToken(ctx context.Context, id string, edit func(old *Token) (*Token, error)) error {
	return change(ctx, a.store, keyspace.AppendAdminToken(nil, id), edit)
}

// String tells of a token what may be shown.
func (t *Token) String() string { return t.ID + "\t" + t.User + "\t" + clockOf(t.CreatedAtMS) }
