// SPDX-License-Identifier: Apache-2.0

package mysqlwire

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/x509"
	"encoding/pem"
	"sync"

	"github.com/weftdb/weft/internal/server/mysqlwire/packet"
)

// VerifierOf makes the verifier of a password.
func VerifierOf(password string) Verifier {
	var v Verifier
	once1, once256 := sha1.Sum([]byte(password)), sha256.Sum256([]byte(password))
	v.NativeSHA1, v.SHA256 = sha1.Sum(once1[:]), sha256.Sum256(once256[:])
	return v
}

// matches reports whether v is the verifier of a password sent in clear, by whichever hash v has.
func (v Verifier) matches(password []byte) bool {
	other := VerifierOf(string(password))
	native := subtle.ConstantTimeCompare(v.NativeSHA1[:], other.NativeSHA1[:])
	caching := subtle.ConstantTimeCompare(v.SHA256[:], other.SHA256[:])
	return native|caching == 1
}

// proves reports whether a response proves the password by the plugin's rule. A response of another length than a
// hash's is a password that is empty, or wrong.
func (v Verifier) proves(plugin string, response []byte, salt packet.Nonce) bool {
	if len(response) == 0 {
		return v.matches(nil)
	}
	if plugin == packet.PluginNative {
		return v.provesNative(response, salt)
	}
	return v.provesCaching(response, salt)
}

// provesNative: the response is SHA1(password) XOR SHA1(nonce, SHA1(SHA1(password))).
func (v Verifier) provesNative(response []byte, salt packet.Nonce) bool {
	if len(response) != sha1.Size {
		return false
	}
	mask := sha1.Sum(append(salt[:], v.NativeSHA1[:]...))
	var once [sha1.Size]byte
	subtle.XORBytes(once[:], response, mask[:])
	twice := sha1.Sum(once[:])
	return subtle.ConstantTimeCompare(twice[:], v.NativeSHA1[:]) == 1
}

// provesCaching: the response is SHA256(password) XOR SHA256(SHA256(SHA256(password)), nonce).
func (v Verifier) provesCaching(response []byte, salt packet.Nonce) bool {
	if len(response) != sha256.Size {
		return false
	}
	mask := sha256.Sum256(append(v.SHA256[:len(v.SHA256):len(v.SHA256)], salt[:]...))
	var once [sha256.Size]byte
	subtle.XORBytes(once[:], response, mask[:])
	twice := sha256.Sum256(once[:])
	return subtle.ConstantTimeCompare(twice[:], v.SHA256[:]) == 1
}

// newNonce makes a nonce.
func newNonce() packet.Nonce {
	var salt packet.Nonce
	_, _ = rand.Read(salt[:]) // never fails
	for i, b := range salt {
		if b &= 0x7f; b == 0 || b == '$' {
			b++
		}
		salt[i] = b
	}
	return salt
}

// passwordKey is the key for which clients without TLS encrypt passwords. It is made when the first one needs it.
type passwordKey struct {
	once    sync.Once
	private *rsa.PrivateKey
	pem     []byte // its public half, as clients want it
	err     error
}

const keyBits = 2048

// get returns the key, after which pem may be read.
func (k *passwordKey) get() (*rsa.PrivateKey, error) {
	k.once.Do(func() {
		if k.private, k.err = rsa.GenerateKey(rand.Reader, keyBits); k.err != nil {
			return
		}
		var der []byte
		if der, k.err = x509.MarshalPKIXPublicKey(&k.private.PublicKey); k.err == nil {
			k.pem = pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
		}
	})
	return k.private, k.err
}

// decryptPassword reads a password that was masked with the nonce and encrypted; nil if it wasn't.
func decryptPassword(key *rsa.PrivateKey, sent []byte, salt packet.Nonce) []byte {
	masked, err := rsa.DecryptOAEP(sha1.New(), nil, key, sent, nil)
	if err != nil {
		return nil
	}
	for i := range masked {
		masked[i] ^= salt[i%len(salt)]
	}
	return bytes.TrimSuffix(masked, []byte{0})
}
