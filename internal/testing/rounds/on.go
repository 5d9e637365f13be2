// SPDX-License-Identifier: Apache-2.0

//go:build race

package rounds

// Race reports whether the race detector watches.
const Race = true
