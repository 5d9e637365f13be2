// SPDX-License-Identifier: Apache-2.0

package account

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strings"
)

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
