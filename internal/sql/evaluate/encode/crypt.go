// SPDX-License-Identifier: Apache-2.0

package encode

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"crypto/aes"
	"encoding/binary"
	"io"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/evaluate/function"
)

// ciphers are the functions of encryption and compression. // immutable
var ciphers = map[string]function.Function{
	"aes_encrypt":         {Min: 2, Max: 3, Result: isBinary, Apply: aesEncrypt, Nulls: true},
	"aes_decrypt":         {Min: 2, Max: 3, Result: isBinary, Apply: aesDecrypt, Nulls: true},
	"compress":            {Min: 1, Max: 1, Result: isBinary, Apply: compress},
	"uncompress":          {Min: 1, Max: 1, Result: isBinary, Apply: uncompress},
	"uncompressed_length": {Min: 1, Max: 1, Result: isInteger, Apply: uncompressedLength},
}

// aesKey folds a key of any length into 16 bytes, as MySQL does for aes-128-ecb, its block_encryption_mode.
func aesKey(text []byte) []byte {
	key := make([]byte, 16)
	for i, b := range text {
		key[i%len(key)] ^= b
	}
	return key
}

func aesEncrypt(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
	if a[0].IsNull() || a[1].IsNull() { // the third argument has no effect in this mode
		return datum.Null, nil
	}
	block, err := aes.NewCipher(aesKey(e.TextOf(a[1])))
	if err != nil {
		return datum.Null, err
	}
	text := e.TextOf(a[0])
	pad := aes.BlockSize - len(text)%aes.BlockSize
	start := len(e.Arena())
	dst := append(e.Arena(), text...)
	dst = append(dst, bytes.Repeat([]byte{byte(pad)}, pad)...)
	for at := start; at < len(dst); at += aes.BlockSize {
		block.Encrypt(dst[at:], dst[at:])
	}
	return datum.Binary(e.Keep(dst)), nil
}

// aesDecrypt is NULL for bytes that were not encrypted with the key, as far as their end tells.
func aesDecrypt(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
	if a[0].IsNull() || a[1].IsNull() {
		return datum.Null, nil
	}
	block, err := aes.NewCipher(aesKey(e.TextOf(a[1])))
	if err != nil {
		return datum.Null, err
	}
	text := e.TextOf(a[0])
	if len(text) == 0 || len(text)%aes.BlockSize != 0 {
		return datum.Null, nil
	}
	start := len(e.Arena())
	dst := append(e.Arena(), text...)
	for at := start; at < len(dst); at += aes.BlockSize {
		block.Decrypt(dst[at:], dst[at:])
	}
	pad := int(dst[len(dst)-1])
	if pad == 0 || pad > aes.BlockSize || !bytes.Equal(dst[len(dst)-pad:], bytes.Repeat([]byte{byte(pad)}, pad)) {
		return datum.Null, nil
	}
	return datum.Binary(e.Keep(dst[:len(dst)-pad])), nil
}

// lengthBytes is the size of the text's length before its compressed form.
const lengthBytes = 4

func compress(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
	text := e.TextOf(a[0])
	if len(text) == 0 {
		return datum.Binary(nil), nil
	}
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	_, err := w.Write(text)
	err = cmp.Or(err, w.Close())
	if err != nil {
		return datum.Null, err
	}
	dst := binary.LittleEndian.AppendUint32(e.Arena(), uint32(len(text)))
	if dst = append(dst, packed.Bytes()...); dst[len(dst)-1] == ' ' {
		dst = append(dst, '.') // a CHAR would lose the space
	}
	return datum.Binary(e.Keep(dst)), nil
}

// uncompress is NULL for bytes that compress did not make, and for results longer than function.PacketMax.
func uncompress(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
	text := e.TextOf(a[0])
	if len(text) == 0 {
		return datum.Binary(nil), nil
	}
	if len(text) <= lengthBytes {
		return datum.Null, nil
	}
	length := int64(binary.LittleEndian.Uint32(text) & 0x3fffffff)
	r, err := zlib.NewReader(bytes.NewReader(text[lengthBytes:]))
	if err != nil || length > function.PacketMax {
		return datum.Null, nil
	}
	defer r.Close()
	plain, err := io.ReadAll(io.LimitReader(r, length+1))
	if err != nil || int64(len(plain)) > length {
		return datum.Null, nil
	}
	return datum.Binary(plain), nil
}

func uncompressedLength(e *function.Environment, a []datum.Datum) (datum.Datum, error) {
	text := e.TextOf(a[0])
	if len(text) <= lengthBytes {
		return datum.Int(0), nil
	}
	return datum.Int(int64(binary.LittleEndian.Uint32(text) & 0x3fffffff)), nil
}
