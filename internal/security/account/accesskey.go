// SPDX-License-Identifier: Apache-2.0

package account

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/weftdb/weft/internal/data/keyspace"
)

// accessKeysMax is the number of access keys a user may have: two programs that change theirs at a time, and some more.
const accessKeysMax = 20

// Errors of access keys.
var (
	ErrNoAccessKey  = errors.New("account: there is no access key with this id: weft user key list lists all")
	ErrTooManyKeys  = fmt.Errorf("account: a user may have at most %d access keys: drop an unused one", accessKeysMax)
	errDamagedState = errors.New("account: the record of an access key is damaged")
)

// AccessKey signs requests of DynamoDB's API for a user. The secret is encrypted.
type AccessKey struct {
	ID          string `json:"id"`
	User        string `json:"user"`
	Secret      []byte `json:"secret"`
	Master      string `json:"master"` // the id of the master key that the secret is encrypted under
	Disabled    bool   `json:"disabled,omitempty"`
	CreatedAtMS int64  `json:"createdAtMS"` // Unix milliseconds
}

// CreateAccessKey makes an access key for a user. The secret is returned this once. Errors: ErrNotFound, ErrNoMaster,
// ErrTooManyKeys, those of the store.
func (a *Accounts) CreateAccessKey(ctx context.Context, user string) (id, secret string, err error) {
	if a.master == nil {
		return "", "", ErrNoMaster
	}
	if owner, ok, err := a.Get(ctx, user); err != nil || !ok || owner.IsRole {
		return "", "", errors.Join(err, notFoundUnless(ok && !owner.IsRole))
	}
	if keys, err := a.AccessKeys(ctx, user); err != nil || len(keys) >= accessKeysMax {
		return "", "", errors.Join(err, ErrTooManyKeys)
	}
	id, secret = newAccessKey()
	sealed, err := a.master.seal(id, secret)
	if err != nil {
		return "", "", err
	}
	key := AccessKey{ID: id, User: user, Secret: sealed, Master: a.master.id, CreatedAtMS: a.now().UnixMilli()}
	err = a.changeAccessKey(ctx, id, func(*AccessKey) (*AccessKey, error) { return &key, nil })
	return id, secret, err
}

func notFoundUnless(ok bool) error {
	if ok {
		return nil
	}
	return ErrNotFound
}

// newAccessKey makes them in AWS's form: AKIA and 16 letters or digits, and 40 characters.
func newAccessKey() (id, secret string) {
	var random [40]byte
	_, _ = rand.Read(random[:]) // never fails
	return "AKIA" + base32.StdEncoding.EncodeToString(random[:10]), base64.StdEncoding.EncodeToString(random[10:])
}

// AccessKeys lists the access keys of a user, or of all if user is empty, in the order of their ids.
func (a *Accounts) AccessKeys(ctx context.Context, user string) (keys []AccessKey, err error) {
	err = a.scan(ctx, keyspace.AppendAccessKeys(nil), func(record []byte) error {
		var key AccessKey
		if json.Unmarshal(record, &key) != nil {
			return errDamagedState
		}
		if user == "" || key.User == user {
			keys = append(keys, key)
		}
		return nil
	})
	return keys, err
}

// DisableAccessKey lets a key sign no more, or again. Errors: ErrNoAccessKey, those of the store.
func (a *Accounts) DisableAccessKey(ctx context.Context, id string, disabled bool) error {
	return a.changeAccessKey(ctx, id, func(old *AccessKey) (*AccessKey, error) {
		if old == nil {
			return nil, ErrNoAccessKey
		}
		old.Disabled = disabled
		return old, nil
	})
}

// DropAccessKey removes a key. Errors: ErrNoAccessKey, those of the store.
func (a *Accounts) DropAccessKey(ctx context.Context, id string) error {
	return a.changeAccessKey(ctx, id, func(old *AccessKey) (*AccessKey, error) {
		if old == nil {
			return nil, ErrNoAccessKey
		}
		return nil, nil
	})
}

