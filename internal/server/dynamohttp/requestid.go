// SPDX-License-Identifier: Apache-2.0

package dynamohttp

import "math/rand/v2"

const (
	requestIDLength = 52
	idDigits        = "0123456789ABCDEFGHIJKLMNOPQRSTUV"
)

// appendRequestID appends 52 random characters of 0-9 and A-V. They name a request in answers and logs; they are no
// secret.
func appendRequestID(dst []byte) []byte {
	for n := 0; n < requestIDLength; {
		bits := rand.Uint64()
		for i := 0; i < 12 && n < requestIDLength; i++ {
			dst = append(dst, idDigits[bits&31])
			bits >>= 5
			n++
		}
	}
	return dst
}
