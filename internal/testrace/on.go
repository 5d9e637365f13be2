// SPDX-License-Identifier: Apache-2.0

//go:build race

package testrace

// Enabled says that the race detector watches.
const Enabled = true
