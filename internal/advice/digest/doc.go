// SPDX-License-Identifier: Apache-2.0

// Package digest adds up what the statements of all APIs cost, by their texts without literals, and keeps the last slow
// ones. All of it is in memory, bounded, and of this process: a restart begins anew.
//
// Knows: counts and durations, and how many of them are kept.
// Never: grammars, sessions, rows.
package digest
