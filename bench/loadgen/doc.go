// SPDX-License-Identifier: Apache-2.0

// Package loadgen measures peers beside each other: it asks them as fast as they answer, from several clients at once,
// in interleaved rounds, counts what that took (time, CPU, memory), and writes the report. Measuring programs give it
// their scenarios as data, a Comparison, and have their command lines and the start of their servers in common here.
//
// Knows: loops of clients, histograms of durations, what /proc tells of a process, the weft binary, the report.
// Never: what is asked.
package loadgen
