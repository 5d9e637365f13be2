// SPDX-License-Identifier: Apache-2.0

package weft

import (
	"github.com/weftdb/weft/internal/token"
)

// TokenWindow is how long the token of a transaction is remembered after its commit.
const TokenWindow = token.Window

// Token makes a transaction happen once, however often a client asks for it because it did not hear the answer.
type Token = token.Token

// Errors of tokens.
var (
	// ErrTokenReused is the error of a transaction whose token belongs to one that does something else.
	ErrTokenReused = token.ErrReused
	// ErrTokenInUse is the error of a transaction that is asked for while it is being done.
	ErrTokenInUse = token.ErrInUse
)
