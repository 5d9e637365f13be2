// SPDX-License-Identifier: Apache-2.0

package weft

import "github.com/weftdb/weft/internal/value"

// AppendString appends a string as an encoded value, without allocating but for room in dst: for rows built with a RowBuilder, where every allocation
// matters. AppendValue takes any Go type.
func AppendString(dst, text []byte) []byte { return value.AppendString(dst, text) }

// AppendBinary appends a binary as an encoded value.
func AppendBinary(dst, data []byte) []byte { return value.AppendBinary(dst, data) }

// AppendNumber appends a number as an encoded value.
func AppendNumber(dst []byte, number Decimal) []byte { return value.AppendNumber(dst, number) }

// AppendBool appends a truth value as an encoded value.
func AppendBool(dst []byte, truth bool) []byte { return value.AppendBool(dst, truth) }
