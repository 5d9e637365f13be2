// SPDX-License-Identifier: Apache-2.0

//go:build race

package tikv_test

// raced says that the race detector watches.
const raced = true
