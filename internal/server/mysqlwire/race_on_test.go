// SPDX-License-Identifier: Apache-2.0

//go:build race

package mysqlwire

// raced says whether the race detector watches, which makes everything many times slower.
const raced = true
