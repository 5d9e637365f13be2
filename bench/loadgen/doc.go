// SPDX-License-Identifier: Apache-2.0

// Package loadgen asks a server as fast as it answers, from several clients at once, and counts what that took: time, CPU, memory. Programs that measure
// have their command lines in common here, too.
//
// Knows: loops of clients, histograms of durations, what /proc tells of a process, lists on command lines.
// Never: what is asked.
package loadgen
