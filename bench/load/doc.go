// SPDX-License-Identifier: Apache-2.0

// Package load asks a server as fast as it answers, from several clients at once, and counts what that took: time, CPU, memory.
//
// Knows: loops of clients, histograms of durations, what /proc tells of a process.
// Never: what is asked.
package load