// Signer returns the user and the secret of an access key. ok is false if there is no such key, it is disabled, or its
// user is gone. Errors: ErrNoMaster, ErrOtherMaster, those of the store.
func (a *Accounts) Signer(ctx context.Context, id string) (user, secret string, ok bool, err error) {
	stored, ok, err := a.store.Get(ctx, keyspace.AppendAccessKey(nil, id), nil)
	if err != nil || !ok {
		return "", "", false, err
	}
	var key AccessKey
	if json.Unmarshal(stored, &key) != nil {
		return "", "", false, errDamagedState
	}
	if key.Disabled {
		return "", "", false, nil
	}
	// another user of that name
	if owner, ok, err := a.Get(ctx, key.User); err != nil || !ok || owner.IsRole ||
		owner.CreatedAtMS > key.CreatedAtMS {
		return "", "", false, err
	}
	if a.master == nil {
		return "", "", false, ErrNoMaster
	}
	secret, err = a.master.open(id, key.Secret)
	return key.User, secret, err == nil, err
}

// RotateMaster encrypts all secrets under another master key and returns their number. A key that is under it already
// stays as it is, so that what was broken off can be done again. Errors: ErrNoMaster, ErrOtherMaster, those of the
// store.
func (a *Accounts) RotateMaster(ctx context.Context, next *Master) (rotated int, err error) {
	if a.master == nil {
		return 0, ErrNoMaster
	}
	keys, err := a.AccessKeys(ctx, "")
	if err != nil {
		return 0, err
	}
	for i := range keys {
		err := a.changeAccessKey(ctx, keys[i].ID, func(old *AccessKey) (*AccessKey, error) {
			if old == nil || old.Master == next.id {
				return old, nil
			}
			secret, err := a.master.open(old.ID, old.Secret)
			if err == nil {
				old.Secret, err = next.seal(old.ID, secret)
			}
			old.Master = next.id
			return old, err
		})
		if err != nil {
			return rotated, fmt.Errorf("access key %s: %w", keys[i].ID, err)
		}
		rotated++
	}
	return rotated, nil
}

// changeAccessKey replaces a key's record by edit's result; nil is none.
func (a *Accounts) changeAccessKey(ctx context.Context, id string,
	edit func(old *AccessKey) (*AccessKey, error)) error {
	return change(ctx, a.store, keyspace.AppendAccessKey(nil, id), edit)
}

// clockOf is the time of a record, for people.
func clockOf(ms int64) string { return time.UnixMilli(ms).UTC().Format(time.RFC3339) }

// String tells of a key what may be shown.
func (k *AccessKey) String() string {
	state := "active"
	if k.Disabled {
		state = "disabled"
	}
	return k.ID + "\t" + k.User + "\t" + state + "\t" + clockOf(k.CreatedAtMS)
}

// MasterKeyBytes is the length of a master key: AES-256.
const MasterKeyBytes = 32

// Errors of master keys.
var (
	ErrMasterKey = errors.New("account: a master key is 32 random bytes in base64 or hexadecimal: create one with openssl rand -base64 32")
	ErrNoMaster  = errors.New("account: secrets of access keys are only stored encrypted: give the server a master key with --master-key-file or WEFT_MASTER_KEY")
	// ErrOtherMaster is an access key that was encrypted under another master key.
	ErrOtherMaster = errors.New("account: the secret of an access key was encrypted with another master key: start the server with that key, " +
		"or drop the access key and create another")
)

// Master encrypts what must be recovered as it was: the secrets of access keys, which signatures are made with.
// Passwords are never recovered.
type Master struct {
	id   string
	aead cipher.AEAD
}

// ParseMaster reads a master key from a file or a variable. Errors: ErrMasterKey.
func ParseMaster(text string) (*Master, error) {
	text = strings.TrimSpace(text)
	for _, decode := range []func(string) ([]byte, error){base64.StdEncoding.DecodeString, hex.DecodeString} {
		if key, err := decode(text); err == nil && len(key) == MasterKeyBytes {
			return newMaster(key)
		}
	}
	return nil, ErrMasterKey
}

func newMaster(key []byte) (*Master, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(append([]byte("weft master key "), key...))
	return &Master{hex.EncodeToString(sum[:6]), aead}, nil
}

// seal encrypts a text that belongs to a name: it can't be put into another's place.
func (m *Master) seal(name, text string) ([]byte, error) {
	nonce := make([]byte, m.aead.NonceSize())
	if _, err := rand.Read(nonce); err != nil {
		return nil, err
	}
	return m.aead.Seal(nonce, nonce, []byte(text), []byte(name)), nil
}

func (m *Master) open(name string, sealed []byte) (string, error) {
	n := m.aead.NonceSize()
	if len(sealed) < n {
		return "", ErrOtherMaster
	}
	text, err := m.aead.Open(nil, sealed[:n], sealed[n:], []byte(name))
	if err != nil {
		return "", ErrOtherMaster
	}
	return string(text), nil
}
