// SPDX-License-Identifier: Apache-2.0

//go:build !weft_ik

package search

// chinese cuts Chinese texts by a dictionary; nil: its 34 MB are not in this binary. // immutable
var chinese func(text []byte, yield func(start, end int))
